"""How far systems are apart: Cohen's d of every two, with the power of the paired test."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from summeval_pytest.stats import detectable_drop, power_of_drop
from summeval_pytest.verdict.study.columns import Column, leading_columns
from summeval_pytest.verdict.study.estimates import Mean, mean_of, rounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import StudiedPair

POWER: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """How far two systems are apart in one number.

    Attributes:
        column: The number.
        first: The one system.
        second: The other.
        difference: First minus second, the mean over papers that both have, with its interval.
        cohen_d: The difference of these means / the pooled standard deviation of both systems'
            scores; None where neither varies.
        power: The chance that the one-sided paired test of level .05 finds a true difference of
            this size on so many papers; None where the differences do not vary, or their mean is 0.
        detectable: The smallest difference that it finds with a chance of .8; None for none.
    """

    column: Column
    first: str
    second: str
    difference: Mean
    cohen_d: float | None
    power: float | None
    detectable: float | None


def effects(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[Effect, ...]:
    """How far every two systems are apart in the leading numbers, on the papers that both have."""
    return tuple(
        effect
        for column in leading_columns(by_system, judges)
        for effect in _effects(column, by_system, n_papers)
    )


def _effects(
    column: Column, by_system: Mapping[str, Sequence[StudiedPair]], n_papers: int
) -> Iterator[Effect]:
    values = {
        system: {
            pair.paper: (pair.group, value)
            for pair in pairs
            if (value := column.of(pair)) is not None
        }
        for system, pairs in by_system.items()
    }
    for first, second in combinations(values, 2):
        one, other = values[first], values[second]
        papers = sorted(one.keys() & other.keys())
        rows = [(one[paper][0], one[paper][1], other[paper][1]) for paper in papers]
        yield _effect(column, (first, second), rows, n_papers)


def _effect(
    column: Column,
    systems: tuple[str, str],
    rows: Sequence[tuple[str, float, float]],
    n_papers: int,
) -> Effect:
    lacking = [("", None)] * (n_papers - len(rows))
    difference = mean_of([*((group, a - b) for group, a, b in rows), *lacking])
    power, detectable = _power([a - b for _, a, b in rows])
    return Effect(
        column=column,
        first=systems[0],
        second=systems[1],
        difference=difference,
        cohen_d=cohen_d([a for _, a, _ in rows], [b for _, _, b in rows]),
        power=power,
        detectable=detectable,
    )


def cohen_d(first: Sequence[float], second: Sequence[float]) -> float | None:
    """(mean(first) - mean(second)) / sqrt((var(first) + var(second)) / 2), for equal numbers.

    None with fewer than two values a side, and where neither side varies.
    """
    if len(first) < 2:  # noqa: PLR2004 - one value has no deviation
        return None
    pooled = (statistics.variance(first) + statistics.variance(second)) / 2
    if pooled <= 0:
        return None
    return rounded((statistics.mean(first) - statistics.mean(second)) / math.sqrt(pooled))


def _power(differences: Sequence[float]) -> tuple[float | None, float | None]:
    if len(differences) < 2:  # noqa: PLR2004 - one value has no deviation
        return None, None
    deviation = rounded(statistics.stdev(differences))
    size = rounded(abs(statistics.mean(differences)))
    if not deviation:
        return None, None
    seen = detectable_drop(deviation, len(differences), power=POWER)
    power = power_of_drop(size, deviation, len(differences)) if size else None
    return (
        None if power is None else rounded(power),
        None if seen is None else rounded(seen),
    )
