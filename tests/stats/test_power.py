from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import PCG64, Generator
from scipy import integrate, stats

from summeval_pytest.stats.paired import detectable_drop, drop_p_value, power_of_drop

if TYPE_CHECKING:
    from numpy.typing import NDArray

HOLM = 0.05 / 7
"""The level of the first of seven tests."""

N_RUNS = 2500
"""A share of so many runs has a standard error of at most 0.01."""

levels = st.sampled_from([0.25, 0.05, HOLM, 0.001])
drops = st.floats(min_value=0.001, max_value=2.0)
counts = st.integers(min_value=0, max_value=120)
shares = st.sampled_from([0.0, 0.3, 0.8])


def share_found(differences: NDArray[np.float64], level: float) -> float:
    """The share of simulated runs, one a row, whose drop is significant."""
    # Signs drawn once for all runs would shift their level alike, by its Monte Carlo error.
    n_found = 0
    for number, run in enumerate(differences.tolist()):
        n_found += drop_p_value(run, seed=number // 25) <= level
    return n_found / len(differences)


def facet_differences(n_papers: int, worse: float, *, seed: int) -> NDArray[np.float64]:
    """New minus old of four facet ratings: runs by papers by facets.

    Old ratings pile up at the top of their scales. Half of the papers are summarized alike; on
    the others a rating falls by one with the chance 0.3 + worse and rises with 0.2, where it can.
    """
    generator = Generator(PCG64(seed))
    scales = np.array([3, 4, 4, 3])
    old = 1 + generator.binomial(scales - 1, 0.7, size=(N_RUNS, n_papers, 4))
    is_other = generator.random((N_RUNS, n_papers, 1)) < 0.5
    moves = generator.random(old.shape)
    new = old - (is_other & (moves < 0.3 + worse)) + (is_other & (moves > 0.8))
    return np.asarray(np.clip(new, 1, scales) - old, dtype=np.float64)


def traits(differences: NDArray[np.float64]) -> tuple[float, float, float]:
    """The mean drop, the deviation and the share of papers unchanged, over all runs."""
    unchanged = float((np.abs(differences) < 1e-12).mean())
    return -float(differences.mean()), float(differences.std()), unchanged


@pytest.mark.parametrize(
    ("n_papers", "drop", "level"),
    [
        (5, 0.16, 0.05),
        (6, 0.11, 0.05),
        (8, 0.07, 0.05),
        (12, 0.07, 0.05),
        (20, 0.05, 0.05),
        (40, 0.04, 0.05),
        (8, 0.17, HOLM),
        (12, 0.1, HOLM),
        (40, 0.05, HOLM),
    ],
)
def test_stated_power_is_reached_by_normal_differences(
    n_papers: int, drop: float, level: float
) -> None:
    """The share of simulated runs found is within 3 points of the power, also at Holm's level."""
    power = power_of_drop(drop, 0.1, n_papers, level=level)
    assert 0.3 < power < 0.95
    differences = Generator(PCG64(n_papers)).normal(-drop, 0.1, size=(N_RUNS, n_papers))
    assert share_found(differences, level) == pytest.approx(power, abs=0.03)


@pytest.mark.parametrize(
    ("n_papers", "worse", "level"),
    [(30, 0.2, 0.05), (40, 0.1, 0.05), (40, 0.3, 0.05), (40, 0.4, HOLM), (60, 0.2, HOLM)],
)
def test_stated_power_is_reached_by_facet_ratings(
    n_papers: int, worse: float, level: float
) -> None:
    """Whole ratings tie, which costs power; the power knows by their step."""
    ratings = facet_differences(n_papers, worse, seed=n_papers)[:, :, 1] / 4
    drop, deviation, unchanged = traits(ratings)
    power = power_of_drop(drop, deviation, n_papers, level=level, step=1 / 4, unchanged=unchanged)
    assert 0.3 < power < 0.95
    found = share_found(ratings, level)
    assert found == pytest.approx(power, abs=0.03)
    # Without the step more would be promised than is kept.
    assert power_of_drop(drop, deviation, n_papers, level=level) > found + 0.04


@pytest.mark.parametrize(
    ("n_papers", "worse", "level"),
    [(8, 0.3, 0.05), (10, 0.1, 0.05), (20, 0.1, 0.05), (12, 0.3, HOLM), (20, 0.3, HOLM)],
)
def test_stated_power_is_reached_by_facet_scores(n_papers: int, worse: float, level: float) -> None:
    """A weighted mean of four ratings takes many values, but is 0 on papers summarized alike."""
    weights = np.array([0.1, 0.3, 0.3, 0.3]) / np.array([3, 4, 4, 3])
    scores = facet_differences(n_papers, worse, seed=n_papers) @ weights
    drop, deviation, unchanged = traits(scores)
    power = power_of_drop(drop, deviation, n_papers, level=level, unchanged=unchanged)
    assert share_found(scores, level) == pytest.approx(power, abs=0.03)


@pytest.mark.parametrize(
    ("n_papers", "level", "least", "most"),
    [(8, 0.05, 0.06, 0.12), (12, HOLM, 0.08, 0.16), (40, HOLM, -0.03, 0.04)],
)
def test_small_suites_of_ratings_find_less_than_is_stated(
    n_papers: int, level: float, least: float, most: float
) -> None:
    """The docstring says how far off the power is where ratings are few, and to which side."""
    generator = Generator(PCG64(n_papers))
    chance = {8: 0.82, 12: 0.84, 40: 0.43}[n_papers]
    moves = generator.choice(
        [-2, -1, 0, 1, 2], p=[0.02, 0.1, 0.76, 0.1, 0.02], size=(N_RUNS, n_papers)
    )
    ratings = np.maximum(moves - (generator.random(moves.shape) < chance), -2.0)
    drop, deviation, unchanged = traits(ratings)
    power = power_of_drop(drop, deviation, n_papers, level=level, step=1.0, unchanged=unchanged)
    assert 0.7 < power < 0.9
    assert least < power - share_found(ratings, level) < most


def test_power_is_overstated_where_unchanged_papers_are_not_told_of() -> None:
    """Ten papers of which five count are five papers: why the share is asked for."""
    weights = np.array([0.1, 0.3, 0.3, 0.3]) / np.array([3, 4, 4, 3])
    scores = facet_differences(10, 0.3, seed=10) @ weights
    drop, deviation, _ = traits(scores)
    assert power_of_drop(drop, deviation, 10) > share_found(scores, 0.05) + 0.1


@pytest.mark.parametrize(("n_papers", "level"), [(10, 0.05), (30, 0.05), (12, HOLM), (30, HOLM)])
def test_detectable_drop_is_found_in_four_of_five_runs(n_papers: int, level: float) -> None:
    """The figure printed beside a green verdict is true to 3 points."""
    drop = detectable_drop(0.2, n_papers, level=level)
    assert drop is not None
    differences = Generator(PCG64(n_papers)).normal(-drop, 0.2, size=(N_RUNS, n_papers))
    assert share_found(differences, level) == pytest.approx(0.8, abs=0.03)


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


def test_detectable_drop_grows_by_the_step_over_the_papers() -> None:
    """In the unit of the scores, also where the step is huge beside the deviation."""
    without = detectable_drop(0.1, 40)
    # 0.25 / 40 = 0.00625
    assert without is not None
    assert detectable_drop(0.1, 40, step=0.25) == pytest.approx(without + 0.00625)
    assert detectable_drop(1e-9, 20, step=1.0) == pytest.approx(1 / 20)
    # Nothing that is lost on the way to the critical value is found.
    assert power_of_drop(0.001, 1e-9, 20, step=1.0) == 0.0


@pytest.mark.parametrize(
    ("n_papers", "unchanged", "level", "fewest"),
    [(100, 0.95, 0.05, 5), (400, 0.95, 1e-6, 20), (100_000, 0.99995, 0.05, 5)],
)
def test_many_papers_of_which_few_change_are_a_small_suite(
    n_papers: int, unchanged: float, level: float, fewest: int
) -> None:
    """The largest drop is missed where fewer papers change than can be significant."""
    # 1/32 is below 0.05 and 1/16 is not; 2^-20 is below 1e-6 and 2^-19 is not
    enough = stats.binom.sf(fewest - 1, n_papers, 1 - unchanged)
    assert 0.5 < enough < 0.6
    found = power_of_drop(99.0, 0.1, n_papers, level=level, unchanged=unchanged)
    assert found == pytest.approx(enough)
    assert detectable_drop(0.1, n_papers, level=level, unchanged=unchanged) is None


@pytest.mark.parametrize("n_papers", [125, 126, 1000])
def test_how_many_of_a_hundred_papers_change_hardly_matters(n_papers: int) -> None:
    """The power does not jump where the average over their number is left out."""
    power = power_of_drop(0.05, 0.2, n_papers, unchanged=0.2)
    assert power == pytest.approx(power_of_drop(0.05, 0.2, n_papers), abs=0.003)


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


def test_one_paper_is_never_enough() -> None:
    """One difference has no deviation, even where level is above one half."""
    assert [power_of_drop(1.0, 0.1, n_papers, level=0.6) for n_papers in (-1, 0, 1)] == [0.0] * 3


def test_no_drop_is_detectable_where_too_few_papers_change() -> None:
    """Of eight papers, five or more change in 93 of 256 suites, so 80 % is out of reach."""
    # 56 + 28 + 8 + 1 = 93
    assert power_of_drop(99.0, 0.1, 8, unchanged=0.5) == pytest.approx(93 / 256)
    assert detectable_drop(0.1, 8, unchanged=0.5) is None
    assert detectable_drop(0.1, 8, unchanged=0.5, power=0.36) is not None
    assert detectable_drop(0.1, 8, unchanged=0.5, power=0.37) is None


def test_a_power_no_higher_than_the_level_takes_no_drop() -> None:
    """A test at 5 % fails 5 % of the runs that are just as good."""
    assert detectable_drop(0.1, 40, power=0.04) == 0.0


@pytest.mark.parametrize("n_papers", [2, 5, 40, 10_000_000])
@pytest.mark.parametrize("drop", [1e-300, 1e-6, 3.7, 1e12, 1e300])
def test_power_of_extreme_drops_is_a_share(drop: float, n_papers: int) -> None:
    """SciPy's noncentral t gives nan far from the critical value."""
    power = power_of_drop(drop, 0.1, n_papers, level=0.25)
    assert 0 <= power <= 1
    if drop > 3:
        assert power > 0.999


@given(drop=drops, n_papers=counts, level=levels, unchanged=shares)
@settings(deadline=None, max_examples=60)
def test_power_rises_with_drop_and_papers_and_falls_with_deviation(
    drop: float, n_papers: int, level: float, unchanged: float
) -> None:
    """The laws by which `detectable_drop` and `summeval power` search."""
    power = power_of_drop(drop, 0.5, n_papers, level=level, unchanged=unchanged)
    assert 0 <= power <= 1
    # Floating point, and as much as the approximation bends where 2^-n only just reaches level.
    least = power - 1e-5
    assert power_of_drop(1.2 * drop, 0.5, n_papers, level=level, unchanged=unchanged) >= least
    assert power_of_drop(drop, 0.5, n_papers + 1, level=level, unchanged=unchanged) >= least
    assert power_of_drop(drop, 0.4, n_papers, level=level, unchanged=unchanged) >= least
    assert power_of_drop(drop, 0.5, n_papers, level=level) >= least
    assert power_of_drop(drop, 0.5, n_papers, level=level, step=0.1) <= power_of_drop(
        drop, 0.5, n_papers, level=level
    )


@given(
    deviation=st.floats(min_value=1e-6, max_value=1e6),
    n_papers=st.integers(min_value=8, max_value=400),
    level=st.sampled_from([0.25, 0.05, HOLM]),
    power=st.sampled_from([0.5, 0.8, 0.99]),
)
@settings(deadline=None, max_examples=60)
def test_detectable_drop_has_the_power_asked_for(
    deviation: float, n_papers: int, level: float, power: float
) -> None:
    """The inverse of the power, in any unit."""
    drop = detectable_drop(deviation, n_papers, level=level, power=power)
    assert drop is not None
    assert power_of_drop(drop, deviation, n_papers, level=level) == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("drop", [0.0, -0.1, math.nan, math.inf])
def test_a_drop_is_above_0(drop: float) -> None:
    """A rise is given as a negative drop by mistake."""
    with pytest.raises(ValueError, match=rf"^drop is {drop!r}; give a finite number above 0"):
        power_of_drop(drop, 0.1, 20)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"deviation": -0.1}, r"deviation is -0\.1; give a finite number 0 or more"),
        ({"deviation": math.nan}, "deviation is nan; give a finite number 0 or more"),
        ({"level": 0.0}, r"level is 0\.0; give a finite number between 0 and 1, such as 0\.05"),
        ({"level": 5}, "level is 5; give a finite number between 0 and 1"),
        ({"step": -1.0}, r"step is -1\.0; give a finite number 0 or more"),
        ({"step": math.inf}, "step is inf; give a finite number 0 or more"),
        ({"unchanged": 1.0}, r"unchanged is 1\.0; give a finite number from 0 to below 1"),
    ],
)
def test_arguments_out_of_range_are_refused_by_both(
    argument: dict[str, float], message: str
) -> None:
    """The message says what was given and what would do."""
    given_arguments = {"deviation": 0.1} | argument
    with pytest.raises(ValueError, match=f"^{message}"):
        power_of_drop(drop=0.1, n_papers=20, **given_arguments)
    with pytest.raises(ValueError, match=f"^{message}"):
        detectable_drop(n_papers=20, **given_arguments)


@pytest.mark.parametrize("power", [0.0, 1.0, 80.0])
def test_a_power_is_between_0_and_1(power: float) -> None:
    """Certainty takes more papers than there are, and 80 is a per cent."""
    with pytest.raises(ValueError, match=rf"^power is {power!r}; give a finite number between"):
        detectable_drop(0.1, 20, power=power)
