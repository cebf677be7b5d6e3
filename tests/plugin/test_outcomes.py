from __future__ import annotations

from typing import Final

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.plugin.gate import REPEATED
from tests.plugin.conftest import BOTH, FAIR, PAPERS, Bench, Run


def test_a_failure_shows_what_is_missed_and_why(bench: Bench, snapshot: SnapshotAssertion) -> None:
    """The reader sees both texts, the closest source sentence, and no traceback."""
    bench.suite(papers=("kiln-02",))
    bench.spoil(
        "papers.jsonl", '"reference": "', '"reference": "Slow firing is worth its fuel.", "x_": "'
    )
    run = bench.inside("summeval.toml", FAIR, "--summ-model=bad")

    # FM of a text that is one result rated 1 of 4 is 1/4; none of two sentences is supported.
    assert "\n".join(run.block("facet 0.250 < 0.600; faithfulness 0.000 < 0.800", 19)) == snapshot
    assert not run.shows_code
    start = "FAILED summeval.toml::bad::kiln-02 - Failed: facet 0.250 < 0.600; faithf"
    assert [line for line in run.lines if line.startswith(start)]


@pytest.mark.parametrize("option", ["-rP", "-rA", "-rf"])
def test_what_was_found_in_a_pair_that_passes_is_printed_if_asked_for(
    bench: Bench, option: str
) -> None:
    """By pytest's own option for the sections of tests that pass, with the source beside it."""
    bench.suite(papers=("kiln-02",), pair="faithfulness = 0.0")
    run = bench.inside("summeval.toml", FAIR, "--summ-model=bad", option)
    assert run.last == "1 passed"
    is_asked = option != "-rf"
    assert any(line.strip("- ") == "findings" for line in run.lines) == is_asked
    assert any(line.startswith("1. sentence 1: unsupported") for line in run.lines) == is_asked
    assert ("   source [" in run.out) == is_asked


def test_no_summary_is_the_systems_fault(bench: Bench) -> None:
    """Were a refusal left out of the mean in silence, refusing would raise it."""
    bench.good["limpet-01"] = "I am sorry, I cannot do this."
    bench.suite(mean="facet = 0.5")
    run = bench.inside("summeval.toml", FAIR, "-rA")

    assert run.code == 1
    assert run.outcomes == {
        "summeval.toml::good::limpet-01": "FAILED",
        "summeval.toml::good::kiln-02": "PASSED",
        "summeval.toml::good::all-papers": "FAILED",
    }
    assert "facet: the system refused; faithfulness: the system refused" in run.lines
    assert "good: mean facet covers only 1 of 2 papers; the others have no score" in run.lines
    assert bench.pairs_asked() == {"good::kiln-02"}


def test_no_answer_is_the_judges_fault(bench: Bench) -> None:
    """An error, never a failure and never a pass, told in a line instead of a traceback."""
    bench.suite(mean="facet = 0.7")
    reports = ("--junitxml=junit.xml", "--summ-run-record=run.jsonl")
    run = bench.inside("summeval.toml", "--summ-judge=rule:Silent", BOTH, "-rA", *reports)

    assert (run.code, run.last) == (1, "3 passed, 3 errors")
    assert run.outcomes == {
        f"summeval.toml::{system}::{name}": outcome
        for system, outcome in (("good", "PASSED"), ("bad", "ERROR"))
        for name in ("limpet-01", "kiln-02", "all-papers")
    }
    heading = "_______________________ ERROR at setup of bad::limpet-01 _______________________"
    message = "facet is unscored: unanswered, no line"
    pair = f"paper 'limpet-01', system 'bad' is undecided: {message}"
    assert run.block(heading, 2)[1].startswith(pair)
    system = "system 'bad' is undecided: facet is unscored on 2 of 2 papers, first 'limpet-01':"
    assert [line for line in run.lines if line.startswith(f"{system} unanswered, no line")]
    assert not run.shows_code
    assert bench.properties("junit.xml")["summeval.toml.bad::kiln-02"] == {}
    record = bench.record()
    assert (record.is_complete, record.outcome) == (False, "error")
    first = record.suites[0].pairs[2]
    assert first.outcome == "error"
    assert message in "; ".join(first.verdict.undecided)
    assert first.signatures, "which read one of the two texts"


def test_a_system_with_pairs_that_broke_down_is_told_as_from_its_record(bench: Bench) -> None:
    """One decision: its means are those of all pairs, with those unscored."""
    bench.suite(mean="facet = 0.7")
    run = bench.inside("summeval.toml", "--summ-judge=rule:Rude", "--summ-run-record=run.jsonl")
    start = "system 'good' is undecided: facet is unscored on 2 of 2 papers, first 'limpet-01':"
    told = [line for line in run.lines if line.startswith(f"{start} unanswered, ")]
    again = bench.inside("summeval.toml", "--summ-judge=rule:Rude", "--summ-from=run.jsonl")
    assert (run.code, again.code) == (1, 1)
    assert told
    assert [line for line in again.lines if line.startswith(start)] == told


RIGHT: Final = [f"The kiln of brick {n} was hot." for n in range(24)]


@pytest.mark.parametrize("judge", ["Fair", "Mute"])
def test_a_miss_with_an_unanswered_sentence_is_an_error_and_so_it_is_from_its_record(
    bench: Bench, judge: str
) -> None:
    """Of 25 sentences the judge denies the last, or leaves it: .960 misses, 1.000 would not."""
    bench.good["kiln-02"] = " ".join([*RIGHT, "The kiln was an alloy."])
    bench.suite(
        head='labels = "labels.jsonl"\ndefault_systems = ["good"]',
        pair="faithfulness = 0.97",
        mean="faithfulness = 0.97\n[thresholds.judge]\nevidence_recall = 0.97",
        papers=("kiln-02",),
    )
    labels = [{"index": n, "faithful": True, "evidence": [0]} for n in range(25)]
    bench.lines("labels.jsonl", {"paper": "kiln-02", "system": "good", "sentences": labels})
    run = bench.inside(
        *("summeval.toml", f"--summ-judge=rule:{judge}", "-rA", "--summ-run-record=run.jsonl")
    )
    is_silent = judge == "Mute"
    assert run.last == ("3 errors" if is_silent else "2 failed, 1 passed")
    assert run.code == 1
    said = " ".join(run.out.split())
    for message in (
        "mean faithfulness 0.960 < 0.97, with 1 unanswered sentence counted as wrong",
        "judge is undecided: evidence_recall 1.000 meets 0.97, and would be 0.960",
    ):
        assert (message in said) is is_silent
    (system,) = bench.record().suites[0].systems
    assert system.outcome == ("error" if is_silent else "failed")


def test_a_run_with_an_unanswered_sentence_passes_and_is_no_baseline(bench: Bench) -> None:
    """It meets its threshold with the sentence counted as wrong, which would hide a later drop."""
    bench.good["kiln-02"] = " ".join([*RIGHT, "The kiln was an alloy."])
    bench.suite(pair="faithfulness = 0.9", papers=("kiln-02",))
    arguments = ("summeval.toml", "--summ-judge=rule:Mute")
    run = bench.inside(*arguments)
    assert (run.code, run.last) == (0, "1 passed")
    run = bench.inside(*arguments, "--summ-save=v1")
    assert (run.code, run.last) == (1, "1 passed")
    assert (
        "--summ-save=v1: not saved, summeval.toml: the judge left items of good on kiln-02"
        " unanswered; judge again, or use another judge"
    ) in run.lines


def test_table_and_junit_have_the_numbers_of_every_system_and_pair(
    bench: Bench, snapshot: SnapshotAssertion
) -> None:
    """A mean that does not cover all pairs says how many; other tools read the report's numbers."""
    bench.good["moss-03"] = "I am afraid that I have to pass."
    bench.suite(pair="facet = 0.6\neva = 0.5\nfaithfulness = 0.8", papers=("kiln-02", "moss-03"))
    run = bench.inside("summeval.toml", FAIR, BOTH, "--junitxml=junit.xml")
    title = "------------------------------ summarization gate ------------------------------"
    assert "\n".join(run.block(title, 5)) == snapshot

    result = bench.properties("junit.xml")
    assert len(result) == 4
    assert result["summeval.toml.bad::kiln-02"] == {
        "facet": "0.25",
        "facet.result": "1.0",
        "eva": "0.0",
        "eva.precision": "0.0",
        "eva.recall": "0.0",
        "eva.recall_entailed": "1.0",
        "faithfulness": "0.0",
        "faithfulness.unsupported": "2.0",
        "faithfulness.conflicts": "0.0",
    }


HEADING = "system            passed failed errors         facet  faithfulness"


def table(run: Run) -> list[str]:
    """The closing table, up to what is said of the judge."""
    start = run.lines.index(HEADING) + 1
    end = next(n for n, line in enumerate(run.lines) if line.startswith("judge: "))
    return run.lines[start:end]


def test_tests_that_are_run_again_leave_the_table_as_it_is(bench: Bench) -> None:
    """With pytest-rerunfailures, which teams have installed for their flaky tests."""
    pytest.importorskip("pytest_rerunfailures")
    once = bench.inside("summeval.toml", BOTH, FAIR)
    again = bench.inside("summeval.toml", BOTH, FAIR, "-p", "rerunfailures", "--reruns=2")

    assert again.last == "2 failed, 2 passed, 4 rerun"
    assert table(again) == table(once)
    assert (REPEATED in once.lines, again.lines.count(REPEATED)) == (False, 1)
    bench.write("pytest.ini", "[pytest]\nreruns = 1\n")
    by_key = bench.inside("summeval.toml", BOTH, FAIR, "-p", "rerunfailures")
    assert (by_key.last, REPEATED in by_key.lines) == ("2 failed, 2 passed, 2 rerun", True)


def test_means_over_some_of_the_papers_are_marked_as_partial(bench: Bench) -> None:
    """The last failed papers have the worst numbers, which nobody should read as the system's."""
    bench.good["kiln-02"] = bench.bad["kiln-02"]
    bench.suite()
    assert "  partial" not in bench.inside("summeval.toml", FAIR).out
    run = bench.inside("summeval.toml", FAIR, "--lf")

    assert run.last == "1 failed, 1 deselected"
    assert table(run)[:2] == [
        "good                   0      1      0         0.250         0.000",
        "  partial: 1 of 2 papers",
    ]


def test_signatures_are_printed_once_and_only_if_asked_for(bench: Bench) -> None:
    """They are long, and the same for every pair of a suite: they would bury the findings."""
    bench.suite(mean="facet = 0.9\nfaithfulness = 0.9")
    bench.write("test_own.py", "def test_own(summ_pair):\n    summ_pair.check()\n")
    run = bench.inside("summeval.toml", "test_own.py", "--summ-model=bad", FAIR)
    assert "signature  " not in run.out
    run = bench.inside("summeval.toml", "test_own.py", "--summ-model=bad", FAIR, "-v")
    result = [line for line in run.lines if line.startswith("signature  ")]
    metrics = sorted(line.split("|")[0].split()[-1] for line in result)
    assert metrics == ["facet", "faithfulness"]


N_PAPERS = 6


@pytest.fixture(name="flood")
def make_flood(bench: Bench) -> Bench:
    """A suite of six papers, on all of which the system fails."""
    names = [f"limpet-{place:02}" for place in range(N_PAPERS)]
    text, summary = " ".join(PAPERS["limpet-01"]), bench.bad["limpet-01"]
    bench.suite(head='default_systems = ["bad"]', mean="facet = 0.9")
    paper = {"source": text, "reference": text, "x_shore": "east"}
    bench.lines("papers.jsonl", *({"id": name, **paper} for name in names))
    for system in ("good", "bad"):
        bench.lines(f"{system}.jsonl", *({"paper": n, "summary": summary} for n in names))
    return bench


@pytest.mark.parametrize(
    ("option", "n_full"),
    [("--tb=auto", 3), ("--tb=line", 0), ("-v", 6)],
)
def test_three_failing_pairs_are_printed_in_full(flood: Bench, option: str, n_full: int) -> None:
    """Thirty red papers printed 11,000 lines; each is still named, counted and explained."""
    run = flood.inside("summeval.toml", option, "--junitxml=all.xml", "-rf")
    n_headings = sum(line.strip("_ ").startswith("bad::limpet-") for line in run.lines)
    assert n_headings == n_full
    assert run.last == "7 failed"
    assert sum(line.startswith("FAILED summeval.toml::bad::limpet-") for line in run.lines) == 6
    folded = f"listed below, not in full: {N_PAPERS - n_full} failing pairs; -v prints all,"
    assert any(line.startswith(folded) for line in run.lines) == (n_full < N_PAPERS)
    assert any(line.startswith("worst finding of each failing pair (") for line in run.lines) == (
        n_full < N_PAPERS or option == "-v"
    )
    assert flood.text("all.xml").count("1. ") >= N_PAPERS, "JUnit has every finding"


def test_a_slice_fails_a_run(flood: Bench) -> None:
    """All reports say where; with the thresholds of one slice alone the system has a test, too."""
    flood.spoil("summeval.toml", "[thresholds.mean]\nfacet = 0.9\n", "")
    slices = '[slices]\nshore = "x_shore"\n[thresholds.slice."shore=east"]\nfacet = 0.9'
    flood.extend(slices)
    run = flood.inside("summeval.toml", "-rA", "--summ-html=run.html", "--summ-junit=run.xml")
    assert run.outcomes["summeval.toml::bad::all-papers"] == "FAILED"
    for text in (run.out, flood.text("run.html"), flood.text("run.xml")):
        assert "slice shore=east: mean facet " in text
