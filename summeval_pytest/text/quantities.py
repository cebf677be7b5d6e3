"""Quantities: the numbers of a text by value, with units converted to one scale.

A number is read as it is meant, however it is written: 5 x 10^5, 500,000 and "half a
million" are one value. Digits are read here and number words by text2num, which is loaded once a
text has some. Its unit stands behind a number, or before it as a currency; no other word before it
is one. Units and their sizes are a table (``units.txt``): pint knows more of them, but reads no
"mg L-1" as papers print it, and takes .6 s to load.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain
from math import isfinite
from operator import attrgetter
from typing import Final, NamedTuple

from summeval_pytest.text.lists import lines_of
from summeval_pytest.text.marks import content

_SUPERSCRIPTS: Final = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
_RAISED = str.maketrans(f"{_SUPERSCRIPTS}\u207a\u207b\u2212\u2013", "0123456789+---")
_POINT: Final = r"[.\u00b7\u2219\u22c5]"
_GROUP: Final = r"(?:[, \u00a0\u2009\u202f'\u2019]|\{,\}|\\,)"
_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)(?P<sign>[-\u2212\u2013](?=[\d.\u00b7]))?"
    rf"(?P<digits>\d{{1,3}}(?:{_GROUP}\d{{3}})+(?!\d)(?:{_POINT}\d+)?|\d+(?:{_POINT}\d+)?|{_POINT}\d+)"
    r"(?:(?:(?:\s?(?:[x\u00d7*\u00b7]|times|\\times|\\cdot)\s?10)\s?\^?\s?\{?|[eE](?=[-+\u2212\d]))"
    rf"(?P<power>[-+\u2212]?\d{{1,3}}(?!\d)|[\u207a\u207b]?[{_SUPERSCRIPTS}]{{1,3}})\}}?)?"
)
_TEN_TO = re.compile(
    rf"\^\{{?(?P<power>[-+\u2212]?\d{{1,3}})\}}?|(?P<raised>[\u207a\u207b]?[{_SUPERSCRIPTS}]{{1,3}})"
)
"""What stands behind a 10 that is a power of ten without a factor."""
_START = re.compile(r"[-\u2212\u2013.\u00b7\d]")
_DIGIT = re.compile(r"\d")
_GROUPING = re.compile(_GROUP)
_DECADE = re.compile(r"(?<!\d)\d{4}s\b")
_OPEN: Final = frozenset(" (=<>[~$") | {""}
"""What a minus sign may follow; after a word or a number it is a hyphen or a range."""

_SCALES: Final = {
    "dozen": 12.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "mn": 1e6,
    "mln": 1e6, "bn": 1e9, "tn": 1e12, "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "B": 1e9, "b": 1e9,
}  # fmt: skip
_SCALE = re.compile(
    r"[\s-]?(?P<word>(?i:dozen|thousand|million|billion|trillion)|mn|mln|bn|tn)s?\b"
    r"|(?P<letter>k|[KMB])(?=\s[a-z]{3}|\s?[$\u20ac\u00a3\u00a5]|-[a-z]{3}|\s(?i:usd|eur|gbp)\b|[\s,.;:)]*\Z)"
    r"|(?P<money>[kmMBb])\b"
)
_UNIT_WORD: Final = rf"[^\W\d_{_SUPERSCRIPTS}]{{1,14}}"
_UNIT = re.compile(
    r"\$?(?:[~\s]|\\[,;])?-?\s?(?:\\(?:text|mathrm)\{)?(?:(?:consecutive|further|more|full|additional|[a-z]{2,9}est)\s)?(?:[A-Z]\w+\s(?=(?:dollar|franc|peso|pound|rupee)s?\b|kron[aeo]r?\b))?"
    r"(?P<square>(?:sq(?:uare|\.)?|cubic)\s)?"
    r"(?P<unit>\\?%|per\s?cent(?:age)?(?:[\s-]points?)?|light[\s-]years?|mm\sHg|euro[\s-]cents?|[\u00a3\u20ac\u00a5]"
    r"|[\u00b0\u00ba]\s?[CFK]\b|[\u2103\u2109]|deg(?:rees?)?\s?(?:[CFcf]\b|Celsius|centigrade|Fahrenheit)"
    rf"|{_UNIT_WORD})(?P<power>[\u00b2\u00b3]|[23](?!\w|\.\d)|\^[23])?"
)
_NUMBERED = re.compile(r"\s(?:Year|Day|Week|Month|Hour)\s\d")
"""What is numbered is no unit: "1,284 Year 7 pupils"."""
_BELOW = re.compile(
    rf"(?:\sof\s[a-z]+)?(?:\s?/\s?|\s(?:per|an?|each|every)\s)(?P<square>(?:square|cubic)\s)?(?P<unit>{_UNIT_WORD})"
    r"(?P<power>[23\u00b2\u00b3](?!\w)|\^[23])?"
    rf"|[\s\u00b7.\u22c5\u00a0]?(?P<raised>{_UNIT_WORD})\s?\^?\{{?(?:[-\u2212\u2013\u207b](?P<minus>[123\u00b9\u00b2\u00b3]))\}}?(?![\w.])"
)
"""What a unit is divided by: "mg/L", "mg L-1", "g of carbon per kg", "kg ha⁻¹"."""
_BEFORE = re.compile(r"(?:[$\u00a3\u20ac\u00a5]|\b(?:CHF|EUR|GBP|INR|JPY|USD))\s?\Z")
"""A currency that stands before its number."""
_MATHS = re.compile(r"\s*(?:\\?%|[$\\^_{}=<>+*])")
"""After a number behind a dollar sign, these say that the sign opens a formula: "$40\\%$"."""
_LONGEST_BEFORE: Final = 4
_PERCENT = re.compile(r"per\s?cent(?:age)?(?!\w)")
_WORD = re.compile(
    r"(?i)\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twelfth"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)t(?:y|ie)"
    r"|hundred|thousand|million|billion)(?:th)?\b"
)
"""A word of a number, so that a text without one need not load text2num."""
_TOKEN = re.compile(r"[^\W_]+|[^\w\s]")
_TIMES: Final = {
    "twice": 2.0, "thrice": 3.0, "doubled": 2.0, "tripled": 3.0, "quadrupled": 4.0, "twofold": 2.0,
    "threefold": 3.0, "fourfold": 4.0, "fivefold": 5.0, "tenfold": 10.0,
}  # fmt: skip
"""Words for a multiple, which text2num does not read."""
_MULTIPLE = re.compile(rf"(?i)\b(?:{'|'.join(_TIMES)})\b")


_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")


class Unit(NamedTuple):
    """What a unit measures, and what one of it is in that family's base unit."""

    dimension: str
    factor: float


def _known_units() -> dict[str, Unit]:
    """By name. A family of ``units.txt`` has its name, then what one unit is, and its names.

    An asterisk is a plural. Names with a capital are told apart by it.
    """
    units = {}
    for line in re.split(r"\n(?! )", "\n".join(lines_of("units"))):
        dimension, _, entries = line.partition(": ")
        factor = 1.0
        for entry in entries.split():
            if entry.startswith("="):
                factor = float(entry[1:])
                continue
            names = entry.rstrip("*"), entry.replace("*", "s")
            units.update(dict.fromkeys(names, Unit(dimension, factor)))
    return units


_UNITS: Final = _known_units()
_NONE: Final = Unit("", 1.0)
MONEY: Final = frozenset("dollars euros pounds yen francs pesos rupees yuan crowns".split())
"""The dimensions that are currencies."""
REACH: Final = 40
"""Characters before and after a number that are read as being about it."""
_KELVIN: Final = 273.15
_WARM: Final = 100.0
_FREEZING: Final = 32.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Quantity:
    """A number where it stands in a text; two are the same only at the same place.

    Attributes:
        value: The number, with sign, power of ten and scale ("million").
        step: What one more in its last printed digit is: .1 of 2.4, 1e5 of 2.4 million.
        unit: The unit, lower-cased where case tells nothing; empty where none that we know follows.
        dimension: What the unit measures ("mass", "share"); empty without a known unit.
        factor: What one such unit is in the dimension's base unit.
        per: What the unit is divided by ("mg/L": volume), empty where it is not.
        start: Offset of its digits in the sentence, or text; they stand before ``end``.
        stop: Where its scale and unit end.
        is_word: Whether it is written in words.
        is_ordinal: Whether it says a place in an order ("19th").
        scale: What its digits are multiplied by: 1e6 of "2.4 million", 1e5 of "3 x 10^5".
    """

    value: float
    step: float = 1.0
    unit: str = ""
    dimension: str = ""
    factor: float = 1.0
    per: Unit = _NONE
    start: int = 0
    end: int = 0
    stop: int = 0
    sentence: str = ""
    is_word: bool = False
    is_ordinal: bool = False
    scale: float = 1.0

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
        """The number, its scale ("million") and its unit as written, for a reader."""
        written = self.sentence[self.start : max(self.stop, self.end)].replace("\\", "")
        return f"{written} {self.unit}" if self.unit and self.stop <= self.end else written

    @property
    def decimals(self) -> int:
        """Digits after the point as written, which say how far it was rounded."""
        _, point, after = re.sub(_POINT, ".", self.digits).partition(".")
        return len(re.match(r"\d*", after)[0]) if point else 0  # type: ignore[index]  # it matches

    @property
    def before(self) -> str:
        """The 40 characters before it, in which a label or an "about" stands."""
        return self.sentence[max(0, self.start - REACH) : self.start]

    @property
    def after(self) -> str:
        """The 40 characters after its digits and scale, with its unit."""
        return self.sentence[self.end : self.end + REACH]

    def in_units_of(self, other: Quantity) -> Iterator[tuple[float, float]]:
        """Value and step of this number in another one's unit, one for each way to convert."""
        scale = self.factor / other.factor if self.dimension == other.dimension else 1.0
        if self.per.dimension and self.per.dimension == other.per.dimension:
            scale *= other.per.factor / self.per.factor
        is_degree = self.dimension == other.dimension == "temperature" and self.unit != other.unit
        if not is_degree or self.size < _WARM:  # so much warmer, in whatever degrees
            yield self.size * scale, self.step * scale
        if is_degree:
            kelvin = _kelvin(self.unit, self.value)
            yield abs(_from_kelvin(other.unit, kelvin)), self.step * scale

    def agrees_with(self, other: Quantity) -> bool:
        """Whether this number may stand where the other one did: same, converted or rounded.

        With units of two dimensions they never are; a number without a known unit may have any.
        Signs are not compared: "lost 1.4" may stand for "-1.4".
        """
        if self.dimension and other.dimension and self.dimension != other.dimension:
            return False
        for size, step in other.in_units_of(self):
            is_rounded = self.step > step or (
                self.unit != other.unit and self.factor >= other.factor
            )
            slack = 0.5000001 * self.step if is_rounded else 0.0
            if abs(self.size - size) <= max(slack, 1e-6 * size) + 1e-12:
                return True
        return False


def _kelvin(unit: str, value: float) -> float:
    if unit == "\u00b0c":
        return value + _KELVIN
    return (value - _FREEZING) / 1.8 + _KELVIN if unit == "\u00b0f" else value


def _from_kelvin(unit: str, kelvin: float) -> float:
    if unit == "\u00b0c":
        return kelvin - _KELVIN
    return (kelvin - _KELVIN) * 1.8 + _FREEZING if unit == "\u00b0f" else kelvin


def _unit_named(word: str) -> tuple[str, Unit]:
    """A unit as we write it, with what it measures."""
    name = word.replace("\\", "")
    if name in _UNITS:
        return name, _UNITS[name]
    name = re.sub(r"(?<=light)\s(?=year)|(?<=euro)\s(?=cent)|(?<=mm)\s(?=Hg)", "-", name)
    name = " ".join(unicodedata.normalize("NFKC", name).lower().replace("\u00ba", "\u00b0").split())
    if _PERCENT.match(name):
        name = "pp" if name.rstrip("s").endswith("point") else "%"
    if name[0] in "\u00b0d" and name[-1] not in "s":
        letter = (
            name.lstrip("\u00b0 ")
            .removeprefix("degrees")
            .removeprefix("degree")
            .removeprefix("deg")
            .strip()[:1]
        )
        if letter and letter in "cfk" and (name[0] == "\u00b0" or name.startswith("deg")):
            name = "k" if letter == "k" else f"\u00b0{letter}"
    elif name.startswith("deg"):
        name = "\u00b0c" if "cel" in name else name
    return (name, _UNITS[name]) if name in _UNITS else ("", _NONE)


def _raised_to(unit: Unit, mark: str) -> Unit:
    """A unit of length squared or cubed: an area in square metres, a volume in litres."""
    if unit.dimension != "length":
        return unit
    if mark.startswith(("2", "^2", "\u00b2", "sq")):
        return Unit("area", unit.factor**2)
    is_cubed = mark.startswith(("3", "^3", "\u00b3", "cubic"))
    return Unit("volume", 1e3 * unit.factor**3) if is_cubed else unit


def _unit_after(text: str, end: int) -> tuple[str, Unit, Unit, int]:
    """The unit behind a number, what it is divided by, and where both end."""
    match = _UNIT.match(text, end)
    is_decade = text.startswith("s", end) and _DECADE.match(text, max(0, end - 4))
    if not match or match["unit"] == "US" or is_decade or _NUMBERED.match(text, end):
        return "", _NONE, _NONE, end
    name, unit = _unit_named(match["unit"])
    if not name:
        return "", _NONE, _NONE, end
    if raised := match["power"] or match["square"]:
        unit, name = _raised_to(unit, raised), text[match.start("unit") : match.end()]
    stop, per = match.end(), _NONE
    if " per " in unit.dimension:  # mol/l and its like, which have a name of their own
        dimension, _, below = unit.dimension.partition(" per ")
        unit, per = Unit(dimension, unit.factor), Unit(below, 1.0)
    elif divisor := _BELOW.match(text, stop):
        _, per = _unit_named(divisor["unit"] or divisor["raised"])
        per = _raised_to(per, divisor["power"] or divisor["square"] or divisor["minus"] or "")
        if per.dimension and per.dimension not in {"share", "points"} | MONEY:
            stop = divisor.end()
        else:
            per = _NONE
    return name, unit, per, stop


@lru_cache(maxsize=8192)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """All numbers of a text in order, in digits or in words ("one" alone is a pronoun), with units.

    Numbers of lists, citations and word counts are none. One too large for a float is left out.
    """
    bare, quantities = content(text), []
    if _DIGIT.search(bare):
        quantities = [_in_digits(bare, match) for match in _numbers(bare)]
        quantities = [quantity for quantity in quantities if isfinite(quantity.value)]
    if _WORD.search(bare):
        quantities += _in_words(bare)
    for match in _MULTIPLE.finditer(bare):
        value, (start, end) = _TIMES[match.group().lower()], match.span()
        quantities.append(
            Quantity(value=value, start=start, end=end, stop=end, sentence=bare, is_word=True)
        )
    quantities.sort(key=attrgetter("start"))
    # The "-1" of "5 mg L-1" is no number of its own.
    ends = chain([0], accumulate((quantity.stop for quantity in quantities), max))
    found = [q for q, end in zip(quantities, ends, strict=False) if q.start >= end]
    return tuple(found if bare == text else [replace(q, sentence=text) for q in found])


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
        digits = re.sub(_POINT, ".", _GROUPING.sub("", digits))
    value, end = float(digits), match.end()
    step = 10.0 ** -len(digits.partition(".")[2])
    if digits == "10" and not power and (raised := _TEN_TO.match(text, end)):
        power, value, step, end = raised["power"] or raised["raised"], 1.0, 1.0, raised.end()
    scale = float(f"1e{power.translate(_RAISED)}") if power else 1.0
    value, step = value * scale, step * scale
    is_minus = sign in {"-", "\u2212"} and text[match.start() - 1 : match.start()] in _OPEN
    value = -value if is_minus else value
    start = match.start()
    bare = Quantity(value=value, step=step, start=start, end=end, sentence=text, scale=scale)
    return _completed(bare)


class _Token(NamedTuple):
    """A word as text2num wants it."""

    word: str
    start: int
    end: int

    def text(self) -> str:
        return self.word

    def text_lowercase(self) -> str:
        return self.word.lower()

    def nt_separated(self, _previous: _Token) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return self.word.isdecimal()


def _in_words(text: str) -> Iterator[Quantity]:
    from text_to_num import find_numbers  # loaded once a text has a number word

    tokens = [_Token(match.group(), *match.span()) for match in _TOKEN.finditer(text)]
    for found in find_numbers(tokens, "en", 0):
        words = [token.word.lower() for token in tokens[found.start : found.end]]
        start, end = tokens[found.start].start, tokens[found.end - 1].end
        is_pronoun = words == ["one"] or (found.is_ordinal and words[-1].rstrip("s") in _EARLY)
        value = float(found.value)
        if words[0] in _BIG:
            few = _FEW.search(text, max(0, start - _LONGEST_FEW), start)
            value, start = value * (0.5 if few and few["half"] else 1.0), few.start() if few else -1
        if not is_pronoun and start >= 0 and not _DIGIT.search(text, start, end):
            bare = Quantity(value=value, start=start, end=end, sentence=text, is_word=True)
            yield _completed(replace(bare, is_ordinal=found.is_ordinal))


_BIG: Final = frozenset("hundred thousand million billion trillion".split())
_FEW = re.compile(r"(?i)\b(?P<half>half\s)?an?\s\Z")
_LONGEST_FEW: Final = 8
_EARLY: Final = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth hundredth thousandth".split()
)
"""Ordinals that more often tell a list, a fraction or a time."""


def _completed(bare: Quantity) -> Quantity:
    """A number with the scale and the unit that stand beside it."""
    text, end, scale = bare.sentence, bare.end, bare.scale
    before = _BEFORE.search(text, max(0, bare.start - _LONGEST_BEFORE), bare.start)
    if before and _MATHS.match(text, end):
        before = None
    is_ordinal = bare.is_ordinal or _ORDINAL.match(text, end) is not None
    word = None if is_ordinal else _SCALE.match(text, end)
    if word and (not word["money"] or before):
        scale *= _SCALES[(word["word"] or "").lower() or word["letter"] or word["money"]]
        end = word.end()
    name, unit, per, stop = ("", _NONE, _NONE, end) if is_ordinal else _unit_after(text, end)
    if not name and before:
        name, unit = _unit_named(before.group().strip())
    times = scale / bare.scale
    return replace(
        bare, value=bare.value * times, step=bare.step * times, scale=scale, unit=name,
        dimension=unit.dimension, factor=unit.factor, per=per, end=end, stop=stop,
        is_ordinal=is_ordinal,
    )  # fmt: skip


def with_unit_of(one: Quantity, other: Quantity) -> Quantity:
    """The number in another one's unit: the 9 of "from 9 to 6 days"."""
    return replace(
        one, unit=other.unit, dimension=other.dimension, factor=other.factor, per=other.per
    )
