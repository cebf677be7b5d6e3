"""Sentence faithfulness: is each sentence of a summary supported by the paper, and by what?

    rate = supported sentences / answered sentences
    conflicts = sentences with a number that the source contradicts or does not state, which the
                judge does not support, and whose number no reference states

Source: FareBio (Findings of EMNLP 2024), sections 3 and 4; metrics.md 1.2.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.flow import (
    Dialogue,
    NoScoreError,
    ask,
    check_usable,
    ends_unscored,
    expect_count,
    limit_unanswered,
)
from summeval_pytest.metrics.score import FaithfulnessScore, JudgedSentence
from summeval_pytest.questions import CheckSentences, SentenceCheck, SentenceChecks, Unanswered
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.numbers import unstated_numbers
from summeval_pytest.text.sentences import sentence_texts
from summeval_pytest.text.words import has_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


MIN_CHARACTERS: Final = 5
"""Shorter pieces of a summary are no sentences (FareBio, section 3.1)."""


def source_sentences(texts: Sequence[str]) -> tuple[str, ...]:
    """The sentences of a source, section by section; evidence indices count them from 0."""
    return tuple(s for text in texts for s in sentence_texts(normalise(text)))


@ends_unscored("faithfulness")
def measure(
    summary: str,
    source: tuple[str, ...],
    *,
    references: tuple[str, ...] = (),
    short_circuit: bool = True,
) -> Dialogue[FaithfulnessScore]:
    """The conversation that checks each sentence of a summary against the source's.

    A number that one of the ``references`` states is no conflict. ``short_circuit``: a sentence
    that stands in the source word for word is supported without a question.
    """
    summary = normalise(summary)
    check_usable(summary)
    sentences = [
        (index, sentence)
        for index, sentence in enumerate(sentence_texts(summary))
        if len(sentence) >= MIN_CHARACTERS and has_tokens(sentence)
    ]
    if not sentences:
        raise NoScoreError("the summary has no sentence to check", "degenerate_candidate")
    known = _copied(sentences, source) if short_circuit else {}
    asked = [(index, text) for index, text in sentences if index not in known]
    checks: tuple[SentenceCheck | Unanswered, ...] = ()
    if asked:
        question = CheckSentences(tuple(text for _, text in asked), source)
        (answer,) = yield from ask(SentenceChecks, question)
        checks = answer.checks
        expect_count("sentence checks", len(checks), len(asked))
        reasons = [check.reason for check in checks if isinstance(check, Unanswered)]
        limit_unanswered("sentences", reasons, len(sentences))
    for (index, text), check in zip(asked, checks, strict=True):
        known[index] = _judged(index, text, check, source, references)
    judged = tuple(known[index] for index, _ in sentences)
    return _score(judged, [check for check in checks if isinstance(check, SentenceCheck)])


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


def _judged(
    index: int,
    text: str,
    check: SentenceCheck | Unanswered,
    source: tuple[str, ...],
    references: tuple[str, ...],
) -> JudgedSentence:
    """One sentence with its check; evidence that the source does not hold is dropped.

    Whoever judges, an unsupported sentence with a number that neither the source nor a reference
    states in any form is a conflict.
    """
    supported = None if isinstance(check, Unanswered) else check.supported
    missing = () if supported else unstated_numbers(text, source)
    is_excused = bool(missing) and set(missing).isdisjoint(
        unstated_numbers(text, source_sentences(references))
    )
    hint = f"; a reference states {', '.join(map(repr, missing))}" if is_excused else ""
    judged = JudgedSentence(
        index=index,
        text=text,
        supported=supported,
        reason=check.reason + hint,
        number_conflict=bool(missing) and not is_excused,
    )
    if isinstance(check, Unanswered):
        return judged
    is_seen = check.number_conflict and not (supported or is_excused)
    return replace(
        judged,
        evidence=tuple(place for place in check.evidence if 0 <= place < len(source)),
        support=check.support,
        factual=None if supported else check.factual,
        undecided=check.undecided,
        number_conflict=is_seen or judged.number_conflict,
    )


def _score(
    sentences: tuple[JudgedSentence, ...], checks: Sequence[SentenceCheck]
) -> FaithfulnessScore:
    """The rate over the answered sentences, and what the judge got wrong on the way."""
    answered = [sentence for sentence in sentences if sentence.supported is not None]
    n_named = sum(len(check.evidence) for check in checks)
    n_held = sum(len(sentence.evidence) for sentence in sentences if not sentence.by_rule)
    return FaithfulnessScore(
        value=sum(bool(sentence.supported) for sentence in answered) / len(answered),
        sentences=sentences,
        n_ungrounded=sum(check.n_ungrounded for check in checks) + n_named - n_held,
        n_unsupported_yes=sum(bool(s.supported) and not s.evidence for s in sentences),
        n_copied=sum(check.n_copied for check in checks),
        conflicts=sum(sentence.number_conflict for sentence in sentences),
    )
