"""The recorded judge: answers from judgements that a suite carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.questions import (
    FacetPair,
    FacetRating,
    FacetRatings,
    RateFacets,
    SegmentFacets,
    Unanswered,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.questions import Answer, FacetSegments, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJudge:
    """Answers `SegmentFacets` and `RateFacets` from records; anything else stays unanswered.

    Attributes:
        signature: Whose records they are, and a hash of them.
        segments: By normalised text, its recorded facets.
        ratings: By pair of facets, as the metric asks about it, the recorded rating.
    """

    signature: str
    segments: Mapping[str, FacetSegments]
    ratings: Mapping[FacetPair, FacetRating]

    @property
    def in_flight(self) -> int:
        """One pair at a time: it looks up, it does not wait."""
        return 1

    async def answer(self, questions: tuple[Question, ...]) -> tuple[Answer, ...]:
        """One answer for each question, in the order asked."""
        return tuple(map(self._answer, questions))

    def _answer(self, question: Question) -> Answer:
        match question:
            case SegmentFacets(text):
                unknown = Unanswered("no facets of this text are recorded")
                return self.segments.get(text, unknown)
            case RateFacets(pairs):
                return FacetRatings(tuple(map(self._rating, pairs)))
            case _:
                return Unanswered("a recorded judge rates facets, and was asked something else")

    def _rating(self, pair: FacetPair) -> FacetRating | Unanswered:
        return self.ratings.get(pair, Unanswered("no rating of this facet is recorded"))
