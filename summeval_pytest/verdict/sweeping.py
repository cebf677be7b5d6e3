"""Which thresholds separate two runs: for each number, the one that tells most pairs apart."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from summeval_pytest.metrics import CATALOGUE, SUPPORT, lacks_support

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.evaluation import Numbers
    from summeval_pytest.metrics import Named


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """The threshold of one number that separates two runs best.

    Attributes:
        name: The number.
        better: Its mean in the run that should pass.
        worse: Its mean in the run that should fail.
        threshold: The value between the two at which the shares of passing pairs differ most.
        n_better: Pairs of the first run that pass it, of ``of_better``.
        of_better: Pairs of the first run that have the number.
        n_worse: Pairs of the second run that pass it, of ``of_worse``.
        of_worse: Pairs of the second run that have the number.
    """

    name: str
    better: float
    worse: float
    threshold: float
    n_better: int
    of_better: int
    n_worse: int
    of_worse: int

    @property
    def separated(self) -> float:
        """The share of passing pairs in the better run, less that in the worse; 0 to 1.

        Youden's index (Youden 1950).
        """
        return self.n_better / self.of_better - self.n_worse / self.of_worse


def separations(better: Sequence[Numbers], worse: Sequence[Numbers]) -> tuple[Separation, ...]:
    """For each number that both runs have, the threshold that separates them best.

    Args:
        better: The numbers of the run that should pass.
        worse: Those of the run that should fail.
    """
    found = []
    is_partial = any(lacks_support(numbers.values) for numbers in (*better, *worse))
    for name in CATALOGUE:
        if name == SUPPORT and is_partial:
            continue
        high, low = _values(better, name), _values(worse, name)
        if high and low:
            found.append(_best(name, high, low))
    return tuple(found)


def _values(papers: Sequence[Numbers], name: str) -> list[float]:
    values = (numbers.values.get(name) for numbers in papers)
    return sorted(value for value in values if value is not None)


def _best(name: str, high: list[float], low: list[float]) -> Separation:
    """The threshold that tells most pairs apart; of several, the one in their middle."""
    named = CATALOGUE[name]

    def at(threshold: float) -> Separation:
        return Separation(
            name=name,
            better=statistics.fmean(high),
            worse=statistics.fmean(low),
            threshold=threshold,
            n_better=sum(named.meets(value, threshold) for value in high),
            of_better=len(high),
            n_worse=sum(named.meets(value, threshold) for value in low),
            of_worse=len(low),
        )

    tried = [at(threshold) for threshold in _candidates(named, sorted({*high, *low}))]
    most = max(separation.separated for separation in tried)
    tied = [separation for separation in tried if math.isclose(separation.separated, most)]
    return tied[len(tied) // 2]


def _candidates(named: Named, values: list[float]) -> list[float]:
    """Thresholds worth trying: every rating, or the middle between neighbouring scores."""
    if named.is_whole:
        return named.whole_values(values)
    return [values[0], *((one + other) / 2 for one, other in pairwise(values))]
