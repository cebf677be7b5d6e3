from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import SummevalError
from summeval_pytest.metrics import facet
from summeval_pytest.metrics.flow import (
    MAX_UNANSWERED,
    NoAnswerError,
    ask,
    best_of,
    expect_count,
    limit_unanswered,
)
from summeval_pytest.metrics.score import FacetScore, Unscored
from summeval_pytest.questions import (
    FacetRating,
    FacetRatings,
    FacetSegments,
    FactList,
    ListFacts,
    RateFacets,
    SegmentFacets,
    Unanswered,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from summeval_pytest.metrics.flow import Flow
    from summeval_pytest.questions import Answer, Question

SUMMARY = "Mice grew."
FIRST = "Growth rose in mice."
SECOND = "The mice became larger."
OPEN = Unscored(metric="facet", status="unanswered", reason="timed out")
SKIPPED = Unscored(metric="facet", status="skipped_no_reference", reason="no facet")


def ended(
    flow: Generator[tuple[Question, ...], tuple[Answer, ...], object], *answers: Answer
) -> object:
    """What a conversation ends in after these answers; before its first question without any."""
    with pytest.raises(StopIteration) as stop:
        flow.send(answers) if answers else next(flow)
    value: object = stop.value.value
    return value


def settled(outcome: FacetScore | Unscored) -> Flow[FacetScore]:
    """A conversation that asks nothing."""
    yield from ()
    return outcome


def of_value(value: float) -> FacetScore:
    """A score with this value."""
    return FacetScore(value=value)


# ask


def test_ask_yields_all_questions_at_once_and_returns_their_answers_in_order() -> None:
    """Whoever drives the conversation can then answer them side by side."""
    dialogue = ask(FactList, ListFacts(("a",)), ListFacts(("b",)))
    assert next(dialogue) == (ListFacts(("a",)), ListFacts(("b",)))
    empty, other = FactList(()), FactList(())
    assert ended(dialogue, empty, other) == (empty, other)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ((FactList(()),), "the judge gave 1 answers to 2 questions"),
        ((FactList(()),) * 3, "the judge gave 3 answers to 2 questions"),
        ((FactList(()), Unanswered("it refused")), "it refused"),
        ((FacetSegments(), FactList(())), "ListFacts was answered with FacetSegments"),
    ],
)
def test_answers_that_do_not_fit_are_no_answer(answers: tuple[Answer, ...], message: str) -> None:
    """The reason says what came back, for the one who runs the judge."""
    dialogue = ask(FactList, ListFacts(("a",)), ListFacts(("b",)))
    next(dialogue)
    with pytest.raises(NoAnswerError) as error:
        dialogue.send(answers)
    assert str(error.value) == message
    assert isinstance(error.value, SummevalError)


# Counts


def test_count_must_be_met_exactly() -> None:
    """Fewer items would shrink the denominator, and more would shift them."""
    expect_count("ratings", 4, 4)
    for found in (3, 5):
        with pytest.raises(NoAnswerError) as error:
            expect_count("ratings", found, 4)
        assert str(error.value) == f"the judge returned {found} ratings for 4 asked about"


@pytest.mark.parametrize(("unanswered", "asked"), [(0, 0), (0, 7), (1, 20), (2, 40), (5, 100)])
def test_up_to_five_percent_may_stay_unanswered(unanswered: int, asked: int) -> None:
    """5 % itself is not over 5 %."""
    limit_unanswered("facts", ["cut off"] * unanswered, asked)


@pytest.mark.parametrize(("unanswered", "asked"), [(1, 1), (1, 19), (3, 40), (6, 100), (7, 7)])
def test_over_five_percent_unanswered_is_no_answer(unanswered: int, asked: int) -> None:
    """metrics.md 1.3: the score is given up, and the first reason is told."""
    with pytest.raises(NoAnswerError) as error:
        limit_unanswered("facts", ["cut off", *["refused"] * (unanswered - 1)], asked)
    assert str(error.value) == f"{unanswered} of {asked} facts unanswered, first: cut off"


@given(st.integers(1, 200), st.data())
def test_the_limit_leaves_something_to_divide_by(asked: int, data: st.DataObject) -> None:
    """Whatever passes the limit has at least one answer."""
    unanswered = data.draw(st.integers(0, asked))
    try:
        limit_unanswered("facts", ["cut off"] * unanswered, asked)
    except NoAnswerError:
        assert unanswered > MAX_UNANSWERED * asked
    else:
        assert unanswered < asked


# Several references


@pytest.mark.parametrize(
    ("outcomes", "best"),
    [
        ((of_value(0.4),), of_value(0.4)),
        ((of_value(0.4), of_value(0.9), of_value(0.6)), of_value(0.9)),
        ((of_value(0.0), SKIPPED), of_value(0.0)),
        ((SKIPPED, of_value(0.3)), of_value(0.3)),
        ((SKIPPED, SKIPPED), SKIPPED),
        ((of_value(0.9), OPEN), OPEN),
        ((OPEN, of_value(0.9)), OPEN),
        ((SKIPPED, OPEN), OPEN),
    ],
)
def test_best_reference_counts_unless_the_judge_failed_on_one(
    outcomes: tuple[FacetScore | Unscored, ...], best: FacetScore | Unscored
) -> None:
    """A judge that fails on the better reference must not be hidden by the other."""
    assert ended(best_of(tuple(map(settled, outcomes)))) == best


def test_first_of_two_equal_references_counts() -> None:
    """The evidence shown must be the same in every run."""
    first, second = FacetScore(value=0.5, coverage=0.1), FacetScore(value=0.5, coverage=0.2)
    assert ended(best_of((settled(first), settled(second)))) is first


def test_measuring_against_no_reference_is_a_programming_error() -> None:
    """A paper without a reference is refused by the suite, long before."""
    with pytest.raises(AssertionError, match="at least one reference is measured against"):
        next(best_of(()))


def test_each_reference_is_asked_about_in_turn_and_the_better_one_scores() -> None:
    """A whole conversation over two references: the second begins where the first has its score."""
    flow = best_of(tuple(facet.measure(reference, SUMMARY) for reference in (FIRST, SECOND)))
    assert next(flow) == (SegmentFacets(FIRST), SegmentFacets(SUMMARY))
    segments = FacetSegments(result=FIRST), FacetSegments(result=SUMMARY)
    assert isinstance(flow.send(segments)[0], RateFacets)
    poor = FacetRatings((FacetRating(facet="result", reason="", rating=2),))
    assert flow.send((poor,)) == (SegmentFacets(SECOND), SegmentFacets(SUMMARY))
    flow.send((FacetSegments(result=SECOND), FacetSegments(result=SUMMARY)))
    good = FacetRatings((FacetRating(facet="result", reason="", rating=3),))
    score = ended(flow, good)
    assert isinstance(score, FacetScore)
    assert (score.value, score.ratings[0].reference) == (0.75, SECOND)


def test_judge_failing_on_the_first_reference_ends_the_conversation() -> None:
    """Nothing more is asked, and paid for, that could not change the outcome."""
    flow = best_of(tuple(facet.measure(reference, SUMMARY) for reference in (FIRST, SECOND)))
    next(flow)
    score = ended(flow, Unanswered("timed out"), FacetSegments())
    assert score == OPEN


def test_summary_equal_to_its_second_reference_is_perfect() -> None:
    """Identical is maximal for any of the references."""
    flow = best_of(tuple(facet.measure(reference, SUMMARY) for reference in (FIRST, SUMMARY)))
    next(flow)
    score = ended(flow, FacetSegments(result=FIRST), FacetSegments())
    assert score == FacetScore(value=1.0, identical=True)


@pytest.mark.parametrize("summary", ["<pad>", "Sorry, I cannot."])
def test_unusable_summary_is_the_systems_fault_against_any_number_of_references(
    summary: str,
) -> None:
    """More references do not make an empty summary one that the judge failed on."""
    flow = best_of(tuple(facet.measure(reference, summary) for reference in (FIRST, SECOND)))
    score = ended(flow)
    assert isinstance(score, Unscored)
    assert score.fault == "system"


@given(st.permutations([0.2, 0.4, 0.6, 0.8]))
def test_the_order_of_the_references_does_not_matter(values: list[float]) -> None:
    """A suite's references have no rank."""
    assert ended(best_of(tuple(settled(of_value(value)) for value in values))) == of_value(0.8)
