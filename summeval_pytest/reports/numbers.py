"""Numbers as people compare them: scores to three digits, ratings whole."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import CATALOGUE, EvaScore, FacetScore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from summeval_pytest.metrics import Score, Unscored

_DIGITS: Final = 3
_DOUBLE: Final = 17
"""Digits that tell any two doubles apart."""


def shown(name: str, value: float | None, least: float | None = None) -> str:
    """A number as text: a whole rating or count as it is, else three digits; a dash for none.

    Digits are added until the text stands to the threshold as the number does. A threshold, shown
    with itself as ``least``, is never shown as less strict than it is, so a value that misses it
    never looks equal to it.
    """
    named = CATALOGUE[name]
    if value is None:
        return "-"
    if named.is_whole and value == int(value):
        return f"{value:.0f}"
    bounds = () if least is None else (least,)
    return beside(value, bounds, meets=named.meets)


def missed(name: str, value: float | None, least: float) -> str:
    """A number and the threshold that it misses: ``facet 0.425 < 0.750``."""
    return f"{name} {shown(name, value, least)} {beyond(name, least)}"


def beyond(name: str, least: float) -> str:
    """How a number stands to the threshold that it misses."""
    bound = shown(name, least, least)
    return f"> {bound} at most" if CATALOGUE[name].lower_is_better else f"< {bound}"


def kept(name: str, value: float | None, least: float) -> str:
    """A number and the threshold that it meets: ``facet 0.812 >= 0.750``."""
    bound = shown(name, least, least)
    how = f"<= {bound} at most" if CATALOGUE[name].lower_is_better else f">= {bound}"
    return f"{name} {shown(name, value, least)} {how}"


def beside(
    value: float,
    bounds: Collection[float],
    digits: int = _DIGITS,
    *,
    meets: Callable[[float, float], bool] = operator.ge,
) -> str:
    """A number with so many digits, or as many more as it takes to stand right to every bound.

    That is to meet it or not, as the number itself does.
    """
    while digits < _DOUBLE and any(
        meets(round(value, digits), bound) != meets(value, bound) for bound in bounds
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
