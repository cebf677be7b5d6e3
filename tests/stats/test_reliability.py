from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats import alphas_of, icc_2_1, iccs_of, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.stats import Level

# Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011: 12 units, 4 observers, gaps.
OBSERVERS: Sequence[Sequence[int | None]] = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
UNITS = list(zip(*OBSERVERS, strict=True))

# Shrout and Fleiss, "Intraclass Correlations", 1979, table 2: 6 targets, 4 judges.
TARGETS = ((9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7))

every_level = pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
rating = st.integers(min_value=1, max_value=4)
gappy = st.lists(st.lists(st.none() | rating, min_size=3, max_size=3), max_size=10)
two_raters = st.lists(st.tuples(rating, rating), min_size=1, max_size=15)
tables = st.lists(st.tuples(rating, rating, rating), min_size=2, max_size=10)


def alpha_by_pairs(units: Sequence[Sequence[int | None]], level: Level) -> Fraction | None:
    """Alpha by its definition, one ordered pair of ratings at a time, in whole numbers."""
    said = [[r for r in unit if r is not None] for unit in units]
    every = [r for unit in said if len(unit) > 1 for r in unit]

    def distance(a: int, b: int) -> Fraction:
        if level == "nominal":
            return Fraction(a != b)
        if level == "interval":
            return Fraction((a - b) ** 2)
        low, high = sorted((a, b))
        ends = Fraction(every.count(low) + every.count(high), 2)
        return (sum(low <= r <= high for r in every) - ends) ** 2 if a != b else Fraction(0)

    within = sum(
        (distance(a, b) / (len(u) - 1) for u in said if len(u) > 1 for a, b in permutations(u, 2)),
        Fraction(0),
    )
    between = sum((distance(a, b) for a, b in permutations(every, 2)), Fraction(0))
    return 1 - within * (len(every) - 1) / between if between else None


def table_of(rows: Sequence[tuple[int, int]]) -> list[list[int]]:
    """How often the first rater said the row and the second the column, on a scale of four."""
    return [[rows.count((a, b)) for b in range(1, 5)] for a in range(1, 5)]


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_meets_the_published_example(level: Level, published: float) -> None:
    """Oracle: Krippendorff 2011 gives these three, with gaps and a unit of one rating."""
    assert krippendorff_alpha(UNITS, level) == pytest.approx(published, abs=5e-4)


def test_icc_meets_the_published_example() -> None:
    """Oracle: Shrout and Fleiss 1979, table 4, give ICC(2,1) = .29 for their table 2."""
    assert icc_2_1(TARGETS) == pytest.approx(0.29, abs=5e-3)


def test_alpha_worked_example() -> None:
    """Two raters: 1 1, 1 2, 2 2.

    Each unit counts both ways, so o has 2 on (1,1), 1 on (1,2), 1 on (2,1), 2 on (2,2); the margins
    are 3 and 3 of n = 6. D_o = 2, D_e = 2 * 3 * 3 / 5 = 3.6; alpha = 1 - 2 / 3.6 = 4/9.
    """
    assert krippendorff_alpha([(1, 1), (1, 2), (2, 2)]) == pytest.approx(4 / 9)


def test_a_rater_who_is_stricter_lowers_icc() -> None:
    """Worked example: targets 1, 2, 3 and a second rater one point above.

    Means 1.5, 2.5, 3.5 and 2, 3: MS_t = 2 * 2 / 2 = 2, MS_r = 3 * 0.5 = 1.5, no error.
    ICC = 2 / (2 + 2 * 1.5 / 3) = 2/3, where their order alone would give 1.
    """
    assert icc_2_1([(1, 2), (2, 3), (3, 4)]) == pytest.approx(2 / 3)


@every_level
@settings(deadline=None)
@given(units=gappy)
def test_alpha_is_its_definition(level: Level, units: list[list[int | None]]) -> None:
    """Law: counting coincidences is slower to read and quicker to run than going pair by pair."""
    expected = alpha_by_pairs(units, level)
    found = krippendorff_alpha(units, level)
    assert found == (None if expected is None else pytest.approx(float(expected), abs=1e-12))


@every_level
@settings(deadline=None)
@given(units=gappy, data=st.data())
def test_neither_units_nor_raters_have_an_order(
    level: Level, units: list[list[int | None]], data: st.DataObject
) -> None:
    """Law: a file sorted another way holds the same ratings, to the last digit."""
    shuffled = data.draw(st.permutations(units))
    raters = data.draw(st.permutations(range(3)))
    swapped = [[unit[rater] for rater in raters] for unit in shuffled]
    assert krippendorff_alpha(swapped, level) == krippendorff_alpha(units, level)


@every_level
@settings(deadline=None)
@given(units=gappy)
def test_alpha_is_at_most_one_and_one_where_all_agree(
    level: Level, units: list[list[int | None]]
) -> None:
    """Law: 1 says that no two ratings of a unit differ."""
    alpha = krippendorff_alpha(units, level)
    agreed = [[unit[0], unit[0], None] for unit in units]
    assert alpha is None or alpha <= 1
    assert krippendorff_alpha(agreed, level) in {None, 1.0}


@every_level
@settings(deadline=None)
@given(rows=two_raters)
def test_alpha_of_a_table_is_alpha_of_its_ratings(
    level: Level, rows: list[tuple[int, int]]
) -> None:
    """Law: the counts of a stack say what the ratings do; an unused category changes nothing."""
    stack = np.array([table_of(rows), np.zeros((4, 4))], dtype=np.int64)
    of_rows, of_nothing = alphas_of(stack, categories=range(1, 5), level=level).tolist()
    expected = krippendorff_alpha(rows, level)
    assert math.isnan(of_nothing)
    assert (None if math.isnan(of_rows) else of_rows) == (
        None if expected is None else pytest.approx(expected, abs=1e-12)
    )


@settings(deadline=None)
@given(rows=two_raters)
def test_icc_of_a_table_is_icc_of_its_ratings(rows: list[tuple[int, int]]) -> None:
    """Law: the same of ICC(2,1), also for one target, and for none."""
    stack = np.array([table_of(rows), np.zeros((4, 4))], dtype=np.int64)
    of_rows, of_nothing = iccs_of(stack, categories=range(1, 5)).tolist()
    expected = icc_2_1(rows)
    assert math.isnan(of_nothing)
    assert (None if math.isnan(of_rows) else of_rows) == (
        None if expected is None else pytest.approx(expected, abs=1e-9)
    )


@settings(deadline=None)
@given(table=tables, data=st.data())
def test_icc_does_not_know_targets_or_raters(
    table: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    """Law: order does not matter, and no figure is above 1."""
    order = data.draw(st.permutations(range(3)))
    moved = [[row[rater] for rater in order] for row in data.draw(st.permutations(table))]
    icc = icc_2_1(table)
    assert icc_2_1(moved) == (None if icc is None else pytest.approx(icc, abs=1e-9))
    assert icc is None or icc <= 1 + 1e-12


@settings(deadline=None)
@given(column=st.lists(rating, min_size=2, max_size=8).filter(lambda c: len(set(c)) > 1))
def test_raters_who_say_the_same_have_an_icc_of_one(column: list[int]) -> None:
    """Law: identical columns are maximal."""
    assert icc_2_1([(r, r, r) for r in column]) == pytest.approx(1)


@pytest.mark.parametrize(
    "units", [[], [(1, None)], [(None, None)], [(1, None), (None, 2)], [(3, 3), (3, 3)]]
)
def test_alpha_without_pairs_or_without_variety_is_none(
    units: list[tuple[int | None, ...]],
) -> None:
    """Agreement on the one value there is says nothing; 0 or 1 would."""
    assert krippendorff_alpha(units, "ordinal") is None


@pytest.mark.parametrize(
    "table", [[], [()], [(1, 2)], [(1,), (2,)], [(0.1, 0.1), (0.1, 0.1)], [(0.1, 0.7), (0.7, 0.1)]]
)
def test_icc_that_cannot_be_measured_is_none(table: list[tuple[float, ...]]) -> None:
    """One target, one rater, no difference at all, or a denominator of 0 but for rounding."""
    assert icc_2_1(table) is None


def test_mistakes_are_named() -> None:
    """A gap in the wrong place must not shift a rater's ratings."""
    level = cast("Level", "ratio")
    message = "level is 'ratio'; choose 'nominal', 'ordinal' or 'interval'"
    with pytest.raises(ValueError, match=f"^{message}$"):
        krippendorff_alpha([(1, 2)], level)
    with pytest.raises(ValueError, match=f"^{message}$"):
        alphas_of(np.zeros((2, 2), dtype=np.int64), categories=(0, 1), level=level)
    with pytest.raises(
        ValueError, match=r"^row 1 has 1 ratings and row 0 has 2; give each rater a"
    ):
        krippendorff_alpha([(1, 2), (1,)])
    with pytest.raises(ValueError, match=r"^ratings\[0\]\[1\] is nan; give a finite number$"):
        icc_2_1([(1.0, math.nan), (1.0, 2.0)])
