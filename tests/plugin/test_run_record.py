from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.record.record import read_record

if TYPE_CHECKING:
    from pathlib import Path

    from summeval_pytest.record.record import RunRecord
    from tests.plugin.conftest import Bench

BOTH = "--summ-model=good,bad"
RECORD = "--summ-run-record=run.json"
BACKWARDS = "def pytest_collection_modifyitems(items): items.reverse()\n"


def recorded(bench: Bench, name: str = "run.json") -> RunRecord:
    """The record that a run has written."""
    return read_record(bench.path / name, "RUN")


@pytest.fixture(scope="module")
def three(shared_bench: Bench) -> dict[str, bytes]:
    """The record of one suite, made in one process, in two, and backwards in two."""
    shared_bench.suite(pair="facet = 0.6\neva = 0.3\nfaithfulness = 0.8", mean="facet = 0.7")
    for name, processes in (("alone", "0"), ("two", "2")):
        shared_bench.run("summeval.toml", BOTH, f"--summ-run-record={name}", "-n", processes)
    shared_bench.write("conftest.py", BACKWARDS)
    shared_bench.run("summeval.toml", BOTH, "--summ-run-record=backwards", "-n", "2")
    names = ("alone", "two", "backwards")
    return {name: (shared_bench.path / name).read_bytes() for name in names}


@pytest.mark.parametrize("name", ["two", "backwards"])
def test_a_record_is_the_same_to_the_byte_however_it_was_made(
    three: dict[str, bytes], name: str
) -> None:
    """A record that depended on workers or order could not be compared with `cmp`."""
    assert len(three["alone"]) > 10_000
    assert three[name] == three["alone"]


def test_a_record_holds_what_was_judged_and_decided(
    three: dict[str, bytes], tmp_path: Path
) -> None:
    """Every report is made from it: what it lacks, no report can show."""
    file = tmp_path / "run.json"
    file.write_bytes(three["alone"])
    record = read_record(file, "RUN")
    (suite,) = record.suites

    assert record.judge == "offline-3"
    assert record.is_complete
    assert record.outcome == "failed"
    assert [(pair.system, pair.paper, pair.outcome) for pair in suite.pairs] == [
        ("good", "limpet-01", "passed"),
        ("good", "kiln-02", "passed"),
        ("bad", "limpet-01", "failed"),
        ("bad", "kiln-02", "failed"),
    ]
    assert [(system.name, system.outcome) for system in suite.systems] == [
        ("good", "passed"),
        ("bad", "failed"),
    ]
    bad = suite.pairs[2]
    assert bad.summary.startswith("The alloy of limpet-01")
    assert {score.metric for score in bad.scores} == {"facet", "eva", "faithfulness"}
    assert bad.verdict.missed == {"facet", "eva", "faithfulness"}
    assert {finding.kind for finding in bad.told} == {"facet", "fact", "sentence"}
    assert str(bad.place) == "bad.jsonl:1"
    assert suite.papers[0].references[0].startswith("Limpets were counted")
    assert suite.papers[0].n_sentences == 4
    assert all(0 <= index < 4 for index, _ in suite.papers[0].cited)


@pytest.mark.parametrize(
    ("judge", "fault"),
    [
        ("Broken", "broke down: ConnectionResetError: the line went dead"),
        ("Silent", "is unscored: facet: unanswered"),
    ],
)
def test_what_the_judge_left_unscored_is_an_error_in_the_record(
    bench: Bench, judge: str, fault: str
) -> None:
    """Neither passed nor failed, and never left out."""
    run = bench.inside("summeval.toml", "--summ-model=bad", f"--summ-judge=rule:{judge}", RECORD)
    record = recorded(bench)
    pairs = record.suites[0].pairs

    assert run.code == 1
    assert not record.is_complete
    assert record.outcome == "error"
    assert [pair.outcome for pair in pairs] == ["error", "error"]
    assert fault in pairs[0].fault
    assert str(pairs[0].place).startswith(("bad.jsonl:", "summeval.toml:"))


def test_only_the_header_knows_the_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a time is wanted, SOURCE_DATE_EPOCH gives one, and a replay can give the same."""
    bench.inside("summeval.toml", "--summ-run-record=first")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setenv("GITHUB_SHA", "abc123")
    bench.inside("summeval.toml", "--summ-run-record=second")
    first, second = recorded(bench, "first"), recorded(bench, "second")

    assert first.header.created is None
    assert second.header.created == "2023-11-14T22:13:20Z"
    assert second.header.commit == "abc123"
    assert first.suites == second.suites
    assert first.judge == second.judge


@pytest.mark.parametrize(
    ("value", "fault"),
    [("nowhere/run.json", "its folder is not there"), ("folder", "it is a folder")],
)
def test_a_file_that_cannot_be_written_stops_the_run_before_it_begins(
    bench: Bench, value: str, fault: str
) -> None:
    """An hour of judging whose record then has no place is an hour lost."""
    (bench.path / "folder").mkdir()
    run = bench.inside("summeval.toml", f"--summ-run-record={value}", "--summ-judge=rule:Fair")

    assert run.code == 4
    assert f"--summ-run-record={value}: cannot be written, {fault}; name another file" in run.err
    assert bench.asked() == []


@pytest.mark.parametrize("what", ["--collect-only", "--summ-plan"])
def test_a_run_that_judges_nothing_writes_no_record(bench: Bench, what: str) -> None:
    """An empty record in the place of a good one would be a loss."""
    bench.write("run.json", "kept")

    assert bench.inside("summeval.toml", RECORD, what).code == 0
    assert (bench.path / "run.json").read_text(encoding="utf-8") == "kept"


def test_a_record_leaves_pytests_own_junit_as_it_was(bench: Bench) -> None:
    """The texts of a run belong into its record, not a second time into every property."""
    bench.inside("summeval.toml", "--junitxml=plain.xml")
    bench.inside("summeval.toml", "--junitxml=recorded.xml", RECORD)

    assert len(bench.properties("plain.xml")) == 2
    assert bench.properties("recorded.xml") == bench.properties("plain.xml")
    report = (bench.path / "recorded.xml").read_text(encoding="utf-8")
    assert "Nobody had looked before" not in report


def test_the_worst_findings_come_first_with_v(bench: Bench) -> None:
    """Whoever wants to be told more is told what to look at."""
    run = bench.inside("summeval.toml", "--summ-model=bad", "-v", "--tb=no")
    start = next(n for n, line in enumerate(run.lines) if line.startswith("worst findings ("))

    assert run.lines[start + 1].startswith("bad on ")
    assert all(len(line) <= 80 for line in run.lines[start : start + 9])
    quiet = bench.inside("summeval.toml", "--summ-model=bad", "--tb=no")
    assert "worst findings" not in quiet.out
