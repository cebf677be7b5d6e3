"""Facet weights from overall ratings: which weighted mean of the facets comes closest to them.

FM (section 4.2) had people rate facets and summaries as a whole, and took the weights that explain
the whole by its parts: .1, .3, .3, .3.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
