"""Numbers as people compare them: scores to three digits, ratings whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import CATALOGUE, EvaScore, FacetScore

if TYPE_CHECKING:
    from collections.abc import Collection

    from summeval_pytest.metrics import Score, Unscored

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
    return beside(value, () if least is None else (least,))


def beside(value: float, bounds: Collection[float], digits: int = _DIGITS) -> str:
    """A number with so many digits, or as many more as it takes to stand right to every bound.

    At least a bound or under it, as the number itself is.
    """
    while digits < _DOUBLE and any(
        (round(value, digits) >= bound) != (value >= bound) for bound in bounds
    ):
        digits += 1
    return f"{value:.{digits}f}"


def averaged_note(score: Score | Unscored) -> str:
    """Whose evidence a score shows that is a mean over references; empty for any other."""
    if not (isinstance(score, FacetScore | EvaScore) and score.by_reference):
        return ""
    return (
        f"{score.metric}: numbers are means over {len(score.by_reference)} references; what is"
        " shown is of the one with the lowest score"
    )
