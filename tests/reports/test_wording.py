from __future__ import annotations

from dataclasses import replace
from math import nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.reports import wording
from summeval_pytest.verdict.differences import Comparison, Difference, Flip
from summeval_pytest.verdict.run import SystemResult
from tests.reports.records import (
    CHANGE,
    COMPARISON,
    HOSTILE,
    difference,
    failing,
    harmless,
    in_other_words,
    mean,
    moss_scores,
    pair,
    refused,
    suite,
    system,
    undecided,
    waived,
)

EVA = CATALOGUE["eva"]
RATES = st.floats(0, 1, allow_subnormal=False).filter(lambda rate: rate == 0 or rate > 1e-6)


def test_a_number_has_three_digits_and_a_rating_none(snapshot: SnapshotAssertion) -> None:
    """A rating is whole, and no number is a dash."""
    plain = [("facet", 1.0), ("eva", 2 / 3), ("facet.result", 4.0), ("facet.result", 2.9996)]
    assert [
        *(wording.render(CATALOGUE[name], value) for name, value in plain),
        wording.render(EVA, None, 0.5),
    ] == snapshot


def test_digits_are_added_until_a_shortfall_shows() -> None:
    """Told "0.550 < 0.550", a reader would take it for a bug of ours."""
    for value, least, text in (
        (0.5, 0.55, "0.500"),
        (0.5499, 0.55, "0.5499"),
        (0.54996, 0.55, "0.54996"),
        (0.5499999, 0.55, "0.5499999"),
        (nextafter(0.55, 0), 0.55, "0.5499999999999999"),
        (nextafter(1.0, 0), 1.0, "0.9999999999999999"),
        (0.55, 0.55, "0.550"),
        (0.5501, 0.55, "0.550"),
    ):
        assert wording.render(CATALOGUE["facet"], value, least) == text


@given(value=RATES, least=RATES)
def test_what_is_printed_decides_as_the_numbers_do(value: float, least: float) -> None:
    """Law: of a value and a threshold, the one that is less is the one that reads as less."""
    printed = float(wording.render(EVA, value, least)), float(wording.render(EVA, least, least))
    assert (printed[0] < printed[1]) == (value < least)


def message(*differences: Difference, flips: tuple[Flip, ...] = ()) -> list[str]:
    """The lines of a comparison."""
    actual = Comparison(baseline="v1", system="careful", differences=differences, flips=flips)
    return list(wording.comparison_lines(actual))


def test_papers_rule_out_some_drops_any_or_none() -> None:
    """One paper rules nothing out; papers that rose enough rule out every drop."""
    for ruled_out, expected in ((0.0654, "0.065"), (0.0, "any"), (-0.1, "any"), (None, "-")):
        actual = difference("eva", p=1.0, ruled_out=ruled_out)
        assert wording.ruled_out_text(actual) == expected
        assert message(actual)[2].split()[-1] == expected


def flips(n_flips: int) -> tuple[Flip, ...]:
    """Results that are rated lower."""
    return tuple(Flip(paper=f"moss-{n:02}", facet="result", old=4, new=1) for n in range(n_flips))


@pytest.mark.parametrize("broken", [(), ("it drops",)], ids=["passing", "failing"])
def test_no_line_of_a_table_is_over_80_columns(broken: tuple[str, ...]) -> None:
    """Worked example: every number, each with a drop of its whole scale over 2,000 papers."""
    # Of the count, which has no end, that is a rise from 0 to 9.
    # The columns take 20 + 6 + 7 + 8 + 2 + 16 + 7 + 7 = 73, and the mark of a failure 7 more.
    wide = [
        Difference(
            name=name,
            n_papers=2000,
            old=named.best,
            new=9.0 if named.worst is None else named.worst,
            change=(9.0 if named.worst is None else named.worst) - named.best,
            low=named.low - min(named.high, 9.0),
            high=min(named.high, 9.0) - named.low,
            p=0.0001,
            ruled_out=2.999,
            broken=broken,
        )
        for name, named in CATALOGUE.items()
    ]
    lines = message(*wide, flips=flips(13))
    assert max(map(len, lines)) <= 80
    rows = [line.removesuffix("  FAILS") for line in lines if "2.999" in line]
    assert [len(row) for row in rows] == [73] * len(wide)
    assert {*CATALOGUE} <= {line.split()[0] for line in lines if line.strip()}
    assert len([line for line in lines if line.endswith("  FAILS")]) == len(broken) * len(wide)
    assert {len(row.split()) for row in rows} == {7, 8}  # a long name has its own line


texts = st.text(alphabet=st.sampled_from(":# [x-\x1b\n\u202e\ud800e,")) | st.just(HOSTILE)


@given(texts)
def test_hostile_text_in_a_change_is_shown_and_not_obeyed(text: str) -> None:
    """Law: whatever papers, summaries and judges say, also where a line is broken in it."""
    harmless(wording.change_lines(in_other_words(CHANGE, lambda word: f"{text * 9}{word} {text}")))


def test_a_waiver_is_reported_in_full(snapshot: SnapshotAssertion) -> None:
    """Who allows what, until when, why, and what became of it."""
    uses = waived("in use"), waived("not needed", least=None), waived("expired", most=2.0)
    assert list(map(wording.waiver_line, uses)) == snapshot


FEW = replace(difference("facet.background"), n_papers=3)
RISE = Difference(name="eva", n_papers=2, old=0.5, new=0.75, change=0.25, low=0.0, high=0.5)
COMPARED = {
    "two numbers": (difference(), difference("eva.recall_entailed", p=None)),
    "a broken rule": (difference(), difference("eva", "eva drops")),
    "fewer papers": (FEW, difference(), replace(FEW, name="eva", broken=("it drops",))),
    "a rise": (RISE, replace(RISE, name="facet", low=None)),
    "nothing": (),
}


@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_has_a_line_for_each_number(snapshot: SnapshotAssertion, name: str) -> None:
    """Old and new mean, change, interval, p value, what could be seen, and what fails."""
    assert message(*COMPARED[name]) == snapshot


def test_a_comparison_counts_flips(snapshot: SnapshotAssertion) -> None:
    """After twelve flips the rest are counted; long phrases are wrapped."""
    # A rule that unanswered questions decide has no mark of a failure: the note says it is open.
    note = "faithfulness rose by 0.167 only because summaries became shorter: 20 to 18 words each"
    actual = Comparison(
        baseline="v1.3",
        system="careful",
        differences=(RISE,),
        flips=flips(13),
        undecided=(("eva", note),),
    )
    assert list(wording.comparison_lines(actual)) == snapshot
    refused = Comparison(baseline="v1.3", system="careful", mismatches=("judge", "suite differs"))
    assert list(wording.comparison_lines(refused))[1:] == ["  judge", "  suite differs"]
    actual = replace(COMPARISON, undecided=(("facet", "facet could drop"),))
    marked, unmarked = ("\n".join(wording.comparison_lines(each)) for each in (COMPARISON, actual))
    assert (marked.count("FAILS"), unmarked.count("FAILS")) == (1, 0)


def row(gated: SystemResult) -> wording.SystemRow:
    """A system with two pairs, of which one has no score."""
    pairs = pair(scores=moss_scores()), refused(paper="ward-02")
    result = suite(*pairs, systems=(gated,))
    return wording.SystemRow(suite=result, system=gated, rows=result.rows)


def test_a_system_is_as_bad_as_the_worst_of_its_pairs_and_its_means() -> None:
    """A green mean beside a red pair is no green system."""
    passed = system(means=(mean(value=0.9),))
    for pairs, outcome in (
        ((pair(),), "passed"),
        ((pair(), failing("ward-02")), "failed"),
        ((failing(), undecided()), "error"),
    ):
        result = suite(*pairs)
        assert wording.SystemRow(suite=result, system=passed, rows=result.rows).outcome == outcome
    assert wording.SystemRow(suite=suite(), system=system(), rows=()).outcome == "failed"
    alone = wording.SystemRow(suite=suite(), system=system(means=()), rows=())
    assert alone.outcome == "not judged"


def test_a_mean_stands_to_its_threshold_as_it_was_decided() -> None:
    """A waived mean is no failure, nor an open one; one that was never decided has no state."""
    opened = replace(mean("eva", 0.5, 0.4), is_open=True)
    result = row(system(means=(mean(), opened), waivers=(waived("in use", finding="facet"),)))
    assert (result.mean("facet").state, result.mean("eva").state) == ("waived", "undecided")
    assert row(system()).mean("facet").state == "failed"
    result = row(system(means=()))
    assert (result.mean("facet").state, result.mean("facet").least) == ("", 0.75)
    # one that fails at the worst of the others shows that value: 0.9 would read as a bug
    assert row(system(means=(replace(mean(value=0.9), lowest=0.5),))).mean("facet").value == 0.5
