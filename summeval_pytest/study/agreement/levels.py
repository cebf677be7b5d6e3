"""How columns go together: over all pairs, within papers, or of the systems' means.

Three levels, for they answer three questions. Over all pairs mixes papers of different difficulty;
within papers orders the systems of one paper and takes the mean over papers; of the systems' means
there is one point a system. Two columns are compared on the pairs that have both. Every interval
resamples papers, not pairs: the pairs of one paper share its difficulty. Over all pairs and over
systems, papers with the same reference are resampled as one.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np

from summeval_pytest.stats.bootstrap import (
    bootstrap_interval,
    drawn_groups,
    percentile_bounds,
    resampled_ratios,
    shares,
)
from summeval_pytest.study.agreement.columns import HUMAN
from summeval_pytest.study.agreement.correlations import (
    COEFFICIENTS,
    correlation_p_value,
    drawn_coefficients,
    group_codes,
    group_counts,
    partial_pearson,
    stacked_coefficients,
)
from summeval_pytest.study.agreement.item_agreement import Estimate, resamples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Labels
    from summeval_pytest.study.agreement.columns import LabelledPair
    from summeval_pytest.study.agreement.correlations import CoefficientName
    from summeval_pytest.study.agreement.item_agreement import Resamples

    Floats = NDArray[np.float64]


AgreementLevel = Literal["pooled", "paper", "system"]
LEVELS: Final[tuple[AgreementLevel, ...]] = get_args(AgreementLevel)
"""Over all pairs; the mean over papers of what holds within each; of the systems' means."""
_MEAN_DIGITS: Final = 12
"""Means that differ by the order of their sums only are tied."""


def over_rows(
    x: Floats, y: Floats, groups: Labels, name: CoefficientName, drawn: Resamples
) -> tuple[float, Floats, int]:
    """The coefficient over all rows, that of each resample of whole groups, and how many rows."""
    codes, n_groups = group_codes(groups)
    whole = drawn_coefficients(name, x, y, codes, np.ones((1, n_groups)))[0]
    counts = group_counts(n_groups, n_resamples=drawn.n, seed=drawn.seed)
    return whole, drawn_coefficients(name, x, y, codes, counts), len(x)


def within_groups(
    x: Floats, y: Floats, groups: Labels, name: CoefficientName, drawn: Resamples
) -> tuple[float, Floats, int]:
    """The mean of the coefficient within each group, over the groups where it is defined."""
    codes, n_groups = group_codes(groups)
    # Each group alone is a resample that draws it once and no other.
    within = np.sort(drawn_coefficients(name, x, y, codes, np.eye(n_groups)))
    draws = drawn_groups(n_groups, n_resamples=drawn.n, seed=drawn.seed)
    return _mean(within), _mean(within[draws]), int((~np.isnan(within)).sum())


def _mean(values: Floats) -> Any:
    """The mean of what is known along the last axis; NaN where nothing is."""
    return shares(np.nansum(values, axis=-1), (~np.isnan(values)).sum(axis=-1))


def of_means(  # noqa: PLR0913 - two columns, and who each row is of
    x: Floats,
    y: Floats,
    groups: Labels,
    name: CoefficientName,
    drawn: Resamples,
    *,
    systems: Labels,
) -> tuple[float, Floats, int]:
    """The coefficient of systems, each one point: its means over the rows.

    A resample draws groups, and takes the means of the systems again.
    """
    (codes, n_groups), (numbers, n_systems) = group_codes(groups), group_codes(systems)
    sums = np.zeros((3, n_groups, n_systems))
    for each, values in zip(sums, (x, y, np.ones_like(x)), strict=True):
        np.add.at(each, (codes, numbers), values)
    counts = group_counts(n_groups, n_resamples=drawn.n, seed=drawn.seed)
    of_x, of_y, sizes = np.vstack([np.ones((1, n_groups)), counts]) @ sums
    means = (shares(of, sizes).round(_MEAN_DIGITS) for of in (of_x, of_y))
    found = stacked_coefficients(name, *means)
    return found[0], found[1:], n_systems


def correlation(
    pairs: Sequence[LabelledPair], a: str, b: str, level: AgreementLevel, name: CoefficientName
) -> tuple[Estimate, int]:
    """The coefficient of two columns at a level, and on how many pairs, papers or systems."""
    both = [(p, p.number(a), p.number(b)) for p in pairs]
    both = [row for row in both if row[1] is not None and row[2] is not None]
    if not both:
        return Estimate(), 0
    x, y = (np.array([row[side] for row in both], dtype=np.float64) for side in (1, 2))
    groups, drawn = [pair.group for pair, _, _ in both], resamples()
    if a == b and level == "pooled":
        itself = 1.0 if len(np.unique(x)) > 1 else None
        return Estimate(itself, itself, itself), len(x)
    if level == "pooled":
        value, resampled, n = over_rows(x, y, groups, name, drawn)
    elif level == "paper":
        value, resampled, n = within_groups(x, y, [p.paper for p, _, _ in both], name, drawn)
    else:
        value, resampled, n = of_means(
            x, y, groups, name, drawn, systems=[pair.system for pair, _, _ in both]
        )
    (low,), (high,) = percentile_bounds(resampled[:, np.newaxis], n_resamples=drawn.n)
    figures = (value, low, high)
    return Estimate(*(None if np.isnan(each) else float(each) for each in figures)), n


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelAgreement:
    """How one column goes with the human overall score at one level, -1 to 1 by coefficient.

    ``n`` counts pairs, papers where any coefficient is defined, or systems. Only systems have p
    values: two-sided, from all orders of so few points (of 9,999 where they are many), None where
    the coefficient is undefined.
    """

    n: int
    estimates: Mapping[CoefficientName, Estimate]
    p_values: Mapping[CoefficientName, float | None]


def level_agreement(
    pairs: Sequence[LabelledPair],
    column: str,
    level: AgreementLevel,
    names: Sequence[CoefficientName] = COEFFICIENTS,
) -> LevelAgreement:
    """Coefficients of one column with the human overall score, over the pairs that have both."""
    estimates = {name: correlation(pairs, HUMAN, column, level, name) for name in names}
    p_values: dict[CoefficientName, float | None] = {}
    if level == "system":
        rows = [pair for pair in pairs if column in pair.columns and pair.human is not None]
        means = system_means(rows, [column]).values()
        x, y = [of[column] for of in means], [of[HUMAN] for of in means]
        p_values = {name: correlation_p_value(x, y, name) for name in names}
    return LevelAgreement(
        n=max(n for _, n in estimates.values()),
        estimates={name: estimate for name, (estimate, _) in estimates.items()},
        p_values=p_values,
    )


def mixed_agreement(pairs: Sequence[LabelledPair], column: str) -> LevelAgreement:
    """Pearson and Spearman over all pairs, which ``n`` counts, and Kendall within papers."""
    pooled = level_agreement(pairs, column, "pooled", ("pearson", "spearman"))
    within = level_agreement(pairs, column, "paper", ("kendall",))
    return replace(pooled, estimates={**pooled.estimates, **within.estimates})


def system_means(
    pairs: Sequence[LabelledPair], columns: Sequence[str]
) -> dict[str, dict[str, float]]:
    """By system, the mean over papers of the human overall score and of each column it has.

    A mean covers the pairs that have the number. Rounded to twelve digits, so that means that are
    equal but for the order of a sum are tied.
    """
    means: dict[str, dict[str, float]] = {}
    for system in sorted({pair.system for pair in pairs}):
        its = [pair for pair in pairs if pair.system == system]
        numbers = {c: [v for p in its if (v := p.number(c)) is not None] for c in (HUMAN, *columns)}
        means[system] = {
            column: round(float(np.sort(values).mean()), _MEAN_DIGITS)
            for column, values in numbers.items()
            if values
        }
    return means


def partial_correlation(pairs: Sequence[LabelledPair], column: str, given: str) -> Estimate:
    """Partial Pearson correlation of a column with the human overall score, over all pairs."""
    both = [pair for pair in pairs if pair.human is not None and {column, given} <= {*pair.columns}]
    x = np.array([pair.columns[column] for pair in both])
    z = np.array([pair.columns[given] for pair in both])
    y = np.array([pair.human for pair in both], dtype=np.float64)
    drawn = resamples()
    interval = bootstrap_interval(
        [pair.group for pair in both],
        lambda rows: partial_pearson(x[rows], y[rows], z[rows]),
        n_resamples=drawn.n,
        seed=drawn.seed,
    )
    return Estimate(partial_pearson(x, y, z), interval.low, interval.high)


BINS: Final = 10
FEWEST: Final = 5
"""So many pairs a bin are wanted: few pairs make fewer bins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """The pairs to which a column gives ``low`` to ``high``, ``mean`` on average.

    ``human`` is the mean of the ``n`` human overall scores, its interval over papers; one paper
    alone has none.
    """

    low: float
    high: float
    mean: float
    n: int
    human: Estimate


def calibration_bins(pairs: Sequence[LabelledPair], column: str) -> list[CalibrationBin]:
    """What people gave where a column gave so much: up to ten bins of about as many pairs each.

    Pairs to which the column gives the same are in one bin, so that bins may be fewer, and uneven.
    """
    rows = sorted(
        (pair.columns[column], pair.human, pair.group)
        for pair in pairs
        if column in pair.columns and pair.human is not None
    )
    numbers = [number for number, _, _ in rows]
    n_bins = min(BINS, max(1, len(rows) // FEWEST))
    bins: defaultdict[int, list[tuple[float, float, str]]] = defaultdict(list)
    for row in rows:
        rank = (bisect_left(numbers, row[0]) + bisect_right(numbers, row[0]) - 1) / 2
        bins[int(n_bins * rank / len(rows))].append(row)
    return [_bin(bins[place]) for place in sorted(bins)]


def _bin(rows: Sequence[tuple[float, float, str]]) -> CalibrationBin:
    numbers, scores, groups = zip(*rows, strict=True)
    human = Estimate(math.fsum(scores) / len(rows))
    if len(set(groups)) > 1:
        drawn, ones = resamples(), [1.0] * len(rows)
        means = resampled_ratios(groups, scores, ones, n_resamples=drawn.n, seed=drawn.seed)
        (low,), (high,) = percentile_bounds(means[:, np.newaxis], n_resamples=drawn.n)
        human = Estimate(human.value, float(low), float(high))
    return CalibrationBin(
        low=numbers[0],
        high=numbers[-1],
        mean=math.fsum(numbers) / len(rows),
        n=len(rows),
        human=human,
    )
