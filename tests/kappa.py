"""Cohen's kappa of two columns of ratings, by the package's kappa of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from summeval_pytest.stats.agreement import Weights, kappas_of


def cohen_kappa(
    a: Sequence[int], b: Sequence[int], *, categories: Sequence[int], weights: Weights
) -> float | None:
    """The kappa of two raters; None where it is undefined."""
    place = {category: index for index, category in enumerate(categories)}
    table = np.zeros((len(place), len(place)), dtype=np.int64)
    for left, right in zip(a, b, strict=True):
        table[place[left], place[right]] += 1
    kappa = float(kappas_of(table, categories=categories, weights=weights))
    return None if np.isnan(kappa) else kappa
