"""Correlation coefficients of many short pairs of columns, or of many resamples of one, at once.

What `correlation` computes for two columns, as array arithmetic. Signs of differences carry two of
the three: twice a row's rank, counted from the mean rank, is how many rows it exceeds less how many
exceed it; and tau-b is the product of the signs over the pairs of rows that are not tied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

import numpy as np

from summeval_pytest.stats.correlation import pearson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

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
