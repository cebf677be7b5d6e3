"""Sentences checked against a source, with quotations as evidence that are looked up there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.judges.llm.prompts import (
    Ids,
    PromptBatch,
    about,
    apart,
    block,
    entries_batch,
    instructions,
    numbered,
    shown,
    span,
)
from summeval_pytest.judges.llm.quotes import (
    LookedUp,
    Quote,
    groups_of,
    look_up,
    own_words,
    quotations,
    read_verdict,
)
from summeval_pytest.judges.llm.replies import (
    Entry,
    Line,
    Read,
    Values,
    Whole,
    as_line,
    without_thoughts,
)
from summeval_pytest.questions import SentenceCheck, SentenceChecks, Unanswered
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from summeval_pytest.judges.llm.asking import Poll
    from summeval_pytest.judges.llm.prompts import Kind
    from summeval_pytest.questions import CheckSentences, SentenceManner


SENTENCES_PER_REQUEST: Final = 15
NO_EVIDENCE: Final = "called supported without evidence, which a strict judge may not"
_SHOWN: Final = 300
_READ: Final = 20_000
"""Characters of a free reply that are read; one word and quotations take fewer."""
_LABEL: Final = "Does the source support the sentence? Reply with yes or no, one word."
_QUOTES: Final = (
    "Does the source support the sentence? Reply with yes or no, and after it, each in parentheses,"
    " the sentences of the source that support it, copied exactly."
)


class _Evidence(Values):
    id: Whole
    quote: Line


class _SentenceEntry(Entry):
    reason: Line
    evidence: list[_Evidence]
    label: Literal["supported", "unsupported"]


def sentence_batch(question: CheckSentences, manner: SentenceManner) -> PromptBatch[SentenceCheck]:
    """Asks whether a source supports sentences; evidence is looked up there.

    A strict manner makes a sentence without evidence unsupported, whatever its label.
    """
    if manner.mode != "quotes":
        return _free_batch(question, manner)
    sentences, source = question.sentences, question.source

    def check(entry: _SentenceEntry) -> SentenceCheck:
        quotes = [Quote(one.id - 1, one.quote) for one in entry.evidence]
        found = look_up(quotes, source, sentences)
        return _check_of(entry.label == "supported", found, entry.reason, manner)

    return entries_batch(
        "sentence_checks",
        "checks",
        _SentenceEntry,
        check,
        texts=sentences,
        parts=lambda ids: [
            block("source", numbered(source)),
            block("sentences", numbered(sentences, ids)),
            f"Check sentences: {span(ids)}.",
        ],
        size=SENTENCES_PER_REQUEST,
    )


def _free_batch(question: CheckSentences, manner: SentenceManner) -> PromptBatch[SentenceCheck]:
    """Asks about one sentence a request, for a reply in free text."""
    sentences, source = question.sentences, question.source
    with_quotes = manner.mode == "label-and-sentences"
    kind: Kind = "sentence_quotes" if with_quotes else "sentence_labels"

    def read(text: str, ids: Ids) -> Read[SentenceCheck]:
        reply = without_thoughts(str(as_line(text)))[:_READ]
        is_supported = read_verdict(own_words(reply))
        quotes = quotations(groups_of(reply), source) if with_quotes else []
        found = look_up(quotes, source, sentences)
        check = _check_of(is_supported, found, one_line(reply, _SHOWN), manner)
        return dict.fromkeys(ids, check)

    return PromptBatch(
        topic=about(kind, sentences),
        units=apart(sentences),
        size=1,
        system=instructions(kind),
        parts=lambda ids: [
            block("source", map(shown, source)),
            block("sentence", [shown(sentences[id_ - 1]) for id_ in ids]),
            _QUOTES if with_quotes else _LABEL,
        ],
        schema=lambda _: None,
        read=read,
    )


def _check_of(
    is_supported: bool, found: LookedUp, reason: str, manner: SentenceManner
) -> SentenceCheck:
    """The check that a label and its evidence come to; no and evidence stays no."""
    if manner.strict and is_supported and not found.sentences:
        is_supported, reason = False, f"{reason} ({NO_EVIDENCE})"
    return SentenceCheck(
        reason=reason,
        supported=is_supported,
        evidence=found.sentences,
        n_ungrounded=found.n_ungrounded,
        n_copied=found.n_copied,
    )


class _FactualEntry(Entry):
    reason: Line
    label: Literal["true", "not_true"]


def factual_batch(sentences: tuple[str, ...], asked: tuple[int, ...]) -> PromptBatch[bool]:
    """Asks whether some sentences (numbers from 1) are true by general knowledge.

    The others are shown, since "it" and "they" are nothing by themselves.
    """
    return entries_batch(
        "factual_checks",
        "checks",
        _FactualEntry,
        lambda entry: entry.label == "true",
        texts=[sentences[id_ - 1] for id_ in asked],
        parts=lambda ids: [
            block("sentences", numbered(sentences)),
            f"Check sentences: {span(ids)}.",
        ],
        size=SENTENCES_PER_REQUEST,
        units=tuple((id_,) for id_ in asked),
    )


async def check_sentences(
    question: CheckSentences, manner: SentenceManner, poll: Poll
) -> SentenceChecks:
    """Whether the source supports each sentence; an empty one supports none.

    A factual manner asks, too, whether the unsupported ones are true all the same.
    """
    if not question.source:
        nothing = SentenceCheck(reason="there is no source", supported=False)
        return SentenceChecks((nothing,) * len(question.sentences))
    found = await poll.outcomes(sentence_batch(question, manner), lambda check: check.supported)
    checks = dict(enumerate(found, start=1))
    answered = {id_: one for id_, one in checks.items() if isinstance(one, SentenceCheck)}
    poll.counts.n_ungrounded_quotes += sum(check.n_ungrounded for check in answered.values())
    unsupported = tuple(id_ for id_, check in answered.items() if not check.supported)
    if manner.factual and unsupported:
        told = await poll.outcomes(factual_batch(question.sentences, unsupported), bool)
        for id_, is_true in zip(unsupported, told, strict=True):
            if not isinstance(is_true, Unanswered):
                checks[id_] = replace(answered[id_], factual=is_true)
    return SentenceChecks(tuple(checks.values()))
