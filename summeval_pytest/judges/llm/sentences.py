"""Sentences checked against a source, with quotations as evidence that are looked up there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

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
    Draft,
    FreeDraft,
    Read,
    apart,
    array,
    block,
    choice,
    fields,
    instructions,
    integer,
    listed,
    numbered,
    one_of,
    read_entries,
    read_object,
    record,
    schema,
    shown,
    span,
    text,
    whole_number,
    without_thoughts,
    words,
)
from summeval_pytest.questions import SentenceCheck, Unanswered
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.llm.asking import Outcome, Poll
    from summeval_pytest.judges.llm.replies import Sheet
    from summeval_pytest.questions import CheckSentences, SentenceManner


SENTENCES_PER_REQUEST: Final = 15

SUPPORTED: Final = "supported"
UNSUPPORTED: Final = "unsupported"
NO_EVIDENCE: Final = "called supported without evidence, which a strict judge may not"
_KEYS: Final = ("id", "reason", "evidence", "label")
_SHAPES: Final = (
    integer(),
    text(),
    array(record({"id": integer(), "quote": text()})),
    one_of((SUPPORTED, UNSUPPORTED)),
)
_SCHEMA: Final = schema(
    "sentence_checks", record({"checks": array(record(dict(zip(_KEYS, _SHAPES, strict=True))))})
)


@dataclass(frozen=True, slots=True)
class SentenceSheet:
    """Sentences to check, and the source to check them against.

    Where ``strict`` is set, one without evidence in the source is unsupported whatever its label.
    """

    sentences: tuple[str, ...]
    source: tuple[str, ...]
    strict: bool = False

    @property
    def topic(self) -> str:
        """The kind, and how the first sentence begins."""
        return f"sentence checks {one_line(self.sentences[0], 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each sentence by itself."""
        return apart(self.sentences)

    def draft(self, ids: Sequence[int]) -> Draft:
        """The source, then the sentences."""
        blocks = [
            block("source", numbered(self.source)),
            block("sentences", numbered(self.sentences, ids)),
            f"Check sentences: {span(ids)}.",
        ]
        return Draft(
            system=instructions("sentence_checks"), user="\n\n".join(blocks), schema=_SCHEMA
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[SentenceCheck]:
        """The checks in a reply, their evidence looked up in the source."""
        reply = fields(read_object(text), ("checks",), "the reply")
        return read_entries(reply["checks"], ids, self._read_check)

    def _read_check(self, entry: object, what: str) -> SentenceCheck:
        check = fields(entry, _KEYS, what)
        label = choice(check["label"], (SUPPORTED, UNSUPPORTED), f"{what}: label")
        quotes = [_read_quote(quote, what) for quote in listed(check["evidence"], what)]
        return check_of(
            look_up(quotes, self.source, self.sentences),
            words(check["reason"], f"{what}: reason"),
            supported=label == SUPPORTED,
            strict=self.strict,
        )


def check_of(found: LookedUp, reason: str, *, supported: bool, strict: bool) -> SentenceCheck:
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


def _read_quote(entry: object, what: str) -> Quote:
    quote = fields(entry, ("id", "quote"), f"{what}: evidence")
    number = whole_number(quote["id"], f"{what}: evidence")
    return Quote(number - 1, words(quote["quote"], f"{what}: quote"))


TRUE: Final = "true"
_LABELS: Final = (TRUE, "not_true")
_FACTUAL_CHECKING_KEYS: Final = ("id", "reason", "label")
_FACTUAL_CHECKING_SHAPES: Final = (integer(), text(), one_of(_LABELS))
_FACTUAL_CHECKING_SCHEMA: Final = schema(
    "factual_checks",
    record(
        {
            "checks": array(
                record(dict(zip(_FACTUAL_CHECKING_KEYS, _FACTUAL_CHECKING_SHAPES, strict=True)))
            )
        }
    ),
)


@dataclass(frozen=True, slots=True)
class FactualCheck:
    """Whether one sentence is true by general knowledge."""

    reason: str
    factual: bool


@dataclass(frozen=True, slots=True)
class FactualSheet:
    """The sentences of a summary, and which of them (from 1) are asked about.

    The others are shown, since "it" and "they" are nothing by themselves.
    """

    sentences: tuple[str, ...]
    asked: tuple[int, ...]

    @property
    def topic(self) -> str:
        """The kind, and how the first sentence asked about begins."""
        return f"factual checks {one_line(self.sentences[self.asked[0] - 1], 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each sentence asked about by itself."""
        return tuple((id_,) for id_ in self.asked)

    def draft(self, ids: Sequence[int]) -> Draft:
        """All sentences, then which of them to check."""
        lines = numbered(self.sentences)
        user = f"{block('sentences', lines)}\n\nCheck sentences: {span(ids)}."
        return Draft(
            system=instructions("factual_checks"), user=user, schema=_FACTUAL_CHECKING_SCHEMA
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[FactualCheck]:
        """The checks in a reply."""
        reply = fields(read_object(text), ("checks",), "the reply")
        return read_entries(reply["checks"], ids, _read_check)


def _read_check(entry: object, what: str) -> FactualCheck:
    check = fields(entry, _FACTUAL_CHECKING_KEYS, what)
    label = choice(check["label"], _LABELS, f"{what}: label")
    return FactualCheck(reason=words(check["reason"], f"{what}: reason"), factual=label == TRUE)


_SHOWN: Final = 300
_LABEL: Final = "Does the source support the sentence? Reply with yes or no, one word."
_QUOTES: Final = (
    "Does the source support the sentence? Reply with yes or no, and after it, each in parentheses,"
    " the sentences of the source that support it, copied exactly."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeSheet:
    """Sentences to check one by one, and the source to check them against.

    Attributes:
        sentences: All sentences asked about: what is copied from them is no evidence.
        source: The source's sentences.
        with_quotes: Whether supporting sentences are asked for, beside yes or no.
        strict: Whether a yes without evidence in the source is a no.
    """

    sentences: tuple[str, ...]
    source: tuple[str, ...]
    with_quotes: bool
    strict: bool = False

    @property
    def topic(self) -> str:
        """The kind, and how the first sentence begins."""
        kind = "sentence quotes" if self.with_quotes else "sentence labels"
        return f"{kind} {one_line(self.sentences[0], 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each sentence by itself."""
        return apart(self.sentences)

    def draft(self, ids: Sequence[int]) -> FreeDraft:
        """The source, the one sentence, and the question."""
        (id_,) = ids
        blocks = [
            block("source", map(shown, self.source)),
            block("sentence", [shown(self.sentences[id_ - 1])]),
            _QUOTES if self.with_quotes else _LABEL,
        ]
        kind = "sentence_quotes" if self.with_quotes else "sentence_labels"
        return FreeDraft(system=instructions(kind), user="\n\n".join(blocks))

    def read(self, text: str, ids: Sequence[int]) -> Read[SentenceCheck]:
        """The verdict of a reply, its quotations looked up in the source."""
        (id_,) = ids
        reply = without_thoughts(words(text, "the reply"))
        supported = read_verdict(own_words(reply))
        found = LookedUp((), 0)
        if self.with_quotes:
            quotes = quotations(groups_of(reply), self.source)
            found = look_up(quotes, self.source, self.sentences)
        reason = one_line(reply, _SHOWN)
        return {id_: check_of(found, reason, supported=supported, strict=self.strict)}


def sheet_of(
    sentences: tuple[str, ...], source: tuple[str, ...], manner: SentenceManner
) -> Sheet[SentenceCheck]:
    """The sheet that asks in this manner."""
    if manner.mode == "quotes":
        return SentenceSheet(sentences, source, manner.strict)
    return FreeSheet(
        sentences=sentences,
        source=source,
        with_quotes=manner.mode == "label-and-sentences",
        strict=manner.strict,
    )


async def ask_sentences(
    poll: Poll, question: CheckSentences, manner: SentenceManner
) -> tuple[Outcome[SentenceCheck] | Unanswered, ...]:
    """What the votes on each sentence come to; free text answers one sentence a request."""
    if manner.mode != "quotes":
        poll = replace(poll, batched=False)
    return await poll.outcomes(
        sheet_of(question.sentences, question.source, manner),
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
    asked = tuple(
        id_
        for id_, check in enumerate(checks, start=1)
        if isinstance(check, SentenceCheck) and not check.supported
    )
    told = list(checks)
    if asked:
        outcomes = await poll.outcomes(
            FactualSheet(sentences, asked),
            SENTENCES_PER_REQUEST,
            lambda check: check.factual,
            majority,
        )
        for id_, outcome in zip(asked, outcomes, strict=True):
            check = told[id_ - 1]
            if isinstance(check, SentenceCheck) and not isinstance(outcome, Unanswered):
                told[id_ - 1] = replace(check, factual=outcome.item.factual)
    return tuple(told)
