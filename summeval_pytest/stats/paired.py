"""Paired tests of a drop: sign-flip p values, Holm's correction, power.

Two runs read the same papers, so they are compared paper by paper. If nothing differed, either
sign of a difference would be as likely. The test counts how often random signs give a sum as low as
the differences did (Fisher 1935, chapter 3). It assumes no normal distribution, so it suits ratings
with many ties as well as scores.
"""

from __future__ import annotations

import math
import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import PCG64, Generator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


_TIE: Final = 1e-9
"""Two sums are one where they differ by less than this share of the sum of absolute differences."""
_PAPERS_A_BYTE: Final = 8


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


_EXACT_BITS: Final = 53
"""From so many papers on, 2^-n_papers is finer than what a float can tell apart in a level."""
_MAX_MIXED: Final = 100
"""Where more papers than this change on average, how many do hardly matters."""
_HUGE: Final = 1e6
"""In standard deviations, a drop that no suite can overlook if it can see any."""
_CERTAIN: Final = 8.0
"""So many standard deviations beyond the critical value, power is 1 to 13 digits."""


def power_of_drop(  # noqa: PLR0913 - by keyword, each a fact of its own
    drop: float,
    deviation: float,
    n_papers: int,
    *,
    level: float = 0.05,
    step: float = 0.0,
    unchanged: float = 0.0,
) -> float:
    """The chance that a true mean drop is significant, that is, has a p value of at most level.

    ``deviation`` is the standard deviation of the paired differences. Two facts about them, where
    known, keep the power of a small suite from being overstated. ``step`` is the least amount by
    which they can differ from each other, such as 1/3 for a rating of 1 to 3 divided by 3; leave
    it 0 for scores that take nearly any value. ``unchanged`` is the share of papers whose
    difference is 0, below 1: under any sign they are 0, so they tell the test nothing. For one of m
    tests under Holm's correction give level / m: its power is that or more.

    The p values of n papers are multiples of 2^-n, so the test works at a = floor(level * 2^n) /
    2^n, which is 0, and so is the power, where 2^-n is above level. With F the noncentral t
    distribution of n - 1 degrees of freedom and c its 1 - a quantile under no drop,

        power = 1 - F(c; (drop - step / n) * sqrt(n) / deviation)

    since a flip moves the sum by 2 * step or more, and sums fall short of the critical value by
    half of that on average. Where a is 2^-n only differences that are all negative are
    significant: power = Phi((drop - step / n) / deviation)^n. With papers unchanged it is the
    lesser of this and its mean over the number of papers that do change, which is binomial.

    In simulations the share of significant drops was within 0.02 of this for normal differences (up
    to 0.06 below where a is 2 or 3 times 2^-n), and for ratings with ``step`` and ``unchanged`` at
    most 0.02 below for 40 papers, 0.11 for 8; without ``unchanged`` 0.3 below for 8.
    """
    whole = _power_if_all_change(drop, deviation, n_papers, level=level, step=step)
    changed = 1 - unchanged
    if not (whole and unchanged) or changed * n_papers > _MAX_MIXED:
        return whole
    # The mean and the deviation of the differences that are not 0.
    mean = drop / changed
    variance = max(0.0, (changed * deviation**2 - unchanged * drop**2) / changed**2)
    by_number = (
        chance * _power_if_all_change(mean, math.sqrt(variance), number, level=level, step=step)
        for number, chance in enumerate(_chances_of_numbers(n_papers, changed))
    )
    return min(whole, math.fsum(by_number))


def detectable_drop(  # noqa: PLR0913 - by keyword, each a fact of its own
    deviation: float,
    n_papers: int,
    *,
    level: float = 0.05,
    power: float = 0.8,
    step: float = 0.0,
    unchanged: float = 0.0,
) -> float | None:
    """The smallest true mean drop found with this power, or None where no drop can be.

    See `power_of_drop`. No drop can be found where 2^-n is above level for the n papers, or for so
    many of the changed ones that no drop reaches the power. Where deviation is 0 every drop that
    can be found is, so the smallest is 0.
    """
    from scipy.optimize import brentq

    # In units of the deviation, so that the tolerance is relative to it.
    unit, steps = (deviation, step / deviation) if deviation else (0.0, 0.0)

    def missing(drop: float) -> float:
        return (
            power_of_drop(drop, 1.0, n_papers, level=level, step=steps, unchanged=unchanged) - power
        )

    highest = _HUGE + steps
    if missing(highest) < 0:
        return None
    return unit * float(brentq(missing, 0.0, highest, xtol=1e-12)) if missing(0.0) < 0 else 0.0


def _power_if_all_change(
    drop: float, deviation: float, n_papers: int, *, level: float, step: float
) -> float:
    from scipy import special

    if not (attained := _attained_level(level, n_papers)):
        return 0.0
    if deviation == 0:
        return 1.0
    effect = (drop - step / n_papers) / deviation
    if attained == math.ldexp(1.0, -n_papers):
        return float(special.ndtr(effect) ** n_papers)
    freedom = n_papers - 1
    shift = effect * math.sqrt(n_papers)
    critical = -float(special.stdtrit(freedom, attained))
    # A normal approximation, because nctdtr gives nan far from the critical value.
    spread = math.sqrt(1 + critical**2 / (2 * freedom))
    if abs(distance := (shift - critical) / spread) > _CERTAIN:
        return 1.0 if distance > 0 else 0.0
    return 1.0 - float(special.nctdtr(freedom, shift, critical))


@lru_cache(maxsize=8)
def _chances_of_numbers(n_papers: int, changed: float) -> tuple[float, ...]:
    from scipy.stats import binom

    # Twice as many as on average, where that is _MAX_MIXED, is ten deviations off.
    numbers = np.arange(min(n_papers, 2 * _MAX_MIXED) + 1)
    return tuple(np.asarray(binom.pmf(numbers, n_papers, changed)).tolist())


def _attained_level(level: float, n_papers: int) -> float:
    # The largest p value a test of n papers can have that is still at most level.
    if n_papers <= 1:
        return 0.0
    if n_papers >= _EXACT_BITS:
        return level
    return math.ldexp(math.floor(math.ldexp(level, n_papers)), -n_papers)
