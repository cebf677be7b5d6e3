"""Paired tests: of a drop, with Holm's correction, and of "no worse by more than a margin".

Two runs read the same papers, so they are compared paper by paper. If nothing differed, either
sign of a difference would be as likely. The test of a drop counts how often random signs give a sum
as low as the differences did (Fisher 1935, chapter 3). It assumes no normal distribution, so it
suits ratings with many ties as well as scores.

The test of "no worse" is Student's t on gains: new minus old on one paper, turned so that higher is
better. It has half a paper that gains the whole range of the number, and half a paper that loses
it. So equal papers do not give certainty. The tenths of `stats.intervals.change_interval` are too
few for one side: where most scores are 1, they let a true drop of the margin pass in 9 % of suites
of ten papers. `python -m tools.benchmarks.coverage` simulates it.
"""

from __future__ import annotations

import math
import operator
import statistics
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]


_TIE: Final = 1e-9
"""Two sums are one where they differ by less than this share of the sum of absolute differences."""
_PAPERS_A_BYTE: Final = 8
_ROWS: Final = 1.0
"""So many papers are added to gains, half of them at either end of the range."""
_MOST: Final = 1_000_000


def drop_p_value(differences: Sequence[float], *, n_flips: int = 9999, seed: int) -> float:
    """The p value of a drop: the share of sign flips that give a sum as low as the one observed.

    ``differences`` are new minus old, one a paper, in any order. The hypothesis to refute is that
    they are symmetric about 0. The p value is in (0, 1]; it is 1 where all differences are 0.
    Lowering a difference never raises it, with one seed.

    All 2^n assignments of signs are counted where they are at most n_flips + 1. Otherwise n_flips
    random ones are drawn and p = (count + 1) / (n_flips + 1), which is never 0 and errs high
    (Phipson and Smyth 2010). Sums that differ by rounding only count as equal.

    A ValueError where there is no difference, one is not finite, n_flips is below 1, or seed is
    negative; a TypeError where seed is no integer.
    """
    values = _sorted_values(differences)
    # index() refuses None, for which PCG64 would take its seed from the machine.
    if (number := operator.index(seed)) < 0:
        raise ValueError(f"seed is {seed!r}; give 0 or more")
    if n_flips < 1:
        raise ValueError(f"n_flips is {n_flips!r}; draw at least 1")
    # The sum after a flip is the observed sum less twice the sum of what was flipped. So it is as
    # low as observed where what was flipped does not sum to less than 0.
    least = -_TIE * float(np.abs(values).sum())
    if 2 ** len(values) <= n_flips + 1:
        return float(np.mean(_subset_sums(values) >= least))
    flipped = np.zeros(n_flips)
    for first, draws in enumerate(_subsets(len(values), n_flips, number)):
        chunk = values[first * _PAPERS_A_BYTE : (first + 1) * _PAPERS_A_BYTE]
        flipped += _subset_sums(chunk)[draws]
    return (int(np.count_nonzero(flipped >= least)) + 1) / (n_flips + 1)


def least_p_value(n_papers: int, n_tests: int) -> float:
    """The least p value of papers that are all worse, corrected for so many tests."""
    return n_tests * 0.5**n_papers


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p values, in the order given: reject those at or below the level.

    With p_(1) <= ... <= p_(m), the i-th is max over j <= i of (m - j + 1) * p_(j), at most 1
    (Holm 1979). The chance of any false rejection is then at most the level, whatever ties the
    tests to each other. A ValueError where a p value is not between 0 and 1.
    """
    for test, p_value in enumerate(p_values):
        if not 0 <= p_value <= 1:
            raise ValueError(f"p_values[{test}] is {p_value!r}; a p value is between 0 and 1")
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for n_smaller, test in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - n_smaller) * p_values[test]))
        adjusted[test] = highest
    return tuple(adjusted)


def _sorted_values(differences: Sequence[float]) -> Floats:
    if not len(differences):
        raise ValueError("there are no differences; give at least one paper that both runs scored")
    for paper, value in enumerate(differences):
        if not math.isfinite(value):
            raise ValueError(
                f"differences[{paper}] is {value!r}; leave papers that a run did not score out"
            )
    # Sorted, so that the papers' order does not matter and lower values meet the same flips.
    values = np.sort(np.asarray(differences, dtype=np.float64))
    # A power of two scales without rounding, and no sum of huge values overflows.
    _, exponent = np.frexp(np.abs(values).max())
    return np.asarray(np.ldexp(values, -exponent))


def _subset_sums(values: Floats) -> Floats:
    # The sum of each of the 2^n subsets: bit i of an index tells whether value i is in it.
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


@lru_cache(maxsize=8)
def _subsets(n_papers: int, n_flips: int, seed: int) -> tuple[NDArray[np.uint8], ...]:
    # Which papers to flip, eight to a byte: 2.5 MB for 2,000 papers and 9,999 flips.
    generator = Generator(PCG64(seed))
    sizes = (min(_PAPERS_A_BYTE, n_papers - i) for i in range(0, n_papers, _PAPERS_A_BYTE))
    draws = tuple(generator.integers(2**size, size=n_flips, dtype=np.uint8) for size in sizes)
    for drawn in draws:
        drawn.flags.writeable = False
    return draws


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
