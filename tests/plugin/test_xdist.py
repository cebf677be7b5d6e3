from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench, Run

BOTH = "--summ-model=good,bad"
MODES = {
    "alone": ("-n", "0"),
    "load": ("-n", "2"),
}
PAPERS = ("limpet-01", "kiln-02", "moss-03")


@pytest.fixture(scope="module")
def runs(shared_bench: Bench) -> dict[str, Run]:
    """The same suite and the same hand-written test, run in one process and in two."""
    shared_bench.suite(
        pair="facet = 0.6\neva = 0.5\nfaithfulness = 0.8", mean="facet = 0.7", papers=PAPERS
    )
    shared_bench.write("test_own.py", "def test_own(summ_pair):\n    summ_pair.check()\n")
    arguments = ("summeval.toml", "test_own.py", BOTH, "-rA")
    return {
        mode: shared_bench.run(*arguments, *processes, f"--junitxml={mode}")
        for mode, processes in MODES.items()
    }


@pytest.mark.parametrize("mode", MODES)
def test_outcomes_are_the_same_in_any_number_of_processes(runs: dict[str, Run], mode: str) -> None:
    """A verdict that depended on the worker would be worth nothing; the means are among them."""
    expected = {}
    for system, outcome in (("good", "PASSED"), ("bad", "FAILED")):
        for name in (*PAPERS, "all-papers"):
            expected[f"summeval.toml::{system}::{name}"] = outcome
        for paper in PAPERS:
            expected[f"test_own.py::test_own[{system}-{paper}]"] = outcome

    assert runs[mode].code == 1
    assert runs[mode].outcomes == expected


@pytest.mark.parametrize("mode", ["load"])
def test_numbers_are_the_same_to_the_byte(
    runs: dict[str, Run], shared_bench: Bench, mode: str
) -> None:
    """Two reports of one suite can be compared with `cmp`, however they were made."""
    assert runs[mode].code == 1
    alone = shared_bench.properties("alone")

    assert len(alone) == 6
    assert shared_bench.properties(mode) == alone


@pytest.mark.parametrize("mode", MODES)
def test_the_controller_prints_header_and_table_once(runs: dict[str, Run], mode: str) -> None:
    """The workers know a part each; the table is about the whole run."""
    table = runs["alone"].block(
        "------------------------------ summarization gate ------------------------------", 7
    )
    assert [line.split()[:4] for line in (table[2], table[5])] == [
        ["bad", "0", "3", "0"],
        ["good", "3", "0", "0"],
    ]
    assert runs[mode].block(table[0], 7) == table
    assert sum(line.startswith("summeval: judge offline-3") for line in runs[mode].lines) == 1


def test_a_run_from_below_the_root_finds_its_suite_in_workers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers stand where the controller stands, and arguments count from there."""
    bench.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(bench.write("deep/notes.txt", "").parent)
    run = bench.inside("../summeval.toml", "-n", "2", "-rA")

    assert run.code == 0
    assert run.outcomes == {
        "../summeval.toml::good::limpet-01": "PASSED",
        "../summeval.toml::good::kiln-02": "PASSED",
    }


def test_a_worker_that_dies_takes_one_pair_with_it(bench: Bench) -> None:
    """The pair that killed it fails by name; the others are judged, and nothing is left behind."""
    run = bench.run("summeval.toml", BOTH, "-n", "2", "--summ-judge=rule:Fatal", "-rA")

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


@pytest.mark.parametrize(("judge", "processes"), [("Stuck", 0), ("Asleep", 2)])
def test_an_interrupted_run_leaves_at_once(bench: Bench, judge: str, processes: int) -> None:
    """Ctrl-C while the judge thinks for an hour: out with exit code 2, nothing behind."""
    arguments = ("summeval.toml", BOTH, f"-n{processes}", f"--summ-judge=rule:{judge}")
    with bench.running(*arguments) as process:
        wait_until(lambda: len({asked.process for asked in bench.asked()}) == max(1, processes))
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        run = bench.finish(process)

    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in run.out
    assert "Traceback" not in run.err
