"""Agreement of two raters: raw, corrected for chance, and on the evidence they name.

All counts are integers until the one division at the end, so swapping the raters or reordering the
items changes no digit. A *stack* holds a confusion matrix a resample, in an array of shape
(..., k, k): how often one rater said the row and the other the column, of k categories in rising
order. A figure of a stack has shape (...), with NaN where it is undefined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Counts = NDArray[np.int64] | NDArray[np.float64]
    Figures = NDArray[np.float64]
    Weights = Literal["none", "quadratic"]


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


_NAMED, _LABELLED, _BOTH, _HITS, _INSTANCES = range(5)
"""The columns of counts: source sentences named, labelled and both; instances with at least one
labelled sentence named, and all instances. The last two are needed by `any_hit` alone."""


def evidence_precision(counts: Counts) -> Figures:
    """Named and labelled / named."""
    return shares(counts[:, _BOTH], counts[:, _NAMED])


def evidence_recall(counts: Counts) -> Figures:
    """Named and labelled / labelled."""
    return shares(counts[:, _BOTH], counts[:, _LABELLED])


def evidence_f1(counts: Counts) -> Figures:
    """2 x named and labelled / (named + labelled): the harmonic mean of the other two."""
    return shares(2 * counts[:, _BOTH], counts[:, _NAMED] + counts[:, _LABELLED])
