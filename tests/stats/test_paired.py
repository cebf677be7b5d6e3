from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from summeval_pytest.stats.paired import (
    drop_p_value,
    holm,
    papers_to_refute,
    pass_chance,
    passing_margin,
    refuted_drop,
)

steps = st.integers(min_value=-3, max_value=3).map(float)
differences = st.lists(steps, min_size=1, max_size=10) | st.lists(steps, min_size=14, max_size=40)


@pytest.mark.parametrize(
    ("values", "p_value"),
    [
        # sizes 3, 1, 2 give the sums -6, -4, -2, 0, 0, 2, 4, 6; three of eight are at most -2
        ([-3.0, -1.0, 2.0], 3 / 8),
        # Of 2^n assignments only one is all negative, so few papers can never be significant.
        ([-0.2], 1 / 2),
        ([-0.2, -0.1, -0.4, -0.3], 1 / 16),
        ([-0.1] * 13, 2**-13),
        # Zeros are as low under any signs, counted exactly or drawn.
        ([0.0, 0.0, -0.0], 1.0),
        ([0.0] * 50, 1.0),
        # 0.1 + 0.2 - 0.3 is 5.6e-17 in floats and 0 in the papers, as 1 + 2 - 3 is.
        # sums of sizes 1, 2, 3: -6, -4, -2, 0, 0, 2, 4, 6; observed is 0: five of eight
        ([0.1, 0.2, -0.3], 5 / 8),
        ([-0.1, -0.2, 0.3], 5 / 8),
        # The p value does not hang on the unit that scores are in.
        ([-1e308] * 5, 1 / 32),
        ([-5e-324] * 5, 1 / 32),
        ([-1e308] * 40, 1 / 10_000),
    ],
)
def test_p_value_worked_examples(values: list[float], p_value: float) -> None:
    """The share of sign flips at or below the observed sum, counted by hand."""
    assert drop_p_value(values, seed=0) == p_value


@pytest.mark.parametrize("n_papers", [14, 15, 16, 17, 24, 25, 60, 200])
def test_drawn_p_value_is_near_the_exact_one(n_papers: int) -> None:
    """Equal sizes make the test a sign test, whose p value is a binomial tail."""
    n_up = int(0.4 * n_papers)
    values = [1.0] * n_up + [-1.0] * (n_papers - n_up)
    exact = sum(math.comb(n_papers, up) for up in range(n_up + 1)) / 2.0**n_papers
    # Five standard errors of a share among 9,999.
    tolerance = 5 * math.sqrt(exact * (1 - exact) / 9999)
    assert drop_p_value(values, seed=9) == pytest.approx(exact, abs=tolerance)


def test_seeded_p_value_keeps_its_digits() -> None:
    """NumPy promises PCG64's stream, not its Generator's draws: a change has to be seen."""
    values = [-0.5, 0.25, -0.25, -1.0, 1.0] * 4
    assert drop_p_value(values, n_flips=999, seed=2024) == 0.27


@given(values=differences, data=st.data())
@settings(deadline=None, max_examples=15)
def test_order_changes_no_p_value_and_a_lower_difference_never_raises_it(
    values: list[float], data: st.DataObject
) -> None:
    """A release that got worse on one more paper must not look less significant."""
    p_value = drop_p_value(values, seed=3)
    assert drop_p_value(data.draw(st.permutations(values)), seed=3) == p_value
    lower = [value - data.draw(st.integers(0, 2)) for value in values]
    assert drop_p_value(lower, seed=3) <= p_value


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([], {"seed": 0}, "^there are no differences; give at least one paper"),
        ([0.0, math.nan], {"seed": 0}, r"^differences\[1\] is nan; leave papers"),
        ([0.0, -math.inf], {"seed": 0}, r"^differences\[1\] is -inf; leave papers"),
        ([1.0], {"seed": 0, "n_flips": 0}, "n_flips is 0; draw at least 1"),
        ([1.0], {"seed": -1}, "seed is -1; give 0 or more"),
    ],
)
def test_what_cannot_be_tested_is_refused(
    values: list[float], options: dict[str, int], message: str
) -> None:
    """Also where so few papers are counted exactly that nothing would be drawn."""
    with pytest.raises(ValueError, match=message):
        drop_p_value(values, **options)


def test_holm_worked_example() -> None:
    """Holm 1979: the smallest times m, the next times m - 1, and never below the one before."""
    # sorted: 0.01 * 4 = 0.04; 0.02 * 3 = 0.06; 0.03 * 2 = 0.06; 0.04 * 1 = 0.04 -> 0.06
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx((0.06, 0.04, 0.06, 0.06))
    # sorted: 0.005 * 3 = 0.015; 0.3 * 2 = 0.6; 0.9 * 1 = 0.9
    assert holm([0.9, 0.005, 0.3]) == pytest.approx((0.9, 0.015, 0.6))
    # 0.6 * 2 = 1.2 -> 1; 0.7 -> 1
    assert holm([0.7, 0.6]) == (1.0, 1.0)


@pytest.mark.parametrize("p_value", [-0.01, 1.01, math.nan])
def test_holm_refuses_what_is_no_p_value(p_value: float) -> None:
    """A score passed by mistake must not come out as evidence."""
    with pytest.raises(ValueError, match=rf"^p_values\[1\] is {p_value!r}; a p value is between"):
        holm([0.5, p_value])


GAINS = [0.1, -0.2, 0.05, 0.0, 0.15, -0.1]


def test_a_drop_of_the_margin_is_tested_by_students_t() -> None:
    """Worked example: gains -.1 and .1: v = (.02 + 1) / 2 = .51, error sqrt(.51 / 3) = .4123.

    With one degree of freedom T(x) = 1/2 + atan(x) / pi; x = .05 / .4123.
    """
    expected = 0.5 - math.atan(0.05 / math.sqrt(0.17)) / math.pi
    assert refuted_drop([-0.1, 0.1], level=expected) == pytest.approx(0.05)


def test_without_the_halves_of_a_paper_it_is_scipys_one_sided_t() -> None:
    """Oracle: in a range of almost no width, two papers' halves weigh nothing but the divisor."""
    many = GAINS * 400
    level = ttest_1samp(many, -0.003, alternative="greater").pvalue
    assert refuted_drop(many, level=float(level), width=1e-9) == pytest.approx(0.003, rel=0.01)


def test_equal_papers_do_not_give_certainty() -> None:
    """Thirty papers without any change rule no drop of a hundredth out."""
    assert refuted_drop([0.0] * 30, level=0.3) > 0.01
    assert refuted_drop([0.0] * 30, level=0.05) > 0.05


def test_as_many_papers_as_it_says_are_needed() -> None:
    """Law: so many copies of the papers refute the margin, one set less does not."""
    margin = 0.02
    n_needed = papers_to_refute(GAINS, margin=margin, level=0.05)
    assert n_needed is not None
    # copies have the deviation of a population, a little under that of the sample
    more, fewer = math.ceil(n_needed / len(GAINS)) + 1, int(n_needed * 0.8 / len(GAINS))
    assert refuted_drop(GAINS * more, level=0.05) <= margin
    assert refuted_drop(GAINS * fewer, level=0.05) > margin


@pytest.mark.parametrize("gains", [[-0.3, -0.1], [-0.03, -0.03], [0.5], [-0.0299999999, -0.03]])
def test_where_no_number_of_papers_is_enough_there_is_none(gains: list[float]) -> None:
    """The estimate itself drops by the margin or almost, or nothing is known of the deviation."""
    assert papers_to_refute(gains, margin=0.03, level=0.05) is None
    assert refuted_drop(gains[:1], level=0.05) == math.inf


def test_the_chance_to_pass_is_that_of_a_simulation() -> None:
    """Oracle: 1,000 suites of normal gains without a drop; two standard errors are .03."""
    n_papers, margin = 10, 0.2
    draws = np.random.Generator(np.random.PCG64(7)).normal(0.0, 0.2, (1000, n_papers))
    passes = [refuted_drop(gains.tolist(), level=0.05) <= margin for gains in draws]
    expected = pass_chance(margin, 0.2, n_papers, level=0.05)
    assert float(np.mean(passes)) == pytest.approx(expected, abs=0.04)
    assert pass_chance(margin, 0.2, 2 * n_papers, level=0.05) > expected
    passing = passing_margin(0.2, n_papers, chance=expected, level=0.05)
    assert passing == pytest.approx(margin)
