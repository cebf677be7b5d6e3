"""The thresholds that `summeval init` writes, on summaries with one error that nobody fitted on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from summeval_pytest.desk.imports import sample_suite
from summeval_pytest.reports.judge_section import FIGURES_STOPPED, OTHERS_STOPPED
from summeval_pytest.suite.suite import Suite, load_suite
from tests.golden.oracle import Remembering
from tests.one_error.check_suite import OneErrorOracle, stopped, write_suite

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
