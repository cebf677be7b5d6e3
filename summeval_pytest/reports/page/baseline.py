"""The differences from a baseline, as text and as a drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.reports.numbers import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.verdict import Comparison, Difference

_DASH: Final = "\u2013"
_SMALLEST_P: Final = 0.001
_MIDDLE: Final = 50.0
_REACH: Final = 48.0
"""From the middle of a drawing to where its longest interval ends, in per cent of its width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisker:
    """A change and its interval, drawn: all in per cent of the width of the drawing."""

    zero: float
    at: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceLine:
    """One difference as text."""

    difference: Difference
    old: str
    new: str
    change: str
    interval: str
    p: str
    detectable: str
    whisker: Whisker


def signed(value: float | None) -> str:
    """A change with its sign, three digits, a true minus; a dash for none."""
    if value is None:
        return _DASH
    text = f"{value:+.3f}".replace("-", "\u2212")
    return "0.000" if text[1:] == "0.000" else text


def mean_shown(name: str, value: float | None, least: float | None = None) -> str:
    """A mean: of ratings to two digits, and never so that it looks equal to what it misses."""
    if value is None:
        return _DASH
    is_rating = CATALOGUE[name].is_whole
    return f"{value:.2f}" if is_rating and least is None else shown(name, value, least)


def difference_lines(comparison: Comparison) -> Iterator[DifferenceLine]:
    """The differences of a comparison as text, and as a drawing on one scale for each number."""
    for d in comparison.differences:
        has_interval = d.low is not None and d.high is not None
        yield DifferenceLine(
            difference=d,
            old=mean_shown(d.name, d.old),
            new=mean_shown(d.name, d.new),
            change=signed(d.change),
            interval=f"{signed(d.low)} to {signed(d.high)}" if has_interval else _DASH,
            p=_p_value(d.p),
            detectable="none could be seen" if d.detectable is None else f"{d.detectable:.3f}",
            whisker=_whisker(d, comparison.differences),
        )


def _p_value(p: float | None) -> str:
    if p is None:
        return _DASH
    return f"< {_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.3f}"


def _whisker(difference: Difference, beside: Sequence[Difference]) -> Whisker:
    """All numbers as shares of their range, on one scale that holds every interval."""

    def share(d: Difference, value: float | None) -> float:
        return (d.change if value is None else value) / (
            CATALOGUE[d.name].high - CATALOGUE[d.name].low
        )

    reach = max(abs(share(d, value)) for d in beside for value in (d.change, d.low, d.high))

    def place(value: float | None) -> float:
        return round(_MIDDLE + _REACH * share(difference, value) / (reach or 1.0), 2)

    return Whisker(
        zero=_MIDDLE,
        at=place(difference.change),
        low=place(difference.low),
        high=place(difference.high),
    )
