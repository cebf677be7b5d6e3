from __future__ import annotations

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
from tests.kappa import cohen_kappa

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
