"""What the texts of a suite, its labels, its records and its judges say, gathered pair by pair."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from summeval_pytest.endpoints.spending import models_seen
from summeval_pytest.judges.judge import Counting, find_judge
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import is_verbatim, pieces_of
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.questions import FACETS, OFFLINE, FacetSegments, SegmentFacets
from summeval_pytest.run.flows import metric_signature
from summeval_pytest.run.golden import group_of
from summeval_pytest.run.runner import tasks_of
from summeval_pytest.run.session import Session
from summeval_pytest.study.systems.studied import (
    FAITHFULNESS,
    LABELS,
    OVERALL,
    Cut,
    Extent,
    Given,
    Studied,
    StudiedText,
)
from summeval_pytest.text.normalise import is_refusal, normalise
from summeval_pytest.text.sentences import split_sentences
from summeval_pytest.text.words import has_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from summeval_pytest.endpoints.spending import ModelSeen
    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.questions import Answer, Facet, Question
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.study.tables import Row
    from summeval_pytest.suite.labels import Label, Recorded
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair, Paper


class Watch:
    """A judge, wrapped; ``segments`` are how it cut each normalised text into facets."""

    def __init__(self, judge: Judge) -> None:
        self.segments: dict[str, FacetSegments] = {}
        self.judge = judge
        self.signature = judge.signature
        self.in_flight = judge.in_flight

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The judge's answers."""
        answers = tuple(await self.judge.answer(questions))
        for question, answer in zip(questions, answers, strict=False):  # the asker counts them
            if isinstance(question, SegmentFacets) and isinstance(answer, FacetSegments):
                self.segments[question.text] = answer
        return answers


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedJudge:
    """A judge's row, the ``models`` that replied, and its ``counts`` as far as it has any.

    ``calls`` were asked and remembered; empty where no endpoint was in it.
    """

    judge: Row
    models: tuple[ModelSeen, ...] = ()
    calls: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)


class Material:
    """What is known of the pairs of some systems: first of the texts, then judge by judge.

    ``read`` is `text_numbers`.

    Raises:
        UsageError: if a system cannot be asked.
        NoReplyError: if a system's endpoint gave no summary.
    """

    def __init__(
        self,
        suite: Suite,
        systems: Sequence[str],
        session: Session,
        read: Callable[..., Mapping[str, float]],
    ) -> None:
        self._suite, self._systems, self._session = suite, systems, session
        self._texts: dict[tuple[str | None, str], StudiedText] = {}
        self._sources: dict[str, str] = {}
        for paper in map(suite.paper, suite.paper_ids):
            source = "\n\n".join(section.text for section in paper.source)
            self._sources[paper.id] = source
            reference = paper.references[0]
            self._add(None, paper, reference, read(reference, source=source))
        offline = find_judge(OFFLINE)
        for evaluation in session.evaluate(offline, tasks_of(suite, systems, ())):
            pair, paper = evaluation.pair, evaluation.pair.paper
            summary, numbers = normalise(pair.summary), dict[str, float]()
            if has_tokens(summary) and not is_refusal(summary) and pair.flaw is None:
                source = self._sources[paper.id]
                numbers |= read(summary, source=source, references=paper.references)
            text = self._add(pair.system, paper, pair.summary, numbers)
            label = suite.labels.get((paper.id, pair.system))
            if label is not None:
                text.given[LABELS] = _labelled(label, summary)
        for line in suite.recorded:
            if (of := (line.system, line.paper)) in self._texts:
                _add_record(line, self._texts[of])

    def _add(
        self, writer: str | None, paper: Paper, text: str, numbers: Mapping[str, float]
    ) -> StudiedText:
        group = group_of(paper)
        added = StudiedText(paper=paper.id, group=group, system=writer, numbers=numbers, text=text)
        self._texts[writer, paper.id] = added
        return added

    def add_judge(self, name: str, family: str) -> StudiedJudge:
        """Has one judge, of some family, judge every pair.

        Raises:
            UsageError: for a judge that cannot be asked.
            JudgeError: if the judge breaks its contract.
            NoReplyError: if a system's endpoint gave no summary.
        """
        suite = self._suite
        session = Session(self._session.environ, self._session.terms)
        session.replies.add_cassette(suite)
        judge = session.judge(name, [suite])
        watch = Watch(judge)
        recipes = {
            metric: metric_signature(
                metric, judge=judge, suite=suite.fingerprint, variants=suite.variants
            )
            for metric in METRICS
        }
        for evaluation in session.evaluate(watch, tasks_of(suite, self._systems, METRICS)):
            text = self._texts[evaluation.system, evaluation.paper]
            text.given["judge", name] = _judged(evaluation)
            self._note_cuts(f"judge {name}", evaluation.pair, watch.segments)
        ledger = session.replies.exchange.ledger if session.replies.is_asking else None
        return StudiedJudge(
            judge={
                "name": name,
                "signature": judge.signature,
                "family": family,
                "recipes": {metric: str(recipe) for metric, recipe in recipes.items()},
            },
            models=models_seen(ledger.models) if ledger else (),
            calls=asdict(ledger.totals) if ledger else {},
            counts=judge.counts() if isinstance(judge, Counting) else {},
        )

    def _note_cuts(self, by: str, pair: Pair, segments: Mapping[str, FacetSegments]) -> None:
        """How the judge cut the texts of a pair; frozen facets of the reference are its own."""
        paper, cuts = pair.paper, self._texts[None, pair.paper.id].cuts
        reference, summary = normalise(paper.references[0]), normalise(pair.summary)
        if paper.reference_facets is not None:
            cuts[by] = _cut(paper.reference_facets, None)
        elif reference in segments:
            cuts[by] = _cut(segments[reference], reference)
        if summary in segments:
            self._texts[pair.system, paper.id].cuts[by] = _cut(segments[summary], summary)

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
            sources=tuple(self._sources.values()),
            families=families,
        )


def _add_record(line: Recorded, text: StudiedText) -> None:
    if line.facets is not None or line.overall is not None:
        text.given["record", line.by] = Given(values=_values(line.facets or {}, line.overall))
    if line.segments is not None:
        text.cuts[line.by] = _cut(line.segments, normalise(text.text))


def _cut(segments: FacetSegments, text: str | None) -> Cut:
    """A text's segments as a study keeps them; without a text nothing is looked up in it.

    A word in the segments of two facets counts in both.
    """
    given = [segments.segment(facet) for facet in FACETS] if text is not None else []
    ways = tuple(_extent(segment, text or "") for segment in given if pieces_of(segment))
    words = {facet: len(normalise(segments.segment(facet)).split()) for facet in FACETS}
    return Cut(words=words, extents=ways)


def _extent(segment: str, text: str) -> Extent:
    if is_verbatim(segment, text):
        return "whole"
    return "parts" if any(is_verbatim(piece, text) for piece in pieces_of(segment)) else "absent"


def _values(ratings: Mapping[Facet, int | None], overall: float | None) -> dict[str, float]:
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


def _judged(evaluation: Evaluation) -> Given:
    eva, faithfulness = evaluation.score("eva"), evaluation.score("faithfulness")
    sentences = faithfulness.sentences if isinstance(faithfulness, FaithfulnessScore) else ()
    values = evaluation.numbers().values
    return Given(
        values={name: value for name, value in values.items() if value is not None},
        n_supported=sum(sentence.supported is True for sentence in sentences),
        n_answered=sum(sentence.supported is not None for sentence in sentences),
        n_sentences=len(sentences),
        facts=eva.counts if isinstance(eva, EvaScore) else None,
    )
