from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats.agreement import (
    evidence_f1,
    evidence_precision,
    evidence_recall,
    kappas_of,
)
from summeval_pytest.study.agreement.annotators import cohen_kappa
from summeval_pytest.study.agreement.evidence import any_hit, named_per_instance
from summeval_pytest.study.agreement.item_agreement import alphas_of, iccs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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


def table_of(pairs: Pairs) -> NDArray[np.int64]:
    """How often the first rater said the row and the second the column, on a scale of four."""
    return np.array([[pairs.count((a, b)) for b in SCALE] for a in SCALE], dtype=np.int64)


def test_kappa_meets_the_published_example() -> None:
    """The grant-proposal example of the "Cohen's kappa" article of Wikipedia: 0.4."""
    # 50 proposals: both yes 20, only a yes 5, only b yes 10, both no 15
    # p_o = (20 + 15) / 50 = 0.7
    # p_e = 25/50 * 30/50 + 25/50 * 20/50 = 0.3 + 0.2 = 0.5
    # kappa = (0.7 - 0.5) / (1 - 0.5) = 0.4
    a, b = raters([[20, 5], [10, 15]], (1, 0))
    assert cohen_kappa(a, b, categories=(1, 0), weights="none") == 0.4


def test_quadratic_kappa_worked_example() -> None:
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


@both_weights
@pytest.mark.parametrize(
    ("a", "b", "kappa"),
    [([], [], None), ([3], [3], None), ([2, 2], [2, 2], None), ([1, 1], [4, 4], 0), ([1], [2], 0)],
)
def test_kappa_of_constant_raters(
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


@both_weights
@few_examples
@given(rated=st.lists(rated_items, max_size=5))
def test_kappas_of_a_stack_are_those_of_its_tables(weights: Weights, rated: list[Pairs]) -> None:
    """A thousand resamples are one call; not one digit may differ from a thousand calls."""
    stack = np.array([table_of(pairs) for pairs in rated], dtype=np.int64).reshape(-1, 4, 4)
    kappas = kappas_of(stack, categories=SCALE, weights=weights)
    assert [None if np.isnan(kappa) else kappa for kappa in kappas.tolist()] == [
        cohen_kappa(*columns(pairs), categories=SCALE, weights=weights) for pairs in rated
    ]


def test_kappas_use_the_distance_of_the_ratings_themselves() -> None:
    """Worked example: ratings 1, 2 and 4, so that the last two are as far apart as 2 steps."""
    # a, b: (1, 2), (4, 4), (2, 4): observed 1 + 0 + 4 = 5
    # expected (a: 1, 2, 4 once each; b: 2, 4, 4) / 3: (1 + 2 * 9 + 0 + 2 * 4 + 4 + 0) / 3 = 31/3
    # so that kappa is 1 - 5 / (31/3) = 16/31
    table = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 1]])
    kappa = kappas_of(table, categories=(1, 2, 4), weights="quadratic")
    assert float(kappa) == pytest.approx(16 / 31, abs=1e-15)


def test_kappas_of_huge_counts_do_not_overflow() -> None:
    """A million items in each cell: counts are multiplied before they are divided."""
    table = np.full((4, 4), 10**6) + np.diag([10**6] * 4)
    assert kappas_of(table, categories=SCALE, weights="none") == pytest.approx(0.2)


# Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011: 12 units, 4 observers, gaps.
OBSERVERS: Sequence[Sequence[int | None]] = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
# Shrout and Fleiss, "Intraclass Correlations", 1979, table 2: 6 targets, 4 judges.
TARGETS = ((9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7))


def alpha_by_pairs(units: Sequence[Sequence[int | None]]) -> Fraction | None:
    """Alpha by its definition, one ordered pair of ratings at a time, in whole numbers."""
    said = [[r for r in unit if r is not None] for unit in units]
    said = [unit for unit in said if len(unit) > 1]
    every = [r for unit in said for r in unit]

    def distance(a: int, b: int) -> Fraction:
        low, high = sorted((a, b))
        ends = Fraction(every.count(low) + every.count(high), 2)
        return (sum(low <= r <= high for r in every) - ends) ** 2 if a != b else Fraction(0)

    within = [distance(a, b) / (len(unit) - 1) for unit in said for a, b in permutations(unit, 2)]
    between = sum((distance(a, b) for a, b in permutations(every, 2)), Fraction(0))
    return 1 - sum(within, Fraction(0)) * (len(every) - 1) / between if between else None


def icc_by_squares(table: Sequence[Sequence[int]]) -> Fraction | None:
    """ICC(2,1) by its definition for any number of raters, from the mean squares."""
    n, k = len(table), len(table[0])
    every = [Fraction(r) for row in table for r in row]
    mean = sum(every, Fraction(0)) / len(every)
    targets = sum(((Fraction(sum(row), k) - mean) ** 2 for row in table), Fraction(0)) * k
    by_rater = zip(*table, strict=True)
    raters = sum(((Fraction(sum(each), n) - mean) ** 2 for each in by_rater), Fraction(0)) * n
    if n == 1:
        return None
    total = sum(((r - mean) ** 2 for r in every), Fraction(0))
    error = (total - targets - raters) / ((n - 1) * (k - 1))
    of_targets, of_raters = targets / (n - 1), raters / (k - 1)
    below = of_targets + (k - 1) * error + k * (of_raters - error) / n
    return (of_targets - error) / below if below else None


def test_definitions_meet_the_published_examples() -> None:
    """Oracle: Krippendorff 2011: .815; Shrout and Fleiss 1979, table 4: ICC(2,1) = .29."""
    assert alpha_by_pairs([*zip(*OBSERVERS, strict=True)]) == pytest.approx(0.815, abs=5e-4)
    assert icc_by_squares(TARGETS) == pytest.approx(0.29, abs=5e-3)


@few_examples
@given(pairs=rated_items.filter(bool))
def test_alpha_and_icc_are_their_definitions_in_any_order(pairs: Pairs) -> None:
    """Law: a table says what going pair by pair says; a file sorted another way says the same."""
    for table in (table_of(pairs), table_of([(b, a) for a, b in reversed(pairs)])):
        for result, expected in (
            (float(alphas_of(table)), alpha_by_pairs(pairs)),
            (float(iccs_of(table, categories=SCALE)), icc_by_squares(pairs)),
        ):
            wanted = math.nan if expected is None else float(expected)
            assert result == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def test_alpha_worked_examples() -> None:
    """Units 1 1, 1 2, 2 2; and 239 verdicts of which 227 are alike and only 2 of these are yes.

    Each unit counts both ways, so o has 2 on (1,1), 1 on (1,2), 1 on (2,1), 2 on (2,2); the margins
    are 3 and 3 of n = 6. D_o = 2, D_e = 2 * 3 * 3 / 5 = 3.6; alpha = 1 - 2 / 3.6 = 4/9.
    Of 478 ratings 16 are yes: alpha = 1 - 477 * 24 / (2 * 16 * 462). Where nearly all are alike,
    agreement is cheap, and alpha says so.
    """
    assert float(alphas_of(table_of([(1, 1), (1, 2), (2, 2)]))) == pytest.approx(4 / 9)
    few = alphas_of(np.array([[225, 11], [1, 2]]))
    assert float(few) == pytest.approx(1 - 477 * 24 / 14_784, abs=1e-12)


def test_a_rater_who_is_stricter_lowers_icc() -> None:
    """Worked example: targets 1, 2, 3 and a second rater one point above.

    Means 1.5, 2.5, 3.5 and 2, 3: MS_t = 2 * 2 / 2 = 2, MS_r = 3 * 0.5 = 1.5, no error.
    ICC = 2 / (2 + 2 * 1.5 / 3) = 2/3, where their order alone would give 1.
    """
    table = table_of([(1, 2), (2, 3), (3, 4)])
    assert float(iccs_of(table, categories=SCALE)) == pytest.approx(2 / 3)


def test_evidence_worked_examples() -> None:
    """12 named for 5 instances are 2.4, right or wrong; of 4 instances 3 have a hit."""
    assert named_per_instance(np.array([[12, 8, 3, 3, 5], [12, 8, 0, 0, 5]])).tolist() == [2.4, 2.4]
    assert any_hit(np.array([[9, 8, 5, 3, 4]])).tolist() == [0.75]


def test_the_published_figures_of_bm25_are_micro() -> None:
    """Oracle: FareBio, Table 3, BM25 top-1: precision .73, recall .56, F1 .63 (metrics.md FB1).

    One sentence named for each of 1,305 instances, 1,713 labelled: .73 x 1,305 = 953 of them both.
    """
    counts = np.array([[1305, 1713, 953]])
    figures = [float(f(counts)[0]) for f in (evidence_precision, evidence_recall, evidence_f1)]
    assert figures == pytest.approx([0.73, 0.56, 0.63], abs=0.005)


@few_examples
@given(st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=1, max_size=8))
def test_f1_is_the_harmonic_mean_and_figures_are_shares(drawn: list[tuple[int, int]]) -> None:
    """Law: counts of instances add up, and F1 lies between precision and recall."""
    instances = [(named, labelled + 1, min(named, labelled)) for named, labelled in drawn]
    summed = np.array([np.sum(instances, axis=0)], dtype=np.int64)
    p, r, f1 = (float(f(summed)[0]) for f in (evidence_precision, evidence_recall, evidence_f1))
    if np.isnan(p):
        assert f1 == 0.0
        return
    assert 0.0 <= min(p, r) <= f1 + 1e-12
    assert f1 - 1e-12 <= max(p, r) <= 1.0
    assert f1 == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)
