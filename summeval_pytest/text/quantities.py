"""Quantities: numbers with units, converted to one scale."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from operator import attrgetter
from typing import Final

from summeval_pytest.text.words import known_tokens

_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)(?P<sign>[-\u2212\u2013](?=[\d.]))?"
    r"(?P<digits>\d{1,3}(?:[, \u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:(?:\s?(?:[x\u00d7]|times)\s?10\s?\^?\s?|[eE](?=[-+\u2212\d]))"
    r"(?P<power>[-+\u2212]?\d{1,3})(?!\d))?"
)
_MINUS: Final = "\u2212"
_START = re.compile(r"[-\u2212\u2013.\d]")
_DIGIT = re.compile(r"\d")
_GROUPING = re.compile(r"[, \u202f]")
_DECADE = re.compile(r"(?<!\d)\d{4}s\b")
_UNIT = re.compile(
    r"\s?-?\s?(?:[A-Z]\w+\s(?=(?:dollar|franc|peso|pound|rupee)s?\b|kron[aeo]r?\b))?"
    r"(%|per\s?cent(?:age)?(?:\s+points?)?|[\u00a3\u20ac\u00a5]|[^\W\d_]{1,14}(?:/[^\W\d_]{1,6})?)"
)
_BEFORE = re.compile(r"(?:[$\u00a3\u20ac\u00a5]|\b(?:CHF|EUR|GBP|INR|JPY|USD))\s?\Z")
"""A currency that stands before its number."""
_MATHS = re.compile(r"\s*[$\\^_{}=<>+*]")
"""After a number behind a dollar sign, these say that the sign opens a formula: "$40\\%$"."""
_LONGEST_BEFORE: Final = 4
SCALE = re.compile(r"(?i)\s*(thousand|million|billion|trillion)\b")
_OPEN: Final = frozenset(" (=<>[~") | {""}
"""What a minus sign may follow; after a word or a number it is a hyphen or a range."""
_PERCENT = re.compile(r"per\s?cent(?:age)?(?!\w)")
_WORDS: Final = {
    pair.partition("=")[0]: float(pair.partition("=")[2])
    for pair in """
    zero=0 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11
    twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18
    nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80
    ninety=90 hundred=100 twice=2 doubled=2 tripled=3 twofold=2 threefold=3 tenfold=10
    """.split()
}
"""Numbers in words; "one" is left out, which is more often a pronoun."""
_WORD = re.compile(
    r"(?i)\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    r"(?:-(?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|zero|t(?:wo(?:fold)?|hree(?:fold)?|en(?:fold)?|welve|hirteen|wice|ripled)"
    r"|f(?:our(?:teen)?|ive|ifteen)|s(?:ix|even)(?:teen)?|eight(?:een)?|nine(?:teen)?"
    r"|eleven|hundred|doubled)\b"
)
"""The same as `_WORDS`, and those like "twenty-one"; factored by hand, for speed."""


def _known_units() -> dict[str, tuple[str, float]]:
    """By unit: what it measures, and what one of it is in that family's base.

    A family of ``units.txt`` has its name, then what one unit is, and the names of that unit; an
    asterisk is a plural. Names with a capital are told apart by it.
    """
    units = {}
    table = files("summeval_pytest.text").joinpath("units.txt").read_text("utf-8")
    for line in re.split(r"\n(?! )", table.strip()):
        dimension, _, entries = line.partition(": ")
        factor = 1.0
        for entry in entries.split():
            if entry.startswith("="):
                factor = float(entry[1:])
                continue
            names = entry.rstrip("*"), entry.replace("*", "s")
            units.update(dict.fromkeys(names, (dimension, factor)))
    return units


_UNITS: Final = _known_units()
MONEY: Final = frozenset("dollars euros pounds yen francs pesos rupees yuan crowns".split())
"""The dimensions that are currencies."""
REACH: Final = 40
"""Characters before and after a number that are read as being about it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Quantity:
    """A number where it stands in a text; two are the same only at the same place.

    Attributes:
        value: The number as written, sign included.
        decimals: Digits after the point as written, which say how far it was rounded.
        unit: The unit, lower-cased where case tells nothing; empty where none that we know follows.
        dimension: What the unit measures ("mass", "share"); empty without a known unit.
        factor: What one such unit is in the dimension's base unit.
        start: Offset of its digits in the sentence, or text; they stand before ``end``.
    """

    value: float
    decimals: int = 0
    unit: str = ""
    dimension: str = ""
    factor: float = 1.0
    start: int = 0
    end: int = 0
    sentence: str = ""

    @property
    def size(self) -> float:
        """The number without its sign."""
        return abs(self.value)

    @property
    def digits(self) -> str:
        """The number as written."""
        return self.sentence[self.start : self.end]

    @property
    def text(self) -> str:
        """The number, its scale ("million") and its unit, for a reader."""
        scale = SCALE.match(self.after)
        return " ".join(filter(None, (self.digits, scale and scale[1], self.unit)))

    @property
    def before(self) -> str:
        """The 40 characters before it, in which its unit, a label or an "about" stands."""
        return self.sentence[max(0, self.start - REACH) : self.start]

    @property
    def after(self) -> str:
        """The 40 characters after its digits."""
        return self.sentence[self.end : self.end + REACH]

    def agrees_with(self, other: Quantity) -> bool:
        """Whether this number may stand where the other one did: same, converted or rounded.

        With units of two dimensions it never does; a number without a known unit agrees with the
        same number in any unit. Signs are not compared: "lost 1.4" may stand for "-1.4".
        """
        size, value = self.size, other.size
        if self.dimension and other.dimension:
            if self.dimension != other.dimension:
                return False
            value *= other.factor / self.factor
        is_rounded = self.decimals < other.decimals or self.factor > other.factor
        rounding = 0.5 * 10.0**-self.decimals if is_rounded else 0.0
        return size == value or abs(size - value) <= max(rounding, 1e-6 * value) + 1e-12


def _unit_after(text: str, end: int) -> tuple[str, str, float]:
    match = _UNIT.match(text, end)
    is_decade = text.startswith("s", end) and _DECADE.match(text, max(0, end - 4))
    if not match or match.group(1) == "US" or is_decade:
        return "", "", 1.0
    unit = match.group(1)
    if unit not in _UNITS:
        unit = unit.lower()
        if _PERCENT.match(unit):
            unit = "pp" if unit.rstrip("s").endswith("point") else "%"
    if unit not in _UNITS:
        unit = unit.partition("/")[0]
    return (unit, *_UNITS[unit]) if unit in _UNITS else ("", "", 1.0)


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """All numbers of a text in order, in digits or (from two on) in words, with known units.

    A number too large for a float is left out.
    """
    quantities = []
    if _DIGIT.search(text):
        quantities = [_in_digits(text, match) for match in _numbers(text)]
        quantities = [quantity for quantity in quantities if isfinite(quantity.value)]
    for match in () if _WORDS.keys().isdisjoint(known_tokens(text)) else _WORD.finditer(text):
        tens, _, ones = match.group().lower().partition("-")
        if tens in _WORDS:  # a long s passes for an s in a pattern without case
            value = _WORDS[tens] + (_WORDS.get(ones, 1.0) if ones else 0.0)
            quantities.append(_quantity(text, value, match.start(), match.end()))
    if len(quantities) > 1:
        quantities.sort(key=attrgetter("start"))
    return tuple(quantities)


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """What `finditer` finds, in half the time: it looks first where a number may begin."""
    end = 0
    while start := _START.search(text, end):
        if match := _NUMBER.match(text, start.start()):
            yield match
        end = (match or start).end()


def _in_digits(text: str, match: re.Match[str]) -> Quantity:
    sign, digits, power = match.groups()
    if not digits.isdecimal():
        digits = _GROUPING.sub("", digits)
    value = float(digits)
    if power:
        value *= float(f"1e{power.replace(_MINUS, '-')}")
    is_minus = sign in {"-", _MINUS} and text[match.start() - 1 : match.start()] in _OPEN
    decimals = len(digits.partition(".")[2])
    return _quantity(text, -value if is_minus else value, match.start(), match.end(), decimals)


def _quantity(text: str, value: float, start: int, end: int, decimals: int = 0) -> Quantity:
    scale = SCALE.match(text, end)
    unit, dimension, factor = _unit_after(text, scale.end() if scale else end)
    before = None if unit else _BEFORE.search(text, max(0, start - _LONGEST_BEFORE), start)
    if before and not _MATHS.match(text, end):
        unit = before.group().strip().lower()
        dimension, factor = _UNITS[unit]
    return Quantity(
        value=value, decimals=decimals, unit=unit, dimension=dimension, factor=factor,
        start=start, end=end, sentence=text,
    )  # fmt: skip
