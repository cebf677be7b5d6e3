from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.questions import RateSummary, SummaryRating, Unanswered
from summeval_pytest.run.measure import baseline_flow
from summeval_pytest.suite.values import Flaw, Pair, Paper, Section

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer

AT = Place("papers.jsonl", 1)


def pair_of(*references: str, flaw: Flaw | None = None) -> Pair:
    """A pair with these references."""
    paper = Paper(id="zinc", source=(Section(text="Zinc."),), references=references, place=AT)
    return Pair(paper=paper, system="careful", summary="It slept.", place=AT, flaw=flaw)


def ended(pair: Pair, *answers: Answer) -> float | Unanswered:
    """What the direct rating ends in, after these answers."""
    flow = baseline_flow("direct", pair)
    try:
        questions = next(flow)
        for answer in answers:
            assert [type(question) for question in questions] == [RateSummary]
            questions = flow.send((answer,))
    except StopIteration as end:
        found: float | Unanswered = end.value
        return found
    pytest.fail(f"it goes on to ask {questions}")


def rated(rating: int) -> SummaryRating:
    """A rating without a reason."""
    return SummaryRating(reason="", rating=rating)


def test_the_best_of_several_references_counts() -> None:
    """As for the metrics that the number stands beside."""
    assert ended(pair_of("One.", "Two."), rated(2), rated(3)) == 0.75


def test_no_rating_on_one_reference_is_no_number() -> None:
    """A judge that fails must not be hidden by its answer on another reference."""
    assert ended(pair_of("One.", "Two."), rated(4), Unanswered("cut off")) == Unanswered("cut off")


def test_a_reply_that_is_no_summary_is_not_rated() -> None:
    """Nobody is asked about it."""
    flaw = Flaw(status="refused_candidate", reason="the system refused")
    assert ended(pair_of("One.", flaw=flaw)) == Unanswered("the system refused")
