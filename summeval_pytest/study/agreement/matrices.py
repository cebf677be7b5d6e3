"""Correlation of every two columns of a table with intervals over papers, and fitted weights.

Three levels, for they answer three questions. *Over rows* mixes papers of different difficulty.
*Within groups* orders the systems of one paper and takes the mean over papers. *Of means* has one
point a system.

A table has a row a summary and a column a metric, NaN where a metric has no number. Two columns are
compared on the rows that both have.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from summeval_pytest.stats.bootstrap import drawn_groups, percentile_bounds, shares
from summeval_pytest.study.agreement.correlations import (
    drawn_coefficients,
    group_codes,
    group_counts,
    stacked_coefficients,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Labels, Rows
    from summeval_pytest.study.agreement.correlations import CoefficientName

    Floats = NDArray[np.float64]

Cell: TypeAlias = "tuple[float, Floats, int]"
"""A value of two columns, that of each resample, and on how many rows, groups or systems."""

_MEAN_DIGITS: Final = 12
"""Means that differ by the order of their sums only are tied."""
_LEAST: Final = 1e-9
"""A weight is not quite 0, so that a row which has only this facet still has a mean."""
_STEPS: Final = 10


@dataclass(frozen=True, slots=True)
class Resamples:
    """How many resamples are drawn, at least 1, and from which seed."""

    n: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The correlation of every two columns; every array is square, NaN where undefined.

    Values, the bounds of their 95 % intervals over groups, and on how many rows, groups or systems
    each value stands.
    """

    values: Floats
    lows: Floats
    highs: Floats
    n: NDArray[np.int64]


def matrix_over_rows(
    table: Floats, groups: Labels, name: CoefficientName, resamples: Resamples
) -> Matrix:
    """The coefficient over all rows that two columns share; whole groups are resampled."""

    def cell(x: Floats, y: Floats, rows: Rows) -> Cell:
        codes, n_groups = _codes(groups, rows)
        whole = drawn_coefficients(name, x, y, codes, np.ones((1, n_groups)))[0]
        counts = group_counts(n_groups, n_resamples=resamples.n, seed=resamples.seed)
        return whole, drawn_coefficients(name, x, y, codes, counts), len(rows)

    found = _each_two(table, cell, resamples)
    for column, values in enumerate(table.T):
        known = values[~np.isnan(values)]
        itself = 1.0 if len(np.unique(known)) > 1 else np.nan
        for array in (found.values, found.lows, found.highs):
            array[column, column] = itself
        found.n[column, column] = len(known)
    return found


def matrix_within(
    table: Floats, groups: Labels, name: CoefficientName, resamples: Resamples
) -> Matrix:
    """The mean of the coefficient within each group, over the groups where it is defined.

    It is taken over the rows that two columns share, with the interval of `bootstrap_mean`.
    """

    def cell(x: Floats, y: Floats, rows: Rows) -> Cell:
        codes, n_groups = _codes(groups, rows)
        # Each group alone is a resample that draws it once and no other.
        within = np.sort(drawn_coefficients(name, x, y, codes, np.eye(n_groups)))
        draws = drawn_groups(n_groups, n_resamples=resamples.n, seed=resamples.seed)
        return _mean(within), _mean(within[draws]), int((~np.isnan(within)).sum())

    return _each_two(table, cell, resamples, diagonal=True)


def matrix_of_means(
    table: Floats, groups: Labels, systems: Labels, name: CoefficientName, resamples: Resamples
) -> Matrix:
    """The coefficient of systems, each one point: its means over the rows that two columns share.

    A resample draws groups in which they share a row, and takes the means of the systems again.
    """

    def cell(x: Floats, y: Floats, rows: Rows) -> Cell:
        codes, n_groups = _codes(groups, rows)
        numbers, n_systems = _codes(systems, rows)
        sums = np.zeros((3, n_groups, n_systems))
        for held, values in zip(sums, (x, y, np.ones_like(x)), strict=True):
            np.add.at(held, (codes, numbers), values)
        counts = group_counts(n_groups, n_resamples=resamples.n, seed=resamples.seed)
        counts = np.vstack([np.ones((1, n_groups)), counts])
        of_x, of_y, sizes = counts @ sums
        means = (shares(of, sizes).round(_MEAN_DIGITS) for of in (of_x, of_y))
        found = stacked_coefficients(name, *means)
        return found[0], found[1:], n_systems

    return _each_two(table, cell, resamples, diagonal=True)


def _each_two(
    table: Floats,
    cell: Callable[[Floats, Floats, Rows], Cell],
    resamples: Resamples,
    *,
    diagonal: bool = False,
) -> Matrix:
    """Every two columns on the rows that both have; on the diagonal a column with itself."""
    shape = (table.shape[1], table.shape[1])
    lows, highs, values = (np.full(shape, np.nan) for _ in range(3))
    found = Matrix(values=values, lows=lows, highs=highs, n=np.zeros(shape, dtype=np.int64))
    for a, b in combinations_with_replacement(range(table.shape[1]), 2):
        rows = np.flatnonzero(~np.isnan(table[:, a] + table[:, b]))
        if not len(rows) or (a == b and not diagonal):
            continue
        value, drawn, n = cell(table[rows, a], table[rows, b], rows)
        low, high = percentile_bounds(drawn[:, np.newaxis], n_resamples=resamples.n)
        for at in ((a, b), (b, a)):
            values[at], lows[at], highs[at], found.n[at] = value, low[0], high[0], n
    return found


def _codes(labels: Labels, rows: Rows) -> tuple[Rows, int]:
    every = list(labels)
    return group_codes([every[row] for row in rows])


def _mean(values: Floats) -> Any:
    """The mean of what is known along the last axis; NaN where nothing is."""
    return shares(np.nansum(values, axis=-1), (~np.isnan(values)).sum(axis=-1))


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedWeights:
    """Weights that explain overall ratings: one a facet, 0 to 1, which sum to 1.

    ``error`` is the mean squared difference of the weighted means and the overall ratings.
    """

    weights: tuple[float, ...]
    error: float
    n_rows: int


def fit_weights(
    ratings: Sequence[Sequence[float | None]], overall: Sequence[float]
) -> FittedWeights:
    """The weights w >= 0, sum w = 1, that make the least mean squared error.

        error = mean over rows of (sum over f in A of w_f * share_f / sum over f in A of w_f - y)^2

    ``ratings`` has a row a summary and a place a facet: its rating divided by its scale (the share
    of the formula), None for a facet that the reference lacks. A holds the facets that are there;
    the weights of the others are shared out among them, as FM does it (metrics.md FM2). ``overall``
    has one y a row, in the unit of the shares. A row without any facet is left out; a facet that no
    row has gets weight 0. With facets removed there may be more than one minimum: the search starts
    from the best of a grid. The same rows in any order give the same digits. A ValueError where the
    lengths differ, or there are fewer rows than facets.

    Source: FM (arXiv 2402.14359), section 4.2.
    """
    y = np.array(overall, dtype=np.float64)
    rows = np.array(ratings, dtype=np.float64).reshape(len(y), -1)  # None becomes NaN
    kept = ~np.isnan(rows).all(axis=1)
    y, rows = y[kept], rows[kept]
    n_rows, n_facets = rows.shape
    if n_rows < max(1, n_facets):
        raise ValueError(
            f"too few rows to fit {n_facets} weights: {n_rows} with a share and an overall rating;"
            f" give at least {max(1, n_facets)}"
        )
    order = np.lexsort((*np.nan_to_num(rows, nan=-1.0).T, y))
    y, rows = y[order], rows[order]
    used = ~np.isnan(rows).all(axis=0)
    found, error = _search(rows[:, used], y)
    weights = np.zeros(n_facets)
    weights[used] = found
    return FittedWeights(weights=tuple(weights.round(8).tolist()), error=error, n_rows=n_rows)


def _search(rows: Floats, y: Floats) -> tuple[Floats, float]:
    """The weights of the least mean squared error, and that error."""
    from scipy.optimize import LinearConstraint, minimize

    there = (~np.isnan(rows)).astype(np.float64)
    values = np.nan_to_num(rows)

    def error(weights: Floats) -> float:
        left = (values @ weights) / (there @ weights) - y
        return float(left @ left) / len(y)

    def slope(weights: Floats) -> Floats:
        sizes = there @ weights
        means = (values @ weights) / sizes
        each = (values - there * means[:, np.newaxis]) / sizes[:, np.newaxis]
        return np.asarray(2 * ((means - y) @ each) / len(y))

    n_facets = rows.shape[1]
    steps = product(range(_STEPS + 1), repeat=n_facets - 1)
    tenths = [(*some, _STEPS - sum(some)) for some in steps if sum(some) <= _STEPS]
    grid = _normal(np.array(tenths) / _STEPS)
    starts = sorted(grid, key=error)[:4]
    ends = [
        minimize(
            error,
            start,
            jac=slope,
            method="SLSQP",
            bounds=[(_LEAST, 1.0)] * n_facets,
            constraints=LinearConstraint(np.ones((1, n_facets)), 1, 1),
            options={"ftol": 1e-15, "maxiter": 500},
        ).x
        for start in starts
    ]
    best = min([*starts, *map(_normal, ends)], key=error)
    return best, error(best)


def _normal(weights: Floats) -> Floats:
    kept = np.clip(np.nan_to_num(weights, nan=_LEAST), _LEAST, 1.0)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))
