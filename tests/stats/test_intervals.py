"""Intervals in closed form: worked examples, laws, and how often they cover the truth."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.stats.intervals import (
    Interval,
    change_interval,
    jackknife_interval,
    mean_interval,
    missed_errors,
    share_interval,
)

scores = st.lists(st.floats(0.0, 1.0), min_size=2, max_size=40)


def bounds(interval: Interval) -> tuple[float, float]:
    """Both bounds, which are there."""
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


def test_mean_interval_worked_example() -> None:
    """Four values; every step of the formula is written out."""
    rows, mean = 4.2, (2.0 + 0.1) / 4.2
    variance = (1.5 + 0.1) / rows - mean**2  # squares: 1 + .25 + .25 + 0
    reach = 3.182446305 * math.sqrt(variance / 3.2) / (mean * (1 - mean))  # t[3] at .975
    logits = (math.log(mean / (1 - mean)) + side * reach for side in (-1, 1))
    low, high = (1 / (1 + math.exp(-each)) for each in logits)
    result = mean_interval([1.0, 0.5, 0.5, 0.0], high=1.0)
    assert (result.low, result.high) == pytest.approx((low, high))


def test_share_interval_is_exact_where_groups_do_not_matter() -> None:
    """SciPy's interval of 7 of 10, whose items agree within a group less than chance would have."""
    from scipy.stats import binomtest

    exact = binomtest(7, 10).proportion_ci(method="exact")
    result = share_interval(np.array([1.0, 2.0, 1.0, 2.0, 1.0]), np.full(5, 2.0))
    assert (result.low, result.high) == pytest.approx((exact.low, exact.high))
    # Clopper and Pearson 1934: the lower bound of n of n is .025 ** (1 / n)
    result = share_interval(np.full(3, 3.0), np.full(3, 3.0))
    assert (result.low, result.high) == pytest.approx((0.025 ** (1 / 9), 1.0))
    # ten items in two groups of one kind each tell as much as two items
    alike, mixed = (share_interval(np.array(hits), np.full(2, 5.0)) for hits in ([5, 0], [3, 2]))
    assert bounds(alike)[0] < bounds(mixed)[0]


@given(scores)
def test_mean_interval_holds_the_mean_and_stays_in_the_range(values: list[float]) -> None:
    """Also where all values are at one end of the range, and it has width there."""
    low, high = bounds(mean_interval(values, high=1.0))
    assert 0.0 <= low <= math.fsum(values) / len(values) <= high <= 1.0
    assert low < high


@given(scores)
def test_order_and_scale_of_values_change_no_interval(values: list[float]) -> None:
    """Values on a scale of 1 to 4 have the interval of their shares on that scale."""
    result = mean_interval(values, high=1.0)
    scaled = mean_interval([1 + 3 * value for value in reversed(values)], low=1.0, high=4.0)
    assert result == mean_interval(values[::-1], high=1.0)
    shares = [(bound - 1) / 3 for bound in bounds(scaled)]
    assert [result.low, result.high] == pytest.approx(shares, abs=1e-9)


@given(scores)
def test_change_interval_is_symmetric(changes: list[float]) -> None:
    """What one system gains, the other one loses."""
    low, high = bounds(change_interval(changes))
    assert bounds(change_interval([-each for each in changes])) == pytest.approx((-high, -low))


@pytest.mark.parametrize("interval", [mean_interval, change_interval])
def test_one_value_has_no_interval(interval: Callable[[list[float]], Interval]) -> None:
    """One paper says nothing about others, nor do the twenty sentences of one summary."""
    assert interval([0.5]) == interval([]) == Interval(None, None)
    for items in (np.zeros(2), np.array([20.0])):
        assert share_interval(items, items) == Interval(None, None)


def test_jackknife_interval_worked_example() -> None:
    """Three groups: z of .5 is .5493, those without one group are .6931, .5493 and .3095."""
    result = jackknife_interval(0.5, [0.6, 0.5, 0.3], at_worst=None)
    reach = 4.302652730 * math.sqrt(2 / 3 * (0.1438**2 + 0.0**2 + 0.2398**2))  # t[2] at .975
    low, high = math.tanh(0.5493 - reach), math.tanh(0.5493 + reach)
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-3)
    # leaving one group out must not decide whether there is a coefficient
    assert jackknife_interval(None, [0.5, 0.5], at_worst=0.0) == Interval(None, None)
    assert jackknife_interval(0.5, [0.5, None, None, None, 0.4], at_worst=0.0).low is None


def test_a_sample_without_an_error_has_width() -> None:
    """The judge that errs in no case of nine may err in a third of all: 9 + 4.56 items."""
    assert 9 / (9 + missed_errors(9)) == pytest.approx(0.025 ** (1 / 9))
    assert jackknife_interval(1.0, [1.0] * 3, at_worst=0.2) == Interval(0.2, 1.0)
    counts, same = mean_interval([0.0] * 10), change_interval([0.0] * 10)
    assert (counts.high, same.low) == pytest.approx((0.1044, -0.1044), abs=1e-4)
