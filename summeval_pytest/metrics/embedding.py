"""How much of a reference's meaning a summary holds, by the cosine of their sentences' vectors.

    recall    = sum over reference sentences of words * max cosine with a summary sentence / words
    precision = the same with the two exchanged;  F1 = 2 P R / (P + R), and 0 unless both are > 0

A baseline, and no more: a sentence that denies what was found, or changes its figure, is nearer to
it (.93 to .99) than a true paraphrase (.64 to .73; metrics.md section 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_DIGITS: Final = 6
"""Further digits differ from processor to processor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedSentences:
    """The sentences of one text: a unit vector and a number of words for each.

    Attributes:
        vectors: (n sentences, d), every row of length 1.
        n_words: (n sentences,); what a sentence weighs.
    """

    vectors: NDArray[np.float64]
    n_words: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingMatch:
    """How well the sentences of two texts are matched; -1 to 1, in practice 0 to 1, high is good.

    0 where a text has no sentence.
    """

    precision: float
    recall: float
    f1: float


def embedded(sentences: Sequence[str], vectors: NDArray[np.float64]) -> EmbeddedSentences:
    """Sentences with their vectors, one row each, weighed by their words."""
    n_words = np.array([len(sentence.split()) for sentence in sentences], dtype=np.float64)
    return EmbeddedSentences(vectors=vectors, n_words=n_words)


def embedding_match(reference: EmbeddedSentences, summary: EmbeddedSentences) -> EmbeddingMatch:
    """How much of the reference the summary has, and of the summary the reference."""
    if not len(reference.n_words) or not len(summary.n_words):
        return EmbeddingMatch(precision=0.0, recall=0.0, f1=0.0)
    cosines = np.clip(reference.vectors @ summary.vectors.T, -1.0, 1.0)
    recall = float(np.average(cosines.max(axis=1), weights=reference.n_words))
    precision = float(np.average(cosines.max(axis=0), weights=summary.n_words))
    both = min(precision, recall) > 0
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return EmbeddingMatch(
        precision=round(precision, _DIGITS), recall=round(recall, _DIGITS), f1=round(f1, _DIGITS)
    )


def nearest(
    claim: NDArray[np.float64], sentences: NDArray[np.float64], most: int
) -> tuple[int, ...]:
    """The places of the sentences most similar to a claim, the best first, at most so many.

    Of equally similar ones, to 6 digits, the first comes first.
    """
    if not len(sentences):
        return ()
    order = np.argsort(-np.round(sentences @ claim, _DIGITS), kind="stable")[:most]
    return tuple(int(place) for place in order)
