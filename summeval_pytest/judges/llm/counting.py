"""Facts counted by one prompt, without being listed: the baseline of EVA-Score's Table 17."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.instructions import instructions
from summeval_pytest.judges.llm.json_reading import (
    ReplyFault,
    UnreadableError,
    fields,
    read_object,
    whole_number,
    words,
)
from summeval_pytest.judges.llm.material import block, shown
from summeval_pytest.judges.llm.schema import integer, record, schema, text
from summeval_pytest.judges.llm.sheet import Draft, Read
from summeval_pytest.questions import FactCounts
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_COUNTS: Final = ("reference", "candidate", "matched")
_SCHEMA: Final = schema(
    "fact_counts", record({"reason": text(), **{count: integer() for count in _COUNTS}})
)


@dataclass(frozen=True, slots=True)
class CountSheet:
    """A reference and a summary: one item."""

    reference: str
    summary: str

    @property
    def topic(self) -> str:
        """The kind, and how the summary begins."""
        return f"fact counts {one_line(self.summary, 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The one item."""
        return ((1,),)

    def draft(self, ids: Sequence[int]) -> Draft:
        """Both texts."""
        del ids
        blocks = (
            block("reference", [shown(self.reference)]),
            block("summary", [shown(self.summary)]),
        )
        return Draft(
            system=instructions("fact_counts"),
            user="\n\n".join([*blocks, "Count the facts."]),
            schema=_SCHEMA,
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[FactCounts]:
        """The counts in a reply; more facts in both than in one of them are none."""
        try:
            return dict.fromkeys(ids, _read_counts(read_object(text)))
        except UnreadableError as error:
            fault: ReplyFault = error.fault
            return dict.fromkeys(ids, fault)


def _read_counts(reply: object) -> FactCounts:
    stated = fields(reply, ("reason", *_COUNTS), "the reply")
    reference, candidate, matched = (
        whole_number(stated[name], f"the count {name!r}") for name in _COUNTS
    )
    if min(reference, candidate, matched) < 0 or matched > min(reference, candidate):
        told = (
            f"{matched} facts in both of {reference} in the reference, {candidate} in the summary"
        )
        raise UnreadableError("off_scale", told)
    return FactCounts(
        reason=words(stated["reason"], "the reason"),
        reference=reference,
        candidate=candidate,
        matched=matched,
    )
