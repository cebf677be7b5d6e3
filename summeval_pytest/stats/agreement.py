"""Agreement of two raters over the same items, raw and corrected for chance.

All counts are integers until the one division at the end, so swapping the raters or reordering the
items changes no digit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from summeval_pytest.stats.ratios import shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Ratings: TypeAlias = "Sequence[int] | NDArray[np.int64]"
"""One rating an item."""


def exact_agreement(a: Ratings, b: Ratings) -> float | None:
    """The share of items both rate the same, 0 to 1, higher is better; None without items.

    Raises:
        ValueError: the lengths differ.
    """
    _check_lengths(a, b)
    n_items = len(a)
    if n_items == 0:
        return None
    return sum(bool(left == right) for left, right in zip(a, b, strict=True)) / n_items


def confusion(a: Ratings, b: Ratings, categories: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """How many items a rated as row and b as column, both in the order of the categories.

    Raises:
        ValueError: the lengths differ, a category stands twice, or a rating is none of them.
    """
    _check_lengths(a, b)
    place = {category: index for index, category in enumerate(categories)}
    if len(place) != len(categories):
        raise ValueError(f"categories {tuple(categories)!r} names one twice; name each once")
    for name, ratings in (("a", a), ("b", b)):
        for item, rating in enumerate(ratings):
            if rating not in place:
                raise ValueError(
                    f"{name}[{item}] is {rating!r}, none of the categories {tuple(categories)!r};"
                    " mend the rating or add the category"
                )
    table = [[0] * len(place) for _ in place]
    for left, right in zip(a, b, strict=True):
        table[place[left]][place[right]] += 1
    return tuple(map(tuple, table))


def cohen_kappa(
    a: Ratings,
    b: Ratings,
    *,
    categories: Sequence[int],
    weights: Literal["none", "quadratic"],
) -> float | None:
    """Cohen's kappa, -1 to 1, higher is better: 0 is the agreement of chance, 1 is all of it.

    kappa = 1 - sum w[i,j] * O[i,j] / sum w[i,j] * E[i,j], over all categories i of a and j of b:

        O[i,j]  items rated i by a and j by b (`confusion`)
        E[i,j]  (items rated i by a) * (items rated j by b) / n, what chance would give
        w[i,j]  "none":      1 where i != j, else 0, which makes kappa = (p_o - p_e) / (1 - p_e)
                "quadratic": (i - j)^2, the distance of the ratings themselves

    A category nobody used changes nothing. None without items, or where chance agreement is 1, that
    is where both gave one and the same rating to every item.

    Source: Cohen 1960 (none); Cohen 1968 and Fleiss and Cohen 1973 (quadratic).

    Raises:
        ValueError: the lengths differ, a category stands twice, or a rating is none of them; or the
            weights are unknown.
    """
    table = np.array(confusion(a, b, categories), dtype=np.int64)
    kappa = float(kappas_of(table, categories=categories, weights=weights))
    return None if np.isnan(kappa) else kappa


def kappas_of(
    tables: NDArray[np.int64],
    *,
    categories: Sequence[int],
    weights: Literal["none", "quadratic"],
) -> NDArray[np.float64]:
    """Cohen's kappa of each confusion matrix of a stack, NaN where it is undefined.

    ``tables`` has shape (..., k, k), one row and one column for each of k categories, in order.

    Raises:
        ValueError: the weights are unknown.
    """
    if weights not in {"none", "quadratic"}:
        raise ValueError(f"weights is {weights!r}; choose 'none' or 'quadratic'")
    values = np.array(categories, dtype=np.int64)
    distance = values[:, None] - values[None, :]
    weight = distance**2 if weights == "quadratic" else (distance != 0).astype(np.int64)
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    # both n times the sums of `cohen_kappa`
    observed = (weight * tables).sum(axis=(-1, -2)) * tables.sum(axis=(-1, -2))
    expected = (weight * rows[..., :, None] * columns[..., None, :]).sum(axis=(-1, -2))
    return shares(expected - observed, expected)


def _check_lengths(a: Ratings, b: Ratings) -> None:
    if len(a) != len(b):
        raise ValueError(f"a has {len(a)} ratings and b has {len(b)}; give one of each an item")
