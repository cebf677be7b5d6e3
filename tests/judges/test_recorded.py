from __future__ import annotations

import asyncio

from summeval_pytest.judges.recorded import RecordedJudge
from summeval_pytest.questions import (
    Answer,
    CheckSentences,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    ListFacts,
    Question,
    RateFacets,
    SegmentFacets,
    Unanswered,
)

RESULT = FacetPair(facet="result", reference="They slept.", candidate="They rested.")
RATED = FacetRating(facet="result", reason="as recorded from GPT", rating=3)
SEGMENTS = FacetSegments(result="They slept.")
JUDGE = RecordedJudge(
    signature="recorded GPT", segments={"They slept.": SEGMENTS}, ratings={RESULT: RATED}
)


def answers(*questions: Question) -> tuple[Answer, ...]:
    """What the judge says."""
    return asyncio.run(JUDGE.answer(questions))


def test_what_is_recorded_is_said_again() -> None:
    """It is a judge like any other, and answers in the order asked."""
    assert answers(RateFacets((RESULT,)), SegmentFacets("They slept.")) == (
        FacetRatings((RATED,)),
        SEGMENTS,
    )


def test_what_is_not_recorded_stays_unanswered() -> None:
    """A text, a pair of segments, and a kind of question that nobody recorded."""
    other = FacetPair(facet="result", reference="They slept.", candidate="They woke.")
    assert answers(
        SegmentFacets("They woke."),
        RateFacets((other, RESULT)),
        ListFacts(("They slept.",)),
        CheckSentences(("They slept.",), ("They slept.",)),
    ) == (
        Unanswered("no facets of this text are recorded"),
        FacetRatings((Unanswered("no rating of this facet is recorded"), RATED)),
        Unanswered("a recorded judge rates facets, and was asked something else"),
        Unanswered("a recorded judge rates facets, and was asked something else"),
    )
