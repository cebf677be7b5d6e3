"""Unsupported sentences, asked about once more: are they true all the same, beyond the source?

FareBio tells factual from non-factual hallucinations (metrics.md 1.2, labels). Either is unfaithful
and counts as such; the difference is shown and scores nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.instructions import instructions
from summeval_pytest.judges.llm.json_reading import choice, fields, read_object, words
from summeval_pytest.judges.llm.material import block, numbered
from summeval_pytest.judges.llm.schema import array, integer, one_of, record, schema, text
from summeval_pytest.judges.llm.sheet import Draft, Read, read_entries, span
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

SENTENCES_PER_REQUEST: Final = 15

TRUE: Final = "true"
_LABELS: Final = (TRUE, "not_true")
_KEYS: Final = ("id", "reason", "label")
_SHAPES: Final = (integer(), text(), one_of(_LABELS))
_SCHEMA: Final = schema(
    "factual_checks", record({"checks": array(record(dict(zip(_KEYS, _SHAPES, strict=True))))})
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
        return Draft(system=instructions("factual_checks"), user=user, schema=_SCHEMA)

    def read(self, text: str, ids: Sequence[int]) -> Read[FactualCheck]:
        """The checks in a reply."""
        reply = fields(read_object(text), ("checks",), "the reply")
        return read_entries(reply["checks"], ids, _read_check)


def _read_check(entry: object, what: str) -> FactualCheck:
    check = fields(entry, _KEYS, what)
    label = choice(check["label"], _LABELS, f"{what}: label")
    return FactualCheck(reason=words(check["reason"], f"{what}: reason"), factual=label == TRUE)
