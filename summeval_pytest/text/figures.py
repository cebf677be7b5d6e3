"""The numbers of a sentence as a reader takes them: unit, rounding, what they are told per.

A bare number takes the unit of the one it is joined to ("from 9 to 6 days") or that stands before
it ("day 90"); "2.4 million" is one number, and "22 in 100" is a share.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.quantities import Quantity, find_quantities

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST: Final = 60
"""Of a sentence with more numbers only so many are read: it is a table, or hostile."""
_JOINT = re.compile(
    r"\s*(?:,?\s*(?:to|and|or|vs\.?|versus|against|rather than|instead of|not|compared with|by"
    r"|\u2013|-|\u2212|/))\s*(?:from\s+|at\s+|about\s+)?\Z"
)
_BEFORE_UNIT = re.compile(
    r"\b(second|minute|hour|day|week|month|year|age|aged|ages)s?\s+(?:of\s+|between\s+|over\s+)?\Z",
    re.IGNORECASE,
)
_POWER = re.compile(r"(?:x|\u00d7|times)\s?10\s?\^?\s?(-?\d{1,2})\Z")
_COUNTED = re.compile(
    r"(?:\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|few|several|many"
    r"|each|every|an?|per|the|same))[\s-]\Z",
    re.IGNORECASE,
)
_SECONDS: Final = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "night": 86401.0,
    "week": 604800.0,
    "month": 2629800.0,
    "year": 31557600.0,
}
_SHORT: Final = {"yr": "year", "h": "hour", "min": "minute", "d": "day"}
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|nearly|almost|some|approximately|approx\.?|close to|just over"
    r"|just under|over|under|(?:more|less|fewer|rather more|rather less) than|barely|circa|up to"
    r"|above|below|generally|typically|upwards of|beyond|exceeding)"
    r"|~|\u2248|\bc\.|[<>\u2264\u2265])\s*(?:a\s+|the\s+|an\s+)?\Z",
    re.IGNORECASE,
)
_ABOUT_WORD = re.compile(r"(?:\s+[a-z]+)?\s+(?:or so|odd)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:\b(?:fig(?:ure)?s?|tab(?:le)?s?|eqs?|equations?|refs?|sections?|chapters?)\.?\s*|\[)\Z",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"[-\s]?(?:thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?"
    r"|dozens?|halves|hundredths?)\b",
    re.IGNORECASE,
)
_OUT_OF_AFTER = re.compile(
    r"\s+(?:\w+\s+){0,2}?(?:in|out of|of every|for every|per|in every|in each|of)\s+"
    r"(?:an?\s+|every\s+|each\s+|the\s+)?(?P<whole>\d[\d,]*(?!\s?%)|[a-z]+)\b",
    re.IGNORECASE,
)
SCALE = re.compile(r"\s*(thousand|million|billion|trillion)\b", re.IGNORECASE)
_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_PER = re.compile(
    r"\s*(?:/\s?|(?:per|an?|each|every)\s+)([a-z]+)\b|\s*[a-z]{1,3}[/ ]([a-z]+)(?:-1|\u22121)",
    re.IGNORECASE,
)
_COUNTED_PER: Final = re.compile(r"(?:\s+[a-z-]+){0,2}\s+per\s+([a-z]+)\b", re.IGNORECASE)
_LOOK_BACK: Final = 40
"""Characters before a number in which its unit, a label or an "about" stands."""
_FREE: Final = frozenset("twice doubled tripled twofold threefold tenfold hundred".split())
"""Numbers in words that are the writer's own arithmetic."""
OF_HUNDRED: Final = "in 100"
"""The unit of a share that is told as so many in a hundred."""
_TENS: Final = frozenset("two three four five six seven eight nine ten twelve twenty".split())
_OWN: Final = 3.0
"""Counts in words up to three ("two groups") are often the writer's own."""
_DISTINCTIVE: Final = 3
"""A number of so many digits is hardly met twice by chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A number where it stands in a sentence.

    Attributes:
        quantity: The number, with the unit that it has or takes from its neighbour.
        sentence: The sentence.
    """

    quantity: Quantity
    sentence: str

    @property
    def size(self) -> float:
        """The number without its sign."""
        return abs(self.quantity.value)

    @property
    def digits(self) -> str:
        """The number as written."""
        return self.sentence[self.quantity.start : self.quantity.end]

    @property
    def text(self) -> str:
        """The number and its unit, for a reader."""
        return self.digits + (f" {self.quantity.unit}" if self.quantity.unit else "")

    @property
    def before(self) -> str:
        """The few characters before it."""
        return _before(self.sentence, self.quantity)

    @property
    def after(self) -> str:
        """The few characters after its digits."""
        return self.sentence[self.quantity.end : self.quantity.end + 40]

    @property
    def is_word(self) -> bool:
        """Whether it is written in words."""
        return not self.digits.strip("-.\u2212\u2013")[:1].isdigit()

    @property
    def is_about(self) -> bool:
        """Whether it is told as rounded, or as a bound."""
        return bool(_ABOUT.search(self.before) or _ABOUT_WORD.match(self.after))

    @property
    def is_own_count(self) -> bool:
        """Whether it is a small count in words, which may be the writer's own ("two groups")."""
        return self.is_word and self.size <= _OWN and not self.quantity.unit

    @property
    def is_free(self) -> bool:
        """Whether it is a label or worded freely ("two-thirds", "seven in ten", "doubled")."""
        is_label = _LABEL.search(self.before) is not None
        if is_label or self.digits.lower() in _FREE or _FRACTION.match(self.after):
            return True
        of = _OUT_OF_AFTER.match(self.after)
        return of is not None and self.is_word and of["whole"].lower() in _TENS

    @property
    def is_of_hundred(self) -> bool:
        """Whether it is told as so many of a hundred, or beside one that is."""
        if self.quantity.dimension or self.quantity.decimals > 1:
            return self.quantity.unit == OF_HUNDRED
        return any(other.quantity.unit == OF_HUNDRED for other in find_figures(self.sentence))

    @property
    def is_distinctive(self) -> bool:
        """Whether it has so many digits that it is hardly met twice by chance."""
        return sum(character.isdigit() for character in self.digits) >= _DISTINCTIVE

    @property
    def per(self) -> float:
        """What one it is told per, in seconds ("a week"); 0 without."""
        unit = len(self.quantity.unit) + 1 if self.quantity.unit else 0
        per = _PER.match(self.sentence, self.quantity.end + unit)
        word = ((per[1] or per[2] or "") if per else "").lower().rstrip("s")
        if not word and not self.quantity.unit:
            counted = _COUNTED_PER.match(self.after)
            word = counted[1].lower() if counted else ""
        return _SECONDS.get(_SHORT.get(word, word), 0.0)


@lru_cache(maxsize=4096)
def find_figures(text: str) -> tuple[Figure, ...]:
    """The first `MOST` numbers of a sentence in order, as a reader takes them.

    A bare number takes the unit of the one it is joined to ("from 9 to 6 days") or that stands
    before it ("day 90"); "2.4 million" is one number, and so is "22 in 100", a share of 22 %.
    """
    found = [_as_told(text, quantity) for quantity in find_quantities(text)[:MOST]]
    return tuple(Figure(quantity, text) for quantity in _joined(text, found))


def _before(text: str, quantity: Quantity) -> str:
    return text[max(0, quantity.start - _LOOK_BACK) : quantity.start]


def _joined(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """The quantities, each bare one with the unit of the number it is joined to."""
    units = list(found)
    for place in range(len(units) - 2, -1, -1):
        one, other = units[place], units[place + 1]
        power = _POWER.search(text, other.start, other.end)
        has_own = _POWER.search(text, one.start, one.end)
        if power and not has_own and _JOINT.match(text[one.end : other.start]):
            units[place] = replace(one, value=one.value * float(f"1e{power[1]}"))
        if other.dimension and not one.dimension and _JOINT.match(text[one.end : other.start]):
            units[place] = _with_unit_of(one, other)
    for place in range(1, len(units)):
        one, other = units[place - 1], units[place]
        is_last = not text[other.end : other.end + 2].strip(" ").isalpha()
        if one.dimension and not other.dimension and is_last:
            gap = re.sub(r"\A\s?(?:%|per cent|percent|[^\W\d_]+)", "", text[one.end : other.start])
            if _JOINT.match(gap):
                units[place] = _with_unit_of(other, one)
    return units


def _with_unit_of(one: Quantity, other: Quantity) -> Quantity:
    return replace(one, unit=other.unit, dimension=other.dimension, factor=other.factor)


def _as_told(text: str, quantity: Quantity) -> Quantity:
    """The quantity times the million that follows, or in the unit that stands before it."""
    scale = SCALE.match(text, quantity.end)
    if scale:
        return replace(quantity, value=quantity.value * _SCALES[scale[1].lower()])
    if quantity.dimension:
        return quantity
    of = _OUT_OF_AFTER.match(text, quantity.end)
    if of and of["whole"].lower() in {"100", "hundred"}:
        return replace(quantity, unit=OF_HUNDRED, dimension="share")
    before = _BEFORE_UNIT.search(text, max(0, quantity.start - _LOOK_BACK), quantity.start)
    if before is None or _COUNTED.search(text, 0, before.start()):
        return quantity
    word = before[1].lower()
    word = "year" if word.startswith("age") else word
    return replace(quantity, unit=word, dimension="time", factor=_SECONDS[word])
