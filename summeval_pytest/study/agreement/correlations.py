"""Resampled coefficients, their p values, and the area under a ROC curve.

A coefficient is computed one way for all resamples at once: from how often each drew each group,
where groups are resampled; or from a stack of columns, where each resample has numbers of its own.
Columns of two lengths, and values that are not finite, are refused with a ValueError.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.bootstrap import drawn_groups, percentile_bounds, rows_by_group, shares
from summeval_pytest.stats.correlation import is_undefined, pearson, two_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Labels, Rows
    from summeval_pytest.stats.correlation import Numbers

    Floats = NDArray[np.float64]


CoefficientName: TypeAlias = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: Final[tuple[CoefficientName, ...]] = get_args(CoefficientName)

_MOST_EXACT: Final = 8
"""Up to so many points every order is tried: 40,320."""
_N_ORDERS: Final = 9999
"""So many random orders are tried for more."""
_SEED: Final = 20247
_ROUNDING: Final = 1e-12
"""A smaller share of a column is what rounding has left of nothing."""
_CANCELLED: Final = 1e-6
"""A variance below this share of the squares it is a difference of has lost half its digits."""
_CELLS: Final = 2_000_000
"""So many numbers are held at once."""


def partial_pearson(x: Numbers, y: Numbers, given: Numbers) -> float | None:
    """Pearson's r of what ``given`` leaves of x and of y, -1 to 1.

        r_xy.z = (r_xy - r_xz * r_yz) / sqrt((1 - r_xz^2) * (1 - r_yz^2))

    Where ``given`` is all equal it explains nothing, and this is Pearson's r. None where that is
    undefined, and where ``given`` explains one side wholly.
    """
    r, r_x, r_y = pearson(x, y), pearson(x, given), pearson(y, given)
    if r is None or r_x is None or r_y is None:
        return r
    left_of_x, left_of_y = 1 - r_x**2, 1 - r_y**2
    if min(left_of_x, left_of_y) < _ROUNDING:
        return None
    return max(-1.0, min(1.0, (r - r_x * r_y) / math.sqrt(left_of_x * left_of_y)))


def stacked_coefficients(name: CoefficientName, x: Floats, y: Floats) -> Floats:
    """The coefficient of each row of x and of y, shapes (m, n), NaN where it is undefined.

    A place that is NaN on either side counts for neither. Every two places are compared: with
    d_ij = x_i - x_j, Pearson's r is the cosine of all d of x and of y, Kendall's tau-b that of
    their signs; and sum over j of sign(d_ij) is twice a rank, counted from the mean rank, so that
    Spearman's rho is the cosine of these sums.
    """
    step = max(1, _CELLS // max(1, x.shape[1] ** 2))
    parts = [_stacked(name, x[at : at + step], y[at : at + step]) for at in range(0, len(x), step)]
    return np.concatenate(parts) if parts else np.empty(0)


def _stacked(name: CoefficientName, x: Floats, y: Floats) -> Floats:
    missing = np.isnan(x + y)
    sides = []
    for column in (x, y):
        known = np.where(missing, np.nan, column)
        compared = known[:, :, np.newaxis] - known[:, np.newaxis]
        if name != "pearson":
            compared = np.sign(compared)
        if name == "spearman":
            compared = np.nansum(compared, axis=2)
        sides.append(np.nan_to_num(compared.reshape(len(x), -1)))
    left, right = sides
    return _cosine((left * right).sum(axis=1), (left**2).sum(axis=1), (right**2).sum(axis=1))


def _cosine(product: Floats, left: Floats, right: Floats) -> Floats:
    """The product of the sides over the root of the product of their squares."""
    return np.clip(shares(product, np.sqrt(left * right)), -1.0, 1.0)


def drawn_coefficients(
    name: CoefficientName, x: Floats, y: Floats, groups: Rows, counts: Floats
) -> Floats:
    """The coefficient of x and y in each resample, NaN where it is undefined.

    ``groups`` has the number of each row's group, ``counts`` a row a resample and how often it drew
    each group.
    """
    drawn = {"pearson": _drawn_pearson, "spearman": _drawn_spearman, "kendall": _drawn_kendall}
    return drawn[name](x, y, groups, counts)


def _drawn_pearson(x: Floats, y: Floats, groups: Rows, counts: Floats) -> Floats:
    """From the sums of each group; where these cancel, from the rows themselves."""
    a, b = (side - side.mean() for side in (x, y))
    parts = (np.ones_like(a), a, b, a * b, a * a, b * b)
    by_group = [np.bincount(groups, part, minlength=counts.shape[1]) for part in parts]
    n_rows, of_a, of_b, of_ab, of_aa, of_bb = np.array(by_group) @ counts.T
    left, right = of_aa - shares(of_a**2, n_rows), of_bb - shares(of_b**2, n_rows)
    drawn = _cosine(of_ab - shares(of_a * of_b, n_rows), np.maximum(left, 0), np.maximum(right, 0))
    for row in np.flatnonzero((left <= _CANCELLED * of_aa) | (right <= _CANCELLED * of_bb)):
        times = counts[row, groups].astype(np.intp)
        r = pearson(np.repeat(x, times), np.repeat(y, times))
        drawn[row] = np.nan if r is None else r
    return drawn


def _drawn_spearman(x: Floats, y: Floats, groups: Rows, counts: Floats) -> Floats:
    """Pearson's r of the ranks, which each resample has of its own."""
    drawn = np.empty(len(counts))
    step = max(1, _CELLS // max(1, len(x)))
    for at in range(0, len(counts), step):
        some = counts[at : at + step]
        left, right = (_drawn_ranks(side, groups, some) for side in (x, y))
        weights = some[:, groups]
        drawn[at : at + step] = _cosine(
            *(
                np.einsum("rn,rn,rn->r", weights, one, other)
                for one, other in ((left, right), (left, left), (right, right))
            )
        )
    return drawn


def _drawn_ranks(values: Floats, groups: Rows, counts: Floats) -> Floats:
    """The rank of each row in each resample, counted from the mean rank."""
    _, places = np.unique(values, return_inverse=True)
    counted = _weight_at(places, np.ones(len(values)), groups, counts)
    ranks = np.cumsum(counted, axis=1) - counted / 2 - counted.sum(axis=1, keepdims=True) / 2
    return np.asarray(ranks[:, places])


def _weight_at(places: Rows, weights: Floats, groups: Rows, counts: Floats) -> Floats:
    """What the rows at each place weigh together in each resample, a row a resample."""
    by_group = np.zeros((counts.shape[1], int(places.max(initial=-1)) + 1))
    np.add.at(by_group, (groups, places), weights)
    return np.asarray(counts @ by_group)


def _drawn_kendall(x: Floats, y: Floats, groups: Rows, counts: Floats) -> Floats:
    """Tau-b: signs are summed over each two groups once, and weighed by how often both stand."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    there = counts[:, groups[order][starts]]
    sx, sy = (np.sign(side[order, np.newaxis] - side[order]).astype(np.int8) for side in (x, y))

    def weighed(signs: NDArray[np.int8]) -> Floats:
        by_row = np.add.reduceat(signs, starts, axis=0, dtype=np.int64)
        by_group = np.add.reduceat(by_row, starts, axis=1).astype(np.float64)
        return np.asarray(((there @ by_group) * there).sum(axis=1))

    return _cosine(weighed(sx * sy), weighed(sx * sx), weighed(sy * sy))


def correlation_p_value(x: Numbers, y: Numbers, name: CoefficientName) -> float | None:
    """The two-sided p value of a coefficient: the share of orders of y that are as far from 0.

    Up to eight points every order is counted, so that p is exact and at least 1 / n!. For more,
    p = (count + 1) / (9,999 + 1) over random orders (Phipson and Smyth 2010). None where the
    coefficient is undefined.
    """
    left, right = two_columns(x, y)
    if is_undefined(left, right):
        return None
    orders = _orders(len(left))
    drawn = np.abs(stacked_coefficients(name, np.tile(left, (len(orders), 1)), right[orders]))
    return float(np.mean(drawn >= drawn[0] - 1e-9))  # the first order is the one observed


@lru_cache(maxsize=8)
def _orders(n_points: int) -> Rows:
    """The orders that are tried, the given one first."""
    if n_points <= _MOST_EXACT:
        return np.array(list(permutations(range(n_points))), dtype=np.intp)
    generator = Generator(PCG64(_SEED))
    drawn = generator.permuted(np.tile(np.arange(n_points), (_N_ORDERS, 1)), axis=1)
    return np.vstack([np.arange(n_points), drawn]).astype(np.intp)


def roc_auc(right: Sequence[bool], numbers: Sequence[float]) -> float | None:
    """The area under the ROC curve; None where no item is right, or none is wrong."""
    area = _areas(right, numbers, np.zeros(len(numbers), dtype=np.intp), np.ones((1, 1)))[0]
    return None if np.isnan(area) else float(area)


def roc_auc_bounds(
    groups: Labels,
    right: Sequence[bool],
    numbers: Sequence[float],
    *,
    n_resamples: int = 1000,
    seed: int,
) -> tuple[float | None, float | None]:
    """Both bounds of its 95 % interval over resampled groups, as `bootstrap_interval` draws them.

    None and None where it is undefined in more than half of the resamples.
    """
    codes, n_groups = group_codes(groups)
    counts = group_counts(n_groups, n_resamples=n_resamples, seed=seed)
    areas = _areas(right, numbers, codes, counts)
    low, high = percentile_bounds(areas[:, np.newaxis], n_resamples=n_resamples)
    return (None, None) if np.isnan(low[0]) else (float(low[0]), float(high[0]))


def group_codes(groups: Labels) -> tuple[Rows, int]:
    """The number of each row's group, in the order of the labels, and how many groups there are."""
    members = rows_by_group(groups)
    codes = np.zeros(len(groups), dtype=np.intp)
    for number, rows in enumerate(members):
        codes[rows] = number
    return codes, len(members)


@lru_cache(maxsize=8)
def group_counts(n_groups: int, *, n_resamples: int, seed: int) -> Floats:
    """How often each resample of `drawn_groups` draws each group, a row a resample."""
    draws = drawn_groups(n_groups, n_resamples=n_resamples, seed=seed)
    counts = [np.bincount(drawn, minlength=n_groups) for drawn in draws]
    return np.array(counts, dtype=np.float64).reshape(len(draws), n_groups)


def _areas(right: Sequence[bool], numbers: Sequence[float], groups: Rows, counts: Floats) -> Floats:
    """The area in each resample: the share of right and wrong items ordered so, ties half."""
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number is not finite; leave its item out")
    _, places = np.unique(np.asarray(numbers, dtype=np.float64), return_inverse=True)
    is_right = np.asarray(right, dtype=np.float64)
    of_wrong, of_right = (_weight_at(places, w, groups, counts) for w in (1 - is_right, is_right))
    below = np.cumsum(of_wrong, axis=1) - of_wrong / 2
    return shares((of_right * below).sum(axis=1), of_right.sum(axis=1) * of_wrong.sum(axis=1))
