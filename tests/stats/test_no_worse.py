from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from summeval_pytest.stats.no_worse import (
    papers_to_refute,
    pass_chance,
    passing_margin,
    refuted_drop,
)

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
