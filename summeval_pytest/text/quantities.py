"""Quantities: numbers with units, converted to one scale."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.words import known_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)(?P<sign>[-\u2212\u2013](?=[\d.]))?"
    r"(?P<digits>\d{1,3}(?:[, \u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:(?:\s?(?:[x\u00d7]|times)\s?10\s?\^?\s?|[eE](?=[-+\u2212\d]))"
    r"(?P<power>[-+\u2212]?\d{1,3})(?!\d))?"
)
MINUS: Final = "\u2212"
_START = re.compile(r"[-\u2212\u2013.\d]")
_DIGIT = re.compile(r"\d")
_GROUPING = re.compile(r"[, \u202f]")
_DECADE = re.compile(r"(?<!\d)\d{4}s\b")
_UNIT = re.compile(
    r"\s?-?\s?(%|per\s?cent(?:age)?(?:\s+points?)?|[^\W\d_]{1,14}(?:/[^\W\d_]{1,6})?)"
)
_OPEN: Final = frozenset(" (=<>[~") | {""}
"""What a minus sign may follow; after a word or a number it is a hyphen or a range."""
_PERCENT = re.compile(r"per\s?cent(?:age)?(?!\w)")
_WORD = re.compile(
    r"\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    r"(?:-(?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|zero|t(?:wo(?:fold)?|hree(?:fold)?|en(?:fold)?|welve|hirteen|wice|ripled)"
    r"|f(?:our(?:teen)?|ive|ifteen)|s(?:ix|even)(?:teen)?|eight(?:een)?|nine(?:teen)?"
    r"|eleven|hundred|doubled)\b",
    re.IGNORECASE,
)

_WORDS: Final[Mapping[str, float]] = MappingProxyType(
    {
        word: float(value)
        for word, value in (
            pair.split("=")
            for pair in """
            zero=0 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11
            twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18
            nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80
            ninety=90 hundred=100 twice=2 doubled=2 tripled=3 twofold=2 threefold=3 tenfold=10
            """.split()
        )
    }
)
"""Numbers in words; "one" is left out, which is more often a pronoun."""

_UNIT_TABLE: Final = """
share: % percent =1
points: pp =1
mass: ng nanogram nanograms =1e-9
mass: \u00b5g \u03bcg ug mcg microgram micrograms =1e-6
mass: mg milligram milligrams =1e-3
mass: g gram grams =1
mass: kg kilogram kilograms =1e3
mass: t tonne tonnes ton tons =1e6
mass: pg picogram picograms =1e-12
mass: lb lbs =453.59237
mass: ounce ounces oz =28.349523
time: ns nanosecond nanoseconds =1e-9
time: \u00b5s \u03bcs us microsecond microseconds =1e-6
time: ms millisecond milliseconds =1e-3
time: s sec second seconds =1
time: min minute minutes =60
time: h hr hrs hour hours =3600
time: d day days =86400
time: week weeks =604800
time: month months =2629800
time: yr yrs year years =31557600
time: decade decades =315576000
time: century centuries =3155760000
time: ps picosecond picoseconds =1e-12
time: fs femtosecond femtoseconds =1e-15
length: picometre picometres picometer picometers =1e-12
length: nm nanometre nanometres nanometer nanometers =1e-9
length: \u00b5m \u03bcm um micrometre micrometres micrometer micrometers micron microns =1e-6
length: mm millimetre millimetres millimeter millimeters =1e-3
length: cm centimetre centimetres centimeter centimeters =1e-2
length: m metre metres meter meters =1
length: mile miles =1609.344
length: inch inches =0.0254
length: feet ft =0.3048
length: km kilometre kilometres kilometer kilometers =1e3
volume: \u00b5l \u03bcl ul microlitre microlitres =1e-6
volume: cl centilitre centilitres =1e-2
volume: ml millilitre millilitres milliliter milliliters =1e-3
volume: l litre litres liter liters =1
area: ha hectare hectares =1e4
area: acre acres =4046.8564224
pressure: pascal pascals =1
pressure: hpa mbar millibar millibars =1e2
pressure: kpa kilopascal kilopascals =1e3
pressure: mpa megapascal megapascals =1e6
pressure: gpa gigapascal gigapascals =1e9
pressure: mmhg =133.322
heat: joule joules =1
heat: kj kilojoule kilojoules =1e3
heat: mj megajoule megajoules =1e6
heat: calorie calories =4.184
heat: kcal kilocalorie kilocalories =4184
heat: wh =3600
heat: kwh =3.6e6
heat: mwh =3.6e9
force: newton newtons =1
force: kn kilonewton kilonewtons =1e3
portion: ppm =1
portion: ppb =1e-3
loudness: db decibel decibels =1
amount: mol =1
amount: mmol millimole millimoles =1e-3
amount: \u00b5mol \u03bcmol umol micromole micromoles =1e-6
amount: nmol nanomole nanomoles =1e-9
resistance: ohm ohms =1
temperature: kelvins =1
current: \u00b5a \u03bca =1e-6
current: ma =1e-3
voltage: \u00b5v \u03bcv microvolt microvolts =1e-6
voltage: mv millivolt millivolts =1e-3
voltage: v volt volts =1
voltage: kv kilovolt kilovolts =1e3
energy: mev =1e-3
energy: ev =1
energy: kev =1e3
energy: gev =1e9
power: mw milliwatt milliwatts =1e-3
power: w watt watts =1
power: kw kilowatt kilowatts =1e3
power: megawatt megawatts =1e6
power: gw gigawatt gigawatts =1e9
frequency: hz hertz =1
frequency: khz kilohertz =1e3
frequency: mhz megahertz =1e6
frequency: ghz gigahertz =1e9
temperature: \u00b5k \u03bck =1e-6
temperature: mk =1e-3
temperature: k kelvin =1
data: b byte bytes =1
data: kb kib kilobyte kilobytes =1e3
data: mb mib megabyte megabytes =1e6
data: gb gib gigabyte gigabytes =1e9
data: tb tib terabyte terabytes =1e12
amount per volume: mmol/l =1e-3
amount per volume: mol/l =1
mass per volume: ng/ml =1e-6
mass per volume: mg/l =1e-3
mass per volume: mg/dl =1e-2
mass per volume: g/l =1
speed: km/h =0.2777777777777778
speed: cm/s =1e-2
speed: m/s =1
dose: \u00b5g/kg \u03bcg/kg =1e-6
dose: mg/kg =1e-3
dose: g/kg =1
"""


def _known_units() -> dict[str, tuple[str, float]]:
    """By unit, lower-cased: what it measures, and what one of it is in that family's base."""
    units = {}
    for line in _UNIT_TABLE.strip().splitlines():
        dimension, _, rest = line.partition(": ")
        names, _, factor = rest.partition(" =")
        units.update({name: (dimension, float(factor)) for name in names.split()})
    return units


_CASED_UNITS: Final[Mapping[str, tuple[str, float]]] = MappingProxyType(
    {
        "MeV": ("energy", 1e6),
        "MW": ("power", 1e6),
        "T": ("field", 1.0),
        "mT": ("field", 1e-3),
        "M": ("amount per volume", 1.0),
        "mM": ("amount per volume", 1e-3),
        "\u00b5M": ("amount per volume", 1e-6),
        "\u03bcM": ("amount per volume", 1e-6),
        "uM": ("amount per volume", 1e-6),
        "nM": ("amount per volume", 1e-9),
    }
)
"""Units that a capital tells from another; they are looked up first, as they are written."""

_UNITS: Final[Mapping[str, tuple[str, float]]] = MappingProxyType(_known_units())


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as a text states it.

    Attributes:
        value: The number as written, sign included.
        decimals: Digits after the point as written, which say how far it was rounded.
        unit: The unit, lower-cased where case tells nothing; empty where none that we know follows.
        dimension: What the unit measures ("mass", "share"); empty without a known unit.
        factor: What one such unit is in the dimension's base unit.
        start: Offset of the number in the text.
        end: Offset just past its digits.
    """

    value: float
    decimals: int = 0
    unit: str = ""
    dimension: str = ""
    factor: float = 1.0
    start: int = 0
    end: int = 0

    def agrees_with(self, other: Quantity) -> bool:
        """Whether this number may stand where the other one did: same, converted or rounded.

        With units of two dimensions it never does; a number without a known unit agrees with the
        same number in any unit. Signs are not compared: "lost 1.4" may stand for "-1.4".
        """
        mine, theirs = abs(self.value), abs(other.value)
        if self.dimension and other.dimension:
            if self.dimension != other.dimension:
                return False
            theirs *= other.factor / self.factor
        if mine == theirs:
            return True
        rounding = 0.5 * 10.0**-self.decimals if self._is_rounded(other) else 0.0
        return abs(mine - theirs) <= max(rounding, 1e-6 * theirs) + 1e-12

    def _is_rounded(self, other: Quantity) -> bool:
        return self.decimals < other.decimals or self.factor > other.factor


def _unit_after(text: str, end: int) -> tuple[str, str, float]:
    match = _UNIT.match(text, end)
    if not match or _DECADE.match(text, max(0, end - 4)):
        return "", "", 1.0
    if match.group(1) == "US":
        return "", "", 1.0
    cased = _CASED_UNITS.get(match.group(1))
    if cased:
        return (match.group(1), *cased)
    unit = match.group(1).lower()
    if _PERCENT.match(unit):
        unit = "pp" if unit.rstrip("s").endswith("point") else "%"
    known = _UNITS.get(unit)
    if known is None and "/" in unit:
        unit = unit.split("/")[0]
        known = _UNITS.get(unit)
    return (unit, *known) if known else ("", "", 1.0)


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """All numbers of a text in order, in digits or (from two on) in words, with known units.

    A number too large for a float is left out.
    """
    found = []
    if _DIGIT.search(text):
        found = [_in_digits(text, match) for match in _numbers(text)]
        found = [quantity for quantity in found if isfinite(quantity.value)]
    for match in () if _WORDS.keys().isdisjoint(known_tokens(text)) else _WORD.finditer(text):
        parts = match.group().lower().split("-")
        if parts[0] in _WORDS:
            value = _WORDS[parts[0]] + (_WORDS.get(parts[-1], 1.0) if len(parts) > 1 else 0.0)
            found.append(_quantity(text, value, match.start(), match.end()))
    if len(found) > 1:
        found.sort(key=attrgetter("start"))
    return tuple(found)


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """What `finditer` finds, in half the time: it looks first where a number may begin."""
    end = 0
    while start := _START.search(text, end):
        if match := _NUMBER.match(text, start.start()):
            yield match
        end = (match or start).end()


def _in_digits(text: str, match: re.Match[str]) -> Quantity:
    digits = match["digits"]
    if not digits.isdecimal():
        digits = _GROUPING.sub("", digits)
    value = float(digits)
    if match["power"]:
        value *= float(f"1e{match['power'].replace(MINUS, '-')}")
    is_minus = match["sign"] in {"-", "\u2212"} and text[match.start() - 1 : match.start()] in _OPEN
    decimals = len(digits.partition(".")[2])
    return _quantity(text, -value if is_minus else value, match.start(), match.end(), decimals)


def _quantity(text: str, value: float, start: int, end: int, decimals: int = 0) -> Quantity:
    unit, dimension, factor = _unit_after(text, end)
    return Quantity(
        value=value,
        decimals=decimals,
        unit=unit,
        dimension=dimension,
        factor=factor,
        start=start,
        end=end,
    )
