from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats.agreement import shares
from summeval_pytest.stats.correlation import pearson
from summeval_pytest.stats.intervals import Interval, more_groups
from summeval_pytest.study.agreement.bootstrap import (
    Labels,
    Rows,
    bootstrap_interval,
    bootstrap_sums,
    drawn_groups,
    resampled_ratios,
    rows_by_group,
)
from tests.resampling import bootstrap_mean

if TYPE_CHECKING:
    from random import Random

    from numpy.typing import NDArray


ratings = st.integers(min_value=1, max_value=4).map(float)
groups = st.sampled_from("abcdef")
few_examples = settings(deadline=None, max_examples=15)

NOTHING = Interval(None, None)


def interval_of(rows: list[tuple[str, float, float]]) -> Interval:
    """The interval of Pearson over rows of label, x and y, from 40 resamples."""
    x, y = np.array([x for _, x, _ in rows]), np.array([y for *_, y in rows])

    def statistic(drawn: Rows) -> float | None:
        return pearson(x[drawn], y[drawn])

    return bootstrap_interval([row[0] for row in rows], statistic, n_resamples=40, seed=7)


def assert_close(result: Interval, expected: Interval) -> None:
    """Equal but for floating point."""
    for bound, other in ((result.low, expected.low), (result.high, expected.high)):
        assert bound == (None if other is None else pytest.approx(other, abs=1e-9))


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


def share(sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """The first count as a share of the second; NaN where that is 0."""
    return shares(sums[:, 0], sums[:, 1])


@few_examples
@given(st.lists(st.tuples(groups, st.integers(0, 1), st.integers(0, 1)), max_size=20))
def test_interval_of_sums_is_that_of_the_rows(rows: list[tuple[str, int, int]]) -> None:
    """Law: counting a group once draws what counting its rows again draws, digit by digit."""
    names = sorted({label for label, _, _ in rows})
    counts = np.zeros((len(names), 2), dtype=np.int64)
    for label, part, whole in rows:
        counts[names.index(label)] += (part * whole, whole)

    def of_rows(drawn: Rows) -> float | None:
        whole = sum(rows[row][2] for row in drawn)
        part = sum(rows[row][1] * rows[row][2] for row in drawn)
        return part / whole if whole else None

    labels = [label for label, _, _ in rows]
    expected = bootstrap_interval(labels, of_rows, n_resamples=40, seed=7)
    assert bootstrap_sums(counts, share, n_resamples=40, seed=7) == expected


def test_groups_without_a_value_are_drawn_and_left_out_of_the_mean() -> None:
    """A resample of such groups only is undefined; nothing to resample is no interval around 0."""
    # Two groups, one without a value: a quarter of the resamples draws the latter twice.
    for result in (
        bootstrap_sums(np.array([[1, 2], [0, 0]]), share, seed=1),
        bootstrap_mean([0.5, None], n_resamples=1000, seed=1),
    ):
        assert (result.low, result.high) == (0.5, 0.5)
    assert bootstrap_mean([None, None], seed=1) == bootstrap_mean([], seed=1) == NOTHING
    assert bootstrap_interval([], lambda _rows: 0.0, seed=1) == NOTHING


def test_seeded_interval_keeps_its_digits() -> None:
    """NumPy promises PCG64's stream, not its Generator's draws: a change has to be seen."""
    result = bootstrap_mean([0.0, 1.0, 2.0, 4.0, 8.0, None], n_resamples=100, seed=2024)
    assert_close(result, Interval(0.6666666666666666, 5.8))
    values = np.random.Generator(np.random.PCG64(1)).normal(size=20).tolist()
    assert bootstrap_mean(values, seed=2) != bootstrap_mean(values, seed=1)


def test_one_group_only_is_its_own_interval() -> None:
    """Every resample is the sample; the docstring warns that this says nothing of other papers."""
    rows = [("only", 1.0, 1.0), ("only", 2.0, 3.0), ("only", 3.0, 2.0)]
    assert_close(interval_of(rows), Interval(0.5, 0.5))


@pytest.mark.parametrize(("n_undefined", "has_bounds"), [(5, True), (6, False)])
def test_bounds_need_half_of_the_resamples(n_undefined: int, has_bounds: bool) -> None:
    """An interval over the lucky resamples alone would look surer than it is."""
    calls = iter(range(10))

    def statistic(_rows: Rows) -> float | None:
        return None if next(calls) < n_undefined else 1.0

    result = bootstrap_interval(["a", "b"], statistic, n_resamples=10, seed=1)
    assert result == (Interval(1.0, 1.0) if has_bounds else NOTHING)


@pytest.mark.parametrize(
    ("values", "options", "error", "message"),
    [
        ([1.0], {"n_resamples": 0, "seed": 1}, ValueError, "^n_resamples is 0; draw at least 1$"),
        ([1.0], {"seed": None}, TypeError, "NoneType"),  # the machine would choose
        ([1.0], {"seed": -1}, ValueError, "non-negative"),
    ],
)
def test_what_cannot_be_resampled_is_refused(
    values: list[float], options: dict[str, int], error: type[Exception], message: str
) -> None:
    """Zero resamples would be an interval that nobody computed."""
    with pytest.raises(error, match=message):
        bootstrap_mean(values, **options)


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_a_statistic_that_is_not_finite_is_refused(value: float) -> None:
    """One that is undefined is None."""
    with pytest.raises(ValueError, match=f"^the statistic gave {value} for a resample; give None"):
        bootstrap_interval(["a"], lambda _rows: value, seed=1)


def test_one_value_each_gives_the_interval_that_the_mean_has() -> None:
    """Oracle: `bootstrap_mean`, which draws another way; both are good to a hundredth."""
    values = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.55, 0.6]
    result = resampled_ratios(range(8), values, [1.0] * 8, n_resamples=4000, seed=1)
    low, high = np.quantile(result, [0.025, 0.975])
    other = bootstrap_mean(list(values), n_resamples=4000, seed=2)
    assert other.low is not None
    assert other.high is not None
    assert (low, high) == pytest.approx((other.low, other.high), abs=0.02)


def test_a_ratio_is_of_sums_and_not_of_ratios() -> None:
    """Worked example: 1 of 1 and 0 of 3 make 1 / 4 together, 1 or 0 where one is drawn twice."""
    result = resampled_ratios(["a", "b"], [1, 0], [1, 3], n_resamples=200, seed=3)
    assert set(result.tolist()) == {0.0, 0.25, 1.0}


@few_examples
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abc"), st.floats(-10, 10), st.integers(1, 5)), min_size=1
    ),
    order=st.randoms(use_true_random=False),
)
def test_order_does_not_matter_to_ratios(rows: list[tuple[str, float, int]], order: Random) -> None:
    """A suite's files may be sorted anew."""
    other = list(rows)
    order.shuffle(other)
    one, two = (
        resampled_ratios(
            [group for group, _, _ in each],
            [top for _, top, _ in each],
            [bottom for _, _, bottom in each],
            n_resamples=20,
            seed=5,
        ).tolist()
        for each in (rows, other)
    )
    assert one == two


@pytest.mark.parametrize(
    ("tops", "message"),
    [
        ([1.0], "there are 2 groups, 1 tops and 2 bottoms"),
        ([1.0, math.nan], "not finite; leave its row out"),
    ],
)
def test_ratios_of_what_is_no_table_are_refused(tops: list[float], message: str) -> None:
    """Each message says what to do; no rows are no fault."""
    with pytest.raises(ValueError, match=message):
        resampled_ratios(["a", "b"], tops, [1, 1], seed=1)
    assert resampled_ratios([], [], [], seed=1).tolist() == []


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


@few_examples
@given(st.lists(st.text(max_size=2), max_size=30))
def test_every_row_stands_in_exactly_one_group(labels: list[str]) -> None:
    """No row may be lost or counted twice."""
    groups = rows_by_group(labels)
    assert sorted(row for group in groups for row in group.tolist()) == list(range(len(labels)))
    assert len(groups) == len(set(labels))


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
