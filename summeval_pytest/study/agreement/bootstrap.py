"""95 % percentile intervals by resampling groups, mostly papers.

Every function here draws as many groups as there are, with replacement, from a seeded generator.
They raise a ValueError for fewer resamples than 1 and for a negative seed, and a TypeError for a
seed that is no integer.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.agreement import shares
from summeval_pytest.stats.intervals import Interval

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
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples!r}; draw at least 1")
    # index() refuses None, for which PCG64 would take its seed from the machine.
    generator = Generator(PCG64(operator.index(seed)))
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
    all. The order of the rows does not matter. Empty without rows. A ValueError where the lengths
    differ, or a value is not finite.
    """
    if not len(groups) == len(tops) == len(bottoms):
        raise ValueError(
            f"there are {len(groups)} groups, {len(tops)} tops and {len(bottoms)} bottoms; give one"
            " of each a row"
        )
    if not all(map(math.isfinite, (*tops, *bottoms))):
        raise ValueError("a top or a bottom is not finite; leave its row out")
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

    ``statistic`` takes the row numbers of the drawn groups, twice for a group drawn twice. A
    ValueError where it is not finite. The order of the rows does not matter. With one group the
    interval has no width and says nothing about other groups. The bounds are None where the
    statistic is defined in fewer than half of the resamples.
    """
    members = rows_by_group(groups)
    draws = draws_of(len(members), n_resamples=n_resamples, seed=seed)
    resamples = (np.concatenate([members[group] for group in drawn]) for drawn in draws)
    return _interval(map(statistic, resamples), n_resamples)


def bootstrap_sums(
    counts: NDArray[np.int64],
    figure: Callable[[NDArray[np.int64]], Floats],
    *,
    n_resamples: int = 1000,
    seed: int,
) -> Interval:
    """The interval of a figure of counts that add up over groups.

    It equals `bootstrap_interval` for a statistic of summed counts. ``counts`` has a row a group,
    in the order of their labels. ``figure`` takes the summed counts of each resample in a row and
    gives one number a row, NaN where it is undefined. A ValueError where one is infinite.
    """
    draws = draws_of(len(counts), n_resamples=n_resamples, seed=seed)
    sums = [counts[drawn].sum(axis=0) for drawn in draws]
    values = figure(np.array(sums)) if sums else np.empty(0)
    return _interval((None if np.isnan(v) else float(v) for v in values), n_resamples)


def percentile_bounds(values: Floats, *, n_resamples: int) -> tuple[Floats, Floats]:
    """The bounds of many intervals at once: ``values`` has a resample a row.

    NaN is a resample in which the statistic is undefined. Both bounds are NaN where more than half
    of the resamples are.
    """
    lows, highs = (np.full(values.shape[1:], np.nan) for _ in range(2))
    n_defined = (~np.isnan(values)).sum(axis=0)
    enough = (n_defined > 0) & (2 * n_defined >= n_resamples)
    if enough.any():
        lows[enough], highs[enough] = np.nanquantile(values[:, enough], _QUANTILES, axis=0)
    return lows, highs


def _interval(statistics: Iterable[float | None], n_resamples: int) -> Interval:
    given = list(statistics)
    for value in given:
        if value is not None and not math.isfinite(value):
            raise ValueError(f"the statistic gave {value!r} for a resample; give None if undefined")
    values = np.array(given, dtype=np.float64)[:, np.newaxis]  # None becomes NaN
    (low,), (high,) = percentile_bounds(values, n_resamples=n_resamples)
    return Interval(None, None) if np.isnan(low) else Interval(float(low), float(high))
