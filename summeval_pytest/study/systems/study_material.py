"""The material of a study: what the texts of a suite, its labels, its records and judges say."""

from __future__ import annotations

from collections import defaultdict
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from time import perf_counter
from typing import TYPE_CHECKING

from summeval_pytest.endpoints.spending import models_seen
from summeval_pytest.judges.judge import Counting, find_judge
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore, ground
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.questions import OFFLINE, FacetSegments, SegmentFacets
from summeval_pytest.run.golden import group_of
from summeval_pytest.run.measure import recipe_of
from summeval_pytest.run.runner import tasks_of
from summeval_pytest.run.summaries import Summariser
from summeval_pytest.store.key import request_key
from summeval_pytest.study.systems.all_analyses import StudiedJudge
from summeval_pytest.study.systems.studied import (
    FAITHFULNESS,
    LABELS,
    OVERALL,
    RESCALED,
    Cut,
    Effort,
    Given,
    Studied,
    StudiedText,
)
from summeval_pytest.study.systems.texts import facet_words
from summeval_pytest.text.normalise import is_refusal, normalise
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import has_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from summeval_pytest.endpoints.chat import ChatReply, ChatRequest
    from summeval_pytest.endpoints.client import Sender
    from summeval_pytest.endpoints.endpoint import Address, Price
    from summeval_pytest.endpoints.spending import ModelSeen
    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.metrics.number import MetricName
    from summeval_pytest.questions import Answer, Facet, Question
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.runner import Task
    from summeval_pytest.run.session import Session
    from summeval_pytest.suite.labels import Label, Recorded
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair, Paper

    Named = tuple[str, str]
    """A system and a paper."""
    Written = tuple[str | None, str]
    """A writer, None for the reference, and a paper."""


PAIR: ContextVar[Named] = ContextVar("PAIR", default=("", ""))
"""The pair that is judged now."""


class Watch:
    """What one judge is asked, noted as it happens: a judge and its lines to endpoints, wrapped.

    ``taken`` is what each pair has taken, by system and paper.
    """

    def __init__(self, name: str, suite: Suite, session: Session) -> None:
        self.taken: defaultdict[Named, Effort] = defaultdict(Effort)
        self._session = session
        self._seen: set[str] = set()
        self._segments: dict[bytes, FacetSegments] = {}
        self.judge: Judge = session.judge(name, [suite], self)
        self.signature = self.judge.signature
        self.in_flight = self.judge.in_flight

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The judge's answers."""
        answers = tuple(await self.judge.answer(questions))
        for question, answer in zip(questions, answers, strict=False):  # the asker counts them
            self.taken[PAIR.get()].n_questions += 1
            if isinstance(question, SegmentFacets) and isinstance(answer, FacetSegments):
                self._segments[_digest(question.text)] = answer
        return answers

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender of the session's, whose replies are counted."""
        return _CountedLine(self._session.exchange.line(address, price), address, self)

    async def find_pair(self, suite: Suite, paper: str, system: str) -> Pair:
        """The pair that questions are about from now on."""
        PAIR.set((system, paper))
        return await Summariser(self._session.sender).pair(suite, paper, system)

    def segments(self, text: str) -> FacetSegments | None:
        """How the judge cut a normalised text into facets; None where it was not asked."""
        return self._segments.get(_digest(text))

    def replied(self, endpoint: str, request: ChatRequest, reply: ChatReply) -> None:
        """Counts one reply for the pair that needs it first."""
        key = request_key(request.identity(endpoint))
        if key not in self._seen:
            self._seen.add(key)
            now = self.taken[PAIR.get()]
            now.n_calls += 1
            if reply.usage is not None:
                now.n_tokens += reply.usage.prompt_tokens + reply.usage.completion_tokens


@dataclass(frozen=True, slots=True)
class _CountedLine:
    """A sender whose replies are counted."""

    line: Sender
    address: Address
    watch: Watch

    async def send(self, request: ChatRequest) -> ChatReply:
        reply = await self.line.send(request)
        self.watch.replied(self.address.endpoint.name, request, reply)
        return reply

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        return self.line.give_up(said, why)


def _digest(text: str) -> bytes:
    """What stands for a text, so that a long suite's texts need not all be kept."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


@dataclass(slots=True, kw_only=True)
class JudgeFound:
    """Who judged, and the ``models`` that replied.

    ``calls`` were asked and remembered, empty where no endpoint was in it; ``counts`` are the
    judge's own, as far as it has any.
    """

    judge: StudiedJudge
    models: tuple[ModelSeen, ...] = ()
    calls: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)


class Material:
    """What is known of the pairs of some systems, gathered from texts, then judge by judge."""

    def __init__(self, suite: Suite, systems: Sequence[str], session: Session) -> None:
        self.suite = suite
        self._systems = systems
        self._session = session
        self._texts: dict[Written, StudiedText] = {}
        self._written: dict[str | None, list[str]] = {None: [], **{name: [] for name in systems}}
        self._sources: dict[str, str] = {}

    def read_texts(self, read: Callable[..., Mapping[str, float]]) -> None:
        """Notes all that no judge has to be asked for; ``read`` is `text_numbers`.

        Raises:
            UsageError: if a system cannot be asked.
            NoReplyError: if a system's endpoint gave no summary.
        """
        suite = self.suite
        plain: dict[Written, str] = {}
        for paper in map(suite.paper, suite.paper_ids):
            source = "\n\n".join(section.text for section in paper.source)
            self._sources[paper.id] = source
            plain[None, paper.id] = normalise(paper.references[0])
            numbers = read(paper.references[0], source=source)
            self._add(None, paper, paper.references[0], numbers)
        for evaluation in self._session.evaluate(find_judge(OFFLINE), self._tasks(())):
            pair, paper = evaluation.pair, evaluation.pair.paper
            of = pair.system, paper.id
            plain[of] = summary = normalise(pair.summary)
            numbers = {}
            if has_tokens(summary) and not is_refusal(summary) and pair.flaw is None:
                source = self._sources[paper.id]
                numbers = read(summary, source=source, references=paper.references)
            text = self._add(pair.system, paper, pair.summary, numbers)
            label = suite.labels.get((paper.id, pair.system))
            if label is not None:
                text.given[LABELS] = _labelled(label, summary)
        for line in suite.recorded:
            if (written := (line.system, line.paper)) in plain:
                self._add_record(line, self._texts[written], plain[written])

    def _add_record(self, line: Recorded, text: StudiedText, plain: str) -> None:
        if line.facets is not None or line.overall is not None:
            values = _values(line.facets or {}, line.overall)
            text.given["record", line.by] = Given(values=values)
        if line.segments is not None:
            text.cuts[line.by] = _cut(line.segments, plain)

    def _add(
        self, writer: str | None, paper: Paper, text: str, numbers: Mapping[str, float]
    ) -> StudiedText:
        self._written[writer].append(text)
        added = StudiedText(paper=paper.id, group=group_of(paper), system=writer, numbers=numbers)
        self._texts[writer, paper.id] = added
        return added

    def add_judge(self, name: str, family: str) -> JudgeFound:
        """Has one judge, of some family, judge every pair.

        Raises:
            UsageError: for a judge that cannot be asked.
            JudgeError: if the judge breaks its contract.
            NoReplyError: if a system's endpoint gave no summary.
        """
        suite, session = self.suite, replace(self._session)
        session.add_cassette(suite)
        watch = Watch(name, suite, session)
        judge = watch.judge
        recipes = {
            metric: recipe_of(metric, judge=judge, suite=suite.fingerprint, variants=suite.variants)
            for metric in METRICS
        }
        found = JudgeFound(
            judge=StudiedJudge(
                name=name,
                signature=judge.signature,
                family=family,
                recipes={metric: str(recipe) for metric, recipe in recipes.items()},
            )
        )
        began = perf_counter()
        for evaluation in session.evaluate(watch, self._tasks(METRICS), watch.find_pair):
            of = evaluation.system, evaluation.paper
            seconds = perf_counter() - began if judge.in_flight == 1 else None
            effort = replace(watch.taken[of], seconds=seconds)
            self._texts[of].given["judge", name] = _judged(evaluation, effort)
            self._note_cuts(f"judge {name}", evaluation.pair, watch)
            began = perf_counter()
        if session.is_asking:
            found.models = models_seen(session.exchange.ledger.models)
            found.calls = asdict(session.exchange.ledger.totals)
        if isinstance(judge, Counting):
            found.counts = judge.counts()
        return found

    def _tasks(self, metrics: tuple[MetricName, ...]) -> list[Task]:
        return tasks_of(self.suite, self._systems, metrics)

    def _note_cuts(self, by: str, pair: Pair, watch: Watch) -> None:
        """How the judge cut the texts of a pair; frozen facets of the reference are its own."""
        paper, reference = pair.paper, normalise(pair.paper.references[0])
        cuts = self._texts[None, paper.id].cuts
        if paper.reference_facets is not None:
            cuts[by] = _cut(paper.reference_facets, None)
        elif (cut := watch.segments(reference)) is not None:
            cuts[by] = _cut(cut, reference)
        if (cut := watch.segments(summary := normalise(pair.summary))) is not None:
            self._texts[pair.system, paper.id].cuts[by] = _cut(cut, summary)

    def studied(
        self, judges: Sequence[str], families: tuple[Mapping[str, str], Mapping[str, str]]
    ) -> Studied:
        """All of it, in an order that no file gives."""
        texts = sorted(self._texts.values(), key=lambda text: text.paper)
        return Studied(
            by_system={name: [t for t in texts if t.system == name] for name in self._systems},
            judges=judges,
            n_papers=len(self._sources),
            references=[text for text in texts if text.system is None],
            written=self._written,
            sources=tuple(self._sources.values()),
            families=families,
        )


def _cut(segments: FacetSegments, text: str | None) -> Cut:
    """A text's segments as a study keeps them; without a text nothing is held to it."""
    held = () if text is None else tuple(ground(segments, text).held.values())
    return Cut(words=facet_words(segments), held=held)


def _values(
    ratings: Mapping[Facet, int | None] | Mapping[Facet, int], overall: float | None
) -> dict[str, float]:
    rated = {f"facet.{facet}": float(rating) for facet, rating in ratings.items() if rating}
    return rated if overall is None else {**rated, OVERALL: overall}


def _labelled(label: Label, summary: str) -> Given:
    sentences = label.sentences or ()
    n_faithful = sum(sentence.faithful for sentence in sentences)
    values = _values(label.facets or {}, label.overall)
    if sentences:
        values[FAITHFULNESS] = n_faithful / len(sentences)
    return Given(
        values=values,
        n_supported=n_faithful,
        n_answered=len(sentences),
        n_sentences=len(split_sentences(summary)),
    )


def _judged(evaluation: Evaluation, effort: Effort) -> Given:
    eva, faithfulness = evaluation.score("eva"), evaluation.score("faithfulness")
    facet, values = evaluation.score("facet"), dict(evaluation.numbers().values)
    if isinstance(facet, FacetScore):
        values[RESCALED] = facet.rescaled
    sentences = faithfulness.sentences if isinstance(faithfulness, FaithfulnessScore) else ()
    return Given(
        values={name: value for name, value in values.items() if value is not None},
        n_supported=sum(sentence.supported is True for sentence in sentences),
        n_answered=sum(sentence.supported is not None for sentence in sentences),
        n_sentences=len(sentences),
        facts=eva.counts if isinstance(eva, EvaScore) else None,
        effort=effort,
    )
