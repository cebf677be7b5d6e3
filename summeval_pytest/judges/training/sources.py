"""What sets of claims have in common: sources that many ask about, papers, chances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.sentences.source_index import SourceIndex
from summeval_pytest.stats import roc_auc
from summeval_pytest.text import normalise, sentence_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

N_FOLDS: Final = 5


class Sources:
    """The indices of the sources of a set, each made once.

    Args:
        by_line: Whether the set has a sentence a line; else our own rules cut it.
    """

    def __init__(self, *, by_line: bool = False) -> None:
        self._by_line = by_line
        self._known: dict[str, SourceIndex] = {}

    def index(self, source: str) -> SourceIndex:
        """The index of a source."""
        if source not in self._known:
            cut = source.split("\n") if self._by_line else sentence_texts(normalise(source))
            self._known[source] = SourceIndex(tuple(cut))
        return self._known[source]


def folds(papers: Sequence[str]) -> NDArray[np.intp]:
    """A fold for each row, the same for all rows of a paper; papers are dealt out in order."""
    order = {paper: number for number, paper in enumerate(dict.fromkeys(papers))}
    return np.array([order[paper] % N_FOLDS for paper in papers])


def chance(logit: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chances, 0 to 1, of which these are the logits."""
    found: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
    return found


def told_apart(labels: NDArray[np.float64], numbers: NDArray[np.float64]) -> float:
    """The AUC of numbers against labels of 1 and 0; NaN where there is one kind only."""
    area = roc_auc((labels == 1).tolist(), numbers.tolist())
    return float("nan") if area is None else area
