"""What no number of processes may change, and what becomes of one that dies or is interrupted."""

from __future__ import annotations

import os
import signal
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.options import TABLE
from tests.plugin.conftest import BOTH, FAIR, PAPERS, Bench
from tests.plugin.labelled import labelled
from tests.plugin.test_own_metrics import install_loud
from tests.waiting import wait_until

BACKWARDS = "def pytest_collection_modifyitems(items): items.reverse()\n"
REPORTS = {option.flag: name for name, option in TABLE.items() if option.is_report}
GATE = "------------------------------ summarization gate ------------------------------"
FOLDED = "listed below, not in full: 3 failing pairs; -v prints all, --summ-html=FILE writes a page"


@pytest.fixture
def few_resamples() -> None:
    """Workers draw all resamples, and so does what is compared with them."""


SEEN: Final = """\
def test_own(summ_pair):
    summ_pair.check()
"""


@pytest.mark.usefixtures("forget_own_metrics")
def test_a_verdict_and_its_reports_are_the_same_however_they_were_made(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one process, and backwards in two: two reports can be compared with `cmp`."""
    install_loud(bench)
    labelled(
        bench,
        pair="facet = 0.7\nshouts = 1",
        mean="facet = 0.6",
    )
    bench.write("test_own.py", SEEN)
    runs = {}
    for mode, processes in (("alone", "0"), ("backwards", "2")):
        reports = [f"{flag}={mode}.{end}" for flag, end in REPORTS.items()]
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
    table = runs["alone"].block(GATE, 6)
    assert [line.split()[:4] for line in table if line.startswith(("bad ", "good "))] == [
        ["bad", "0", "3", "0"],
        ["good", "3", "0", "0"],
    ]
    numbers = bench.properties("alone")
    assert sum(map(bool, numbers.values())) == 6
    for mode, run in runs.items():
        assert run.code == 1
        assert run.outcomes == expected
        assert run.block(GATE, 6) == table
        assert sum(line.startswith("summeval: judge fair-1") for line in run.lines) == 1
        assert bench.properties(mode) == numbers
        assert FOLDED in run.lines
        for end in (*REPORTS.values(), "md"):
            made, alone = (bench.path / f"{each}.{end}" for each in (mode, "alone"))
            assert len(alone.read_bytes()) > 100
            assert made.read_bytes() == alone.read_bytes(), (mode, end)
    assert not [*bench.path.glob("*.part")], "what a run wrote meanwhile"


DYING: Final = """\
import os
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if item.name == "all-papers":
        os._exit(9)
"""


def test_a_worker_that_dies_takes_one_test_with_it(bench: Bench) -> None:
    """Pair and comparison are errors in every report: left out, they would be green."""
    assert bench.inside("summeval.toml", FAIR, "--summ-save=v1").code == 0
    bench.write("conftest.py", DYING)
    reports = [f"{flag}=run.{end}" for flag, end in REPORTS.items()]
    chosen = ("--summ-model=bad", "--summ-judge=rule:Fatal", "--summ-compare=v1")
    run = bench.inside("summeval.toml", *chosen, "-n1", "-rA", *reports)

    assert run.code == 1
    names = ("bad::limpet-01", "bad::kiln-02", "bad::all-papers")
    assert run.outcomes == {f"summeval.toml::{name}": "FAILED" for name in names}
    for name in names[1:]:
        assert f"crashed while running 'summeval.toml::{name}'" in run.out
    (bad,) = [line for line in run.lines if line.startswith("bad  ")]
    assert bad.split()[:4] == ["bad", "0", "1", "1"], "an error, as in the record"
    record = bench.record("run.run_record")
    (suite,) = record.suites
    assert (record.outcome, suite.systems[0].outcome) == ("error", "error")
    assert [pair.outcome for pair in suite.pairs] == ["failed", "error"]
    assert "crashed" in suite.pairs[1].fault
    assert record.gaps(suite) == ["bad was not compared with v1"]
    cases = ET.fromstring(bench.text("run.junit")).iterfind(".//testcase[error]")  # noqa: S314 - ours
    broken = " ".join(f"{case.get('classname')} {case.get('name')}" for case in cases)
    assert all(name in broken for name in ("kiln-02", "all-papers")), broken


@pytest.mark.parametrize(
    ("name", "phase", "how"),
    [
        ("kiln-02", "call", "os._exit(9)"),
        ("all-papers", "teardown", "1 / 0"),
        ("judge", "teardown", "1 / 0"),
    ],
)
def test_a_test_that_breaks_down_after_its_verdict_has_not_passed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str, phase: str, how: str
) -> None:
    """A worker dies, or a fixture of a plugin fails: its record must not read as a release."""
    labelled(bench, pair="facet = 0.25", mean="facet = 0.25")
    bench.write(
        "conftest.py",
        "import os\n"
        f"def pytest_runtest_{phase}(item):\n"
        f"    if item.name == {name!r}:\n"
        f"        {how}\n",
    )
    workers = "-n1" if phase == "call" else "-n0"
    run = bench.inside("summeval.toml", "--summ-model=good", workers, "--summ-run-record=run.jsonl")
    assert run.code == 1, run.out
    assert bench.record("run.jsonl").shown == ("partial" if name == "all-papers" else "error")
    monkeypatch.chdir(bench.path)
    assert main(["report", "run.jsonl"]) == 1


def test_an_interrupted_run_leaves_at_once(bench: Bench) -> None:
    """Ctrl-C while the judge thinks for an hour: out with exit code 2, nothing behind."""
    with bench.running("summeval.toml", BOTH, "-n0", "--summ-judge=rule:Stuck") as process:
        wait_until(lambda: bool(bench.asked()))
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        run = bench.finish(process)

    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "KeyboardInterrupt" in run.out
    assert "Traceback" not in run.err
