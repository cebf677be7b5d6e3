from __future__ import annotations

from dataclasses import replace

from summeval_pytest.record.record import Comparison, Difference, Header
from summeval_pytest.reports.run import run_lines, suite_lines
from summeval_pytest.reports.trust import untrusted_lines
from tests.reports.trust_records import TRUSTED, golden, measured, untrusted
from tests.verdict.records import (
    carried,
    eva,
    faithful,
    marks,
    pair,
    rated,
    run,
    suite,
    supported,
    system,
    unscored,
)

HEADING = "system            passed failed errors         facet           eva  faithfulness"


def test_the_table_of_a_run_can_be_made_again_from_its_record() -> None:
    """Worked example: facet 1 and 0.85, eva 0.5 on one pair of two, one wrong piece of each kind.

    A result of 2 of 4 costs half of its weight of 0.3. One fact of two is lost, and one sentence
    of two unsupported.
    """
    facts = carried({"Mice slept.": True, "Rats ran.": False})
    pairs = [
        pair("moss-1", rated(), facts, supported({"Mice slept.": True, "Cats sang.": False})),
        pair("moss-2", rated(marks(result=2)), unscored("eva"), faithful(1), outcome="failed"),
        pair("moss-1", unscored("facet", "unanswered"), system="terse", outcome="error"),
    ]
    assert list(suite_lines(suite(*pairs))) == [
        HEADING,
        "careful                1      1      0         0.925   0.667 (1/2)         0.750",
        "  wrong: 1 facet below full rating, 1 fact, 1 unsupported sentence",
        "terse                  0      0      1             -             -             -",
    ]


def test_a_system_of_which_no_pair_was_judged_has_its_line() -> None:
    """A gated system that is not in the table would look as if nobody had asked."""
    lines = list(suite_lines(suite(systems=(system("careful", "moss-1"),))))
    assert lines[1].split() == ["careful", "0", "0", "0"]


def test_notes_on_summaries_are_told_again() -> None:
    """How a summary was made is in the record."""
    cut = replace(pair("moss-1", eva(0.5)), note="source cut to 3,000 characters")
    assert list(suite_lines(suite(cut)))[-1] == (
        "careful, 1 of 1 pairs: source cut to 3,000 characters"
    )


def test_the_changes_against_a_baseline_are_in_the_table() -> None:
    """Of the system that has one."""
    difference = Difference(name="eva", n_papers=1, old=0.75, new=0.5, change=-0.25)
    held = system(
        "careful",
        "moss-1",
        comparison=Comparison(baseline="v1.3", system="careful", differences=(difference,)),
    )
    terse = system("terse", "moss-1")
    pairs = [pair("moss-1", eva(0.5)), pair("moss-1", eva(0.5), system="terse")]
    _, _, changes, *others = suite_lines(suite(*pairs, systems=(held, terse)))
    assert changes.split() == ["against", "v1.3", "-0.250"]
    assert len(others) == 1


def test_a_run_is_told_suite_by_suite_and_then_its_end() -> None:
    """With the recipe: the suite's fingerprint and the judge."""
    some = system("careful", "moss-1", "moss-2")
    record = run(
        suite(pair("moss-1", eva(0.5)), systems=(some,)),
        suite(pair("moss-1", eva(0.5)), name="bronze"),
    )
    lines = list(run_lines(record))
    assert lines[0] == "golden/summeval.toml, suite 77be02a1c3d4, judge fair-1"
    assert lines[3] == "bronze/summeval.toml, suite 77be02a1c3d4, judge fair-1"
    told = "not calibrated: the suite has no labels to measure it with"
    judges = [f"judge ({name}/summeval.toml): {told}" for name in ("golden", "bronze")]
    assert " ".join(" ".join(lines[6:10]).split()) == " ".join(judges)
    assert lines[10].startswith("golden/summeval.toml: only 1 of 2 pairs ")
    assert len(lines) == 11


def test_an_untrusted_judge_is_told_before_the_end() -> None:
    """The same lines as at the end of the run itself, for the suite that it fails on alone."""
    some = suite(pair("moss-1", eva(0.5)))
    held = untrusted(some)
    lines = list(run_lines(run(held)))
    assert held.trust is not None
    told = list(untrusted_lines(held.trust, held.golden))
    assert lines[3:5] == [
        "judge: UNTRUSTED: facet_kappa 0.34 < 0.9; unfaithful_recall.number 0.00 < 0.5,",
        "  on 2 labelled pairs of 2 papers",
    ]
    assert lines[5 : 5 + len(told)] == told
    both = list(run_lines(run(held, measured(replace(some, name="b"), TRUSTED, golden()))))
    assert [line for line in both if line.startswith("UNTRUSTED")] == told[:1]
    assert both[-2].startswith("judge (golden/summeval.toml): holds 1 of 1 agreement floors")


def test_a_judge_that_holds_its_floors_is_one_line() -> None:
    """Nobody has to look at what it gets wrong."""
    held = measured(suite(pair("moss-1", eva(0.5))), TRUSTED, golden())
    assert list(run_lines(run(held)))[3:] == [
        "judge: holds 1 of 1 agreement floors on 2 labelled pairs of 2 papers"
    ]


def test_what_was_asked_and_paid_is_told_where_somebody_was_asked() -> None:
    """The embedded judge costs nothing, and has no line."""
    usage = dict.fromkeys(
        "n_asked n_cached n_recorded n_failed n_unpriced prompt_tokens completion_tokens".split(),
        0.0,
    )
    record = run(suite(pair("moss-1", eva(0.5))))
    asked = replace(record, header=Header(environment={}, usage=usage | {"cost": 0.0}))
    assert [*run_lines(asked)] == [
        *run_lines(record),
        "replies: 0 asked, 0 remembered (0 from a cassette), 0 failed",
    ]


def test_hostile_names_of_suites_and_judges_are_shown_and_not_obeyed() -> None:
    """A record may come from anybody."""
    hostile = "::error::x\n::add-mask::y\x1b[31m##[group]"
    held = replace(suite(pair("moss-1", eva(0.5), system=hostile)), shown=hostile)
    held = untrusted(held, hostile)
    record = replace(run(replace(held, fingerprint=hostile)), judge=hostile)
    for line in run_lines(record, n_worst=3):
        assert line.isprintable()
        assert not line.startswith("::")
        assert "##[" not in line
