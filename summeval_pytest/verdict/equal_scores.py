"""The criteria of equivalence that the scores of pairs are held to, each metric by itself."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.conversation import MAX_UNANSWERED
from summeval_pytest.verdict.chance import LEVEL, SEED
from summeval_pytest.verdict.criteria import held

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.evaluation import PairInWays
    from summeval_pytest.metrics import MetricName
    from summeval_pytest.stats import Rows
    from summeval_pytest.verdict.criteria import Criterion

    _Scores = Mapping[str, float | None]

MARGIN: Final = 0.02
RESAMPLES: Final = 1000
HELD_PAIR_BY_PAIR: Final[frozenset[MetricName]] = frozenset({"facet", "eva"})
"""Faithfulness is a share of few sentences: one other answer moves a pair by more than the bound,
so only its mean is held, and its sentences one by one."""
_SAME_ORDER: Final = 1.0
_DIGITS: Final = 12
"""Far below any change of order, and above the rounding of tau: the same order is exactly 1."""


def score_criteria(metric: MetricName, pairs: Sequence[PairInWays]) -> Iterator[Criterion]:
    """All criteria of a metric; none where no pair had anything to score.

    Args:
        metric: The metric.
        pairs: The pairs, sorted.
    """
    from summeval_pytest.stats import tost

    asked = [pair for pair in pairs if metric in pair.single]
    if not asked:
        return
    ways = [(pair.single, pair.again, pair.batched) for pair in asked]
    n_scored = sum(all(way.get(metric) is not None for way in of) for of in ways)
    scored = n_scored / len(asked)
    yield held(metric, "scored", n=len(asked), value=scored, bound=1 - MAX_UNANSWERED)

    shifts = _differences(metric, [(pair.single, pair.batched) for pair in asked])
    noise = _differences(metric, [(pair.single, pair.again) for pair in asked])
    if metric in HELD_PAIR_BY_PAIR:
        size, floor = _mean_size(shifts), _mean_size(noise)
        yield held(
            metric, "absolute difference", n=len(shifts), value=size, bound=MARGIN, floor=floor
        )
    yield held(
        metric,
        "mean difference",
        n=len(shifts),
        value=tost(shifts, MARGIN) if len(shifts) > 1 else None,
        bound=LEVEL,
        unmeasured=("open", "a mean takes two pairs"),
        shift=statistics.fmean(shifts) if shifts else None,
    )
    both = [p for p in asked if p.single[metric] is not None and p.batched.get(metric) is not None]
    yield _order(metric, both)


def _order(metric: MetricName, pairs: Sequence[PairInWays]) -> Criterion:
    """The systems by their means: as alone, or no farther from it than other papers would be."""
    from summeval_pytest.stats import bootstrap_interval

    rows = [
        (p.system, p.single.get(metric), p.again.get(metric), p.batched.get(metric)) for p in pairs
    ]
    alone = _means((system, single) for system, single, _, _ in rows)
    tau = _tau(alone, _means((system, batched) for system, _, _, batched in rows))

    def resampled(drawn: Rows, _: Rows) -> float | None:
        return _tau(alone, _means(rows[row][:2] for row in drawn))

    bound = _SAME_ORDER
    if tau is not None and tau < _SAME_ORDER:
        groups = [pair.group for pair in pairs]
        interval = bootstrap_interval(groups, resampled, n_resamples=RESAMPLES, seed=SEED)
        bound = _SAME_ORDER if interval.low is None else interval.low
    return held(
        metric,
        "order of systems",
        n=len(alone),
        value=tau,
        bound=bound,
        floor=_tau(alone, _means((system, again) for system, _, again, _ in rows)),
        unmeasured=("moot", "the systems have no order")
        if len(set(alone.values())) <= 1
        else ("open", "all systems are equal then"),
    )


def _means(rows: Iterable[tuple[str, float | None]]) -> dict[str, float]:
    by_system: defaultdict[str, list[float]] = defaultdict(list)
    for system, value in rows:
        if value is not None:
            by_system[system].append(value)
    return {system: statistics.fmean(values) for system, values in by_system.items()}


def _tau(one: Mapping[str, float], other: Mapping[str, float]) -> float | None:
    """Kendall's tau over the systems that both have."""
    from summeval_pytest.stats import kendall

    systems = sorted(one.keys() & other.keys())
    tau = kendall([one[name] for name in systems], [other[name] for name in systems])
    return None if tau is None else round(tau, _DIGITS)


def _differences(metric: MetricName, ways: Iterable[tuple[_Scores, _Scores]]) -> list[float]:
    found = ((one.get(metric), other.get(metric)) for one, other in ways)
    return [b - a for a, b in found if a is not None and b is not None]


def _mean_size(differences: Sequence[float]) -> float | None:
    return statistics.fmean(map(abs, differences)) if differences else None
