"""`summeval history`: saved runs beside each other, in their order."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.cli.conftest import Shell
from tests.resealing import resealed
from tests.verdict.records import eva, marks, pair, rated, record_text, run, suite, supported

SEEN: Final = replace(supported({"Mice slept.": True, "Rats ran.": False}), conflicts=0)
RUN: Final = record_text(
    run(
        suite(
            pair("moss-01", rated(), eva(0.5), SEEN),
            pair("moss-02", rated(marks(result=2)), eva(0.75), replace(SEEN, conflicts=1)),
            pair("moss-03", rated(), eva(1.0), SEEN),
            thresholds=Thresholds(pair=(), mean=(Threshold("facet", 0.5),)),
        )
    )
)
"""A run of three papers: FM is 1, .85 and 1."""
EVIL: Final = "<b>\\u001b[2J"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four releases, of which the last two have another judge, and two files that are no runs."""
    folder = tmp_path_factory.mktemp("runs")
    other = RUN.replace('"signature": "fair-', '"signature": "newer-')
    texts = {"v2": RUN, "v9": RUN, "v10": other, "v11": other.replace('"careful"', f'"{EVIL}"')}
    for name, each in texts.items():
        (folder / f"{name}.json").write_text(resealed(each), encoding="utf-8")
    (folder / "papers.json").write_text("{}", encoding="utf-8")
    (folder / "edited.json").write_text(RUN.replace("careful", "carefree"), encoding="utf-8")
    (folder / "notes.txt").write_text("", encoding="utf-8")
    return folder


def test_runs_stand_in_order_and_a_new_judge_is_marked(runs: Path, shell: Shell) -> None:
    """A change of the judge moves numbers as a change of the system does."""
    code, lines, _ = shell.run("history", runs, "--number", "facet", "--number", "eva.recall")
    assert code == 0
    suite, heading, *rest = lines
    assert suite == "golden"
    assert heading.split() == ["run", "system", "outcome", "facet", "eva.recall"]
    assert [line.split()[0] for line in rest[:5]] == ["v2", "v9", "--", "v10", "v11"]
    assert rest[2] == "-- other judge: numbers above and below are not comparable"
    assert rest[0].split()[1:4] == ["careful", "passed", "0.950"]
    assert "\x1b" not in "".join(rest)
    edited, papers = rest[6:]
    assert edited.startswith("left out: RUN: ")
    assert "edited.json" in edited
    assert "papers.json is no run record" in papers
    # (1 + .85 + 1) / 3; the bounds are those of tests/stats
    _, lines, _ = shell.run("history", runs / "v9.json")
    means = re.findall(r"\S+ \[\S+ \S+\]", lines[2])
    assert means == ["0.950 [0.43, 1.00]", "0.750 [0.13, 0.99]", "0.500 [0.19, 0.81]"]


def test_systems_of_one_run_have_lines_of_their_own(
    runs: Path, shell: Shell, tmp_path: Path
) -> None:
    """Each system is compared with itself."""
    # CI's artifacts are folders that each have a run.json: all are shown, one named twice once.
    text = (runs / "v2.json").read_text(encoding="utf-8")
    twice = tmp_path / "twice"
    twice.mkdir()
    for name in ("a", "b"):
        (twice / f"{name}.json").write_text(text, encoding="utf-8")
        (tmp_path / name).mkdir()
        shutil.copy(runs / "v2.json", tmp_path / name / "run.json")
    other = resealed(text.replace('"careful"', '"other"'))
    (tmp_path / "c.json").write_text(other, encoding="utf-8")
    _, lines, _ = shell.run("history", twice, tmp_path / "c.json", "--system", "other")
    assert [line.split()[:2] for line in lines[2:3]] == [["c", "other"]]
    places = [tmp_path / "a" / "run.json", tmp_path / "b", tmp_path / "b" / "run.json"]
    _, lines, _ = shell.run("history", *places)
    assert len(lines) == 2 + 2 + 1
    assert lines[2].startswith("run ")


def changes(lines: list[str]) -> list[str]:
    """The first words of a table's lines, and what the lines between them say."""
    return [line.partition(":")[0] if line[:2] == "--" else line.split()[0] for line in lines[2:-1]]


def test_what_changed_between_runs_is_marked(runs: Path, shell: Shell, tmp_path: Path) -> None:
    """Its numbers before and after would look comparable."""
    text = (runs / "v10.json").read_text(encoding="utf-8")
    elsewhere = text.replace('"careful"', '"other"')
    (tmp_path / "away.json").write_text(resealed(elsewhere), encoding="utf-8")
    (tmp_path / "cut.json").write_text(text.splitlines(keepends=True)[0], encoding="utf-8")
    places = (runs / "v9.json", tmp_path / "away.json", runs / "v10.json", tmp_path / "cut.json")
    _, lines, _ = shell.run("history", *places, runs / "v11.json", "--system", "careful")
    assert changes(lines) == ["v9", "-- other judge", "v10", "cut"]
    assert lines[5].split() == ["cut", "careful", "not", "judged", "-", "-", "-"]
    _, lines, _ = shell.run("history", places[2], tmp_path / "cut.json", runs / "v11.json")
    assert changes(lines) == ["v10", "cut", "v11"]


def test_a_new_formula_and_other_pairs_are_marked(runs: Path, shell: Shell, tmp_path: Path) -> None:
    """A run of one pair has a mean, too, and so has a metric of another version."""
    # A metric that only one run has marks nothing: the others can be compared.
    text = (runs / "v2.json").read_text(encoding="utf-8")
    whole = text.splitlines(keepends=True)
    pairs = [line for line in whole if "pair" in json.loads(line)]
    one = "".join(line for line in whole if line not in pairs[1:])
    newer = re.sub(r'("facet\|[^"]*\|v:)', r"\g<1>9", text)
    edited = one.replace(json.loads(whole[0])["run"]["suites"][0]["fingerprint"], "0" * 12)
    lacking = text.replace('"eva|', '"other|')
    texts = {"0": lacking, "a": text, "b": newer, "c": one, "d": edited}
    for name, each in texts.items():
        (tmp_path / f"{name}.json").write_text(resealed(each), encoding="utf-8")
    _, lines, _ = shell.run("history", tmp_path)
    assert changes(lines) == [
        *("0", "a", "-- other metrics", "b", "-- other papers and metrics"),
        *("c", "-- other papers", "d"),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name run records, or a folder that holds some"),
        (("missing.json",), "RUN: missing.json cannot be read as a run record"),
        (("RUNS", "--number", "facets"), "--number=facets: no run has it; did you mean 'facet'?"),
        (("RUNS", "--system", "carefull"), "--system=carefull: no run has it; did you mean"),
        (("RUNS/edited.json",), "edited.json is no run record"),
    ],
)
def test_what_is_gone_is_named(
    runs: Path, shell: Shell, arguments: tuple[str, ...], message: str
) -> None:
    """A file that the user names must be a run; one in a folder is left out."""
    code, _, error = shell.run("history", *(part.replace("RUNS", str(runs)) for part in arguments))
    assert code == 4
    assert message in error
