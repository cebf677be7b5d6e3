"""Correlation of two columns: Pearson's and Spearman's coefficient.

Columns of two lengths, and values that are not finite, are refused with a ValueError.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Numbers: TypeAlias = "Sequence[float] | NDArray[np.float64]"
"""One finite number a row."""


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


def two_columns(x: Numbers, y: Numbers) -> tuple[Floats, Floats]:
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


def is_undefined(x: Floats, y: Floats) -> bool:
    """Whether a column is empty, or its values are all equal."""
    return len(x) == 0 or bool((x == x[0]).all()) or bool((y == y[0]).all())


def _ranks(values: Floats) -> Floats:
    """Ranks from 1, ties at their mean, as `scipy.stats.rankdata`, which takes a second to load."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])


def _product_moment(x: Floats, y: Floats) -> float:
    dx, dy = _deviations(x), _deviations(y)
    r = float(dx @ dy) / math.sqrt(float(dx @ dx) * float(dy @ dy))
    return max(-1.0, min(1.0, r))


def _deviations(values: Floats) -> Floats:
    # A power of two scales without rounding, so that neither huge nor tiny values leave the range
    # of a float when squared; the second centring takes out what rounding left in the first mean.
    _, exponent = np.frexp(np.abs(values).max())
    scaled = np.ldexp(values, -exponent)
    centred: Floats = scaled - scaled.mean()
    centred -= centred.mean()
    return centred
