from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats.correlation import (
    COEFFICIENTS,
    correlation_p_value,
    kendall,
    pearson,
    spearman,
)

if TYPE_CHECKING:
    from summeval_pytest.stats.correlation import CoefficientName

every_coefficient = pytest.mark.parametrize("name", COEFFICIENTS)
SCALAR = {"pearson": pearson, "spearman": spearman, "kendall": kendall}

rating = st.integers(min_value=1, max_value=4).map(float)
few_rows = st.lists(st.tuples(rating, rating), min_size=2, max_size=5)


@every_coefficient
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


@every_coefficient
@settings(deadline=None, max_examples=50)
@given(rows=few_rows)
def test_the_p_value_is_its_definition(
    name: CoefficientName, rows: list[tuple[float, float]]
) -> None:
    """Law: the share of orders whose coefficient is as far from 0, one order at a time."""
    x, y = [a for a, _ in rows], [b for _, b in rows]
    coefficient = SCALAR[name]
    observed = coefficient(x, y)
    found = correlation_p_value(x, y, name)
    if observed is None:
        assert found is None
        return
    values = [coefficient(x, order) or 0.0 for order in permutations(y)]
    expected = sum(abs(value) >= abs(observed) - 1e-9 for value in values) / len(values)
    assert found == pytest.approx(expected)
    assert 0 < expected <= 1


@every_coefficient
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


@every_coefficient
def test_no_correlation_has_no_p_value(name: CoefficientName) -> None:
    """One point, none, or a constant side: nothing was ordered."""
    assert correlation_p_value([], [], name) is None
    assert correlation_p_value([1.0], [1.0], name) is None
    assert correlation_p_value([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], name) is None


@every_coefficient
def test_a_scale_does_not_move_the_p_value(name: CoefficientName) -> None:
    """Means of lengths and of rates are both ordered."""
    x, y = [3.0, 1, 2, 5], [1.0, 2, 3, 4]
    assert correlation_p_value([1e-9 * a for a in x], [1e9 * b for b in y], name) == (
        correlation_p_value(x, y, name)
    )
