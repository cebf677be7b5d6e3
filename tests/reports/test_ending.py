from __future__ import annotations

from dataclasses import replace

import pytest

from summeval_pytest.record.record import Comparison, Difference, PairRecord, SuiteRecord
from summeval_pytest.reports.run import ending_lines, waiver_line
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import PairVerdict, Shortfall
from summeval_pytest.verdict.findings import Finding
from summeval_pytest.verdict.thresholds import WaiverUse
from tests.verdict.records import HERE, faithful, pair, run, suite, system

HOSTILE = "::error::x\n::add-mask::y\x1b[31m##[group]\u202e"


def ending(held: SuiteRecord, n_worst: int = 0) -> list[str]:
    """The lines of a run over one suite."""
    return list(ending_lines(run(held), n_worst=n_worst))


def compared(comparison: Comparison) -> list[str]:
    """The lines of a run of one system that was compared."""
    held = system("llama3", "moss-1", comparison=comparison)
    return ending(suite(pair("moss-1", faithful(1), system="llama3"), systems=(held,)))


def difference(
    name: str,
    *broken: str,
    p: float | None = 0.5,
    deviation: float | None = 0.1,
    detectable: float | None = 0.0654,
) -> Difference:
    """A difference of one number over 12 papers."""
    return Difference(
        name=name,
        n_papers=12,
        old=0.5,
        new=0.4,
        change=-0.1,
        p=p,
        deviation=deviation,
        detectable=detectable,
        broken=broken,
    )


def test_a_run_that_has_nothing_to_say_says_nothing() -> None:
    """The table is enough."""
    assert ending(suite(pair("moss-1", faithful(1)))) == []


def test_a_run_of_a_part_of_its_suite_says_so() -> None:
    """Worked example: 1 of 3 pairs; a green of a selection must not pass for one of the suite."""
    some = system("careful", "moss-1", "moss-2", "moss-3")
    (line,) = ending(suite(pair("moss-1", faithful(1)), systems=(some,)))
    assert line.startswith("golden/summeval.toml: only 1 of 3 pairs ")


def test_a_comparison_tells_what_fails_and_what_it_could_see() -> None:
    """Numbers that nobody tests and parts of a metric say nothing of the suite's power."""
    comparison = Comparison(
        baseline="v1.3",
        system="careful",
        differences=(
            difference("facet"),
            difference("facet.result", "it drops"),
            difference("eva", "it drops", detectable=None),
            difference("eva.recall", p=None),
            difference("faithfulness", p=None),
        ),
    )
    first, *rest = compared(comparison)
    assert first == "llama3 against v1.3 (careful): fails: facet.result, eva"
    power = " ".join(line.strip() for line in rest)
    assert "12 papers" in power
    assert "80 % power" in power
    assert "facet 0.065, eva none" in power
    assert "recall" not in power
    assert "faithfulness" not in power


def test_a_comparison_without_a_drop_says_so() -> None:
    """And how large a drop it could have overlooked, which is what its green is worth."""
    comparison = Comparison(
        baseline="v1.3", system="careful", differences=(difference("eva", detectable=0.2),)
    )
    first, power = compared(comparison)
    assert first.startswith("llama3 against v1.3 (careful): n")
    assert "fails:" not in first
    assert "eva 0.200" in power


def test_equal_runs_say_nothing_of_power() -> None:
    """Where nothing varies nobody knows how much would."""
    same = difference("eva", deviation=0.0, detectable=None)
    comparison = Comparison(baseline="v1.3", system="careful", differences=(same,))
    assert len(compared(comparison)) == 1


def test_a_single_paper_shows_no_drop_and_says_so() -> None:
    """It has no deviation, and its green is worth nothing."""
    only = replace(difference("eva", deviation=None, detectable=None), n_papers=1)
    comparison = Comparison(baseline="v1.3", system="careful", differences=(only,))
    _, power = compared(comparison)
    assert power.startswith("  smallest drop that 1 paper ")
    assert power.endswith(" with 80 % power: eva none")


def test_a_comparison_of_one_facet_tells_the_power_of_that_facet() -> None:
    """A green of a rule about one facet is as weak as its papers are few."""
    comparison = Comparison(
        baseline="v1.3",
        system="careful",
        differences=(difference("facet", p=None), difference("facet.result")),
    )
    assert compared(comparison) == [
        "llama3 against v1.3 (careful): no rule broken",
        "  smallest drop that 12 papers show with 80 % power: facet.result 0.065",
    ]


def test_runs_that_cannot_be_compared_give_the_first_reason() -> None:
    """All of them stand where the comparison failed."""
    comparison = Comparison(
        baseline="v1.3", system="careful", mismatches=("judge differs", "this run lacks")
    )
    assert compared(comparison) == ["llama3 against v1.3 (careful): judge differs"]


def test_a_long_reason_against_a_comparison_is_wrapped_at_80_columns() -> None:
    """As `compare` writes it where nobody answered for EVA."""
    reason = "eva is on no paper in both runs; the baseline has it on 12 of 12, this run on 0"
    lines = compared(Comparison(baseline="v1.3", system="careful", mismatches=(reason,)))
    assert max(map(len, lines)) <= 80
    told = " ".join(line.strip() for line in lines)
    assert told == f"llama3 against v1.3 (careful): {reason}"


def test_a_comparison_that_was_asked_for_and_not_made_is_told() -> None:
    """A selection of tests may leave it out; a green without it is no green against v1.3."""
    held = replace(system("careful", "moss-1"), baseline="v1.3")
    assert ending(suite(pair("moss-1", faithful(1)), systems=(held,))) == [
        "golden/summeval.toml: careful was not compared with v1.3"
    ]
    made = replace(held, comparison=Comparison(baseline="v1.3", system="careful"))
    lines = ending(suite(pair("moss-1", faithful(1)), systems=(made,)))
    assert lines == ["careful against v1.3 (careful): no rule broken"]


def test_a_rise_by_brevity_is_noted() -> None:
    """A reader of the closing lines would else take it for progress."""
    comparison = Comparison(
        baseline="v1.3",
        system="careful",
        differences=(difference("eva", deviation=None),),
        brevity=("faithfulness rose by 0.167 only because summaries became shorter",),
    )
    lines = compared(comparison)
    told = " ".join(" ".join(lines).split())
    assert "note: faithfulness rose by 0.167 only because summaries became shorter" in told


def test_a_long_note_on_brevity_is_wrapped_at_80_columns() -> None:
    """It is a whole sentence with four numbers, as `compare` writes it."""
    warning = (
        "faithfulness rose by 0.167 only because summaries became shorter: 20 to 18 words, and 2.0"
        " to 2.0 right pieces each"
    )
    comparison = Comparison(baseline="v1.3", system="careful", brevity=(warning,))
    _, *note = compared(comparison)
    assert len(note) == 2
    assert max(map(len, note)) <= 80
    assert all(line.startswith("  ") for line in note)
    assert " ".join(line.strip() for line in note) == f"note: {warning}"


def test_lines_of_a_comparison_fit_80_columns() -> None:
    """With ordinary names and every number broken."""
    names = ["facet", "facet.background", "facet.conclusion", "eva", "faithfulness"]
    comparison = Comparison(
        baseline="v1.3",
        system="careful",
        differences=tuple(difference(name, "it drops") for name in names),
    )
    assert max(map(len, compared(comparison))) <= 80


WAIVER = Waiver(
    name="hours",
    paper="moss-1",
    system="careful",
    finding="facet",
    least=0.45,
    owner="ann",
    reason="the reference is being mended",
    expires="2027-01-31",
    place=HERE,
)


def test_a_waiver_is_told_in_full() -> None:
    """Who allows what, until when, why, and what became of it."""
    end = ", until 2027-01-31, owner ann: the reference is being mended"
    assert waiver_line(WaiverUse(waiver=WAIVER, state="in use")) == (
        f"waiver hours (in use): careful on moss-1, facet down to 0.45{end}"
    )
    boundless = replace(WAIVER, least=None)
    assert waiver_line(WaiverUse(waiver=boundless, state="not needed")) == (
        f"waiver hours (not needed): careful on moss-1, facet{end}"
    )


def test_all_waivers_of_all_suites_are_listed() -> None:
    """An exception that nobody sees is a rule."""
    uses = [WaiverUse(waiver=replace(WAIVER, name=name), state="in use") for name in "ab"]
    one = pair("moss-1", faithful(1))
    record = run(suite(one, waivers=(uses[0],)), suite(one, name="bronze", waivers=(uses[1],)))
    lines = list(ending_lines(record))
    assert [line.split()[1] for line in lines if not line.startswith("  ")] == ["a", "b"]
    assert max(map(len, lines)) <= 80
    assert " ".join(" ".join(lines).split()) == " ".join(map(waiver_line, uses))


def finding(severity: float, title: str = "sentence 1", reason: str = "no evidence") -> Finding:
    """Something wrong."""
    return Finding(
        kind="sentence",
        number="faithfulness",
        title=title,
        verdict="unsupported",
        reason=reason,
        reference=None,
        summary="",
        evidence=(),
        severity=severity,
    )


def failing(paper: str, *findings: Finding) -> PairRecord:
    """A pair that fails by its faithfulness, with these findings."""
    low = PairVerdict(shortfalls=(Shortfall(name="faithfulness", value=0, least=0.5),))
    return replace(pair(paper, outcome="failed"), findings=findings, verdict=low)


def test_the_worst_findings_of_all_failing_pairs_stand_first() -> None:
    """Whatever pair they are of; ties stand in the order of the pairs."""
    held = suite(
        failing("moss-1", finding(0.9, "sentence 2"), finding(0.2)),
        failing("moss-2", finding(1.0), finding(0.9)),
        replace(pair("moss-3"), findings=(finding(1.0),)),
    )
    assert ending(held, n_worst=3) == [
        "worst findings (3 of 4):",
        "careful on moss-2: sentence 1, unsupported",
        "  no evidence",
        "careful on moss-1: sentence 2, unsupported",
        "  no evidence",
        "careful on moss-2: sentence 1, unsupported",
        "  no evidence",
    ]


@pytest.mark.parametrize(
    ("n_worst", "heading", "n_lines"), [(1, "(1 of 2)", 3), (2, "(2 of 2)", 5), (9, "(2 of 2)", 5)]
)
def test_as_many_findings_are_listed_as_were_asked_for(
    n_worst: int, heading: str, n_lines: int
) -> None:
    """And no more than there are: a heading and two lines each; none without being asked."""
    held = suite(failing("moss-1", finding(0.9), finding(0.2)))
    lines = ending(held, n_worst=n_worst)
    assert (lines[0], len(lines)) == (f"worst findings {heading}:", n_lines)
    assert ending(held) == []


def test_no_finding_is_listed_of_a_run_that_passes() -> None:
    """Findings explain failures; the rest are in the other reports."""
    held = suite(replace(pair("moss-1"), findings=(finding(1.0),)))
    assert ending(held, n_worst=9) == []


def test_a_finding_takes_two_lines_of_80_columns() -> None:
    """However long a judge's reason is."""
    held = suite(failing("moss-1", finding(1.0, "sentence 1", "why " * 1000)))
    _, title, reason = ending(held, n_worst=1)
    assert title == "careful on moss-1: sentence 1, unsupported"
    assert len(reason) == 80
    assert reason.endswith("\u2026")


def test_no_line_of_a_comparison_commands_where_it_is_broken() -> None:
    """Worked example: after "llama3 against v1.3/" and 45 letters a line break comes before ``::``.

    In the name of a baseline and in a note, at every width that the text before it may have.
    """
    for n_letters in range(30, 80):
        name = "v1.3/" + "x" * n_letters + " ::error::owned"
        for found in (
            Comparison(baseline=name, system="careful", differences=(difference("eva", "drops"),)),
            Comparison(baseline="v1.3", system="careful", brevity=(name,)),
        ):
            lines = compared(found)
            assert "error::owned" in "".join(lines)
            for line in lines:
                assert not line.strip().startswith("::")
                assert len(line) <= 80 + len(r"\x3a") - len(":")


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    """In every name, reason and warning that the end of a run repeats."""
    difference_of_all = replace(difference("eva"), broken=(HOSTILE,))
    comparisons = (
        Comparison(
            baseline=HOSTILE,
            system=HOSTILE,
            differences=(difference_of_all,),
            brevity=(HOSTILE,),
        ),
        Comparison(baseline=HOSTILE, system=HOSTILE, mismatches=(HOSTILE,)),
    )
    use = WaiverUse(
        waiver=replace(WAIVER, name=HOSTILE, owner=HOSTILE, reason=HOSTILE), state="in use"
    )
    bad = replace(failing(HOSTILE, finding(1.0, HOSTILE, HOSTILE)), system=HOSTILE)
    held = replace(
        suite(
            bad,
            systems=tuple(system(HOSTILE, "a", "b", comparison=each) for each in comparisons),
            waivers=(use,),
        ),
        shown=HOSTILE,
    )
    lines = ending(held, n_worst=1)
    for line in lines:
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
    assert "".join(lines).count("\\x1b") >= 8
