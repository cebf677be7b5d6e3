"""Numbers as people compare them: scores to three digits, ratings whole."""

from __future__ import annotations

from typing import Final

from summeval_pytest.metrics import CATALOGUE

_DIGITS: Final = 3
_DOUBLE: Final = 17
"""Digits that tell any two doubles apart."""


def shown(name: str, value: float | None, least: float | None = None) -> str:
    """A number as text: a whole rating without decimals, else three digits; a dash for none.

    Digits are added until the text stands to the threshold as the number does, at least or under
    it. A threshold, shown with itself as ``least``, is never shown as less than it is, so a value
    under it never looks equal to it.
    """
    if value is None:
        return "-"
    if CATALOGUE[name].high > 1 and value == int(value):
        return f"{value:.0f}"
    digits = _DIGITS
    if least is not None:
        while digits < _DOUBLE and (round(value, digits) >= least) != (value >= least):
            digits += 1
    return f"{value:.{digits}f}"
