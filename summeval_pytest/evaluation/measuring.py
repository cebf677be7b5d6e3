"""One pair through its metrics: its flows, driven at once, and what came out of them."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.evaluation.baselines import baseline_flow
from summeval_pytest.evaluation.encoding import encoder_of
from summeval_pytest.evaluation.numbers import Numbers, numbers_of
from summeval_pytest.evaluation.placing import segments_flow
from summeval_pytest.evaluation.stating import stated_flow
from summeval_pytest.evaluation.variants import PLAIN, recipe_of, stages_of
from summeval_pytest.metrics import (
    METRICS,
    EvaScore,
    Unscored,
    best_of,
    mean_of,
)
from summeval_pytest.metrics import eva as eva_score
from summeval_pytest.metrics import facet as facet_metric
from summeval_pytest.metrics import faithfulness as sentence_faithfulness

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.evaluation.asking import Asker
    from summeval_pytest.evaluation.baselines import BaselineName
    from summeval_pytest.evaluation.stating import StatedFacts
    from summeval_pytest.metrics import (
        FacetScore,
        Flow,
        MetricName,
        Score,
        Signature,
    )
    from summeval_pytest.metrics.conversation import Dialogue, Returned
    from summeval_pytest.questions import FacetSegments, Unanswered
    from summeval_pytest.suite import FactLabels, Pair, Paper, References, Variants


METRIC: ContextVar[str] = ContextVar("METRIC", default="")
"""The metric whose conversation is going on, for whoever counts its questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Everything that was measured on one pair.

    Attributes:
        pair: The paper and the system's summary of it.
        scores: One score, or the reason for none, for each metric measured.
        signatures: The recipe of each of them.
        source: The source's sentences, which evidence indices count.
        stated: What became of the pair's labelled facts, where they were asked about.
        baselines: The numbers beside the metrics that were asked for.
        segments: The summary's facets, where they were asked for beside the metrics.
    """

    pair: Pair
    scores: tuple[Score | Unscored, ...]
    signatures: tuple[Signature, ...]
    source: tuple[str, ...]
    stated: StatedFacts | Unscored | None = None
    baselines: Mapping[BaselineName, float | Unanswered] = field(
        default_factory=lambda: MappingProxyType({})
    )
    segments: FacetSegments | Unscored | None = None

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


@lru_cache(maxsize=64)
def _sentences(texts: tuple[str, ...]) -> tuple[str, ...]:
    return sentence_faithfulness.source_sentences(texts)


def source_of(paper: Paper) -> tuple[str, ...]:
    """The sentences of a paper's source, section by section."""
    return _sentences(tuple(section.text for section in paper.source))


def facet_flow(
    pair: Pair, *, references: References = "best", short_circuit: bool = True
) -> Flow[FacetScore]:
    """The conversation of the Facet-aware Metric about one pair."""
    paper = pair.paper
    combined = mean_of if references == "mean" else best_of
    return combined(
        tuple(
            facet_metric.measure(
                text,
                pair.summary,
                reference_facets=paper.reference_facets,
                short_circuit=short_circuit,
            )
            for text in paper.references
        )
    )


def eva_flow(
    pair: Pair, variants: Variants = PLAIN, *, short_circuit: bool = True
) -> Flow[EvaScore]:
    """The conversation of EVA-Score about one pair, in one of its variants."""
    paper = pair.paper
    encoder = encoder_of(variants.eva)
    combined = mean_of if variants.references == "mean" else best_of
    return combined(
        tuple(
            eva_score.measure(
                text,
                pair.summary,
                reference_facts=paper.reference_facts,
                entailed_recall=variants.eva.recall == "both",
                stages=stages_of(variants.eva),
                encode=None if encoder is None else encoder.encode,
                short_circuit=short_circuit,
            )
            for text in paper.references
        )
    )


async def _measure(
    metric: MetricName, pair: Pair, asker: Asker, variants: Variants, *, short_circuit: bool
) -> Score | Unscored:
    """One metric of one pair; with several references, the best counts or their mean."""
    METRIC.set(metric)
    if pair.flaw is not None:
        return Unscored(metric=metric, status=pair.flaw.status, reason=pair.flaw.reason)
    match metric:
        case "facet":
            rated = facet_flow(pair, references=variants.references, short_circuit=short_circuit)
            return await converse(rated, asker)
        case "eva":
            return await converse(eva_flow(pair, variants, short_circuit=short_circuit), asker)
        case "faithfulness":
            flow = sentence_faithfulness.measure(
                pair.summary, source_of(pair.paper), short_circuit=short_circuit
            )
            return await converse(flow, asker)


async def _stated(
    pair: Pair, asker: Asker, facts: FactLabels | None
) -> StatedFacts | Unscored | None:
    """What the judge makes of labelled facts, which are counted as EVA-Score's questions are."""
    if facts is None:
        return None
    METRIC.set("eva")
    if pair.flaw is not None:
        return Unscored(metric="eva", status=pair.flaw.status, reason=pair.flaw.reason)
    return await converse(stated_flow(pair, facts), asker)


async def _segments(pair: Pair, asker: Asker, *, wanted: bool) -> FacetSegments | Unscored | None:
    """The summary's facets, which are counted as the Facet-aware Metric's questions are."""
    if not wanted:
        return None
    METRIC.set("facet")
    return await converse(segments_flow(pair), asker)


async def _baseline(name: BaselineName, pair: Pair, asker: Asker) -> float | Unanswered:
    """A number beside the metrics; its questions are counted under its own name."""
    METRIC.set(name)
    return await converse(baseline_flow(name, pair), asker)


async def converse(flow: Dialogue[Returned], asker: Asker) -> Returned:
    """Drives one conversation to its end."""
    try:
        questions = next(flow)
        while True:
            questions = flow.send(await asker.ask(questions))
    except StopIteration as end:
        value: Returned = end.value
        return value


async def evaluate(  # noqa: PLR0913 - by keyword, each a fact of its own
    pair: Pair,
    asker: Asker,
    *,
    suite: str,
    metrics: Sequence[MetricName] = METRICS,
    variants: Variants = PLAIN,
    facts: FactLabels | None = None,
    baselines: Sequence[BaselineName] = (),
    segments: bool = False,
    short_circuit: bool = True,
) -> Evaluation:
    """Measures one pair, all its metrics at once.

    Args:
        pair: The paper and a system's summary of it.
        asker: Who asks the judge.
        suite: The suite's fingerprint, for the signatures.
        metrics: Which metrics to measure.
        variants: Which variant of each metric to measure.
        facts: Labelled facts to ask about, too.
        baselines: Which numbers beside the metrics to ask for.
        segments: Whether to ask for the summary's facets beside the metrics.
        short_circuit: Whether what a rule can answer is not asked: a summary that is its reference,
            a sentence that is copied.
    """
    source = source_of(pair.paper)
    scores, stated, others, found = await asyncio.gather(
        asyncio.gather(
            *(
                _measure(metric, pair, asker, variants, short_circuit=short_circuit)
                for metric in metrics
            )
        ),
        _stated(pair, asker, facts),
        asyncio.gather(*(_baseline(name, pair, asker) for name in baselines)),
        _segments(pair, asker, wanted=segments),
    )
    return Evaluation(
        pair=pair,
        scores=tuple(scores),
        signatures=tuple(
            recipe_of(metric, judge=asker.judge, suite=suite, variants=variants)
            for metric in metrics
        ),
        source=source,
        stated=stated,
        baselines=MappingProxyType(dict(zip(baselines, others, strict=True))),
        segments=found,
    )
