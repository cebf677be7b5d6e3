"""The two groups that a clause compares: "A has more than B", "A outlasted B", "A lies above B"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.english.spoken_words import known

if TYPE_CHECKING:
    from collections.abc import Sequence

Sides = tuple[frozenset[str], frozenset[str]]
"""The words by which only the one group, and only the other group, is named."""

VERBS: Final = frozenset(
    """
    exceed exceeds exceeded exceeding surpass surpasses surpassed outperform outperforms
    outperformed outperforming outlast outlasts outlasted outlive outlived outlives outpace outpaced
    outpaces outnumber outnumbers outnumbered outscore outscored outscores outclass outclassed
    outclasses trail trailed lag lags lagged underperform underperformed underperforms
    """.split()
)
"""Verbs whose subject is compared with their object."""
JOINTS: Final = (
    frozenset("than above below beneath relative versus vs compared against over to".split())
    | VERBS
)
"""Between the two groups stands one of these, in this order of rank: "than", a verb, the rest."""
_PLACED: Final = frozenset(
    "is are was were lies lie lay far well remained stayed percent % points magnitude".split()
)
"""After these, "above" and "below" compare."""
HEIGHT: Final = "height"
ABOVE: Final = {"above": 1, "below": -1}
_PREFERRED: Final = frozenset("prefer preferred prefers favoured favored superior inferior".split())
"""These are said of one "to" or "over" the other."""
_PASSIVE: Final = frozenset("was were is are be been we".split())
_NUMBERS: Final = frozenset(
    "where when if a an one half two three four five six seven eight nine ten"
    " twice usual expected before".split()
)
"""Behind a "than", these name no group."""
_REACH: Final = 5
"""Words behind the joint in which the second group is named."""


def compares_height(tokens: Sequence[str], place: int) -> bool:
    """Whether the "above" or "below" at a place compares two things, and no number or level."""
    following = tokens[place + 1] if place + 1 < len(tokens) else "1"
    before = tokens[place - 1] if place else ""
    return (before in _PLACED or before[:1].isdigit()) and not following[0].isdigit()


def _joint(tokens: Sequence[str]) -> int:
    """Where the first group ends; -1 where no two are compared."""
    if "than" in tokens:
        place = tokens.index("than")
        following = tokens[place + 1] if place + 1 < len(tokens) else "1"
        is_number = following[0].isdigit() or following in _NUMBERS or following.endswith("ed")
        return -1 if is_number else place
    found = -1
    for place, word in enumerate(tokens):
        if word not in JOINTS:
            continue
        if word in VERBS and place:
            return place
        is_joint = (
            compares_height(tokens, place)
            if word in ABOVE
            else not _PREFERRED.isdisjoint(tokens[:place])
            if word in {"to", "over"}
            else word in {"versus", "vs"}
            or (word == "compared" and place > 0 and tokens[place - 1] not in _PASSIVE)
            or (word == "relative" and "to" in tokens[place + 1 : place + 2])
        )  # fmt: skip
        if is_joint and found < 0:
            found = place
    return found


def sides_of(tokens: Sequence[str]) -> Sides | None:
    """The words on either side of what compares two groups; None where nothing does."""
    place = _joint(tokens)
    if place < 0:
        return None
    named = ["" if word[0].isdigit() else known(word).stem for word in tokens]
    left = frozenset(filter(None, named[:place]))
    right = frozenset(filter(None, named[place + 1 : place + 1 + _REACH]))
    one, other = left - right, right - left
    return (one, other) if one and other else None


def are_crossed(mine: Sides | None, theirs: Sides | None) -> bool:
    """Whether two clauses compare the same two groups, each with the other's group first."""
    if mine is None or theirs is None:
        return False
    straight = len(mine[0] & theirs[0]) + len(mine[1] & theirs[1])
    crossed = len(mine[0] & theirs[1]) + len(mine[1] & theirs[0])
    return crossed > straight or (0 < crossed == straight and mine[1].isdisjoint(theirs[1]))


def is_of_second(stems: Sequence[str], sides: Sides) -> bool:
    """Whether a clause that compares nothing speaks of the second of two groups, not the first."""
    first, second = sides
    n_second = sum(word in second for word in stems)
    if not n_second:
        return False
    n_first = sum(word in first for word in stems)
    return n_second * len(first) > n_first * len(second)
