from __future__ import annotations

import math
import subprocess
import sys
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

both_coefficients = pytest.mark.parametrize("coefficient", [pearson, spearman])
every_name = pytest.mark.parametrize("name", COEFFICIENTS)
few_examples = settings(deadline=None, max_examples=15)

finite = st.floats(allow_nan=False, allow_infinity=False)
ratings = st.integers(min_value=1, max_value=4).map(float)
triples = st.lists(st.tuples(*[st.integers(-20, 20)] * 3), min_size=5, max_size=12)


def kendall(x: Numbers, y: Numbers) -> float | None:
    """SciPy's tau-b, None where it is undefined."""
    is_defined = len(set(x)) > 1 and len(set(y)) > 1
    return float(stats.kendalltau(x, y).statistic) if is_defined else None


SCALAR = {"pearson": pearson, "spearman": spearman, "kendall": kendall}

# Anscombe, "Graphs in Statistical Analysis", 1973, data sets 1 and 4.
ANSCOMBE_1 = (
    [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0],
    [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68],
)
ANSCOMBE_4 = (
    [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 19.0, 8.0, 8.0, 8.0],
    [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89],
)


def columns(rows: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """The values of x and those of y."""
    return [x for x, _ in rows], [y for _, y in rows]


def test_worked_examples() -> None:
    """The formulas of the docstrings, by hand; tied values share the mean of their ranks."""
    # means 2 and 3; dx = -1, 0, 1; dy = -2, 1, 1
    # sum dx*dy = 2 + 0 + 1 = 3; sum dx^2 = 2; sum dy^2 = 6; 3 / sqrt(12) = 0.8660
    assert pearson([1, 2, 3], [1, 4, 4]) == pytest.approx(3 / math.sqrt(12), abs=1e-15)
    # ranks of x 1, 2, 3, 4; ranks of y 1, 2.5, 2.5, 4; both means 2.5
    # sum dx*dy = 2.25 + 0 + 0 + 2.25 = 4.5; sum dx^2 = 5; sum dy^2 = 4.5; 4.5 / sqrt(22.5)
    assert spearman([1, 2, 3, 9], [10, 20, 20, 30]) == pytest.approx(4.5 / math.sqrt(22.5))


@pytest.mark.parametrize(
    ("coefficient", "first", "fourth"),
    [
        (pearson, 0.8164205163448, 0.8165214368885),
        (spearman, 0.8181818181818, 0.5000000000000),
    ],
)
def test_coefficients_meet_scipy_on_anscombe(
    coefficient: Coefficient, first: float, fourth: float
) -> None:
    """The numbers of SciPy 1.17.1; Anscombe himself gives 0.816 for all of his data sets."""
    assert coefficient(*ANSCOMBE_1) == pytest.approx(first, abs=1e-12)
    assert coefficient(*ANSCOMBE_4) == pytest.approx(fourth, abs=1e-12)


@few_examples
@given(st.lists(st.tuples(ratings, ratings), min_size=2, max_size=12))
def test_pearson_and_spearman_meet_scipy_on_ties(rows: list[tuple[float, float]]) -> None:
    """Ratings are mostly ties, so the oracle (SciPy >= 1.12) is asked about ties."""
    x, y = columns(rows)
    is_defined = len(set(x)) > 1 and len(set(y)) > 1
    for coefficient, oracle in ((pearson, stats.pearsonr), (spearman, stats.spearmanr)):
        expected = float(oracle(x, y).statistic) if is_defined else None
        assert coefficient(x, y) == pytest.approx(expected, abs=1e-12)


def test_spearman_needs_no_scipy() -> None:
    """What runs with labels load counts against every run of a foreign test suite."""
    code = (
        "import sys; from summeval_pytest.stats.correlation import spearman;"
        " spearman([1, 2, 3], [1, 3, 2]); sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@both_coefficients
@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1.0], [2.0]),
        ([3.0, 3.0], [1.0, 2.0]),
        ([1.0, 2.0, 3.0], [0.1, 0.1, 0.1]),
        ([0.0, -0.0], [1.0, 2.0]),
        ([1e308, 1e308], [1e308, 1e308]),
    ],
)
def test_undefined_coefficient_is_none(
    coefficient: Coefficient, x: list[float], y: list[float]
) -> None:
    """Nothing was measured, which is neither 0 nor a warning."""
    assert coefficient(x, y) is None


@both_coefficients
@few_examples
@given(rows=st.lists(st.tuples(finite, finite), max_size=12))
def test_coefficient_is_bounded_for_all_finite_values(
    coefficient: Coefficient, rows: list[tuple[float, float]]
) -> None:
    """Values at the ends of the float range must neither overflow nor warn."""
    x, y = columns(rows)
    value = coefficient(x, y)
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert value is None
    else:
        assert value is not None
        assert -1 <= value <= 1


def test_pearson_survives_a_large_offset() -> None:
    """Centring twice keeps the digits that a mean of nearly equal values loses."""
    # The mean of 1, 1 and the next float is rounded to 1, as if only the third value deviated.
    nearly_equal = [1.0, 1.0, math.nextafter(1.0, 2.0)]
    expected = pearson([0.0, 0.0, 1.0], [1.0, 3.0, 4.0])
    assert pearson(nearly_equal, [1.0, 3.0, 4.0]) == pytest.approx(expected, abs=1e-12)


@both_coefficients
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0], "^x has 2 values and y has 1; give one of each for"),
        *(
            ([1.0, value], rf"^y\[1\] is {value!r}; leave rows without a finite")
            for value in (math.nan, math.inf, -math.inf)
        ),
    ],
)
def test_rows_without_a_partner_or_a_number_are_refused(
    coefficient: Coefficient, y: list[float], message: str
) -> None:
    """An unscored row must be left out by whoever knows it is unscored."""
    with pytest.raises(ValueError, match=message):
        coefficient([1.0, 2.0], y)


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
