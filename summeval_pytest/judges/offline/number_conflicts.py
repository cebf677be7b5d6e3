"""Numbers that contradict: absent from the evidence, in the place of another, exchanged."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflict import NOWHERE, Conflict
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.offline.reading import Placed, Reading

_SMALL: Final = 3.0
"""Counts up to three ("two groups") are often the writer's own."""
_DISTINCTIVE: Final = 3
"""A number of so many digits is hardly met twice by chance."""
_MARGIN: Final = 0.1
_TABLE: Final = 12
"""A sentence with more numbers is a table, where neighbours do not say what a number is about."""
_SAME_PLACE: Final = 1.0
"""Two numbers stand in the same place from this tie on: as if one neighbouring word was shared."""


def _is_own_count(placed: Placed) -> bool:
    quantity = placed.quantity
    return not quantity.unit and not quantity.decimals and 0 <= quantity.value <= _SMALL


def missing_number(
    claim: Reading, evidence: Sequence[Reading], everywhere: Sequence[Placed]
) -> Conflict | None:
    """A number with its unit that the evidence does not state.

    A number of three or more digits is so much its own that it may stand anywhere in the text
    (``everywhere``); a rounder one has to stand in the evidence.
    """
    stated = [placed for reading in evidence for placed in reading.quantities]
    for placed in claim.quantities:
        if _is_own_count(placed):
            continue
        places = everywhere if _is_distinctive(placed) else stated
        if not any(placed.quantity.agrees_with(other.quantity) for other in places):
            return _without(placed, evidence)
    return None


def _without(placed: Placed, evidence: Sequence[Reading]) -> Conflict:
    """The conflict of a number that is not there, with what stands in its place, if anything does.

    That is the number of the same dimension that has most of the words around it.
    """
    rivals = [(reading, other) for reading in evidence for other in reading.quantities]
    reading, rival = max(
        rivals,
        key=lambda found: (_same_measure(placed, found[1]), _nearness(placed, found[1])),
        default=(None, None),
    )
    if reading is None or rival is None or not _nearness(placed, rival):
        return Conflict(kind="number", says=placed.text, instead=NOWHERE)
    return Conflict(kind="number", says=placed.text, instead=rival.text, sentence=reading.text)


def _is_distinctive(placed: Placed) -> bool:
    return sum(character.isdigit() for character in placed.text.split()[0]) >= _DISTINCTIVE


def _nearness(one: Placed, other: Placed) -> float:
    return _tie(dict(one.near), dict(other.near))


def replaced_number(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """A number in the place of another: same dimension, same words next to it, but not the same.

    Neither may stand anywhere on the other side, so a summary may add numbers and leave some out.
    """
    stated = [placed for reading in evidence for placed in reading.quantities]
    lost = [theirs for theirs in stated if not _stands_among(theirs, claim.quantities)]
    for mine in claim.quantities:
        if _is_own_count(mine) or _stands_among(mine, stated):
            continue
        rivals = [theirs for theirs in lost if _same_measure(mine, theirs)]
        rival = max(rivals, key=lambda theirs: _nearness(mine, theirs), default=None)
        if rival is not None and _nearness(mine, rival) >= _SAME_PLACE:
            return Conflict(kind="number", says=mine.text, instead=rival.text)
    return None


def _stands_among(placed: Placed, others: Sequence[Placed]) -> bool:
    return any(
        placed.quantity.agrees_with(other.quantity) or other.quantity.agrees_with(placed.quantity)
        for other in others
    )


def _same_measure(one: Placed, other: Placed) -> bool:
    return one.quantity.dimension == other.quantity.dimension and not _is_own_count(other)


def swapped_numbers(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """Two numbers, each of which stands by the words that belong to the other one."""
    own = [placed for placed in claim.quantities if not _is_own_count(placed)]
    for reading in evidence:
        if max(len(own), len(reading.quantities)) > _TABLE:
            continue
        pairs = [
            (mine, theirs)
            for mine in own
            for theirs in reading.quantities
            if mine.quantity.agrees_with(theirs.quantity)
        ]
        if any(_crossed(*one, *two) for one, two in combinations(pairs, 2)):
            says, instead = one_line(claim.text, 120), one_line(reading.text, 120)
            return Conflict(kind="swap", says=says, instead=instead, sentence=reading.text)
    return None


def _crossed(mine: Placed, theirs: Placed, mine2: Placed, theirs2: Placed) -> bool:
    """Whether two numbers of a claim have exchanged the words they stand by in the evidence.

    Words that stand by all four tell nothing; each crossing has to outweigh both straight ties.
    """
    if mine.quantity.agrees_with(mine2.quantity) or theirs.quantity.agrees_with(theirs2.quantity):
        return False
    sides = [dict(placed.near) for placed in (mine, mine2, theirs, theirs2)]
    everywhere = set.intersection(*map(set, sides))
    one, two, one_there, two_there = (
        {word: near for word, near in side.items() if word not in everywhere} for side in sides
    )
    straight = max(_tie(one, one_there), _tie(two, two_there))
    crossed = min(_tie(one, two_there), _tie(two, one_there))
    return crossed > straight + _MARGIN


def _tie(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How alike two neighbourhoods are: the sum of the products of nearness."""
    return sum(near * other.get(word, 0.0) for word, near in one.items())
