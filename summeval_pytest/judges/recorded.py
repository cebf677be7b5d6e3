"""The recorded judge: answers from judgements that a suite carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest import questions as q

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJudge:
    """Answers `SegmentFacets` and `RateFacets` from records; anything else stays unanswered.

    ``signature`` says whose records they are, with a hash of them. Segments are by normalised text,
    ratings by the pair of facets that the metric asks about. It looks up and does not wait, so one
    pair at a time is enough.
    """

    signature: str
    segments: Mapping[str, q.FacetSegments]
    ratings: Mapping[q.FacetPair, q.FacetRating]
    in_flight: int = 1

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked."""
        return tuple(map(self._answer, questions))

    def _answer(self, question: q.Question) -> q.Answer:
        match question:
            case q.SegmentFacets(text):
                unknown = q.Unanswered("no facets of this text are recorded")
                return self.segments.get(text, unknown)
            case q.RateFacets(pairs):
                none = q.Unanswered("no rating of this facet is recorded")
                return q.FacetRatings(tuple(self.ratings.get(pair, none) for pair in pairs))
            case _:
                return q.Unanswered("a recorded judge rates facets, and was asked something else")
