"""The commands over saved runs: report, compare, rescore; none of them asks anybody anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.record.record import read_record

if TYPE_CHECKING:
    from collections.abc import Sequence

GOLDEN: Final = Path(__file__).parents[2] / "golden"
CAREFUL: Final = GOLDEN / "baselines" / "careful.json"


@pytest.fixture(scope="module")
def careless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a release that should not happen; nothing here asks about its judge."""
    folder = tmp_path_factory.mktemp("run")
    file = folder / "careless.json"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--tb=no",
        "golden",
        "-o",
        f"cache_dir={folder}",
    ]
    chosen = ["--summ-model=careless", f"--summ-run-record={file}", "-k", "not judge"]
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("SUMM_", "GITHUB_", "PYTEST"))}
    run = subprocess.run([*command, *chosen], cwd=GOLDEN.parent, env=kept, check=False)
    assert run.returncode == 1
    return file


class Told:
    """What a command said, and its exit code."""

    def __init__(self, capsys: pytest.CaptureFixture[str], arguments: Sequence[object]) -> None:
        self.code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        self.lines, self.error = captured.out.splitlines(), captured.err


def test_the_saved_careful_run_is_the_one_that_golden_gives_today() -> None:
    """A baseline of another judge or other papers would refuse every comparison."""
    record = read_record(CAREFUL, "RUN")

    assert record.is_complete
    assert record.outcome == "passed"
    assert [system.name for system in record.suites[0].systems] == ["careful"]


def test_compare_tells_system_and_papers_worst_first(
    careless: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The numbers say that it is worse, the papers say where to look."""
    told = Told(capsys, ["compare", CAREFUL, careless, "--papers", "2"])
    text = "\n".join(told.lines)

    assert told.code == 1
    assert told.lines[0] == "golden/summeval.toml: careless"
    assert told.lines[1] == "against careful.json (careful), 30 papers"
    assert "papers that changed, worst first (30):" in told.lines
    assert told.lines.count("") >= 3
    assert "careless on glacier-01" in told.lines
    assert "28 more papers: --papers=30" in told.lines
    assert text.index("careless on glacier-01") < text.index("28 more papers")
    assert max(map(len, told.lines)) <= 82


def test_a_run_against_itself_differs_in_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The difference is 0, no paper changed, and the exit code says that it passes."""
    told = Told(capsys, ["compare", CAREFUL, CAREFUL])

    assert told.code == 0
    assert "no paper changed" in told.lines
    numbers = [line.split() for line in told.lines if line.startswith(("facet ", "eva "))]
    assert [line[3] for line in numbers] == ["+0.000", "+0.000"]


def test_a_rule_decides_the_exit_code_of_compare(
    careless: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script asks for a drop of its own size."""
    assert Told(capsys, ["compare", CAREFUL, careless, "--fail=eva:0.9"]).code == 0
    assert Told(capsys, ["compare", CAREFUL, careless, "--fail=eva:0.9,facet:0.1"]).code == 1
    wrong = Told(capsys, ["compare", CAREFUL, careless, "--fail=eva"])
    assert wrong.code == 4
    assert "--fail='eva' is no rule; write eva:0.02 for a drop" in wrong.error


def test_a_system_that_a_run_lacks_is_named(
    careless: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the ones that it has."""
    told = Told(capsys, ["compare", CAREFUL, careless, "--system=terse"])
    other = Told(capsys, ["compare", CAREFUL, careless, "--against=terse"])

    assert told.code == other.code == 4
    assert "--system=terse: golden/summeval.toml has none; known: careless" in told.error
    assert "has no system 'terse'; known: careful" in other.error


def test_rescore_decides_again_without_asking(
    careless: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lower thresholds pass what failed, and the new record says so, byte for byte twice."""
    low = ["facet=0.3", "facet.method=1", "eva=0", "faithfulness=0", "faithfulness.conflicts=9"]
    low += ["mean.facet=0.3", "mean.eva=0.1", "mean.faithfulness=0.1"]
    arguments = ["rescore", careless, *(f"--min={option}" for option in low)]
    told = Told(capsys, [*arguments, "--record", tmp_path / "low.json"])
    Told(capsys, [*arguments, "--record", tmp_path / "again.json"])

    assert told.code == 0
    assert "decided otherwise: 30 of 30 pairs" in told.lines
    assert "careless on zinc-01: failed -> passed" in told.lines
    assert read_record(tmp_path / "low.json", "RUN").outcome == "passed"
    assert (tmp_path / "low.json").read_bytes() == (tmp_path / "again.json").read_bytes()


def test_rescore_with_a_higher_threshold_fails_what_passed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And names the number that falls short."""
    told = Told(capsys, ["rescore", CAREFUL, "--min=eva=0.88"])

    assert told.code == 1
    assert any(": passed -> failed: eva 0.8" in line for line in told.lines)


def test_rescore_weighs_the_facets_anew(
    careless: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other weights are another recipe, so the record does not compare with the old one."""
    file = tmp_path / "weighed.json"
    weights = "background=1,method=1,result=1,conclusion=1"
    Told(capsys, ["rescore", careless, "--weights", weights, "--record", file])
    told = Told(capsys, ["compare", careless, file])

    assert told.code == 1
    assert any(
        "weights differs: '.25,.25,.25,.25' here, '.1,.3,.3,.3' in careless.json" in line
        for line in told.lines
    )


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--min=facet=2", "threshold facet = 2 can never decide"),
        ("--min=facets=0.5", "--min=facets=0.5: unknown threshold 'facets'; did you mean 'facet"),
        ("--weights=background=1", "does not weigh all four facets; write --weights background=1,"),
        ("--weights=background=x", "'background=x' is no weight"),
        ("--weights=background=0", "'background=0' is no weight"),
        ("--record=nowhere/run.json", "cannot be written, its folder is not there"),
    ],
)
def test_rescore_refuses_what_could_not_decide(
    option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words of the option that was typed."""
    told = Told(capsys, ["rescore", CAREFUL, option])

    assert told.code == 4
    assert message in told.error


def test_report_makes_every_report_of_a_record_again(
    careless: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The machine that judged need not be the one that reports."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    html, junit = tmp_path / "run.html", tmp_path / "run.xml"
    told = Told(capsys, ["report", careless, "--html", html, "--junit", junit, "--github"])

    assert told.code == 0
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "<testsuites" in junit.read_text(encoding="utf-8")
    assert sum(line.startswith("::error ") for line in told.lines) == 10
    assert "## Systems" in (tmp_path / "step.md").read_text(encoding="utf-8")
    assert any(line.startswith("careless               0     30      0") for line in told.lines)


def test_report_prints_the_step_summary_where_github_is_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody wants to see what GitHub would."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    told = Told(capsys, ["report", CAREFUL, "--github"])

    assert "## Systems" in told.lines


@pytest.mark.parametrize("command", ["report", "rescore", "compare"])
@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "cannot be read as a run record, No such file or directory"),
        ("[]", "is no run record: the whole: "),
        ('{"schema": 2}', "has schema 2, this version reads 1; make the record again"),
    ],
)
def test_what_is_no_record_is_refused_by_every_command(
    command: str,
    content: str | None,
    fault: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With the file's name and what would be one."""
    file = tmp_path / "run.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    told = Told(capsys, [command, file, *([CAREFUL] if command == "compare" else [])])

    assert told.code == 4
    assert fault in told.error
    assert str(file) in told.error


def test_a_record_of_a_stranger_cannot_command_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Records travel as artifacts and in pull requests."""
    text = CAREFUL.read_text(encoding="utf-8")
    record = json.loads(text)
    hostile = "\x1b[2J\n::error::x ##[group]"
    record["suites"][0]["systems"][0]["name"] = hostile
    for pair in record["suites"][0]["pairs"]:
        pair["system"] = hostile
        pair["note"] = hostile
    file = tmp_path / "run.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    for arguments in (["report", file], ["rescore", file], ["compare", file, file]):
        told = Told(capsys, arguments)
        assert not any(line.lstrip().startswith("::") for line in told.lines)
        assert "\x1b" not in "".join(told.lines)
        assert "##[" not in "".join(told.lines)
