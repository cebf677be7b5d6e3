"""Clauses that contradict a claim's: another order, the opposite direction, a denial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflict import Conflict
from summeval_pytest.judges.offline.lexicon import GENERIC, THEN
from summeval_pytest.text import content_words, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.offline.reading import Clause, Reading

_SHARED: Final = 2
"""Clauses speak of the same thing if they share so many informative stems."""


def _closeness(clause: Clause, other: Clause, rest: frozenset[str]) -> float:
    """How much two clauses speak of the same thing, 0 where that is too little to compare them.

    A shared number counts four and a shared stem two, a stem that only the other's sentence shares
    counts one.
    """
    stems, numbers = len(clause.stems & other.stems), len(clause.numbers & other.numbers)
    around = len(clause.stems & rest)
    is_same = bool(clause.stems) and clause.stems == other.stems
    if stems + numbers < _SHARED and not is_same and not (stems and around > _SHARED):
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
                return Conflict(kind="order", says=says, instead=instead, sentence=reading.text)
    return None


def _told_in_order(text: str) -> tuple[set[str], set[str]] | None:
    """What a sentence tells first and what then, without the words that stand on both sides."""
    match THEN.split(text):
        case [left, right]:
            first, then = set(content_words(left)) - GENERIC, set(content_words(right)) - GENERIC
            return first - then, then - first
    return None


def opposite_direction(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """A clause that goes up where the closest clauses of the evidence go down, or the reverse."""
    for clause in claim.clauses:
        if len(clause.directions) != 1 or clause.is_null:
            continue
        closest = _closest(clause, evidence)
        opposite = frozenset(-direction for direction in clause.directions)
        if closest and all(o.directions == opposite and not o.is_null for o in closest):
            return Conflict(kind="direction", says=clause.text, instead=closest[0].text)
    return None


def _denies_a_word(one: Clause, other: Clause) -> bool:
    """Whether a word that both clauses have stands behind a "not" in one of them only.

    That tells something where the clauses say the same otherwise: all stems of the shorter one.
    """
    shared = one.stems & other.stems
    is_same = len(shared) == min(len(one.stems), len(other.stems))
    return is_same and bool((one.denied ^ other.denied) & shared)


def opposite_finding(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """A difference stated where the closest clauses deny it, or denied where they state it."""
    for clause in claim.clauses:
        closest = _closest(clause, evidence)
        if not closest:
            continue
        stated_but_denied = clause.asserts and all(other.is_null for other in closest)
        denied_but_stated = clause.denies and all(other.asserts for other in closest)
        word_denied = all(_denies_a_word(clause, other) for other in closest)
        if stated_but_denied or denied_but_stated or word_denied:
            return Conflict(kind="negation", says=clause.text, instead=closest[0].text)
    return None
