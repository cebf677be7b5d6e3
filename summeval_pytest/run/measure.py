"""Measure one pair: drive the dialogues of its metrics and keep their scores.

One `Asker` serves all flows of a loop, so each question reaches the judge once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

from summeval_pytest.errors import JudgeError, OptionError, StoppedError, UsageError
from summeval_pytest.judges.composed import signature_for
from summeval_pytest.judges.judge import Judge
from summeval_pytest.metrics import eva, facet, faithfulness
from summeval_pytest.metrics.catalogue import (
    METRICS,
    Score,
    custom_metric,
    custom_numbers,
    findings_of,
)
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.flow import (
    Dialogue,
    NoScoreError,
    Returned,
    best_of,
    ends_unscored,
    mean_of,
)
from summeval_pytest.metrics.number import CustomNumbers, Finding, MetricName, Unscored, rank
from summeval_pytest.metrics.own import custom_flow
from summeval_pytest.metrics.signature import Signature, custom_signature, signature_of
from summeval_pytest.questions import (
    Answer,
    Duty,
    FacetRatings,
    Fact,
    FactChecks,
    Question,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.run.pair_numbers import Numbers, numbers_of
from summeval_pytest.suite.file import Variants
from summeval_pytest.suite.labels import FactLabel, FactLabels, cut
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Pair, Paper
from summeval_pytest.text.printing import raised
from summeval_pytest.text.reading import normalise, read
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import tokens


def check_variants(suites: Iterable[Suite]) -> None:
    """Refuse a variant that this machine cannot measure, at the start of a run."""
    for suite in suites:
        try:
            if suite.variants.eva is not None:
                suite.variants.eva.load()
        except OptionError as error:
            raise OptionError(f"{suite.shown}: {error}") from error


PLAIN: Final = Variants()
"""The variants of a suite that says nothing of them."""


_ASKED_BY: Final[Mapping[MetricName, tuple[Duty, ...]]] = {
    "facet": ("facets",),
    "eva": ("listing", "facts"),
    "faithfulness": ("sentences",),
}
"""The questions of each metric; a signature names only the judges of these."""


def metric_signature(
    metric: MetricName, *, judge: Judge, suite: str, variants: Variants = PLAIN
) -> Signature:
    """The signature of a metric's numbers in a variant, by one judge, on one suite's papers."""
    if metric not in METRICS:
        options = variants.options_of(metric)
        return custom_signature(metric, custom_metric(metric, options), options, suite)
    variant: dict[str, str] = {}
    if metric != "faithfulness" and variants.references != "best":
        variant["references"] = variants.references
    if metric == "eva" and variants.eva is not None:
        variant |= variants.eva.recipe(judge)
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
            ratings = [
                facet.measure(
                    reference,
                    summary,
                    reference_facets=paper.reference_facets,
                    reference_facts=paper.reference_facts or (),
                    short_circuit=short_circuit,
                )
                for reference in references
            ]
            return (yield from combine(tuple(ratings)))
        case "eva":
            measure = eva.measure if variants.eva is None else variants.eva.measure
            matches = [
                measure(
                    reference,
                    summary,
                    reference_facts=paper.reference_facts,
                    entailed_recall=variants.eva_recall == "both",
                    short_circuit=short_circuit,
                )
                for reference in references
            ]
            return (yield from combine(tuple(matches)))
        case "faithfulness":
            checks = faithfulness.measure(
                summary, source_of(paper), references=references, short_circuit=short_circuit
            )
            return (yield from checks)
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
    """The checks of labelled facts in the order of the labels.

    Facts of the reference are checked against the summary, those of the summary against the
    reference.
    """

    reference: tuple[CheckedFact, ...] = ()
    candidate: tuple[CheckedFact, ...] = ()


@ends_unscored("eva")
def stated_flow(pair: Pair, facts: FactLabels) -> Dialogue[StatedFacts]:
    """The dialogue about the labelled facts of one pair."""
    check_flaw(pair)
    stated, reviewed = _texts(facts.reference), pair.paper.reference_facts
    reference = normalise(next(iter(pair.paper.references), ""))
    covered = yield from eva.check_stated(
        stated, cut(pair.summary), every_premise=False, reference=reference
    )
    # the reviewed facts of the reference, else the labelled ones, else its sentences
    premises = stated or tuple(s for text in pair.paper.references for s in cut(text))
    premises = premises if reviewed is None else _texts(reviewed)
    supported = yield from eva.check_stated(
        _texts(facts.candidate), premises, every_premise=True, reference=reference
    )
    return StatedFacts(reference=covered, candidate=supported)


def _texts(facts: Iterable[Fact | FactLabel]) -> tuple[str, ...]:
    return tuple(fact.text for fact in facts)


def check_flaw(pair: Pair) -> None:
    """End a dialogue about a summary that its endpoint withheld."""
    if pair.flaw is not None:
        raise NoScoreError(pair.flaw.reason, pair.flaw.status)


class Extra(NamedTuple):
    """A dialogue beside the metrics; calls are counted under its name."""

    name: str
    flow: Callable[[Pair], Dialogue[object]]


METRIC: ContextVar[str] = ContextVar("METRIC", default="")
"""The metric of the current dialogue; `run.plan` counts calls under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Everything that was measured on one pair.

    Attributes:
        scores: One score, or the reason for none, for each metric measured.
        signatures: The recipe of each of them.
        source: The source's sentences, which evidence indices count.
        stated: The checks of labelled facts; None where none were requested.
        extras: The results of further dialogues, by name.
    """

    pair: Pair
    scores: tuple[Score | Unscored, ...]
    signatures: tuple[Signature, ...]
    source: tuple[str, ...]
    stated: StatedFacts | Unscored | None = None
    extras: Mapping[str, object] = field(default_factory=dict)

    @property
    def paper(self) -> str:
        """The paper's id."""
        return self.pair.paper.id

    @property
    def system(self) -> str:
        """The system's name."""
        return self.pair.system

    @property
    def name(self) -> str:
        """System and paper, as far as they have names."""
        return " on ".join(filter(None, (self.system, self.paper))) or "summary"

    def score(self, metric: MetricName) -> Score | Unscored:
        """What one metric came to; a KeyError if it was not measured."""
        return {score.metric: score for score in self.scores}[metric]

    @property
    def custom(self) -> CustomNumbers:
        """The numbers of the custom metrics among its own."""
        return custom_numbers(score.metric for score in self.scores)

    def numbers(self) -> Numbers:
        """Its numbers without their evidence."""
        return numbers_of(self.paper, self.system, self.scores, self.custom)

    def findings(self, *, with_evidence: bool = True) -> tuple[Finding, ...]:
        """Everything that is wrong with the summary, the worst first.

        To find evidence, all words of the source are compared; nobody needs that who shows none.
        """
        references = self.pair.paper.references
        facts: dict[tuple[str, str], tuple[Fact, tuple[str, ...]]] = {}
        judged = faithfulness.judged_sentences(self.scores)
        for score in self.scores:
            if isinstance(score, eva.EvaScore):
                for number, checks, texts in (
                    ("eva.precision", score.candidate, (self.pair.summary,)),
                    ("eva.recall", score.reference, references),
                ):
                    facts |= {(number, c.fact.text): (c.fact, texts) for c in checks}

        def told(finding: Finding) -> Finding:
            text = finding.reference if finding.number == "eva.recall" else finding.summary
            known = facts.get((finding.number, text or ""))
            if known:
                finding = replace(finding, sentence=_cut_from(*known))
            note, severity = "", finding.severity
            if finding.kind == "facet" and not finding.conflict:
                note = faithfulness.conflict_note(judged, finding.summary)
            elif known and finding.number == "eva.precision" and not finding.conflict:
                note = faithfulness.source_note(judged.get(known[0].sentence), holds=False)
                severity = 0.0 if note else severity
            return replace(finding, verdict=finding.verdict + note, severity=severity)

        found = findings_of(self.scores, self.source if with_evidence else ())
        return tuple(sorted(map(told, found), key=rank))


def _cut_from(fact: Fact, texts: Iterable[str]) -> str:
    """The sentence that a fact is a part of, word by word; empty where there is none."""
    for text in texts:
        sentences = sentence_texts(read(text).text)
        sentence = sentences[fact.sentence] if 0 <= fact.sentence < len(sentences) else ""
        if fact.text != sentence and {*tokens(fact.text)} <= {*tokens(sentence)}:
            return sentence
    return ""


async def converse(flow: Dialogue[Returned], asker: Asker, name: str = "") -> Returned:
    """Drive one dialogue to its end; its calls are counted under the name.

    Raises:
        StoppedError: for a KeyboardInterrupt, which would end the loop that all tests share.
    """
    METRIC.set(name)
    try:
        questions = next(flow)
        while True:
            questions = flow.send(await asker.ask(questions))
    except StopIteration as end:
        value: Returned = end.value
        return value
    except KeyboardInterrupt as error:
        raise StoppedError(str(error)) from error


REMEMBERED: Final = 512
"""Answers that one process keeps: enough to ask about a reference once for all systems."""


def is_whole(answer: Answer) -> bool:
    """Whether an answer answers every item; only such an answer is remembered."""
    match answer:
        case Unanswered():
            return False
        case FacetRatings(items) | FactChecks(items) | SentenceChecks(items):
            return not any(isinstance(item, Unanswered) for item in items)
        case _:
            return True


class _Asked:
    """Questions that were asked at once, and how many flows wait for the answers."""

    def __init__(self, answers: Coroutine[None, None, tuple[Answer, ...]]) -> None:
        self.task = asyncio.create_task(answers)
        self._n_waiting = 0

    async def answers(self) -> tuple[Answer, ...]:
        """The answers; nobody is asked any more if all who wait are cancelled."""
        self._n_waiting += 1
        try:
            return await asyncio.shield(self.task)
        finally:
            self._n_waiting -= 1
            if not self._n_waiting:
                self.task.cancel()


class Asker:
    """One judge, asked by many flows of one event loop."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._calls: dict[Question, tuple[_Asked, int]] = {}

    async def ask(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The answers to questions, in order; a repeated question is not asked again.

        A failure reaches everyone who waits. It is not remembered, and nor is an answer that is not
        whole.

        Raises:
            JudgeError: if the judge gives too few or too many answers, or raises an error.
            UsageError: if the user has to mend something: a key, the store.
            StoppedError: for a KeyboardInterrupt, which would end the loop that all tests share.
        """
        if new := tuple(dict.fromkeys(q for q in questions if q not in self._calls)):
            call = _Asked(self._settle(new))
            self._calls |= {question: (call, place) for place, question in enumerate(new)}
        places = [self._calls[question] for question in questions]
        calls = list(dict.fromkeys(call for call, _ in places))
        by_call = dict(zip(calls, await asyncio.gather(*(c.answers() for c in calls)), strict=True))
        while len(self._calls) > REMEMBERED:
            oldest = next(iter(self._calls))
            if not self._calls[oldest][0].task.done():
                break
            del self._calls[oldest]
        return tuple(by_call[call][place] for call, place in places)

    async def _settle(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Asks the judge, and forgets what is of no use to a later flow."""
        answers: tuple[Answer | None, ...] = (None,) * len(questions)
        try:
            answers = given = await self._ask_judge(questions)  # ``given`` has no None
        finally:
            for question, answer in zip(questions, answers, strict=True):
                if answer is None or not is_whole(answer):
                    self._calls.pop(question, None)
        return given

    async def _ask_judge(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The judge's answers, one for each question.

        A judge may be anybody's code. Whatever it raises, even `SystemExit` or pytest's skip, ends
        one test as an error, and not the loop that all tests share.
        """
        try:
            answers = tuple(await self.judge.answer(questions))
        except UsageError:
            raise
        except KeyboardInterrupt as error:
            raise StoppedError(str(error)) from error
        except BaseException as error:
            task = asyncio.current_task()
            is_cancelled = isinstance(error, asyncio.CancelledError)
            if is_cancelled and (task is None or task.cancelling()):
                raise  # the loop ends this task; the judge did not
            raise JudgeError(
                f"judge {self.judge.signature!r} broke down: {raised(error)}"
            ) from error
        if len(answers) != len(questions):
            raise JudgeError(
                f"judge {self.judge.signature!r} gave {len(answers)} answers to"
                f" {len(questions)} questions; it owes one for each, in order"
            )
        return answers
