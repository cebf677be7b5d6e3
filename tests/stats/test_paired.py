from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import PCG64, Generator
from scipy import integrate, stats

from summeval_pytest.stats.paired import detectable_drop, drop_p_value, holm, power_of_drop

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def test_a_seed_is_asked_for() -> None:
    """None would make the p value random."""
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


def holm_by_rejection(p_values: Sequence[float], level: float) -> list[bool]:
    """Holm's procedure as he gives it: reject in order until one is above level / (m - i)."""
    rejected = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=lambda test: p_values[test])
    for n_rejected, test in enumerate(order):
        if p_values[test] > level / (len(p_values) - n_rejected):
            break
        rejected[test] = True
    return rejected


@settings(deadline=None, max_examples=15)
@given(raw=st.lists(st.integers(0, 400).map(lambda n: n / 400), max_size=8))
def test_adjusted_p_values_reject_what_the_step_down_procedure_rejects(raw: list[float]) -> None:
    """An adjusted p value is the level from which on its test is rejected."""
    # 0.0501 * 400 divided by 1 to 8 is no whole number, so rounding decides nothing.
    assert [p <= 0.0501 for p in holm(raw)] == holm_by_rejection(raw, 0.0501)


@pytest.mark.parametrize("p_value", [-0.01, 1.01, math.nan])
def test_holm_refuses_what_is_no_p_value(p_value: float) -> None:
    """A score passed by mistake must not come out as evidence."""
    with pytest.raises(ValueError, match=rf"^p_values\[1\] is {p_value!r}; a p value is between"):
        holm([0.5, p_value])


HOLM = 0.05 / 7
"""The level of the first of seven tests."""


@pytest.mark.parametrize("n_papers", [6, 10, 25, 60])
@pytest.mark.parametrize("effect", [0.2, 0.6, 1.1])
def test_power_is_that_of_the_t_test(n_papers: int, effect: float) -> None:
    """The noncentral t distribution by its definition, integrated over the sample's deviation."""
    # With s the sample's deviation over the true one, (n - 1) s^2 is chi-square, and a drop is
    # significant where its mean over s exceeds the critical value c: the power is the mean of
    # Phi(effect * sqrt(n) - c * s) over s.
    attained = math.floor(0.05 * 2**n_papers) / 2**n_papers
    critical = stats.t.isf(attained, n_papers - 1)
    scale = math.sqrt(n_papers - 1)
    expected, _ = integrate.quad(
        lambda s: (
            stats.norm.cdf(effect * math.sqrt(n_papers) - critical * s)
            * stats.chi.pdf(s * scale, n_papers - 1)
            * scale
        ),
        0,
        8,
    )
    assert power_of_drop(effect, 1.0, n_papers) == pytest.approx(expected, abs=1e-6)


def test_half_a_deviation_takes_27_papers() -> None:
    """So many pairs a one-sided t test takes; the large-sample rule says 25."""
    # ((1.6449 + 0.8416) / 0.5)^2 = 24.7 by the normal distribution
    assert power_of_drop(0.5, 1.0, 26) < 0.8 <= power_of_drop(0.5, 1.0, 27)
    # For a hundredth, t is normal: (2.48648 / 0.01)^2 = 61825.6, and half of 1.645^2 = 1.35 more
    assert power_of_drop(0.01, 1.0, 61826) < 0.8 <= power_of_drop(0.01, 1.0, 61827)


def test_only_all_negative_differences_are_significant_in_five_papers() -> None:
    """One of 32 assignments is below 0.05, two are not: the power is that of five falls."""
    # 2/32 = 0.0625 > 0.05; Phi(1) = 0.8413; 0.8413^5 = 0.4216
    assert power_of_drop(0.1, 0.1, 5) == pytest.approx(0.4216, abs=1e-4)


def test_unchanged_papers_worked_example() -> None:
    """The mean over the number of papers that change."""
    # 6 papers, each changed with the chance 0.9: all with 0.531441, five with 6 * 0.59049 * 0.1 =
    # 0.354294, and with fewer nothing is significant at 0.05.
    # The changed ones drop by 0.36 / 0.9 = 0.4; their variance is
    # (0.9 * 0.2^2 - 0.1 * 0.36^2) / 0.9^2 = (0.036 - 0.01296) / 0.81 = 0.168655^2
    deviation = math.sqrt(0.02304) / 0.9
    expected = 0.531441 * power_of_drop(0.4, deviation, 6)
    expected += 0.354294 * power_of_drop(0.4, deviation, 5)
    assert power_of_drop(0.36, 0.2, 6, unchanged=0.1) == pytest.approx(expected)
    # Were the drop larger still, all changed papers would drop alike, and five or six are found.
    assert power_of_drop(0.8, 0.2, 6, unchanged=0.1) == pytest.approx(0.531441 + 0.354294)


def test_step_worked_example() -> None:
    """Half a flip of one step in the sum is lost: step / n in the mean."""
    # 0.3 - 0.5 / 20 = 0.275
    assert power_of_drop(0.3, 0.5, 20, step=0.5) == pytest.approx(power_of_drop(0.275, 0.5, 20))
    assert power_of_drop(0.3, 0.5, 5, step=0.5) == pytest.approx(power_of_drop(0.2, 0.5, 5))


@pytest.mark.parametrize(("level", "n_papers"), [(0.05, 5), (HOLM, 8), (1 / 64, 6)])
def test_no_drop_is_found_in_fewer_papers_than_can_be_significant(
    level: float, n_papers: int
) -> None:
    """The smallest p value of n papers is 2^-n, whatever the drop."""
    assert power_of_drop(9.0, 0.1, n_papers - 1, level=level) == 0.0
    assert power_of_drop(9.0, 0.0, n_papers - 1, level=level) == 0.0
    assert detectable_drop(0.1, n_papers - 1, level=level) is None
    assert detectable_drop(0.0, n_papers - 1, level=level) is None
    assert power_of_drop(9.0, 0.1, n_papers, level=level) == pytest.approx(1.0)
    # The same of the test itself.
    assert drop_p_value([-9.0] * (n_papers - 1), seed=0) > level
    assert drop_p_value([-9.0] * n_papers, seed=0) <= level


def test_differences_that_do_not_vary_are_found_as_soon_as_any() -> None:
    """With a deviation of 0 every paper drops by the same."""
    assert power_of_drop(1e-9, 0.0, 5) == 1.0
    assert detectable_drop(0.0, 5) == 0.0


def test_no_drop_is_detectable_where_too_few_papers_change() -> None:
    """Of eight papers, five or more change in 93 of 256 suites, so 80 % is out of reach."""
    # 56 + 28 + 8 + 1 = 93
    assert power_of_drop(99.0, 0.1, 8, unchanged=0.5) == pytest.approx(93 / 256)
    assert detectable_drop(0.1, 8, unchanged=0.5) is None
    assert detectable_drop(0.1, 8, unchanged=0.5, power=0.36) is not None
    assert detectable_drop(0.1, 8, unchanged=0.5, power=0.37) is None


@pytest.mark.parametrize("n_papers", [2, 5, 40, 10_000_000])
@pytest.mark.parametrize("drop", [1e-300, 1e-6, 3.7, 1e12, 1e300])
def test_power_of_extreme_drops_is_a_share(drop: float, n_papers: int) -> None:
    """SciPy's noncentral t gives nan far from the critical value."""
    power = power_of_drop(drop, 0.1, n_papers, level=0.25)
    assert 0 <= power <= 1
    if drop > 3:
        assert power > 0.999


@given(
    drop=st.floats(min_value=0.001, max_value=2.0),
    n_papers=st.integers(min_value=0, max_value=120),
    level=st.sampled_from([0.25, 0.05, HOLM, 0.001]),
    unchanged=st.sampled_from([0.0, 0.3, 0.8]),
)
@settings(deadline=None, max_examples=15)
def test_power_rises_with_drop_and_papers_and_falls_with_deviation(
    drop: float, n_papers: int, level: float, unchanged: float
) -> None:
    """The laws by which `detectable_drop` and `summeval power` search."""

    def power(
        drop: float = drop, deviation: float = 0.5, n_papers: int = n_papers, **more: float
    ) -> float:
        return power_of_drop(
            drop, deviation, n_papers, level=level, **{"unchanged": unchanged, **more}
        )

    assert 0 <= power() <= 1
    # Floating point, and as much as the approximation bends where 2^-n only just reaches level.
    least = power() - 1e-5
    assert power(drop=1.2 * drop) >= least
    assert power(n_papers=n_papers + 1) >= least
    assert power(deviation=0.4) >= least
    assert power(unchanged=0.0) >= least
    assert power(unchanged=0.0, step=0.1) <= power(unchanged=0.0)


@given(
    deviation=st.floats(min_value=1e-6, max_value=1e6),
    n_papers=st.integers(min_value=8, max_value=400),
    level=st.sampled_from([0.25, 0.05, HOLM]),
    power=st.sampled_from([0.5, 0.8, 0.99]),
)
@settings(deadline=None, max_examples=15)
def test_detectable_drop_has_the_power_asked_for(
    deviation: float, n_papers: int, level: float, power: float
) -> None:
    """The inverse of the power, in any unit."""
    drop = detectable_drop(deviation, n_papers, level=level, power=power)
    assert drop is not None
    assert power_of_drop(drop, deviation, n_papers, level=level) == pytest.approx(power, abs=1e-6)
