"""A sentence copied from the evidence with one telling word changed: a number, a way, a "not".

Where nearly all words are the same, the few that differ are compared in their places, however
little else the sentence says; no clause has to be understood for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.conflicts.conflict import Conflict, between
from summeval_pytest.judges.offline.english.denials import ALIKE, NOT_NEGATING_BEFORE, NULL
from summeval_pytest.judges.offline.english.opposites import OPPOSED
from summeval_pytest.judges.offline.english.polarity import POLAR
from summeval_pytest.judges.offline.english.spoken_words import is_negation
from summeval_pytest.text import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.offline.conflicts.conflict import ConflictKind
    from summeval_pytest.judges.offline.readings.reading import Reading

COPIED: Final = 0.75
"""The share of a claim's different words that one sentence has if it was copied from it."""
_LEAST: Final = 5
"""A shorter sentence shares its words by chance."""
_DENIAL_REACH: Final = 4
_DENYING: Final = frozenset("not never cannot no none".split())
_NOT_DENYING: Final = NOT_NEGATING_BEFORE | frozenset("in at for with to on by from".split())
_SILENT: Final = NULL | ALIKE


def copied_but_changed(claim: Reading, evidence: Sequence[Reading]) -> Conflict | None:
    """What a claim says in the place of something else, in a sentence it is copied from."""
    mine = claim.tokens
    words = claim.token_set
    least = COPIED * len(words)
    for reading in evidence if len(words) >= _LEAST else ():
        theirs, others = reading.tokens, reading.token_set
        if len(others) < least or len(words & others) < least:
            continue
        if words == others and mine == theirs:
            return None
        kind: ConflictKind | None = None
        if _is_renumbered(mine, theirs, words, others):
            kind = "number"
        elif _is_turned(mine, theirs):
            kind = "direction"
        elif _is_denied(mine, theirs) or _is_denied(theirs, mine):
            kind = "negation"
        if kind:
            return between(kind, claim.text, reading.text)
    return None


def _places(tokens: tuple[str, ...]) -> dict[tuple[str, str], str]:
    """By what stands before and behind, the word between them; and with one of them left open."""
    padded = ("", *tokens, "")
    return {
        (before, behind): word
        for before, word, behind in zip(padded, padded[1:], padded[2:], strict=False)
    }


def _is_turned(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """A word in the place of its opposite; clauses tell whether the groups have changed, too."""
    if "than" in mine and "than" in theirs:
        return False
    if ("before" in mine) != ("before" in theirs):
        return False
    places, own, others = _places(theirs), frozenset(mine), frozenset(theirs)
    for place, word in _places(mine).items():
        there = places.get(place)
        if there is None or there == word or word in others:
            continue
        if there in OPPOSED.get(word, ()) and there not in own:
            return True
        ends, opposite = POLAR.get(stem(word)), POLAR.get(stem(there))
        if (
            ends
            and opposite
            and any(
                scale == other and sign == -end for scale, sign in ends for other, end in opposite
            )
        ):
            return True
    return False


def _is_renumbered(
    mine: tuple[str, ...], theirs: tuple[str, ...], words: frozenset[str], others: frozenset[str]
) -> bool:
    """A number in the place of another, between the same two words."""
    lost = {
        (before, behind)
        for before, word, behind in zip(theirs, theirs[1:], theirs[2:], strict=False)
        if word[0].isdigit() and word not in words
    }
    if lost:
        for before, word, behind in zip(mine, mine[1:], mine[2:], strict=False):
            if word[0].isdigit() and word not in others and (before, behind) in lost:
                return True
    return False


def _is_denied(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """A word that is denied in one text and stands in the other, which denies nothing."""
    denials = [
        place
        for place, word in enumerate(one)
        if word in _DENYING or word.endswith(("n't", "n\u2019t"))
    ]
    if not denials or any(map(is_negation, other)) or not _SILENT.isdisjoint(other):
        return False
    stems = {stem(word) for word in other if word not in STOP_WORDS}
    for place in denials:
        behind = [
            each for each in one[place + 1 : place + 1 + _DENIAL_REACH]
            if each not in STOP_WORDS and not each.endswith("ly")
        ]  # fmt: skip
        if behind and one[place + 1] not in _NOT_DENYING:
            return stem(behind[0]) in stems
    return False
