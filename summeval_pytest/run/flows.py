"""The dialogue of each metric, and the signature of its numbers, in a suite's variants."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.composed import signature_for
from summeval_pytest.judges.judge import Prompting
from summeval_pytest.metrics import eva, facet, faithfulness
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.facts import TFIDF, CheckedFact, Stages
from summeval_pytest.metrics.flow import NoScoreError, best_of, ends_unscored, mean_of
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.metrics.own import custom_flow, custom_metric, custom_signature
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.suite.file import Variants
from summeval_pytest.suite.marking import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.judges.judge import Judge, Part
    from summeval_pytest.metrics.flow import Dialogue
    from summeval_pytest.metrics.number import MetricName
    from summeval_pytest.metrics.score import Score
    from summeval_pytest.metrics.signature import Signature
    from summeval_pytest.metrics.similarity import TextEncoder
    from summeval_pytest.questions import Duty, Fact
    from summeval_pytest.suite.file import EvaVariant
    from summeval_pytest.suite.labels import FactLabel, FactLabels
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair, Paper


@lru_cache(maxsize=4)
def encoder_of(name: str | None) -> TextEncoder | None:
    """The sentence encoder that a variant of EVA-Score names; None for TF-IDF."""
    if name is None:
        return None
    encoder: TextEncoder = import_module("summeval_pytest.study.embeddings").load_encoder(
        name, option="encoder"
    )
    return encoder


def check_encoders(suites: Iterable[Suite]) -> None:
    """Load the encoders of these suites, so that a missing one stops a run at its start."""
    for suite in suites:
        try:
            encoder_of(suite.variants.eva.encoder)
        except OptionError as error:
            raise OptionError(f"{suite.shown}: {error}") from error


PLAIN: Final = Variants()
"""The variants of a suite that says nothing of them."""


def stages_of(variant: EvaVariant) -> Stages:
    """The stages of EVA-Score in the form that a suite asks for."""
    encoder = encoder_of(variant.encoder)
    return Stages(
        chains=variant.chains,
        validation=variant.validation,
        premises=variant.premises,
        relations=variant.relations,
        similarity=TFIDF if encoder is None else encoder.signature,
    )


_ASKED_BY: Final[Mapping[MetricName, tuple[Duty, ...]]] = MappingProxyType(
    {"facet": ("facets",), "eva": ("listing", "facts"), "faithfulness": ("sentences",)}
)
"""The questions of each metric; a signature names only the judges of these."""


def metric_signature(
    metric: MetricName, *, judge: Judge, suite: str, variants: Variants = PLAIN
) -> Signature:
    """The signature of a metric's numbers in a variant, by one judge, on one suite's papers.

    Prompts that only a variant needs have a hash of their own, ``prompts``. A new prompt of a
    variant then leaves all other numbers comparable.
    """
    if metric not in METRICS:
        options = variants.options_of(metric)
        return custom_signature(metric, custom_metric(metric, options), options, suite)
    variant: dict[str, str] = {}
    if metric != "faithfulness" and variants.references != "best":
        variant["references"] = variants.references
    if metric == "eva":
        variant |= stages_of(variants.eva).recipe()
        parts: list[Part] = ["chain"] if variants.eva.validation == "chain" else []
        parts += ["relations"] if variants.eva.relations is not None else []
        if parts and isinstance(judge, Prompting) and (prompts := judge.prompts_for(tuple(parts))):
            variant["prompts"] = prompts
    signature = signature_for(judge, _ASKED_BY[metric])
    return signature_of(metric, judge=signature, suite=suite, variant=variant)


def metric_flow(
    metric: MetricName, pair: Pair, variants: Variants = PLAIN, *, short_circuit: bool = True
) -> Dialogue[Score | Unscored]:
    """The dialogue of one metric; of several references, the best counts or their mean."""
    if pair.flaw is not None:
        return Unscored(metric=metric, status=pair.flaw.status, reason=pair.flaw.reason)
    paper, references, summary = pair.paper, pair.paper.references, pair.summary
    combine = mean_of if variants.references == "mean" else best_of
    match metric:
        case "facet":
            rate = partial(
                facet.measure,
                summary=summary,
                reference_facets=paper.reference_facets,
                reference_facts=paper.reference_facts or (),
                short_circuit=short_circuit,
            )
            return (yield from combine(tuple(rate(text) for text in references)))
        case "eva":
            encoder = encoder_of(variants.eva.encoder)
            match_facts = partial(
                eva.measure,
                summary=summary,
                reference_facts=paper.reference_facts,
                entailed_recall=variants.eva.recall == "both",
                stages=stages_of(variants.eva),
                encode=None if encoder is None else encoder.encode,
                short_circuit=short_circuit,
            )
            return (yield from combine(tuple(match_facts(text) for text in references)))
        case "faithfulness":
            source = source_of(paper)
            return (
                yield from faithfulness.measure(
                    summary, source, references=references, short_circuit=short_circuit
                )
            )
        case _:
            own = custom_metric(metric, variants.options_of(metric))
            sections = tuple(section.text for section in paper.source)
            return (yield from custom_flow(metric, own, summary, references, sections))


def source_of(paper: Paper) -> tuple[str, ...]:
    """The sentences of a paper's source, section by section; evidence indices count them."""
    return _sentences(tuple(section.text for section in paper.source))


_sentences = lru_cache(maxsize=64)(faithfulness.source_sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFacts:
    """The checks of labelled facts in the order of the labels, each against the other text."""

    reference: tuple[CheckedFact, ...] = ()
    candidate: tuple[CheckedFact, ...] = ()


@ends_unscored("eva")
def stated_flow(pair: Pair, facts: FactLabels) -> Dialogue[StatedFacts]:
    """The dialogue about the labelled facts of one pair."""
    check_flaw(pair)
    covered = yield from eva.check_stated(
        _texts(facts.reference), cut(pair.summary), every_premise=False
    )
    supported = yield from eva.check_stated(
        _texts(facts.candidate), _premises(pair, facts), every_premise=True
    )
    return StatedFacts(reference=covered, candidate=supported)


def _texts(facts: Iterable[Fact | FactLabel]) -> tuple[str, ...]:
    return tuple(fact.text for fact in facts)


def _premises(pair: Pair, facts: FactLabels) -> tuple[str, ...]:
    """The reviewed facts of the reference, else the labelled ones, else its sentences."""
    if pair.paper.reference_facts is not None:
        return _texts(pair.paper.reference_facts)
    return _texts(facts.reference) or tuple(s for t in pair.paper.references for s in cut(t))


def check_flaw(pair: Pair) -> None:
    """End a dialogue about a summary that its endpoint withheld."""
    if pair.flaw is not None:
        raise NoScoreError(pair.flaw.reason, pair.flaw.status)
