from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics.facet import calibrated, facet_aware_metric
from summeval_pytest.metrics.flow import averaged, mean_of
from summeval_pytest.metrics.score import EvaScore, FacetScore, RatedFacet, Unscored
from summeval_pytest.questions import SCALES

if TYPE_CHECKING:
    from summeval_pytest.metrics.flow import Flow
    from summeval_pytest.questions import Facet

SKIPPED = Unscored(metric="facet", status="skipped_no_reference", reason="no facet")
OPEN = Unscored(metric="facet", status="unanswered", reason="timed out")


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


def settled(outcome: FacetScore | Unscored) -> Flow[FacetScore]:
    """A conversation that asks nothing."""
    yield from ()
    return outcome


def ended(flow: Flow[FacetScore]) -> FacetScore | Unscored:
    """What a conversation ends in that asks nothing."""
    with pytest.raises(StopIteration) as stop:
        next(flow)
    score: FacetScore | Unscored = stop.value.value
    return score


HIGH = facet_score(method=4, result=4)  # FM = 1
LOW = facet_score(result=2, conclusion=3)  # FM = (.3 * 2/4 + .3 * 1) / .6 = .75


def test_every_number_is_the_mean_over_the_references_that_have_it() -> None:
    """Worked example: FM (1 + .75) / 2; the result (4 + 2) / 2; the others are of one alone."""
    score = ended(mean_of((settled(HIGH), settled(LOW))))
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


def test_one_reference_is_itself() -> None:
    """Most papers have one, and their records are to stay what they are."""
    assert averaged((LOW,)) is LOW
    assert ended(mean_of((settled(LOW), settled(SKIPPED)))) is LOW


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
    assert ended(mean_of(tuple(map(settled, outcomes)))) == end


def test_measuring_against_no_reference_is_a_programming_error() -> None:
    """A paper without a reference is refused by the suite, long before."""
    with pytest.raises(AssertionError, match="at least one reference is measured against"):
        next(mean_of(()))


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


def test_eva_numbers_that_no_reference_has_stay_absent() -> None:
    """A summary without facts has no precision against any reference."""
    score = averaged((eva_score(None, 0.0, None), eva_score(None, 0.0, None)))
    assert score.values() == {"eva": 0.0, "eva.precision": None, "eva.recall": 0.0}


def test_a_copy_of_one_reference_has_full_marks_there_alone() -> None:
    """Mean and best differ most where a summary is one of its references."""
    copy = FacetScore(value=1.0, identical=True)
    score = averaged((copy, LOW))
    assert not score.identical
    assert score.values()["facet"] == 0.875
    assert score.values()["facet.method"] == 4.0
    assert averaged((copy, copy)).identical


def test_rescaled_is_the_mean_of_the_references() -> None:
    """LOW: ((2-1)/3 + (3-1)/2) / 2 = 2/3; HIGH: 1."""
    assert averaged((HIGH, LOW)).rescaled == pytest.approx(5 / 6)


def test_calibration_maps_the_ratings_against_every_reference() -> None:
    """A map of means would be another one: ratings are whole numbers."""
    values: dict[Facet, tuple[float, ...]] = {"result": (1.0, 1.0, 3.0, 4.0)}
    score = calibrated(averaged((HIGH, LOW)), values)
    # LOW: (.3 * 1/4 + .3 * 1) / .6 = .625; HIGH stays 1
    assert score.value == pytest.approx(0.8125)
    assert score.values()["facet.result"] == 2.5


@given(st.lists(st.integers(1, 4), min_size=2, max_size=5))
def test_the_order_of_references_moves_no_number(ratings: list[int]) -> None:
    """Law: a mean lies between its least and its greatest, and does not know who came first."""
    scores = [facet_score(method=rating) for rating in ratings]
    score = averaged(tuple(scores))
    turned = averaged(tuple(reversed(scores)))
    assert score.values() == turned.values()
    assert min(ratings) <= (score.values()["facet.method"] or 0) <= max(ratings)
    assert min(s.value for s in scores) <= score.value <= max(s.value for s in scores)
