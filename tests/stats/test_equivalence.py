from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats.equivalence import mcnemar_p_value, tost

if TYPE_CHECKING:
    from random import Random

differences = st.lists(st.integers(-40, 40).map(lambda step: step / 1000), min_size=2, max_size=30)


def test_mcnemar_worked_example() -> None:
    """Five changes up and one down: 2 * (C(6, 5) + C(6, 6)) / 2^6 = 14 / 64."""
    assert mcnemar_p_value(5, 1) == pytest.approx(14 / 64)


def test_nothing_changed_is_no_lean() -> None:
    """No coin was tossed."""
    assert mcnemar_p_value(0, 0) == 1.0


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_two_sided_binomial_test(n_up: int, n_down: int) -> None:
    """The sum of the tail that is at least as uneven, twice and at most 1; both sides are alike."""
    total, low = n_up + n_down, min(n_up, n_down)
    tail = sum(math.comb(total, k) for k in range(low + 1)) / 2.0**total
    assert mcnemar_p_value(n_up, n_down) == pytest.approx(min(1.0, 2 * tail))
    assert mcnemar_p_value(n_up, n_down) == mcnemar_p_value(n_down, n_up)


@pytest.mark.parametrize("counts", [(-1, 2), (2, -1)])
def test_a_negative_count_is_refused(counts: tuple[int, int]) -> None:
    """It could only be a mistake of the caller."""
    with pytest.raises(ValueError, match="a count is not negative"):
        mcnemar_p_value(*counts)


def test_tost_is_scipys_one_sided_tests() -> None:
    """SciPy's `ttest_1samp` against each end of the margin; the larger p value counts."""
    generator = np.random.default_rng(7)
    for shift in (-0.03, -0.01, 0.0, 0.015, 0.04):
        values = generator.normal(shift, 0.05, size=40)
        above = stats.ttest_1samp(values, -0.02, alternative="greater").pvalue
        below = stats.ttest_1samp(values, 0.02, alternative="less").pvalue
        assert tost(values.tolist(), 0.02) == pytest.approx(max(above, below))


def test_tost_worked_example() -> None:
    """Differences -1, 0, 1: s = 1, t = 2 / (1 / sqrt 3) = 3.4641 with 2 degrees of freedom."""
    # P(T_2 > t) = (1 - t / sqrt(t^2 + 2)) / 2 = (1 - 3.4641 / 3.7417) / 2
    assert tost([-1.0, 0.0, 1.0], 2.0) == pytest.approx((1 - math.sqrt(12 / 14)) / 2)


def test_differences_without_spread_are_inside_or_outside() -> None:
    """A t statistic would divide by 0."""
    assert tost([0.0, 0.0], 0.02) == 0.0
    assert tost([0.01, 0.01, 0.01], 0.02) == 0.0
    assert tost([0.02, 0.02], 0.02) == 1.0


@given(differences, st.randoms(use_true_random=False))
def test_order_and_sign_do_not_matter(values: list[float], random: Random) -> None:
    """The margin is the same on either side, and pairs have no order."""
    other = list(values)
    random.shuffle(other)
    assert tost(other, 0.02) == tost(values, 0.02)
    assert tost([-value for value in values], 0.02) == pytest.approx(tost(values, 0.02))


@given(differences)
def test_a_wider_margin_is_easier_to_hold(values: list[float]) -> None:
    """A p value over 0.5 says that the mean is not inside."""
    assert tost(values, 0.03) <= tost(values, 0.02) + 1e-12
    mean = math.fsum(values) / len(values)
    if abs(mean) > 0.0201:
        assert tost(values, 0.02) > 0.5


@pytest.mark.parametrize(
    ("values", "margin", "message"),
    [
        ([0.1], 0.02, "there are 1 differences; give at least 2"),
        ([0.1, math.nan], 0.02, r"differences\[1\] is nan; leave unscored pairs out"),
        ([0.1, 0.2], 0.0, "margin is 0.0; give a number above 0"),
    ],
    ids=["one", "not finite", "no margin"],
)
def test_what_cannot_be_tested_is_refused(values: list[float], margin: float, message: str) -> None:
    """The message says what to do."""
    with pytest.raises(ValueError, match=message):
        tost(values, margin)
