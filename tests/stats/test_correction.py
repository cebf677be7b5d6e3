from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import PCG64, Generator
from scipy import stats

from summeval_pytest.stats.correction import Corrected, corrected_mean, corrected_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

N_RUNS = 1000
"""A share of so many runs has a standard error of 0.7 points."""

Row = tuple[str, float, float]
"""A paper, what the judge said, what people said."""

PAPERS = "alga brine coral delta ember fjord".split()
scores = st.integers(0, 12).map(lambda step: step / 12)
mean_rows = st.lists(st.tuples(st.sampled_from(PAPERS), scores, scores), max_size=24)
rate_rows = st.lists(st.tuples(st.sampled_from(PAPERS), st.booleans(), st.booleans()), max_size=40)


def mean_of(judged: Sequence[Row], golden: Sequence[Row], level: float = 0.95) -> Corrected:
    """The corrected mean of two tables; the judged one's labels are not looked at."""
    return corrected_mean(
        [said for _, said, _ in judged],
        [paper for paper, _, _ in judged],
        golden_judge=[said for _, said, _ in golden],
        golden_label=[label for _, _, label in golden],
        golden_papers=[paper for paper, _, _ in golden],
        level=level,
    )


def rate_of(
    judged: Sequence[tuple[str, bool, bool]],
    golden: Sequence[tuple[str, bool, bool]],
    level: float = 0.95,
) -> Corrected:
    """The corrected rate of two tables; the judged one's labels are not looked at."""
    return corrected_rate(
        [said for _, said, _ in judged],
        [paper for paper, _, _ in judged],
        golden_judge=[said for _, said, _ in golden],
        golden_label=[label for _, _, label in golden],
        golden_papers=[paper for paper, _, _ in golden],
        level=level,
    )


def flags(n_true: int, n_rows: int, *, label: bool) -> list[tuple[str, bool, bool]]:
    """Rows of one label in turn over six papers, of which the judge calls the first ones true."""
    return [(PAPERS[row % 6], row < n_true, label) for row in range(n_rows)]


class Traits(NamedTuple):
    """What is drawn once for each paper, so that its rows are alike."""

    label: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]


class Table(NamedTuple):
    """Simulated rows: their papers, what the judge says, what people say."""

    papers: list[int]
    judge: NDArray[Any]
    label: NDArray[Any]


def around(generator: Generator, mean: float, spread: float, n_papers: int) -> NDArray[np.float64]:
    """A share for each paper; ``spread`` is the correlation of two rows of a paper."""
    total = 1 / spread - 1
    return generator.beta(mean * total, (1 - mean) * total, size=n_papers)


def scored_table(generator: Generator, traits: Traits, n_rows: int, first_paper: int) -> Table:
    """Rows with labels in steps of 1/12, mean 0.7, and a noisy judge 0.1 too generous below 1."""
    paper = np.repeat(np.arange(len(traits.label)), n_rows)
    quality = generator.beta(6 * traits.label[paper], 6 * (1 - traits.label[paper]))
    label = generator.binomial(12, quality) / 12
    noise = generator.normal(0, 0.1, size=len(paper))
    judge = np.clip(label + 0.1 + traits.first[paper] + noise, 0, 1)
    return Table((paper + first_paper).tolist(), judge, label)


def flagged_table(generator: Generator, traits: Traits, n_systems: int, first_paper: int) -> Table:
    """Five to eight sentences a summary, true or not, and a judge with a paper's own Se and Sp."""
    n_rows = generator.integers(5, 9, size=(len(traits.label), n_systems)).sum(axis=1)
    paper = np.repeat(np.arange(len(traits.label)), n_rows)
    label = generator.random(len(paper)) < traits.label[paper]
    draws = generator.random(len(paper))
    judge = np.where(label, draws < traits.first[paper], draws >= traits.second[paper])
    return Table((paper + first_paper).tolist(), judge, label)


def share_covered(intervals: Sequence[Corrected], truth: float) -> float:
    """The share of intervals that hold the truth; one without bounds holds nothing."""
    return sum(
        one.low is not None and one.high is not None and one.low <= truth <= one.high
        for one in intervals
    ) / len(intervals)


def simulated_means(
    n_golden: int, n_golden_rows: int, n_papers: int | None, n_rows: int
) -> list[Corrected]:
    """Corrected means whose truth is 0.7; without n_papers those judged are the golden ones."""
    generator = Generator(PCG64(7))
    found = []
    for _ in range(N_RUNS):
        golden_traits, traits = (
            Traits(around(generator, 0.7, 1 / 9, n), generator.normal(0, 0.05, size=n), np.zeros(n))
            for n in (n_golden, n_papers or 1)
        )
        golden = scored_table(generator, golden_traits, n_golden_rows, 0)
        judged = (
            scored_table(generator, traits, n_rows, n_golden)
            if n_papers
            else scored_table(generator, golden_traits, n_rows, 0)
        )
        found.append(
            corrected_mean(
                judged.judge,
                judged.papers,
                golden_judge=golden.judge,
                golden_label=golden.label,
                golden_papers=golden.papers,
            )
        )
    return found


def simulated_rates(
    rate: float, sensitivity: float, specificity: float, n_papers: int | None
) -> list[Corrected]:
    """Corrected rates, from 30 golden papers of 5 systems; see `simulated_means`."""
    generator = Generator(PCG64(7))
    found = []
    for _ in range(N_RUNS):
        golden_traits, traits = (
            Traits(
                around(generator, rate, 0.15, n),
                around(generator, sensitivity, 0.1, n),
                around(generator, specificity, 0.1, n),
            )
            for n in (30, n_papers or 1)
        )
        golden = flagged_table(generator, golden_traits, 5, 0)
        judged = (
            flagged_table(generator, traits, 1, 30)
            if n_papers
            else flagged_table(generator, golden_traits, 1, 0)
        )
        found.append(
            corrected_rate(
                judged.judge,
                judged.papers,
                golden_judge=golden.judge,
                golden_label=golden.label,
                golden_papers=golden.papers,
            )
        )
    return found


def test_mean_worked_example() -> None:
    """Three judged papers, two golden ones, all apart: every step by hand."""
    judged = [("alga", 0.5, 0.0), ("brine", 0.7, 0.0), ("coral", 0.9, 0.0)]
    golden = [("delta", 0.5, 0.4), ("ember", 0.6, 0.6)]
    found = mean_of(judged, golden)
    # 0.7 + (-0.1 + 0) / 2 = 0.65
    assert found.value == pytest.approx(0.65)
    assert found.raw == pytest.approx(0.7)
    # e: -0.2 / 2, 0, 0.2 / 2 -> squares 0.02; r: -0.05 / 1, 0.05 / 1 -> squares 0.005
    # degrees of freedom: 3 - 1 and 2 - 1; Welch 0.025^2 / (0.02^2 / 2 + 0.005^2 / 1) = 2.7778
    margin = stats.t.ppf(0.975, 25 / 9) * math.sqrt(0.025)
    assert (found.low, found.high) == pytest.approx((0.65 - margin, 0.65 + margin))
    assert (found.n_judged, found.n_golden, found.n_papers, found.reason) == (3, 2, 2, "")


def test_a_paper_in_both_sets_counts_once() -> None:
    """What the judge errs by on a paper is taken out of that very paper's score."""
    judged = [("alga", 0.9, 0.0), ("brine", 0.5, 0.0)]
    golden = [("brine", 0.5, 0.6), ("alga", 0.9, 0.6)]
    # e: 0.2 and -0.2; r: -0.2 and 0.2, each / 1: both papers come to 0, as both labels are 0.6
    found = mean_of(judged, golden)
    assert (found.value, found.low, found.high) == pytest.approx((0.6, 0.6, 0.6))
    apart = mean_of(judged, [("coral", 0.5, 0.6), ("delta", 0.9, 0.6)])
    # 4 * 0.2^2 = 0.16, and Welch's 2 degrees of freedom
    assert apart.high == pytest.approx(0.6 + stats.t.ppf(0.975, 2) * 0.4)


def test_rows_of_unequal_papers_worked_example() -> None:
    """A paper with many rows moves the mean further, and fewer papers are in effect there."""
    judged = [("alga", 1.0, 0.0)] * 3 + [("brine", 0.0, 0.0)]
    golden = [("coral", 0.5, 0.5), ("delta", 0.5, 0.5)]
    # mean 0.75; e: 3 * 0.25 / 1 and -0.75 / 3: squares 0.5625 + 0.0625
    # degrees of freedom: 16 / (9 + 1) - 1 = 0.6, at least 1
    found = mean_of(judged, golden)
    assert found.high == pytest.approx(0.75 + stats.t.ppf(0.975, 1) * math.sqrt(0.625))


def test_interval_of_a_perfect_judge_meets_scipy() -> None:
    """SciPy 1.17.1: Student's interval, but with n - 1 for n as the jackknife errs high."""
    said = Generator(PCG64(5)).normal(size=12).tolist()
    rows = [(f"paper-{number}", score, score) for number, score in enumerate(said)]
    found = mean_of(rows, rows, level=0.9)
    error = float(stats.sem(said)) * math.sqrt(12 / 11)
    assert (found.low, found.high) == pytest.approx(
        stats.t.interval(0.9, 11, loc=np.mean(said), scale=error)
    )


def test_margin_is_that_of_leaving_each_paper_out() -> None:
    """The jackknife, done the long way, with papers of unequal sizes in one set or in both."""
    generator = Generator(PCG64(11))

    def rows(first: int, n_rows: int) -> list[Row]:
        numbers = generator.integers(first, first + 12, size=n_rows)
        return [(str(n), generator.random(), generator.random()) for n in numbers]

    judged, golden = rows(0, 40), rows(6, 50)
    whole = mean_of(judged, golden)
    moves = []
    for paper in {paper for paper, _, _ in judged + golden}:
        left_judged = [row for row in judged if row[0] != paper]
        left_golden = [row for row in golden if row[0] != paper]
        moves.append((mean_of(left_judged, left_golden).value or 0) - (whole.value or 0))
    margin = ((whole.high or 0) - (whole.low or 0)) / 2
    quantile = margin / math.sqrt(math.fsum(move**2 for move in moves))
    # Between the t of the fewest papers in either set and that of all 18.
    assert stats.t.ppf(0.975, 17) < quantile < stats.t.ppf(0.975, 8)


@given(judged=mean_rows, golden=mean_rows)
@settings(deadline=None, max_examples=50)
def test_perfect_judge_leaves_the_raw_mean(judged: list[Row], golden: list[Row]) -> None:
    """Where the judge says what people say there is nothing to correct, to the last digit."""
    found = mean_of(judged, [(paper, said, said) for paper, said, _ in golden])
    assert found.value == (found.raw if golden else None)


@given(judged=mean_rows, golden=mean_rows, shift=st.integers(-3, 3))
@settings(deadline=None, max_examples=50)
def test_a_constant_error_is_taken_out(judged: list[Row], golden: list[Row], shift: int) -> None:
    """How generous a judge is must not show, in the value nor in its interval."""
    plain = mean_of(judged, golden)
    lenient = mean_of(
        [(paper, said + shift, label) for paper, said, label in judged],
        [(paper, said + shift, label) for paper, said, label in golden],
    )
    near = [plain.value, plain.low, plain.high]
    assert [lenient.value, lenient.low, lenient.high] == pytest.approx(near, abs=1e-7)


@given(judged=mean_rows, golden=mean_rows, data=st.data())
@settings(deadline=None, max_examples=50)
def test_order_of_rows_changes_no_digit_of_a_mean(
    judged: list[Row], golden: list[Row], data: st.DataObject
) -> None:
    """Files are read in an order that means nothing."""
    swapped = data.draw(st.permutations(judged)), data.draw(st.permutations(golden))
    assert mean_of(*swapped) == mean_of(judged, golden)


@given(rows=mean_rows)
@settings(deadline=None, max_examples=50)
def test_where_all_is_labelled_the_judge_does_not_matter(rows: list[Row]) -> None:
    """With the golden rows for the judged ones the value is the mean label."""
    found = mean_of(rows, rows)
    plain = mean_of([(paper, label, label) for paper, _, label in rows], rows)
    labels = [label for _, _, label in rows]
    assert found.value == (pytest.approx(np.mean(labels)) if rows else None)
    assert (found.low is None) == (plain.low is None)


@given(judged=mean_rows, golden=mean_rows)
@settings(deadline=None, max_examples=50)
def test_a_higher_level_is_a_wider_interval(judged: list[Row], golden: list[Row]) -> None:
    """What is to hold more often has to hold more."""
    narrow, wide = mean_of(judged, golden, level=0.5), mean_of(judged, golden, level=0.99)
    assert narrow.value == wide.value
    if narrow.low is not None and narrow.high is not None:
        assert wide.low is not None
        assert wide.high is not None
        assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_papers_that_numpy_would_merge_stay_apart() -> None:
    """An array of strings strips trailing NULs, and two papers would become one."""
    rows = [("a", 0.1, 0.2), ("a\0", 0.4, 0.4)]
    assert mean_of(rows, rows).n_papers == 2


@pytest.mark.parametrize(
    ("judged", "golden", "value", "reason"),
    [
        ([], [("a", 0.1, 0.2)], None, "there are no judged rows"),
        ([("a", 0.1, 0.0)], [], None, "there are no golden rows"),
        ([("a", 0.5, 0.0)], [("b", 0.5, 0.75)], 0.75, "all judged rows are of one paper"),
        (
            [("a", 0.5, 0.0), ("b", 0.5, 0.0)],
            [("b", 0.5, 0.75), ("b", 0.5, 0.25)],
            0.5,
            "all golden rows are of one paper",
        ),
    ],
)
def test_a_mean_without_bounds_says_why(
    judged: list[Row], golden: list[Row], value: float | None, reason: str
) -> None:
    """No interval is not an interval of no width."""
    found = mean_of(judged, golden)
    assert (found.value, found.low, found.high, found.reason) == (value, None, None, reason)
    assert found.raw == (judged[0][1] if judged else None)


def test_rate_worked_example() -> None:
    """Rogan and Gladen's formula, where the judge calls 12 of 24 true."""
    judged = flags(12, 24, label=False)
    golden = flags(27, 30, label=True) + flags(6, 30, label=False)
    found = rate_of(judged, golden)
    # Se = 0.9, Sp = 0.8: (0.5 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.3 / 0.7
    assert found.value == pytest.approx(3 / 7)
    assert (found.raw, found.n_judged, found.n_golden, found.n_papers) == (0.5, 24, 60, 6)


def test_rate_is_cut_off_at_both_ends() -> None:
    """More called true than Se allows, or fewer than F: no share is above 1 or below 0."""
    golden = flags(24, 30, label=True) + flags(6, 30, label=False)
    highest, lowest = (
        rate_of(flags(24, 24, label=True), golden),
        rate_of(flags(0, 24, label=True), golden),
    )
    assert (highest.value, highest.high) == (1.0, 1.0)
    assert (lowest.value, lowest.low) == (0.0, 0.0)
    # Both are at odds with Se and F, which must not pass for certainty.
    assert highest.low is not None
    assert highest.low < 0.95
    assert lowest.high is not None
    assert lowest.high > 0.05


def padded(rows: Sequence[tuple[str, bool]], name: str) -> list[tuple[str, bool]]:
    """The rows and one of each kind, of papers of their own."""
    return [*rows, (f"{name} true", True), (f"{name} false", False)]


def jackknife(sets: Sequence[Sequence[tuple[str, bool]]], weights: Sequence[float]) -> float:
    """The variance of a weighted sum of shares, by leaving out each paper."""

    def total(without: str | None) -> float:
        shares = [np.mean([flag for paper, flag in rows if paper != without]) for rows in sets]
        return float(np.dot(weights, shares))

    whole = total(None)
    return sum(
        (total(paper) - whole) ** 2 for paper in {paper for rows in sets for paper, _ in rows}
    )


@pytest.mark.parametrize("is_apart", [True, False])
@pytest.mark.parametrize("n_true", [12, 40, 60])
def test_interval_of_a_rate_is_what_a_scan_of_rates_leaves(n_true: int, *, is_apart: bool) -> None:
    """Fieller's interval is the roots of a square; a scan knows no roots, also beyond the ends."""
    mark = "golden " if is_apart else ""
    judged = flags(n_true, 60, label=False)
    golden = [
        (mark + paper, said, label)
        for paper, said, label in flags(57, 60, label=True) + flags(5, 14, label=False)
    ]
    found = rate_of(judged, golden)
    sets = [
        padded([(paper, said) for paper, said, _ in judged], "judged"),
        padded([(paper, said) for paper, said, label in golden if label], "hits"),
        padded([(paper, said) for paper, said, label in golden if not label], "alarms"),
    ]
    shares = [float(np.mean([flag for _, flag in rows])) for rows in sets]
    squares = {}
    for rate in np.linspace(0, 1, 101).tolist():
        weights = (1, -rate, rate - 1)
        squares[rate] = float(np.dot(weights, shares)) ** 2 / jackknife(sets, weights)
    nearest = min(squares, key=squares.__getitem__)
    # No rate gives p = 0.2, with F = 0.36, nor p = 1, with Se = 0.95; some gives 2/3.
    assert (squares[nearest] > 0.1) == (n_true != 40)
    # Welch: each set's variance alone, and its number of papers as if they were of one size
    parts = [
        jackknife([rows], [weight])
        for rows, weight in zip(sets, (1, -nearest, nearest - 1), strict=True)
    ]
    sizes = [Counter(paper for paper, _ in rows).values() for rows in sets]
    freedoms = [sum(of) ** 2 / sum(size**2 for size in of) - 1 for of in sizes]
    welch = sum(parts) ** 2 / sum(
        part**2 / freedom for part, freedom in zip(parts, freedoms, strict=True)
    )
    # With the golden papers apart there are twelve; at 40 of 60 Welch is above either number.
    freedom = min(welch, 11 if is_apart else 5)
    assert (freedom == welch) == (is_apart and n_true != 40)
    # The nearest rate's distance comes on top.
    most = stats.t.ppf(0.975, freedom) ** 2 + squares[nearest]
    left = [rate for rate, square in squares.items() if square <= most]
    assert (found.low, found.high) == pytest.approx((left[0], left[-1]), abs=1 / 100)


def test_no_error_on_a_few_rows_is_not_none_at_all() -> None:
    """Ten golden rows that the judge got right do not make it perfect."""
    judged = flags(30, 60, label=False)
    few = rate_of(judged, flags(5, 5, label=True) + flags(0, 5, label=False))
    many = rate_of(judged, flags(300, 300, label=True) + flags(0, 300, label=False))
    assert few.value == many.value == 0.5
    assert (few.high or 0) - (few.low or 0) > 1.5 * ((many.high or 0) - (many.low or 0))


def test_a_judge_barely_better_than_chance_bounds_nothing() -> None:
    """Where Se - F may be 0, or is so with a row more of each, any rate may be the true one."""
    golden = flags(16, 30, label=True) + flags(15, 30, label=False)
    found = rate_of(flags(12, 24, label=False), golden)
    assert (found.low, found.high) == (0.0, 1.0)
    # (2 + 1) / (2 + 2) = (5 + 1) / (6 + 2)
    golden = flags(2, 2, label=True) + flags(5, 6, label=False)
    found = rate_of(flags(12, 24, label=False), golden)
    assert (found.low, found.high) == (0.0, 1.0)


@given(judged=rate_rows, golden=rate_rows, data=st.data())
@settings(deadline=None, max_examples=50)
def test_order_of_rows_changes_no_digit_of_a_rate(
    judged: list[tuple[str, bool, bool]],
    golden: list[tuple[str, bool, bool]],
    data: st.DataObject,
) -> None:
    """Files are read in an order that means nothing."""
    swapped = data.draw(st.permutations(judged)), data.draw(st.permutations(golden))
    assert rate_of(*swapped) == rate_of(judged, golden)


@given(judged=rate_rows, golden=rate_rows)
@settings(deadline=None, max_examples=50)
def test_perfect_judge_leaves_the_raw_rate(
    judged: list[tuple[str, bool, bool]], golden: list[tuple[str, bool, bool]]
) -> None:
    """Se and Sp of 1 take nothing out, to the last digit."""
    found = rate_of(judged, [(paper, said, said) for paper, said, _ in golden])
    is_defined = {said for _, said, _ in golden} == {True, False}
    assert found.value == (found.raw if is_defined else None)


@given(judged=rate_rows, golden=rate_rows)
@settings(deadline=None, max_examples=50)
def test_true_and_false_may_change_places(
    judged: list[tuple[str, bool, bool]], golden: list[tuple[str, bool, bool]]
) -> None:
    """The rate of what does not hold is 1 less the rate of what does, and so are its bounds."""
    found = rate_of(judged, golden)
    turned = rate_of(
        [(paper, not said, not label) for paper, said, label in judged],
        [(paper, not said, not label) for paper, said, label in golden],
    )
    assert (turned.value is None, turned.low is None) == (found.value is None, found.low is None)
    if found.value is not None:
        assert turned.value == pytest.approx(1 - found.value)
    if found.low is not None and found.high is not None:
        assert (turned.low, turned.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)


@given(judged=rate_rows, golden=rate_rows, level=st.sampled_from([0.01, 0.5, 0.99]))
@settings(deadline=None, max_examples=50)
def test_bounds_of_a_rate_are_shares_around_it(
    judged: list[tuple[str, bool, bool]], golden: list[tuple[str, bool, bool]], level: float
) -> None:
    """A share above 1 or below 0 is none, and an interval beside its value is none either."""
    found = rate_of(judged, golden, level)
    if found.low is not None and found.high is not None:
        assert found.value is not None
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high


@pytest.mark.parametrize(
    ("judged", "golden", "value", "reason"),
    [
        ([], [("a", True, True), ("a", False, False)], None, "there are no judged rows"),
        ([("a", True, True)], [], None, "there are no golden true rows"),
        ([("a", True, True)], [("a", True, False)], None, "there are no golden true rows"),
        ([("a", True, True)], [("a", True, True)], None, "there are no golden false rows"),
        (
            [("a", True, True)],
            flags(20, 30, label=True) + flags(20, 30, label=False),
            None,
            "the judge calls 0.667 of the golden true rows true and 0.667 of the false ones",
        ),
        (
            [("a", True, True)],
            flags(20, 20, label=True) + flags(0, 20, label=False),
            1.0,
            "all judged rows are of one paper",
        ),
        (
            flags(1, 2, label=True),
            [*flags(20, 20, label=True), ("a", False, False), ("a", False, False)],
            0.5,
            "all golden false rows are of one paper",
        ),
    ],
)
def test_a_rate_without_bounds_says_why(
    judged: list[tuple[str, bool, bool]],
    golden: list[tuple[str, bool, bool]],
    value: float | None,
    reason: str,
) -> None:
    """A judge that tells nothing, or labels of one kind, give no number to gate on."""
    found = rate_of(judged, golden)
    assert (found.value, found.low, found.high, found.reason) == (value, None, None, reason)


def test_lengths_that_differ_are_refused() -> None:
    """A row without its paper would go to another paper's."""
    with pytest.raises(ValueError, match=r"^judged has 2 values and papers has 1; give one"):
        corrected_mean([0.1, 0.2], ["a"], golden_judge=[], golden_label=[], golden_papers=[])
    with pytest.raises(ValueError, match=r"^golden_judge has 1 values and golden_papers has 0;"):
        corrected_mean([], [], golden_judge=[0.5], golden_label=[], golden_papers=[])
    with pytest.raises(ValueError, match=r"^golden_label has 0 values and golden_papers has 1;"):
        corrected_rate([], [], golden_judge=[True], golden_label=[], golden_papers=["a"])


def test_values_that_are_none_are_refused() -> None:
    """An unscored row is left out by its caller, who counts it."""
    with pytest.raises(ValueError, match=r"^judged\[1\] is nan; leave rows without a finite value"):
        corrected_mean(
            [0.1, math.nan], ["a", "b"], golden_judge=[], golden_label=[], golden_papers=[]
        )
    with pytest.raises(ValueError, match=r"^golden_label\[0\] is 3; give True or False$"):
        corrected_rate([], [], golden_judge=[True], golden_label=[3], golden_papers=["a"])  # type: ignore[list-item]  # a rating, passed by mistake


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, math.nan])
def test_a_level_that_is_no_share_is_refused(level: float) -> None:
    """95 is a likely slip for 0.95."""
    with pytest.raises(ValueError, match=r"^level is .*; choose a share between 0 and 1"):
        mean_of([], [], level=level)
    with pytest.raises(ValueError, match=r"^level is .*; choose a share between 0 and 1"):
        corrected_rate([], [], golden_judge=[], golden_label=[], golden_papers=[], level=level)


def test_corrected_is_checked_where_it_is_made() -> None:
    """Half an interval, or a reason for what is there, would be shown to somebody."""
    whole = mean_of([("a", 0.1, 0.0), ("b", 0.3, 0.0)], [("c", 0.5, 0.4), ("d", 0.3, 0.4)])
    with pytest.raises(ValueError, match=r"^low is None and high is .*; give both, or neither and"):
        replace(whole, low=None, reason="no")
    with pytest.raises(ValueError, match=r"^low is None and high is None; give both, or neither"):
        replace(whole, low=None, high=None)
    with pytest.raises(ValueError, match=r"and the reason 'none'$"):
        replace(whole, reason="none")
    with pytest.raises(ValueError, match=r"^low is 0\.5 and high is 0\.4, for "):
        replace(whole, low=0.5, high=0.4)


@pytest.mark.parametrize(
    ("n_golden", "n_golden_rows", "n_papers", "n_rows"),
    [
        (30, 1, 30, 1),
        (30, 1, 200, 1),
        (30, 5, 30, 1),
        (30, 5, 200, 1),
        (30, 5, 40, 5),
        (30, 5, None, 1),
        (60, 1, 30, 1),
        (60, 1, 200, 1),
        (60, 1, None, 1),
        (60, 5, 30, 1),
        (60, 5, 200, 1),
    ],
)
def test_mean_is_held_in_95_of_100_runs(
    n_golden: int, n_golden_rows: int, n_papers: int | None, n_rows: int
) -> None:
    """A generous, noisy judge, papers with rows alike, and None for the golden papers once more."""
    found = simulated_means(n_golden, n_golden_rows, n_papers, n_rows)
    assert 0.93 <= share_covered(found, 0.7) <= 0.97
    # There is something to correct: the end of the scale leaves most of the judge's lean.
    assert np.mean([one.raw for one in found]) > 0.76


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.95, 0.7), (0.85, 0.6)])
@pytest.mark.parametrize(
    ("rate", "n_papers"), [(0.9, 30), (0.9, 200), (0.9, None), (0.7, 30), (0.7, None)]
)
def test_rate_is_held_in_95_of_100_runs(
    rate: float, sensitivity: float, specificity: float, n_papers: int | None
) -> None:
    """The rows of a paper are alike in what holds and in what the judge misses."""
    found = simulated_rates(rate, sensitivity, specificity, n_papers)
    assert 0.93 <= share_covered(found, rate) <= 0.97


def test_six_judged_papers_hold_the_mean_a_little_less_often() -> None:
    """Thirty rows of six papers are few papers: 93.5 % in 4,000 runs."""
    assert 0.92 <= share_covered(simulated_means(60, 5, 6, 5), 0.7) <= 0.97
