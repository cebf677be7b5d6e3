"""Facet weights that explain the overall scores of labels best, beside those of FM."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.questions import Facet
    from summeval_pytest.suite.labels import Label

    Floats = NDArray[np.float64]


_LEAST: Final = 1e-9
"""A weight is not quite 0, so that a row which has only this facet still has a mean."""
_STEPS: Final = 10


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


def fitted_weights(labels: Iterable[Label], scales: Mapping[Facet, int]) -> FittedWeights | str:
    """Facet weights from the labels that state both an overall score and facets; else why not.

    The weights are in the order of the scales.
    """
    rows = [
        ([_share(label, facet, scale) for facet, scale in scales.items()], label.overall)
        for label in labels
        if label.overall is not None and any((label.facets or {}).values())
    ]
    if len(rows) < len(scales):
        return (
            f"too few labels with facets and an overall score: {len(rows)}; {len(scales)} weights"
            f" need at least {len(scales)}"
        )
    return fit_weights([shares for shares, _ in rows], [overall for _, overall in rows])


def _share(label: Label, facet: Facet, scale: int) -> float | None:
    rating = (label.facets or {}).get(facet)
    return None if rating is None else rating / scale
