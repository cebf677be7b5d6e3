"""A summary rated as a whole, against a reference as a whole: what FM is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.instructions import instructions
from summeval_pytest.judges.llm.json_reading import fields, rating_on, read_object, words
from summeval_pytest.judges.llm.material import block, shown
from summeval_pytest.judges.llm.schema import one_of, record, schema, text
from summeval_pytest.judges.llm.sheet import Draft, Read, read_item
from summeval_pytest.questions import SUMMARY_SCALE, SummaryRating
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEYS: Final = ("reason", "rating")
_SCHEMA: Final = schema(
    "summary_rating", record({"reason": text(), "rating": one_of(range(1, SUMMARY_SCALE + 1))})
)


@dataclass(frozen=True, slots=True)
class SummarySheet:
    """One summary to rate, which is one item."""

    reference: str
    summary: str

    @property
    def topic(self) -> str:
        """The kind, and how the summary begins."""
        return f"summary rating {one_line(self.summary, 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The summary."""
        return ((1,),)

    def draft(self, ids: Sequence[int]) -> Draft:  # noqa: ARG002  # there is one item
        """The reference, then the summary."""
        blocks = [
            block("reference", [shown(self.reference)]),
            block("summary", [shown(self.summary)]),
            f"Rate the summary, 1 to {SUMMARY_SCALE}.",
        ]
        return Draft(
            system=instructions("summary_rating"), user="\n\n".join(blocks), schema=_SCHEMA
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[SummaryRating]:
        """The rating in a reply."""
        reply = read_object(text)
        return {id_: read_item([reply], "the summary", _read_rating) for id_ in ids}


def _read_rating(entry: object, what: str) -> SummaryRating:
    rated = fields(entry, _KEYS, what)
    rating = rating_on(SUMMARY_SCALE, rated["rating"], what)
    return SummaryRating(reason=words(rated["reason"], f"{what}: reason"), rating=rating)
