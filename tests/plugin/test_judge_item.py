"""Real pytest runs of the item ``judge``: whether golden labels let a judge decide."""

from __future__ import annotations

from typing import Final

import pytest

from tests.plugin.conftest import FAIR, PAPERS, Bench
from tests.plugin.labelled import labelled

JUDGE = "summeval.toml::judge"
UNTRUSTED = 10
"""The exit code that the README documents."""
FLOOR = "unfaithful_recall = 0.8"


def test_a_judge_that_agrees_lets_the_run_pass(bench: Bench) -> None:
    """The item comes first, passes, and the end says on what it was measured."""
    labelled(bench, floors=FLOOR)
    run = bench.inside("summeval.toml", FAIR, "-rA")

    assert run.code == 0
    assert next(iter(run.outcomes.items())) == (JUDGE, "PASSED")
    message = "judge: meets the agreement floor (6 labelled pairs, 3 papers); it accepts 0% of"
    assert any(line.startswith(message) for line in run.lines)
    assert not [line for line in run.lines if "not calibrated" in line]
    pairs = bench.inside("summeval.toml::good", FAIR)
    assert pairs.code == 0
    message = "judge: agreement with labels not measured in this run"
    assert any(line.startswith(message) for line in pairs.lines)


def test_a_judge_below_its_floor_is_untrusted(bench: Bench) -> None:
    """What it says is no baseline. The record keeps its golden answers, by which drift is seen."""
    labelled(bench, floors=FLOOR, agrees=False)
    run = bench.inside(
        "summeval.toml", FAIR, "-rA", "--summ-run-record=run.jsonl", "--summ-save=v1"
    )

    assert (run.code, run.last) == (UNTRUSTED, "1 failed, 3 passed")
    assert run.outcomes[JUDGE] == "FAILED"
    assert "UNTRUSTED: unfaithful_recall 0.00 < 0.8" in run.lines
    assert "UNTRUSTED: The judge is untrusted. Do not rely on these verdicts." in run.lines
    assert "worst disagreements (5):" in run.lines
    assert not run.shows_code
    assert not (bench.path / "baselines" / "v1.jsonl").exists()
    assert any("not saved" in line and "UNTRUSTED" in line for line in run.lines)

    (suite,) = bench.record().suites
    golden = [(pair.system, pair.paper, len(pair.answers)) for pair in suite.golden]
    assert golden == [(system, paper, 4) for system in ("good", "bad") for paper in PAPERS]
    first = next(each for each in suite.golden[0].answers if each.kind == "sentence")
    assert (first.label, first.answer) == (0, 1)
    assert suite.trust is not None
    (missed,) = [each for each in suite.trust.agreements if each.floors]
    assert (missed.name, missed.value) == ("unfaithful_recall", 0.0)


def test_a_judge_that_gives_no_answers_is_an_error(bench: Bench) -> None:
    """Not measured is neither trusted nor untrusted: the item errs, as its pairs do."""
    labelled(bench, floors=FLOOR)
    run = bench.inside("summeval.toml", "--summ-judge=rule:Rude", "-rA")
    assert run.code == 1
    assert run.outcomes[JUDGE] == "ERROR"
    assert not [line for line in run.lines if line.startswith("UNTRUSTED")]


LOSING: Final = """\
import os, pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if item.name == "judge":
        {line}
"""


@pytest.mark.parametrize(
    ("line", "option"),
    [("os._exit(3)", "-n1"), ("pytest.skip('later')", "-n0")],
)
def test_a_judge_whose_test_is_lost_is_an_error_in_every_report(
    bench: Bench, line: str, option: str
) -> None:
    """Reports would pass without its floors, and a run whose judge was skipped did."""
    labelled(bench, floors=FLOOR, agrees=False)
    bench.write("conftest.py", LOSING.format(line=line))
    reports = "--summ-run-record=run.jsonl", "--summ-junit=run.xml", "--summ-gitlab=run.txt"
    run = bench.inside("summeval.toml", FAIR, option, *reports, "--summ-save=v1")
    assert run.code == 1
    assert bench.record().outcome == "error"
    assert not (bench.path / "baselines" / "v1.jsonl").exists()
    assert "<error" in bench.text("run.xml")
    assert "judge not measured" in bench.text("run.txt")


def test_a_label_beyond_its_summary_stops_the_run_before_anything_is_asked(bench: Bench) -> None:
    """An index that nobody can judge is a mistake in a file, with its line."""
    labelled(bench, floors=FLOOR)
    sentences = [{"index": 9, "faithful": True}]
    bench.lines("labels.jsonl", {"paper": "kiln-02", "system": "good", "sentences": sentences})
    run = bench.inside("summeval.toml", FAIR)
    assert run.code == 4
    assert "labels.jsonl:1: the label of system 'good' on paper 'kiln-02'" in run.out + run.err
    assert bench.asked() == []
