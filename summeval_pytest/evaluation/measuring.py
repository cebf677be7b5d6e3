"""One pair through its metrics: its flows, driven at once, and what came out of them."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.metrics import (
    METRICS,
    EvaScore,
    FaithfulnessScore,
    Unscored,
    best_of,
    signature_of,
)
from summeval_pytest.metrics import eva as eva_score
from summeval_pytest.metrics import facet as facet_metric
from summeval_pytest.metrics import faithfulness as sentence_faithfulness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.evaluation.asking import Asker
    from summeval_pytest.metrics import (
        FacetScore,
        Flow,
        MetricName,
        Score,
        ScoreT,
        Signature,
    )
    from summeval_pytest.suite import EvaRecall, Pair, Paper


METRIC: ContextVar[str] = ContextVar("METRIC", default="")
"""The metric whose conversation is going on, for whoever counts its questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers of one pair, by the names that thresholds use; small enough to keep for all.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        values: Every number of the scored metrics.
        unscored: The metrics without a score.
        sizes: How much the summary says, which no threshold holds: its words, and, by number, how
            many of its pieces are right (the numerators of EVA precision and of faithfulness).
    """

    paper: str
    system: str
    values: Mapping[str, float | None]
    unscored: tuple[Unscored, ...]
    sizes: Mapping[str, int]

    def lacking(self, metric: MetricName) -> Unscored | None:
        """Why a metric has no score; None where it has one."""
        return next((lack for lack in self.unscored if lack.metric == metric), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Everything that was measured on one pair.

    Attributes:
        pair: The paper and the system's summary of it.
        scores: One score, or the reason for none, for each metric measured.
        signatures: The recipe of each of them.
        source: The source's sentences, which evidence indices count.
    """

    pair: Pair
    scores: tuple[Score | Unscored, ...]
    signatures: tuple[Signature, ...]
    source: tuple[str, ...]

    @property
    def paper(self) -> str:
        """The paper's id."""
        return self.pair.paper.id

    @property
    def system(self) -> str:
        """The system's name."""
        return self.pair.system

    def score(self, metric: MetricName) -> Score | Unscored:
        """What one metric came to.

        Raises:
            KeyError: if it was not measured.
        """
        for score in self.scores:
            if score.metric == metric:
                return score
        raise KeyError(metric)

    def numbers(self) -> Numbers:
        """Its numbers without their evidence."""
        return numbers_of(self.paper, self.system, self.pair.summary, self.scores)


def numbers_of(
    paper: str, system: str, summary: str, scores: Sequence[Score | Unscored]
) -> Numbers:
    """The numbers of a pair without their evidence."""
    values: dict[str, float | None] = {}
    sizes = {"words": len(summary.split())}
    for score in scores:
        match score:
            case EvaScore():
                sizes["eva.precision"] = sum(fact.holds is True for fact in score.candidate)
            case FaithfulnessScore():
                sizes["faithfulness"] = sum(s.supported is True for s in score.sentences)
            case _:
                pass
        if not isinstance(score, Unscored):
            values.update(score.values())
    return Numbers(
        paper=paper,
        system=system,
        values=MappingProxyType(values),
        unscored=tuple(score for score in scores if isinstance(score, Unscored)),
        sizes=MappingProxyType(sizes),
    )


@lru_cache(maxsize=64)
def _sentences(texts: tuple[str, ...]) -> tuple[str, ...]:
    return sentence_faithfulness.source_sentences(texts)


def source_of(paper: Paper) -> tuple[str, ...]:
    """The sentences of a paper's source, section by section."""
    return _sentences(tuple(section.text for section in paper.source))


def facet_flow(pair: Pair) -> Flow[FacetScore]:
    """The conversation of the Facet-aware Metric about one pair."""
    paper = pair.paper
    return best_of(
        tuple(
            facet_metric.measure(text, pair.summary, reference_facets=paper.reference_facets)
            for text in paper.references
        )
    )


def eva_flow(pair: Pair, recall: EvaRecall = "both") -> Flow[EvaScore]:
    """The conversation of EVA-Score about one pair."""
    paper = pair.paper
    return best_of(
        tuple(
            eva_score.measure(
                text,
                pair.summary,
                reference_facts=paper.reference_facts,
                entailed_recall=recall == "both",
            )
            for text in paper.references
        )
    )


async def _measure(
    metric: MetricName, pair: Pair, source: tuple[str, ...], asker: Asker, recall: EvaRecall
) -> Score | Unscored:
    """One metric of one pair; with several references, the best counts."""
    METRIC.set(metric)
    if pair.flaw is not None:
        return Unscored(metric=metric, status=pair.flaw.status, reason=pair.flaw.reason)
    match metric:
        case "facet":
            return await converse(facet_flow(pair), asker)
        case "eva":
            return await converse(eva_flow(pair, recall), asker)
        case "faithfulness":
            flow = sentence_faithfulness.measure(pair.summary, source)
            return await converse(flow, asker)


async def converse(flow: Flow[ScoreT], asker: Asker) -> ScoreT | Unscored:
    """Drives one conversation to its end."""
    try:
        questions = next(flow)
        while True:
            questions = flow.send(await asker.ask(questions))
    except StopIteration as end:
        score: ScoreT | Unscored = end.value
        return score


async def evaluate(
    pair: Pair,
    asker: Asker,
    *,
    suite: str,
    metrics: Sequence[MetricName] = METRICS,
    recall: EvaRecall = "both",
) -> Evaluation:
    """Measures one pair, all its metrics at once.

    Args:
        pair: The paper and a system's summary of it.
        asker: Who asks the judge.
        suite: The suite's fingerprint, for the signatures.
        metrics: Which metrics to measure.
        recall: Whether EVA-Score also checks the reference's facts against the summary.
    """
    source = source_of(pair.paper)
    scores = await asyncio.gather(
        *(_measure(metric, pair, source, asker, recall) for metric in metrics)
    )
    judge = asker.judge.signature
    return Evaluation(
        pair=pair,
        scores=tuple(scores),
        signatures=tuple(signature_of(metric, judge=judge, suite=suite) for metric in metrics),
        source=source,
    )
