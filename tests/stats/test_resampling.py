from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats.bootstrap import (
    Interval,
    bootstrap_interval,
    bootstrap_mean,
    bootstrap_sums,
)
from summeval_pytest.stats.correlation import coefficients_within, kendall, pearson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Rows, Statistic

ratings = st.integers(min_value=1, max_value=4).map(float)
labelled_rows = st.lists(
    st.tuples(st.sampled_from("abcdef"), ratings, ratings), min_size=1, max_size=20
)
NOTHING = Interval(low=None, high=None, n_defined=0)


def pearson_of(x: list[float], y: list[float]) -> Statistic:
    """Pearson over the rows of a resample."""
    columns = np.array(x), np.array(y)
    return lambda rows, _copies: pearson(columns[0][rows], columns[1][rows])


def mean_of(values: NDArray[np.float64]) -> Statistic:
    """The mean over the rows of a resample."""
    return lambda rows, _copies: float(values[rows].mean())


def interval_of(rows: list[tuple[str, float, float]]) -> Interval:
    """The interval of Pearson over rows of label, x and y, from 40 resamples."""
    statistic = pearson_of([row[1] for row in rows], [row[2] for row in rows])
    return bootstrap_interval([row[0] for row in rows], statistic, n_resamples=40, seed=7)


def assert_close(found: Interval, expected: Interval) -> None:
    """Equal but for floating point."""
    assert found.n_defined == expected.n_defined
    for bound, other in ((found.low, expected.low), (found.high, expected.high)):
        assert bound == (None if other is None else pytest.approx(other, abs=1e-9))


def test_interval_of_two_values_worked_example() -> None:
    """The bootstrap of two values has three outcomes, so its quantiles are known."""
    # means 0, 1/2 and 1 with chances 1/4, 1/2 and 1/4: the 10 % and 90 % quantiles are 0 and 1,
    # the 30 % and 70 % quantiles are both 1/2
    wide = bootstrap_mean([1.0, 0.0], level=0.8, seed=1)
    narrow = bootstrap_mean([1.0, 0.0], level=0.4, seed=1)
    assert wide == Interval(low=0.0, high=1.0, n_defined=1000)
    assert narrow == Interval(low=0.5, high=0.5, n_defined=1000)


def test_mean_interval_meets_scipy() -> None:
    """SciPy 1.17.1 draws otherwise, but its interval of the same values is the same."""
    # The oracle is scipy.stats.bootstrap of np.mean, 100,000 resamples, "percentile", rng=5.
    values = np.random.Generator(np.random.PCG64(3)).normal(size=40).tolist()
    found = bootstrap_mean(values, n_resamples=4000, seed=5)
    # A bound's standard error is about 0.008: the mean's is 0.18, and 4000 resamples were drawn.
    assert found.low == pytest.approx(-0.3987, abs=0.025)
    assert found.high == pytest.approx(0.3199, abs=0.025)


def test_statistic_is_given_whole_groups_and_a_number_for_each_copy() -> None:
    """A group drawn twice is two groups, each with all of its rows."""
    groups = ["b", "a", "b", "c", "b", "c"]
    members = {"a": [1], "b": [0, 2, 4], "c": [3, 5]}
    repeats = 0

    def statistic(rows: Rows, copies: Rows) -> float:
        nonlocal repeats
        assert rows.shape == copies.shape
        assert sorted(set(copies.tolist())) == [0, 1, 2]
        drawn = []
        for copy in range(3):
            of_copy = rows[copies == copy].tolist()
            drawn.append(groups[of_copy[0]])
            assert of_copy == members[drawn[-1]]
        repeats += len(set(drawn)) < 3
        return 0.0

    bootstrap_interval(groups, statistic, n_resamples=50, seed=2)
    assert repeats > 10


def test_mean_of_values_is_the_interval_of_a_mean_within_groups() -> None:
    """The quick way for means over groups draws the same groups as the general way."""
    generator = np.random.Generator(np.random.PCG64(11))
    x, y = generator.normal(size=60), generator.normal(size=60)
    groups = [f"p{row // 5:02d}" for row in range(60)]
    every = coefficients_within(groups, x, y, kendall)
    # Name the groups in the order of their values, which is the order the quick way draws in.
    rank = np.argsort(np.argsort([value or 0.0 for value in every], kind="stable"))
    renamed = [f"p{rank[row // 5]:02d}" for row in range(60)]

    def mean_within(rows: NDArray[np.intp], copies: NDArray[np.intp]) -> float:
        found = coefficients_within(copies, x[rows], y[rows], kendall)
        return float(np.mean([value for value in found if value is not None]))

    general = bootstrap_interval(
        renamed,
        mean_within,
        n_resamples=30,
        seed=4,
    )
    assert_close(bootstrap_mean(every, n_resamples=30, seed=4), general)


counted_rows = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(0, 1), st.integers(0, 1)), max_size=20
)


def share(sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """The first count as a share of the second; nan where that is 0."""
    shares = np.full(len(sums), np.nan)
    np.divide(sums[:, 0], sums[:, 1], out=shares, where=sums[:, 1] != 0)
    return shares


@given(counted_rows)
@settings(deadline=None, max_examples=40)
def test_interval_of_sums_is_that_of_the_rows(rows: list[tuple[str, int, int]]) -> None:
    """Law: counting a group once draws what counting its rows again draws, digit by digit."""
    groups = sorted({label for label, _, _ in rows})
    counts = np.zeros((len(groups), 2), dtype=np.int64)
    for label, part, whole in rows:
        counts[groups.index(label)] += (part * whole, whole)

    def of_rows(drawn: Rows, _copies: Rows) -> float | None:
        whole = sum(rows[row][2] for row in drawn)
        part = sum(rows[row][1] * rows[row][2] for row in drawn)
        return part / whole if whole else None

    labels = [label for label, _, _ in rows]
    expected = bootstrap_interval(labels, of_rows, n_resamples=40, seed=7)
    assert bootstrap_sums(counts, share, n_resamples=40, seed=7) == expected


def test_interval_of_sums_worked_example() -> None:
    """Two groups have three resamples, as the two values above; a share is of the sums."""
    # 4 of 4 and 1 of 4: shares 1, 5/8 and 1/4 with chances 1/4, 1/2 and 1/4
    counts = np.array([[4, 4], [1, 4]])
    assert bootstrap_sums(counts, share, level=0.8, seed=1) == Interval(
        low=0.25, high=1.0, n_defined=1000
    )
    assert bootstrap_sums(counts, share, level=0.4, seed=1) == Interval(
        low=0.625, high=0.625, n_defined=1000
    )


def test_interval_of_sums_asks_for_all_resamples_at_once() -> None:
    """That is what makes it quick: one call, with a row a resample."""
    shapes = []

    def figure(sums: NDArray[np.int64]) -> NDArray[np.float64]:
        shapes.append(sums.shape)
        return share(sums)

    bootstrap_sums(np.array([[1, 2], [0, 3], [2, 2]]), figure, n_resamples=25, seed=1)
    assert shapes == [(25, 2)]


def test_interval_of_sums_without_groups_or_values_has_no_bounds() -> None:
    """Nothing to resample, or nothing that defines the figure, is no interval around 0."""
    nothing = np.zeros((0, 2), dtype=np.int64)
    assert bootstrap_sums(nothing, share, seed=1) == NOTHING
    assert bootstrap_sums(np.zeros((3, 2), dtype=np.int64), share, seed=1) == NOTHING


def test_interval_of_sums_counts_what_is_undefined() -> None:
    """A quarter of the resamples draws the group without a value twice."""
    found = bootstrap_sums(np.array([[1, 2], [0, 0]]), share, seed=1)
    assert (found.low, found.high) == (0.5, 0.5)
    assert 690 < found.n_defined < 810


def test_interval_of_sums_is_as_strict_as_the_others() -> None:
    """One way to call it wrongly, one message."""
    counts = np.array([[1, 2]])
    with pytest.raises(ValueError, match=r"^n_resamples is 0; draw at least 1$"):
        bootstrap_sums(counts, share, n_resamples=0, seed=1)
    with pytest.raises(ValueError, match=r"^level is 95; choose a share between 0 and 1"):
        bootstrap_sums(counts, share, level=95, seed=1)
    with pytest.raises(TypeError, match="NoneType"):
        bootstrap_sums(counts, share, seed=cast("int", None))
    with pytest.raises(ValueError, match=r"^the statistic gave inf for a resample"):
        bootstrap_sums(counts, lambda sums: np.full(len(sums), np.inf), seed=1)


def test_copying_rows_within_papers_does_not_narrow_the_interval() -> None:
    """Ten judgements of one summary are no ten papers; resampling rows would think they are."""
    values = np.random.Generator(np.random.PCG64(8)).normal(size=12)
    papers = [f"p{paper:02d}" for paper in range(12)]
    once = bootstrap_interval(papers, mean_of(values), n_resamples=200, seed=6)
    tenfold = bootstrap_interval(
        [paper for paper in papers for _ in range(10)],
        mean_of(values.repeat(10)),
        n_resamples=200,
        seed=6,
    )
    assert_close(tenfold, once)


def test_same_seed_same_interval_and_another_seed_another() -> None:
    """A number that cannot be reproduced cannot gate a release."""
    values = np.random.Generator(np.random.PCG64(1)).normal(size=20).tolist()
    first = bootstrap_mean(values, seed=1)
    assert bootstrap_mean(values, seed=1) == first
    assert bootstrap_mean(values, seed=2) != first


def test_seeded_interval_keeps_its_digits() -> None:
    """NumPy promises PCG64's stream, not its Generator's draws: a change has to be seen."""
    found = bootstrap_mean([0.0, 1.0, 2.0, 4.0, 8.0, None], n_resamples=100, seed=2024)
    assert_close(found, Interval(low=0.6666666666666666, high=5.8, n_defined=100))


@given(rows=labelled_rows, data=st.data())
@settings(deadline=None, max_examples=40)
def test_order_of_rows_does_not_matter(
    rows: list[tuple[str, float, float]], data: st.DataObject
) -> None:
    """Groups are drawn in the order of their labels, not of the file."""
    assert_close(interval_of(data.draw(st.permutations(rows))), interval_of(rows))


@given(labelled_rows)
@settings(deadline=None, max_examples=40)
def test_relabelling_groups_does_not_matter(rows: list[tuple[str, float, float]]) -> None:
    """Names that sort alike draw alike; a name holds no other information."""
    renamed = [(f"paper-{ord(label):03d}", x, y) for label, x, y in rows]
    assert interval_of(renamed) == interval_of(rows)


@given(labelled_rows)
@settings(deadline=None, max_examples=40)
def test_interval_lies_within_the_bounds_of_its_statistic(
    rows: list[tuple[str, float, float]],
) -> None:
    """A percentile interval never leaves -1 to 1, as a normal one does."""
    found = interval_of(rows)
    if found.low is None or found.high is None:
        assert found.n_defined < 20
    else:
        assert -1 <= found.low <= found.high <= 1
        assert 20 <= found.n_defined <= 40


@given(st.lists(st.none() | ratings, max_size=12), st.data())
@settings(deadline=None, max_examples=40)
def test_order_of_values_does_not_matter(values: list[float | None], data: st.DataObject) -> None:
    """The values carry no label, so nothing but the values may decide what is drawn."""
    shuffled = data.draw(st.permutations(values))
    expected = bootstrap_mean(values, n_resamples=40, seed=3)
    assert bootstrap_mean(shuffled, n_resamples=40, seed=3) == expected
    known = [value for value in values if value is not None]
    if expected.low is not None and expected.high is not None:
        assert min(known) <= expected.low <= expected.high <= max(known)


@given(st.integers(min_value=1, max_value=8), ratings)
@settings(deadline=None, max_examples=20)
def test_equal_values_have_an_interval_without_width(n_groups: int, value: float) -> None:
    """All equal: every resample has the same mean."""
    found = bootstrap_mean([value] * n_groups, n_resamples=20, seed=1)
    assert found == Interval(low=value, high=value, n_defined=20)


def test_equal_rows_have_no_interval_of_a_correlation() -> None:
    """All equal: the correlation is undefined in every resample, which is not 0."""
    rows = [(label, 2.0, 2.0) for label in "abc"]
    assert interval_of(rows) == NOTHING


def test_one_group_only_is_its_own_interval() -> None:
    """Every resample is the sample; the docstring warns that this says nothing of other papers."""
    rows = [("only", 1.0, 1.0), ("only", 2.0, 3.0), ("only", 3.0, 2.0)]
    assert_close(interval_of(rows), Interval(low=0.5, high=0.5, n_defined=40))


def test_without_groups_there_are_no_bounds() -> None:
    """Nothing to resample is not an interval around 0."""
    assert bootstrap_interval([], lambda _rows, _copies: 0.0, seed=1) == NOTHING
    assert bootstrap_mean([], seed=1) == NOTHING


@pytest.mark.parametrize(("n_undefined", "has_bounds"), [(5, True), (6, False)])
def test_bounds_need_half_of_the_resamples(n_undefined: int, has_bounds: bool) -> None:
    """An interval over the lucky resamples alone would look surer than it is."""
    calls = iter(range(10))

    def statistic(_rows: Rows, _copies: Rows) -> float | None:
        return None if next(calls) < n_undefined else 1.0

    found = bootstrap_interval(["a", "b"], statistic, n_resamples=10, seed=1)
    bound = 1.0 if has_bounds else None
    assert found == Interval(low=bound, high=bound, n_defined=10 - n_undefined)


def test_groups_without_a_value_are_drawn_and_counted() -> None:
    """Leaving them out beforehand would hide how often no group had a value."""
    # Two groups, one without a value: a quarter of the resamples draws the latter twice.
    found = bootstrap_mean([0.5, None], n_resamples=1000, seed=1)
    assert (found.low, found.high) == (0.5, 0.5)
    assert 690 < found.n_defined < 810
    assert bootstrap_mean([None, None], seed=1) == NOTHING


def test_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    """Of 200 samples of 40 normal values, a 90 % interval should hold the mean in about 177."""
    # The percentile interval of 40 values covers some 88.5 %; the count's sd is sqrt(200 *
    # 0.885 * 0.115) = 4.5, and the seeds are fixed.
    samples = np.random.Generator(np.random.PCG64(20)).normal(size=(200, 40))
    covered = 0
    for seed, sample in enumerate(samples.tolist()):
        found = bootstrap_mean(sample, n_resamples=200, level=0.9, seed=seed)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0 <= found.high
    assert 163 <= covered <= 191


@pytest.mark.parametrize("n_resamples", [0, -1])
def test_no_resamples_is_refused(n_resamples: int) -> None:
    """Zero resamples would be an interval that nobody computed."""
    with pytest.raises(ValueError, match=f"^n_resamples is {n_resamples}; draw at least 1$"):
        bootstrap_mean([1.0], n_resamples=n_resamples, seed=1)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, math.nan])
def test_level_outside_its_range_is_refused(level: float) -> None:
    """A level in percent is the likely slip."""
    with pytest.raises(ValueError, match=f"^level is {level}; choose a share between 0 and 1"):
        bootstrap_interval(["a"], lambda _rows, _copies: 1.0, level=level, seed=1)


def test_missing_seed_is_refused() -> None:
    """None would let the machine choose, and each call give another number."""
    with pytest.raises(TypeError, match="NoneType"):
        bootstrap_mean([1.0], seed=cast("int", None))
    with pytest.raises(ValueError, match="non-negative"):
        bootstrap_mean([1.0], seed=-1)


def test_value_that_is_not_finite_is_named() -> None:
    """A group without a value is None; nan would spoil every mean it is drawn into."""
    with pytest.raises(ValueError, match=r"^values\[1\] is nan; give None for a group without"):
        bootstrap_mean([1.0, math.nan], seed=1)
    with pytest.raises(ValueError, match=r"^the statistic gave inf for a resample; give None"):
        bootstrap_interval(["a"], lambda _rows, _copies: math.inf, seed=1)


@pytest.mark.parametrize(
    ("low", "high", "n_defined", "message"),
    [
        (0.5, 0.4, 9, "low is 0.5, not at most high, which is 0.4"),
        (None, 0.4, 9, "low is None and high is 0.4; give both"),
        (0.5, None, 9, "low is 0.5 and high is None; give both"),
        (0.5, 0.6, -1, "n_defined is -1; a count is not negative"),
    ],
)
def test_interval_refuses_bounds_that_contradict_it(
    low: float | None, high: float | None, n_defined: int, message: str
) -> None:
    """A value is checked where it is made."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        Interval(low=low, high=high, n_defined=n_defined)
