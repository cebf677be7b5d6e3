"""Facet weights that explain the overall scores of labels best, beside those of FM."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.questions import FACETS, SCALES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.questions import Facet
    from summeval_pytest.study.tables import Row
    from summeval_pytest.suite.labels import Label

    Floats = NDArray[np.float64]


_LEAST: Final = 1e-9
"""A weight is not quite 0, so that a row which has only this facet still has a mean."""
_STEPS: Final = 10


def fit_weights(
    ratings: Sequence[Sequence[float | None]], overall: Sequence[float]
) -> tuple[tuple[float, ...], float]:
    """The weights w >= 0, sum w = 1, of the least mean squared error, and that error.

        error = mean over rows of (sum over f in A of w_f * share_f / sum over f in A of w_f - y)^2

    ``ratings`` has a row a summary and a place a facet: its rating divided by its scale (the share
    of the formula), None for a facet that the reference lacks. A holds the facets that are there;
    the weights of the others are shared out among them, as FM does it (metrics.md FM2). ``overall``
    has one y a row, in the unit of the shares. A facet that no row has gets weight 0. With facets
    removed there may be more than one minimum: the search starts from the best of a grid. The same
    rows in any order give the same digits.

    Source: FM (arXiv 2402.14359), section 4.2.
    """
    y, rows = np.array(overall, dtype=np.float64), np.array(ratings, dtype=np.float64)
    order = np.lexsort((*np.nan_to_num(rows, nan=-1.0).T, y))
    y, rows = y[order], rows[order]  # None has become NaN
    used = ~np.isnan(rows).all(axis=0)
    weights = np.zeros(rows.shape[1])
    weights[used], error = _search(rows[:, used], y)
    return tuple(weights.round(8).tolist()), error


def _search(rows: Floats, y: Floats) -> tuple[Floats, float]:
    from scipy.optimize import LinearConstraint, minimize

    there, values = (~np.isnan(rows)).astype(np.float64), np.nan_to_num(rows)
    n_facets = rows.shape[1]

    def error(weights: Floats) -> float:
        left = (values @ weights) / (there @ weights) - y
        return float(left @ left) / len(y)

    def slope(weights: Floats) -> Floats:
        sizes = there @ weights
        means = (values @ weights) / sizes
        each = (values - there * means[:, np.newaxis]) / sizes[:, np.newaxis]
        return np.asarray(2 * ((means - y) @ each) / len(y))

    def normal(weights: Floats) -> Floats:
        kept = np.clip(np.nan_to_num(weights, nan=_LEAST), _LEAST, 1.0)
        return np.asarray(kept / kept.sum(axis=-1, keepdims=True))

    steps = product(range(_STEPS + 1), repeat=n_facets - 1)
    tenths = [(*some, _STEPS - sum(some)) for some in steps if sum(some) <= _STEPS]
    starts = sorted(normal(np.array(tenths) / _STEPS), key=error)[:4]
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
    best = min([*starts, *map(normal, ends)], key=error)
    return best, error(best)


def fitted_weights(labels: Iterable[Label]) -> Row:
    """A weight by facet, fitted to the labels with an overall score and facets; else the reason.

    ``error`` is the mean squared difference of the weighted means and the overall scores of so
    many ``pairs``.
    """
    rows = [
        ([_share(label, facet) for facet in FACETS], label.overall)
        for label in labels
        if label.overall is not None and any((label.facets or {}).values())
    ]
    if len(rows) < len(FACETS):
        return {
            "reason": f"too few labels with facets and an overall score: {len(rows)};"
            f" {len(FACETS)} weights need at least {len(FACETS)}"
        }
    weights, error = fit_weights([shares for shares, _ in rows], [y for _, y in rows])
    return {**dict(zip(FACETS, weights, strict=True)), "error": error, "pairs": len(rows)}


def _share(label: Label, facet: Facet) -> float | None:
    rating = (label.facets or {}).get(facet)
    return None if rating is None else rating / SCALES[facet]
