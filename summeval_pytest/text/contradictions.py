"""What a text says of a claim's numbers: stated, contradicted, or not found.

A number is *stated* where the text has it, or where it follows from the text's numbers. It is
*contradicted* where the text gives the same quantity another value: a number of one kind and
dimension that stands by the same words. Any other number is *not found*: the text may be silent, or
say it in a way that rules do not see. Only a contradiction is an error that can be shown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log10, nan
from operator import eq
from typing import Final, Literal

from summeval_pytest.text.numbers import find_figures, kind_of, unstated_figures
from summeval_pytest.text.quantities import Quantity
from summeval_pytest.text.words import (
    GENERIC,
    STOP_WORDS,
    content_words,
    opposites,
    rank_sentences,
    stem,
    tokens,
)

NEAR: Final = 5
"""A number is compared with those of so many sentences, the closest to the claim."""
_REACH: Final = 150
"""Characters on either side of a number that may say what it is about."""
_CLAUSE_END = re.compile(
    r"[;:]|,(?!\d)|\s[-\u2013\u2014]\s|\b(?:whereas|while|but|although|though|however|yet|and|because)\b",
    re.IGNORECASE,
)
_ORDER: Final = dict.fromkeys("before preceded preceding precedes prior".split(), "before") | (
    dict.fromkeys("after followed following follows afterwards".split(), "after")
)
"""Words that say which of two came first, by what they mean."""
_COMMON: Final = STOP_WORDS - _ORDER.keys()
_PER_WORD: Final = 0.3
"""What a word that two sentences share counts beside the nearness of words in a clause, and what
the same number before or after the two counts."""
_AS_EXACT: Final = 0.6
"""What it counts that two numbers have as many decimals."""
CLOSE: Final = 1.2
"""A number with less in common is not told of the same as another one."""
_EXACT: Final = 1e-6
_SMALL: Final = 2.0
"""So small a number is the same by chance."""
_MOST: Final = 12
"""So many unstated numbers of a claim are looked for: with more it is a table, or hostile."""
NAMED: Final = 0.2
"""Numbers without a unit are of the same only if their own clauses share as much."""
FARTHEST: Final = 10.0
"""A number that is so many times another one is told of something else, unless it is miscopied."""
SAME_DIGITS: Final = 0.6
"""What two numbers with the same digits need to have in common: they are one, miscopied."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A number of a claim, and the number of a text in whose place it stands."""

    number: Quantity
    partner: Quantity

    @property
    def kind(self) -> Literal["number", "unit"]:
        """What differs: the value, or the unit alone."""
        return "unit" if self.number.size == self.partner.size else "number"


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """What a text says of a claim's numbers that it does not state.

    Attributes:
        contradicted: Those that the text gives another value, with this value.
        missing: All others.
    """

    contradicted: tuple[Contradiction, ...] = ()
    missing: tuple[Quantity, ...] = ()


def check_numbers(claim: str, text: tuple[str, ...]) -> NumberCheck:
    """Compare the numbers of a claim with a text's sentences."""
    unstated = unstated_figures(claim, text)
    if not unstated:
        return NumberCheck()
    ranked = rank_sentences(dict.fromkeys(content_words(claim)), text)[:NEAR]
    return compare_numbers(claim, [text[place] for place in ranked], unstated)


def compare_numbers(
    claim: str, evidence: Sequence[str], unstated: Sequence[Quantity], *, close: float = CLOSE
) -> NumberCheck:
    """Look in the sentences closest to a claim for what its unstated numbers contradict.

    ``close``: how much a number has to have in common with another one to be told of the same.
    """
    own = find_figures(claim)
    contradicted, missing = [], []
    for place, figure in enumerate(unstated):
        partner = _partner(figure, own, evidence, close) if place < _MOST else None
        if partner is None:
            missing.append(figure)
        else:
            contradicted.append(Contradiction(figure, partner))
    return NumberCheck(tuple(contradicted), tuple(missing))


def _partner(
    figure: Quantity, own: Sequence[Quantity], evidence: Sequence[str], close: float
) -> Quantity | None:
    """The number of the evidence that is told of the same quantity, with another value or unit."""
    if figure.is_ordinal or figure not in own:
        return None
    others = [each for each in own if each is not figure]
    best, most = None, (0.0, False)
    for sentence in evidence:
        for other in find_figures(sentence):
            if not _is_rival(figure, other) or _is_taken(other, others):
                continue
            near = nearness(figure, other)
            has = closeness(figure, other, near)
            is_same = _is_miscopied(figure, other, near, has)
            is_told = is_same or (has >= close and _is_of_one_thing(figure, other, near))
            if is_told and (has, is_same) > most:
                best, most = other, (has, is_same)
    return best


def _is_of_one_thing(figure: Quantity, other: Quantity, near: float) -> bool:
    """Whether two numbers may be of one thing: a bare number needs the same words beside it."""
    least, most = sorted((figure.size * figure.factor, other.size * other.factor))
    if most > FARTHEST * least:
        return False
    is_alike = near >= NAMED or any(map(eq, _beside(figure), _beside(other)))
    is_exact = figure.decimals == other.decimals or figure.scale > 1 < other.scale
    return (is_alike and is_exact) or bool(figure.dimension) or kind_of(figure) == "year"


def _is_miscopied(figure: Quantity, other: Quantity, near: float, has: float) -> bool:
    """Whether two numbers have the same digits: another unit, a point moved, two digits exchanged.

    Of one digit that says little, and so does a unit of something else.
    """
    if has < SAME_DIGITS or (figure.dimension != other.dimension and (has < CLOSE or near < NAMED)):
        return False
    if figure.size == other.size:
        return figure.size > _SMALL or has >= CLOSE
    one, two = (re.sub(r"\D", "", each.digits).strip("0") for each in (figure, other))
    power = log10(figure.size / other.size) if figure.size and other.size else 0.5
    is_long = len(one) > 1 and not (figure.is_word or other.is_word)
    if abs(power - round(power)) < _EXACT:
        return is_long or has >= CLOSE
    return is_long and sorted(one) == sorted(two)


def _is_taken(other: Quantity, own: Sequence[Quantity]) -> bool:
    """Whether a claim states a number of its evidence, as often as its sentence does."""
    n_stated = sum(map(other.agrees_with, own))
    return n_stated > 0 and n_stated >= sum(map(other.agrees_with, find_figures(other.sentence)))


def _is_rival(figure: Quantity, other: Quantity) -> bool:
    """Whether two numbers are of one kind: a change, a year, an amount in one dimension.

    What one text calls an amount may be called a change in the other, but a change is often worked
    out from amounts.
    """
    kind = kind_of(figure)
    if other.is_ordinal or kind_of(other) not in ({kind, "change"} if kind == "amount" else {kind}):
        return False
    if figure.size == other.size:
        dimensions = {figure.dimension, other.dimension}
        return len(dimensions) == 1 or dimensions.isdisjoint(("", "share", "points"))
    return (figure.dimension, figure.per.dimension) == (other.dimension, other.per.dimension)


@lru_cache(maxsize=512)
def _clause_ends(text: str) -> tuple[int, ...]:
    return tuple([match.start() for match in _CLAUSE_END.finditer(text)])


@lru_cache(maxsize=4096)
def neighbours(figure: Quantity) -> Mapping[str, float]:
    """The informative stems of a number's clause, each with its nearness, (0, 1].

    Words that have an opposite say which way it went, not what it is of, and are left out.
    """
    text = figure.sentence
    ends = _clause_ends(text)
    place = bisect_right(ends, figure.start)
    start, end = ends[place - 1] if place else 0, ends[place] if place < len(ends) else len(text)
    before = tokens(text[max(start, figure.start - _REACH) : figure.start])
    after = tokens(text[max(figure.end, figure.stop) : min(end, figure.end + _REACH)])
    nearness: dict[str, float] = {}
    for side in (before[::-1], after):
        known = [_ORDER.get(word, word) for word in side if word not in _COMMON]
        for distance, word in enumerate(map(_informative, known), start=1):
            if word:
                nearness[word] = max(nearness.get(word, 0.0), 1.0 / distance)
    return nearness


@lru_cache(maxsize=65536)
def _informative(word: str) -> str:
    """The stem of a word that says what a number is of; empty for any other."""
    known = stem(word)
    is_empty = len(word) == 1 or known in GENERIC or word in opposites()
    return known if word[0].isalpha() and not is_empty else ""


def tie(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """How alike two neighbourhoods are: the sum of the products of nearness."""
    return sum(near * other[word] for word, near in one.items() if word in other)


def nearness(one: Quantity, other: Quantity) -> float:
    """How alike the neighbourhoods of two numbers are."""
    return tie(neighbours(one), neighbours(other))


def closeness(one: Quantity, other: Quantity, near: float) -> float:
    """How much two numbers have in common: in their clauses and in their whole sentences."""
    beside: int = sum(map(eq, _beside(one), _beside(other)))
    shared = _n_shared(one.sentence, other.sentence)
    return near + _PER_WORD * (shared + beside) + _AS_EXACT * (one.decimals == other.decimals)


@lru_cache(maxsize=4096)
def _n_shared(one: str, other: str) -> int:
    """How many different words of content two sentences share."""
    return len(set(content_words(one)).intersection(content_words(other)))


@lru_cache(maxsize=4096)
def _beside(figure: Quantity) -> tuple[float, float]:
    """The numbers before and after one in its sentence; a NaN, which equals nothing, for none."""
    figures = find_figures(figure.sentence)
    before = [nan, *(other.size for other in figures if other.start < figure.start)]
    after = [*(other.size for other in figures if other.start > figure.start), nan]
    return before[-1], after[0]
