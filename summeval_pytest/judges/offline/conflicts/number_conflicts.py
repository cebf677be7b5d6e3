"""Numbers that contradict: absent from the evidence, in the place of another, exchanged."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts.conflict import NOWHERE, Conflict, between
from summeval_pytest.judges.offline.conflicts.worked_out import (
    is_counted_out,
    is_near,
    is_worked_out,
)
from summeval_pytest.text import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.offline.conflicts.conflict import ConflictKind
    from summeval_pytest.judges.offline.readings.figures import Placed
    from summeval_pytest.judges.offline.readings.reading import Reading

_SMALL: Final = 3.0
"""Counts up to three ("two groups") are often the writer's own."""
_DISTINCTIVE: Final = 3
"""A number of so many digits is hardly met twice by chance."""
_MARGIN: Final = 0.1
_TABLE: Final = 12
"""A sentence with more numbers is a table, where neighbours do not say what a number is about."""
_SAME_PLACE: Final = 1.0
"""Two numbers stand in the same place from this tie on: as if one neighbouring word was shared."""
_JOINED: Final = 14
"""Two numbers closer than so many characters ("3.4 against 3.6") stand by the same words."""
_IN_PLACE: Final = 1.25
"""By so much a number has to stand in the place of another more than in its own."""
_HUNDRED: Final = 100
_WIDEST: Final = (0.5, 2.0)
"""No rounding takes a number farther."""
_COARSE: Final = 0.05
"""What two or more digits and then zeros ("3,300") may be off as a rounded number."""


def _is_own_count(placed: Placed) -> bool:
    quantity = placed.quantity
    return 0 <= quantity.value <= _SMALL and not quantity.unit and not quantity.decimals


def _agree(mine: Placed, theirs: Placed) -> bool:  # noqa: C901, PLR0911 - cheapest test first: this runs for every pair of numbers
    """Whether a number of a claim may stand for one of the evidence."""
    one, other = mine.quantity, theirs.quantity
    is_convertible = not one.dimension or not other.dimension or one.dimension == other.dimension
    if not is_convertible:
        return False
    value = mine.size
    theirs_too = theirs.size
    if one.dimension and other.dimension and one.factor != other.factor:
        theirs_too *= other.factor / one.factor
    elif value == theirs_too:
        return not (mine.per and theirs.per and mine.per != theirs.per)
    if not _WIDEST[0] * theirs_too <= value <= _WIDEST[1] * theirs_too:
        if one.unit == "%" and not other.unit and 0 < theirs.size <= 1 and other.decimals > 1:
            return is_near(value, 100 * theirs.size, 0.01)
        return bool(mine.per and theirs.per) and is_near(
            value / mine.per, theirs_too / theirs.per, 0.02
        )
    if mine.per and theirs.per and mine.per != theirs.per:
        return is_near(value / mine.per, theirs_too / theirs.per, 0.02)
    if one.agrees_with(other):
        return not mine.is_word or bool(one.dimension or mine.slack)
    slack = max(mine.slack, theirs.slack)
    if not slack and value >= _HUNDRED and not one.decimals:
        digits = f"{value:.0f}"
        kept = digits.rstrip("0")
        slack = _COARSE if len(digits) > len(kept) and 1 < len(kept) < _DISTINCTIVE + 1 else 0.0
    return is_near(value, theirs_too, slack)


def missing_number(  # noqa: C901 - one number at a time, each ruled out in turn
    claim: Reading, evidence: Sequence[Reading], everywhere: Sequence[Placed]
) -> Conflict | None:
    """A number with its unit that the evidence does not state.

    A number of three or more digits is so much its own that it may stand anywhere in the text
    (``everywhere``); a rounder one has to stand in the evidence. A number without a unit stands for
    one with it, unless the evidence states the same number in another unit, about the same thing.
    """
    if not claim.quantities:
        return None
    stated = [placed for reading in evidence for placed in reading.quantities]
    for placed in claim.quantities:
        if placed.is_soft or _is_own_count(placed):
            continue
        size = placed.size
        found = [q for q in everywhere if q.size == size and _agree(placed, q)]
        if not any(q.quantity.dimension == placed.quantity.dimension for q in found):
            found = [q for q in everywhere if _agree(placed, q)]
        if not found and (is_worked_out(placed, stated) or is_counted_out(placed, evidence)):
            continue
        same = _in_another_unit(placed, stated)
        if (
            not found
            or (same is not None and not _stands_better(placed, found, same))
            or _is_of_another_kind(placed, found, everywhere)
        ):
            return _without(placed, evidence, same)
        if not (placed.slack or _is_distinctive(placed)):
            held = _IN_PLACE + max(_nearness(placed, other) for other in found)
            rival = _closest(placed, stated, held)
            if rival is not None and not _stands_among(rival, claim.quantities):
                return Conflict(kind="number", says=placed.text, instead=rival.text)
    return None


def _closest(placed: Placed, others: Sequence[Placed], least: float) -> Placed | None:
    """The other number of the same dimension that stands closest to where this one does."""
    dimension, factor, size = placed.quantity.dimension, placed.quantity.factor, placed.size
    best = None
    for other in others:
        if other.quantity.dimension == dimension and (
            other.size != size or other.quantity.factor != factor
        ):
            near = _nearness(placed, other)
            if near >= least:
                best, least = other, near
    return best


def _in_another_unit(placed: Placed, stated: Sequence[Placed]) -> Placed | None:
    """The same number of the evidence with another unit, that which stands closest."""
    mine = placed.quantity
    unit, size = (mine.dimension, mine.factor), placed.size
    rivals = [
        other
        for other in stated
        if other.size == size
        and (
            (
                mine.dimension
                and other.quantity.dimension
                and unit != (other.quantity.dimension, other.quantity.factor)
            )
            or (placed.per and other.per and placed.per != other.per)
        )
    ]
    return max(rivals, key=lambda other: _nearness(placed, other), default=None)


def _stands_better(placed: Placed, found: Sequence[Placed], rival: Placed) -> bool:
    """Whether the number stands somewhere as it is, or without a unit more in its place."""
    if any(
        (other.quantity.dimension or not placed.quantity.dimension)
        and (other.per or not placed.per)
        for other in found
    ):
        return True
    return max(_nearness(placed, other) for other in found) > _nearness(placed, rival)


def _is_of_another_kind(placed: Placed, found: Sequence[Placed], text: Sequence[Placed]) -> bool:
    """Whether a measured number is found only as a bare count, where nothing is measured so."""
    dimension = placed.quantity.dimension
    if dimension == "time" and not {"age", "aged", "old"}.isdisjoint(tokens(placed.sentence)):
        return False
    if not dimension or placed.slack or any(other.quantity.dimension for other in found):
        return False
    measured = {other.sentence for other in text if other.quantity.dimension == dimension}
    return not any(
        other.sentence in measured or placed.quantity.unit in other.sentence for other in found
    )


def _without(placed: Placed, evidence: Sequence[Reading], same: Placed | None) -> Conflict:
    """The conflict of a number that is not there, with what stands in its place, if anything does.

    That is the same number in another unit; else the number of the same dimension that has most of
    the words around it.
    """
    rivals = [(reading, other) for reading in evidence for other in reading.quantities]
    reading, rival = max(
        rivals,
        key=lambda found: (
            found[1] is same,
            _same_measure(placed, found[1]),
            _nearness(placed, found[1]),
        ),
        default=(None, None),
    )
    kind: ConflictKind = "unit" if same is not None else "number"
    if reading is None or rival is None or not (same is rival or _nearness(placed, rival)):
        return Conflict(kind=kind, says=placed.text, instead=NOWHERE)
    return Conflict(kind=kind, says=placed.text, instead=rival.text, sentence=reading.text)


def _is_distinctive(placed: Placed) -> bool:
    return sum(character.isdigit() for character in placed.text.split()[0]) >= _DISTINCTIVE


def _nearness(one: Placed, other: Placed) -> float:
    return _tie(one.near, other.near)


def replaced_number(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """A number in the place of another: same dimension, same words next to it, but not the same.

    Neither may stand anywhere on the other side, so a summary may add numbers and leave some out.
    """
    if not claim.quantities:
        return None
    stated = [placed for reading in evidence for placed in reading.quantities]
    for mine in claim.quantities:
        if _is_own_count(mine) or mine.is_soft or _stands_among(mine, stated):
            continue
        rivals = [
            theirs
            for theirs in stated
            if _same_measure(mine, theirs) and not _stands_among(theirs, claim.quantities)
        ]
        rival = max(rivals, key=lambda theirs: _nearness(mine, theirs), default=None)
        if rival is not None and _nearness(mine, rival) >= _SAME_PLACE:
            return Conflict(kind="number", says=mine.text, instead=rival.text)
    return None


def _stands_among(placed: Placed, others: Sequence[Placed]) -> bool:
    return any(_agree(placed, other) or _agree(other, placed) for other in others)


def _same_measure(one: Placed, other: Placed) -> bool:
    return one.quantity.dimension == other.quantity.dimension and not _is_own_count(other)


def swapped_numbers(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """Two numbers, each of which stands by the words that belong to the other one.

    Each stands once only: of a number that stands twice no place can be told.
    """
    if len(claim.quantities) < 2:  # noqa: PLR2004 - one number has nothing to change with
        return None
    own = [placed for placed in claim.quantities if not _is_own_count(placed)]
    sizes = [placed.size for placed in own]
    own = [placed for placed in own if sizes.count(placed.size) == 1]
    n_own = len(sizes)
    for reading in evidence if len(own) > 1 else ():
        if max(n_own, len(reading.quantities)) > _TABLE:
            continue
        there = [placed.size for placed in reading.quantities]
        pairs = [
            (mine, theirs)
            for mine in own
            for theirs in reading.quantities
            if mine.size == theirs.size
            and there.count(theirs.size) == 1
            and mine.quantity.agrees_with(theirs.quantity)
        ]
        if any(_crossed(*one, *two) for one, two in combinations(pairs, 2)):
            return between("swap", claim.text, reading.text)
    return None


def _crossed(mine: Placed, theirs: Placed, mine2: Placed, theirs2: Placed) -> bool:
    """Whether two numbers of a claim have exchanged the words they stand by in the evidence.

    Words that stand by all four tell nothing; each crossing has to outweigh both straight ties.
    """
    if abs(mine2.quantity.start - mine.quantity.end) < _JOINED:
        return False
    if mine.quantity.agrees_with(mine2.quantity) or theirs.quantity.agrees_with(theirs2.quantity):
        return False
    sides = [placed.near for placed in (mine, mine2, theirs, theirs2)]
    if sides[0].keys().isdisjoint(sides[3]) or sides[1].keys().isdisjoint(sides[2]):
        return False
    everywhere = set.intersection(*map(set, sides))
    one, two, one_there, two_there = (
        {word: near for word, near in side.items() if word not in everywhere} for side in sides
    )
    straight = max(_tie(one, one_there), _tie(two, two_there))
    crossed = min(_tie(one, two_there), _tie(two, one_there))
    return crossed > straight + _MARGIN


def _tie(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How alike two neighbourhoods are: the sum of the products of nearness."""
    return sum(near * other[word] for word, near in one.items() if word in other)
