from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.study.correction import corrected_mean, corrected_rate

Judged = tuple[str, float]
Golden = tuple[str, float, float]
GoldenFlag = tuple[str, bool, bool]
PAPERS = "alga brine coral delta ember fjord".split()
scores = st.integers(0, 12).map(lambda step: step / 12)
papers = st.sampled_from(PAPERS)
judged_rows = st.lists(st.tuples(papers, scores), max_size=24)
golden_rows = st.lists(st.tuples(papers, scores, scores), max_size=24)


def flags(n_true: int, n_rows: int) -> list[tuple[str, bool]]:
    """Rows in turn over six papers, of which the judge calls the first ones true."""
    return [(PAPERS[row % 6], row < n_true) for row in range(n_rows)]


def labelled(hits: tuple[int, int], alarms: tuple[int, int]) -> list[GoldenFlag]:
    """Golden rows labelled true, then false: how many the judge calls true, and how many."""
    return [
        (paper, said, label)
        for counts, label in ((hits, True), (alarms, False))
        for paper, said in flags(*counts)
    ]


def test_mean_worked_example() -> None:
    """Three judged papers, two golden ones, all apart: every step by hand."""
    judged = [("alga", 0.5), ("brine", 0.7), ("coral", 0.9)]
    result = corrected_mean(judged, [("delta", 0.5, 0.4), ("ember", 0.6, 0.6)], width=0.4)
    # 0.7 + (-0.1 + 0) / 2 = 0.65
    assert (result.value, result.raw) == pytest.approx((0.65, 0.7))
    # e: -0.2 / 2, 0, 0.2 / 2 -> squares 0.02; r: -0.05 / 1, 0.05 / 1 -> squares 0.005
    # papers off by the width 0.4: 2 * 0.25 * 0.4^2 / 3^2 = 0.08 / 9; 2 * 0.1 * 0.4^2 / 2^2 = 0.008
    said, erred = 0.02 + 0.08 / 9, 0.005 + 0.008
    # degrees of freedom: 3 - 1 and 2 - 1, joined as Welch does
    freedom = (said + erred) ** 2 / (said**2 / 2 + erred**2 / 1)
    margin = stats.t.ppf(0.975, freedom) * math.sqrt(said + erred)
    assert (result.low, result.high) == pytest.approx((0.65 - margin, 0.65 + margin))
    assert (result.n_judged, result.n_golden, result.n_papers, result.reason) == (3, 2, 2, "")


def test_a_paper_in_both_sets_counts_once() -> None:
    """What the judge errs by on a paper is taken out of that very paper's score."""
    judged = [("alga", 0.9), ("brine", 0.5)]
    # e: 0.2 and -0.2; r: -0.2 and 0.2, each / 1: both papers come to 0, as both labels are 0.6
    result = corrected_mean(judged, [("brine", 0.5, 0.6), ("alga", 0.9, 0.6)], width=0)
    assert (result.value, result.low, result.high) == pytest.approx((0.6, 0.6, 0.6))
    apart = corrected_mean(judged, [("coral", 0.5, 0.6), ("delta", 0.9, 0.6)], width=0)
    # 4 * 0.2^2 = 0.16, and Welch's 2 degrees of freedom
    assert apart.high == pytest.approx(0.6 + stats.t.ppf(0.975, 2) * 0.4)


@given(judged=judged_rows, golden=golden_rows, shift=st.integers(-3, 3), data=st.data())
@settings(deadline=None, max_examples=15)
def test_laws_of_a_corrected_mean(
    judged: list[Judged], golden: list[Golden], shift: int, data: st.DataObject
) -> None:
    """A perfect judge, a constant error and the order of rows change nothing."""
    plain = corrected_mean(judged, golden)
    shuffled = data.draw(st.permutations(judged)), data.draw(st.permutations(golden))
    assert corrected_mean(*shuffled) == plain
    perfect = corrected_mean(judged, [(paper, said, said) for paper, said, _ in golden])
    assert perfect.value == (perfect.raw if golden else None)
    lenient = corrected_mean(
        [(paper, said + shift) for paper, said in judged],
        [(paper, said + shift, label) for paper, said, label in golden],
    )
    near = [plain.value, plain.low, plain.high]
    assert [lenient.value, lenient.low, lenient.high] == pytest.approx(near, abs=1e-7)


def test_rate_worked_example() -> None:
    """Rogan and Gladen's formula, where the judge calls 12 of 24 true."""
    result = corrected_rate(flags(12, 24), labelled((27, 30), (6, 30)))
    # Se = 0.9, Sp = 0.8: (0.5 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.3 / 0.7
    assert result.value == pytest.approx(3 / 7)
    assert (result.raw, result.n_judged, result.n_golden, result.n_papers) == (0.5, 24, 60, 6)


def test_rate_is_cut_off_at_both_ends() -> None:
    """More called true than Se allows, or fewer than F: no share is above 1 or below 0."""
    golden = labelled((24, 30), (6, 30))
    highest, lowest = (corrected_rate(flags(n, 24), golden) for n in (24, 0))
    assert (highest.value, highest.high) == (1.0, 1.0)
    assert (lowest.value, lowest.low) == (0.0, 0.0)
    # Both are at odds with Se and F, which must not pass for certainty.
    assert (highest.low or 0) < 0.95
    assert (lowest.high or 0) > 0.05


def jackknife(sets: Sequence[Sequence[tuple[str, bool]]], weights: Sequence[float]) -> float:
    """The variance of a weighted sum of shares, by leaving out each paper."""

    def total(without: str | None) -> float:
        shares = [np.mean([flag for paper, flag in rows if paper != without]) for rows in sets]
        return float(np.dot(weights, shares))

    papers = {paper for rows in sets for paper, _ in rows}
    return sum((total(paper) - total(None)) ** 2 for paper in papers)


@pytest.mark.parametrize(("n_true", "is_apart"), [(12, True), (40, False), (60, True)])
def test_interval_of_a_rate_is_what_a_scan_of_rates_leaves(n_true: int, *, is_apart: bool) -> None:
    """Fieller's interval is the roots of a square; a scan knows no roots, also beyond the ends."""
    mark = "golden " if is_apart else ""
    judged = flags(n_true, 60)
    rows = labelled((57, 60), (5, 14))
    golden = [(mark + paper, said, label) for paper, said, label in rows]
    result = corrected_rate(judged, golden)
    # Each set has a row of each kind more, of papers of their own.
    sets = [
        [*of, (f"{name} true", True), (f"{name} false", False)]
        for name, of in (
            ("judged", judged),
            ("hits", [(paper, said) for paper, said, label in golden if label]),
            ("alarms", [(paper, said) for paper, said, label in golden if not label]),
        )
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
    weighted = zip(sets, (1, -nearest, nearest - 1), strict=True)
    parts = [jackknife([rows], [weight]) for rows, weight in weighted]
    sizes = [Counter(paper for paper, _ in rows).values() for rows in sets]
    freedoms = [sum(of) ** 2 / sum(size**2 for size in of) - 1 for of in sizes]
    welch = sum(parts) ** 2 / sum(p**2 / of for p, of in zip(parts, freedoms, strict=True))
    # With the golden papers apart there are twelve; at 40 of 60 Welch is above either number.
    freedom = min(welch, 11 if is_apart else 5)
    assert (freedom == welch) == (is_apart and n_true != 40)
    # The nearest rate's distance comes on top.
    most = stats.t.ppf(0.975, freedom) ** 2 + squares[nearest]
    left = [rate for rate, square in squares.items() if square <= most]
    assert (result.low, result.high) == pytest.approx((left[0], left[-1]), abs=1 / 100)


ONE: list[GoldenFlag] = [("a", False, False)]
MEANS: list[tuple[list[Judged], list[Golden], float | None, str]] = [
    ([], [("a", 0.1, 0.2)], None, "there are no judged rows"),
    ([("a", 0.1)], [], None, "there are no golden rows"),
    ([("a", 0.5)], [("b", 0.5, 0.75)], 0.75, "all judged rows are of one paper"),
    (
        [("a", 0.5), ("b", 0.5)],
        [("b", 0.5, 0.75), ("b", 0.5, 0.25)],
        0.5,
        "all golden rows are of one paper",
    ),
]
RATES: list[tuple[list[tuple[str, bool]], list[GoldenFlag], float | None, str]] = [
    ([], [("a", True, True), *ONE], None, "there are no judged rows"),
    ([("a", True)], [], None, "there are no golden true rows"),
    ([("a", True)], [("a", True, False)], None, "there are no golden true rows"),
    ([("a", True)], [("a", True, True)], None, "there are no golden false rows"),
    (
        [("a", True)],
        labelled((20, 30), (20, 30)),
        None,
        "the judge calls 0.667 of the golden true rows true and 0.667 of the false ones",
    ),
    ([("a", True)], labelled((20, 20), (0, 20)), 1.0, "all judged rows are of one paper"),
    (
        flags(1, 2),
        [*labelled((20, 20), (0, 0)), *ONE, *ONE],
        0.5,
        "all golden false rows are of one paper",
    ),
]


def test_a_mean_or_rate_without_bounds_says_why() -> None:
    """No interval is not an interval of no width; a judge that tells nothing gives no number."""
    means = [corrected_mean(judged, golden) for judged, golden, *_ in MEANS]
    rates = [corrected_rate(judged, golden) for judged, golden, *_ in RATES]
    for result, (*_, value, reason) in zip([*means, *rates], [*MEANS, *RATES], strict=True):
        assert (result.value, result.low, result.high, result.reason) == (value, None, None, reason)
    assert [result.raw for result in means] == [None, 0.1, 0.5, 0.5]
    with pytest.raises(ValueError, match=r"^judged\[1\] is nan; leave rows without a finite value"):
        corrected_mean([("a", 0.1), ("b", math.nan)], [])
