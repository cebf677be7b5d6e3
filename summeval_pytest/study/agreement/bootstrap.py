"""95 % percentile intervals by resampling groups, mostly papers.

Every function here draws as many groups as there are, with replacement, from a seeded generator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.agreement import shares
from summeval_pytest.stats.intervals import Interval
from summeval_pytest.study.tables import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_QUANTILES = [(1 - 0.95) / 2, (1 + 0.95) / 2]

Labels: TypeAlias = "Sequence[str] | Sequence[int] | NDArray[np.intp]"
"""The group of each row, for instance its paper's id."""

Rows: TypeAlias = "NDArray[np.intp]"
"""Row numbers, or a group number for each row."""

Statistic: TypeAlias = Callable[["Rows"], float | None]
"""From the rows of a resample to a number; None if undefined."""


def rows_by_group(groups: Labels) -> tuple[Rows, ...]:
    """The row numbers of each group, groups sorted by label, rows in the order given.

    Sorting makes what follows independent of the order in which the groups first occur.
    """
    members: dict[str | int, list[int]] = {}
    for row, label in enumerate(groups):
        members.setdefault(label, []).append(row)
    return tuple(np.array(members[label], dtype=np.intp) for label in sorted(members))


def draws_of(n_groups: int, *, n_resamples: int, seed: int) -> Iterator[Rows]:
    """The group numbers that each resample draws, one resample at a time; without groups none."""
    generator = Generator(PCG64(seed))
    n_drawn = n_resamples if n_groups else 0
    return (generator.integers(n_groups, size=n_groups, dtype=np.intp) for _ in range(n_drawn))


def drawn_groups(n_groups: int, *, n_resamples: int, seed: int) -> Rows:
    """The same as one array, a row a resample."""
    draws = [*draws_of(n_groups, n_resamples=n_resamples, seed=seed)]
    return np.array(draws) if draws else np.empty((0, 0), dtype=np.intp)


def resampled_ratios(
    groups: Labels,
    tops: Sequence[float],
    bottoms: Sequence[float],
    *,
    n_resamples: int = 1000,
    seed: int,
) -> Floats:
    """Sum of tops / sum of bottoms in each resample of groups; NaN where the bottoms add up to 0.

    A mean is the ratio of values to ones; a rate over sentences that of unsupported sentences to
    all. The order of the rows does not matter. Empty without rows.
    """
    members = rows_by_group(groups)
    drawn = drawn_groups(len(members), n_resamples=n_resamples, seed=seed)
    above, below = (
        np.array([math.fsum(values[row] for row in rows) for rows in members])
        for values in (tops, bottoms)
    )
    return shares(above[drawn].sum(axis=1), below[drawn].sum(axis=1))


def bootstrap_interval(
    groups: Labels, statistic: Statistic, *, n_resamples: int = 1000, seed: int
) -> Interval:
    """The interval of a statistic over resampled groups.

    ``statistic`` takes the row numbers of the drawn groups, twice for a group drawn twice. The
    order of the rows does not matter. With one group the interval has no width and says nothing
    about other groups. The bounds are None where the statistic is defined in fewer than half of
    the resamples.
    """
    members = rows_by_group(groups)
    draws = draws_of(len(members), n_resamples=n_resamples, seed=seed)
    values = [statistic(np.concatenate([members[group] for group in drawn])) for drawn in draws]
    estimate = estimate_of_resamples(0.0, np.array(values, dtype=np.float64))  # None becomes NaN
    return Interval(estimate.low, estimate.high)


def estimate_of_resamples(value: float, resampled: Floats) -> Estimate:
    """A value with the percentile interval of its resamples; NaN is undefined.

    The bounds are None where more than half of the resamples are undefined.
    """
    known, low, high = resampled[~np.isnan(resampled)], np.nan, np.nan
    if 0 < len(known) >= len(resampled) / 2:
        low, high = np.quantile(known, _QUANTILES)
    return Estimate(*(None if np.isnan(each) else float(each) for each in (value, low, high)))
