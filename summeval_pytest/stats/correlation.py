"""Correlation coefficients of many short pairs of columns, or of many resamples of one, at once.

What `correlation` computes for two columns, as array arithmetic. Signs of differences carry two of
the three: twice a row's rank, counted from the mean rank, is how many rows it exceeds less how many
exceed it; and tau-b is the product of the signs over the pairs of rows that are not tied.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.bootstrap import drawn_groups, percentile_bounds, rows_by_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Labels

    Floats = NDArray[np.float64]
    RankingFloats = NDArray[np.float64]


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


CoefficientName: TypeAlias = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: Final[tuple[CoefficientName, ...]] = get_args(CoefficientName)
_CANCELLED: Final = 1e-6
"""A variance below this share of the squares it is a difference of has lost half its digits."""


def coefficients_of(
    name: CoefficientName, values: Floats, valid: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The coefficient of every two columns, shape (..., k, k), NaN where it is undefined.

    ``values`` has shape (..., k, k, n): ``values[a, b]`` is column a in the company of b, so that
    it is set against ``values[b, a]``. ``valid`` has the same shape, and is the same for both.
    """
    if name == "pearson":
        weights = valid.astype(np.float64)
        n_rows = np.maximum(weights.sum(axis=-1, keepdims=True), 1)
        scaled = _scaled(values * weights)
        centred = (scaled - scaled.sum(axis=-1, keepdims=True) / n_rows) * weights
        centred -= centred.sum(axis=-1, keepdims=True) / n_rows * weights
        return _cosine(np.where(_varies(values, valid)[..., np.newaxis], centred, 0.0), axes=(-1,))
    signs = np.sign(values[..., :, np.newaxis] - values[..., np.newaxis, :])
    signs *= valid[..., :, np.newaxis] & valid[..., np.newaxis, :]
    if name == "spearman":
        return _cosine(signs.sum(axis=-1), axes=(-1,))
    return _cosine(signs, axes=(-2, -1))


def _scaled(values: Floats) -> Floats:
    """The values by a power of two, so that neither huge nor tiny ones leave the floats squared."""
    _, exponent = np.frexp(np.abs(values).max(axis=-1, keepdims=True, initial=0.0))
    return np.asarray(np.ldexp(values, -exponent))


def _varies(values: Floats, valid: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether two valid values differ."""
    lowest = np.where(valid, values, np.inf).min(axis=-1, initial=np.inf)
    highest = np.where(valid, values, -np.inf).max(axis=-1, initial=-np.inf)
    return np.asarray(lowest < highest)


def _cosine(values: Floats, axes: tuple[int, ...]) -> NDArray[np.float64]:
    """The product of the sides over the root of the product of their squares."""
    first = -len(axes) - 2
    other = np.swapaxes(values, first, first + 1)
    product, square = (values * other).sum(axis=axes), (values * values).sum(axis=axes)
    return _divided(product, square, np.swapaxes(square, -1, -2))


def _divided(product: Floats, left: Floats, right: Floats) -> NDArray[np.float64]:
    below = np.sqrt(left * right)
    cosines: Floats = np.full(np.shape(product), np.nan)
    np.divide(product, below, out=cosines, where=below > 0)
    return np.clip(cosines, -1.0, 1.0)


def drawn_coefficients(
    name: CoefficientName, x: Floats, y: Floats, sizes: NDArray[np.intp], counts: Floats
) -> NDArray[np.float64]:
    """The coefficient of x and y in each resample, NaN where it is undefined.

    The rows of a group stand together: ``sizes`` has the rows of each, ``counts`` a row a resample
    and how often it drew each group.
    """
    of_group = np.repeat(np.arange(len(sizes)), sizes)
    match name:
        case "pearson":
            return _drawn_pearson(x, y, of_group, counts)
        case "spearman":
            return drawn_spearmans(np.stack([x, y], axis=1), of_group, counts)[:, 0, 1]
        case _:
            return _drawn_kendall(x, y, sizes, counts)


def _drawn_pearson(
    x: Floats, y: Floats, of_group: NDArray[np.intp], counts: Floats
) -> NDArray[np.float64]:
    """From the sums of each group; where these cancel, from the rows themselves."""
    if not len(x):
        return np.full(len(counts), np.nan)
    a, b = _scaled(x - np.median(x)), _scaled(y - np.median(y))
    n_groups = counts.shape[1]
    parts = (np.ones_like(a), a, b, a * b, a * a, b * b)
    by_group = np.stack([np.bincount(of_group, p, minlength=n_groups) for p in parts], axis=1)
    n_rows, sx, sy, sxy, sxx, syy = (counts @ by_group).T
    left, right = sxx - sx * sx / n_rows, syy - sy * sy / n_rows
    found = _divided(sxy - sx * sy / n_rows, np.maximum(left, 0), np.maximum(right, 0))
    lost = (left <= _CANCELLED * sxx) | (right <= _CANCELLED * syy)
    for row in np.flatnonzero(lost):
        r = pearson(*(np.repeat(side, counts[row, of_group].astype(np.intp)) for side in (x, y)))
        found[row] = np.nan if r is None else r
    return found


def drawn_spearmans(
    columns: Floats, of_group: NDArray[np.intp], counts: Floats
) -> NDArray[np.float64]:
    """Pearson's r of the ranks of every two columns, in each resample: shape (resamples, k, k)."""
    ranks = np.stack([_drawn_ranks(column, of_group, counts) for column in columns.T], axis=1)
    weighed = ranks * counts[:, np.newaxis, of_group]
    products = np.einsum("ran,rbn->rab", weighed, ranks)
    squares = np.diagonal(products, axis1=1, axis2=2)
    return _divided(products, squares[:, :, np.newaxis], squares[:, np.newaxis])


def _drawn_ranks(values: Floats, of_group: NDArray[np.intp], counts: Floats) -> Floats:
    """The rank of each row in each resample, where a row stands as often as its group was drawn."""
    _, places = np.unique(values, return_inverse=True)
    held_by_group = np.zeros((counts.shape[1], int(places.max(initial=-1)) + 1))
    np.add.at(held_by_group, (of_group, places), 1.0)
    held = counts @ held_by_group
    ranks = np.cumsum(held, axis=1) - held / 2 - held.sum(axis=1, keepdims=True) / 2
    return np.asarray(ranks[:, places])


def _drawn_kendall(
    x: Floats, y: Floats, sizes: NDArray[np.intp], counts: Floats
) -> NDArray[np.float64]:
    """Tau-b: signs are summed over each two groups once, and weighed by how often both stand."""
    if not len(x):
        return np.full(len(counts), np.nan)
    starts = np.cumsum(sizes) - sizes
    sx, sy = (np.sign(side[:, np.newaxis] - side).astype(np.int8) for side in (x, y))

    def weighed(signs: NDArray[np.int8]) -> Floats:
        by_row = np.add.reduceat(signs, starts, axis=0, dtype=np.int64)
        by_group = np.add.reduceat(by_row, starts, axis=1).astype(np.float64)
        return np.asarray(((counts @ by_group) * counts).sum(axis=1))

    return _divided(weighed(sx * sy), weighed(sx * sx), weighed(sy * sy))


MOST_EXACT: Final = 8
"""Up to so many points every order is tried: 40,320."""
N_ORDERS: Final = 9999
"""So many random orders are tried for more."""
SEED: Final = 20247
_TIE: Final = 1e-9
_COEFFICIENTS: Final = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def correlation_p_value(x: Numbers, y: Numbers, name: CoefficientName) -> float | None:
    """The two-sided p value of a coefficient: the share of orders of y that are as far from 0.

    Up to eight points every order is counted, so that p is exact and at least 1 / n!. For more,
    p = (count + 1) / (9,999 + 1) over random orders (Phipson and Smyth 2010). None where the
    coefficient is undefined.

    Raises:
        ValueError: the lengths differ, or a value is not finite.
    """
    observed = _COEFFICIENTS[name](x, y)
    if observed is None:
        return None
    left, right = (np.asarray(side, dtype=np.float64) for side in (x, y))
    orders = _orders(len(left))
    if name == "kendall":
        sums, most = _concordance(left, right, orders), 1.0
    else:
        a, b = (
            _permuting_ranks(side) if name == "spearman" else _unit(side) for side in (left, right)
        )
        sums, most = b[orders] @ a, float(np.sqrt((a @ a) * (b @ b)))
    # The first order is the one observed; what scales the sums is the same for all orders.
    far = np.abs(sums) >= abs(sums[0]) - _TIE * most
    return float(np.mean(far))


def _unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The deviations from the mean, of about 1."""
    scaled = values / np.abs(values).max()
    return np.asarray(scaled - scaled.mean())


def _permuting_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sign(values[:, np.newaxis] - values).sum(axis=1))


def _concordance(
    x: NDArray[np.float64], y: NDArray[np.float64], orders: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Pairs of rows ordered alike less those ordered oppositely, for each order of y."""
    sums = np.zeros(len(orders))
    for i in range(len(x)):
        for j in range(i):
            sign = np.sign(x[i] - x[j])
            if sign:
                sums += sign * np.sign(y[orders[:, i]] - y[orders[:, j]])
    return sums


@lru_cache(maxsize=8)
def _orders(n_points: int) -> NDArray[np.intp]:
    """The orders that are tried, the given one first."""
    if math.factorial(n_points) <= math.factorial(MOST_EXACT):
        found = np.array(list(permutations(range(n_points))), dtype=np.intp)
    else:
        generator = Generator(PCG64(SEED))
        drawn = generator.permuted(np.tile(np.arange(n_points), (N_ORDERS, 1)), axis=1)
        found = np.vstack([np.arange(n_points), drawn]).astype(np.intp)
    found.flags.writeable = False
    return found


_NOTHING_LEFT: Final = 1e-12
"""Below this share of its variance, what the third column leaves of a side is rounding."""


def partial_pearson(x: Numbers, y: Numbers, given: Numbers) -> float | None:
    """Pearson's r of what ``given`` leaves of x and of y, -1 to 1.

        r_xy.z = (r_xy - r_xz * r_yz) / sqrt((1 - r_xz^2) * (1 - r_yz^2))

    Where ``given`` is all equal it explains nothing, and this is Pearson's r. None where that is
    undefined, and where ``given`` explains one side wholly.

    Raises:
        ValueError: the lengths differ, or a value is not finite.
    """
    r = pearson(x, y)
    r_x, r_y = pearson(x, given), pearson(y, given)
    if r is None:
        return None
    if r_x is None or r_y is None:
        return r
    left_of_x, left_of_y = 1 - r_x**2, 1 - r_y**2
    if min(left_of_x, left_of_y) < _NOTHING_LEFT:
        return None
    return max(-1.0, min(1.0, (r - r_x * r_y) / math.sqrt(left_of_x * left_of_y)))


_CELLS: Final = 2_000_000
"""So many weights of rows are held at once."""


def roc_auc(right: Sequence[bool], numbers: Sequence[float]) -> float | None:
    """The area under the ROC curve; None where no item is right, or none is wrong.

    Raises:
        ValueError: the lengths differ, or a number is not finite.
    """
    of_right, numbers_sorted, starts = _in_order(right, numbers)
    area = _areas(np.ones((1, len(numbers_sorted))), of_right, starts)[0]
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

    Raises:
        ValueError: the lengths differ, a number is not finite, or seed is negative.
        TypeError: seed is no integer.
    """
    if len(groups) != len(right):
        raise ValueError(
            f"there are {len(groups)} groups and {len(right)} items; give one group an item"
        )
    of_right, numbers_sorted, starts = _in_order(right, numbers)
    members = rows_by_group(groups)
    of_group = np.zeros(len(right), dtype=np.intp)
    for number, rows in enumerate(members):
        of_group[rows] = number
    of_group = of_group[np.argsort(np.asarray(numbers, dtype=np.float64), kind="stable")]
    drawn = drawn_groups(len(members), n_resamples=n_resamples, seed=seed)
    if not len(drawn):
        return None, None
    times = np.stack([np.bincount(row, minlength=len(members)) for row in drawn])
    step = max(1, _CELLS // max(1, len(numbers_sorted)))
    areas = np.concatenate(
        [
            _areas(times[at : at + step][:, of_group].astype(np.float64), of_right, starts)
            for at in range(0, len(times), step)
        ]
    )
    lows, highs = percentile_bounds(areas[:, np.newaxis], n_resamples=n_resamples)
    if np.isnan(lows[0]):
        return None, None
    return float(lows[0]), float(highs[0])


def _in_order(
    right: Sequence[bool], numbers: Sequence[float]
) -> tuple[NDArray[np.bool_], RankingFloats, NDArray[np.intp]]:
    """Who is right, and the numbers, from the smallest on; and where each new number begins."""
    if len(right) != len(numbers):
        raise ValueError(f"there are {len(right)} items and {len(numbers)} numbers; give each one")
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number is not finite; leave its item out")
    values = np.asarray(numbers, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    changes = np.ones(len(values), dtype=np.bool_)
    changes[1:] = sorted_values[1:] != sorted_values[:-1]
    starts = np.flatnonzero(changes)
    return np.asarray(right, dtype=np.bool_)[order], sorted_values, starts


def _areas(
    weights: RankingFloats, right: NDArray[np.bool_], starts: NDArray[np.intp]
) -> RankingFloats:
    """The area for each row of weights, whole numbers: how often each item stands."""
    if not len(starts):
        return np.full(len(weights), np.nan)
    of_right = np.add.reduceat(weights * right, starts, axis=1)
    of_wrong = np.add.reduceat(weights * ~right, starts, axis=1)
    below = np.cumsum(of_wrong, axis=1) - of_wrong / 2
    won = (of_right * below).sum(axis=1)
    pairs = of_right.sum(axis=1) * of_wrong.sum(axis=1)
    areas: RankingFloats = np.full(len(weights), np.nan)
    np.divide(won, pairs, out=areas, where=pairs > 0)
    return areas
