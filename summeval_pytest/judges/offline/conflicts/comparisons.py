"""Comparisons that contradict: which of two groups has more, and whether a ratio is over one."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts.conflict import Conflict, between
from summeval_pytest.judges.offline.english.adjectives import AMOUNT
from summeval_pytest.judges.offline.english.spoken_words import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.judges.offline.readings.reading import Reading

_RATIO: Final = re.compile(
    r"(?:\b(?:hazards?|odds|risks?|rates?|incidence|prevalence|relative)\s+(?:rate\s+|risk\s+)?ratios?\b"
    r"|\brelative risk\b|\b(?:[ai]?HR|[ai]?OR|I?RR|aOR|aHR)\b)[^.;\d]{0,24}?(\d+\.\d+)"
)
_DECIMAL: Final = re.compile(r"\d\.\d")
"""What every such ratio has, and few sentences; far cheaper to look for."""
_PLAIN: Final = frozenset("more fewer less increased reduced decreased lower higher".split())
"""Words that say outright that there is more or less of what a ratio counts."""
_TOPIC: Final = 0.5
"""The share of the words before the "than" that a sentence about the same has."""
_GAP: Final = 90
"""Two numbers that are compared stand no farther apart than so many characters."""


def _compared(
    reading: Reading, one: frozenset[str], other: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """Which of two groups has the larger number: +1 the one, -1 the other; and both numbers."""
    found = [placed for placed in reading.quantities if not placed.is_soft]
    for first, second in pairwise(found):
        mine, theirs = first.quantity, second.quantity
        if mine.dimension != theirs.dimension or mine.value == theirs.value:
            continue
        if theirs.start - mine.end > _GAP:
            continue
        ties = [
            max((tie for word, tie in placed.near.items() if word[:HEAD] in side), default=0.0)
            for placed in (first, second)
            for side in (one, other)
        ]
        larger = 1 if mine.value > theirs.value else -1
        told = f"{first.text} and {second.text}"
        if ties[0] > ties[1] and ties[3] > ties[2]:
            yield larger, told
        elif ties[1] > ties[0] and ties[2] > ties[3]:
            yield -larger, told


def opposite_comparison(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """More or less in one group than in another, where the numbers say the reverse."""
    if "than" not in claim.token_set:
        return None
    for clause in claim.clauses:
        sides = None if clause.is_null or AMOUNT not in clause.ends else clause.sides
        if sides is None:
            continue
        for reading in evidence:
            found = list(_compared(reading, *sides)) if _is_about(claim, sides, reading) else []
            if found and all(larger * clause.ends[AMOUNT] < 0 for larger, _ in found):
                told = found[0][1]
                return Conflict(
                    kind="direction",
                    says=clause.told(claim.text),
                    instead=told,
                    sentence=reading.text,
                )
            if found:
                break
    return None


def _is_about(
    claim: Reading, sides: tuple[frozenset[str], frozenset[str]], reading: Reading
) -> bool:
    """Whether a sentence speaks of what is compared, with a number of the claim if it has any."""
    if len(sides[0] & reading.stems) < _TOPIC * len(sides[0]) or not sides[1] & reading.stems:
        return False
    numbers = [word for word in claim.tokens if word[0].isdigit()]
    return not numbers or any(number in reading.token_set for number in numbers)


def opposite_ratio(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """More of something by a ratio under one, or less by one over it, that the evidence states."""
    if not (claim.quantities and _DECIMAL.search(claim.text)):
        return None
    ratio = _RATIO.search(claim.text)
    if ratio is None:
        return None
    for clause in claim.clauses:
        end = 0 if clause.is_null or "than" in clause.tokens else clause.ends.get(AMOUNT, 0)
        is_plain = ratio[1] in clause.tokens and not _PLAIN.isdisjoint(clause.tokens)
        if not is_plain or (float(ratio[1]) - 1) * end >= 0:
            continue
        for reading in evidence:
            if any(
                ratio[1] in other.tokens and other.ends.get(AMOUNT, 0) != end
                for other in reading.clauses
            ):
                return between("direction", claim.text, reading.text)
    return None
