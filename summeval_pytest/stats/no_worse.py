"""Tests of "the new system is no worse by more than a margin", on paired gains.

A gain is new minus old on one paper, turned so that higher is better. The test is Student's t with
half a paper that gains the whole range of the number, and half a paper that loses it. So equal
papers do not give certainty. The tenths of `stats.intervals.change_interval` are too few for one
side: where most scores are 1, they let a true drop of the margin pass in 9 % of suites of ten
papers. `python -m tests.benchmarks.coverage` simulates it.
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROWS: Final = 1.0
"""So many papers are added, half of them at either end of the range."""
_MOST: Final = 1_000_000


def refuted_drop(gains: Sequence[float], *, level: float, width: float = 1.0) -> float:
    """The smallest margin of which "the true mean drop is the margin or more" is refuted.

    With n gains of mean m and standard deviation s, of a number whose range is ``width`` wide:

        v = ((n - 1) * s^2 + width^2) / n
        p of a margin = 1 - T[n - 1]((m + margin) / sqrt(v / (n + 1))), refuted at most ``level``

    It is infinite for fewer than two gains.
    """
    if len(gains) < 2:  # noqa: PLR2004 - one gain has no variance
        return math.inf
    error = _error(statistics.variance(gains), len(gains), width)
    return _quantile(len(gains), level) * error - statistics.fmean(gains)


def papers_to_refute(
    gains: Sequence[float], *, margin: float, level: float, width: float = 1.0
) -> int | None:
    """How many papers with the mean and deviation of these refute a drop of ``margin``.

    None where their mean itself drops by the margin, where a million are too few, or for one gain.
    """
    distance = statistics.fmean(gains) + margin
    if len(gains) < 2 or distance <= 0:  # noqa: PLR2004 - one gain has no variance
        return None
    variance = statistics.variance(gains)

    def is_refuted(n: int) -> bool:
        return _quantile(n, level) * _error(variance, n, width) <= distance

    n_needed = 2 + bisect_left(range(2, _MOST), True, key=is_refuted)
    return n_needed if n_needed < _MOST else None


def pass_chance(
    margin: float, deviation: float, n_papers: int, *, level: float, width: float = 1.0
) -> float:
    """The chance that a system that is as good as the old one passes a margin.

    ``deviation`` is that of the gains over papers, above 0. Gains are taken to be normal, with the
    deviation of the sample:

        chance = Phi((margin - t * error) * sqrt(n) / deviation)
    """
    from scipy.special import ndtr

    spare = margin - _quantile(n_papers, level) * _error(deviation**2, n_papers, width)
    return float(ndtr(spare * math.sqrt(n_papers) / deviation))


def passing_margin(
    deviation: float, n_papers: int, *, chance: float, level: float, width: float = 1.0
) -> float:
    """The margin that a system as good as the old one passes with this chance."""
    from scipy.special import ndtri

    error = _quantile(n_papers, level) * _error(deviation**2, n_papers, width)
    return error + float(ndtri(chance)) * deviation / math.sqrt(n_papers)


def _error(variance: float, n: int, width: float) -> float:
    """The standard error of a mean gain."""
    total = (n - 1) * variance + _ROWS * width**2
    return math.sqrt(total / (n + _ROWS - 1) / (n + _ROWS))


def _quantile(n: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 1 - level))
