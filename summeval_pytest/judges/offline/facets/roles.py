"""How likely each sentence of a text states background, method, result and conclusion.

A chain of states, one a sentence (a conditional random field: Lafferty, McCallum and Pereira, ICML
2001): what a sentence says, what its neighbours say and where it stands speak for each state, and
states follow one another as they do in abstracts. The weights were learned from abstracts whose
sentences people or headings have labelled (`weights/roles.json`). What the words say is a sum of
whole numbers, so that its bits are the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from operator import mul
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.judges.offline.facets.labels import label_evidence
from summeval_pytest.judges.offline.facets.role_features import place_rows, word_rows
from summeval_pytest.judges.offline.learned import learned
from summeval_pytest.questions import FACETS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Roles = Callable[[Sequence[str]], NDArray[np.float64]]

STATES: Final = ("background", "objective", "method", "result", "conclusion")
"""What a sentence may be; an objective counts as background."""
FACET_OF: Final = (0, 0, 1, 2, 3)
"""The facet (column) of each state."""
STEP: Final = 1 / 128
"""The weight that 1 stands for in the tables."""
_DIGITS: Final = 9
"""Posteriors are rounded to so many digits: exponentials may differ in the last bit."""


@dataclass(frozen=True, slots=True)
class RoleModel:
    """The weights of the chain.

    Attributes:
        words: int8 of shape (names, states), in steps of `STEP`.
        places: int16 of shape (places, states), in the same steps.
        order: int16 of shape (states + 2, states): from each state to each; then, as the last two
            rows, what speaks for a state at the first and at the last sentence.
    """

    words: NDArray[np.int8]
    places: NDArray[np.int16]
    order: NDArray[np.int16]

    def evidence(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """What speaks for each state, (sentences, states), a label such as "Methods:" included."""
        rows = word_rows(sentences)
        starts = list(accumulate(map(len, rows[:-1]), initial=0))
        flat = np.fromiter(chain.from_iterable(rows), dtype=np.intp)
        said = np.add.reduceat(self.words[flat], starts, axis=0, dtype=np.int64)
        said += self.places[_places(len(rows))].sum(axis=1, dtype=np.int64)
        said[0] += self.order[-2]
        said[-1] += self.order[-1]
        labels: NDArray[np.float64] = label_evidence(sentences)[:, FACET_OF]
        return said * STEP + labels

    def posteriors(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """The posterior of each facet, (sentences, 4); every row sums to 1."""
        if not sentences:
            return np.zeros((0, len(FACETS)))
        order = self.order[:-2].astype(np.float64) * STEP
        states = chain_posteriors(self.evidence(sentences), order)
        facets = np.zeros((len(sentences), len(FACETS)))
        for state, facet in enumerate(FACET_OF):
            facets[:, facet] += states[:, state]
        return np.round(facets, _DIGITS)


@lru_cache(maxsize=64)
def _places(n_sentences: int) -> NDArray[np.intp]:
    return np.array(place_rows(n_sentences))


def chain_posteriors(
    evidence: NDArray[np.float64], order: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The posterior of each state at each place, by the forward and backward sums.

    Args:
        evidence: What speaks for each state, (places, states), as log-odds.
        order: What speaks for a state (column) after another (row).

    Returns:
        Shape (places, states); every row sums to 1. A few states are added up faster as plain
        numbers than as small arrays.
    """
    odds = np.exp(evidence - evidence.max(axis=1)[:, None]).tolist()
    to, back = np.exp(order.T).tolist(), np.exp(order).tolist()
    forward = [odds[0]]
    for said in odds[1:]:
        before = forward[-1]
        forward.append(
            _shares([sum(map(mul, before, ways)) * one for ways, one in zip(to, said, strict=True)])
        )
    backward = [[1.0] * len(odds[0])]
    for said in odds[:0:-1]:
        coming = list(map(mul, said, backward[-1]))
        backward.append(_shares([sum(map(mul, coming, ways)) for ways in back]))
    both = np.array(forward) * np.array(backward[::-1])
    posteriors: NDArray[np.float64] = both / both.sum(axis=1)[:, None]
    return posteriors


def _shares(amounts: list[float]) -> list[float]:
    whole = sum(amounts)
    return [amount / whole for amount in amounts]


@lru_cache(maxsize=1)
def role_model() -> RoleModel:
    """The model that ships with the judge."""
    arrays = learned("roles")
    return RoleModel(
        words=arrays["words"].astype(np.int8),
        places=arrays["places"].astype(np.int16),
        order=arrays["order"].astype(np.int16),
    )


def roles_of(sentences: Sequence[str]) -> NDArray[np.float64]:
    """The posterior of each facet for each sentence of one text, in order.

    Returns:
        Shape (sentences, 4), columns as in `FACETS`; every row sums to 1. A label that opens a
        sentence ("Methods:") decides it and those that stand under it. The array is not to be
        written to: who asks again gets the same one.
    """
    return _read(tuple(sentences))


@lru_cache(maxsize=256)
def _read(sentences: tuple[str, ...]) -> NDArray[np.float64]:
    posteriors = role_model().posteriors(sentences)
    posteriors.setflags(write=False)
    return posteriors
