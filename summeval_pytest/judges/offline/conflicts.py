"""What two sentences that share their words can still disagree in: numbers, directions, negation.

Overlap rewards contradictions ("increased" and "decreased" differ in one word), so a conflict
found here vetoes a match however many words agree. No conflict found proves nothing: a
contradiction without a number, a negation or a direction word is not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

from summeval_pytest.judges.offline.lexicon import GENERIC, THEN
from summeval_pytest.judges.offline.reading import Clause, Placed, Reading
from summeval_pytest.text import content_words, one_line

ConflictKind = Literal["number", "swap", "order", "direction", "negation"]

_SHARED: Final = 2
"""Clauses speak of the same thing if they share so many informative stems."""
_SMALL: Final = 3.0
"""Counts up to three ("two groups") are often the writer's own."""
_DISTINCTIVE: Final = 3
_MARGIN: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One disagreement: what the claim says, and what the evidence says instead."""

    kind: ConflictKind
    says: str
    instead: str

    def __str__(self) -> str:
        return f"{self.kind}: says {self.says!r}, the evidence has {self.instead!r}"


def find_conflict(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """The first contradiction between a claim and the sentences closest to it; None if none is seen.

    A number that the evidence lacks is no contradiction: see `missing_number`.
    """
    for look in (swapped_numbers, reversed_order, opposite_direction, opposite_finding):
        conflict = look(claim, evidence)
        if conflict is not None:
            return conflict
    return None


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
            rival = max(stated, key=lambda other: _nearness(placed, other), default=None)
            instead = rival.text if rival and _nearness(placed, rival) else "no such number"
            return Conflict(kind="number", says=placed.text, instead=instead)
    return None


def _is_distinctive(placed: Placed) -> bool:
    return sum(character.isdigit() for character in placed.text.split()[0]) >= _DISTINCTIVE


def _nearness(one: Placed, other: Placed) -> float:
    return _tie(dict(one.near), dict(other.near))


def swapped_numbers(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """Two numbers, each of which stands by the words that belong to the other one."""
    own = [placed for placed in claim.quantities if not _is_own_count(placed)]
    for reading in evidence:
        pairs = [
            (mine, theirs)
            for mine in own
            for theirs in reading.quantities
            if mine.quantity.agrees_with(theirs.quantity)
        ]
        if any(_crossed(*one, *two) for one, two in combinations(pairs, 2)):
            says, instead = one_line(claim.text, 120), one_line(reading.text, 120)
            return Conflict(kind="swap", says=says, instead=instead)
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


def _closeness(clause: Clause, other: Clause, rest: frozenset[str]) -> float:
    """How much two clauses speak of the same thing, 0 where that is too little to compare them.

    A shared number counts four and a shared stem two, a stem that only the other's sentence shares
    counts one.
    """
    stems, numbers = len(clause.stems & other.stems), len(clause.numbers & other.numbers)
    around = len(clause.stems & rest)
    if stems + numbers < _SHARED and not (stems and around > _SHARED):
        return 0.0
    return 4.0 * numbers + 2.0 * stems + around


def _closest(clause: Clause, evidence: Sequence[Reading]) -> list[Clause]:
    """The clauses of the evidence that speak most of what this one speaks of."""
    rivals = []
    for reading in evidence:
        rest = frozenset[str]().union(*(other.stems for other in reading.clauses))
        rivals += [(_closeness(clause, other, rest), other) for other in reading.clauses]
    most = max((closeness for closeness, _ in rivals), default=0.0)
    return [other for closeness, other in rivals if closeness == most] if most else []


def reversed_order(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """Two things told one after the other, in the order opposite to the evidence's."""
    sides = _told_in_order(claim.text)
    for reading in evidence if sides else ():
        theirs = _told_in_order(reading.text)
        if sides and theirs:
            (first, then), (first_there, then_there) = sides, theirs
            crossed = min(len(first & then_there), len(then & first_there))
            straight = max(len(first & first_there), len(then & then_there))
            if crossed >= max(straight, _SHARED):
                says, instead = one_line(claim.text, 120), one_line(reading.text, 120)
                return Conflict(kind="order", says=says, instead=instead)
    return None


def _told_in_order(text: str) -> tuple[set[str], set[str]] | None:
    """What a sentence tells first and what then, without the words that stand on both sides."""
    sides = THEN.split(text)
    if len(sides) != _SHARED:
        return None
    first, then = (set(content_words(side)) - GENERIC for side in sides)
    return first - then, then - first


def opposite_direction(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """A clause that goes up where the closest clauses of the evidence go down, or the reverse."""
    for clause in claim.clauses:
        if len(clause.directions) != 1 or clause.is_null:
            continue
        closest = _closest(clause, evidence)
        moving = [other for other in closest if other.directions]
        opposite = frozenset(-direction for direction in clause.directions)
        if moving and all(o.directions == opposite and not o.is_null for o in moving):
            return Conflict(kind="direction", says=clause.text, instead=moving[0].text)
    return None


def opposite_finding(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """A difference stated where the closest clauses deny it, or denied where they state it."""
    for clause in claim.clauses:
        closest = _closest(clause, evidence)
        if not closest:
            continue
        stated_but_denied = clause.asserts and all(other.is_null for other in closest)
        denied_but_stated = clause.denies and all(other.asserts for other in closest)
        if stated_but_denied or denied_but_stated:
            return Conflict(kind="negation", says=clause.text, instead=closest[0].text)
    return None
