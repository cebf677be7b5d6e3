from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import PCG64, Generator
from scipy import stats

from summeval_pytest.stats.correction import (
    Corrected,
    FoldedMap,
    MonotoneMap,
    corrected_mean,
    corrected_rate,
    fit_folds,
    fit_map,
    folds_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


Row = tuple[str, float, float]
"""A paper, what the judge said, what people said."""


PAPERS = "alga brine coral delta ember fjord".split()


scores = st.integers(0, 12).map(lambda step: step / 12)


mean_rows = st.lists(st.tuples(st.sampled_from(PAPERS), scores, scores), max_size=24)


def mean_of(judged: Sequence[Row], golden: Sequence[Row]) -> Corrected:
    """The corrected mean of two tables; the judged one's labels are not looked at."""
    return corrected_mean(
        [said for _, said, _ in judged],
        [paper for paper, _, _ in judged],
        golden_judge=[said for _, said, _ in golden],
        golden_label=[label for _, _, label in golden],
        golden_papers=[paper for paper, _, _ in golden],
    )


def rate_of(
    judged: Sequence[tuple[str, bool, bool]],
    golden: Sequence[tuple[str, bool, bool]],
) -> Corrected:
    """The corrected rate of two tables; the judged one's labels are not looked at."""
    return corrected_rate(
        [said for _, said, _ in judged],
        [paper for paper, _, _ in judged],
        golden_judge=[said for _, said, _ in golden],
        golden_label=[label for _, _, label in golden],
        golden_papers=[paper for paper, _, _ in golden],
    )


def flags(n_true: int, n_rows: int, *, label: bool) -> list[tuple[str, bool, bool]]:
    """Rows of one label in turn over six papers, of which the judge calls the first ones true."""
    return [(PAPERS[row % 6], row < n_true, label) for row in range(n_rows)]


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


def test_interval_of_a_perfect_judge_meets_scipy() -> None:
    """SciPy 1.17.1: Student's interval, but with n - 1 for n as the jackknife errs high."""
    said = Generator(PCG64(5)).normal(size=12).tolist()
    rows = [(f"paper-{number}", score, score) for number, score in enumerate(said)]
    found = mean_of(rows, rows)
    error = float(stats.sem(said)) * math.sqrt(12 / 11)
    assert (found.low, found.high) == pytest.approx(
        stats.t.interval(0.95, 11, loc=np.mean(said), scale=error)
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
@settings(deadline=None, max_examples=15)
def test_perfect_judge_leaves_the_raw_mean(judged: list[Row], golden: list[Row]) -> None:
    """Where the judge says what people say there is nothing to correct, to the last digit."""
    found = mean_of(judged, [(paper, said, said) for paper, said, _ in golden])
    assert found.value == (found.raw if golden else None)


@given(judged=mean_rows, golden=mean_rows, shift=st.integers(-3, 3))
@settings(deadline=None, max_examples=15)
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
@settings(deadline=None, max_examples=15)
def test_order_of_rows_changes_no_digit_of_a_mean(
    judged: list[Row], golden: list[Row], data: st.DataObject
) -> None:
    """Files are read in an order that means nothing."""
    swapped = data.draw(st.permutations(judged)), data.draw(st.permutations(golden))
    assert mean_of(*swapped) == mean_of(judged, golden)


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


TOP = 4


IDENTITY = MonotoneMap((1.0, 2.0, 3.0, 4.0))


ratings = st.integers(1, TOP)


pairs = st.lists(st.tuples(ratings, ratings), max_size=30)


paper_ids = st.sampled_from("alga brine coral delta ember fjord".split())


labelled = st.lists(st.tuples(paper_ids, ratings, ratings), max_size=30)


def map_from(rows: Sequence[tuple[int, int]]) -> MonotoneMap:
    """The map learned from pairs of the judge's rating and the label."""
    return fit_map([judge for judge, _ in rows], [label for _, label in rows], top=TOP)


def maps_from(rows: Sequence[tuple[str, int, int]]) -> FoldedMap:
    """The maps learned from a paper, the judge's rating and the label a row."""
    return fit_folds(
        [judge for _, judge, _ in rows],
        [label for _, _, label in rows],
        [paper for paper, _, _ in rows],
        top=TOP,
    )


def test_map_worked_example() -> None:
    """The mean of the labels and of one pseudo-observation of the rating itself."""
    rows = [(1, 1)] + [(2, 1)] * 3 + [(3, 2)] * 2 + [(4, 3)]
    # 1: (1 + 1) / 2 = 1; 2: (3 + 2) / 4 = 1.25; 3: (4 + 3) / 3 = 7/3; 4: (3 + 4) / 2 = 3.5
    assert map_from(rows).values == pytest.approx((1, 1.25, 7 / 3, 3.5))
    # Without it the labels' means.


def test_values_that_fall_are_pooled_by_weight() -> None:
    """A judge may be wrong about the order; the map does not follow it there."""
    rows = [(2, 4), (2, 3), (2, 4), (3, 2)]
    # 2: (11 + 2) / 4 = 3.25; 3: (2 + 3) / 2 = 2.5; both (4 * 3.25 + 2 * 2.5) / 6 = 3
    assert map_from(rows).values == pytest.approx((1, 3, 3, 4))


def test_ratings_never_given_lie_between_their_neighbours() -> None:
    """Nothing is known of them but that they are in between."""
    rows = [(1, 2)] * 3 + [(4, 3)] * 3
    # 1: (6 + 1) / 4 = 1.75; 4: (9 + 4) / 4 = 3.25; 2 and 3 at thirds of the way
    assert map_from(rows).values == pytest.approx((1.75, 2.25, 2.75, 3.25))


def test_without_rows_the_map_is_the_identity() -> None:
    """Without labels there is nothing to correct."""
    assert map_from([]) == IDENTITY


@given(rows=pairs)
@settings(deadline=None, max_examples=15)
def test_map_never_falls_nor_leaves_the_scale(rows: list[tuple[int, int]]) -> None:
    """A better rating never becomes a worse score."""
    values = map_from(rows).values
    assert len(values) == TOP
    assert list(values) == sorted(values)
    assert values[0] >= 1
    assert values[-1] <= TOP


def test_folds_are_those_of_the_digests_order() -> None:
    """Dealt like cards, by SHA-256: Python's own hash is another one in every process."""
    papers = ["alga", "brine", "coral", "delta", "ember"]
    in_order = sorted(papers, key=lambda paper: hashlib.sha256(paper.encode()).hexdigest())
    assert in_order == ["brine", "delta", "ember", "alga", "coral"]
    dealt = {"brine": 0, "delta": 1, "ember": 2, "alga": 3, "coral": 4}
    assert folds_of(papers) == dealt


def test_a_labelled_paper_has_the_map_of_the_other_folds() -> None:
    """Two papers are two folds, so each has the map that the other's labels give."""
    rows = [("alga", 3, 1)] * 4 + [("brine", 2, 4)] * 4
    folded = maps_from(rows)
    assert folded.map_of("alga") == map_from([(2, 4)] * 4)
    assert folded.map_of("brine") == map_from([(3, 1)] * 4)
    assert folded.map_of("coral") == map_from([(3, 1)] * 4 + [(2, 4)] * 4)


def test_one_paper_alone_keeps_the_judges_ratings() -> None:
    """There is no other paper to learn its map from; others do learn from it."""
    folded = maps_from([("alga", 3, 1)] * 9)
    assert folded.map_of("alga") == IDENTITY
    assert folded.map_of("brine") == map_from([(3, 1)] * 9) != IDENTITY


@given(rows=labelled, labels=st.lists(ratings, min_size=30, max_size=30))
@settings(deadline=None, max_examples=15)
def test_a_papers_own_labels_never_change_its_own_map(
    rows: list[tuple[str, int, int]], labels: list[int]
) -> None:
    """Else a map would learn the answer to what it is asked, and a judge look better than it is."""
    before = maps_from(rows)
    for paper in {paper for paper, _, _ in rows}:
        changed = [
            (name, judge, other if name == paper else label)
            for (name, judge, label), other in zip(rows, labels, strict=False)
        ]
        assert maps_from(changed).map_of(paper) == before.map_of(paper)


def test_digest_has_twelve_hex_digits_that_do_not_change() -> None:
    """A recorded signature is compared with one of another machine and a later version."""
    folded = maps_from([("alga", 3, 1), ("brine", 2, 4)])
    assert folded.digest() == "bd73dbe219c5"


def test_digest_tells_maps_and_their_papers_apart() -> None:
    """All that can move a score is in its signature."""
    folded = FoldedMap(
        from_all=IDENTITY,
        by_fold=(IDENTITY, MonotoneMap((1.0, 2.0, 3.0, 3.5))),
        fold_of={"alga": 0, "brine": 1},
    )
    other = MonotoneMap((1.0, 2.0, 2.5, 4.0))
    changed = [
        folded,
        replace(folded, from_all=other),
        replace(folded, by_fold=(*folded.by_fold[::-1],)),
        replace(folded, by_fold=(IDENTITY, other)),
        replace(folded, fold_of={"alga": 1, "brine": 0}),
        replace(folded, fold_of={"alga": 0, "coral": 1}),
    ]
    assert len({one.digest() for one in changed}) == len(changed)
    assert replace(folded, fold_of={"brine": 1, "alga": 0}).digest() == folded.digest()


def test_rows_that_do_not_fit_are_refused() -> None:
    """Each message names the column and the row."""
    with pytest.raises(ValueError, match=r"^judge\[1\] is 5; give a whole number from 1 to 4$"):
        fit_map([1, 5], [1, 2], top=4)
    with pytest.raises(ValueError, match=r"^label\[0\] is 0; give a whole number from 1 to 4$"):
        fit_map([1, 4], [0, 2], top=4)
