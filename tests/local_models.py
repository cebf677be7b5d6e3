"""Stand-ins for models of this machine: an encoder by letters, and a scorer by shared words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from summeval_pytest.metrics.embeddings import PairScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"


class LetterEncoder:
    """The letters and digits of a text; reads 20 characters, and says so of longer texts."""

    signature = "letters 1"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """One row a text, each of length 1."""
        if not texts:
            return np.zeros((0, 0))
        rows = np.array([[1e-9 + text.lower().count(c) for c in _ALPHABET] for text in texts])
        units: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return units

    def count_cut(self, texts: Sequence[str]) -> int:
        """Those of more than 20 characters."""
        return sum(len(text) > 20 for text in texts)


class WordScorer:
    """The share of a summary's words, and of a reference's, that the other has."""

    signature = "words 1"

    def score(self, pairs: Sequence[tuple[str, str]]) -> tuple[PairScore, ...]:
        """One score for each (reference, summary)."""
        return tuple(self._scored(set(one.split()), set(other.split())) for one, other in pairs)

    def _scored(self, reference: set[str], summary: set[str]) -> PairScore:
        both = len(reference & summary)
        return PairScore(
            precision=both / max(1, len(summary)),
            recall=both / max(1, len(reference)),
            f1=2 * both / max(1, len(reference) + len(summary)),
        )

    def count_cut(self, texts: Sequence[str]) -> int:
        """None."""
        return 0 * len(texts)
