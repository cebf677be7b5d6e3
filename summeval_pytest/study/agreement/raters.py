"""Agreement of two raters beyond kappa: exact, Krippendorff's alpha, ICC.

Stacks and their figures are as `summeval_pytest.stats.agreement` has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from summeval_pytest.stats.agreement import kappas_of
from summeval_pytest.stats.bootstrap import shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.agreement import Counts, Figures, Weights


Ratings: TypeAlias = "Sequence[int] | NDArray[np.int64]"
"""One rating an item."""


def exact_agreement(a: Ratings, b: Ratings) -> float | None:
    """The share of items both rate the same, 0 to 1, higher is better; None without items.

    A ValueError where the lengths differ.
    """
    equal = [bool(left == right) for left, right in zip(a, b, strict=True)]
    return sum(equal) / len(equal) if equal else None


def cohen_kappa(
    a: Ratings, b: Ratings, *, categories: Sequence[int], weights: Weights
) -> float | None:
    """Cohen's kappa of two raters; see `kappas_of`. None where it is undefined.

    A ValueError where the lengths differ, or a rating is none of the categories.
    """
    place = {category: index for index, category in enumerate(categories)}
    for name, ratings in (("a", a), ("b", b)):
        for item, rating in enumerate(ratings):
            if rating not in place:
                raise ValueError(
                    f"{name}[{item}] is {rating!r}, none of the categories {tuple(categories)!r};"
                    " mend the rating or add the category"
                )
    table = np.zeros((len(place), len(place)), dtype=np.int64)
    for left, right in zip(a, b, strict=True):
        table[place[left], place[right]] += 1
    kappa = float(kappas_of(table, categories=categories, weights=weights))
    return None if np.isnan(kappa) else kappa


def alphas_of(tables: Counts) -> Figures:
    """Krippendorff's ordinal alpha of a stack, at most 1, higher is better: 0 is chance.

    alpha = 1 - D_o / D_e, over all categories c and k:

        D_o = sum o[c,k] * d(c,k)
        D_e = sum n[c] * n[k] * d(c,k) / (n - 1)

    o counts pairs of ratings within units, both ways; n[c] sums a row of o, n all of it. The
    distance d(c,k) is the square of how many ratings lie from c to k, those of c and of k counted
    half. Undefined where all ratings are equal, or there are none.

    Source: Krippendorff 2004, Content Analysis, 2nd edition, section 11.3.
    """
    coincidences = (tables + np.swapaxes(tables, -1, -2)).astype(np.float64)
    margins = coincidences.sum(axis=-1)
    middles = np.cumsum(margins, axis=-1) - margins / 2
    distances = (middles[..., :, None] - middles[..., None, :]) ** 2
    observed = (coincidences * distances).sum(axis=(-1, -2)) * (margins.sum(axis=-1) - 1)
    expected = (margins[..., :, None] * margins[..., None, :] * distances).sum(axis=(-1, -2))
    return shares(expected - observed, expected)


_NOTHING: Final = 1e-12
"""A sum of squares below this share of all of it is what rounding has left of none."""


def iccs_of(tables: Counts, *, categories: Sequence[float]) -> Figures:
    """ICC(2,1) of a stack, at most 1, higher is better: absolute agreement.

    The raters are taken for two of many, and the figure is about one of them. With the mean
    squares of n targets, of raters and of the error,

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
    return shares(of_targets - error, np.where(is_defined, below, 0.0))
