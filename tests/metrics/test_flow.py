from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import SummevalError
from summeval_pytest.metrics import facet
from summeval_pytest.metrics.facet import calibrated, facet_aware_metric
from summeval_pytest.metrics.flow import (
    NoAnswerError,
    ask,
    averaged,
    best_of,
    expect_count,
    limit_unanswered,
    mean_of,
)
from summeval_pytest.metrics.score import EvaScore, FacetScore, RatedFacet, Unscored
from summeval_pytest.questions import (
    SCALES,
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
    from summeval_pytest.questions import Answer, Facet, Question

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


def facet_score(**ratings: int) -> FacetScore:
    """The score of these ratings."""
    rated = tuple(
        RatedFacet(facet=facet, rating=ratings[facet], reason="", reference="a", candidate="b")
        for facet in SCALES
        if facet in ratings
    )
    value = facet_aware_metric({each.facet: each.rating for each in rated})
    assert value is not None
    return FacetScore(value=value, ratings=rated)


def eva_score(precision: float | None, recall: float, entailed: float | None) -> EvaScore:
    """A score with these numbers; its value is their own business."""
    return EvaScore(value=recall / 2, precision=precision, recall=recall, recall_entailed=entailed)


def outcome_of(flow: Flow[FacetScore]) -> FacetScore | Unscored:
    """What a conversation ends in that asks nothing."""
    with pytest.raises(StopIteration) as stop:
        next(flow)
    score: FacetScore | Unscored = stop.value.value
    return score


HIGH = facet_score(method=4, result=4)  # FM = 1


LOW = facet_score(result=2, conclusion=3)  # FM = (.3 * 2/4 + .3 * 1) / .6 = .75


def test_every_number_is_the_mean_over_the_references_that_have_it() -> None:
    """Worked example: FM (1 + .75) / 2; the result (4 + 2) / 2; the others are of one alone."""
    score = outcome_of(mean_of((settled(HIGH), settled(LOW))))
    assert isinstance(score, FacetScore)
    assert score.value == 0.875
    assert score.values() == {
        "facet": 0.875,
        "facet.method": 4.0,
        "facet.result": 3.0,
        "facet.conclusion": 3.0,
    }


def test_the_evidence_is_that_of_the_lowest_score() -> None:
    """What is wrong stands against the reference that the summary misses."""
    score = averaged((HIGH, LOW))
    assert (score.ratings, score.by_reference) == (LOW.ratings, (HIGH, LOW))
    assert averaged((LOW, facet_score(result=3))).ratings == LOW.ratings


@pytest.mark.parametrize(
    ("outcomes", "end"),
    [
        ((HIGH, OPEN), OPEN),
        ((OPEN, HIGH), OPEN),
        ((SKIPPED, OPEN), OPEN),
        ((SKIPPED, SKIPPED), SKIPPED),
    ],
)
def test_a_reference_that_could_not_be_scored_leaves_the_pair_unscored(
    outcomes: tuple[FacetScore | Unscored, ...], end: Unscored
) -> None:
    """As for the best; a mean over those that the judge did answer would be another number."""
    assert outcome_of(mean_of(tuple(map(settled, outcomes)))) == end


def test_eva_parts_are_means_of_their_own() -> None:
    """Worked example: the value is the mean of the F1, and not the F1 of means (EV16)."""
    score = averaged((eva_score(0.5, 0.8, 1.0), eva_score(0.25, 0.4, 0.5)))
    assert score.values() == {
        "eva": pytest.approx(0.3),  # (.4 + .2) / 2
        "eva.precision": 0.375,
        "eva.recall": pytest.approx(0.6),
        "eva.recall_entailed": 0.75,
    }
    assert (score.precision, score.recall_entailed) == (0.375, 0.75)


def test_a_copy_of_one_reference_has_full_marks_there_alone() -> None:
    """Mean and best differ most where a summary is one of its references."""
    copy = FacetScore(value=1.0, identical=True)
    score = averaged((copy, LOW))
    assert not score.identical
    assert score.values()["facet"] == 0.875
    assert score.values()["facet.method"] == 4.0
    assert averaged((copy, copy)).identical


def test_calibration_maps_the_ratings_against_every_reference() -> None:
    """A map of means would be another one: ratings are whole numbers."""
    values: dict[Facet, tuple[float, ...]] = {"result": (1.0, 1.0, 3.0, 4.0)}
    score = calibrated(averaged((HIGH, LOW)), values)
    # LOW: (.3 * 1/4 + .3 * 1) / .6 = .625; HIGH stays 1
    assert score.value == pytest.approx(0.8125)
    assert score.values()["facet.result"] == 2.5
