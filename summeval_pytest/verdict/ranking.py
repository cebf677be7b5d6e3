"""Which of a suite's systems change places under another judge."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics import METRICS
from summeval_pytest.verdict.chance import two_sided_p_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.verdict.swapping import TwiceJudged

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMeans:
    """The mean of one metric of one system over the papers that both judges have scored."""

    system: str
    n_papers: int
    old: float
    new: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderChange:
    """Two systems that change places: which is better depends on the judge.

    Attributes:
        better: The one with the higher mean under the old judge.
        worse: The other.
        n_papers: The papers that both judges have scored of both.
        old: The difference of their means under the old judge, above 0.
        new: The same under the new one, below 0.
        p_old: Whether the old difference is chance: sign-flip test over papers, two-sided,
            Holm-adjusted over all pairs of systems.
        p_new: The same of the new one.
    """

    better: str
    worse: str
    n_papers: int
    old: float
    new: float
    p_old: float
    p_new: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOrder:
    """The systems by one metric under both judges, best under the old one first."""

    metric: str
    means: tuple[SystemMeans, ...]
    changes: tuple[OrderChange, ...] = ()

    def rank(self, system: str, judge: Literal["old", "new"]) -> int:
        """The place of a system under one judge, from 1; equal means share a place."""
        values = {each.system: each.old if judge == "old" else each.new for each in self.means}
        return 1 + sum(value > values[system] + _ROUNDING for value in values.values())


def system_orders(pairs: Sequence[TwiceJudged]) -> tuple[SystemOrder, ...]:
    """The systems by each metric, and those that change places."""
    found = (_order(pairs, name) for name in METRICS)
    return tuple(order for order in found if order.means)


def _order(pairs: Sequence[TwiceJudged], name: str) -> SystemOrder:
    by_system: defaultdict[str, dict[str, tuple[str, float, float]]] = defaultdict(dict)
    for pair in pairs:
        both = pair.both(name)
        if both is not None:
            by_system[pair.system][pair.paper] = (pair.group, *both)
    means = [
        SystemMeans(
            system=system,
            n_papers=len(papers),
            old=statistics.mean(old for _, old, _ in papers.values()),
            new=statistics.mean(new for _, _, new in papers.values()),
        )
        for system, papers in by_system.items()
    ]
    means.sort(key=lambda each: (-each.old, each.system))
    return SystemOrder(
        metric=name,
        means=tuple(means),
        changes=tuple(_changes([each.system for each in means], by_system)),
    )


def _changes(
    systems: Sequence[str], scores: Mapping[str, Mapping[str, tuple[str, float, float]]]
) -> Iterator[OrderChange]:
    """The pairs of systems whose difference has another sign, each paired by paper."""
    from summeval_pytest.stats import holm

    apart = []
    for one, other in combinations(systems, 2):
        by_group: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for paper in scores[one].keys() & scores[other].keys():
            (group, *first), (_, *second) = scores[one][paper], scores[other][paper]
            by_group[group].append((first[0] - second[0], first[1] - second[1]))
        if by_group:
            apart.append((one, other, by_group))
    sums = [
        [[sum(d[side] for d in of) for of in groups.values()] for _, _, groups in apart]
        for side in (0, 1)
    ]
    p_values = [holm([two_sided_p_value(each) for each in side]) for side in sums]
    for place, (one, other, groups) in enumerate(apart):
        found = [difference for of in groups.values() for difference in of]
        old, new = (statistics.mean(each[side] for each in found) for side in (0, 1))
        if min(old, new) < -_ROUNDING and max(old, new) > _ROUNDING:
            yield OrderChange(
                better=one if old > 0 else other,
                worse=other if old > 0 else one,
                n_papers=len(found),
                old=abs(old),
                new=-abs(new),
                p_old=p_values[0][place],
                p_new=p_values[1][place],
            )
