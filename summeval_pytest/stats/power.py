"""How large a drop a suite can see: the power of the paired test, before it is run.

A green verdict from few papers says little, and these functions say how little. They take the
differences of `drop_p_value`, new minus old and one a paper, to be about normal, and its sign flips
to act like a one-sided t test (noncentral t; Lehmann and Romano 2005, section 15.2).
"""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np

EXACT_BITS = 53
"""From so many papers on, 2^-n_papers is finer than what a float can tell apart in a level."""

MAX_MIXED = 100
"""Where more papers than this change on average, how many do hardly matters."""

HUGE = 1e6
"""In standard deviations, a drop that no suite can overlook if it can see any."""

CERTAIN = 8.0
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
    difference is 0: under any sign they are 0, so they tell the test nothing. For one of m tests
    under Holm's correction give level / m: its power is that or more.

    The p values of n papers are multiples of 2^-n, so the test works at a = floor(level * 2^n) /
    2^n, which is 0, and so is the power, where 2^-n is above level. With F the noncentral t
    distribution of n - 1 degrees of freedom and c its 1 - a quantile under no drop,

        power = 1 - F(c; (drop - step / n) * sqrt(n) / deviation)

    since a flip moves the sum by 2 * step or more, and sums fall short of the critical value by
    half of that on average. Where a is 2^-n only differences that are all negative are
    significant: power = Phi((drop - step / n) / deviation)^n. With papers unchanged it is the
    lesser of this and its mean over the number of papers that do change, which is binomial.

    The share of significant drops in simulations was within 0.02 of this for normal differences,
    but up to 0.06 below it where a is 2 or 3 times 2^-n. For ratings with ``step`` and
    ``unchanged`` given it was at most 0.02 below it for 40 papers, 0.05 for 12 and 0.11 for 8; at
    level 0.05 / 7, 0.04 for 40 and 0.15 for 12. For facet scores of which half were unchanged it
    was within 0.04; at level 0.05 / 7, at most 0.03 below and 0.07 above. Without ``unchanged`` it
    was 0.3 below for 8 papers.

    Raises:
        ValueError: an argument is out of its range or not finite.
    """
    _check("drop", drop, "above 0", is_valid=drop > 0)
    _check_common(deviation, level, step, unchanged)
    return _power(drop, deviation, n_papers, level=level, step=step, unchanged=unchanged)


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

    Raises:
        ValueError: an argument is out of its range or not finite.
    """
    from scipy.optimize import brentq

    _check_common(deviation, level, step, unchanged)
    _check("power", power, "between 0 and 1, such as 0.8", is_valid=0 < power < 1)
    # In units of the deviation, so that the tolerance is relative to it.
    unit, steps = (deviation, step / deviation) if deviation else (0.0, 0.0)
    found = partial(
        _power, deviation=1.0, n_papers=n_papers, level=level, step=steps, unchanged=unchanged
    )
    highest = HUGE + steps
    if found(highest) < power:
        return None
    if found(0.0) >= power:
        return 0.0
    return unit * float(brentq(lambda drop: found(drop) - power, 0.0, highest, xtol=1e-12))


def _power(  # noqa: PLR0913 - what the public functions take
    drop: float, deviation: float, n_papers: int, *, level: float, step: float, unchanged: float
) -> float:
    whole = _power_if_all_change(drop, deviation, n_papers, level=level, step=step)
    changed = 1 - unchanged
    if not (whole and unchanged) or changed * n_papers > MAX_MIXED:
        return whole
    # The mean and the deviation of the differences that are not 0.
    mean = drop / changed
    variance = max(0.0, (changed * deviation**2 - unchanged * drop**2) / changed**2)
    by_number = (
        chance * _power_if_all_change(mean, math.sqrt(variance), number, level=level, step=step)
        for number, chance in enumerate(_chances_of_numbers(n_papers, changed))
    )
    return min(whole, math.fsum(by_number))


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
    if abs(distance := (shift - critical) / spread) > CERTAIN:
        return 1.0 if distance > 0 else 0.0
    return 1.0 - float(special.nctdtr(freedom, shift, critical))


@lru_cache(maxsize=8)
def _chances_of_numbers(n_papers: int, changed: float) -> tuple[float, ...]:
    from scipy.stats import binom

    # Twice as many as on average, where that is MAX_MIXED, is ten deviations off.
    numbers = np.arange(min(n_papers, 2 * MAX_MIXED) + 1)
    return tuple(np.asarray(binom.pmf(numbers, n_papers, changed)).tolist())


def _attained_level(level: float, n_papers: int) -> float:
    # The largest p value a test of n papers can have that is still at most level.
    if n_papers <= 1:
        return 0.0
    if n_papers >= EXACT_BITS:
        return level
    return math.ldexp(math.floor(math.ldexp(level, n_papers)), -n_papers)


def _check_common(deviation: float, level: float, step: float, unchanged: float) -> None:
    _check("deviation", deviation, "0 or more", is_valid=deviation >= 0)
    _check("level", level, "between 0 and 1, such as 0.05", is_valid=0 < level < 1)
    _check("step", step, "0 or more", is_valid=step >= 0)
    _check("unchanged", unchanged, "from 0 to below 1", is_valid=0 <= unchanged < 1)


def _check(name: str, value: float, wanted: str, *, is_valid: bool) -> None:
    if not (is_valid and math.isfinite(value)):
        raise ValueError(f"{name} is {value!r}; give a finite number {wanted}")
