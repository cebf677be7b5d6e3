from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats.bootstrap import bootstrap_mean, resampled_ratios

if TYPE_CHECKING:
    from random import Random


def test_one_value_each_gives_the_interval_that_the_mean_has() -> None:
    """Oracle: `bootstrap_mean`, which draws another way; both are good to a few thousandths."""
    values = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.55, 0.6]
    found = resampled_ratios(range(8), values, [1.0] * 8, n_resamples=20_000, seed=1)
    low, high = np.quantile(found, [0.025, 0.975])
    other = bootstrap_mean(list(values), n_resamples=20_000, seed=2)
    assert other.low is not None
    assert other.high is not None
    assert (low, high) == pytest.approx((other.low, other.high), abs=0.01)


def test_a_ratio_is_of_sums_and_not_of_ratios() -> None:
    """Worked example: 1 of 1 and 0 of 3 make 1 / 4 together, 1 or 0 where one is drawn twice."""
    found = resampled_ratios(["a", "b"], [1, 0], [1, 3], n_resamples=200, seed=3)
    assert set(found.tolist()) == {0.0, 0.25, 1.0}


def test_all_rows_of_a_group_are_drawn_together() -> None:
    """One group varies with nothing, whatever its rows are."""
    found = resampled_ratios(["a", "a"], [0, 1], [1, 1], n_resamples=50, seed=3)
    assert set(found.tolist()) == {0.5}


def test_nothing_below_the_line_is_no_ratio() -> None:
    """A resample of papers without a sentence has no rate, and 0 would be one."""
    found = resampled_ratios(["a", "b"], [0, 1], [0, 2], n_resamples=200, seed=3)
    assert np.isnan(found).any()
    assert set(found[~np.isnan(found)].tolist()) == {0.5}


@settings(deadline=None, max_examples=30)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abc"), st.floats(-10, 10), st.integers(1, 5)), min_size=1
    ),
    order=st.randoms(use_true_random=False),
)
def test_the_order_of_rows_does_not_matter(
    rows: list[tuple[str, float, int]], order: Random
) -> None:
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
    ("tops", "n_resamples", "message"),
    [
        ([1.0], 10, "there are 2 groups, 1 tops and 2 bottoms"),
        ([1.0, float("nan")], 10, "not finite; leave its row out"),
        ([1.0, 2.0], 0, "n_resamples is 0; draw at least 1"),
    ],
)
def test_what_cannot_be_resampled_is_refused(
    tops: list[float], n_resamples: int, message: str
) -> None:
    """Each message says what to do."""
    with pytest.raises(ValueError, match=message):
        resampled_ratios(["a", "b"], tops, [1, 1], n_resamples=n_resamples, seed=1)


def test_no_rows_have_no_distribution() -> None:
    """Nothing to draw from, and no fault."""
    assert resampled_ratios([], [], [], seed=1).tolist() == []
