"""Judges that know the golden labels, and what becomes of a judge that is degraded on purpose."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from summeval_pytest import questions as q
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.metrics.faithfulness import source_sentences
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.suite import Suite, load_suite
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts

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
    return {sentence_texts(summary): label for summary, label in _by_summary().items()}


@cache
def _by_sentence() -> dict[tuple[str, str], tuple[q.SentenceCheck, str]]:
    """By first source sentence and sentence: the label, and its kind of error."""
    result = {}
    for texts, label in _by_sentences().items():
        paper = golden().paper(label.paper)
        first = source_sentences([section.text for section in paper.source])[0]
        for each in label.sentences or ():
            evidence = tuple(e.index for e in each.evidence)
            check = q.SentenceCheck(
                reason="as labelled", supported=each.faithful, evidence=evidence
            )
            result[first, texts[each.index]] = check, each.error or ""
    return result


@cache
def _by_facts() -> dict[tuple[str, ...], dict[str, bool]]:
    """The labelled facts of a summary, by their texts."""
    listed = [label.facts.candidate for label in golden().labels.values() if label.facts]
    return {
        tuple(fact.text for fact in facts): {fact.text: fact.holds for fact in facts}
        for facts in listed
    }


class Oracle:
    """Says what the labels say, about the labelled pairs."""

    signature = "oracle"
    in_flight = 1

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question."""
        return tuple(map(self.say, questions))

    def say(self, question: q.Question) -> q.Answer:
        """The answer to one question."""
        match question:
            case q.SegmentFacets(text):
                # Every facet is the whole summary, which names the label in the next question.
                return q.FacetSegments(**dict.fromkeys(q.FACETS, text))
            case q.RateFacets(pairs):
                return q.FacetRatings(tuple(self.rate(p.facet, p.candidate) for p in pairs))
            case q.CheckFacts(facts, premises):
                holds = self.facts(tuple(fact.text for fact in facts), premises)
                verdicts = [holds[fact.text] for fact in facts]
                return q.FactChecks(
                    tuple(q.FactCheck(reason="as labelled", entailed=each) for each in verdicts)
                )
            case q.CheckSentences(sentences, source):
                return q.SentenceChecks(tuple(self.check(text, source) for text in sentences))
            case q.ListFacts():
                return q.FactList(())
            case _:
                return q.Unanswered("no label says so")

    def rate(self, facet: q.Facet, summary: str) -> q.FacetRating:
        """The label of one facet."""
        rating = (_by_summary()[summary].facets or {})[facet]
        assert rating is not None
        return q.FacetRating(facet=facet, reason="as labelled", rating=rating)

    def facts(self, texts: tuple[str, ...], premises: tuple[str, ...]) -> dict[str, bool]:
        """The labels of facts: of the reference's against a summary, or of a summary's."""
        label = _by_sentences().get(premises)
        if label is None:
            return dict(_by_facts()[texts])
        assert label.facts is not None
        return {fact.text: fact.holds for fact in label.facts.reference}

    def check(self, text: str, source: tuple[str, ...]) -> q.SentenceCheck:
        """The label of one sentence."""
        return _by_sentence()[source[0], text][0]


class Shuffled(Oracle):
    """Has right answers, about something else: drawn from all labels by the text's own dice."""

    signature = "oracle, answers shuffled"

    def rate(self, facet: q.Facet, summary: str) -> q.FacetRating:
        """The label of the same facet of a summary drawn at random."""
        return super().rate(facet, random.Random(facet + summary).choice(list(_by_summary())))

    def check(self, text: str, source: tuple[str, ...]) -> q.SentenceCheck:  # noqa: ARG002 - as above
        """The label of a sentence drawn at random."""
        return random.Random(text).choice(list(_by_sentence().values()))[0]


class AlwaysContent(Oracle):
    """Gives every facet the full rating, and believes every sentence."""

    signature = "oracle, always content"

    def rate(self, facet: q.Facet, summary: str) -> q.FacetRating:
        """The highest rating there is."""
        return replace(super().rate(facet, summary), rating=q.SCALES[facet])

    def check(self, text: str, source: tuple[str, ...]) -> q.SentenceCheck:
        """Supported, by the labelled evidence."""
        return replace(super().check(text, source), supported=True)


class IgnoresNumbers(Oracle):
    """Overlooks errors of one kind only: a wrong figure."""

    signature = "oracle, ignores numbers"

    def check(self, text: str, source: tuple[str, ...]) -> q.SentenceCheck:
        """As labelled, but for wrong figures."""
        check, error = _by_sentence()[source[0], text]
        return replace(check, supported=True) if error == "number" else check


_COMPUTE: Final = OfflineJudge.compute


@cache
def computed(question: q.Question) -> q.Answer:
    """The embedded judge's answer, computed once for all tests of one process."""
    return _COMPUTE(OfflineJudge(), question)


class Remembering:
    """The embedded judge, which is asked each question once for all its spoilt relatives."""

    signature = OfflineJudge().signature
    in_flight = 1

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """Its answers."""
        return tuple(map(computed, questions))


class OfflineContent(Remembering):
    """The embedded judge, always with the full rating, believing every sentence."""

    signature = "offline, always content"

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """Full ratings, and everything supported."""
        return tuple(map(_content, await super().answer(questions)))


def _content(answer: q.Answer) -> q.Answer:
    match answer:
        case q.FacetRatings(ratings):
            rated = [r for r in ratings if isinstance(r, q.FacetRating)]
            return q.FacetRatings(tuple(replace(r, rating=q.SCALES[r.facet]) for r in rated))
        case q.SentenceChecks(checks):
            judged = [c for c in checks if isinstance(c, q.SentenceCheck)]
            return q.SentenceChecks(tuple(replace(c, supported=True) for c in judged))
        case _:
            return answer


class OfflineNumberBlind(Remembering):
    """The embedded judge with all digits rubbed out of what it reads."""

    signature = "offline, ignores numbers"

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """Its answers to texts without digits."""
        return await super().answer(tuple(map(_blinded, questions)))


def _blinded(question: q.Question) -> q.Question:
    if not isinstance(question, q.CheckSentences):
        return question
    sentences, source = (
        tuple(_DIGITS.sub("", text) for text in texts)
        for texts in (question.sentences, question.source)
    )
    return q.CheckSentences(sentences, source)
