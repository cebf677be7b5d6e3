from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from summeval_pytest.errors import Place
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.faithfulness import JudgedSentence
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.metrics.score import Score, findings_of
from summeval_pytest.metrics.signature import read_signature
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.record.measuring import as_ordered, faulty_pair, pair_result_of
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.run.session import Session
from summeval_pytest.suite.suite import paper_digest
from summeval_pytest.suite.values import Pair, Paper, Section
from summeval_pytest.verdict.run import PairResult, PaperRecord, TestResult
from tests.golden_suite import write_labelled

SOURCE: Final = (
    "Moss was grown on stone.",
    "Rain fell on half of the stones.",
    "Wet moss grew twice as fast.",
    "Nobody was surprised.",
    "Ferns were left out.",
)
PAPER: Final = Paper(
    id="moss-01",
    title="Moss and rain",
    source=(Section(text=" ".join(SOURCE)),),
    references=("Moss grew.", "Rain makes moss grow."),
    place=Place("golden/papers.jsonl", 7),
)
WRITTEN: Final = Pair(
    paper=PAPER,
    system="careful",
    summary="Moss grew. Ferns died.",
    place=Place("golden/systems/careful.jsonl", 2),
    note="source cut",
)
WET: Final = RatedFacet(
    facet="result", rating=1, reason="", reference="Wet moss grew fast.", candidate=""
)
LOST: Final = FacetScore(value=0.25, ratings=(WET,))


def sentence(index: int, *evidence: int, supported: bool = True) -> JudgedSentence:
    """A judged sentence of the summary."""
    return JudgedSentence(
        index=index, text="Ferns died.", supported=supported, reason="", evidence=evidence
    )


def evaluation(*scores: Score | Unscored) -> Evaluation:
    """The pair with these scores."""
    recipes = (read_signature("facet|judge:fair-1|v:1"),)
    return Evaluation(pair=WRITTEN, scores=scores, signatures=recipes, source=SOURCE)


def test_all_that_was_measured_is_kept() -> None:
    """Worked example: every verdict and report is made of this and of nothing else."""
    silent = Unscored(metric="faithfulness", status="unanswered", reason="cut off")
    measured = evaluation(LOST, silent)
    pair, paper = pair_result_of(measured)
    assert pair == PairResult(
        paper="moss-01",
        system="careful",
        summary=WRITTEN.summary,
        place=WRITTEN.place,
        note="source cut",
        scores=(LOST, silent),
        signatures=("facet|judge:fair-1|v:1",),
        findings=findings_of((LOST,), SOURCE),
    )
    assert pair.outcome == "error", "nothing has passed that was not decided"
    assert pair.numbers() == measured.numbers()
    assert paper == PaperRecord(
        id="moss-01",
        title="Moss and rain",
        place=PAPER.place,
        references=PAPER.references,
        digest=paper_digest(PAPER),
        source=SOURCE,
    )


def test_a_pair_that_broke_down_has_every_metric_unanswered(tmp_path: Path) -> None:
    """Nothing of it is known but why; unanswered is no refusal of the system's."""
    path = write_labelled(tmp_path).path
    least = ("facet=0.5", "eva=0.5")
    gated = gated_suite(path, None, Session({}), judge="offline", least=least)
    pair = faulty_pair(gated, "good", "kiln", "the endpoint is down")
    assert (pair.outcome, pair.fault, pair.summary) == ("error", "the endpoint is down", "")
    assert [(s.metric, s.status) for s in pair.scores if isinstance(s, Unscored)] == [
        ("facet", "unanswered"), ("eva", "unanswered"),
    ]  # fmt: skip


def test_a_pair_that_a_worker_measured_otherwise_is_an_error(tmp_path: Path) -> None:
    """Its machine may have another checkout or package; what it sends may be green by that."""
    path = write_labelled(tmp_path).path
    gated = gated_suite(path, None, Session({}), judge="offline", least=("facet=0.5",))
    summary, (mine,) = gated.suite.pair("kiln", "good").summary, gated.signatures(OfflineJudge())
    sent = replace(faulty_pair(gated, "good", "kiln", ""), summary=summary, signatures=(str(mine),))
    for result, fault in (
        (sent, ""),
        (replace(sent, summary="Other words."), "on another summary"),
        (replace(sent, signatures=("facet|judge:fair-1|v:1",)), "otherwise than this run"),
        (replace(sent, signatures=()), "otherwise than this run"),
    ):
        pair = as_ordered(TestResult(suite="s", pair=result), gated, [str(mine)]).pair
        assert pair is not None
        assert (bool(pair.fault), fault in pair.fault) == (bool(fault), True)
