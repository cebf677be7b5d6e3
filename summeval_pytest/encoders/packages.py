"""Packages that are not installed with this one, and how a model of theirs is run repeatably."""

from __future__ import annotations

from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

DIGITS: Final = 6
"""Figures are rounded to so many digits: further ones differ from processor to processor."""
_FAULTS: Final = (
    AssertionError, AttributeError, ImportError, LookupError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
"""What reading somebody's model may raise."""


@contextmanager
def needed_for(option: str, extra: str) -> Iterator[None]:
    """Says which extra to install where an import inside fails.

    Raises:
        OptionError: if a package is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise OptionError(
            f"{option}: the package {error.name!r} is not installed; install it with:"
            f" pip install 'summeval-pytest[{extra}]'"
        ) from None


@contextmanager
def repeatable() -> Iterator[None]:
    """Runs what is inside on one thread and without gradients.

    More threads share sums out differently, and the last bits of a vector change with them.
    """
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            yield
    finally:
        torch.set_num_threads(n_threads)


@contextmanager
def reading(package: str, name: str, option: str) -> Iterator[None]:
    """Loads a model inside, without a progress bar or warnings of the package's own.

    Raises:
        OptionError: if the package cannot read the model.
    """
    from pickle import UnpicklingError

    from safetensors import SafetensorError
    from transformers.utils import logging

    shown, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    except (*_FAULTS, SafetensorError, UnpicklingError) as error:
        told = " ".join(str(error).split())[:200]
        raise OptionError(
            f"{option}={name}: {package} cannot read this model, {type(error).__name__}: {told};"
            " name another folder"
        ) from error
    finally:
        logging.set_verbosity(level)
        if shown:
            logging.enable_progress_bar()


def recipe(package: str, fingerprint: str, *settings: str) -> str:
    """A signature: the package and its version, that of transformers, the model, and settings."""
    parts = (f"{name} {version(name)}" for name in (package, "transformers"))
    return ", ".join([*parts, f"model {fingerprint}", *settings])
