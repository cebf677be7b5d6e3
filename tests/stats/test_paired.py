from __future__ import annotations

import math
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import PCG64, Generator
from scipy import stats

from summeval_pytest.stats.paired import drop_p_value, holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

steps = st.integers(min_value=-3, max_value=3).map(float)
few = st.lists(steps, min_size=1, max_size=10)
many = st.lists(steps, min_size=14, max_size=40)
p_values = st.lists(st.floats(min_value=0, max_value=1), max_size=9)

RATING_SCALES = np.array([3, 4, 4, 3])
FACET_WEIGHTS = np.array([0.1, 0.3, 0.3, 0.3])


def binomial_p_value(n_up: int, n_papers: int) -> float:
    """The share of sign flips of equal sizes with at most n_up papers going up."""
    return sum(math.comb(n_papers, up) for up in range(n_up + 1)) / 2.0**n_papers


def scored_run(difficulty: NDArray[np.float64], generator: Generator) -> NDArray[np.float64]:
    """Seven numbers a paper: FM, a share of facts, a share of sentences, and four facet ratings.

    They hang together, for a paper that is hard and a summary that is bad are so for all of them.
    The ratings pile up at the top of their scales, and so do the shares.
    """
    quality = difficulty + 0.7 * generator.normal(size=len(difficulty))
    by_facet = quality[:, None] + 0.8 * generator.normal(size=(len(difficulty), 4))
    ratings = np.clip(np.round(RATING_SCALES - 0.6 + by_facet), 1, RATING_SCALES)
    chance = 1 / (1 + np.exp(-1.5 - quality))
    facts = generator.binomial(8, chance) / 8
    sentences = generator.binomial(6, chance**0.3) / 6
    score = (ratings / RATING_SCALES) @ FACET_WEIGHTS
    return np.column_stack([score, facts, sentences, ratings])


def test_three_papers_worked_example() -> None:
    """The share of sign flips at or below the observed sum, counted by hand."""
    # sizes 3, 1, 2 give the sums -6, -4, -2, 0, 0, 2, 4, 6; observed is -3 - 1 + 2 = -2
    # three of eight are at most -2
    assert drop_p_value([-3.0, -1.0, 2.0], seed=0) == 3 / 8


def test_the_smallest_p_value_says_that_every_paper_fell() -> None:
    """Of 2^n assignments only one is all negative, so few papers can never be significant."""
    assert drop_p_value([-0.2], seed=0) == 1 / 2
    assert drop_p_value([-0.2, -0.1, -0.4, -0.3], seed=0) == 1 / 16
    assert drop_p_value([-0.1] * 13, seed=0) == 2**-13


def test_no_difference_anywhere_is_no_evidence() -> None:
    """Zeros are as low under any signs, counted exactly or drawn."""
    assert drop_p_value([0.0, 0.0, -0.0], seed=0) == 1.0
    assert drop_p_value([0.0] * 50, seed=0) == 1.0


@pytest.mark.parametrize("n_papers", range(2, 11))
@pytest.mark.parametrize("is_tied", [False, True])
def test_exact_p_value_meets_scipy(n_papers: int, *, is_tied: bool) -> None:
    """SciPy 1.17.1's permutation test of paired samples counts the same assignments."""
    generator = Generator(PCG64(n_papers))
    for _ in range(4):
        draws = generator.normal(-0.4, 1, size=n_papers)
        values = np.round(draws) if is_tied else draws
        oracle = stats.permutation_test(
            (values,),
            np.sum,
            permutation_type="samples",
            alternative="less",
            n_resamples=2**n_papers,
            axis=0,
        )
        assert drop_p_value(values.tolist(), seed=0) == pytest.approx(oracle.pvalue, abs=1e-12)


def test_rounding_does_not_break_a_tie() -> None:
    """0.1 + 0.2 - 0.3 is 5.6e-17 in floats and 0 in the papers, as 1 + 2 - 3 is."""
    # sums of sizes 1, 2, 3: -6, -4, -2, 0, 0, 2, 4, 6; observed is 0: five of eight
    assert drop_p_value([0.1, 0.2, -0.3], seed=0) == 5 / 8
    assert drop_p_value([-0.1, -0.2, 0.3], seed=0) == 5 / 8


def test_rounding_does_not_break_a_tie_among_drawn_signs() -> None:
    """Thirds are no binary fractions, so a sum's last digit depends on its order."""
    thirds = [-1 / 3] * 12 + [1 / 3] * 9 + [2 / 3] * 4 + [-2 / 3] * 6
    whole = [round(3 * third) for third in thirds]
    assert drop_p_value(thirds, seed=4) == drop_p_value(whole, seed=4)


def test_signs_are_drawn_only_where_there_are_more_than_asked_for() -> None:
    """Exact where 2^n is at most n_flips + 1, and never 0 where it is not."""
    falls = [-1.0, -1.0, -1.0]
    assert drop_p_value(falls, n_flips=7, seed=0) == 1 / 8
    # Six drawn and the observed one: a multiple of 1/7.
    drawn = drop_p_value(falls, n_flips=6, seed=0)
    assert 7 * drawn == pytest.approx(round(7 * drawn))
    # One assignment of 2^40 is as low: never drawn, but the observed one counts.
    assert drop_p_value([-1.0] * 40, seed=0) == 1 / 10_000
    assert drop_p_value([-1.0] * 40, n_flips=99, seed=0) == 1 / 100


@pytest.mark.parametrize("n_papers", [14, 15, 16, 17, 24, 25, 60, 200])
def test_drawn_p_value_is_near_the_exact_one(n_papers: int) -> None:
    """Equal sizes make the test a sign test, whose p value is a binomial tail."""
    n_up = int(0.4 * n_papers)
    values = [1.0] * n_up + [-1.0] * (n_papers - n_up)
    exact = binomial_p_value(n_up, n_papers)
    # Five standard errors of a share among 9,999.
    tolerance = 5 * math.sqrt(exact * (1 - exact) / 9999)
    assert drop_p_value(values, seed=9) == pytest.approx(exact, abs=tolerance)


@pytest.mark.parametrize("n_papers", [14, 17])
def test_every_paper_is_flipped_by_its_own_sign(n_papers: int) -> None:
    """Sizes that are powers of two give each assignment a sum of its own, hence any p value."""
    values = [-(2.0**paper) if paper % 3 else 2.0**paper for paper in range(n_papers)]
    exact = drop_p_value(values, n_flips=2**n_papers - 1, seed=0)
    tolerance = 5 * math.sqrt(exact * (1 - exact) / 9999)
    assert 0.01 < exact < 0.99
    assert drop_p_value(values, seed=0) == pytest.approx(exact, abs=tolerance)


def test_same_seed_same_p_value_and_another_seed_another() -> None:
    """A number that cannot be reproduced cannot gate a release."""
    values = Generator(PCG64(2)).normal(-0.2, 1, size=30).tolist()
    first = drop_p_value(values, seed=1)
    assert drop_p_value(values, seed=1) == first
    assert drop_p_value(values, seed=2) != first


def test_seeded_p_value_keeps_its_digits() -> None:
    """NumPy promises PCG64's stream, not its Generator's draws: a change has to be seen."""
    values = [-0.5, 0.25, -0.25, -1.0, 1.0] * 4
    assert drop_p_value(values, n_flips=999, seed=2024) == 0.27


def test_huge_and_tiny_differences_neither_overflow_nor_vanish() -> None:
    """The p value does not hang on the unit that scores are in."""
    assert drop_p_value([-1e308] * 5, seed=0) == 1 / 32
    assert drop_p_value([-5e-324] * 5, seed=0) == 1 / 32
    assert drop_p_value([-1e308] * 40, seed=0) == 1 / 10_000


def test_two_thousand_papers_need_little_memory() -> None:
    """9,999 signs for each of 2,000 papers would be 160 MB as floats."""
    values = Generator(PCG64(3)).normal(size=2000).tolist()
    tracemalloc.start()
    try:
        drop_p_value(values, seed=123)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10e6


@given(values=st.one_of(few, many), data=st.data())
@settings(deadline=None, max_examples=60)
def test_order_of_papers_does_not_matter(values: list[float], data: st.DataObject) -> None:
    """Suites are read in the order of their files, which means nothing."""
    shuffled = data.draw(st.permutations(values))
    assert drop_p_value(shuffled, seed=3) == drop_p_value(values, seed=3)


@given(values=st.one_of(few, many))
@settings(deadline=None, max_examples=60)
def test_p_value_is_above_0_and_at_most_1(values: list[float]) -> None:
    """The observed assignment is one of those counted."""
    assert 0 < drop_p_value(values, seed=3) <= 1


@given(values=few)
@settings(deadline=None)
def test_a_drop_and_the_same_rise_share_all_assignments(values: list[float]) -> None:
    """Every sum is at most the observed one, or at least it, or both."""
    # p(d) + p(-d) = 1 + the share of sums that equal the observed one, which is among them
    both = drop_p_value(values, seed=0) + drop_p_value([-value for value in values], seed=0)
    assert both >= 1 + 2 ** -len(values)


@given(
    values=st.one_of(few, many),
    data=st.data(),
)
@settings(deadline=None, max_examples=80)
def test_a_lower_difference_never_raises_the_p_value(
    values: list[float], data: st.DataObject
) -> None:
    """A release that got worse on one more paper must not look less significant."""
    lower = [value - data.draw(st.integers(0, 2)) for value in values]
    assert drop_p_value(lower, seed=3) <= drop_p_value(values, seed=3)


@given(values=few)
@settings(deadline=None)
def test_a_constant_drop_lowers_the_p_value(values: list[float]) -> None:
    """A drop on all papers is what the test is there to see."""
    # With 4 taken from each, all are below 0, and only the observed assignment is as low.
    lowest = 2 ** -len(values)
    assert drop_p_value([value - 4 for value in values], seed=3) == lowest
    assert (drop_p_value(values, seed=3) > lowest) == (max(values) >= 0)


def test_no_difference_at_all_is_refused() -> None:
    """Two runs with no paper in common cannot be compared."""
    with pytest.raises(ValueError, match=r"^there are no differences; give at least one paper"):
        drop_p_value([], seed=0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_difference_that_is_not_finite_is_refused(value: float) -> None:
    """An unscored paper is no difference, and no sum would survive it."""
    with pytest.raises(ValueError, match=rf"^differences\[1\] is {value!r}; leave papers"):
        drop_p_value([0.0, value], seed=0)


def test_no_flips_and_bad_seeds_are_refused() -> None:
    """Also where so few papers are counted exactly that nothing would be drawn."""
    with pytest.raises(ValueError, match="n_flips is 0; draw at least 1"):
        drop_p_value([1.0], n_flips=0, seed=0)
    with pytest.raises(ValueError, match="seed is -1; give 0 or more"):
        drop_p_value([1.0], seed=-1)
    with pytest.raises(TypeError, match="NoneType"):
        drop_p_value([1.0], seed=None)  # type: ignore[arg-type]  # what would make it random


def test_holm_worked_example() -> None:
    """Holm 1979: the smallest times m, the next times m - 1, and never below the one before."""
    # sorted: 0.01 * 4 = 0.04; 0.02 * 3 = 0.06; 0.03 * 2 = 0.06; 0.04 * 1 = 0.04 -> 0.06
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx((0.06, 0.04, 0.06, 0.06))
    # sorted: 0.005 * 3 = 0.015; 0.3 * 2 = 0.6; 0.9 * 1 = 0.9
    assert holm([0.9, 0.005, 0.3]) == pytest.approx((0.9, 0.015, 0.6))
    # 0.6 * 2 = 1.2 -> 1; 0.7 -> 1
    assert holm([0.7, 0.6]) == (1.0, 1.0)


def test_holm_of_one_or_none_changes_nothing() -> None:
    """A single test needs no correction."""
    assert holm([0.03]) == (0.03,)
    assert holm([]) == ()


def holm_by_rejection(p_values: Sequence[float], level: float) -> list[bool]:
    """Holm's procedure as he gives it: reject in order until one is above level / (m - i)."""
    rejected = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=lambda test: p_values[test])
    for n_rejected, test in enumerate(order):
        if p_values[test] > level / (len(p_values) - n_rejected):
            break
        rejected[test] = True
    return rejected


@given(raw=st.lists(st.integers(0, 400).map(lambda n: n / 400), max_size=8))
def test_adjusted_p_values_reject_what_the_step_down_procedure_rejects(raw: list[float]) -> None:
    """An adjusted p value is the level from which on its test is rejected."""
    # 0.0501 * 400 divided by 1 to 8 is no whole number, so rounding decides nothing.
    assert [p <= 0.0501 for p in holm(raw)] == holm_by_rejection(raw, 0.0501)


@given(raw=p_values)
def test_adjusted_p_values_are_no_lower_at_most_1_and_in_the_same_order(raw: list[float]) -> None:
    """A correction never makes a test more significant nor swaps two."""
    adjusted = holm(raw)
    assert all(before <= after <= 1 for before, after in zip(raw, adjusted, strict=True))
    in_order = sorted(zip(raw, adjusted, strict=True))
    assert [after for _, after in in_order] == sorted(adjusted)


@given(raw=p_values, data=st.data())
def test_order_of_tests_does_not_matter_to_holm(raw: list[float], data: st.DataObject) -> None:
    """Each adjusted p value stays with its test."""
    order = data.draw(st.permutations(range(len(raw))))
    shuffled = holm([raw[test] for test in order])
    assert shuffled == tuple(holm(raw)[test] for test in order)


@pytest.mark.parametrize("p_value", [-0.01, 1.01, math.nan])
def test_holm_refuses_what_is_no_p_value(p_value: float) -> None:
    """A score passed by mistake must not come out as evidence."""
    with pytest.raises(ValueError, match=rf"^p_values\[1\] is {p_value!r}; a p value is between"):
        holm([0.5, p_value])


@pytest.mark.parametrize("n_papers", [12, 40])
def test_no_true_difference_fails_at_most_one_run_in_twenty(n_papers: int) -> None:
    """A gate that cries wolf is switched off: 1,000 releases as good as the last one."""
    generator = Generator(PCG64(40 + n_papers))
    n_uncorrected = n_failed = 0
    for _ in range(1000):
        difficulty = 0.7 * generator.normal(size=n_papers)
        old, new = scored_run(difficulty, generator), scored_run(difficulty, generator)
        raw = [drop_p_value(column, seed=1) for column in (new - old).T.tolist()]
        n_uncorrected += min(raw) < 0.05
        n_failed += min(holm(raw)) < 0.05
    assert n_failed <= 60
    # The seven are not one number, and ties do not make the test blind.
    assert n_uncorrected > 100
    assert n_failed > 5
