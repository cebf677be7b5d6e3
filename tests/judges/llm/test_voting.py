from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.llm.asking import Outcome, decide, lower_median, majority
from summeval_pytest.questions import Unanswered

LOST = Unanswered("the reply was cut off")

Vote = tuple[str, bool]


def label(votes: list[Vote | Unanswered]) -> Outcome[Vote] | Unanswered:
    """The majority of labels, each with the letter of its vote."""
    return decide(votes, lambda vote: vote[1], majority)


def rating(votes: list[int | Unanswered]) -> int | None:
    """The median of ratings; None where there is no outcome."""
    outcome = decide(votes, lambda vote: vote, lower_median)
    return None if isinstance(outcome, Unanswered) else outcome.item


@pytest.mark.parametrize(
    ("ratings", "median"),
    [([2], 2), ([4, 1], 1), ([3, 1, 2], 2), ([4, 3, 1, 3], 3), ([4, 4, 1, 2], 2)],
    ids=repr,
)
def test_the_outcome_of_ratings_is_the_lower_median(ratings: list[int], median: int) -> None:
    """It is a rating that was given, and of two middle ones the cautious one."""
    assert lower_median(ratings) == median


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [([True], True), ([False], False), ([True, False], False), ([True, False, True], True)],
    ids=repr,
)
def test_the_outcome_of_labels_is_the_majority_and_a_tie_is_a_no(
    votes: list[bool], outcome: bool
) -> None:
    """Half of the votes are not enough to let a sentence pass."""
    assert majority(votes) is outcome


def test_reason_and_evidence_come_from_the_first_vote_that_agrees() -> None:
    """A reason for the other label would explain a verdict that was not given."""
    outcome = label([("a", False), ("b", True), ("c", True)])
    assert outcome == Outcome(item=("b", True), agreeing=2 / 3, n_votes=3)


def test_the_share_that_agrees_is_of_usable_votes() -> None:
    """A lost vote is no voice against the others."""
    outcome = label([("a", True), LOST, ("c", True)])
    assert outcome == Outcome(item=("a", True), agreeing=1.0, n_votes=2)


@pytest.mark.parametrize("votes", [[LOST], [1, LOST], [LOST, 2, LOST], [1, 2, LOST, LOST]], ids=len)
def test_half_of_the_votes_decide_nothing(votes: list[int | Unanswered]) -> None:
    """An item needs more than half of its votes usable."""
    assert decide(votes, lambda vote: vote, lower_median) == LOST


def test_a_lost_vote_counts_as_the_lowest() -> None:
    """Worked examples with five votes, two of them lost.

    Ratings 4, 4, 2 and two lost: sorted -, -, 2, 4, 4, the middle is 2. Labels yes, yes, no and
    two lost: 2 of 5 say yes, which is no majority.
    """
    assert rating([4, LOST, 4, LOST, 2]) == 2
    lost = label([("a", True), LOST, ("b", True), LOST, ("c", False)])
    assert lost == Outcome(item=("c", False), agreeing=1 / 3, n_votes=3)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=7), st.data())
def test_losing_votes_never_raises_an_outcome(ratings: list[int], data: st.DataObject) -> None:
    """Otherwise a reply that drops an item would do better than one that answers it."""
    lost = data.draw(st.sets(st.integers(0, len(ratings) - 1)))
    fewer: list[int | Unanswered] = [LOST if i in lost else r for i, r in enumerate(ratings)]
    before, after = rating([*ratings]), rating(fewer)
    assert before is not None
    assert after is None or after <= before
    labels: list[Vote | Unanswered] = [
        LOST if i in lost else ("", r > 2) for i, r in enumerate(ratings)
    ]
    outcome = label(labels)
    if isinstance(outcome, Outcome) and outcome.item[1]:
        assert majority([r > 2 for r in ratings])
