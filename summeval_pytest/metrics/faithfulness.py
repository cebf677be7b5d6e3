"""Sentence faithfulness: is each sentence of a summary supported by the paper, and by what?

    rate = supported sentences / answered sentences
    conflicts = sentences that state a number which the source contradicts or does not state

Source: FareBio (Findings of EMNLP 2024), sections 3 and 4; metrics.md 1.2.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.flow import (
    Flow,
    NoAnswerError,
    ask,
    expect_count,
    limit_unanswered,
    unusable,
)
from summeval_pytest.metrics.score import FaithfulnessScore, JudgedSentence, Unscored
from summeval_pytest.questions import CheckSentences, SentenceCheck, SentenceChecks, Unanswered
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.numbers import unstated_numbers
from summeval_pytest.text.sentences import sentence_texts, split_sentences
from summeval_pytest.text.words import has_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


MIN_CHARACTERS: Final = 5
"""Shorter pieces of a summary are no sentences (FareBio, section 3.1)."""


def source_sentences(texts: Sequence[str]) -> tuple[str, ...]:
    """The sentences of a source, section by section; evidence indices count them from 0."""
    return tuple(s for text in texts for s in sentence_texts(normalise(text)))


def measure(
    summary: str, source: tuple[str, ...], *, short_circuit: bool = True
) -> Flow[FaithfulnessScore]:
    """The conversation that checks each sentence of a summary against the source.

    Args:
        summary: The summary to check.
        source: The source's sentences, as `source_sentences` gives them.
        short_circuit: Whether a sentence that stands in the source word for word is supported
            without a question.
    """
    summary = normalise(summary)
    lacking = unusable("faithfulness", summary)
    if lacking is not None:
        return lacking
    sentences = [
        (index, sentence.text)
        for index, sentence in enumerate(split_sentences(summary))
        if len(sentence.text) >= MIN_CHARACTERS and has_tokens(sentence.text)
    ]
    if not sentences:
        reason = "the summary has no sentence to check"
        return Unscored(metric="faithfulness", status="degenerate_candidate", reason=reason)
    known = _copied(sentences, source) if short_circuit else {}
    asked = [(index, text) for index, text in sentences if index not in known]
    checks: list[SentenceCheck] = []
    try:
        if asked:
            question = CheckSentences(tuple(text for _, text in asked), source)
            (answer,) = yield from ask(SentenceChecks, question)
            expect_count("sentence checks", len(answer.checks), len(asked))
            reasons = [check.reason for check in answer.checks if isinstance(check, Unanswered)]
            limit_unanswered("sentences", reasons, len(sentences))
            for (index, text), check in zip(asked, answer.checks, strict=True):
                known[index] = _judged(index, text, check, source)
                checks += [check] if isinstance(check, SentenceCheck) else []
    except NoAnswerError as fault:
        return Unscored(metric="faithfulness", status="unanswered", reason=str(fault))
    judged = [known[index] for index, _ in sentences]
    return _score(judged, len(source), checks)


def _copied(sentences: list[tuple[int, str]], source: tuple[str, ...]) -> dict[int, JudgedSentence]:
    """The sentences whose words stand in the source as one of its sentences."""
    places = _places(source)
    return {
        index: JudgedSentence(
            index=index,
            text=text,
            supported=True,
            reason="copied from the source",
            evidence=(places[words],),
            support=1.0,
            by_rule=True,
        )
        for index, text in sentences
        if (words := tuple(text.lower().split())) in places
    }


@lru_cache(maxsize=32)
def _places(source: tuple[str, ...]) -> Mapping[tuple[str, ...], int]:
    """Where the words of each source sentence stand first; many systems summarise one source."""
    places: dict[tuple[str, ...], int] = {}
    for place, text in enumerate(source):
        places.setdefault(tuple(text.lower().split()), place)
    return MappingProxyType(places)


def has_foreign_number(text: str, source: tuple[str, ...]) -> bool:
    """Whether a sentence states a number that the source does not state in any form.

    The rule holds whoever judges: a sentence is in conflict where it or the judge says so.
    """
    return bool(unstated_numbers(text, source))


def _judged(
    index: int, text: str, check: SentenceCheck | Unanswered, source: tuple[str, ...]
) -> JudgedSentence:
    is_foreign = has_foreign_number(text, source)
    if isinstance(check, Unanswered):
        return JudgedSentence(
            index=index,
            text=text,
            supported=None,
            reason=check.reason,
            number_conflict=is_foreign,
        )
    return JudgedSentence(
        index=index,
        text=text,
        supported=check.supported,
        reason=check.reason,
        evidence=check.evidence,
        support=check.support,
        factual=None if check.supported else check.factual,
        undecided=check.undecided,
        number_conflict=check.number_conflict or is_foreign,
    )


def _score(
    judged: list[JudgedSentence], n_source: int, checks: list[SentenceCheck]
) -> FaithfulnessScore:
    """The rate over the answered sentences; evidence that the source does not hold is dropped."""
    held = tuple(_held(sentence, n_source) for sentence in judged)
    answered = [sentence for sentence in held if sentence.supported is not None]
    return FaithfulnessScore(
        value=sum(bool(sentence.supported) for sentence in answered) / len(answered),
        sentences=held,
        n_ungrounded=sum(check.n_ungrounded for check in checks)
        + sum(len(s.evidence) for s in judged)
        - sum(len(s.evidence) for s in held),
        n_unsupported_yes=sum(bool(s.supported) and not s.evidence for s in held),
        n_copied=sum(check.n_copied for check in checks),
        conflicts=sum(sentence.number_conflict for sentence in held),
    )


def _held(sentence: JudgedSentence, n_source: int) -> JudgedSentence:
    """The sentence with the evidence that the source holds."""
    evidence = tuple(place for place in sentence.evidence if 0 <= place < n_source)
    return sentence if evidence == sentence.evidence else replace(sentence, evidence=evidence)
