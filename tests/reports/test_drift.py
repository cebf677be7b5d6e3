from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.record import changes as figure_changes
from summeval_pytest.record.changes import FigureChange, measure_drift
from summeval_pytest.reports.run import (
    drift_lines,
    drift_sentence,
    drift_table,
    figure_table,
    flip_lines,
)
from tests.reports.test_comparison import HOSTILE, harmless
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import measured, suite

if TYPE_CHECKING:
    from summeval_pytest.record.changes import Drift


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The intervals of figures have tests of their own."""
    monkeypatch.setattr(figure_changes, "RESAMPLES", 10)


def drift(old: tuple[int, ...], new: tuple[int, ...], label: int = 4) -> Drift:
    """Result ratings of the same label, a paper each."""
    runs = [
        measured(
            *(
                golden(answered("result", label, rating), paper=f"moss-{i:02}")
                for i, rating in enumerate(ratings)
            )
        )
        for ratings in (old, new)
    ]
    return measure_drift(*runs)


def test_the_sentence_says_how_many_flipped_which_way_and_what_is_significant() -> None:
    """A reader of one line knows whether to go on."""
    assert drift_sentence(drift((4, 3), (4, 3))) == "no golden answer flipped (2 compared)"
    assert drift_sentence(drift((4, 3), (4, 4))) == (
        "1 of 2 golden answers flipped, none away from the labels; no shift is significant"
    )
    assert drift_sentence(drift((4,) * 8, (3,) * 8)) == (
        "8 of 8 golden answers flipped, 8 away from the labels; shift of result ratings"
        " significant (p .008); result ratings moved away from the labels (p .008)"
    )
    assert drift_sentence(drift((3,) * 16, (4,) * 16)).endswith(
        "; shift of result ratings significant (p < .001);"
        " result ratings moved towards the labels (p < .001)"
    )


def test_a_move_of_yes_or_no_is_said_once() -> None:
    """With one label, a shift and a move away from it are one thing."""
    old, new = (
        measured(*(golden(answered("sentence", 0, answer), paper=f"moss-{i}") for i in range(8)))
        for answer in (0, 1)
    )
    assert drift_sentence(measure_drift(old, new)) == (
        "8 of 8 golden answers flipped, 8 away from the labels; unfaithful sentences moved away"
        " from the labels (p .008)"
    )


def test_what_cannot_be_compared_is_said_in_place_of_counts() -> None:
    """Other labels leave nothing to count."""
    found = measure_drift(measured(labels="0a"), measured(labels="0b"))
    assert drift_sentence(found) == (
        "golden answers not compared: labels differ: '0a' then, '0b' now; drift needs the same"
        " labels"
    )


def test_a_run_tells_of_drift_in_few_lines() -> None:
    """Beside the saved run; another judge is named, since it may be meant."""
    old = measured(golden(answered("result", 4, 4)), golden(answered("result", 4, 4), paper="fern"))
    new = measured(
        golden(answered("result", 4, 1)), golden(answered("result", 4, 4), paper="fern"),
        judge="fair-2",
    )  # fmt: skip
    assert list(drift_lines(old, new)) == [
        "judge against the saved run: 1 of 2 golden answers flipped, 1 away from the",
        "  labels; no shift is significant; see 'summeval compare'",
        "  another judge: fair-1 then, fair-2 now",
        "1. good on moss, result: 4 -> 1, label 4 (away)",
    ]
    assert list(drift_lines(old, old)) == [
        "judge against the saved run: no golden answer flipped (2 compared)"
    ]


def test_a_run_without_golden_answers_says_nothing_of_drift() -> None:
    """A judge that was not measured, then or now, cannot have drifted."""
    held = measured(golden(answered("result", 4, 4)))
    assert list(drift_lines(held, suite())) == []
    assert list(drift_lines(suite(), held)) == []


def test_the_table_has_a_line_for_each_kind() -> None:
    """Nothing that flipped leaves no p value to read."""
    found = drift((4,) * 8, (3,) * 7 + (4,))
    assert list(drift_table(found)) == [
        "golden answers          items  flipped  away  towards   shift  p shift  p away",
        "result ratings              8        7     7        0  -0.875     .016    .016",
        "shift: mean of new minus old answer. p: paired sign-flip test over papers, of",
        "the shift and of moving away from (or towards) the labels, Holm-adjusted.",
    ]
    same = replace(drift((4, 4), (4, 4)), n_only_old=1200, n_only_new=1)
    assert list(drift_table(same))[1:] == [
        "result ratings              2        0     0        0  +0.000        -       -",
        "1,200 items that only the old judge answered are left out",
        "1 item that only the new judge answered is left out",
    ]


def test_figures_stand_side_by_side() -> None:
    """An undefined one is a dash, and no zero."""
    change = FigureChange(
        name="facet_kappa", old=0.5, new=0.25, change=-0.25, low=-0.3, high=0.1, n_items=1200,
        n_papers=30,
    )  # fmt: skip
    lost = replace(change, name="fact_f1", new=None, change=None, low=None, high=None)
    assert list(figure_table((change, lost))) == [
        "agreement                  old    new  change  95 % interval    items papers",
        "facet_kappa               0.50   0.25   -0.25  -0.30 to +0.10   1,200     30",
        "fact_f1                   0.50      -       -                   1,200     30",
    ]


def test_flips_are_shown_with_the_texts_of_the_side_that_has_them() -> None:
    """The judge was right and gave no texts; now it is wrong, and says why."""
    old = golden(answered("sentence", 0, 0, index=2, error="number"))
    (answer,) = old.answers
    new = replace(
        old,
        answers=(
            replace(answer, answer=1.0, text="40 mice slept.", against="14 slept.", reason="so"),
        ),
    )
    there = measure_drift(measured(old), measured(new)).flips
    back = measure_drift(measured(new), measured(old)).flips

    assert list(flip_lines(there, n_shown=10)) == [
        "flipped answers, worst first (1 of 1):",
        "1. good on moss, sentence 3 (number): unfaithful -> faithful, label unfaithful (away)",
        "   summary      40 mice slept.",
        "   source       14 slept.",
        "   reason now   so",
    ]
    assert "   reason then  so" in list(flip_lines(back, n_shown=10))
    assert any(line.endswith("(towards)") for line in flip_lines(back, n_shown=10))


def test_as_many_flips_are_shown_as_were_asked_for() -> None:
    """The rest is counted, with the option that shows it."""
    found = drift((4,) * 3, (1,) * 3).flips
    lines = list(flip_lines(found, n_shown=2))
    assert lines[0] == "flipped answers, worst first (2 of 3):"
    assert lines[-1] == "1 more: --answers=3"
    assert list(flip_lines(found, n_shown=0)) == []


def test_texts_of_others_command_nobody() -> None:
    """Papers, summaries and judges' reasons are anybody's words."""
    old = golden(answered("sentence", 0, 0, error=HOSTILE), paper=HOSTILE, system=HOSTILE)
    (answer,) = old.answers
    told = replace(answer, answer=1.0, text=HOSTILE, against=HOSTILE, reason=HOSTILE)
    runs = measured(old), measured(replace(old, answers=(told,)), judge=HOSTILE)
    found = measure_drift(*runs)
    assert len(harmless([*flip_lines(found.flips, n_shown=1), *drift_lines(*runs)])) > 6
