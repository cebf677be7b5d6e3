"""Comparisons that contradict: which of two groups has more, and whether a ratio is over one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflict import Conflict
from summeval_pytest.judges.offline.polarity import AMOUNT
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.judges.offline.clauses import Clause
    from summeval_pytest.judges.offline.reading import Reading

_RATIO: Final = re.compile(
    r"(?:\b(?:hazards?|odds|risks?|rates?|incidence|prevalence|relative)\s+(?:rate\s+|risk\s+)?ratios?\b"
    r"|\brelative risk\b|\b(?:[ai]?HR|[ai]?OR|I?RR|aOR|aHR)\b)[^.;\d]{0,24}?(\d+\.\d+)"
)
_PLAIN: Final = frozenset("more fewer less increased reduced decreased lower higher".split())
"""Words that say outright that there is more or less of what a ratio counts."""
_TOPIC: Final = 0.6
"""The share of the words before the "than" that a sentence about the same has."""
_GAP: Final = 90
"""Two numbers that are compared stand no farther apart than so many characters."""
_SIDE: Final = 4
"""Words on either side of "than" in which a group is named."""


def _sides(clause: Clause) -> tuple[frozenset[str], frozenset[str]] | None:
    """The words by which only the one group and only the other is named, around a "than"."""
    tokens = clause.tokens
    if AMOUNT not in clause.ends or "than" not in tokens:
        return None
    place = tokens.index("than")
    named = [clause.stem_of(word) for word in tokens]
    left = frozenset(filter(None, named[:place]))
    right = frozenset(filter(None, named[place + 1 : place + 1 + _SIDE]))
    one, other = left - right, right - left
    return (one, other) if one and other else None


def _compared(
    reading: Reading, one: frozenset[str], other: frozenset[str]
) -> Iterator[tuple[int, str]]:
    """Which of two groups has the larger number: +1 the one, -1 the other; and both numbers."""
    found = [placed for placed in reading.quantities if not placed.is_soft]
    for first, second in zip(found, found[1:], strict=False):
        mine, theirs = first.quantity, second.quantity
        if mine.dimension != theirs.dimension or mine.value == theirs.value:
            continue
        if theirs.start - mine.end > _GAP:
            continue
        ties = [
            max((placed.near.get(word, 0.0) for word in side), default=0.0)
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
    numbers = [word for word in claim.tokens if word[0].isdigit()]
    for clause in claim.clauses:
        sides = _sides(clause)
        if sides is None or clause.is_null:
            continue
        for reading in evidence:
            words = reading.stems
            if len(sides[0] & words) < _TOPIC * len(sides[0]) or sides[1].isdisjoint(words):
                continue
            if numbers and not any(number in reading.tokens for number in numbers):
                continue
            found = list(_compared(reading, *sides))
            if found:
                larger, told = found[0]
                if all(each * clause.ends[AMOUNT] < 0 for each, _ in found):
                    return Conflict(
                        kind="direction", says=clause.text, instead=told, sentence=reading.text
                    )
                break
    return None


def opposite_ratio(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """More of something by a ratio under one, or less by one over it, that the evidence states."""
    ratio = _RATIO.search(claim.text) if claim.quantities else None
    if ratio is None:
        return None
    value = float(ratio[1])
    for clause in claim.clauses:
        end = clause.ends.get(AMOUNT, 0)
        if ratio[1] not in clause.tokens or not end or clause.is_null:
            continue
        if _PLAIN.isdisjoint(clause.tokens) or "than" in clause.tokens:
            continue
        if (value - 1) * end < 0:
            for reading in evidence:
                for other in reading.clauses:
                    if ratio[1] in other.tokens and other.ends.get(AMOUNT, 0) != end:
                        return Conflict(
                            kind="direction",
                            says=one_line(claim.text, 120),
                            instead=one_line(reading.text, 120),
                            sentence=reading.text,
                        )
    return None
