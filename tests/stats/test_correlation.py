from __future__ import annotations

import math
import runpy
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats import correlation
from summeval_pytest.stats.correlation import Numbers, pearson, spearman

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Coefficient = Callable[[Numbers, Numbers], float | None]

both_coefficients = pytest.mark.parametrize("coefficient", [pearson, spearman])
few_examples = settings(deadline=None, max_examples=15)

finite = st.floats(allow_nan=False, allow_infinity=False)
ratings = st.integers(min_value=1, max_value=4).map(float)

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


def test_spearman_needs_no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs with labels load counts against every run of a foreign test suite."""
    monkeypatch.setitem(sys.modules, "scipy", None)  # importing it is an error from here on
    module = runpy.run_path(correlation.__file__)
    assert module["spearman"]([1, 2, 3], [1, 3, 2]) == 0.5


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
