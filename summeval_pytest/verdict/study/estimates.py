"""Means and rates over papers, each with its interval and with how many of how many it covers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.stats.ratios import resampled_ratios

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

SEED: Final = 20241
RESAMPLES: Final = 1000
LEVEL: Final = 0.95
DIGITS: Final = 9
"""What is told of a number; the rest is rounding, which differs between machines."""

Part = tuple[str, float | None]
"""A paper's group, and its value; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean or a rate, in the unit of what it is taken of.

    Attributes:
        value: None where nothing has a value.
        low: Lower bound of the 95 % interval over papers; None with fewer than two groups.
        high: Upper bound.
        n: How many have a value.
        n_of: How many there are; the rest is unscored or lacking, and never counted as 0.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    n_of: int


def rounded(value: float) -> float:
    """The number to 9 digits behind the point, without a negative zero."""
    return round(value, DIGITS) + 0.0


def mean_of(parts: Iterable[Part]) -> Mean:
    """The mean of one value a paper, with the 95 % bootstrap interval over papers.

    Papers with the same reference are resampled as one. The order of the papers does not matter.
    """
    every = tuple(parts)
    known = [(group, value) for group, value in every if value is not None]
    return _estimate(known, [1.0] * len(known), n=len(known), n_of=len(every))


def rate_of(parts: Sequence[tuple[str, float, float]], *, n_of: int) -> Mean:
    """The rate of sums: (group, how many it is true of, how many it could be) a paper.

    ``n`` counts the papers with something to count; ``n_of`` is given.
    """
    known = [(group, true, every) for group, true, every in parts if every]
    tops = [(group, true) for group, true, _ in known]
    return _estimate(tops, [every for _, _, every in known], n=len(known), n_of=n_of)


def _estimate(
    tops: Sequence[tuple[str, float]], bottoms: Sequence[float], *, n: int, n_of: int
) -> Mean:
    if not n:
        return Mean(value=None, n=0, n_of=n_of)
    value = math.fsum(top for _, top in tops) / math.fsum(bottoms)
    low, high = bounds(draws(tops, bottoms))
    return Mean(value=rounded(value), low=low, high=high, n=n, n_of=n_of)


def draws(tops: Sequence[tuple[str, float]], bottoms: Sequence[float]) -> NDArray[np.float64]:
    """The ratio in each of 1,000 resamples of papers; none with fewer than two groups.

    From one group nothing is learnt about others, so there is no interval to give.
    """
    groups = [group for group, _ in tops]
    if len(set(groups)) < 2:  # noqa: PLR2004 - one group varies with nothing
        return np.empty(0)
    values = [top for _, top in tops]
    found = resampled_ratios(groups, values, bottoms, n_resamples=RESAMPLES, seed=SEED)
    return found[~np.isnan(found)]


def bounds(found: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """The 95 % percentile interval of resampled values; no bounds without values."""
    if not len(found):
        return None, None
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return rounded(float(low)), rounded(float(high))
