"""Agreement of two raters, corrected for chance, and correlation of two columns.

All counts are integers until the one division at the end, so swapping the raters or reordering the
items changes no digit. A *stack* holds a confusion matrix a resample, in an array of shape
(..., k, k): how often one rater said the row and the other the column, of k categories in rising
order. A figure of a stack has shape (...), with NaN where it is undefined. To correlate columns of
two lengths, or values that are not finite, is refused with a ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64] | NDArray[np.float64]
Figures = NDArray[np.float64]

Weights = Literal["none", "quadratic"]
Numbers: TypeAlias = "Sequence[float] | NDArray[np.float64]"
"""One finite number a row."""


def shares(part: NDArray[Any], whole: NDArray[Any]) -> Figures:
    """Part / whole, entry by entry; NaN where the whole is 0."""
    quotients: Figures = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=quotients, where=whole != 0)
    return quotients


def kappas_of(tables: Counts, *, categories: Sequence[int], weights: Weights) -> Figures:
    """Cohen's kappa of a stack, -1 to 1, higher is better: 0 is the agreement of chance.

    kappa = 1 - sum w[i,j] * O[i,j] / sum w[i,j] * E[i,j], over all categories i of a and j of b:

        O[i,j]  items rated i by a and j by b
        E[i,j]  (items rated i by a) * (items rated j by b) / n, what chance would give
        w[i,j]  "none":      1 where i != j, else 0, which makes kappa = (p_o - p_e) / (1 - p_e)
                "quadratic": (i - j)^2, the distance of the ratings themselves

    A category nobody used changes nothing. Undefined without items, and where chance agreement is
    1, that is where both gave one and the same rating to every item.

    Source: Cohen 1960 (none); Cohen 1968 and Fleiss and Cohen 1973 (quadratic).
    """
    values = np.array(categories, dtype=np.int64)
    distance = values[:, None] - values[None, :]
    weight = distance**2 if weights == "quadratic" else (distance != 0).astype(np.int64)
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    # both sums are n times those of the formula
    observed = (weight * tables).sum(axis=(-1, -2)) * tables.sum(axis=(-1, -2))
    expected = (weight * rows[..., :, None] * columns[..., None, :]).sum(axis=(-1, -2))
    return shares(expected - observed, expected)


def pearson(x: Numbers, y: Numbers) -> float | None:
    """Pearson's r: sum dx*dy / sqrt(sum dx^2 * sum dy^2), with dx = x - mean(x), dy alike.

    None where a column's values are all equal.
    """
    left, right = two_columns(x, y)
    return None if is_undefined(left, right) else _product_moment(left, right)


def spearman(x: Numbers, y: Numbers) -> float | None:
    """Spearman's rho: Pearson's r of the ranks, where ties share the mean of their ranks.

    None where a column's values are all equal.
    """
    left, right = two_columns(x, y)
    if is_undefined(left, right):
        return None
    return _product_moment(_ranks(left), _ranks(right))


def two_columns(x: Numbers, y: Numbers) -> tuple[Figures, Figures]:
    """Both columns as arrays; a ValueError where they cannot be compared."""
    left, right = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(left) != len(right):
        raise ValueError(
            f"x has {len(left)} values and y has {len(right)}; give one of each for every row"
        )
    for name, column in (("x", left), ("y", right)):
        if not (finite := np.isfinite(column)).all():
            row = int(finite.argmin())
            raise ValueError(
                f"{name}[{row}] is {float(column[row])!r}; leave rows without a finite value out"
                " of x and y"
            )
    return left, right


def is_undefined(x: Figures, y: Figures) -> bool:
    """Whether a column is empty, or its values are all equal."""
    return len(x) == 0 or bool((x == x[0]).all()) or bool((y == y[0]).all())


def _ranks(values: Figures) -> Figures:
    """Ranks from 1, ties at their mean, as `scipy.stats.rankdata`, which takes a second to load."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def _product_moment(x: Figures, y: Figures) -> float:
    dx, dy = _deviations(x), _deviations(y)
    r = float(dx @ dy) / math.sqrt(float(dx @ dx) * float(dy @ dy))
    return max(-1.0, min(1.0, r))


def _deviations(values: Figures) -> Figures:
    # A power of two scales without rounding, so that neither huge nor tiny values leave the range
    # of a float when squared; the second centring takes out what rounding left in the first mean.
    _, exponent = np.frexp(np.abs(values).max())
    scaled = np.ldexp(values, -exponent)
    centred: Figures = scaled - scaled.mean()
    centred -= centred.mean()
    return centred
