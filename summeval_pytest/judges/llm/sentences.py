"""Sentences checked against a source, with quotations as evidence that are looked up there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.judges.llm.asking import majority
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
    PromptBatch,
    Read,
    Values,
    Whole,
    about,
    apart,
    as_line,
    block,
    entries_batch,
    instructions,
    numbered,
    shown,
    span,
    without_thoughts,
)
from summeval_pytest.questions import SentenceCheck, Unanswered
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.llm.asking import Outcome, Poll
    from summeval_pytest.questions import CheckSentences, SentenceManner


SENTENCES_PER_REQUEST: Final = 15
NO_EVIDENCE: Final = "called supported without evidence, which a strict judge may not"
_SHOWN: Final = 300
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


def sentence_batch(
    sentences: tuple[str, ...], source: tuple[str, ...], manner: SentenceManner
) -> PromptBatch[SentenceCheck]:
    """Asks whether a source supports sentences; evidence is looked up there.

    A strict manner makes a sentence without evidence unsupported, whatever its label.
    """
    if manner.mode != "quotes":
        return _free_batch(sentences, source, manner)

    def user(ids: Sequence[int]) -> str:
        blocks = [
            block("source", numbered(source)),
            block("sentences", numbered(sentences, ids)),
            f"Check sentences: {span(ids)}.",
        ]
        return "\n\n".join(blocks)

    def check(entry: _SentenceEntry, _: str) -> SentenceCheck:
        quotes = [Quote(one.id - 1, one.quote) for one in entry.evidence]
        found = look_up(quotes, source, sentences)
        is_supported = entry.label == "supported"
        return _check_of(found, entry.reason, supported=is_supported, strict=manner.strict)

    return entries_batch(
        "sentence_checks",
        "checks",
        _SentenceEntry,
        check,
        texts=sentences,
        user=user,
    )


def _free_batch(
    sentences: tuple[str, ...], source: tuple[str, ...], manner: SentenceManner
) -> PromptBatch[SentenceCheck]:
    """Asks about one sentence a request, for a reply in free text."""
    with_quotes = manner.mode == "label-and-sentences"

    def user(ids: Sequence[int]) -> str:
        (id_,) = ids
        blocks = [
            block("source", map(shown, source)),
            block("sentence", [shown(sentences[id_ - 1])]),
            _QUOTES if with_quotes else _LABEL,
        ]
        return "\n\n".join(blocks)

    def read(text: str, ids: Sequence[int]) -> Read[SentenceCheck]:
        (id_,) = ids
        reply = without_thoughts(str(as_line(text)))
        supported = read_verdict(own_words(reply))
        found = LookedUp((), 0)
        if with_quotes:
            found = look_up(quotations(groups_of(reply), source), source, sentences)
        reason = one_line(reply, _SHOWN)
        return {id_: _check_of(found, reason, supported=supported, strict=manner.strict)}

    return PromptBatch(
        topic=about("sentence quotes" if with_quotes else "sentence labels", sentences),
        units=apart(sentences),
        system=instructions("sentence_quotes" if with_quotes else "sentence_labels"),
        user=user,
        schema=lambda _: None,
        read=read,
    )


def _check_of(found: LookedUp, reason: str, *, supported: bool, strict: bool) -> SentenceCheck:
    """The check that a label and its evidence come to; no and evidence stays no."""
    if strict and supported and not found.sentences:
        supported, reason = False, f"{reason} ({NO_EVIDENCE})"
    return SentenceCheck(
        reason=reason,
        supported=supported,
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
        lambda entry, _: entry.label == "true",
        texts=[sentences[id_ - 1] for id_ in asked],
        units=tuple((id_,) for id_ in asked),
        user=lambda ids: (
            f"{block('sentences', numbered(sentences))}\n\nCheck sentences: {span(ids)}."
        ),
    )


async def ask_sentences(
    poll: Poll, question: CheckSentences, manner: SentenceManner
) -> tuple[Outcome[SentenceCheck] | Unanswered, ...]:
    """What the votes on each sentence come to; free text answers one sentence a request."""
    if manner.mode != "quotes":
        poll = replace(poll, batched=False)
    return await poll.outcomes(
        sentence_batch(question.sentences, question.source, manner),
        SENTENCES_PER_REQUEST,
        lambda check: check.supported,
        majority,
    )


async def ask_factual(
    poll: Poll, sentences: tuple[str, ...], checks: Sequence[SentenceCheck | Unanswered]
) -> tuple[SentenceCheck | Unanswered, ...]:
    """The checks of sentences, the unsupported ones with whether they are true all the same.

    One that the judge gives no usable answer about stays as it is.
    """
    unsupported = {
        id_: check
        for id_, check in enumerate(checks, start=1)
        if isinstance(check, SentenceCheck) and not check.supported
    }
    if not unsupported:
        return tuple(checks)
    batch = factual_batch(sentences, tuple(unsupported))
    outcomes = await poll.outcomes(batch, SENTENCES_PER_REQUEST, bool, majority)
    told = list(checks)
    for (id_, check), outcome in zip(unsupported.items(), outcomes, strict=True):
        if not isinstance(outcome, Unanswered):
            told[id_ - 1] = replace(check, factual=outcome.item)
    return tuple(told)
