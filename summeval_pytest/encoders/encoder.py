"""What an encoder promises, so that whoever uses one can be tried with a small one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Encoder(Protocol):
    """Turns short texts into vectors whose dot product is their cosine."""

    @property
    def signature(self) -> str:
        """Everything of the encoder that can move a number: packages and the model's content."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row a text, in their order, each of length 1; a text's row depends on it alone."""
        ...

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts are longer than the model reads."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PairScore:
    """How the tokens of a summary and of its reference match; -1 to 1 each, higher is better."""

    precision: float
    recall: float
    f1: float


class PairScorer(Protocol):
    """Compares a summary with its reference by a model of its own."""

    @property
    def signature(self) -> str:
        """Everything of the scorer that can move a number."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]]) -> tuple[PairScore, ...]:
        """One score for each (reference, summary), in their order; depends on that pair alone."""
        ...

    def count_cut(self, texts: Sequence[str]) -> int:
        """How many of the texts are longer than the model reads."""
        ...
