"""Are two ways of measuring the same thing as good as equal? Tests of a shift, and of none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def mcnemar_p_value(n_up: int, n_down: int) -> float:
    """McNemar's exact test: the two-sided p value of so many changes up and so many down.

    Were neither direction likelier, each change would be a toss of a coin; p is the chance of a
    split at least as uneven, in (0, 1], and 1 where nothing changed. Of ratings that went up and
    down it is the sign test. Source: McNemar 1947, with the binomial distribution in place of the
    normal one.

    Raises:
        ValueError: a count is negative.
    """
    if n_up < 0 or n_down < 0:
        raise ValueError(f"n_up is {n_up!r} and n_down is {n_down!r}; a count is not negative")
    if not n_up + n_down:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(n_up, n_up + n_down).pvalue)


def tost(differences: Sequence[float], margin: float) -> float:
    """Two one-sided t tests: the p value of a mean difference outside of ``margin``.

    A low one speaks for equivalence: the mean lies between -margin and margin.

        t_low  = (mean + margin) / (s / sqrt(n)),  p_low  = P(T >= t_low)
        t_high = (mean - margin) / (s / sqrt(n)),  p_high = P(T <= t_high)
        p      = max(p_low, p_high),  T with n - 1 degrees of freedom

    ``differences`` are paired, in any order. Where all are the same there is no spread to test
    against: p is 0 for a difference within the margin and 1 for another. Source: Schuirmann 1987.

    Raises:
        ValueError: there are fewer than 2 differences, one is not finite, or the margin is not
            above 0.
    """
    if len(differences) < 2:  # noqa: PLR2004 - a spread needs two
        raise ValueError(f"there are {len(differences)} differences; give at least 2")
    for place, value in enumerate(differences):
        if not math.isfinite(value):
            raise ValueError(f"differences[{place}] is {value!r}; leave unscored pairs out")
    if not 0 < margin < math.inf:
        raise ValueError(f"margin is {margin!r}; give a number above 0")
    values = np.sort(np.asarray(differences, dtype=np.float64))
    mean = math.fsum(values) / len(values)
    if values[0] == values[-1]:
        return 0.0 if abs(mean) < margin else 1.0
    from scipy.stats import t

    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    p_low = t.sf((mean + margin) / error, len(values) - 1)
    p_high = t.cdf((mean - margin) / error, len(values) - 1)
    return float(max(p_low, p_high))
