"""One pair through its metrics: its flows, driven at once, and what came out of them."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, get_args

from summeval_pytest.errors import JudgeError, OptionError, SuiteError, UsageError
from summeval_pytest.judges.judge import Prompting
from summeval_pytest.metrics import eva as eva_score
from summeval_pytest.metrics import facet as facet_metric
from summeval_pytest.metrics import faithfulness as sentence_faithfulness
from summeval_pytest.metrics.baselines import measure_by_one_prompt, measure_directly
from summeval_pytest.metrics.eva import check_stated, f1
from summeval_pytest.metrics.facet import facets_of, is_held
from summeval_pytest.metrics.facts import TFIDF, Stages
from summeval_pytest.metrics.flow import NoAnswerError, ask, best_of, mean_of
from summeval_pytest.metrics.score import (
    CATALOGUE,
    CONFLICTS,
    METRICS,
    SUPPORT,
    CheckedFact,
    EvaScore,
    FaithfulnessScore,
    Unscored,
)
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.questions import (
    FacetRatings,
    FacetSegments,
    FactChecks,
    SegmentFacets,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.suite.file import Variants
from summeval_pytest.suite.lines import brief
from summeval_pytest.suite.marking import cut
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from summeval_pytest.judges.judge import Judge, Part
    from summeval_pytest.metrics.baselines import DirectRating, PromptOnlyScore
    from summeval_pytest.metrics.embeddings import EncoderEncoder
    from summeval_pytest.metrics.flow import Dialogue, Flow, Returned
    from summeval_pytest.metrics.score import FacetScore, Fault, MetricName, Score
    from summeval_pytest.metrics.signature import Signature
    from summeval_pytest.questions import Answer, Facet, Question
    from summeval_pytest.suite.file import EvaVariant, References
    from summeval_pytest.suite.labels import FactLabels, Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair, Paper

    Measure = Callable[[str, str], Dialogue[DirectRating | PromptOnlyScore | Unanswered]]


@lru_cache(maxsize=4)
def _loaded(name: str) -> EncoderEncoder:
    from summeval_pytest.metrics.embeddings import load_encoder

    return load_encoder(name, option="encoder")


def encoder_of(variant: EvaVariant) -> EncoderEncoder | None:
    """What tells which facts are similar in a variant of EVA-Score; None for TF-IDF.

    Raises:
        OptionError: if the model or its package is not on this machine.
    """
    return None if variant.encoder is None else _loaded(variant.encoder)


def check_encoders(suites: Iterable[Suite]) -> None:
    """Reads the encoders of these suites, so that one that is missing stops a run at its start.

    Raises:
        OptionError: if one is not on this machine, with the suite that names it.
    """
    for suite in suites:
        try:
            encoder_of(suite.variants.eva)
        except OptionError as error:
            raise OptionError(f"{suite.shown}: {error}") from error


PLAIN: Final = Variants()
"""What a suite asks for that says nothing of variants."""


def stages_of(variant: EvaVariant) -> Stages:
    """The stages of EVA-Score in the form that a suite asks for.

    Raises:
        OptionError: if the suite's encoder is not on this machine.
    """
    encoder = encoder_of(variant)
    return Stages(
        chains=variant.chains,
        validation=variant.validation,
        premises=variant.premises,
        relations=variant.relations,
        similarity=TFIDF if encoder is None else encoder.signature,
    )


def recipe_of(
    metric: MetricName, *, judge: Judge, suite: str, variants: Variants = PLAIN
) -> Signature:
    """The recipe of a metric's numbers in a variant, under one judge, on one suite's papers.

    A judge's signature covers what it asks by default. What only a variant asks has a hash of its
    own, ``prompts``, in the recipe of the metric that asks it, so that a new prompt of a variant
    leaves everybody else's numbers comparable.

    Args:
        metric: Which metric.
        judge: Who answers.
        suite: The fingerprint of the suite's papers.
        variants: What the suite asks for.
    """
    told: dict[str, str] = {}
    if metric != "faithfulness" and variants.references != "best":
        told["references"] = variants.references
    if metric == "eva":
        told |= stages_of(variants.eva).recipe()
        parts = _parts(variants.eva)
        if parts and isinstance(judge, Prompting):
            told["prompts"] = judge.prompts_for(parts)
    return signature_of(metric, judge=judge.signature, suite=suite, variant=told)


def _parts(variant: EvaVariant) -> tuple[Part, ...]:
    """What the variant asks a judge beyond its usual questions."""
    parts: list[Part] = []
    if variant.validation == "chain":
        parts.append("chain")
    if variant.relations is not None:
        parts.append("relations")
    return tuple(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFacts:
    """One check a labelled fact, in the order of the labels.

    Attributes:
        reference: Whether each fact of the reference follows from the summary.
        candidate: Whether each fact of the summary follows from the reference.
    """

    reference: tuple[CheckedFact, ...] = ()
    candidate: tuple[CheckedFact, ...] = ()


def stated_flow(pair: Pair, facts: FactLabels) -> Dialogue[StatedFacts | Unscored]:
    """The conversation about the labelled facts of one pair."""
    try:
        covered: tuple[CheckedFact, ...] = ()
        supported: tuple[CheckedFact, ...] = ()
        if facts.reference:
            texts = tuple(fact.text for fact in facts.reference)
            covered = yield from check_stated(texts, cut(pair.summary), every_premise=False)
        if facts.candidate:
            texts = tuple(fact.text for fact in facts.candidate)
            supported = yield from check_stated(texts, _premises(pair, facts), every_premise=True)
    except NoAnswerError as fault:
        return Unscored(metric="eva", status="unanswered", reason=str(fault))
    return StatedFacts(reference=covered, candidate=supported)


def _premises(pair: Pair, facts: FactLabels) -> tuple[str, ...]:
    """What the reference states: its reviewed facts, else the labelled ones, else its sentences."""
    if pair.paper.reference_facts is not None:
        return tuple(fact.text for fact in pair.paper.reference_facts)
    if facts.reference:
        return tuple(fact.text for fact in facts.reference)
    return tuple(s for text in pair.paper.references for s in cut(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleAnswer:
    """One sentence with a labelled role.

    Attributes:
        right: The facets that are right, at least one.
        answer: The facet in whose segment the judge has the sentence; None for none of them.
    """

    right: tuple[Facet, ...]
    answer: Facet | None


def segments_flow(pair: Pair) -> Dialogue[FacetSegments | Unscored]:
    """The conversation about the facets of a summary, for their own sake."""
    if pair.flaw is not None:
        return Unscored(metric="facet", status=pair.flaw.status, reason=pair.flaw.reason)
    try:
        (segments,) = yield from ask(FacetSegments, SegmentFacets(normalise(pair.summary)))
    except NoAnswerError as fault:
        return Unscored(metric="facet", status="unanswered", reason=str(fault))
    return segments


def role_answers(label: Label, evaluation: Evaluation) -> tuple[RoleAnswer, ...]:
    """The labelled sentences of a pair that state a facet, in the order of the label.

    Nothing where no segments were asked for, or the judge gave none.

    Raises:
        SuiteError: for a role of a sentence that the summary does not have.
    """
    segments = evaluation.segments
    check_roles(label, evaluation.pair.summary)
    if not isinstance(segments, FacetSegments):
        return ()
    stating = [role for role in label.roles or () if role.facets]
    placed = facets_of((normalise(role.text) for role in stating), segments)
    return tuple(
        RoleAnswer(right=role.facets, answer=answer)
        for role, answer in zip(stating, placed, strict=True)
    )


def check_roles(label: Label, summary: str) -> None:
    """Refuses a role of a sentence that the summary does not have, word for word.

    Raises:
        SuiteError: naming the label's line.
    """
    text = normalise(summary)
    for role in label.roles or ():
        if not is_held(normalise(role.text), text):
            raise SuiteError(
                label.place,
                f"a role of system {label.system!r} on paper {label.paper!r} is of the sentence"
                f" {brief(role.text)}, which the summary does not have; copy it word for word",
            )


def supposed(scores: Sequence[Score | Unscored], *, right: bool) -> dict[str, float]:
    """By name, the numbers with unanswered pieces, each of these taken as right or as wrong."""
    found: dict[str, float] = {}
    for score in scores:
        match score:
            case EvaScore(by_reference=(_, *_) as each):
                found |= _mean_supposed(each, right=right)
            case FaithfulnessScore():
                held = [sentence.supported for sentence in score.sentences]
                found |= _share_held("faithfulness", held, right=right)
                found |= _support(score, right=right) | _conflicts(score, right=right)
            case EvaScore():
                found |= _eva(score, right=right)
            case _:
                pass
    return found


def _mean_supposed(scores: Sequence[EvaScore], *, right: bool) -> dict[str, float]:
    """Means over several references; a reference without unanswered pieces keeps its numbers."""
    found = [supposed([score], right=right) for score in scores]
    means: dict[str, float] = {}
    for name in dict.fromkeys(name for each in found for name in each):
        values = [
            value
            for score, each in zip(scores, found, strict=True)
            if (value := each.get(name, score.values().get(name))) is not None
        ]
        means[name] = sum(values) / len(values)
    return means


def _eva(score: EvaScore, *, right: bool) -> Mapping[str, float]:
    """Precision, both recalls and F1.

    A wrong fact matches nothing. A right one of the summary matches a fact of the reference that no
    other does.
    """
    candidate = [fact.holds for fact in score.candidate]
    reference = [fact.holds for fact in score.reference]
    n_open, n_open_reference = candidate.count(None), reference.count(None)
    if not n_open and not n_open_reference:
        return {}
    found = _share_held("eva.precision", candidate, right=right)
    if score.recall_entailed is not None:
        found |= _share_held("eva.recall_entailed", reference, right=right)
    recall = score.recall
    if reference:
        n_more = n_open + n_open_reference if right else 0
        n_matched = min(len(reference), len(score.matched) + n_more)
        reached = n_matched / len(reference)
        recall = max(recall, reached) if right else min(recall, reached)
    if recall != score.recall:
        found["eva.recall"] = recall
    precision = found.get("eva.precision", score.precision or 0.0)
    if "eva.precision" in found or "eva.recall" in found:
        found["eva"] = f1(precision, recall)
    return found


def _support(score: FaithfulnessScore, *, right: bool) -> dict[str, float]:
    """The mean support with 0, or 1, for each unanswered sentence."""
    n_open = sum(sentence.supported is None for sentence in score.sentences)
    if score.support is None or not n_open:
        return {}
    total = score.support * (len(score.sentences) - n_open) + (n_open if right else 0)
    return {SUPPORT: total / len(score.sentences)}


def _conflicts(score: FaithfulnessScore, *, right: bool) -> dict[str, float]:
    """The conflicts with one more for each unanswered sentence that is wrong."""
    n_open = sum(s.supported is None and not s.number_conflict for s in score.sentences)
    if score.conflicts is None or not n_open or right:
        return {}
    return {CONFLICTS: float(score.conflicts + n_open)}


def _share_held(name: str, pieces: Sequence[bool | None], *, right: bool) -> dict[str, float]:
    if None not in pieces:
        return {}
    return {name: sum(right if piece is None else piece for piece in pieces) / len(pieces)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers of one pair, by the names that thresholds use; small enough to keep for all.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        values: Every number of the scored metrics.
        unscored: The metrics without a score.
        sizes: How much the summary says, which no threshold holds: its words, and, by number, how
            many of its pieces are right (the numerators of EVA precision and of faithfulness);
            ``sentences`` is the denominator of faithfulness, ``unanswered`` the sentences that are
            not in it.
        worst: Of the numbers with pieces that the judge left unanswered, what they would be if each
            of these were wrong.
        best: The same if each of these were right.
    """

    paper: str
    system: str
    values: Mapping[str, float | None]
    unscored: tuple[Unscored, ...]
    sizes: Mapping[str, int]
    worst: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    best: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def lacking(self, metric: MetricName) -> Unscored | None:
        """Why a metric has no score; None where it has one."""
        return next((lack for lack in self.unscored if lack.metric == metric), None)

    def supposed(self, *, right: bool = False, by: Fault | None = None) -> Numbers:
        """The same with what is missing taken as wrong, or as right.

        That is the pieces that the judge left unanswered, and the best or worst of its range for
        every number without a value.

        Args:
            right: Whether it is taken as right.
            by: Whose silence is meant: the judge's, or that of a system which gave nothing to
                count; None for both.
        """
        values, sizes = dict(self.values), dict(self.sizes)
        n_open = sizes.pop("unanswered", 0) if by != "system" else 0
        if by != "system":
            values |= self.best if right else self.worst
        if n_open:
            sizes["sentences"] += n_open
            sizes["faithfulness"] += n_open if right else 0
        missing = {name for name, value in values.items() if value is None and by != "judge"}
        lacking = {lack.metric for lack in self.unscored if by in {None, lack.fault}}
        missing |= {name for name, named in CATALOGUE.items() if named.metric in lacking}
        values |= {n: CATALOGUE[n].best if right else CATALOGUE[n].worst for n in missing}
        return replace(self, values=MappingProxyType(values), sizes=MappingProxyType(sizes))


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
                sizes["sentences"] = sum(s.supported is not None for s in score.sentences)
                if n_open := len(score.sentences) - sizes["sentences"]:
                    sizes["unanswered"] = n_open
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
        worst=MappingProxyType(supposed(scores, right=False)),
        best=MappingProxyType(supposed(scores, right=True)),
    )


BaselineName = Literal["direct", "one-prompt"]
BASELINES: Final[tuple[BaselineName, ...]] = get_args(BaselineName)
"""``direct`` is one rating of the whole summary (FM, section 5.2), ``one-prompt`` the F1 of facts
that one prompt counts (EVA-Score, Table 17)."""

_MEASURES: Final[Mapping[BaselineName, Measure]] = MappingProxyType(
    {"direct": measure_directly, "one-prompt": measure_by_one_prompt}
)


def baseline_flow(name: BaselineName, pair: Pair) -> Dialogue[float | Unanswered]:
    """The conversation about one pair; of several references, the best counts.

    It ends in `Unanswered` where there is no number, on any of the references.
    """
    if pair.flaw is not None:
        return Unanswered(pair.flaw.reason)
    values = []
    for reference in pair.paper.references:
        found = yield from _MEASURES[name](reference, pair.summary)
        if isinstance(found, Unanswered):
            return found
        values.append(found.value)
    return max(values)


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


REMEMBERED: Final = 512
"""How many answers one process keeps: enough that a reference is asked about once for all systems
while its papers are at hand, and little enough for suites of any size."""


def is_whole(answer: Answer) -> bool:
    """Whether an answer leaves nothing unanswered; only such an answer is remembered."""
    match answer:
        case Unanswered():
            return False
        case FacetRatings(items) | FactChecks(items) | SentenceChecks(items):
            return not any(isinstance(item, Unanswered) for item in items)
        case _:
            return True


class Asker:
    """One judge, asked by many flows of one event loop."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._answers: dict[Question, asyncio.Future[Answer]] = {}

    async def ask(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The answers to questions, in order; those asked before or just now are not asked again.

        Raises:
            JudgeError: if the judge returns another number of answers than it was asked for, or
                breaks down.
            UsageError: if the judge finds that the user has to mend something: a key, the store.
        """
        loop = asyncio.get_running_loop()
        new = tuple(q for q in dict.fromkeys(questions) if q not in self._answers)
        for question in new:
            self._answers[question] = loop.create_future()
        waiting = [self._answers[question] for question in questions]
        if new:
            await self._answer(new)
        answers = tuple([await asyncio.shield(future) for future in waiting])
        self._forget()
        return answers

    async def _answer(self, questions: tuple[Question, ...]) -> None:
        """Has the judge answer, and hands a failure to everyone who waits; it is not remembered."""
        try:
            answers = self._one_each(questions, await self._answered(questions))
        except BaseException as error:
            for question in questions:
                future = self._answers.pop(question)
                future.set_exception(error)
                future.exception()  # marks it as seen: not every future has a second waiter
            raise
        for question, answer in zip(questions, answers, strict=True):
            self._answers[question].set_result(answer)
            if not is_whole(answer):
                del self._answers[question]

    async def _answered(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """What the judge returns; whatever it raises instead is the judge's fault, or the user's.

        A judge is anybody's code: what it raises, `SystemExit` too, must end one test and not the
        loop that all tests share.
        """
        try:
            return tuple(await self.judge.answer(questions))
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise self._broken(error) from error
        except UsageError:
            raise
        except (Exception, SystemExit) as error:
            raise self._broken(error) from error

    def _broken(self, error: BaseException) -> JudgeError:
        told = one_line(f"{type(error).__name__}: {error}")
        return JudgeError(f"judge {self.judge.signature!r} broke down: {told}")

    def _one_each(
        self, questions: tuple[Question, ...], answers: tuple[Answer, ...]
    ) -> tuple[Answer, ...]:
        if len(answers) != len(questions):
            raise JudgeError(
                f"judge {self.judge.signature!r} gave {len(answers)} answers to"
                f" {len(questions)} questions; it owes one for each, in order"
            )
        return answers

    def _forget(self) -> None:
        while len(self._answers) > REMEMBERED:
            oldest = next(iter(self._answers))
            if not self._answers[oldest].done():
                return
            del self._answers[oldest]
