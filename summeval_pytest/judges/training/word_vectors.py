"""Learns from plain sentences which words are used alike, so that a rare word borrows from others.

The neighbours of each word, by place (two before to two after), weighed by their positive pointwise
mutual information and cut to a few dimensions by singular values (Levy, Goldberg and Dagan, TACL
2015: context shares to the power of .75, square roots of the singular values). No label is read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

DIMENSIONS: Final = 80
_MOST_WORDS: Final = 15000
_MOST_NEIGHBOURS: Final = 3000
"""Only so many of the most frequent words count as neighbours."""
_LEAST: Final = 5
"""How often a word must occur."""
_OFFSETS: Final = (-2, -1, 1, 2)
_FLATTENED: Final = 0.75


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Unit vectors of words.

    Attributes:
        rows: The row of each word, the most frequent first.
        counts: How often each occurred.
        vectors: Shape (words, dimensions); words that are used alike point the same way.
    """

    rows: Mapping[str, int]
    counts: NDArray[np.int64]
    vectors: NDArray[np.float64]

    def by_place(self, places: Sequence[int], n_places: int) -> NDArray[np.float64]:
        """The mean vector of the words at each place of a table, weighed by how often they occur.

        Args:
            places: The place of each word, in the order of ``rows``; two words may share one.
            n_places: The size of the table; a place of no word gets zeros.
        """
        shape = (n_places, len(self.counts))
        sums = sp.csr_matrix((self.counts, (places, np.arange(shape[1]))), shape=shape)
        totals = np.maximum(1, np.asarray(sums.sum(axis=1)))
        means: NDArray[np.float64] = np.asarray(sums @ self.vectors) / totals
        return means


def word_vectors(sentences: Sequence[Sequence[str]], dimensions: int = DIMENSIONS) -> WordVectors:
    """The vectors of the words that occur at least 5 times in these sentences.

    The dimensions are no more than one fewer than the words; without two such words there are none.
    """
    counted = Counter(word for sentence in sentences for word in sentence)
    frequent = sorted(counted.items(), key=lambda found: (-found[1], found[0]))[:_MOST_WORDS]
    counts = {word: count for word, count in frequent if count >= _LEAST}
    rows = {word: row for row, word in enumerate(counts)}
    dimensions = min(dimensions, len(rows) - 1)
    if dimensions < 1:
        return WordVectors({}, np.zeros(0, dtype=np.int64), np.zeros((0, 1)))
    shared = _information(_neighbours(sentences, rows))
    left, strengths, _ = svds(shared, k=dimensions, random_state=0)
    vectors = left * np.sqrt(np.maximum(0.0, strengths))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return WordVectors(rows, np.array(list(counts.values())), vectors / np.maximum(1e-9, lengths))


def _neighbours(
    sentences: Sequence[Sequence[str]], rows: Mapping[str, int]
) -> sp.csr_matrix[np.float64]:
    """How often each word (row) has each frequent word at each offset (columns)."""
    gap = [-1] * len(_OFFSETS)
    line = np.array([row for s in sentences for row in (*(rows.get(w, -1) for w in s), *gap)])
    most = min(_MOST_NEIGHBOURS, len(rows))
    pairs = []
    for block, offset in enumerate(_OFFSETS):
        beside = np.roll(line, -offset)  # what wraps round meets the gap after the last sentence
        kept = (line >= 0) & (beside >= 0) & (beside < most)
        pairs.append((line[kept], block * most + beside[kept]))
    of, with_ = (np.concatenate(found) for found in zip(*pairs, strict=True))
    return sp.csr_matrix((np.ones(len(of)), (of, with_)), shape=(len(rows), most * len(_OFFSETS)))


def _information(found: sp.csr_matrix[np.float64]) -> sp.csr_matrix[np.float64]:
    """max(0, ln(count * total / (of the word * of the neighbour, flattened)))."""
    words = np.asarray(found.sum(axis=1)).ravel()
    beside = np.asarray(found.sum(axis=0)).ravel() ** _FLATTENED
    pairs = found.tocoo()
    expected = words[pairs.row] * beside[pairs.col] / max(1e-9, beside.sum())
    information = np.maximum(0.0, np.log(pairs.data / expected))
    return sp.csr_matrix((information, (pairs.row, pairs.col)), shape=found.shape)
