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
from itertools import combinations, product
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.stats.bootstrap import drawn_groups, percentile_bounds, rows_by_group, shares
from summeval_pytest.stats.correlation import coefficients_of, drawn_coefficients, drawn_spearmans

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Labels
    from summeval_pytest.stats.correlation import CoefficientName

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


_LEAST = 1e-9
"""A weight is not quite 0, so that a row which has only this facet still has a mean."""
_DIGITS = 8
_STEPS = 10
_N_STARTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedWeights:
    """Weights that explain overall ratings, and what they leave unexplained.

    Attributes:
        weights: One a facet, 0 to 1, in the order of the columns; they sum to 1.
        error: The mean squared difference of the weighted means and the overall ratings.
        n_rows: On how many rows it stands.
    """

    weights: tuple[float, ...]
    error: float
    n_rows: int


def fit_weights(
    shares: Sequence[Sequence[float | None]], overall: Sequence[float]
) -> FittedWeights:
    """The weights w >= 0, sum w = 1, that make the least mean squared error.

        error = mean over rows of (sum over f in A of w_f * share_f / sum over f in A of w_f - y)^2

    ``shares`` has a row a summary and a place a facet: its rating divided by its scale, None for a
    facet that the reference lacks. A holds the facets that are there; the weights of the others are
    shared out among them, as FM does it (metrics.md FM2). ``overall`` has one y a row, in the unit
    of the shares. A row without any facet is left out; a facet that no row has gets weight 0. With
    facets removed there may be more than one minimum: the search starts from the solution of the
    linear problem and from the best of a grid. The same rows in any order give the same digits.

    Source: FM (arXiv 2402.14359), section 4.2.

    Raises:
        ValueError: the lengths differ, a number is not finite, or there are fewer rows than facets.
    """
    y, rows = _checked(shares, overall)
    there: NDArray[np.bool_] = ~np.isnan(rows)
    kept = there.any(axis=1)
    y, rows, there = y[kept], np.nan_to_num(rows[kept]), there[kept]
    n_rows, n_facets = there.shape
    if n_rows < max(1, n_facets):
        raise ValueError(
            f"too few rows to fit {n_facets} weights: {n_rows} with a share and an overall rating;"
            f" give at least {max(1, n_facets)}"
        )
    order = np.lexsort((*np.where(there, rows, -1.0).T, y))
    y, rows, there = y[order], rows[order], there[order]
    used = np.asarray(there.any(axis=0))
    found = _search(rows[:, used], there[:, used], y)
    weights = np.zeros(n_facets)
    weights[used] = found
    return FittedWeights(
        weights=tuple(np.round(weights, _DIGITS).tolist()),
        error=float(np.mean(_residuals(found, rows[:, used], there[:, used], y) ** 2)),
        n_rows=n_rows,
    )


def _checked(
    shares: Sequence[Sequence[float | None]], overall: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if len(shares) != len(overall):
        raise ValueError(
            f"shares has {len(shares)} rows and overall has {len(overall)} ratings; give one a row"
        )
    for row, (values, y) in enumerate(zip(shares, overall, strict=True)):
        if len(values) != len(shares[0]):
            raise ValueError(
                f"row {row} has {len(values)} shares and row 0 has {len(shares[0])}; give one a"
                " facet, None for a facet that is not there"
            )
        if not all(np.isfinite(value) for value in (y, *values) if value is not None):
            raise ValueError(f"row {row} has a number that is not finite; leave the row out")
    rows = [[np.nan if value is None else value for value in values] for values in shares]
    n_facets = len(shares[0]) if shares else 0
    table = np.array(rows, dtype=np.float64).reshape(len(shares), n_facets)
    return np.array(overall, dtype=np.float64), table


def _residuals(
    weights: NDArray[np.float64],
    rows: NDArray[np.float64],
    there: NDArray[np.bool_],
    y: NDArray[np.float64],
) -> NDArray[np.float64]:
    return np.asarray((rows @ weights) / (there @ weights) - y)


def _search(
    rows: NDArray[np.float64], there: NDArray[np.bool_], y: NDArray[np.float64]
) -> NDArray[np.float64]:
    from scipy.optimize import LinearConstraint, minimize, nnls

    def error(weights: NDArray[np.float64]) -> float:
        left = _residuals(weights, rows, there, y)
        return float(left @ left) / len(y)

    def slope(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        left = _residuals(weights, rows, there, y)
        each = (rows - there * (left + y)[:, None]) / (there @ weights)[:, None]
        return np.asarray(2 * (left @ each) / len(y))

    # Multiplied by the weights that a row has, the residual is linear in the weights: 0 where the
    # mean is right. One heavy row more makes them sum to 1.
    linear = np.where(there, rows - y[:, None], 0.0)
    heavy = 1e3 * max(1.0, float(np.abs(linear).max())) * np.sqrt(len(y))
    start, _ = nnls(np.vstack([linear, np.full(rows.shape[1], heavy)]), np.append(0 * y, heavy))
    grid = _normal(_grid(rows.shape[1]))
    errors = [error(weights) for weights in grid]
    starts = [_normal(start), *grid[np.argsort(errors, kind="stable")[:_N_STARTS]]]
    tried = [*starts]
    for first in starts:
        done = minimize(
            error,
            first,
            jac=slope,
            method="SLSQP",
            bounds=[(_LEAST, 1.0)] * rows.shape[1],
            constraints=LinearConstraint(np.ones((1, rows.shape[1])), 1, 1),
            options={"ftol": 1e-15, "maxiter": 500},
        )
        tried.append(_normal(done.x))
    return min(tried, key=error)


def _grid(n_facets: int) -> NDArray[np.float64]:
    """Weights in steps of a tenth, all that sum to 1."""
    every = product(range(_STEPS + 1), repeat=n_facets - 1)
    tenths = [(*some, _STEPS - sum(some)) for some in every if sum(some) <= _STEPS]
    return np.array(tenths) / _STEPS


def _normal(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    kept = np.clip(np.nan_to_num(weights, nan=_LEAST), _LEAST, 1.0)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))
