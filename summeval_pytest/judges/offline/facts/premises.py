"""Where the words of a fact stand in its premises: which carry them, and how close together.

The premises of a question are indexed once; a fact costs a few look-ups for each of its words.
A word is found as the same stem, as a stem that begins like it ("organis", "organiz"), or as the
other way to write its number ("16", "sixteen").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.lexicon import LIGHT
from summeval_pytest.judges.offline.rarity import rarity
from summeval_pytest.text import STOP_WORDS, content_words, known_tokens, stem

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEAD: Final = 4
_LEAST_SHARED: Final = 0.6
"""Two stems are of one family if they begin alike, with this share of the longer one's letters."""
_GAP: Final = 3
"""Words between the last of a premise and the first of the next."""
_FLOOR: Final = 0.5
"""What a word counts that every text has; the rarest counts this and 1."""
_LIGHT_SHARE: Final = 0.4
_VERB_SHARE: Final = 0.5
_NUMBER_SHARE: Final = 1.5
KEPT: Final = 64
"""So many premises are kept with their index: the facts of a reference are asked about again for
each system."""

NUMBER_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        stem(word): str(value)
        for value, word in (
            *enumerate(
                "zero one two three four five six seven eight nine ten eleven twelve thirteen"
                " fourteen fifteen sixteen seventeen eighteen nineteen twenty".split()
            ),
            *((30, "thirty"), (40, "forty"), (50, "fifty"), (60, "sixty"), (70, "seventy")),
            *((80, "eighty"), (90, "ninety"), (100, "hundred")),
        )
    }
)
_DIGITS: Final = MappingProxyType({digits: word for word, digits in NUMBER_WORDS.items()})


@lru_cache(maxsize=65536)
def _weight(word: str) -> tuple[str, float] | None:
    """The stem of a word and what it counts; None for a word that is not counted."""
    if word in STOP_WORDS:
        return None
    if word[0].isdigit():
        return word.replace(",", ""), _NUMBER_SHARE * (_FLOOR + rarity(word))
    if len(word) == 1:
        return None
    known = stem(word)
    weight = _FLOOR + rarity(known)
    if known in LIGHT:
        weight *= _LIGHT_SHARE
    if word.endswith("ed"):
        weight *= _VERB_SHARE
    return known, weight


@lru_cache(maxsize=16384)
def weighed(text: str) -> tuple[tuple[str, float], ...]:
    """The stems of a text, each once and in order, with what each counts.

        weight = (0.5 + rarity) * (1.5 for a number; 0.4 for a light word, 0.5 for an -ed form)

    Light words and verbs are what a paraphrase replaces first; numbers are kept.
    """
    found: dict[str, float] = {}
    for entry in filter(None, map(_weight, known_tokens(text))):
        found.setdefault(*entry)
    return tuple(found.items())


class Sums(dict[int, float]):
    """What the words of some bits count together; many premises carry the same words."""

    def __init__(self, weights: tuple[float, ...]) -> None:
        self._weights = weights

    def __missing__(self, bits: int) -> float:
        known, left = 0.0, bits
        while left:
            lowest = left & -left
            known += self._weights[lowest.bit_length() - 1]
            left ^= lowest
        self[bits] = known
        return known


@dataclass(slots=True, eq=False)
class Traces:
    """What of a fact stands where; words as bits: word ``i`` is ``1 << i``.

    Attributes:
        words: The words of the fact, in order.
        weights: What each counts.
        found: The word of the premises that stands for each, None where there is none.
        held: The words found anywhere.
        carried: By premise, in their order, the words that it has.
        total: What all the words count together.
        sums: What the words of any bits count together.
    """

    words: tuple[str, ...]
    weights: tuple[float, ...]
    found: tuple[str | None, ...]
    held: int
    carried: Mapping[int, int]
    total: float
    sums: Sums = field(init=False)

    def __post_init__(self) -> None:
        self.sums = Sums(self.weights)


class PremiseIndex:
    """The premises of one question by their words.

    Most words stand once, so where a word stands first is kept apart from where it stands again:
    that needs no list for it.
    """

    def __init__(self, premises: tuple[str, ...]) -> None:
        self._first: dict[str, int] = {}
        self._again: dict[str, list[int]] = {}
        self._place_at: list[int] = []
        self._heads: dict[str, str] = {}
        self._stands_for: dict[str, str | None] = {}
        self._distances: dict[tuple[str, str], int] = {}
        self.premises = premises
        position = 0
        for place, premise in enumerate(premises):
            words = content_words(premise)
            for at, word in enumerate(words, start=position):
                if self._first.setdefault(word, at) != at:
                    self._again.setdefault(word, []).append(at)
            position += len(words) + _GAP
            self._place_at += [place] * (len(words) + _GAP)
        for word in self._first:
            head = word[:_HEAD]
            known = self._heads.get(head)
            self._heads[head] = word if known is None else f"{known} {word}"

    def trace(self, words: tuple[tuple[str, float], ...]) -> Traces:
        """Where the words of a fact, with their weights, stand."""
        carried: dict[int, int] = {}
        found: list[str | None] = []
        held, bit = 0, 1
        for word, _ in words:
            here = word if word in self._first else self.stands_for(word)
            found.append(here)
            if here is not None:
                held |= bit
                place = self._place_at[self._first[here]]
                carried[place] = carried.get(place, 0) | bit
                for at in self._again.get(here, ()):
                    place = self._place_at[at]
                    carried[place] = carried.get(place, 0) | bit
            bit <<= 1
        weights = tuple([weight for _, weight in words])
        return Traces(
            tuple([word for word, _ in words]),
            weights,
            tuple(found),
            held,
            dict(sorted(carried.items())),
            sum(weights),
        )

    def stands_for(self, word: str) -> str | None:
        """The word of the premises that says what this one says; None where none does."""
        if word in self._first:
            return word
        if word not in self._stands_for:
            self._stands_for[word] = self._kin(word)
        return self._stands_for[word]

    def _kin(self, word: str) -> str | None:
        other = NUMBER_WORDS.get(word) or _DIGITS.get(word)
        if other is not None:
            return other if other in self._first else None
        if not word.isalpha():
            return None
        family = self._heads.get(word[:_HEAD], "").split()
        return next((near for near in family if _akin(word, near)), None)

    def closeness(self, traces: Traces) -> float:
        """How close the words found stand, 0 to 1: the mean of 1 / distance from each to the next.

        A word that is not found leaves its pair out and its share at 0.
        """
        found = [word for word in traces.found if word is not None]
        if len(traces.found) < 2:  # noqa: PLR2004 - one word has no next
            return float(bool(found))
        near = 0.0
        for pair in pairwise(found):
            known = self._distances.get(pair)
            near += 1.0 / (self._distance(*pair) if known is None else known)
        return near / (len(traces.found) - 1)

    def _distance(self, one: str, other: str) -> int:
        """The fewest words from one to the other, at least 1."""
        mine, theirs = self._positions(one), self._positions(other)
        known = max(1, min(abs(a - b) for a in mine for b in theirs))
        self._distances[one, other] = known
        return known

    def _positions(self, word: str) -> list[int]:
        return [self._first[word], *self._again.get(word, ())]


def _akin(word: str, other: str) -> bool:
    longer = max(len(word), len(other))
    shared = 0
    for mine, theirs in zip(word, other, strict=False):
        if mine != theirs:
            break
        shared += 1
    return shared >= _HEAD and shared >= _LEAST_SHARED * longer and other.isalpha()


@lru_cache(maxsize=KEPT)
def premises_of(premises: tuple[str, ...]) -> PremiseIndex:
    """The index of premises, kept for the next facts about them."""
    return PremiseIndex(premises)
