from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats.bootstrap import bootstrap_interval
from summeval_pytest.stats.correlation import roc_auc, roc_auc_bounds

items = st.lists(
    st.tuples(st.sampled_from("abcd"), st.booleans(), st.integers(0, 5).map(float)), max_size=20
)


def test_a_hand_counts_the_pairs_in_order() -> None:
    """Worked example: right .9, .5 against wrong .5, .1, .7.

    .9 beats all three; .5 beats .1, ties with .5 and loses to .7: (3 + 1.5) / 6.
    """
    right = [True, False, True, False, False]
    assert roc_auc(right, [0.9, 0.5, 0.5, 0.1, 0.7]) == pytest.approx(4.5 / 6)


def test_it_is_what_scikit_learn_prints() -> None:
    """Oracle: the example in scikit-learn's documentation of ``metrics.auc`` and its ROC curve."""
    assert roc_auc([False, False, True, True], [0.1, 0.4, 0.35, 0.8]) == 0.75


@given(items)
def test_it_is_mann_whitney_over_its_maximum(rows: list[tuple[str, bool, float]]) -> None:
    """Oracle: SciPy's U statistic, ties and all."""
    ups = [number for _, right, number in rows if right]
    downs = [number for _, right, number in rows if not right]
    found = roc_auc([right for _, right, _ in rows], [number for *_, number in rows])
    if ups and downs:
        oracle = stats.mannwhitneyu(ups, downs).statistic / (len(ups) * len(downs))
        assert found == pytest.approx(float(oracle))
    else:
        assert found is None


@given(items)
def test_neither_the_order_nor_the_scale_matters(rows: list[tuple[str, bool, float]]) -> None:
    """Law: any growing function has the same, and so has any order of the items."""
    right, numbers = [r for _, r, _ in rows], [n for *_, n in rows]
    found = roc_auc(right, numbers)
    assert roc_auc(right, [2.0**number for number in numbers]) == found
    assert roc_auc(right[::-1], numbers[::-1]) == found
    turned = roc_auc([not each for each in right], numbers)
    assert found is None if turned is None else turned == pytest.approx(1 - (found or 0.0))


@settings(deadline=None, max_examples=30)
@given(items)
def test_bounds_are_those_of_resampled_papers(rows: list[tuple[str, bool, float]]) -> None:
    """Law: weighing each item by how often its paper was drawn is drawing the paper's items."""
    groups = [group for group, *_ in rows]
    right, numbers = [r for _, r, _ in rows], [n for *_, n in rows]
    interval = bootstrap_interval(
        groups,
        lambda drawn, _: roc_auc([right[row] for row in drawn], [numbers[row] for row in drawn]),
        n_resamples=20,
        seed=3,
    )
    low, high = roc_auc_bounds(groups, right, numbers, n_resamples=20, seed=3)
    assert (low is None, high is None) == (interval.low is None, interval.high is None)
    if low is not None:
        assert (low, high) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize(
    ("right", "numbers", "message"),
    [
        ([True], [0.5, 0.6], "there are 1 items and 2 numbers; give each one"),
        ([True, False], [0.5, float("nan")], "a number is not finite; leave its item out"),
    ],
)
def test_what_cannot_be_ranked_is_refused(
    right: list[bool], numbers: list[float], message: str
) -> None:
    """An undefined number would be sorted last and counted as the highest."""
    with pytest.raises(ValueError, match=message):
        roc_auc(right, numbers)


def test_each_item_belongs_to_a_group() -> None:
    """A group short, and every item behind it would be drawn with another paper."""
    with pytest.raises(ValueError, match="there are 1 groups and 2 items; give one group an item"):
        roc_auc_bounds(["a"], [True, False], [0.1, 0.2], seed=1)
