from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats.bootstrap import bootstrap_interval
from summeval_pytest.stats.correlation import pearson, spearman
from summeval_pytest.study.agreement.correlations import (
    COEFFICIENTS,
    correlation_p_value,
    partial_pearson,
    roc_auc,
    roc_auc_bounds,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.correlation import Numbers
    from summeval_pytest.study.agreement.correlations import CoefficientName

    Coefficient = Callable[[Numbers, Numbers], float | None]

every_name = pytest.mark.parametrize("name", COEFFICIENTS)
few_examples = settings(deadline=None, max_examples=15)
ratings = st.integers(min_value=1, max_value=4).map(float)
triples = st.lists(st.tuples(*[st.integers(-20, 20)] * 3), min_size=5, max_size=12)


def kendall(x: Numbers, y: Numbers) -> float | None:
    """SciPy's tau-b, None where it is undefined."""
    is_defined = len(set(x)) > 1 and len(set(y)) > 1
    return float(stats.kendalltau(x, y).statistic) if is_defined else None


SCALAR = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def columns(rows: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """The values of x and those of y."""
    return [x for x, _ in rows], [y for _, y in rows]


def residuals(values: NDArray[np.float64], on: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a straight line through ``on`` leaves of the values, by NumPy's least squares."""
    design = np.column_stack([np.ones(len(on)), on])
    fitted, *_ = np.linalg.lstsq(design, values, rcond=None)
    left: NDArray[np.float64] = values - design @ fitted
    return left


@few_examples
@given(triples)
def test_partial_pearson_is_that_of_what_a_line_leaves(rows: list[tuple[int, int, int]]) -> None:
    """Oracle: residuals of two least-squares lines, which is what the formula stands for."""
    x, y, z = np.array(rows, dtype=np.float64).T
    result = partial_pearson(x, y, z)
    left_x, left_y = residuals(x, z), residuals(y, z)
    assume(result is not None and min(left_x.std(), left_y.std()) > 1e-6)
    assert result == pytest.approx(pearson(left_x, left_y), abs=1e-9)


def test_partial_pearson_worked_example() -> None:
    """All r = .5: (.5 - .25) / (1 - .25) = 1/3; of a side that is explained wholly none is left.

    The three columns are made of one shared part and a part of their own, as long as it.
    """
    shared, own = [1, 1, 1, 1, -1, -1, -1, -1], [1, 1, -1, -1, 1, 1, -1, -1]
    other, last = [1, -1, 1, -1, 1, -1, 1, -1], [1, -1, -1, 1, 1, -1, -1, 1]
    x, y, z = (np.array(shared) + np.array(part) for part in (own, other, last))
    assert pearson(x, y) == pytest.approx(0.5)
    assert partial_pearson(x, y, z) == pytest.approx(1 / 3)
    assert partial_pearson(x, y, 2 * x + 1) is None


@every_name
def test_four_systems_in_perfect_order_may_be_luck(name: CoefficientName) -> None:
    """Oracle: 2 of 24 orders are as far from 0, p = .083 (metrics.md EV12)."""
    assert correlation_p_value([1, 2, 3, 4], [1, 2, 3, 4], name) == pytest.approx(2 / 24)
    assert correlation_p_value([1, 2, 3, 4], [4, 3, 2, 1], name) == pytest.approx(2 / 24)


def test_kendall_meets_the_exact_p_of_scipy() -> None:
    """Oracle: SciPy's exact distribution of tau without ties, for 6 and for 8 points."""
    for y in ([2, 1, 4, 3, 6, 5], [3, 1, 2, 5, 8, 4, 6, 7]):
        x = list(range(len(y)))
        exact = stats.kendalltau(x, y, method="exact").pvalue
        assert correlation_p_value(x, y, "kendall") == pytest.approx(float(exact), abs=1e-12)


@every_name
@few_examples
@given(rows=st.lists(st.tuples(ratings, ratings), min_size=2, max_size=5))
def test_the_p_value_is_its_definition(
    name: CoefficientName, rows: list[tuple[float, float]]
) -> None:
    """Law: the share of orders whose coefficient is as far from 0, one order at a time."""
    x, y = columns(rows)
    coefficient = SCALAR[name]
    observed = coefficient(x, y)
    result = correlation_p_value(x, y, name)
    if observed is None:
        assert result is correlation_p_value([], [], name) is None
        return
    values = [coefficient(x, order) or 0.0 for order in permutations(y)]
    expected = sum(abs(value) >= abs(observed) - 1e-9 for value in values) / len(values)
    assert result == pytest.approx(expected)
    assert 0 < expected <= 1


@every_name
def test_many_points_are_tried_in_random_orders(name: CoefficientName) -> None:
    """Past eight points p is drawn, the same each time, and never 0."""
    x = [float(n) for n in range(12)]
    perfect = correlation_p_value(x, x, name)
    assert perfect == 1 / 10_000
    mixed = [5.0, 3, 8, 1, 9, 2, 11, 0, 7, 4, 10, 6]
    p_value = correlation_p_value(x, mixed, name)
    assert p_value == correlation_p_value(x, mixed, name)
    scipys = {
        "pearson": stats.pearsonr(x, mixed).pvalue,
        "spearman": stats.spearmanr(x, mixed).pvalue,
        "kendall": stats.kendalltau(x, mixed).pvalue,
    }
    assert p_value == pytest.approx(float(scipys[name]), abs=0.03)


items = st.lists(
    st.tuples(st.sampled_from("abcd"), st.booleans(), st.integers(0, 5).map(float)), max_size=20
)


def test_auc_worked_examples() -> None:
    """.9 beats all three; .5 beats .1, ties with .5 and loses to .7: (3 + 1.5) / 6.

    And the example in scikit-learn's documentation of ``metrics.auc`` and its ROC curve: .75.
    """
    right = [True, False, True, False, False]
    assert roc_auc(right, [0.9, 0.5, 0.5, 0.1, 0.7]) == pytest.approx(4.5 / 6)
    assert roc_auc([False, False, True, True], [0.1, 0.4, 0.35, 0.8]) == 0.75


@few_examples
@given(items)
def test_auc_is_mann_whitney_over_its_maximum(rows: list[tuple[str, bool, float]]) -> None:
    """Oracle: SciPy's U statistic, ties and all."""
    ups = [number for _, right, number in rows if right]
    downs = [number for _, right, number in rows if not right]
    result = roc_auc([right for _, right, _ in rows], [number for *_, number in rows])
    if ups and downs:
        oracle = stats.mannwhitneyu(ups, downs).statistic / (len(ups) * len(downs))
        assert result == pytest.approx(float(oracle))
    else:
        assert result is None


@few_examples
@given(items)
def test_bounds_are_those_of_resampled_papers(rows: list[tuple[str, bool, float]]) -> None:
    """Law: weighing each item by how often its paper was drawn is drawing the paper's items."""
    groups = [group for group, *_ in rows]
    right, numbers = [r for _, r, _ in rows], [n for *_, n in rows]
    interval = bootstrap_interval(
        groups,
        lambda drawn: roc_auc([right[row] for row in drawn], [numbers[row] for row in drawn]),
        n_resamples=20,
        seed=3,
    )
    low, high = roc_auc_bounds(groups, right, numbers, n_resamples=20, seed=3)
    assert (low is None, high is None) == (interval.low is None, interval.high is None)
    if low is not None:
        assert (low, high) == pytest.approx((interval.low, interval.high))


def test_what_cannot_be_ranked_is_refused() -> None:
    """An undefined number would be sorted last and counted as the highest."""
    with pytest.raises(ValueError, match="a number is not finite; leave its item out"):
        roc_auc([True, False], [0.5, math.nan])
