from __future__ import annotations

import math
import runpy
import sys
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats import agreement
from summeval_pytest.stats.agreement import Numbers, kappas_of, pearson, spearman
from tests.kappa import cohen_kappa

Coefficient = Callable[[Numbers, Numbers], float | None]
Weights = Literal["none", "quadratic"]
Pairs = list[tuple[int, int]]
SCALE = (1, 2, 3, 4)
both_weights = pytest.mark.parametrize("weights", ["none", "quadratic"])
rated_items = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), max_size=30)
few_examples = settings(deadline=None, max_examples=15)


def columns(pairs: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The ratings of a and those of b."""
    return [left for left, _ in pairs], [right for _, right in pairs]


def raters(
    table: Sequence[Sequence[int]], categories: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Two raters whose confusion is this table."""
    cells = [
        [(left, right)] * count
        for left, row in zip(categories, table, strict=True)
        for right, count in zip(categories, row, strict=True)
    ]
    return columns([pair for cell in cells for pair in cell])


def test_kappa_worked_examples() -> None:
    """A disagreement by two steps costs four times one by a single step."""
    #          b: 1  2  3   sum
    # a: 1        4  1  1     6      weights  0 1 4
    # a: 2        1  5  2     8               1 0 1
    # a: 3        0  2  4     6               4 1 0
    # sum         5  8  7    20
    # observed sum is 1*1 + 4*1 + 1*1 + 1*2 + 4*0 + 1*2 = 10
    # expected sum is (1*6*8 + 4*6*7 + 1*8*5 + 1*8*7 + 4*6*5 + 1*6*8) / 20
    #               = (48 + 168 + 40 + 56 + 120 + 48) / 20 = 480 / 20 = 24
    # kappa = 1 - 10/24 = 14/24
    a, b = raters([[4, 1, 1], [1, 5, 2], [0, 2, 4]], (1, 2, 3))
    assert cohen_kappa(a, b, categories=(1, 2, 3), weights="quadratic") == 14 / 24
    # p_o = 13/20; p_e = (6*5 + 8*8 + 6*7) / 400 = 136/400; (260 - 136) / (400 - 136) = 124/264
    assert cohen_kappa(a, b, categories=(1, 2, 3), weights="none") == 124 / 264
    # ratings 1, 2 and 4, of which the last two are 2 steps apart: (1, 2), (4, 4), (2, 4)
    # observed 1 + 0 + 4 = 5; expected (1 + 2 * 9 + 0 + 2 * 4 + 4 + 0) / 3 = 31/3
    table = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 1]])
    kappa = kappas_of(table, categories=(1, 2, 4), weights="quadratic")
    assert float(kappa) == pytest.approx(1 - 5 / (31 / 3), abs=1e-15)
    # a million items in each cell must not overflow: counts are multiplied before they are divided
    table = np.full((4, 4), 10**6) + np.diag([10**6] * 4)
    assert kappas_of(table, categories=SCALE, weights="none") == pytest.approx(0.2)


@both_weights
@pytest.mark.parametrize(
    ("a", "b", "kappa"),
    [([], [], None), ([3], [3], None), ([2, 2], [2, 2], None), ([1, 1], [4, 4], 0), ([1], [2], 0)],
)
def test_kappa_of_constants(
    a: list[int], b: list[int], kappa: int | None, weights: Weights
) -> None:
    """None where chance agrees on everything; 0 where it disagrees as often as they do: always."""
    assert cohen_kappa(a, b, categories=SCALE, weights=weights) == kappa


@both_weights
@few_examples
@given(pairs=rated_items, data=st.data())
def test_laws_of_kappa(weights: Weights, pairs: Pairs, data: st.DataObject) -> None:
    """Order of items, raters and categories, or an unused category, moves not one digit."""
    a, b = columns(pairs)
    expected = cohen_kappa(a, b, categories=SCALE, weights=weights)
    assert expected is None or -1 <= expected <= 1
    shuffled = columns(data.draw(st.permutations(pairs)))
    for left, right, categories in (
        (*shuffled, SCALE),
        (b, a, SCALE),
        (a, b, data.draw(st.permutations(SCALE))),
        (a, b, (0, *SCALE, 9)),
    ):
        assert cohen_kappa(left, right, categories=categories, weights=weights) == expected


both_coefficients = pytest.mark.parametrize("coefficient", [pearson, spearman])
finite = st.floats(allow_nan=False, allow_infinity=False)
ratings = st.integers(min_value=1, max_value=4).map(float)


def xs_and_ys(rows: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """The values of x and those of y."""
    return [x for x, _ in rows], [y for _, y in rows]


@few_examples
@given(st.lists(st.tuples(ratings, ratings), min_size=2, max_size=12))
def test_pearson_and_spearman_meet_scipy_on_ties(rows: list[tuple[float, float]]) -> None:
    """Ratings are mostly ties, so the oracle (SciPy >= 1.12) is asked about ties."""
    x, y = xs_and_ys(rows)
    is_defined = len(set(x)) > 1 and len(set(y)) > 1
    for coefficient, oracle in ((pearson, stats.pearsonr), (spearman, stats.spearmanr)):
        expected = float(oracle(x, y).statistic) if is_defined else None
        assert coefficient(x, y) == pytest.approx(expected, abs=1e-12)


def test_spearman_needs_no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs with labels load counts against every run of a foreign test suite."""
    monkeypatch.setitem(sys.modules, "scipy", None)  # importing it is an error from here on
    module = runpy.run_path(agreement.__file__)
    assert module["spearman"]([1, 2, 3], [1, 3, 2]) == 0.5


@both_coefficients
@few_examples
@given(rows=st.lists(st.tuples(finite, finite), max_size=12))
@example([(1e308, 1e308)] * 2)
@example([(0.0, 1.0), (-0.0, 2.0)])
@example([(1.0, 0.1), (2.0, 0.1), (3.0, 0.1)])
def test_coefficient_of_finite_values_is_bounded_or_undefined(
    coefficient: Coefficient, rows: list[tuple[float, float]]
) -> None:
    """Ends of the float range neither overflow nor warn; without spread there is none."""
    x, y = xs_and_ys(rows)
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
