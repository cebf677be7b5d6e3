"""Which sentences of a text carry the words of a claim, and how many of its words they carry.

A word counts by its rarity in the text: idf = ln(1 + (n - df + .5) / (df + .5)), the form that
stays positive in a text of 26 sentences; sentences are ranked by BM25 (k1 = 1.2, b = .75).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.lexicon import GENERIC
from summeval_pytest.judges.offline.reading import read

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1: Final = 1.2
B: Final = 0.75
GENERIC_WEIGHT: Final = 0.3
"""How much a word that every abstract uses counts beside one that is this paper's own."""
MAX_EVIDENCE: Final = 3
LEAST_GAIN: Final = 0.1
"""A further sentence is evidence only if it carries this share more of the claim's weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The sentences that carry a claim, the best first, and the share of its weight they carry."""

    coverage: float
    evidence: tuple[int, ...]


class TermIndex:
    """The sentences of one text as weighted bags of stems."""

    def __init__(self, sentences: tuple[str, ...]) -> None:
        self.sentences = sentences
        bags = [read(sentence).words for sentence in sentences]
        self._column: dict[str, int] = {}
        for bag in bags:
            for word in bag:
                self._column.setdefault(word, len(self._column))
        counts = np.zeros((len(bags), len(self._column)))
        for row, bag in enumerate(bags):
            for word in bag:
                counts[row, self._column[word]] += 1.0
        self.quantities = tuple(placed for s in sentences for placed in read(s).quantities)
        lengths = counts.sum(axis=1, keepdims=True)
        self._held = counts > 0
        found = self._held.sum(axis=0)
        self._idf = np.log1p((len(bags) - found + 0.5) / (found + 0.5))
        self._unseen = float(np.log1p((len(bags) + 0.5) / 0.5))
        norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean()) if bags else 1.0))
        self._bm25 = self._idf * counts * (K1 + 1) / (counts + norm)

    def _weighted(
        self, words: tuple[str, ...], *, by_rarity: bool = True
    ) -> tuple[NDArray[np.intp], NDArray[np.float64], float]:
        """The columns and weights of the claim's known words, and the weight of all its words."""
        columns, weights, total = [], [], 0.0
        for word in dict.fromkeys(words):
            column = self._column.get(word)
            weight = GENERIC_WEIGHT if word in GENERIC else 1.0
            if by_rarity:
                weight *= self._unseen if column is None else float(self._idf[column])
            total += weight
            if column is not None:
                columns.append(column)
                weights.append(weight)
        return np.array(columns, dtype=np.intp), np.array(weights), total

    def ranked(self, claim: str, most: int) -> tuple[int, ...]:
        """The sentences that share a word with the claim, by BM25, at most so many."""
        columns, _, _ = self._weighted(read(claim).words)
        scores = self._bm25[:, columns].sum(axis=1)
        order = np.argsort(-scores, kind="stable")[:most]
        return tuple(int(place) for place in order if scores[place] > 0)

    def match(self, claim: str, *, by_rarity: bool = True) -> Match:
        """The few sentences that together carry most of the claim.

        Sentences are taken one by one, each time the one that adds most weight (BM25 breaks ties).

        Args:
            claim: A sentence or a fact.
            by_rarity: Whether a word weighs by its rarity in the text; among a few short premises
                rarity says nothing, so there all words but the generic ones weigh the same.
        """
        columns, weights, total = self._weighted(read(claim).words, by_rarity=by_rarity)
        if not len(columns) or not total:
            return Match(coverage=0.0, evidence=())
        held = self._held[:, columns] * weights
        rank = self._bm25[:, columns].sum(axis=1)
        open_columns = np.ones(len(columns))
        chosen: list[int] = []
        carried = 0.0
        while len(chosen) < MAX_EVIDENCE:
            gains = (held * open_columns).sum(axis=1)
            best = int(np.argmax(gains + 1e-6 * rank))
            gain = float(gains[best])
            if gain <= 0.0 or (chosen and gain < LEAST_GAIN * total):
                break
            chosen.append(best)
            carried += gain
            open_columns = open_columns * ~self._held[best, columns]
        return Match(coverage=min(1.0, carried / total), evidence=tuple(chosen))


@lru_cache(maxsize=8)
def index_of(sentences: tuple[str, ...]) -> TermIndex:
    """The index of a text, kept for the next claims about it."""
    return TermIndex(sentences)
