"""The commands over saved runs: report, compare; none of them asks anybody anything."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.cli import runs
from summeval_pytest.cli.runs import NO_RESULT
from summeval_pytest.metrics.catalogue import Score
from summeval_pytest.options import TABLE
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.cli.conftest import Shell
from tests.resealing import resealed
from tests.verdict.records import eva, marks, pair, rated, record_text, run, suite, supported

LIMITS: Final = (Threshold("facet", 0.6), Threshold("eva", 0.5), Threshold("faithfulness", 0.8))
THRESHOLDS: Final = Thresholds(pair=LIMITS, mean=LIMITS)


def saved(folder: Path, name: str, *scores: Score) -> Path:
    """The record of a system that has these scores on each of forty papers, enough to decide."""
    pairs = (pair(f"zinc-{n:02}", *scores, system=name) for n in range(1, 41))
    file = folder / f"{name}.jsonl"
    file.write_text(record_text(run(suite(*pairs, thresholds=THRESHOLDS))), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def careful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of the last release."""
    sentences = replace(supported({"Mice slept.": True}), conflicts=0)
    return saved(tmp_path_factory.mktemp("old"), "careful", rated(), eva(0.85), sentences)


@pytest.fixture(scope="module")
def careless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a release that should not happen."""
    facets = rated(marks(method=1, result=1))
    sentences = replace(supported({"Mice slept.": True, "Mice ran.": False}), conflicts=1)
    return saved(tmp_path_factory.mktemp("new"), "careless", facets, eva(0.25), sentences)


def test_compare_has_the_worst_papers_first(careful: Path, careless: Path, shell: Shell) -> None:
    """The numbers say that it is worse, the papers say where to look; the exit code decides."""
    code, lines, _ = shell.run("compare", careful, careless, "--papers", "2")
    assert code == 1
    assert lines[:2] == [
        "golden/summeval.toml: careless",
        "against run careful.jsonl, system careful, 40 papers",
    ]
    assert "papers that changed, worst first (40):" in lines
    assert lines.count("") >= 3
    assert lines.index("careless on zinc-01") < lines.index("38 more papers: --papers=40")
    assert max(map(len, lines)) <= 82
    assert any(line.endswith("FAILS") for line in lines)
    assert "NEW: the run by itself is failed" in lines
    lines = shell.lines("compare", careful, careful)
    assert "no paper changed" in lines
    numbers = [line.split() for line in lines if line.startswith(("facet ", "eva "))]
    assert [line[3] for line in numbers] == ["+0.000", "+0.000"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("compare --system=terse", "golden/summeval.toml has none; known: careless"),
        ("compare --against=terse", "has no system 'terse'; known: careful"),
    ],
)
def test_what_decides_nothing_is_refused(
    careful: Path, careless: Path, shell: Shell, options: str, message: str
) -> None:
    """In the words of the option that was typed."""
    command, option = options.split()
    printed = shell.error(4, command, careful, *([careless] * (command == "compare")), option)
    assert message in printed


@pytest.mark.parametrize("kind", [name for name, each in TABLE.items() if each.is_report])
def test_no_report_writes_over_the_record_that_it_is_made_of(
    careful: Path, tmp_path: Path, shell: Shell, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slip of a name would cost the record that decides."""
    monkeypatch.chdir(tmp_path)
    Path("run.jsonl").write_bytes(careful.read_bytes())
    flag = TABLE[kind].short_flag
    message = shell.error(4, "report", "run.jsonl", flag, "run.jsonl")
    assert f"{flag}=run.jsonl: the command reads that file; name another one" in message
    assert Path("run.jsonl").read_bytes() == careful.read_bytes()


def test_report_makes_every_report_of_a_record_again(
    careful: Path, careless: Path, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine that judged need not be the one that reports."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    html, junit = tmp_path / "run.html", tmp_path / "run.xml"
    code, lines, _ = shell.run("report", careless, "--html", html, "--junit", junit, "--github")
    assert code == 1
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "<testsuites" in junit.read_text(encoding="utf-8")
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert "## Systems" in (tmp_path / "step.md").read_text(encoding="utf-8")
    assert any(line.startswith("careless               0     40      0") for line in lines)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")  # somebody wants to see what GitHub would
    assert "## Systems" in shell.lines("report", careful, "--github")


def test_a_cut_run_is_told_and_never_passed(careful: Path, tmp_path: Path, shell: Shell) -> None:
    """What it has may be fine, and nobody knows the rest."""
    lines = careful.read_text(encoding="utf-8").splitlines(keepends=True)
    cut = tmp_path / "run.jsonl.part"
    pairs = (line for line in lines if line.startswith('{"numbers"'))
    cut.write_text("".join([lines[0], *islice(pairs, 7)]), encoding="utf-8")
    gap = "golden/summeval.toml: not complete: 7 of 40 pairs, the run was cut"
    for arguments, line in (
        (("report", cut), gap),
        (("compare", careful, cut), f"NEW: {gap}"),
        (("compare", cut, careful), f"OLD: {gap}"),
    ):
        code, result, _ = shell.run(*arguments)
        assert code == 1
        assert line in result


def test_a_strangers_record_commands_nobody(careful: Path, tmp_path: Path, shell: Shell) -> None:
    """Records travel as artifacts and in pull requests."""
    hostile = json.dumps("\x1b[2J\n::error::x ##[group]")
    text = careful.read_text(encoding="utf-8").replace('"careful"', hostile)
    file, other = tmp_path / "run.jsonl", tmp_path / "other.jsonl"
    file.write_text(resealed(text), encoding="utf-8")
    other.write_text("[]", encoding="utf-8")
    for command in ("report", "compare"):
        twice = 1 + (command == "compare")
        lines = shell.run(command, *[file] * twice)[1]
        assert lines
        assert not any(line.lstrip().startswith("::") for line in lines)
        assert not any("\x1b" in line or "##[" in line for line in lines)
        message = shell.error(4, command, *[other, careful][:twice])
        assert f"{other} is no run record: line 1: " in message


def test_a_comment_on_a_strangers_record_is_only_read(
    tmp_path: Path, careless: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its job may write, so it follows no link, reads no huge file, and posts no foreign error."""
    lines = shell.lines("report", careless, "--comment")
    assert lines[0] == "# \u274c failed: summarization gate"
    assert "## Systems" in lines
    link, bad = tmp_path / "run.jsonl", tmp_path / "bad.jsonl"
    link.symlink_to(careless)
    bad.write_text('{"run": "@team"}\n', encoding="utf-8")
    for file in (link, bad, tmp_path, tmp_path / "none.jsonl"):
        assert shell.lines("report", file, "--comment") == [NO_RESULT]
    monkeypatch.setattr(runs, "MOST_BYTES", 100)
    assert shell.lines("report", careless, "--comment") == [NO_RESULT]
    for other in ("--json", "--github", f"--html={tmp_path / 'page.html'}"):
        assert shell.error(4, "report", careless, "--comment", other) == (
            "--comment prints the comment alone; leave out the other reports"
        )
