"""Numbers with their units, so that 24 % is not 24 mg and 1,000 mg is 1 g."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)(?P<sign>[-\u2212\u2013](?=[\d.]))?"
    r"(?P<digits>\d{1,3}(?:[, \u202f]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:\s?(?:[x\u00d7]|times)\s?10\s?\^?\s?(?P<power>[-\u2212]?\d{1,3}))?"
)
_UNIT = re.compile(r"\s?-?\s?(%|per\s?cent(?:age)?(?:\s+points?)?|percentage\s+points?|[^\W\d_]{1,14}(?:/[^\W\d_]{1,6})?)")
_WORD = re.compile(r"\b[a-z]+\b", re.IGNORECASE)

_WORDS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "zero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
        "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
        "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
        "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "twice": 2, "doubled": 2,
        "tripled": 3, "threefold": 3, "twofold": 2, "tenfold": 10,
    }
)  # fmt: skip


def _family(dimension: str, table: str) -> dict[str, tuple[str, float]]:
    units = {}
    for entry in table.split(";"):
        names, factor = entry.split("=")
        units.update({name: (dimension, float(factor)) for name in names.split()})
    return units


_UNITS: Final[Mapping[str, tuple[str, float]]] = MappingProxyType(
    _family("share", "% percent=1")
    | _family("points", "pp=1")
    | _family("mass", "ng nanogram nanograms=1e-9; \u00b5g \u03bcg ug mcg microgram micrograms=1e-6; mg milligram milligrams=1e-3; g gram grams=1; kg kilogram kilograms=1e3; tonne tonnes t=1e6")
    | _family("time", "ns nanosecond nanoseconds=1e-9; \u00b5s \u03bcs us microsecond microseconds=1e-6; ms millisecond milliseconds=1e-3; s sec second seconds=1; min minute minutes=60; h hr hrs hour hours=3600; day days d=86400; week weeks=604800; month months=2629800; year years yr yrs=31557600")
    | _family("length", "nm nanometre nanometres nanometer nanometers=1e-9; \u00b5m \u03bcm um micrometre micrometres micrometer micrometers micron microns=1e-6; mm millimetre millimetres=1e-3; cm centimetre centimetres=1e-2; m metre metres meter meters=1; km kilometre kilometres=1e3")
    | _family("volume", "\u00b5l \u03bcl ul=1e-6; ml millilitre millilitres=1e-3; l litre litres liter liters=1")
    | _family("current", "\u00b5a \u03bca=1e-6; ma=1e-3")
    | _family("voltage", "mv=1e-3; v volt volts=1; kv=1e3")
    | _family("energy", "mev=1e-3; ev=1; kev=1e3; gev=1e9")
    | _family("power", "mw=1e-3; w watt watts=1; kw=1e3")
    | _family("frequency", "hz=1; khz=1e3; mhz=1e6; ghz=1e9")
    | _family("temperature", "k kelvin=1; mk=1e-3; \u00b5k \u03bck=1e-6")
    | _family("data", "b byte bytes=1; kb kib=1e3; mb mib=1e6; gb gib=1e9; tb tib=1e12")
    | _family("concentration", "nm/l=1e-9; mmol/l=1e-3; mol/l=1; mg/l=1e-3; g/l=1; mg/dl=1e-2; ng/ml=1e-6")
    | _family("speed", "m/s=1; km/h=0.2777777777777778; cm/s=1e-2")
    | _family("dose", "mg/kg=1e-3; g/kg=1; \u00b5g/kg \u03bcg/kg=1e-6")
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as a text states it.

    Attributes:
        value: The number as written, sign included.
        decimals: Digits after the point as written, which say how far it was rounded.
        unit: The unit as written, lower-cased; empty where none that we know follows.
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
        tolerance = max(0.5 * 10.0**-self.decimals if self._is_rounded(other) else 0.0, 1e-6 * abs(theirs))
        return abs(mine - theirs) <= tolerance + 1e-12

    def _is_rounded(self, other: Quantity) -> bool:
        return self.decimals < other.decimals or self.factor > other.factor


def _unit_after(text: str, end: int) -> tuple[str, str, float]:
    match = _UNIT.match(text, end)
    if not match:
        return "", "", 1.0
    unit = match.group(1).lower()
    if unit[:3] == "per" and len(unit) > 3:
        unit = "pp" if unit.rstrip("s").endswith("point") else "%"
    known = _UNITS.get(unit)
    if known is None and "/" in unit:
        unit = unit.split("/")[0]
        known = _UNITS.get(unit)
    return (unit, *known) if known else ("", "", 1.0)


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """All numbers of a text in order, in digits or (from two on) in words, with known units."""
    found = []
    for match in _NUMBER.finditer(text):
        digits = re.sub(r"[, \u202f]", "", match["digits"])
        value = float(digits)
        if match["power"]:
            value *= 10.0 ** int(match["power"].replace("\u2212", "-"))
        start = match.start()
        signed = bool(match["sign"]) and (start == 0 or text[start - 1] in " (=<>[~")
        unit, dimension, factor = _unit_after(text, match.end())
        found.append(
            Quantity(
                value=-value if signed and match["sign"] != "\u2013" else value,
                decimals=len(digits.partition(".")[2]),
                unit=unit, dimension=dimension, factor=factor,
                start=start, end=match.end(),
            )  # fmt: skip
        )
    for match in _WORD.finditer(text):
        number = _WORDS.get(match.group().lower())
        if number is not None:
            unit, dimension, factor = _unit_after(text, match.end())
            found.append(
                Quantity(
                    value=float(number), unit=unit, dimension=dimension, factor=factor,
                    start=match.start(), end=match.end(),
                )  # fmt: skip
            )
    return tuple(sorted(found, key=lambda quantity: quantity.start))
