from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.metrics.baselines import DirectRating, measure_directly
from summeval_pytest.questions import FacetSegments, RateSummary, SummaryRating, Unanswered

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer

REFERENCE = "Zinc helped the mice."


SUMMARY = "The mice slept."


def ended(answer: Answer, summary: str = SUMMARY) -> DirectRating | Unanswered:
    """What the conversation ends in, after this answer."""
    flow = measure_directly(REFERENCE, summary)
    assert next(flow) == (RateSummary(REFERENCE, summary),)
    with pytest.raises(StopIteration) as end:
        flow.send((answer,))
    found: DirectRating | Unanswered = end.value.value
    return found


@pytest.mark.parametrize("rating", [1, 2, 3, 4])
def test_a_rating_is_a_share_of_its_scale(rating: int) -> None:
    """As the release has it: .25, .5, .75, 1."""
    found = ended(SummaryRating(reason="close", rating=rating))
    assert found == DirectRating(value=rating / 4, reason="close")


def test_a_copy_of_the_reference_is_rated_like_any_other() -> None:
    """A baseline has no rules of ours: what the model says of equal texts is part of it."""
    assert ended(SummaryRating(reason="", rating=3), REFERENCE) == DirectRating(
        value=0.75, reason=""
    )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Unanswered("cut off"), "cut off"),
        (FacetSegments(), "RateSummary was answered with FacetSegments"),
        (SummaryRating(reason="", rating=5), "rating 5 is off its scale 1 to 4"),
        (SummaryRating(reason="", rating=0), "rating 0 is off its scale 1 to 4"),
    ],
)
def test_no_usable_rating_is_no_number(answer: Answer, reason: str) -> None:
    """Neither zero nor the nearest rating."""
    assert ended(answer) == Unanswered(reason)
