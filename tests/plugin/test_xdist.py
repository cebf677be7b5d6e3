"""What no number of processes may change, and what becomes of one that dies or is interrupted."""

from __future__ import annotations

import os
import signal
from typing import Final

import pytest

from tests.plugin.conftest import BOTH, FAIR, PAPERS, Bench
from tests.plugin.test_correcting import CORRECTED, labelled
from tests.waiting import wait_until

BACKWARDS = "def pytest_collection_modifyitems(items): items.reverse()\n"
REPORTS = {"run-record": "jsonl", "html": "html", "junit": "xml", "gitlab": "json"}
TABLE = "------------------------------ summarization gate ------------------------------"
FOLDED = "listed below, not in full: 3 failing pairs; -v prints all, --summ-html=FILE writes a page"


@pytest.fixture
def few_resamples() -> None:
    """Workers draw all resamples, and so does what is compared with them."""


SEEN: Final = """\
def test_own(summ_pair):
    summ_pair.check()
"""


def test_a_verdict_and_its_reports_are_the_same_however_they_were_made(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one process, and backwards in two: two reports can be compared with `cmp`.

    Workers write no step summary, and their failing pairs are folded as those of one process.
    """
    labelled(
        bench,
        pair=f"facet = 0.7\nfaithfulness = 0.5{CORRECTED}facet = 0.6\nfaithfulness = 0.5",
        mean="facet = 0.6",
    )
    bench.write("test_own.py", SEEN)
    runs = {}
    for mode, processes in (("alone", "0"), ("backwards", "2")):
        reports = [f"--summ-{name}={mode}.{end}" for name, end in REPORTS.items()]
        reports += [f"--junitxml={mode}", "--summ-github"]
        arguments = ("summeval.toml", "test_own.py", BOTH, FAIR, "-rA", "--tb=short")
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(bench.path / f"{mode}.md"))
        bench.write("conftest.py", BACKWARDS if mode == "backwards" else "")
        runs[mode] = bench.inside(*arguments, *reports, "-n", processes)

    expected = {"summeval.toml::judge": "PASSED"}
    for system, outcome in (("good", "PASSED"), ("bad", "FAILED")):
        for name in (*PAPERS, "all-papers"):
            expected[f"summeval.toml::{system}::{name}"] = outcome
        for paper in PAPERS:
            expected[f"test_own.py::test_own[{system}-{paper}]"] = outcome
    table = runs["alone"].block(TABLE, 7)
    assert [line.split()[:4] for line in table if line.startswith(("bad ", "good "))] == [
        ["bad", "0", "3", "0"],
        ["good", "3", "0", "0"],
    ]
    numbers = bench.properties("alone")
    assert sum(map(bool, numbers.values())) == 6
    for mode, run in runs.items():
        assert run.code == 1
        assert run.outcomes == expected
        assert run.block(TABLE, 7) == table
        assert sum(line.startswith("summeval: judge fair-1") for line in run.lines) == 1
        assert bench.properties(mode) == numbers
        assert FOLDED in run.lines
        for end in (*REPORTS.values(), "md"):
            made, alone = (bench.path / f"{each}.{end}" for each in (mode, "alone"))
            assert len(alone.read_bytes()) > 1_000
            assert made.read_bytes() == alone.read_bytes(), (mode, end)
    assert not [*bench.path.glob("*.part")], "what a run wrote meanwhile"


def test_a_run_from_below_the_root_finds_its_suite_in_workers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers stand where the controller stands, and arguments count from there."""
    bench.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(bench.write("deep/notes.txt", "").parent)
    run = bench.inside("../summeval.toml", "-n1", "-rA")

    assert run.code == 0
    assert run.outcomes == {
        "../summeval.toml::good::limpet-01": "PASSED",
        "../summeval.toml::good::kiln-02": "PASSED",
    }


def test_a_worker_that_dies_takes_one_pair_with_it(bench: Bench) -> None:
    """The pair that killed it fails by name; the others are judged, and nothing is left behind.

    It is an error in every report: left out, it would be green.
    """
    reports = [f"--summ-{name}=run.{end}" for name, end in REPORTS.items()]
    run = bench.inside("summeval.toml", BOTH, "-n1", "--summ-judge=rule:Fatal", "-rA", *reports)

    assert run.code == 1
    assert run.outcomes == {
        "summeval.toml::good::limpet-01": "PASSED",
        "summeval.toml::good::kiln-02": "PASSED",
        "summeval.toml::bad::limpet-01": "FAILED",
        "summeval.toml::bad::kiln-02": "FAILED",
    }
    assert "crashed while running 'summeval.toml::bad::kiln-02'" in run.out
    (bad,) = [line for line in run.lines if line.startswith("bad  ")]
    assert bad.split()[:4] == ["bad", "0", "1", "1"], "an error, as in the record"
    record = bench.record("run.jsonl")
    assert record.outcome == "error"
    outcomes = [pair.outcome for pair in record.suites[0].pairs]
    assert outcomes == ["passed", "passed", "failed", "error"]
    assert "crashed" in record.suites[0].pairs[3].fault
    assert bench.text("run.xml").count("<error ") == 2, "facet and faithfulness"


@pytest.mark.parametrize(("judge", "processes"), [("Stuck", 0), ("Asleep", 1)])
def test_an_interrupted_run_leaves_at_once(bench: Bench, judge: str, processes: int) -> None:
    """Ctrl-C while the judge thinks for an hour: out with exit code 2, nothing behind."""
    arguments = ("summeval.toml", BOTH, f"-n{processes}", f"--summ-judge=rule:{judge}")
    with bench.running(*arguments) as process:
        wait_until(lambda: bool(bench.asked()))
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        run = bench.finish(process)

    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in run.out
    assert "Traceback" not in run.err
