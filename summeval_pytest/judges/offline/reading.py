"""A sentence as the embedded judge reads it: stems, quantities, clauses with their direction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from summeval_pytest.judges.offline.lexicon import (
    ASSERTED_DIFFERENCE,
    DENIED_DIFFERENCE,
    DIRECTIONS,
    GENERIC,
    NOT_A_DIRECTION,
    NULL_FINDING,
    ORDER_WORDS,
)
from summeval_pytest.text import STOP_WORDS, Quantity, content_words, find_quantities, stem, tokens

_CLAUSE_END = re.compile(
    r"[;:]|,(?!\d)|\s[-\u2013\u2014]\s|\b(?:whereas|while|but|although|though|however|yet|and|because)\b",
    re.IGNORECASE,
)
_WEAK_P_VALUE = re.compile(r"\bp\s*[=>]\s*0?\.(?:0[6-9]|[1-9])\d*", re.IGNORECASE)
_NEGATED_DIRECTION = re.compile(r"\b(?:no|not|neither|nor|never)\s+(?:\w+\s+)?\Z", re.IGNORECASE)
_REACH = 300
"""Characters on either side of a number that may say what it is about."""
_DENIED = re.compile(
    r"\b(?:not|never|cannot|[a-z]+n['\u2019]t)\s+(?:\w+ly\s+|been\s+|be\s+|yet\s+)?(\w+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause of a sentence.

    Attributes:
        text: Its words.
        stems: Its informative stems, without directions and generic words.
        directions: Which ways its quantities go: +1 up, -1 down.
        denied: The informative stems that a "not" or "never" stands right before.
        numbers: Its numbers as written.
        is_null: Whether it denies anything ("could not be told apart", p = 0.4).
        denies: Whether it denies a difference or an effect outright.
        asserts: Whether it states a difference or an effect, by a direction or outright.
    """

    text: str
    stems: frozenset[str]
    directions: frozenset[int]
    denied: frozenset[str]
    numbers: frozenset[str]
    is_null: bool
    denies: bool
    asserts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A quantity with the informative stems of its clause, each with its nearness (0 to 1]."""

    quantity: Quantity
    text: str
    near: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that is read off one sentence, once."""

    text: str
    words: tuple[str, ...]
    clauses: tuple[Clause, ...]
    quantities: tuple[Placed, ...]


def _clause_spans(text: str) -> list[tuple[int, int]]:
    cuts = [0, *(match.start() for match in _CLAUSE_END.finditer(text)), len(text)]
    return [(a, b) for a, b in pairwise(cuts) if b > a]


def _directions(text: str) -> frozenset[int]:
    found = set()
    text = NOT_A_DIRECTION.sub(lambda idiom: " " * len(idiom.group()), text)
    for match in _WORD.finditer(text):
        direction = DIRECTIONS.get(stem(match.group().lower()))
        if direction is not None and not _NEGATED_DIRECTION.search(text, 0, match.start()):
            found.add(direction)
    return frozenset(found)


def _clause(text: str) -> Clause:
    stems = frozenset(
        word for word in content_words(text)
        if word not in GENERIC and word not in DIRECTIONS and not word[0].isdigit()
    )  # fmt: skip
    directions = _directions(text)
    is_null = bool(NULL_FINDING.search(text) or _WEAK_P_VALUE.search(text))
    return Clause(
        text=text.strip(" ,;:"),
        stems=stems,
        directions=directions,
        denied=frozenset(
            word
            for match in _DENIED.finditer(text)
            for word in content_words(match.group(1))
            if word in stems
        ),
        numbers=frozenset(word for word in content_words(text) if word[0].isdigit()),
        is_null=is_null,
        denies=bool(DENIED_DIFFERENCE.search(text)),
        asserts=not is_null and bool(directions or ASSERTED_DIFFERENCE.search(text)),
    )


def _telling(text: str) -> list[str]:
    """The words that say what a number is about: no function words but "before" and "after"."""
    words = (ORDER_WORDS.get(word, word) for word in tokens(text))
    return [word for word in words if word not in STOP_WORDS or word in ORDER_WORDS]


def _placed(text: str, quantity: Quantity, spans: list[tuple[int, int]]) -> Placed:
    start, end = next((a, b) for a, b in spans if a <= quantity.start < b)
    nearness: dict[str, float] = {}
    before = _telling(text[max(start, quantity.start - _REACH) : quantity.start])
    after = _telling(text[quantity.end : min(end, quantity.end + _REACH)])
    after = after[1:] if after[:1] == [quantity.unit] else after
    for side in (reversed(before), after):
        for distance, word in enumerate(side):
            known = stem(word)
            if (
                word[0].isalpha()
                and len(word) > 1
                and known not in GENERIC
                and known not in DIRECTIONS
            ):
                nearness[known] = max(nearness.get(known, 0.0), 1.0 / (1 + distance))
    return Placed(
        quantity=quantity,
        text=text[quantity.start : quantity.end] + (f" {quantity.unit}" if quantity.unit else ""),
        near=tuple(sorted(nearness.items())),
    )


@lru_cache(maxsize=16384)
def read(text: str) -> Reading:
    """What one sentence says, as far as the embedded judge can tell."""
    spans = _clause_spans(text)
    return Reading(
        text=text,
        words=tuple(content_words(text)),
        clauses=tuple(dict.fromkeys(_clause(text[a:b]) for a, b in spans)),
        quantities=tuple(_placed(text, q, spans) for q in find_quantities(text)),
    )
