from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.stats.agreement import cohen_kappa, confusion, exact_agreement, kappas_of

if TYPE_CHECKING:
    from collections.abc import Sequence

Weights = Literal["none", "quadratic"]
SCALE = (1, 2, 3, 4)

both_weights = pytest.mark.parametrize("weights", ["none", "quadratic"])
rated_items = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), max_size=30)


def raters(
    table: Sequence[Sequence[int]], categories: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Two raters whose confusion is this table."""
    pairs = [
        (left, right)
        for left, row in zip(categories, table, strict=True)
        for right, count in zip(categories, row, strict=True)
        for _ in range(count)
    ]
    return columns(pairs)


def columns(pairs: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The ratings of a and those of b."""
    return [left for left, _ in pairs], [right for _, right in pairs]


def test_exact_agreement_is_the_share_of_equal_ratings() -> None:
    """Two of four items are rated alike."""
    assert exact_agreement([1, 2, 3, 4], [1, 2, 4, 3]) == 0.5
    assert exact_agreement(np.array([1, 2]), np.array([1, 2])) == 1.0


def test_exact_agreement_without_items_is_none() -> None:
    """No item is no disagreement and no agreement either."""
    assert exact_agreement([], []) is None


def test_confusion_counts_a_in_rows_and_b_in_columns() -> None:
    """The order of the categories is the caller's, and unused ones keep their place."""
    assert confusion([1, 1, 2], [2, 2, 1], (1, 2, 3)) == ((0, 2, 0), (1, 0, 0), (0, 0, 0))
    assert confusion([1, 1, 2], [2, 2, 1], (2, 1)) == ((0, 1), (2, 0))


def test_kappa_meets_the_published_example() -> None:
    """The grant-proposal example of the "Cohen's kappa" article of Wikipedia: 0.4."""
    # 50 proposals: both yes 20, only a yes 5, only b yes 10, both no 15
    # p_o = (20 + 15) / 50 = 0.7
    # p_e = 25/50 * 30/50 + 25/50 * 20/50 = 0.3 + 0.2 = 0.5
    # kappa = (0.7 - 0.5) / (1 - 0.5) = 0.4
    a, b = raters([[20, 5], [10, 15]], (1, 0))
    assert exact_agreement(a, b) == 0.7
    assert cohen_kappa(a, b, categories=(1, 0), weights="none") == 0.4


def test_kappa_separates_equal_raw_agreement() -> None:
    """The same article: 0.60 raw agreement twice, with kappa 0.1304 and 0.2593."""
    # 45/15/25/15: p_e = 0.6 * 0.7 + 0.4 * 0.3 = 0.54; (0.60 - 0.54) / 0.46 = 0.1304
    # 25/35/5/35:  p_e = 0.6 * 0.3 + 0.4 * 0.7 = 0.46; (0.60 - 0.46) / 0.54 = 0.2593
    first = raters([[45, 15], [25, 15]], (0, 1))
    second = raters([[25, 35], [5, 35]], (0, 1))
    assert exact_agreement(*first) == exact_agreement(*second) == 0.6
    assert cohen_kappa(*first, categories=(0, 1), weights="none") == pytest.approx(0.06 / 0.46)
    assert cohen_kappa(*second, categories=(0, 1), weights="none") == pytest.approx(0.14 / 0.54)


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
@pytest.mark.parametrize("items", [[], [3], [2, 2, 2]])
def test_kappa_is_none_where_chance_agrees_on_everything(
    items: list[int], weights: Weights
) -> None:
    """Raters who only ever say one thing show no agreement beyond chance, nor its absence."""
    assert cohen_kappa(items, items, categories=SCALE, weights=weights) is None


@both_weights
def test_kappa_of_two_constant_raters_who_differ_is_zero(weights: Weights) -> None:
    """They disagree as often as chance has them disagree: always."""
    assert cohen_kappa([1, 1], [4, 4], categories=SCALE, weights=weights) == 0
    assert cohen_kappa([1], [2], categories=SCALE, weights=weights) == 0


@both_weights
def test_kappa_takes_arrays(weights: Weights) -> None:
    """A resample indexes arrays."""
    a, b = [1, 2, 3, 4, 4], [1, 2, 4, 4, 3]
    from_lists = cohen_kappa(a, b, categories=SCALE, weights=weights)
    from_arrays = cohen_kappa(np.array(a), np.array(b), categories=SCALE, weights=weights)
    assert from_arrays == from_lists
    assert type(from_arrays) is float


@both_weights
@given(pairs=rated_items, data=st.data())
def test_kappa_ignores_the_order_of_items_raters_and_categories(
    weights: Weights, pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Counts are integers, so not one digit may move."""
    a, b = columns(pairs)
    expected = cohen_kappa(a, b, categories=SCALE, weights=weights)
    shuffled = columns(data.draw(st.permutations(pairs)))
    order = data.draw(st.permutations(SCALE))
    assert cohen_kappa(*shuffled, categories=SCALE, weights=weights) == expected
    assert cohen_kappa(b, a, categories=SCALE, weights=weights) == expected
    assert cohen_kappa(a, b, categories=order, weights=weights) == expected


@both_weights
@given(pairs=rated_items)
def test_kappa_is_bounded_and_ignores_an_unused_category(
    weights: Weights, pairs: list[tuple[int, int]]
) -> None:
    """The rubric may offer a rating that nobody gave."""
    value = cohen_kappa(*columns(pairs), categories=SCALE, weights=weights)
    wider = cohen_kappa(*columns(pairs), categories=(0, *SCALE, 9), weights=weights)
    assert wider == value
    assert value is None or -1 <= value <= 1


@both_weights
@given(items=st.lists(st.sampled_from(SCALE), max_size=20))
def test_identical_raters_are_maximal(weights: Weights, items: list[int]) -> None:
    """Full agreement is 1 wherever chance leaves room for it."""
    value = cohen_kappa(items, items, categories=SCALE, weights=weights)
    assert value == (1 if len(set(items)) > 1 else None)


stacks = st.lists(rated_items, max_size=5)


@both_weights
@given(rated=stacks)
def test_kappas_of_a_stack_are_those_of_its_tables(
    weights: Weights, rated: list[list[tuple[int, int]]]
) -> None:
    """A thousand resamples are one call; not one digit may differ from a thousand calls."""
    tables = [confusion(*columns(pairs), SCALE) for pairs in rated]
    stack = np.array(tables, dtype=np.int64).reshape(-1, 4, 4)
    kappas = kappas_of(stack, categories=SCALE, weights=weights)
    assert kappas.shape == (len(rated),)
    assert [None if np.isnan(kappa) else kappa for kappa in kappas.tolist()] == [
        cohen_kappa(*columns(pairs), categories=SCALE, weights=weights) for pairs in rated
    ]


def test_kappas_keep_the_shape_of_their_stack() -> None:
    """Worked example: the published table is 0.4 in every place; an empty one has no kappa."""
    table = np.array([[20, 5], [10, 15]])
    stack = np.stack([np.stack([table, 2 * table]), np.stack([table * 0, table.T])])
    kappas = kappas_of(stack, categories=(1, 0), weights="none")
    assert kappas.shape == (2, 2)
    assert np.array_equal(kappas, [[0.4, 0.4], [np.nan, 0.4]], equal_nan=True)
    assert kappas_of(table, categories=(1, 0), weights="none").shape == ()


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


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=20))
def test_weights_do_not_matter_for_two_adjacent_categories(pairs: list[tuple[bool, bool]]) -> None:
    """With one step only, its square is 1."""
    a, b = columns(pairs)
    plain = cohen_kappa(a, b, categories=(0, 1), weights="none")
    assert cohen_kappa(a, b, categories=(0, 1), weights="quadratic") == plain


@given(rated_items)
def test_confusion_keeps_every_item_and_transposes_with_the_raters(
    pairs: list[tuple[int, int]],
) -> None:
    """The diagonal is exact agreement, and nothing is lost."""
    a, b = columns(pairs)
    table = confusion(a, b, SCALE)
    assert sum(map(sum, table)) == len(pairs)
    assert confusion(b, a, SCALE) == tuple(zip(*table, strict=True))
    agreed = sum(table[place][place] for place in range(len(SCALE)))
    assert exact_agreement(a, b) == (agreed / len(pairs) if pairs else None)


def test_unequal_lengths_are_named() -> None:
    """An item rated once only is a caller's mistake."""
    message = r"^a has 2 ratings and b has 1; give one of each an item$"
    with pytest.raises(ValueError, match=message):
        exact_agreement([1, 2], [1])
    with pytest.raises(ValueError, match=message):
        confusion([1, 2], [1], SCALE)
    with pytest.raises(ValueError, match=message):
        cohen_kappa([1, 2], [1], categories=SCALE, weights="none")


def test_rating_outside_the_categories_is_named() -> None:
    """A rating off the scale must not vanish from the counts."""
    message = r"^b\[1\] is 5, none of the categories \(1, 2, 3, 4\); mend the rating or add the"
    with pytest.raises(ValueError, match=message):
        cohen_kappa([1, 2], [1, 5], categories=SCALE, weights="none")


def test_category_named_twice_is_refused() -> None:
    """Its items would all be counted in one of its two places."""
    with pytest.raises(ValueError, match=r"^categories \(1, 2, 1\) names one twice; name each"):
        confusion([1], [1], [1, 2, 1])


def test_unknown_weights_are_refused() -> None:
    """A misspelt weight must not fall back on another kappa."""
    linear = cast("Weights", "linear")
    with pytest.raises(ValueError, match=r"^weights is 'linear'; choose 'none' or 'quadratic'$"):
        cohen_kappa([1], [1], categories=SCALE, weights=linear)
    with pytest.raises(ValueError, match=r"^weights is 'linear'; choose 'none' or 'quadratic'$"):
        kappas_of(np.zeros((4, 4), dtype=np.int64), categories=SCALE, weights=linear)
