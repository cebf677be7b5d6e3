"""Ratios of sums: of counts, and over resampled groups where an interval is too little."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.groups import rows_by_group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.groups import Labels


def shares(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Part / whole, entry by entry; NaN where the whole is 0."""
    found: NDArray[np.float64] = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=found, where=whole != 0)
    return found


def resampled_ratios(
    groups: Labels,
    tops: Sequence[float],
    bottoms: Sequence[float],
    *,
    n_resamples: int = 1000,
    seed: int,
) -> NDArray[np.float64]:
    """Sum of tops / sum of bottoms in each resample of groups; NaN where the bottoms add up to 0.

    One row a pair: its group, its part above the line and its part below. A mean is the ratio of
    values to ones; a rate over sentences that of unsupported sentences to all. A resample draws as
    many groups as there are, with replacement, and takes all rows of each. Groups are drawn in the
    order of their labels, so the order of the rows does not matter. Empty where there is no row.

    Raises:
        ValueError: the lengths differ, a value is not finite, n_resamples is below 1, or seed is
            negative.
        TypeError: seed is no integer.
    """
    if not len(groups) == len(tops) == len(bottoms):
        raise ValueError(
            f"there are {len(groups)} groups, {len(tops)} tops and {len(bottoms)} bottoms; give one"
            " of each a row"
        )
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples!r}; draw at least 1")
    if not all(map(math.isfinite, (*tops, *bottoms))):
        raise ValueError("a top or a bottom is not finite; leave its row out")
    generator = Generator(PCG64(operator.index(seed)))
    if not len(groups):
        return np.empty(0)
    members = rows_by_group(groups)
    above, below = (
        np.array([math.fsum(values[row] for row in rows) for rows in members])
        for values in (tops, bottoms)
    )
    drawn = generator.integers(len(members), size=(n_resamples, len(members)), dtype=np.intp)
    sums = below[drawn].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios: NDArray[np.float64] = np.where(sums == 0, np.nan, above[drawn].sum(axis=1) / sums)
    return ratios
