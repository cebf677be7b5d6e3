from __future__ import annotations

import math
import subprocess
import sys
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats.correlation import (
    _ranks,
    coefficients_within,
    kendall,
    pearson,
    spearman,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.stats.correlation import Coefficient

every_coefficient = pytest.mark.parametrize("coefficient", [pearson, spearman, kendall])

finite = st.floats(allow_nan=False, allow_infinity=False)
ratings = st.integers(min_value=1, max_value=4).map(float)
any_rows = st.lists(st.tuples(finite, finite), max_size=12)
tied_rows = st.lists(st.tuples(ratings, ratings), min_size=2, max_size=12)
labelled_rows = st.lists(st.tuples(st.sampled_from("abcd"), ratings, ratings), max_size=24)

# Anscombe, "Graphs in Statistical Analysis", 1973, data sets 1 and 4.
ANSCOMBE_X1 = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0]
ANSCOMBE_Y1 = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
ANSCOMBE_X4 = [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 19.0, 8.0, 8.0, 8.0]
ANSCOMBE_Y4 = [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89]


def columns(rows: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """The values of x and those of y."""
    return [x for x, _ in rows], [y for _, y in rows]


def tau_b_by_pairs(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Tau-b by its definition, one pair of rows at a time."""
    surplus = ordered_x = ordered_y = 0
    for i, j in combinations(range(len(x)), 2):
        sign_x, sign_y = (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])
        surplus += sign_x * sign_y
        ordered_x += sign_x != 0
        ordered_y += sign_y != 0
    return surplus / math.sqrt(ordered_x * ordered_y) if ordered_x and ordered_y else None


def test_pearson_worked_example() -> None:
    """The formula of the docstring, by hand."""
    # means 2 and 3; dx = -1, 0, 1; dy = -2, 1, 1
    # sum dx*dy = 2 + 0 + 1 = 3; sum dx^2 = 2; sum dy^2 = 6; 3 / sqrt(12) = 0.8660
    assert pearson([1, 2, 3], [1, 4, 4]) == pytest.approx(3 / math.sqrt(12), abs=1e-15)


def test_spearman_worked_example_with_ties() -> None:
    """Tied values share the mean of their ranks."""
    # ranks of x 1, 2, 3, 4; ranks of y 1, 2.5, 2.5, 4; both means 2.5
    # sum dx*dy = 2.25 + 0 + 0 + 2.25 = 4.5; sum dx^2 = 5; sum dy^2 = 4.5; 4.5 / sqrt(22.5)
    assert spearman([1, 2, 3, 9], [10, 20, 20, 30]) == pytest.approx(4.5 / math.sqrt(22.5))


def test_kendall_worked_example_with_ties() -> None:
    """Pairs tied on one side shrink that side's share of the denominator only."""
    # 6 pairs, 5 ordered alike, none oppositely, 1 tied in y: 5 / sqrt(6 * 5) = 0.9129
    assert kendall([1, 2, 3, 9], [10, 20, 20, 30]) == pytest.approx(5 / math.sqrt(30))


def test_pearson_meets_the_published_value() -> None:
    """Anscombe 1973 gives 0.816 for all four of his data sets."""
    assert pearson(ANSCOMBE_X1, ANSCOMBE_Y1) == pytest.approx(0.816, abs=5e-4)
    assert pearson(ANSCOMBE_X4, ANSCOMBE_Y4) == pytest.approx(0.816, abs=1e-3)


@pytest.mark.parametrize(
    ("coefficient", "first", "fourth"),
    [
        (pearson, 0.8164205163448, 0.8165214368885),
        (spearman, 0.8181818181818, 0.5000000000000),
        (kendall, 0.6363636363636, 0.4264014327112),
    ],
)
def test_coefficients_meet_scipy_on_anscombe(
    coefficient: Coefficient, first: float, fourth: float
) -> None:
    """The numbers of SciPy 1.17.1 (pearsonr, spearmanr, kendalltau), data sets 1 and 4."""
    assert coefficient(ANSCOMBE_X1, ANSCOMBE_Y1) == pytest.approx(first, abs=1e-12)
    assert coefficient(ANSCOMBE_X4, ANSCOMBE_Y4) == pytest.approx(fourth, abs=1e-12)


@given(tied_rows)
def test_pearson_and_spearman_meet_scipy_on_ties(rows: list[tuple[float, float]]) -> None:
    """Ratings are mostly ties, so the oracle (SciPy >= 1.12) is asked about ties."""
    x, y = columns(rows)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert pearson(x, y) is None
        assert spearman(x, y) is None
    else:
        assert pearson(x, y) == pytest.approx(float(stats.pearsonr(x, y).statistic), abs=1e-12)
        assert spearman(x, y) == pytest.approx(float(stats.spearmanr(x, y).statistic), abs=1e-12)


@given(st.lists(ratings | finite, max_size=30))
def test_ranks_are_those_of_scipy(values: list[float]) -> None:
    """The oracle takes a second to load, which every run with labels would pay for."""
    ranks = _ranks(np.array(values, dtype=np.float64))
    assert ranks.tolist() == stats.rankdata(values).tolist()


def test_ranks_worked_example() -> None:
    """Ranks begin at 1; two values that tie for 2 and 3 have 2.5 each, and -0 is 0."""
    assert _ranks(np.array([20.0, 10.0, 30.0, 20.0])).tolist() == [2.5, 1.0, 4.0, 2.5]
    assert _ranks(np.array([0.0, -0.0, -1.0])).tolist() == [2.5, 2.5, 1.0]


def test_spearman_needs_no_scipy() -> None:
    """What runs with labels load counts against every run of a foreign test suite."""
    code = (
        "import sys; from summeval_pytest.stats.correlation import spearman;"
        " spearman([1, 2, 3], [1, 3, 2]); sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(tied_rows | any_rows)
def test_kendall_is_its_definition(rows: list[tuple[float, float]]) -> None:
    """SciPy counts by sorting; counting pair by pair is slow and plainly right."""
    x, y = columns(rows)
    expected = tau_b_by_pairs(x, y)
    assert kendall(x, y) == (None if expected is None else pytest.approx(expected, abs=1e-12))


@every_coefficient
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


@every_coefficient
@given(rows=any_rows)
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


@every_coefficient
@given(rows=tied_rows, data=st.data())
def test_order_of_rows_does_not_matter(
    coefficient: Coefficient, rows: list[tuple[float, float]], data: st.DataObject
) -> None:
    """A coefficient belongs to the set of rows, not to the file they came from."""
    shuffled = data.draw(st.permutations(rows))
    expected = coefficient(*columns(rows))
    got = coefficient(*columns(shuffled))
    assert got == (None if expected is None else pytest.approx(expected, abs=1e-12))


@every_coefficient
@given(rows=tied_rows | any_rows)
def test_coefficient_is_symmetric(
    coefficient: Coefficient, rows: list[tuple[float, float]]
) -> None:
    """Human against metric is metric against human."""
    x, y = columns(rows)
    expected = coefficient(x, y)
    assert coefficient(y, x) == (None if expected is None else pytest.approx(expected, abs=1e-12))


@every_coefficient
@given(x=st.lists(ratings, min_size=2, max_size=12).filter(lambda x: len(set(x)) > 1))
def test_a_column_agrees_with_itself_and_opposes_its_negative(
    coefficient: Coefficient, x: list[float]
) -> None:
    """Identical columns are maximal, also where they hold ties."""
    assert coefficient(x, x) == pytest.approx(1, abs=1e-15)
    assert coefficient(x, [-value for value in x]) == pytest.approx(-1, abs=1e-15)


@every_coefficient
def test_long_columns_in_perfect_order_do_not_warn(coefficient: Coefficient) -> None:
    """SciPy takes another path for long columns, whose p-value nobody asked for."""
    x = np.arange(2000, dtype=np.float64)
    assert coefficient(x, x) == pytest.approx(1)


@given(tied_rows)
def test_rank_coefficients_ignore_a_rising_transformation(rows: list[tuple[float, float]]) -> None:
    """Only the order counts for Spearman and Kendall."""
    x, y = columns(rows)
    cubes = [value**3 for value in x]
    assert spearman(cubes, y) == spearman(x, y)
    assert kendall(cubes, y) == kendall(x, y)


def test_pearson_survives_a_large_offset() -> None:
    """Centring twice keeps the digits that a mean of nearly equal values loses."""
    # The mean of 1, 1 and the next float is rounded to 1, as if only the third value deviated.
    nearly_equal = [1.0, 1.0, math.nextafter(1.0, 2.0)]
    expected = pearson([0.0, 0.0, 1.0], [1.0, 3.0, 4.0])
    assert pearson(nearly_equal, [1.0, 3.0, 4.0]) == pytest.approx(expected, abs=1e-12)


@every_coefficient
def test_unequal_lengths_are_named(coefficient: Coefficient) -> None:
    """A row without a partner is a caller's mistake, not a row to drop."""
    with pytest.raises(ValueError, match=r"^x has 2 values and y has 1; give one of each for"):
        coefficient([1.0, 2.0], [1.0])


@every_coefficient
@pytest.mark.parametrize(
    ("value", "shown"),
    [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")],
)
def test_non_finite_value_is_shown_with_its_row(
    coefficient: Coefficient, value: float, shown: str
) -> None:
    """An unscored row must be left out by whoever knows it is unscored."""
    with pytest.raises(ValueError, match=rf"^y\[1\] is {shown}; leave rows without a finite"):
        coefficient([1.0, 2.0], [1.0, value])


def test_a_table_is_no_column() -> None:
    """Two dimensions would be flattened in silence."""
    with pytest.raises(ValueError, match=r"^x has the shape \(2, 1\); give one number a row$"):
        pearson(np.array([[1.0], [2.0]]), [1.0, 2.0])


def test_coefficients_within_worked_example() -> None:
    """Each group has its own, and one without variety, or of one row, has none."""
    # a: r = 1; b: r = -0.5 (dx -1, 0, 1; dy 0, 1, -1: -1 / sqrt(2 * 2)); c: constant; d: one row
    groups = ["a", "a", "b", "b", "b", "c", "c", "d"]
    x = [1.0, 2.0, 1.0, 2.0, 3.0, 1.0, 2.0, 7.0]
    y = [1.0, 2.0, 2.0, 3.0, 1.0, 4.0, 4.0, 7.0]
    assert list(coefficients_within(groups, x, y, pearson)) == [
        pytest.approx(1.0),
        pytest.approx(-0.5),
        None,
        None,
    ]
    assert coefficients_within([], [], [], kendall) == ()


@every_coefficient
@given(rows=labelled_rows, data=st.data())
def test_coefficients_within_ignore_labels_and_order(
    coefficient: Coefficient, rows: list[tuple[str, float, float]], data: st.DataObject
) -> None:
    """Neither a paper's name nor its place in the file may move a number."""

    def within(rows: list[tuple[str, float, float]]) -> list[float]:
        labels, x, y = [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]
        found = coefficients_within(labels, x, y, coefficient)
        return sorted(math.inf if value is None else value for value in found)

    names = dict(zip("abcd", data.draw(st.permutations("wxyz")), strict=True))
    moved = [(names[label], x, y) for label, x, y in data.draw(st.permutations(rows))]
    assert within(moved) == pytest.approx(within(rows), abs=1e-12)


def test_missing_label_is_named() -> None:
    """A row of no group cannot be left out in silence."""
    with pytest.raises(ValueError, match=r"^groups has 1 labels and x has 2 values; give one"):
        coefficients_within(["a"], [1.0, 2.0], [1.0, 2.0], pearson)
