"""One outcome out of several votes on the same items: a median, or a majority.

A vote without a usable reply counts as the lowest one, so that a missing reply never raises an
outcome; and where no more than half of the votes are usable there is no outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from summeval_pytest.judges.llm.sheet import ItemT
from summeval_pytest.questions import Unanswered

ValueT = TypeVar("ValueT", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[ItemT]):
    """What votes on one item come to.

    Attributes:
        item: The first vote that says what the outcome says.
        agreeing: Share of the usable votes that say it too, above 0 to 1.
        n_votes: How many votes were usable.
    """

    item: ItemT
    agreeing: float
    n_votes: int


def lower_median(ratings: Sequence[int], n_missing: int = 0) -> int:
    """The lower of the two middle ratings; missing ones stand below all others."""
    n_votes = len(ratings) + n_missing
    return sorted(ratings)[max(0, (n_votes - 1) // 2 - n_missing)]


def majority(votes: Sequence[bool], n_missing: int = 0) -> bool:
    """Whether more than half say yes; missing ones say no."""
    return 2 * sum(votes) > len(votes) + n_missing


def decide(
    votes: Sequence[ItemT | Unanswered],
    value: Callable[[ItemT], ValueT],
    rule: Callable[[Sequence[ValueT], int], ValueT],
) -> Outcome[ItemT] | Unanswered:
    """The outcome of the votes on one item.

    Args:
        votes: What each vote said, in order.
        value: The rating or the label of a vote.
        rule: From the usable values, and how many votes were not usable, to the outcome's value.
    """
    usable = [vote for vote in votes if not isinstance(vote, Unanswered)]
    lacking = [vote for vote in votes if isinstance(vote, Unanswered)]
    if 2 * len(usable) <= len(votes):
        return lacking[0]
    values = [value(vote) for vote in usable]
    outcome = rule(values, len(lacking))
    return Outcome(
        item=usable[values.index(outcome)],
        agreeing=values.count(outcome) / len(values),
        n_votes=len(values),
    )
