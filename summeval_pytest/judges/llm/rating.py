"""Facets of a summary rated against the reference's: one request for all, on the paper's rubric."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.llm.instructions import instructions
from summeval_pytest.judges.llm.json_reading import (
    ReplyFault,
    fields,
    rating_on,
    read_object,
    words,
)
from summeval_pytest.judges.llm.material import block, shown
from summeval_pytest.judges.llm.schema import one_of, record, schema, text
from summeval_pytest.judges.llm.sheet import Draft, Read, apart, read_item
from summeval_pytest.questions import SCALES, Facet, FacetPair, FacetRating
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.questions import Rubric

PAIRS_PER_REQUEST: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How the scales are explained.

    Attributes:
        rubric: ``paper``, where 1 is a contradiction or nothing relevant, or ``release``, the words
            of the released prompts, where 1 is a contradiction only (metrics.md FM5).
        examples: Whether seven worked examples of our own go with it, one for each rating of either
            scale (FM, section 5.2; metrics.md FM14).
    """

    rubric: Rubric = "paper"
    examples: bool = False

    def __str__(self) -> str:
        parts = [f" rubric={self.rubric}"] if self.rubric != "paper" else []
        return "".join([*parts, *([" examples=7"] if self.examples else [])])


PLAIN: Final = Style()


@dataclass(frozen=True, slots=True)
class RatingSheet:
    """Pairs of facets to rate."""

    pairs: tuple[FacetPair, ...]
    style: Style = PLAIN

    @property
    def topic(self) -> str:
        """The kind, and how the first facet of the summary begins."""
        return f"facet ratings {one_line(self.pairs[0].candidate, 48)!r}"

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """Each pair by itself."""
        return apart(self.pairs)

    def draft(self, ids: Sequence[int]) -> Draft:
        """The pairs in this order, the reference's text before the summary's."""
        blocks, scales, shapes = [], [], {}
        for id_ in ids:
            pair, key = self.pairs[id_ - 1], self.key(id_)
            blocks.append(block(f"{key} reference", [shown(pair.reference)]))
            blocks.append(block(f"{key} summary", [shown(pair.candidate)]))
            scales.append(f"{key} (1 to {SCALES[pair.facet]})")
            ratings = range(1, SCALES[pair.facet] + 1)
            shapes[key] = record({"reason": text(), "rating": one_of(ratings)})
        asked = f"Rate: {', '.join(scales)}."
        return Draft(
            system=instructions(
                "facet_ratings",
                told="facet_ratings_release" if self.style.rubric == "release" else None,
                also="facet_examples" if self.style.examples else None,
            ),
            user="\n\n".join([*blocks, asked]),
            schema=schema("facet_ratings", record(shapes)),
        )

    def read(self, text: str, ids: Sequence[int]) -> Read[FacetRating]:
        """The ratings in a reply; an entry for a facet that was not asked about is none."""
        reply = read_object(text)
        found: dict[int, FacetRating | ReplyFault] = {}
        for id_ in ids:
            entries = [reply[self.key(id_)]] if self.key(id_) in reply else []
            pair = self.pairs[id_ - 1]
            found[id_] = read_item(entries, self.key(id_), partial(_read_rating, pair.facet))
        return found

    def key(self, id_: int) -> str:
        """The name of a pair: its facet, with a number where several pairs are of one facet."""
        facet = self.pairs[id_ - 1].facet
        n_before = sum(pair.facet == facet for pair in self.pairs[: id_ - 1])
        return f"{facet}_{n_before + 1}" if n_before else facet


def _read_rating(facet: Facet, entry: object, what: str) -> FacetRating:
    rated = fields(entry, ("reason", "rating"), what)
    rating = rating_on(SCALES[facet], rated["rating"], what)
    return FacetRating(facet=facet, reason=words(rated["reason"], f"{what}: reason"), rating=rating)
