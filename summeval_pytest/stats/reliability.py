"""Reliability of two raters over the same units: Krippendorff's alpha and ICC(2,1).

Where `agreement` counts how often two raters agree, these ask what a rating is worth: ICC(2,1) also
charges a rater who is stricter than the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
_LEVELS = frozenset({"nominal", "ordinal", "interval"})
_NOTHING = 1e-12
"""A sum of squares below this share of all of it is what rounding has left of none."""


def alphas_of(
    tables: NDArray[np.int64], *, categories: Sequence[float], level: Level
) -> NDArray[np.float64]:
    """Krippendorff's alpha of each confusion matrix of a stack, NaN where it is undefined.

    ``tables`` has shape (..., k, k): how often one rater said the row and the other the column, the
    k categories in rising order. At most 1, higher is better: 0 is the agreement of chance.
    alpha = 1 - D_o / D_e, with

        D_o = sum o[c,k] * d(c,k)
        D_e = sum n[c] * n[k] * d(c,k) / (n - 1)

    over all categories c and k; o counts pairs of ratings within units, both ways; n[c] sums a row
    of o, n all of it. The distance d(c,k) is 1 where c differs from k (nominal), (c - k)^2
    (interval), or the square of how many ratings lie from c to k, those of c and of k counted half
    (ordinal). Undefined where all ratings are equal, or there are none.

    Source: Krippendorff 2004, Content Analysis, 2nd edition, section 11.3.

    Raises:
        ValueError: the level is unknown.
    """
    if level not in _LEVELS:
        raise ValueError(f"level is {level!r}; choose 'nominal', 'ordinal' or 'interval'")
    coincidences = (tables + np.swapaxes(tables, -1, -2)).astype(np.float64)
    margins = coincidences.sum(axis=-1)
    distances = _distances(margins, np.array(categories, dtype=np.float64), level)
    n_ratings = margins.sum(axis=-1)
    observed = (coincidences * distances).sum(axis=(-1, -2)) * (n_ratings - 1)
    expected = (margins[..., :, None] * margins[..., None, :] * distances).sum(axis=(-1, -2))
    alphas: NDArray[np.float64] = np.full(np.shape(expected), np.nan)
    np.divide(expected - observed, expected, out=alphas, where=expected > 0)
    return alphas


def _distances(
    margins: NDArray[np.float64], values: NDArray[np.float64], level: Level
) -> NDArray[np.float64]:
    """The squared distance of each two categories; an ordinal one depends on the margins."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    middles = np.cumsum(margins, axis=-1) - margins / 2
    return np.asarray((middles[..., :, None] - middles[..., None, :]) ** 2)


def iccs_of(tables: NDArray[np.int64], *, categories: Sequence[float]) -> NDArray[np.float64]:
    """ICC(2,1) of each confusion matrix of a stack, NaN where it is undefined.

    ``tables`` has shape (..., k, k), as for `alphas_of`. At most 1, higher is better: absolute
    agreement; the raters are taken for two of many, and the figure is about one of them. With the
    mean squares of n targets, of raters and of the error,

        ICC(2,1) = (MS_t - MS_e) / (MS_t + MS_e + 2 * (MS_r - MS_e) / n)

    Undefined for fewer than two targets, and where neither targets nor raters differ.

    Source: Shrout and Fleiss 1979, case 2, a single rater.
    """
    values = np.array(categories, dtype=np.float64)
    n_targets = tables.sum(axis=(-1, -2)).astype(np.float64)
    row = (tables.sum(axis=-1) * values).sum(axis=-1)
    column = (tables.sum(axis=-2) * values).sum(axis=-1)
    squares = (tables * (values[:, None] ** 2 + values[None, :] ** 2)).sum(axis=(-1, -2))
    sums = (tables * (values[:, None] + values[None, :]) ** 2).sum(axis=(-1, -2))
    with np.errstate(invalid="ignore", divide="ignore"):
        correction = (row + column) ** 2 / (2 * n_targets)
        raters = (row**2 + column**2) / n_targets - correction
        total, targets = squares - correction, sums / 2 - correction
        error = np.maximum(total - targets - raters, 0) / (n_targets - 1)
        of_targets = targets / (n_targets - 1)
        below = of_targets + error + 2 * (raters - error) / n_targets
        is_defined = below * (n_targets - 1) > _NOTHING * total
    iccs: NDArray[np.float64] = np.full(np.shape(total), np.nan)
    np.divide(of_targets - error, below, out=iccs, where=is_defined)
    return iccs
