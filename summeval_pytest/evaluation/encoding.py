"""The encoder that a suite names, read once in a process."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from summeval_pytest.encoders import Encoder
    from summeval_pytest.suite import EvaVariant, Suite


@lru_cache(maxsize=4)
def _loaded(name: str) -> Encoder:
    from summeval_pytest.encoders import load_encoder

    return load_encoder(name, option="encoder")


def encoder_of(variant: EvaVariant) -> Encoder | None:
    """What tells which facts are similar in a variant of EVA-Score; None for TF-IDF.

    Raises:
        OptionError: if the model or its package is not on this machine.
    """
    return None if variant.encoder is None else _loaded(variant.encoder)


def check_encoders(suites: Iterable[Suite]) -> None:
    """Reads the encoders of these suites, so that one that is missing stops a run at its start.

    Raises:
        OptionError: if one is not on this machine, with the suite that names it.
    """
    for suite in suites:
        try:
            encoder_of(suite.variants.eva)
        except OptionError as error:
            raise OptionError(f"{suite.shown}: {error}") from error
