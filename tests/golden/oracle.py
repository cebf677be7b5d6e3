"""Judges that know the golden labels, and what becomes of a judge that is degraded on purpose."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.metrics.faithfulness import source_sentences
from summeval_pytest.questions import (
    FACETS,
    SCALES,
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetRating,
    FacetRatings,
    FacetSegments,
    FactCheck,
    FactChecks,
    FactList,
    ListFacts,
    ListRelations,
    RateFacets,
    RateSummary,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Unanswered,
)
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import split_sentences

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer, Question
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite

GOLDEN: Final = Path(__file__).parents[2] / "golden"
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)*")


@cache
def golden() -> Suite:
    """The bundled suite, loaded once."""
    return load_suite(GOLDEN)


@cache
def _by_summary() -> dict[str, Label]:
    """The labels by the summary that they are about."""
    suite = golden()
    return {normalise(suite.pair(*key).summary): label for key, label in suite.labels.items()}


@cache
def _by_sentences() -> dict[tuple[str, ...], Label]:
    return {
        tuple(sentence.text for sentence in split_sentences(summary)): label
        for summary, label in _by_summary().items()
    }


@cache
def _by_sentence() -> dict[tuple[str, str], tuple[bool, tuple[int, ...], str]]:
    """By first source sentence and sentence: faithful, evidence, kind of error."""
    suite, found = golden(), {}
    for texts, label in _by_sentences().items():
        paper = suite.paper(label.paper)
        first = source_sentences([section.text for section in paper.source])[0]
        for each in label.sentences or ():
            evidence = tuple(e.index for e in each.evidence)
            found[first, texts[each.index]] = each.faithful, evidence, each.error or ""
    return found


@cache
def _by_facts() -> dict[tuple[str, ...], dict[str, bool]]:
    """The labelled facts of a summary, by their texts."""
    return {
        tuple(fact.text for fact in label.facts.candidate): {
            fact.text: fact.holds for fact in label.facts.candidate
        }
        for label in golden().labels.values()
        if label.facts is not None
    }


class Oracle:
    """Says what the labels say, about the labelled pairs."""

    signature = "oracle"
    in_flight = 1

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question."""
        return tuple(map(self.say, questions))

    def say(self, question: Question) -> Answer:  # noqa: PLR0911 - a case for each kind of question
        """The answer to one question."""
        match question:
            case SegmentFacets(text):
                # Every facet is the whole summary, which names the label in the next question.
                return FacetSegments(**dict.fromkeys(FACETS, text))
            case RateFacets(pairs):
                return FacetRatings(tuple(self.rate(p.facet, p.candidate) for p in pairs))
            case CheckFacts(facts, premises):
                texts = tuple(fact.text for fact in facts)
                holds = self.facts(texts, premises)
                return FactChecks(
                    tuple(FactCheck(reason="as labelled", entailed=holds[t]) for t in texts)
                )
            case CheckSentences(sentences, source):
                return SentenceChecks(tuple(self.check(text, source) for text in sentences))
            case ListFacts():
                return FactList(())
            case ListRelations() | CountFacts():
                return Unanswered("no label says so")
            case RateSummary():
                return Unanswered("no label rates a summary on this scale")

    def rate(self, facet: str, summary: str) -> FacetRating:
        """The label of one facet."""
        label = _by_summary()[summary]
        assert label.facets is not None
        rating = label.facets[facet]  # type: ignore[index]  # a facet is one of four strings
        assert rating is not None
        return FacetRating(facet=facet, reason="as labelled", rating=rating)  # type: ignore[arg-type]

    def facts(self, texts: tuple[str, ...], premises: tuple[str, ...]) -> dict[str, bool]:
        """The labels of facts: of the reference's against a summary, or of a summary's."""
        label = _by_sentences().get(premises)
        if label is None:
            return dict(_by_facts()[texts])
        assert label.facts is not None
        return {fact.text: fact.holds for fact in label.facts.reference}

    def check(self, text: str, source: tuple[str, ...]) -> SentenceCheck:
        """The label of one sentence."""
        faithful, evidence, _ = _by_sentence()[source[0], text]
        return SentenceCheck(reason="as labelled", supported=faithful, evidence=evidence)


class Shuffled(Oracle):
    """Has right answers, about something else: drawn from all labels by the text's own dice."""

    signature = "oracle, answers shuffled"

    def rate(self, facet: str, summary: str) -> FacetRating:
        """The label of the same facet of a summary drawn at random."""
        other = random.Random(facet + summary).choice(list(_by_summary()))
        return super().rate(facet, other)

    def facts(self, texts: tuple[str, ...], premises: tuple[str, ...]) -> dict[str, bool]:
        """The same verdicts, dealt out anew."""
        holds = super().facts(texts, premises)
        dealt = list(holds.values())
        random.Random(" ".join((*texts, *premises))).shuffle(dealt)
        return dict(zip(holds, dealt, strict=True))

    def check(self, text: str, source: tuple[str, ...]) -> SentenceCheck:  # noqa: ARG002 - as above
        """The label of a sentence drawn at random."""
        other = random.Random(text).choice(list(_by_sentence().values()))
        return SentenceCheck(reason="drawn", supported=other[0], evidence=other[1])


class AlwaysFour(Oracle):
    """Gives every facet the full rating."""

    signature = "oracle, always the full rating"

    def rate(self, facet: str, summary: str) -> FacetRating:
        """The highest rating there is."""
        rated = super().rate(facet, summary)
        return replace(rated, rating=SCALES[rated.facet])


class AlwaysFaithful(Oracle):
    """Believes every sentence."""

    signature = "oracle, always faithful"

    def check(self, text: str, source: tuple[str, ...]) -> SentenceCheck:
        """Supported, by the labelled evidence."""
        return replace(super().check(text, source), supported=True)


class IgnoresNumbers(Oracle):
    """Overlooks errors of one kind only: a wrong figure."""

    signature = "oracle, ignores numbers"

    def check(self, text: str, source: tuple[str, ...]) -> SentenceCheck:
        """As labelled, but for wrong figures."""
        _, evidence, error = _by_sentence()[source[0], text]
        if error == "number":
            return SentenceCheck(reason="overlooked", supported=True, evidence=evidence)
        return super().check(text, source)


class Remembering:
    """The embedded judge, which is asked each question once for all its spoilt relatives."""

    signature = OfflineJudge().signature
    in_flight = 1
    _answers: ClassVar[dict[Question, Answer]] = {}

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Its answers."""
        new = tuple(question for question in questions if question not in self._answers)
        self._answers.update(zip(new, await OfflineJudge().answer(new), strict=True))
        return tuple(self._answers[question] for question in questions)


class OfflineShuffled:
    """The embedded judge, its answers to many questions dealt out anew."""

    signature = "offline, answers shuffled"
    in_flight = 1

    def __init__(self) -> None:
        self.judge = Remembering()

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """The embedded judge's answers, changed."""
        answers = await self.judge.answer(questions)
        return tuple(map(self.change, questions, answers))

    def change(self, question: Question, answer: Answer) -> Answer:
        """One answer, degraded."""
        dice = random.Random(str(question))
        match answer:
            case FacetRatings(ratings):
                return FacetRatings(
                    tuple(
                        replace(r, rating=dice.randint(1, SCALES[r.facet]))
                        if isinstance(r, FacetRating)
                        else r
                        for r in ratings
                    )
                )
            case SentenceChecks(checks):
                dealt = list(checks)
                dice.shuffle(dealt)
                return SentenceChecks(tuple(dealt))
            case FactChecks(checks):
                some = list(checks)
                dice.shuffle(some)
                return FactChecks(tuple(some))
            case _:
                return answer


class OfflineAlwaysFour(OfflineShuffled):
    """The embedded judge, always with the full rating."""

    signature = "offline, always the full rating"

    def change(self, question: Question, answer: Answer) -> Answer:  # noqa: ARG002 - as above
        """Full ratings."""
        if not isinstance(answer, FacetRatings):
            return answer
        return FacetRatings(
            tuple(
                replace(r, rating=SCALES[r.facet]) if isinstance(r, FacetRating) else r
                for r in answer.ratings
            )
        )


class OfflineAlwaysFaithful(OfflineShuffled):
    """The embedded judge, believing every sentence."""

    signature = "offline, always faithful"

    def change(self, question: Question, answer: Answer) -> Answer:  # noqa: ARG002 - as above
        """Everything supported."""
        if not isinstance(answer, SentenceChecks):
            return answer
        return SentenceChecks(
            tuple(
                replace(c, supported=True) if isinstance(c, SentenceCheck) else c
                for c in answer.checks
            )
        )


class OfflineNumberBlind(OfflineShuffled):
    """The embedded judge with all digits rubbed out of what it reads."""

    signature = "offline, ignores numbers"

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """Its answers to texts without digits."""
        return await self.judge.answer(tuple(map(_blinded, questions)))


def _blinded(question: Question) -> Question:
    if isinstance(question, CheckSentences):
        return CheckSentences(
            *(
                tuple(_DIGITS.sub("", t) for t in texts)
                for texts in (question.sentences, question.source)
            )
        )
    return question
