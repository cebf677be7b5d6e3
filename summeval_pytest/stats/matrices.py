"""Correlation of every two columns of a table, with intervals over papers: matrices.

Three levels, for they answer three questions. *Over rows* mixes papers of different difficulty.
*Within groups* orders the systems of one paper and takes the mean over papers. *Of means* has one
point a system. All resamples of two columns are computed at once, from how often each group was
drawn, so that a matrix of 25 columns takes seconds; the coefficients are those of `correlation`.

A table has a row a summary and a column a metric, NaN where a metric has no number. Two columns are
compared on the rows that both have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.stats.coefficients import coefficients_of, drawn_coefficients, drawn_spearmans
from summeval_pytest.stats.groups import rows_by_group
from summeval_pytest.stats.ratios import shares
from summeval_pytest.stats.resampling import drawn_groups, percentile_bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from summeval_pytest.stats.coefficients import CoefficientName
    from summeval_pytest.stats.groups import Labels

    Floats = NDArray[np.float64]
    Chosen = NDArray[np.intp]

_CHUNK: Final = 4_000_000
"""Numbers held at once while the means of many resamples are compared."""
_MEAN_DIGITS: Final = 12
"""Means that differ by the order of their sums only are tied."""


@dataclass(frozen=True, slots=True)
class Resamples:
    """How many resamples are drawn, at least 1, and from which seed."""

    n: int
    seed: int

    def __post_init__(self) -> None:
        if self.n < 1 or self.seed < 0:
            raise ValueError(f"{self!r}: give n of at least 1 and a seed of 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The correlation of every two columns; every array is square, NaN where undefined.

    Attributes:
        values: -1 to 1.
        lows: The lower bounds of the 95 % intervals over groups.
        highs: The upper bounds.
        n: On how many rows, groups or systems each value stands.
    """

    values: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    n: NDArray[np.int64]


def matrix_over_rows(
    table: Floats, groups: Labels, name: CoefficientName, resamples: Resamples
) -> Matrix:
    """The coefficient over all rows that two columns share; whole groups are resampled.

    For each two columns what the coefficient and `bootstrap_interval` give on those rows.
    """
    n_columns = table.shape[1]
    there = ~np.isnan(table)
    found = _empty(n_columns)
    done = _ranked_together(table, groups, resamples) if name == "spearman" else {}
    order_of = {label: place for place, label in enumerate(sorted(set(groups)))}
    codes = np.array([order_of[label] for label in groups], dtype=np.intp)
    for a, b in combinations(range(n_columns), 2):
        both = there[:, a] & there[:, b]
        drawn = done.get((a, b))
        if drawn is None:
            order, sizes = _grouped(codes[both])
            counts = _counts(len(sizes), resamples)
            x, y = table[both, a][order], table[both, b][order]
            drawn = drawn_coefficients(name, x, y, sizes, counts)
        low, high = percentile_bounds(drawn[1:, np.newaxis], n_resamples=resamples.n)
        _put(found, a, b, drawn[0], float(low[0]), float(high[0]), int(both.sum()))
    _fill_diagonal(found, table)
    return found


def _ranked_together(
    table: Floats, groups: Labels, resamples: Resamples
) -> dict[tuple[int, int], Floats]:
    """Spearman's rho of every two columns without gaps, each ranked once in a resample."""
    whole = np.flatnonzero(~np.isnan(table).any(axis=0)).tolist()
    if not whole:
        return {}
    order, sizes = _grouped(groups)
    counts = _counts(len(sizes), resamples)
    of_group = np.repeat(np.arange(len(sizes)), sizes)
    step = max(1, _CHUNK // max(1, table.shape[0] * len(whole)))
    parts = [
        drawn_spearmans(table[order][:, whole], of_group, counts[start : start + step])
        for start in range(0, len(counts), step)
    ]
    drawn = np.concatenate(parts)
    places = range(len(whole))
    return {(whole[a], whole[b]): drawn[:, a, b] for a, b in combinations(places, 2)}


def _grouped(groups: Labels) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows with those of a group together, and how many each group has."""
    members = rows_by_group(groups)
    order = np.concatenate(members) if members else np.empty(0, dtype=np.intp)
    return order, np.array([len(rows) for rows in members], dtype=np.intp)


@lru_cache(maxsize=8)
def _counts(n_groups: int, resamples: Resamples) -> Floats:
    """How often each group is drawn, a row a resample after a first row for the sample itself."""
    draws = drawn_groups(n_groups, n_resamples=resamples.n, seed=resamples.seed)
    counts = np.ones((len(draws) + 1, n_groups))
    for row, drawn in enumerate(draws, start=1):
        counts[row] = np.bincount(drawn, minlength=n_groups)
    counts.flags.writeable = False
    return counts


def matrix_within(
    table: Floats, groups: Labels, name: CoefficientName, resamples: Resamples
) -> Matrix:
    """The mean of the coefficient within each group, over the groups where it is defined.

    It is taken over the rows that two columns share, with the interval of `bootstrap_mean`.
    """
    members = rows_by_group(groups)
    every = np.array([_of_columns(table[rows], name) for rows in members])
    every = every.reshape(len(members), table.shape[1], table.shape[1])
    draws = drawn_groups(len(members), n_resamples=resamples.n, seed=resamples.seed)
    known = np.sort(every, axis=0)  # NaN last, as `bootstrap_mean` draws them
    n_defined = (~np.isnan(every)).sum(axis=0)
    found = _empty(table.shape[1])
    for a in range(table.shape[1]):
        means = _means(known[draws, a], axis=1)
        found.lows[a], found.highs[a] = percentile_bounds(means, n_resamples=resamples.n)
    found.values[:] = _means(known, axis=0)
    found.n[:] = n_defined

    def again(rows: Chosen, columns: list[int]) -> Matrix:
        return matrix_within(table[rows][:, columns], _at(groups, rows), name, resamples)

    _redo(found, table, members, again)
    return found


def matrix_of_means(
    table: Floats,
    groups: Labels,
    systems: Labels,
    name: CoefficientName,
    resamples: Resamples,
) -> Matrix:
    """The coefficient of systems, each one point: its means over the rows that two columns share.

    A resample draws groups in which they share a row, and takes the means of the systems again.
    """
    members = rows_by_group(groups)
    n_columns, of_systems = table.shape[1], rows_by_group(systems)
    sums = np.zeros((len(members), n_columns, n_columns, len(of_systems)))
    sizes = np.zeros_like(sums)
    there = ~np.isnan(table)
    values = np.where(there, table, 0.0)
    for place, rows in enumerate(members):
        for system, its in enumerate(of_systems):
            taken = np.intersect1d(rows, its)
            sums[place, :, :, system] = values[taken].T @ there[taken]
            sizes[place, :, :, system] = there[taken].T.astype(float) @ there[taken]
    draws = drawn_groups(len(members), n_resamples=resamples.n, seed=resamples.seed)
    held = n_columns**2 * len(of_systems) * (len(of_systems) + len(members))
    step = max(1, _CHUNK // max(1, held))
    drawn = [
        _of_means(sums[some].sum(axis=1), sizes[some].sum(axis=1), name)
        for some in (draws[start : start + step] for start in range(0, len(draws), step))
    ]
    found = _empty(n_columns)
    found.values[:] = _of_means(sums.sum(axis=0), sizes.sum(axis=0), name)
    if drawn:
        bounds = percentile_bounds(np.concatenate(drawn), n_resamples=resamples.n)
        found.lows[:], found.highs[:] = bounds
    found.n[:] = (sizes.sum(axis=0) > 0).sum(axis=-1)

    def again(rows: Chosen, columns: list[int]) -> Matrix:
        few, of_them = table[rows][:, columns], (_at(groups, rows), _at(systems, rows))
        return matrix_of_means(few, *of_them, name, resamples)

    _redo(found, table, members, again)
    return found


def _redo(
    found: Matrix,
    table: Floats,
    members: tuple[NDArray[np.intp], ...],
    again: Callable[[Chosen, list[int]], Matrix],
) -> None:
    """Two columns that share no row of some group are compared anew: it is not theirs to draw."""
    there = ~np.isnan(table)
    shared = [there[rows].T.astype(int) @ there[rows] > 0 for rows in members]
    apart = ~np.all(shared, axis=0) if shared else np.zeros(found.n.shape, dtype=bool)
    for a, b in zip(*np.nonzero(np.triu(apart)), strict=True):
        two = again(np.flatnonzero(there[:, a] & there[:, b]), [int(a), int(b)])
        every = (two.values, two.lows, two.highs, two.n)
        _put(found, int(a), int(b), *(array[0, 1] for array in every))


def _at(labels: Labels, rows: Chosen) -> list[str] | list[int]:
    every = list(labels)
    return [every[row] for row in rows]


def _of_means(sums: Floats, sizes: Floats, name: CoefficientName) -> Floats:
    means: Floats = np.zeros(sums.shape)
    np.divide(sums, sizes, out=means, where=sizes > 0)
    return coefficients_of(name, means.round(_MEAN_DIGITS), sizes > 0)


def _of_columns(rows: Floats, name: CoefficientName) -> Floats:
    """The coefficient of every two columns over the rows that both have."""
    there = ~np.isnan(rows).T
    both = there[:, np.newaxis] & there[np.newaxis]
    values = np.broadcast_to(np.nan_to_num(rows.T)[:, np.newaxis], both.shape)
    return coefficients_of(name, values, both)


def _means(values: Floats, axis: int) -> Floats:
    defined = ~np.isnan(values)
    n_defined = defined.sum(axis=axis)
    return shares(np.nansum(values, axis=axis), n_defined)


def _empty(n_columns: int) -> Matrix:
    shape = (n_columns, n_columns)
    return Matrix(
        values=np.full(shape, np.nan),
        lows=np.full(shape, np.nan),
        highs=np.full(shape, np.nan),
        n=np.zeros(shape, dtype=np.int64),
    )


def _put(found: Matrix, a: int, b: int, *cell: float) -> None:
    for array, value in zip((found.values, found.lows, found.highs, found.n), cell, strict=True):
        array[a, b] = array[b, a] = value


def _fill_diagonal(found: Matrix, table: Floats) -> None:
    """A column goes with itself wherever it has two values that differ."""
    for column in range(table.shape[1]):
        known = table[~np.isnan(table[:, column]), column]
        one = 1.0 if len(np.unique(known)) > 1 else np.nan
        _put(found, column, column, one, one, one, len(known))
