"""`summeval thresholds`: what it prints, and what it refuses."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.cli.conftest import Shell
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import eva, marks, pair, rated, record_text, run, suite, supported

LIMITS = (Threshold("facet", 0.6), Threshold("faithfulness", 0.8))


def recorded(folder: Path, *, has_labels: bool = True, support: float | None = None) -> Path:
    """Ten papers with a good and a bad summary each, which has one wrong sentence of two."""
    pairs, labels = [], []
    for n in range(10):
        for system, is_true in (("good", True), ("bad", False)):
            score = replace(supported({"Mice slept.": True, "Mice ran.": is_true}), conflicts=0)
            facets = rated() if is_true else rated(marks(method=1))
            pairs.append(pair(f"zinc-{n:02}", facets, eva(0.5), score, system=system))
            truths = (1, int(is_true))
            answers = [replace(answered("sentence", n, n), support=support) for n in truths]
            labels.append(golden(*answers, paper=f"zinc-{n:02}", system=system))
    record = suite(*pairs, thresholds=Thresholds(pair=LIMITS, mean=()))
    if has_labels:
        record = replace(record, golden=tuple(labels))
    file = folder / "run.jsonl"
    file.write_text(record_text(run(record)), encoding="utf-8")
    return file


def test_it_shows_values_and_prints_the_chosen_ones(tmp_path: Path, shell: Shell) -> None:
    """The lines at the end can be pasted into a suite."""
    lines = shell.lines("thresholds", recorded(tmp_path))
    assert "20 pairs judged, 20 of them labelled (10 good, 10 bad, 0 in between)" in lines[1]
    (today,) = [line for line in lines if line.startswith("  at least 0.8, today")]
    assert today.split()[4:7] == ["10", "of", "20"]
    (passed,) = [line for line in lines if line.startswith("an always-pass judge")]
    assert "0 of 10" in passed
    start = lines.index("[thresholds]")
    chosen = tomllib.loads("\n".join(lines[start:]))["thresholds"]
    assert len(chosen) == 1
    assert lines[start - 1].startswith("# 10 of 10 ")
    assert max(map(len, lines)) <= 110


def test_one_number_is_shown_with_the_names_of_what_it_fails(tmp_path: Path, shell: Shell) -> None:
    """A reader looks at these pairs before he takes a value."""
    file = recorded(tmp_path)
    lines = shell.lines("thresholds", file, "--number=faithfulness.unsupported", "--names")
    row = lines.index(next(line for line in lines if line.startswith("  at most 0 ")))
    names = [f"bad::zinc-{n:02}" for n in range(10)]
    assert lines[row + 1] == f"    {', '.join(names)}"


def test_the_same_as_json(tmp_path: Path, shell: Shell) -> None:
    """For scripts: figures as numbers, pairs by name."""
    (text,) = shell.lines("thresholds", recorded(tmp_path), "--json")
    (own,) = json.loads(text)["suites"]
    assert (own["pairs"], own["labelled"], own["good"], own["bad"]) == (20, 20, 10, 10)
    assert own["today"]["stopped"]["n"] == 10
    assert [each["rule"] for each in own["choices"]] == ["none-lost", "nine-of-ten", "cost"]
    assert {"n", "of", "low", "high"} == set(own["choices"][0]["stopped_unseen"])
    assert own["numbers"]["faithfulness"][0]["fails"]


def test_without_labels_it_says_how_to_get_them(tmp_path: Path, shell: Shell) -> None:
    """Then it shows only what values would fail."""
    lines = shell.lines("thresholds", recorded(tmp_path, has_labels=False))
    assert "No pair of this run is labelled" in "\n".join(lines)
    assert not any("bad stopped" in line or line == "[thresholds]" for line in lines)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--number=facets", "--number=facets: the run has none; did you mean 'facet'"),
        ("--bad=0", "--good and --bad are prices; write numbers above 0"),
        ("--choose=best", "Invalid value"),
    ],
)
def test_what_cannot_be_chosen_is_refused(
    tmp_path: Path, shell: Shell, option: str, message: str
) -> None:
    """In the words of the option that was typed."""
    assert message in shell.error(4, "thresholds", recorded(tmp_path), option)
