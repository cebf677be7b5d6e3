"""Real runs with a judge that leaves the one wrong sentence of 25 unanswered: never green."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli import app as command

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Bench

FAIR, MUTE = "--summ-judge=rule:Fair", "--summ-judge=rule:Mute"
RIGHT: Final = [f"The kiln of brick {n} was hot." for n in range(25)]
WRONG: Final = [*RIGHT[:24], "The kiln was an alloy."]
ITEM: Final = "summeval.toml::good::all-papers"


def long_suite(bench: Bench, sentences: list[str], *, mean: str = "") -> None:
    """A suite of one paper and a summary of these sentences."""
    bench.good["kiln-02"] = " ".join(sentences)
    bench.suite(pair="faithfulness = 0.9", mean=mean, papers=("kiln-02",))


def outcome_again(record: Path, *options: str) -> int:
    """The exit code of deciding a record again."""
    return command.main(["rescore", str(record), *options])


def test_a_mean_that_silence_lifts_is_an_error_and_so_it_is_from_its_record(bench: Bench) -> None:
    """The issue's own example: .960 fails, and 1.000 by silence passed."""
    long_suite(bench, WRONG, mean="faithfulness = 0.97")
    fair = bench.run("summeval.toml", FAIR, "-rA")
    mute = bench.run("summeval.toml", MUTE, "-rA", "--summ-run-record=run.json")
    assert (fair.outcomes[ITEM], mute.outcomes[ITEM]) == ("FAILED", "ERROR")
    assert "mean faithfulness 1.000 meets 0.97, and would be 0.960" in " ".join(mute.out.split())
    assert mute.code == 1
    (system,) = json.loads((bench.path / "run.json").read_text())["suites"][0]["systems"]
    assert system["outcome"] == "error"
    assert outcome_again(bench.path / "run.json") == 1
    assert outcome_again(bench.path / "run.json", "--min=mean.faithfulness=0.96") == 0


@pytest.mark.parametrize(("judge", "outcome"), [(FAIR, "FAILED"), (MUTE, "ERROR")])
def test_a_pair_that_silence_lifts_is_an_error(bench: Bench, judge: str, outcome: str) -> None:
    """As it was before; the rule is one for all that decides."""
    long_suite(bench, WRONG)
    run = bench.run("summeval.toml", judge, "--summ-min=faithfulness=0.97", "-rA")
    assert run.outcomes["summeval.toml::good::kiln-02"] == outcome


def test_a_floor_that_silence_holds_is_an_error_of_the_judge(bench: Bench) -> None:
    """Of 22 labelled sentences 21 have an answer and its evidence; 21 of 22 is under .97."""
    long_suite(bench, [*RIGHT[:21], "The kiln was an alloy."])
    labels = [{"index": n, "faithful": True, "evidence": [0]} for n in range(22)]
    bench.lines("labels.jsonl", {"paper": "kiln-02", "system": "good", "sentences": labels})
    suite = (bench.path / "summeval.toml").read_text(encoding="utf-8")
    floor = "\n[thresholds.judge]\nevidence_recall = 0.97\n"
    bench.write("summeval.toml", f'labels = "labels.jsonl"\n{suite}{floor}')
    run = bench.run("summeval.toml", MUTE, "-rA", "--summ-run-record=run.json")
    assert run.outcomes["summeval.toml::judge"] == "ERROR"
    assert run.code == 1
    told = "judge is undecided: evidence_recall 1.000 meets 0.97, and would be 0.955 if what the"
    assert told in " ".join(run.out.split())
    trust = json.loads((bench.path / "run.json").read_text())["suites"][0]["trust"]
    assert told in trust["undecided"]
    assert outcome_again(bench.path / "run.json", "--min=faithfulness=0.5") == 1
