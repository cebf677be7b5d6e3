"""Reliability of several raters over the same units: Krippendorff's alpha and ICC(2,1).

Where `agreement` sets two raters beside each other, these ask what a rating is worth: alpha allows
any number of raters and gaps, ICC(2,1) also charges a rater who is stricter than the others.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
_LEVELS = frozenset({"nominal", "ordinal", "interval"})
_NOTHING = 1e-12
"""A sum of squares below this share of all of it is what rounding has left of none."""


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | None]], level: Level = "nominal"
) -> float | None:
    """Krippendorff's alpha, at most 1, higher is better: 0 is the agreement of chance.

    ``ratings`` has a row a unit and a place a rater, None where that rater gave none. A unit with
    fewer than two ratings says nothing. alpha = 1 - D_o / D_e, with

        D_o = sum o[c,k] * d(c,k)
        D_e = sum n[c] * n[k] * d(c,k) / (n - 1)

    over all values c and k; o counts pairs of ratings within units, each unit's divided by its
    number of ratings less 1; n[c] sums a row of o, n all of it. The distance d(c,k) is 1 where c
    differs from k (nominal), (c - k)^2 (interval), or the square of how many ratings lie from c to
    k, those of c and of k counted half (ordinal).

    None where no unit has two ratings, and where all of those ratings are equal.

    Source: Krippendorff 2004, Content Analysis, 2nd edition, section 11.3.

    Raises:
        ValueError: the level is unknown, rows differ in length, or a rating is not finite.
    """
    _check_level(level)
    _check_rows(ratings)
    said = [[rating for rating in unit if rating is not None] for unit in ratings]
    said = [unit for unit in said if len(unit) > 1]
    values = sorted({rating for unit in said for rating in unit})
    place = {value: index for index, value in enumerate(values)}
    # Whole counts by the number of ratings, divided at the end: no order of units moves a digit.
    counts: defaultdict[int, NDArray[np.int64]] = defaultdict(
        lambda: np.zeros((len(values), len(values)), dtype=np.int64)
    )
    for unit in said:
        times = np.bincount([place[rating] for rating in unit], minlength=len(values))
        counts[len(unit)] += np.outer(times, times) - np.diag(times)
    coincidences = np.zeros((len(values), len(values)))
    for n_ratings in sorted(counts):
        coincidences += counts[n_ratings] / (n_ratings - 1)
    alpha = float(_alphas(coincidences, np.array(values, dtype=np.float64), level))
    return None if np.isnan(alpha) else alpha


def alphas_of(
    tables: NDArray[np.int64], *, categories: Sequence[float], level: Level
) -> NDArray[np.float64]:
    """Krippendorff's alpha of each confusion matrix of a stack, NaN where it is undefined.

    ``tables`` has shape (..., k, k): how often one rater said the row and the other the column, the
    k categories in rising order. What `krippendorff_alpha` gives for two raters without gaps.

    Raises:
        ValueError: the level is unknown.
    """
    _check_level(level)
    coincidences = (tables + np.swapaxes(tables, -1, -2)).astype(np.float64)
    return _alphas(coincidences, np.array(categories, dtype=np.float64), level)


def _alphas(
    coincidences: NDArray[np.float64], values: NDArray[np.float64], level: Level
) -> NDArray[np.float64]:
    margins = coincidences.sum(axis=-1)
    distances = _distances(margins, values, level)
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


def icc_2_1(table: Sequence[Sequence[float]]) -> float | None:
    """The intraclass correlation ICC(2,1), at most 1, higher is better: absolute agreement.

    ``table`` has a row a target and a place a rater, without gaps; the raters are taken for some of
    many, and the figure is about one of them. With the mean squares of targets, raters and error,

        ICC(2,1) = (MS_t - MS_e) / (MS_t + (k - 1) * MS_e + k * (MS_r - MS_e) / n)

    for n targets and k raters. None for fewer than two of either, and where the denominator is 0:
    neither targets nor raters differ.

    Source: Shrout and Fleiss 1979, case 2, a single rater.

    Raises:
        ValueError: rows differ in length, or a rating is not finite.
    """
    _check_rows(table)
    ratings = np.array(table, dtype=np.float64)
    if ratings.ndim < 2 or min(ratings.shape) < 2:  # noqa: PLR2004
        return None
    n_targets, n_raters = ratings.shape
    mean = ratings.mean()
    icc = float(
        _icc(
            n_targets,
            n_raters,
            total=((ratings - mean) ** 2).sum(),
            targets=n_raters * ((ratings.mean(axis=1) - mean) ** 2).sum(),
            raters=n_targets * ((ratings.mean(axis=0) - mean) ** 2).sum(),
        )
    )
    return None if np.isnan(icc) or (ratings == ratings[0, 0]).all() else icc


def iccs_of(tables: NDArray[np.int64], *, categories: Sequence[float]) -> NDArray[np.float64]:
    """ICC(2,1) of each confusion matrix of a stack, NaN where it is undefined.

    ``tables`` has shape (..., k, k), as for `alphas_of`. What `icc_2_1` gives for two raters.
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
    return _icc(
        n_targets, 2, total=squares - correction, targets=sums / 2 - correction, raters=raters
    )


def _icc(
    n_targets: float | NDArray[np.float64],
    n_raters: int,
    *,
    total: NDArray[np.float64],
    targets: NDArray[np.float64],
    raters: NDArray[np.float64],
) -> NDArray[np.float64]:
    """ICC(2,1) from the sums of squares, NaN where it is undefined."""
    iccs: NDArray[np.float64] = np.full(np.shape(total), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        degrees = np.asarray(n_targets, dtype=np.float64) - 1
        error = np.maximum(total - targets - raters, 0) / (degrees * (n_raters - 1))
        of_targets = targets / degrees
        below = of_targets + (n_raters - 1) * error
        below = below + n_raters * (raters / (n_raters - 1) - error) / n_targets
        np.divide(of_targets - error, below, out=iccs, where=below * degrees > _NOTHING * total)
    return iccs


def _check_level(level: str) -> None:
    if level not in _LEVELS:
        raise ValueError(f"level is {level!r}; choose 'nominal', 'ordinal' or 'interval'")


def _check_rows(ratings: Sequence[Sequence[float | None]]) -> None:
    for unit, row in enumerate(ratings):
        if len(row) != len(ratings[0]):
            raise ValueError(
                f"row {unit} has {len(row)} ratings and row 0 has {len(ratings[0])}; give each"
                " rater a place in every row"
            )
        for rater, rating in enumerate(row):
            if rating is not None and not np.isfinite(rating):
                raise ValueError(f"ratings[{unit}][{rater}] is {rating!r}; give a finite number")
