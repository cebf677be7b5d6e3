"""Numbers that follow from others: the rest of a hundred, the time between two dates."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges.offline.readings.figures import Placed
    from summeval_pytest.judges.offline.readings.reading import Reading

_HUNDRED: Final = 100
_HALF: Final = 0.5
_WHOLES: Final = (86400.0, 604800.0, 31557600.0)
"""A day, a week, a year."""
_YEAR: Final = 31557600.0
_MONTH: Final = 2629800.0
_SPANS: Final = {
    "decade": 10 * _YEAR, "decades": 20 * _YEAR, "century": 100 * _YEAR, "fortnight": 1209600.0,
    "weekend": 172800.0, "semester": 6 * _MONTH, "annual": _YEAR, "yearly": _YEAR,
}  # fmt: skip
"""Times that are told by a word."""
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DATE: Final = re.compile(
    r"(?:\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s+)?\b((?:1[89]|20)\d\d)\b",
    re.IGNORECASE,
)


def is_near(one: float, other: float, slack: float) -> bool:
    """Whether two numbers differ by no more than a share of the larger one."""
    return abs(one - other) <= slack * max(one, other)


def is_worked_out(placed: Placed, stated: Sequence[Placed]) -> bool:
    """Whether a number follows from one of the evidence: the rest of a hundred, a ratio's excess.

    So does a unit told as the smaller ones it holds ("twelve months").
    """
    quantity, size = placed.quantity, placed.size
    if quantity.dimension == "time":
        seconds = size * quantity.factor
        return any(is_near(seconds, whole, 0.015) for whole in _WHOLES)
    if quantity.unit != "%" or quantity.decimals:
        return False
    return any(
        abs(size + other.size - _HUNDRED) < _HALF
        if other.quantity.unit == "%"
        else other.quantity.decimals > 1 and abs(abs(other.size - 1) * _HUNDRED - size) <= _HALF
        for other in stated
        if not other.quantity.dimension or other.quantity.unit == "%"
    )


def is_counted_out(placed: Placed, evidence: Sequence[Reading]) -> bool:
    """Whether a time is told as a "decade", or lies between two dates of the evidence."""
    if placed.quantity.dimension != "time":
        return False
    seconds = placed.size * placed.quantity.factor
    for reading in evidence:
        if any(
            is_near(seconds, whole, 0.02)
            for word, whole in _SPANS.items()
            if word in reading.token_set
        ):
            return True
        dates = [
            int(year) * 12 + (_MONTHS.index(month[:3].lower()) if month else 0)
            for month, year in _DATE.findall(reading.text)
        ]
        unit = _MONTH if _DATE.search(reading.text) and "month" in placed.text else _YEAR
        step = 1 if unit == _MONTH else 12
        for one, other in combinations(dates, 2):
            told = seconds / unit
            between = abs(other - one) / step
            if between - _HALF <= told <= between + 1 + _HALF and between:
                return True
    return False
