"""Where a claim disagrees with its evidence: exchanged numbers, and what near copies show.

Overlap rewards contradictions ("increased" and "decreased" differ in one word). In a sentence that
is copied but for a few words, these are compared in their places: a number, a word in the place of
its opposite, a "not". In other sentences only numbers are compared (`numbers`), so that no conflict
found proves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.lexicon import opposites
from summeval_pytest.judges.offline.number_conflicts import (
    between,
    reversed_change,
    swapped_numbers,
)
from summeval_pytest.text.words import STOP_WORDS, known_tokens, stem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.judges.offline.number_conflicts import Conflict


_COPIED: Final = 0.75
"""The share of a claim's different words that one sentence has if it was copied from it."""
_LEAST: Final = 5
"""A shorter sentence shares its words by chance."""
_DENYING: Final = frozenset("not never cannot no none neither nor without".split())
_NOT_DENYING: Final = frozenset(
    "only longer just least later earlier in at for with to on by from".split()
)
"""After these a "not" or a "no" denies nothing that could be compared."""
_ALIKE: Final = frozenset(
    """
    unchanged unaffected unaltered indistinguishable unrelated negligible similar similarly
    comparable alike constant steady stable equal equally identical independent same
    """.split()
)
"""Words that deny a difference without a "not"."""
_DENIAL_REACH: Final = 4


def find_conflict(claim: str, evidence: Sequence[str], *, numbers: bool = True) -> Conflict | None:
    """The first disagreement of a claim with the sentences closest to it; None if none is seen.

    A number that the evidence lacks is none: see `numbers.missing_number`. What stands in the
    evidence as one of its sentences disagrees with nothing.

    Args:
        claim: A sentence, or a fact.
        evidence: The sentences.
        numbers: Whether a number in the place of another one counts in a near copy.
    """
    if claim in evidence:
        return None
    return (
        swapped_numbers(claim, evidence)
        or reversed_change(claim, evidence)
        or changed_copy(claim, evidence, numbers=numbers)
    )


def changed_copy(claim: str, evidence: Sequence[str], *, numbers: bool = True) -> Conflict | None:
    """What a claim says in the place of something else, in a sentence it is copied from."""
    mine, words = known_tokens(claim), set(known_tokens(claim))
    least = _COPIED * len(words)
    for sentence in evidence if len(words) >= _LEAST else ():
        theirs = known_tokens(sentence)
        others = set(theirs)
        if len(words & others) < least:
            continue
        if mine == theirs:
            return None
        told = {word for other in evidence if other != sentence for word in known_tokens(other)}
        if numbers and _is_renumbered(mine, theirs, told):
            return between("number", claim, sentence)
        if _is_turned(mine, theirs):
            return between("direction", claim, sentence)
        is_whole = len(words & others) >= _COPIED * len(others)
        if is_whole and (_is_denied(mine, theirs) or _is_denied(theirs, mine)):
            return between("negation", claim, sentence)
    return None


def _places(words: tuple[str, ...]) -> Mapping[tuple[str, str], str]:
    """By what stands before and behind, the word between them."""
    padded = ("", *words, "")
    return dict(zip(zip(padded, padded[2:], strict=False), words, strict=False))


def _replaced(mine: tuple[str, ...], theirs: tuple[str, ...]) -> list[tuple[str, str]]:
    """Words, each with what stands in its place, where neither text has both."""
    places, own, others = _places(theirs), set(mine), set(theirs)
    return [
        (word, there)
        for place, word in _places(mine).items()
        if (there := places.get(place, word)) != word and word not in others and there not in own
    ]


def _is_renumbered(mine: tuple[str, ...], theirs: tuple[str, ...], told: set[str]) -> bool:
    """A number in the place of another, between the same two words, and told nowhere else."""
    return any(
        word[0].isdigit() and there[0].isdigit() and word not in told
        for word, there in _replaced(mine, theirs)
    )


def _is_turned(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """A word in the place of its opposite."""
    if "than" in mine and "than" in theirs:
        return False
    ends = opposites()
    return any(
        other.get(line, side) != side
        for word, there in _replaced(mine, theirs)
        for other in (ends.get(there, {}),)
        for line, side in ends.get(word, {}).items()
    )


def _denies(word: str) -> bool:
    return word in _DENYING


def _is_denied(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """A word that is denied in one text and stands in the other, which denies nothing."""
    if any(map(_denies, other)) or not _ALIKE.isdisjoint(other):
        return False
    stems = {stem(word) for word in other if word not in STOP_WORDS}
    for place, word in enumerate(one):
        behind = [
            each
            for each in one[place + 1 : place + 1 + _DENIAL_REACH]
            if each not in STOP_WORDS and not each.endswith("ly")
        ]
        if _denies(word) and behind and one[place + 1] not in _NOT_DENYING:
            return stem(behind[0]) in stems
    return False
