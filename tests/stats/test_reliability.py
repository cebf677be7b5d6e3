from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats.agreement import alphas_of, iccs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.stats.agreement import Level

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
two_raters = st.lists(st.tuples(rating, rating), min_size=1, max_size=15)


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


def icc_by_squares(table: Sequence[Sequence[int]]) -> Fraction | None:
    """ICC(2,1) by its definition for any number of raters, from the mean squares."""
    n, k = len(table), len(table[0])
    every = [Fraction(r) for row in table for r in row]
    mean = sum(every, Fraction(0)) / len(every)
    targets = sum(((Fraction(sum(row), k) - mean) ** 2 for row in table), Fraction(0)) * k
    columns = zip(*table, strict=True)
    raters = sum(((Fraction(sum(each), n) - mean) ** 2 for each in columns), Fraction(0)) * n
    if n == 1:
        return None
    total = sum(((r - mean) ** 2 for r in every), Fraction(0))
    error = (total - targets - raters) / ((n - 1) * (k - 1))
    of_targets, of_raters = targets / (n - 1), raters / (k - 1)
    below = of_targets + (k - 1) * error + k * (of_raters - error) / n
    return (of_targets - error) / below if below else None


def alpha(rows: Sequence[tuple[int, int]], level: Level) -> float:
    """The alpha of two raters on the scale of four."""
    return float(alphas_of(np.array(table_of(rows)), categories=range(1, 5), level=level))


def icc(rows: Sequence[tuple[int, int]]) -> float:
    """The ICC(2,1) of two raters on the scale of four."""
    return float(iccs_of(np.array(table_of(rows)), categories=range(1, 5)))


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_by_pairs_meets_the_published_example(level: Level, published: float) -> None:
    """Oracle: Krippendorff 2011 gives these three, with gaps and a unit of one rating."""
    assert alpha_by_pairs(UNITS, level) == pytest.approx(published, abs=5e-4)


def test_icc_by_squares_meets_the_published_example() -> None:
    """Oracle: Shrout and Fleiss 1979, table 4, give ICC(2,1) = .29 for their table 2."""
    assert icc_by_squares(TARGETS) == pytest.approx(0.29, abs=5e-3)


def test_alpha_worked_example() -> None:
    """Two raters: 1 1, 1 2, 2 2.

    Each unit counts both ways, so o has 2 on (1,1), 1 on (1,2), 1 on (2,1), 2 on (2,2); the margins
    are 3 and 3 of n = 6. D_o = 2, D_e = 2 * 3 * 3 / 5 = 3.6; alpha = 1 - 2 / 3.6 = 4/9.
    """
    assert alpha([(1, 1), (1, 2), (2, 2)], "nominal") == pytest.approx(4 / 9)


def test_a_rater_who_is_stricter_lowers_icc() -> None:
    """Worked example: targets 1, 2, 3 and a second rater one point above.

    Means 1.5, 2.5, 3.5 and 2, 3: MS_t = 2 * 2 / 2 = 2, MS_r = 3 * 0.5 = 1.5, no error.
    ICC = 2 / (2 + 2 * 1.5 / 3) = 2/3, where their order alone would give 1.
    """
    assert icc([(1, 2), (2, 3), (3, 4)]) == pytest.approx(2 / 3)


@every_level
@settings(deadline=None)
@given(rows=two_raters)
def test_alpha_is_its_definition(level: Level, rows: list[tuple[int, int]]) -> None:
    """Law: a table says what going pair by pair says; an unused category changes nothing."""
    expected = alpha_by_pairs(rows, level)
    if expected is None:
        assert math.isnan(alpha(rows, level))
    else:
        assert alpha(rows, level) == pytest.approx(float(expected), abs=1e-12)


@settings(deadline=None)
@given(rows=two_raters)
def test_icc_is_its_definition(rows: list[tuple[int, int]]) -> None:
    """Law: the same of ICC(2,1), also for one target."""
    expected = icc_by_squares(rows)
    if expected is None:
        assert math.isnan(icc(rows))
    else:
        assert icc(rows) == pytest.approx(float(expected), abs=1e-9)


@settings(deadline=None)
@given(rows=two_raters)
def test_neither_units_nor_raters_have_an_order(rows: list[tuple[int, int]]) -> None:
    """Law: a file sorted another way holds the same ratings."""
    swapped = [(b, a) for a, b in reversed(rows)]
    assert alpha(swapped, "ordinal") == pytest.approx(alpha(rows, "ordinal"), nan_ok=True)
    assert icc(swapped) == pytest.approx(icc(rows), nan_ok=True)


@every_level
def test_raters_who_say_the_same_agree_fully(level: Level) -> None:
    """Law: 1 says that no two ratings of a unit differ."""
    rows = [(1, 1), (2, 2), (4, 4)]
    assert alpha(rows, level) == 1.0
    assert icc(rows) == pytest.approx(1)


def test_tables_of_a_stack_have_a_figure_each_and_empty_ones_none() -> None:
    """Agreement in nothing, or on the one value there is, says nothing; 0 or 1 would."""
    rows = [(1, 1), (1, 2), (2, 2)]
    stack = np.array([table_of(rows), table_of([]), table_of([(3, 3), (3, 3)])])
    alphas = alphas_of(stack, categories=range(1, 5), level="ordinal")
    iccs = iccs_of(stack, categories=range(1, 5))
    assert (alphas[0], iccs[0]) == (alpha(rows, "ordinal"), icc(rows))
    assert np.isnan([*alphas[1:], *iccs[1:]]).all()


def test_an_unknown_level_is_named() -> None:
    """A ratio scale is none of those offered."""
    level = cast("Level", "ratio")
    message = "level is 'ratio'; choose 'nominal', 'ordinal' or 'interval'"
    with pytest.raises(ValueError, match=f"^{message}$"):
        alphas_of(np.zeros((2, 2), dtype=np.int64), categories=(0, 1), level=level)
