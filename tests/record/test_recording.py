from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import (
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.metrics.signature import read_signature
from summeval_pytest.record.record import PairChange, PaperRecord, broken_down, judged
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.suite.values import Pair, Paper, Section, Waiver
from summeval_pytest.verdict.decide import PairVerdict, Shortfall
from summeval_pytest.verdict.findings import findings_of
from summeval_pytest.verdict.thresholds import WaiverUse

if TYPE_CHECKING:
    from summeval_pytest.metrics.score import Score

SUITE = "golden/summeval.toml"
SOURCE = (
    "Moss was grown on stone.",
    "Rain fell on half of the stones.",
    "Wet moss grew twice as fast.",
    "Nobody was surprised.",
    "Ferns were left out.",
)
PAPER = Paper(
    id="moss-01",
    title="Moss and rain",
    source=(Section(text=" ".join(SOURCE)),),
    references=("Moss grew.", "Rain makes moss grow."),
    place=Place("golden/papers.jsonl", 7),
)
PAIR = Pair(
    paper=PAPER,
    system="careful",
    summary="Moss grew. Ferns died.",
    place=Place("golden/systems/careful.jsonl", 2),
    note="source cut",
)
LOST = FacetScore(
    value=0.25,
    ratings=(
        RatedFacet(
            facet="result", rating=1, reason="", reference="Wet moss grew fast.", candidate=""
        ),
    ),
)
"""Its finding points at sentence 2 of the source."""
PASSED = PairVerdict(shortfalls=())
SHORT = Shortfall(name="facet", value=0.25, least=0.55)
FAILED = PairVerdict(shortfalls=(SHORT,))


def sentence(index: int, *evidence: int, supported: bool | None = True) -> JudgedSentence:
    """A judged sentence of the summary."""
    return JudgedSentence(
        index=index, text="Ferns died.", supported=supported, reason="", evidence=evidence
    )


def evaluation(*scores: Score | Unscored) -> Evaluation:
    """The pair with these scores."""
    return Evaluation(
        pair=PAIR,
        scores=scores,
        signatures=(
            read_signature("facet|judge:fair-1|v:1"),
            read_signature("faithfulness|judge:fair-1|v:1"),
        ),
        source=SOURCE,
    )


def cited(*scores: Score | Unscored) -> dict[int, str]:
    """The source sentences that are kept of the paper."""
    paper = judged(SUITE, evaluation(*scores), PASSED).paper
    assert paper is not None
    assert list(paper.cited) == sorted(paper.cited)
    return dict(paper.cited)


def test_all_that_was_measured_and_decided_is_kept() -> None:
    """Worked example: every report is made of this and of nothing else."""
    measured = evaluation(LOST)
    kept = judged(SUITE, measured, FAILED)
    assert kept.suite == SUITE
    pair = kept.pair
    assert (pair.paper, pair.system, pair.summary) == ("moss-01", "careful", PAIR.summary)
    assert (pair.outcome, pair.fault, pair.note) == ("failed", "", "source cut")
    assert pair.place == Place("golden/systems/careful.jsonl", 2)
    assert pair.scores == (LOST,)
    assert pair.signatures == ("facet|judge:fair-1|v:1", "faithfulness|judge:fair-1|v:1")
    assert pair.findings == findings_of((LOST,), SOURCE)
    assert (pair.verdict, pair.change) == (FAILED, None)
    assert pair.numbers() == measured.numbers()
    assert kept.paper == PaperRecord(
        id="moss-01",
        title="Moss and rain",
        place=Place("golden/papers.jsonl", 7),
        references=("Moss grew.", "Rain makes moss grow."),
        n_sentences=5,
        cited=((2, SOURCE[2]),),
    )


WAIVED = WaiverUse(
    waiver=Waiver(
        name="moss",
        paper="moss-01",
        system="careful",
        finding="facet",
        owner="ines",
        reason="",
        expires="2027-01-31",
        place=Place(SUITE, 30),
    ),
    state="not needed",
)


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        (PASSED, "passed"),
        (PairVerdict(shortfalls=(), waived=(SHORT,)), "passed"),
        (FAILED, "failed"),
        (PairVerdict(shortfalls=(), waivers=(WAIVED,)), "failed"),
        (
            PairVerdict(
                shortfalls=(),
                lacking=(Unscored(metric="eva", status="refused_candidate", reason=""),),
            ),
            "failed",
        ),
    ],
    ids=["all met", "waived", "short", "idle waiver", "lacking"],
)
def test_the_outcome_is_that_of_the_verdict(verdict: PairVerdict, outcome: str) -> None:
    """A record that calls a red test green would be worse than none."""
    assert judged(SUITE, evaluation(LOST), verdict).pair.outcome == outcome


def test_a_pair_without_a_verdict_is_an_error_with_its_fault() -> None:
    """What the other metrics found is kept; an error is no failure and never a pass."""
    lack = Unscored(metric="faithfulness", status="unanswered", reason="the reply was cut off")
    pair = judged(SUITE, evaluation(LOST, lack), None, fault="the reply was cut off").pair
    assert (pair.outcome, pair.fault) == ("error", "the reply was cut off")
    assert pair.verdict == PairVerdict(shortfalls=())
    assert pair.scores == (LOST, lack)
    assert [finding.number for finding in pair.findings] == ["facet.result"]
    assert pair.told == ()


def test_a_pair_that_passes_keeps_its_findings() -> None:
    """A higher threshold can be tried without a call."""
    pair = judged(SUITE, evaluation(LOST), PASSED).pair
    assert [finding.number for finding in pair.findings] == ["facet.result"]
    assert pair.told == ()


def test_what_changed_against_the_baseline_is_kept() -> None:
    """A report shows it beside the pair."""
    change = PairChange(paper="moss-01", system="careful", baseline="v1.3 (careful)", loss=0.25)
    assert judged(SUITE, evaluation(LOST), FAILED, change=change).pair.change is change


def test_the_source_sentences_that_anything_points_at_are_kept() -> None:
    """Worked example: one by a finding, others as evidence for and against sentences.

    Those that support a sentence are evidence too; sentence 3 of the source is nobody's.
    """
    score = FaithfulnessScore(
        value=0.5, sentences=(sentence(0, 4, 0), sentence(1, 1, 4, supported=False))
    )
    assert cited(LOST, score) == {place: SOURCE[place] for place in (0, 1, 2, 4)}
    assert cited(LOST) == {2: SOURCE[2]}
    assert cited(score) == {place: SOURCE[place] for place in (0, 1, 4)}


def test_an_unsupported_sentence_without_evidence_keeps_the_one_that_it_is_shown_with() -> None:
    """The report quotes the closest sentence of the source, so the record has to hold it."""
    score = FaithfulnessScore(value=0.0, sentences=(sentence(0, supported=False),))
    assert cited(score) == {4: SOURCE[4]}


def test_a_source_that_nothing_points_at_is_not_kept() -> None:
    """Whole papers would make a record of megabytes."""
    assert cited(FaithfulnessScore(value=1.0, sentences=(sentence(0),))) == {}
    lack = Unscored(metric="faithfulness", status="unanswered", reason="")
    assert cited(lack) == {}


def test_the_summary_of_a_pair_is_kept_as_it_was_written() -> None:
    """Making it safe is the reports' business, and each has its own rules."""
    hostile = "Moss\r\n::error::\x1b[31m </script> "
    measured = replace(evaluation(), pair=replace(PAIR, summary=hostile))
    assert judged(SUITE, measured, PASSED).pair.summary == hostile


def test_a_pair_that_broke_down_has_every_metric_unanswered() -> None:
    """The judge could not be reached, so all that is known is why, and for which metrics."""
    place = Place(SUITE, 12)
    kept = broken_down(
        suite=SUITE,
        paper="moss-01",
        system="llama3",
        metrics=("facet", "faithfulness"),
        place=place,
        fault="no route",
    )
    assert (kept.suite, kept.paper) == (SUITE, None)
    pair = kept.pair
    assert (pair.paper, pair.system, pair.place) == ("moss-01", "llama3", place)
    assert (pair.outcome, pair.fault, pair.summary) == ("error", "no route", "")
    assert pair.scores == (
        Unscored(metric="facet", status="unanswered", reason="no route"),
        Unscored(metric="faithfulness", status="unanswered", reason="no route"),
    )
    assert (pair.signatures, pair.findings, pair.told) == ((), (), ())
    assert pair.numbers().values == {}
