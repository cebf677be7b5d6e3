"""Rows that belong together: the summaries of one paper are not independent of each other."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.random import PCG64, Generator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray


Labels: TypeAlias = "Sequence[str] | Sequence[int] | NDArray[np.intp]"
"""The group of each row, for instance its paper's id."""


def rows_by_group(groups: Labels) -> tuple[NDArray[np.intp], ...]:
    """The row numbers of each group, groups sorted by label, rows in the order given.

    Sorting makes what follows independent of the order in which the groups first occur.
    """
    members: dict[str | int, list[int]] = {}
    for row, label in enumerate(groups):
        members.setdefault(label, []).append(row)
    return tuple(np.array(members[label], dtype=np.intp) for label in sorted(members))


def shares(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Part / whole, entry by entry; NaN where the whole is 0."""
    found: NDArray[np.float64] = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=found, where=whole != 0)
    return found


def resampled_ratios(
    groups: Labels,
    tops: Sequence[float],
    bottoms: Sequence[float],
    *,
    n_resamples: int = 1000,
    seed: int,
) -> NDArray[np.float64]:
    """Sum of tops / sum of bottoms in each resample of groups; NaN where the bottoms add up to 0.

    One row a pair: its group, its part above the line and its part below. A mean is the ratio of
    values to ones; a rate over sentences that of unsupported sentences to all. A resample draws as
    many groups as there are, with replacement, and takes all rows of each. Groups are drawn in the
    order of their labels, so the order of the rows does not matter. Empty where there is no row.

    Raises:
        ValueError: the lengths differ, a value is not finite, n_resamples is below 1, or seed is
            negative.
        TypeError: seed is no integer.
    """
    if not len(groups) == len(tops) == len(bottoms):
        raise ValueError(
            f"there are {len(groups)} groups, {len(tops)} tops and {len(bottoms)} bottoms; give one"
            " of each a row"
        )
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples!r}; draw at least 1")
    if not all(map(math.isfinite, (*tops, *bottoms))):
        raise ValueError("a top or a bottom is not finite; leave its row out")
    generator = Generator(PCG64(operator.index(seed)))
    if not len(groups):
        return np.empty(0)
    members = rows_by_group(groups)
    above, below = (
        np.array([math.fsum(values[row] for row in rows) for rows in members])
        for values in (tops, bottoms)
    )
    drawn = generator.integers(len(members), size=(n_resamples, len(members)), dtype=np.intp)
    sums = below[drawn].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios: NDArray[np.float64] = np.where(sums == 0, np.nan, above[drawn].sum(axis=1) / sums)
    return ratios


Rows: TypeAlias = "NDArray[np.intp]"
"""Row numbers, or a group number for each row."""

Statistic: TypeAlias = Callable[["Rows", "Rows"], float | None]
"""From the rows of a resample and the group number of each to a number; None if undefined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Both bounds of an interval, or neither, and on how many defined resamples it stands."""

    low: float | None
    high: float | None
    n_defined: int

    def __post_init__(self) -> None:
        if self.n_defined < 0:
            raise ValueError(f"n_defined is {self.n_defined!r}; a count is not negative")
        if self.low is None or self.high is None:
            if self.low is not self.high:
                raise ValueError(f"low is {self.low!r} and high is {self.high!r}; give both")
        elif not self.low <= self.high:
            raise ValueError(f"low is {self.low!r}, not at most high, which is {self.high!r}")


def bootstrap_interval(
    groups: Labels,
    statistic: Statistic,
    *,
    n_resamples: int = 1000,
    level: float = 0.95,
    seed: int,
) -> Interval:
    """The percentile interval of a statistic over resampled groups.

    ``groups`` labels each row. ``statistic(rows, copies)`` is called once a resample with two
    arrays of one length: the row numbers, with repetition, and the number of the drawn group each
    belongs to, 0 to n - 1. A group drawn twice has two numbers, so a statistic computed within
    groups groups by ``copies`` and meets each copy as a group of its own.

    Groups are drawn in the order of their labels: the order of the rows does not matter, and new
    labels change nothing as long as they sort alike. With one group every resample is the sample,
    so the interval has no width and says nothing about other groups.

    The bounds are None where the statistic is defined in fewer than half of the resamples.

    Raises:
        ValueError: n_resamples is below 1, level is not between 0 and 1, seed is negative, or the
            statistic is not finite.
        TypeError: seed is no integer.
    """
    members = rows_by_group(groups)
    sizes = np.array([len(rows) for rows in members], dtype=np.intp)
    numbers = np.arange(len(members), dtype=np.intp)

    def values() -> Iterator[float | None]:
        for drawn in _draws(len(members), n_resamples, seed):
            rows = np.concatenate([members[group] for group in drawn])
            yield statistic(rows, np.repeat(numbers, sizes[drawn]))

    return _percentile_interval(values(), n_resamples=n_resamples, level=level)


def bootstrap_mean(
    values: Sequence[float | None],
    *,
    n_resamples: int = 1000,
    level: float = 0.95,
    seed: int,
) -> Interval:
    """The percentile interval of the mean of one value a group, over resampled groups.

    What `bootstrap_interval` gives for a mean over groups, without computing any group's value
    again. A group without a value is drawn like any other and left out of its resample's mean; a
    resample of such groups only is undefined. The order of the values does not matter: they are
    drawn from smallest to largest, None last.

    Raises:
        ValueError: a value is not finite, n_resamples is below 1, level is not between 0 and 1, or
            seed is negative.
        TypeError: seed is no integer.
    """
    for group, value in enumerate(values):
        if value is not None and not math.isfinite(value):
            raise ValueError(f"values[{group}] is {value!r}; give None for a group without a value")
    known = np.array(sorted(value for value in values if value is not None), dtype=np.float64)

    def means() -> Iterator[float | None]:
        for drawn in _draws(len(values), n_resamples, seed):
            taken = known[drawn[drawn < len(known)]]
            yield float(taken.mean()) if len(taken) else None

    return _percentile_interval(means(), n_resamples=n_resamples, level=level)


def bootstrap_sums(
    counts: NDArray[np.int64],
    figure: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    *,
    n_resamples: int = 1000,
    level: float = 0.95,
    seed: int,
) -> Interval:
    """The percentile interval of a figure of counts that add up over groups.

    What `bootstrap_interval` gives for a statistic of summed counts, without counting again:
    ``counts`` has a row a group, in the order of their labels; ``figure`` is called once, with the
    summed counts of each resample in a row, and gives one number a row, NaN where it is undefined.

    Raises:
        ValueError: n_resamples is below 1, level is not between 0 and 1, seed is negative, or the
            figure is infinite.
        TypeError: seed is no integer.
    """
    sums = [counts[drawn].sum(axis=0) for drawn in _draws(len(counts), n_resamples, seed)]
    values = figure(np.array(sums)) if sums else np.empty(0)
    defined = (None if math.isnan(value) else float(value) for value in values)
    return _percentile_interval(defined, n_resamples=n_resamples, level=level)


def drawn_groups(n_groups: int, *, n_resamples: int, seed: int) -> Rows:
    """The group numbers that each resample draws, a row a resample: those of every function here.

    No group gives no resample.

    Raises:
        ValueError: seed is negative.
        TypeError: seed is no integer.
    """
    drawn = list(_draws(n_groups, n_resamples, seed))
    return np.array(drawn, dtype=np.intp).reshape(len(drawn), n_groups)


def percentile_bounds(
    values: NDArray[np.float64], *, n_resamples: int, level: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The bounds of many percentile intervals at once: ``values`` has a resample a row.

    What every function here takes for an interval of each column, NaN for a resample in which the
    statistic is undefined. Both bounds are NaN where more than half of the resamples are.
    """
    lows, highs = (np.full(values.shape[1:], np.nan) for _ in range(2))
    n_defined = (~np.isnan(values)).sum(axis=0)
    enough = (n_defined > 0) & (2 * n_defined >= n_resamples)
    if enough.any():
        shares = [(1 - level) / 2, (1 + level) / 2]
        lows[enough], highs[enough] = np.nanquantile(values[:, enough], shares, axis=0)
    return lows, highs


def _draws(n_groups: int, n_resamples: int, seed: int) -> Iterator[Rows]:
    # index() refuses None, for which PCG64 would take its seed from the machine.
    generator = Generator(PCG64(operator.index(seed)))
    if n_groups:
        for _ in range(n_resamples):
            yield generator.integers(n_groups, size=n_groups, dtype=np.intp)


def _percentile_interval(
    statistics: Iterable[float | None], *, n_resamples: int, level: float
) -> Interval:
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples!r}; draw at least 1")
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}; choose a share between 0 and 1, such as 0.95")
    defined = [value for value in statistics if value is not None]
    for value in defined:
        if not math.isfinite(value):
            raise ValueError(f"the statistic gave {value!r} for a resample; give None if undefined")
    if not defined or 2 * len(defined) < n_resamples:
        return Interval(low=None, high=None, n_defined=len(defined))
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(low=float(low), high=float(high), n_defined=len(defined))
