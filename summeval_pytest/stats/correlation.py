"""Correlation of two columns of numbers, over all rows or within each group of rows.

Every coefficient runs from -1 to 1, higher is better, and is None where it is undefined: fewer than
two rows, or a side whose values are all equal. None is not 0: no correlation was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from summeval_pytest.stats.groups import rows_by_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.groups import Labels

Numbers: TypeAlias = "Sequence[float] | NDArray[np.float64]"
"""One finite number a row."""

Coefficient: TypeAlias = Callable[["Numbers", "Numbers"], float | None]
"""`pearson`, `spearman`, `kendall`, or another function of two columns."""


def pearson(x: Numbers, y: Numbers) -> float | None:
    """Pearson's r: sum dx*dy / sqrt(sum dx^2 * sum dy^2), with dx = x - mean(x), dy alike.

    Raises:
        ValueError: the lengths differ, or a value is not finite.
    """
    left, right = _columns(x, y)
    return None if _is_undefined(left, right) else _product_moment(left, right)


def spearman(x: Numbers, y: Numbers) -> float | None:
    """Spearman's rho: Pearson's r of the ranks, where ties share the mean of their ranks.

    Raises:
        ValueError: the lengths differ, or a value is not finite.
    """
    left, right = _columns(x, y)
    if _is_undefined(left, right):
        return None
    return _product_moment(_ranks(left), _ranks(right))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 1, ties at their mean, as `scipy.stats.rankdata`, which takes a second to load."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks


def kendall(x: Numbers, y: Numbers) -> float | None:
    """Kendall's tau-b: (C - D) / sqrt((N - X) * (N - Y)).

    Of the N pairs of rows, C are ordered alike on both sides, D oppositely, X are tied in x and Y
    are tied in y.

    Raises:
        ValueError: the lengths differ, or a value is not finite.
    """
    from scipy.stats import kendalltau

    left, right = _columns(x, y)
    return None if _is_undefined(left, right) else float(kendalltau(left, right).statistic)


def coefficients_within(
    groups: Labels, x: Numbers, y: Numbers, coefficient: Coefficient
) -> tuple[float | None, ...]:
    """One coefficient a group, groups sorted by label; None where a group has none.

    Raises:
        ValueError: the lengths differ, or a value is not finite.
    """
    left, right = _columns(x, y)
    if len(groups) != len(left):
        raise ValueError(
            f"groups has {len(groups)} labels and x has {len(left)} values; give one label a row"
        )
    return tuple(coefficient(left[rows], right[rows]) for rows in rows_by_group(groups))


def _columns(x: Numbers, y: Numbers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    left, right = _column("x", x), _column("y", y)
    if len(left) != len(right):
        raise ValueError(
            f"x has {len(left)} values and y has {len(right)}; give one of each for every row"
        )
    return left, right


def _column(name: str, values: Numbers) -> NDArray[np.float64]:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise ValueError(f"{name} has the shape {column.shape!r}; give one number a row")
    finite = np.isfinite(column)
    if not finite.all():
        row = int(finite.argmin())
        raise ValueError(
            f"{name}[{row}] is {values[row]!r}; leave rows without a finite value out of x and y"
        )
    return column


def _is_undefined(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    # A single row is a side whose values are all equal.
    return len(x) == 0 or bool((x == x[0]).all()) or bool((y == y[0]).all())


def _product_moment(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    dx, dy = _deviations(x), _deviations(y)
    r = float(dx @ dy) / math.sqrt(float(dx @ dx) * float(dy @ dy))
    return max(-1.0, min(1.0, r))


def _deviations(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # A power of two scales without rounding, so that neither huge nor tiny values leave the range
    # of a float when squared; the second centring takes out what rounding left in the first mean.
    _, exponent = np.frexp(np.abs(values).max())
    scaled = np.ldexp(values, -exponent)
    centred: NDArray[np.float64] = scaled - scaled.mean()
    centred -= centred.mean()
    return centred
