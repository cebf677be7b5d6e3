"""Runs without texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.metrics.eva import UNUSABLE, EvaScore
from summeval_pytest.metrics.number import Finding
from summeval_pytest.metrics.own import OwnScore
from summeval_pytest.record.record_file import read_record, record_lines
from summeval_pytest.record.redaction import LEFT_OUT, redacted
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.run import RunVerdict
from tests.reports.records import COMPARISON, everything, record, system, wrong_pair

CAREFUL = Path(__file__).parents[2] / "golden/baselines/careful.jsonl"


def texts_of(run: RunVerdict) -> set[str]:
    """Every text with a blank in it that papers, summaries and judges have given."""

    def found(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, tuple):
            for each in value:
                yield from found(each)
        elif is_dataclass(value):
            hidden = {"waivers", "place", "title", "verdict", "custom", "kind"}
            names = [field.name for field in fields(value) if field.name not in hidden]
            for name in names:
                yield from found(getattr(value, name))

    parts = (part for s in run.suites for part in (*s.pairs, *s.papers, *s.golden))
    return {text for part in parts for text in found(part) if " " in text}


@pytest.mark.parametrize("run", [everything(), record(wrong_pair())], ids=["all", "pieces"])
def test_no_text_is_left_and_every_outcome_is(run: RunVerdict) -> None:
    """What a team with private papers hands on still says what passed, and by which numbers."""
    handed_on = redacted(run)
    written = "".join(record_lines(handed_on))
    assert len(texts_of(run)) > 3
    assert [text for text in texts_of(run) if text in written] == []
    assert LEFT_OUT in written
    for suite, old in zip(handed_on.suites, run.suites, strict=True):
        for pair, was in zip(suite.pairs, old.pairs, strict=True):
            assert (pair.paper, pair.outcome, pair.place) == (was.paper, was.outcome, was.place)
            assert pair.numbers().values == was.numbers().values
            assert [*map(kind_of, pair.findings)] == [*map(kind_of, was.findings)]


def kind_of(finding: Finding) -> tuple[str, str, float]:
    """What stays of a finding."""
    return finding.kind, finding.number, finding.severity


def test_what_a_custom_metric_says_is_left_out() -> None:
    """Its titles are words of somebody's code, which may be the summary's."""
    own = Finding(
        kind="own", number="length", title="Mice slept", verdict="Mice slept", reason="",
        reference=None, summary="", evidence=(), severity=1.0,
    )  # fmt: skip
    of_ours = Finding(
        kind="facet", number="facet.result", title="facet result", verdict="rated 2 of 4",
        reason="Mice slept", reference="Mice slept", summary="", evidence=((3, "Mice slept"),),
        severity=1.0,
    )  # fmt: skip
    pair = replace(wrong_pair(), findings=(own, of_ours))
    (first, second) = redacted(record(pair)).suites[0].pairs[0].findings
    assert (first.title, first.verdict) == (LEFT_OUT, LEFT_OUT)
    assert (second.title, second.verdict) == ("facet result", "rated 2 of 4")
    assert (second.reason, second.evidence) == (LEFT_OUT, ((3, LEFT_OUT),))


def test_what_decides_is_left_although_it_stands_among_texts() -> None:
    """Unusable facts, numbers that are not given, and which numbers of a comparison are open."""
    actual = wrong_pair()
    (eva,) = (each for each in actual.scores if isinstance(each, EvaScore))
    lost = replace(eva.reference[0], holds=None, unusable=True, reason=UNUSABLE)
    holed = replace(eva, reference=(lost, *eva.reference[1:]))
    own = OwnScore(metric="quo", numbers={"quo": 1.0}, left_out=("quo.part",))
    open_rules = replace(COMPARISON, undecided=(("facet", "Mice slept is open"),))
    run = record(replace(actual, scores=(holed, own)), systems=(system(comparison=open_rules),))
    (suite,) = redacted(run).suites
    (pair,), (of_system,) = suite.pairs, suite.systems
    assert pair.scores[0].unanswered() == holed.unanswered() != {}  # type: ignore[union-attr]
    assert pair.scores[1] == own
    assert of_system.comparison is not None
    assert of_system.comparison.undecided == (("facet", LEFT_OUT),)


def test_a_redacted_record_is_decided_as_the_first(tmp_path: Path) -> None:
    """It can be reported and decided again like any other."""
    file = tmp_path / "handed-on.jsonl"
    assert main(["report", str(CAREFUL), "--redact", "--run-record", str(file)]) == 0
    first, again = (decide(read_record(each, "RUN")) for each in (CAREFUL, file))
    assert again.shown == first.shown == "passed"
    assert again.suites[0].systems == first.suites[0].systems
    written = file.read_text()
    pairs = first.suites[0].pairs
    assert not any(pair.summary in written for pair in pairs)
