"""The thresholds that `summeval init` writes, on summaries with one error that nobody fitted on."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from summeval_pytest import score
from summeval_pytest.desk.imports import sample_suite
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.reports.judge_section import FIGURES_STOPPED, OTHERS_STOPPED
from summeval_pytest.suite.suite import Suite, load_suite
from tests.golden.oracle import Remembering
from tests.one_error.check_suite import HERE, OneErrorOracle, stopped, write_suite

FIGURES = {"number", "unit"}


SEEN = {"number": 5, "unit": 5, "entity-swap": 3, "invented-detail": 2, "": 1}
"""What the embedded judge stops: README.md and judges.md say so, too."""


def tallied(failed: Counter[str], total: Counter[str]) -> dict[str, tuple[int, int]]:
    """How many summaries do not pass, and how many there are: wrong figures, others, good ones."""
    groups: dict[str, Counter[str]] = {
        name: Counter() for name in ("number or unit", "other", "none")
    }
    for kind, n in total.items():
        group = "none" if not kind else "number or unit" if kind in FIGURES else "other"
        groups[group].update({"failed": failed[kind], "all": n})
    return {name: (counts["failed"], counts["all"]) for name, counts in groups.items()}


@pytest.fixture
def suite(tmp_path: Path, request: pytest.FixtureRequest) -> Suite:
    """The texts with the thresholds for one kind of judge."""
    folder = tmp_path / "gate"
    write_suite(folder, has_llm=request.param)
    return load_suite(folder)


@pytest.mark.parametrize("suite", [True], indirect=True)
def test_a_judge_that_finds_every_error_stops_every_one_of_them(suite: Suite) -> None:
    """The skeleton must not waste a good judge: 60 of 60 stopped, and 60 of 60 good ones pass."""
    failed, total = stopped(suite, OneErrorOracle(suite))
    assert total[""] == 60
    assert total.total() == 120
    assert len(total) == 11  # ten kinds of errors, and none
    assert failed == Counter({kind: n for kind, n in total.items() if kind})


@pytest.mark.parametrize("suite", [False], indirect=True)
def test_the_embedded_judge_passes_nine_of_ten_good_summaries(suite: Suite) -> None:
    """Its thresholds must not cry wolf, and each run says how much it overlooks."""
    failed, total = stopped(suite, Remembering())
    assert {kind: n for kind, n in failed.items() if n} == SEEN
    found = tallied(failed, total)
    assert found == {
        "number or unit": FIGURES_STOPPED,
        "other": OTHERS_STOPPED,
        "none": (1, 60),
    }
    (n, of), (n_others, of_others) = found["number or unit"], found["other"]
    comment = " ".join(sample_suite(has_llm=False)[1].replace("#", "").split())
    figures = (
        f"{n + n_others}: {n} of {of} wrong numbers and units, and {n_others} of {of_others} others"
    )
    assert f"these stop {figures}" in comment
    n_failed, n_good = found["none"]
    assert n_failed <= n_good / 10


def conflicts(paper: dict[str, str], summary: str) -> dict[str, bool]:
    """Whether the embedded judge sees a conflict in each sentence of a summary."""
    scores = score(summary=summary, reference=paper["reference"], source=paper["source"])
    assert isinstance(scores.faithfulness, FaithfulnessScore)
    return {sentence.text: sentence.conflict for sentence in scores.faithfulness.sentences}


def test_derived_numbers_are_where_the_embedded_judge_is_weakest() -> None:
    """Of 12 papers each, as judges.md says: good summaries, and one wrong sentence of a kind."""
    n_seen: Counter[str] = Counter()
    for line in (HERE / "derived.jsonl").read_text(encoding="utf-8").splitlines():
        paper = json.loads(line)
        good = conflicts(paper, paper["good"])
        n_seen["good"] += any(good.values())
        for bad in paper["bad"]:
            found = conflicts(paper, bad["summary"])
            n_seen[bad["kind"]] += any(found[text] for text in found.keys() - good.keys())
    assert n_seen == {"good": 4, "unit": 9, "swap": 2, "number": 0}
