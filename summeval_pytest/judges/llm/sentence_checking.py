"""Sentences checked against a source, with quotations as evidence that are looked up there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.instructions import instructions
from summeval_pytest.judges.llm.json_reading import (
    choice,
    fields,
    listed,
    read_object,
    whole_number,
    words,
)
from summeval_pytest.judges.llm.material import block, numbered
from summeval_pytest.judges.llm.quotes import LookedUp, Quote, look_up
from summeval_pytest.judges.llm.schema import array, integer, one_of, record, schema, text
from summeval_pytest.judges.llm.sheet import Draft, Read, apart, read_entries, span
from summeval_pytest.questions import SentenceCheck
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

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
