"""What is told in the opposite order: two events, or the two numbers of a change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts.conflict import Conflict, between
from summeval_pytest.judges.offline.english.lexicon import GENERIC, THEN
from summeval_pytest.text import content_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.offline.readings.reading import Reading

_SHARED: Final = 2
"""Stems that have to change sides before an order counts as reversed."""


def reversed_order(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """Two things told one after the other, in the order opposite to the evidence's."""
    if _THEN_WORDS.isdisjoint(claim.token_set):
        return None
    sides = _told_in_order(claim.text)
    for reading in evidence if sides else ():
        if _THEN_WORDS.isdisjoint(reading.token_set):
            continue
        theirs = _told_in_order(reading.text)
        if sides and theirs:
            (first, then), (first_there, then_there) = sides, theirs
            crossed = min(len(first & then_there), len(then & first_there))
            straight = max(len(first & first_there), len(then & then_there))
            if crossed >= max(straight, _SHARED):
                return between("order", claim.text, reading.text)
    return None


def _told_in_order(text: str) -> tuple[set[str], set[str]] | None:
    """What a sentence tells first and what then, without the words that stand on both sides."""
    match THEN.split(text):
        case [left, right]:
            first, then = set(content_words(left)) - GENERIC, set(content_words(right)) - GENERIC
            return first - then, then - first
    return None


_CHANGE = re.compile(
    r"\bfrom\s+(?:about\s+|around\s+)?(\d[\d.,]*)(?:\s?[^\W\d]{1,12}|\s?%)?(?:\s[^\d,;]{0,40}?)?\s+to"
    r"\s+(?:about\s+|around\s+)?(\d[\d.,]*)",
    re.IGNORECASE,
)


_NUMBERS_JOINED: Final = frozenset({"from", "to"})
_THEN_WORDS: Final = frozenset(
    "followed then afterwards subsequently thereafter finally prior before".split()
)


def _changes(text: str) -> set[tuple[str, str]]:
    return {(m[1].rstrip(".,"), m[2].rstrip(".,")) for m in _CHANGE.finditer(text)}


def reversed_change(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """A change from one number to another that the evidence tells the other way round."""
    if not claim.token_set >= _NUMBERS_JOINED:
        return None
    changes = _changes(claim.text)
    for reading in evidence if changes else ():
        if not reading.token_set >= _NUMBERS_JOINED:
            continue
        theirs = _changes(reading.text)
        for start, end in changes:
            if start != end and (end, start) in theirs and (start, end) not in theirs:
                says, instead = f"from {start} to {end}", f"from {end} to {start}"
                return Conflict(kind="direction", says=says, instead=instead, sentence=reading.text)
    return None
