"""Slices with means of their own, and papers that must pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from summeval_pytest.reports.cases import system_case, system_parts
from summeval_pytest.reports.wording import slice_lines
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.means import Slice
from summeval_pytest.verdict.run import PairResult, SuiteRecord
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.verdict.records import compared, pair, pairs_of, run, suite, supported, unscored

NONE = Thresholds(pair=(), mean=())


def slice_of(first: int, last: int, least: float | None = None, name: str = "field=cs") -> Slice:
    """A slice of the papers from one number up to another."""
    limits = () if least is None else (Threshold("faithfulness", least),)
    papers = tuple(f"moss-{place:02}" for place in range(first, last))
    return Slice(name=name, papers=papers, thresholds=limits)


def decided(
    pairs: Sequence[PairResult],
    *slices: Slice,
    thresholds: Thresholds = NONE,
    must_pass: tuple[str, ...] = (),
) -> SuiteRecord:
    """The suite, decided with these slices."""
    record = suite(*pairs, thresholds=thresholds)
    policy = replace(record.policy, slices=slices, must_pass=must_pass)
    (actual,) = decide(run(replace(record, policy=policy))).suites
    return actual


HALF = [1.0] * 10 + [0.5] * 5


def test_a_slice_fails_though_the_mean_of_all_papers_passes() -> None:
    """Worked example: 10 papers of 1 and 5 of .5 have a mean of .833."""
    limits = Thresholds(pair=(), mean=(Threshold("faithfulness", 0.8),))
    actual = decided(pairs_of(*HALF), slice_of(10, 15, 0.6), slice_of(0, 10), thresholds=limits)
    (system,) = actual.systems
    assert system.outcome == "failed"
    assert not system.verdict.missed
    case = system_case(system)
    assert case.title == "field=cs mean faithfulness"
    assert case.phrases == ("slice field=cs: mean faithfulness 0.500 < 0.600 (5 of 5 papers)",)
    parts = {part.name: part.cause for part in system_parts(system, [])}
    assert parts["field=cs mean faithfulness"] == "shortfall"
    assert list(slice_lines(system))[1] == (
        "worst slice of careful: field=cs, faithfulness 0.500 on 5 papers (0.833 on all)"
    )
    assert decided(pairs_of(*HALF), slice_of(10, 15, 0.5)).systems[0].outcome == "passed"


def test_a_slice_that_is_too_small_is_named_and_never_decides() -> None:
    """Four papers neither fail a release nor are its worst slice."""
    (system,) = decided(pairs_of(*HALF), slice_of(11, 15, 0.9)).systems
    assert system.outcome == "passed"
    assert list(slice_lines(system)) == [
        "slices with fewer than 5 papers decide nothing: field=cs (4)"
    ]


@pytest.mark.parametrize(("n_skipped", "outcome"), [(0, "passed"), (1, "failed"), (5, "failed")])
def test_a_system_cannot_skip_a_slice_below_its_size(n_skipped: int, outcome: str) -> None:
    """The threshold is on what the system has of the slice; without a paper it fails."""
    values = pairs_of(*[1.0] * 9, 0.6, 0.6)
    pairs = values[:6] + values[6 + n_skipped :]
    (system,) = decided(pairs, slice_of(6, 11, 0.83)).systems
    assert system.outcome == outcome


def test_a_threshold_of_a_slice_needs_five_papers_of_the_system() -> None:
    """Whoever skips the bad papers of a slice must not pass on the one that is left."""
    (system,) = decided(pairs_of(*HALF)[:11], slice_of(10, 15, 0.4)).systems
    assert system.outcome == "error"
    assert "slice field=cs: the system has 1 of its papers, and a threshold needs 5" in system.fault


def test_what_the_judge_left_open_in_a_slice_is_an_error() -> None:
    """A slice that nobody measured must not pass."""
    silent = pair("moss-14", unscored("faithfulness", "unanswered", "cut"))
    (system,) = decided([*pairs_of(*HALF)[:14], silent], slice_of(9, 15, 0.3)).systems
    assert system.outcome == "error"
    assert "slice field=cs: faithfulness is unscored on 1 of 6 papers" in system.fault


SIDES = slice_of(0, 8), slice_of(8, 32, name="field=bio")


@pytest.mark.parametrize(("n_worse", "fails"), [(8, True), (4, False)])
def test_a_drop_in_one_slice_fails_though_others_rise(n_worse: int, fails: bool) -> None:
    """The p value of 8 equal drops is 1/256, twice that by Holm; of 4 it is 1/16."""
    new = pairs_of(*[0.25] * n_worse, *[0.75] * (32 - n_worse))
    actual = compared(pairs_of(*[0.5] * 32), new, slices=SIDES)
    assert not actual.broken
    assert not actual.undecided
    assert actual.fails == fails
    small = compared(pairs_of(*HALF), pairs_of(*HALF), slices=(slice_of(10, 15), SIDES[1]))
    assert small.notes == ("too few papers to show a drop in slice field=cs",)
    if fails:
        assert str(actual.broken_slices[0]) == (
            "faithfulness drops by 0.250 in slice field=cs (8 papers), p 0.0078 at level 0.05"
        )


def test_a_drop_in_one_slice_by_unanswered_sentences_leaves_the_comparison_undecided() -> None:
    """One of two sentences of each paper of the slice may be right."""
    silent = [pair(f"moss-{place:02}", supported({"a": True, "b": None})) for place in range(8)]
    old = pairs_of(*[1.0] * 8, *[0.5] * 24)
    actual = compared(old, [*silent, *pairs_of(*[1.0] * 32)[8:]], slices=SIDES)
    assert not actual.passes
    assert not actual.fails
    ((name, phrase),) = actual.undecided
    assert (name, actual.broken_slices) == ("faithfulness", ())
    assert phrase == (
        "faithfulness drops by 0.500 in slice field=cs (8 papers), p 0.0078 at level 0.05, with 8"
        " unanswered sentences counted as wrong"
    )


@pytest.mark.parametrize(
    ("pair_least", "mean_least", "must_pass", "outcome"),
    [
        (None, 0.8, (), "passed"),
        (None, 0.8, ("moss-14",), "failed"),
        (0.9, 0.4, ("moss-14",), "failed"),
        (0.4, 0.4, ("moss-14",), "passed"),
        (0.4, 0.8, ("moss-00",), "passed"),
    ],
)
def test_no_mean_covers_a_paper_that_must_pass(
    pair_least: float | None, mean_least: float, must_pass: tuple[str, ...], outcome: str
) -> None:
    """It has to reach the stricter of its own threshold and that of the mean."""
    name = "faithfulness"
    own = () if pair_least is None else (Threshold(name, pair_least),)
    limits = Thresholds(pair=own, mean=(Threshold(name, mean_least),))
    actual = decided(pairs_of(*HALF), thresholds=limits, must_pass=must_pass)
    assert actual.pairs[14].outcome == outcome
