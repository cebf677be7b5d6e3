from __future__ import annotations

import numpy as np
import pytest

from summeval_pytest.stats.intervals import Interval, more_groups
from summeval_pytest.study.agreement.coefficients import (
    Labels,
    Rows,
    bootstrap_interval,
    drawn_groups,
    resampled_ratios,
    rows_by_group,
)
from tests.resampling import bootstrap_mean

NOTHING = Interval(None, None)


def test_interval_of_two_values_worked_example() -> None:
    """Means of two are 0, 1/2 and 1 with chances 1/4, 1/2 and 1/4, so the quantiles are known."""
    assert bootstrap_mean([1.0, 0.0], seed=1) == Interval(0.0, 1.0)


def test_mean_interval_meets_scipy() -> None:
    """SciPy 1.17.1 draws otherwise, but its interval of the same values is the same."""
    # The oracle is scipy.stats.bootstrap of np.mean, 100,000 resamples, "percentile", rng=5.
    values = np.random.Generator(np.random.PCG64(3)).normal(size=40).tolist()
    result = bootstrap_mean(values, n_resamples=4000, seed=5)
    # A bound's standard error is about 0.008: the mean's is 0.18, and 4000 resamples were drawn.
    assert result.low == pytest.approx(-0.3987, abs=0.025)
    assert result.high == pytest.approx(0.3199, abs=0.025)


def test_groups_without_a_value_are_drawn_and_left_out_of_the_mean() -> None:
    """A resample of such groups only is undefined; nothing to resample is no interval around 0."""
    # Two groups, one without a value: a quarter of the resamples draws the latter twice.
    assert bootstrap_mean([0.5, None], n_resamples=1000, seed=1) == Interval(0.5, 0.5)
    assert bootstrap_mean([None, None], seed=1) == bootstrap_mean([], seed=1) == NOTHING
    assert bootstrap_interval([], lambda _rows: 0.0, seed=1) == NOTHING


def test_seeded_interval_keeps_its_digits() -> None:
    """NumPy promises PCG64's stream, not its Generator's draws: a change has to be seen."""
    result = bootstrap_mean([0.0, 1.0, 2.0, 4.0, 8.0, None], n_resamples=100, seed=2024)
    assert (result.low, result.high) == pytest.approx((0.6666666666666666, 5.8))
    values = np.random.Generator(np.random.PCG64(1)).normal(size=20).tolist()
    assert bootstrap_mean(values, seed=2) != bootstrap_mean(values, seed=1)


@pytest.mark.parametrize(("n_undefined", "has_bounds"), [(5, True), (6, False)])
def test_bounds_need_half_of_the_resamples(n_undefined: int, has_bounds: bool) -> None:
    """An interval over the lucky resamples alone would look surer than it is."""
    calls = iter(range(10))

    def statistic(_rows: Rows) -> float | None:
        return None if next(calls) < n_undefined else 1.0

    result = bootstrap_interval(["a", "b"], statistic, n_resamples=10, seed=1)
    assert result == (Interval(1.0, 1.0) if has_bounds else NOTHING)


def test_a_ratio_is_of_sums_and_not_of_ratios() -> None:
    """Worked example: 1 of 1 and 0 of 3 make 1 / 4 together, 1 or 0 where one is drawn twice."""
    result = resampled_ratios(["a", "b"], [1, 0], [1, 3], n_resamples=200, seed=3)
    assert set(result.tolist()) == {0.0, 0.25, 1.0}


@pytest.mark.parametrize(
    ("labels", "rows"),
    [
        # The group that happens to come first in a file must not come first in a resample.
        (["zinc-01", "alga-02", "zinc-01", "alga-02"], [[1, 3], [0, 2]]),
        (np.array([1, 0, 1], dtype=np.intp), [[1], [0, 2]]),
        # An array of strings strips trailing NULs, and two papers would become one.
        (["a", "a\0"], [[0], [1]]),
    ],
)
def test_groups_are_sorted_by_label_and_rows_kept_in_order(
    labels: Labels, rows: list[list[int]]
) -> None:
    """Labels are names, or the numbers that a resample gives its groups."""
    assert [group.tolist() for group in rows_by_group(labels)] == rows


@pytest.mark.parametrize(
    ("value", "low", "high", "aim", "n_more"),
    [
        (0.8, 0.6, 0.9, 0.7, 30),  # half of the distance: 4 times 10 groups
        (0.65, 0.6, 0.8, 0.7, 80),  # a third, upwards: 9 times 10
        (0.8, 0.6, 0.9, 0.65, 8),  # 3/4: 16/9 of 10 is 17.8
        (0.8, 0.6, 0.9, 0.6001, 1),  # less than one group more
        (0.8, 0.6, 0.9, 0.6, 0),
        (0.8, 0.6, 0.9, 0.95, 0),
        (0.8, 0.6, 0.9, 0.8, None),
        (0.8, None, None, 0.7, 0),
    ],
)
def test_more_groups_by_hand(
    value: float, low: float | None, high: float | None, aim: float, n_more: int | None
) -> None:
    """Half the width takes four times the groups; what is decided takes none."""
    assert more_groups(value, Interval(low, high), aim, 10) == n_more


@pytest.mark.parametrize("n_groups", [1, 2, 7, 6001])
def test_draws_are_those_that_one_array_would_hold(n_groups: int) -> None:
    """Of many groups an array is too large; the intervals of old records must not move."""
    result = drawn_groups(n_groups, n_resamples=5, seed=3)
    whole = np.random.Generator(np.random.PCG64(3)).integers(n_groups, size=(5, n_groups))
    assert np.array_equal(result, whole)
