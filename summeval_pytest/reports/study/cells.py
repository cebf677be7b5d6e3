"""Numbers and names as cells: digits that tell something, intervals, how many of how many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from summeval_pytest.verdict.study.columns import Column
    from summeval_pytest.verdict.study.estimates import Mean

NAME: Final = 24
HEAD: Final = 16
"""In the head of a column, which is about as wide as its numbers."""
REFERENCE: Final = "(reference)"
"""In place of a system's name: who wrote the references."""
NONE: Final = "-"
_LONGEST: Final = 240
_SOME: Final = 10
_MANY: Final = 1000
_LEADING_ZERO = re.compile(r"\b0(?=\.)")


def named(name: str | None, width: int = NAME) -> str:
    """A system, judge or record by name, on one line; of a long one the middle is left out.

    Long names of one suite mostly differ at one of their ends.
    """
    if name is None:
        return REFERENCE
    shown = one_line(name, _LONGEST)
    if len(shown) <= width:
        return shown
    tail = (width - 1) // 2
    return f"{shown[: width - 1 - tail]}\u2026{shown[-tail:]}"


def number(value: float | None, digits: int = 3) -> str:
    """A number: so many digits under 10, two fewer from 10 on, none from 1,000; a dash for none."""
    if value is None:
        return NONE
    if abs(value) >= _MANY:
        return f"{value:,.0f}"
    fewer = 0 if abs(value) < _SOME else 2
    return f"{value:.{max(0, digits - fewer)}f}"


def interval(low: float | None, high: float | None) -> str:
    """Both bounds in brackets, of the same digits and without a zero before the point."""
    if low is None or high is None:
        return ""
    size = max(abs(low), abs(high))
    digits = sum(size < bound for bound in (_SOME, _MANY / 10))
    return _LEADING_ZERO.sub("", f"[{low:,.{digits}f}, {high:,.{digits}f}]")


def covered(mean: Mean) -> str:
    """How many of how many, where these are not all; nothing where they are."""
    return "" if mean.n == mean.n_of else f"{mean.n:,} of {mean.n_of:,}"


def stacked(*lines: str) -> str:
    """The lines of one cell, empty ones left out."""
    return "\n".join(line for line in lines if line)


def mean_cell(mean: Mean) -> str:
    """A mean over its interval, and over how many of how many where these are not all."""
    return stacked(number(mean.value), interval(mean.low, mean.high), covered(mean))


def percent_cell(mean: Mean) -> str:
    """A rate in per cent, as `mean_cell` has it."""
    if mean.value is None:
        return mean_cell(mean)
    bounds = ""
    if mean.low is not None and mean.high is not None:
        bounds = f"[{100 * mean.low:.0f}, {100 * mean.high:.0f}]"
    return stacked(f"{100 * mean.value:.1f} %", bounds, covered(mean))


def p_cell(value: float | None) -> str:
    """A p value; what is smaller than can be told is said to be."""
    if value is None:
        return NONE
    return "<.0001" if value < 0.0001 else f"{value:.4f}"  # noqa: PLR2004 - four digits are shown


def column_head(column: Column) -> str:
    """A column's name over who gives it."""
    return "\n".join(_column(column, HEAD))


def column_told(column: Column) -> str:
    """A column on one line, in full as far as names go."""
    return ", ".join(_column(column, NAME))


def _column(column: Column, width: int) -> tuple[str, str]:
    match column.giver:
        case "judge":
            return column.name, named(column.by, width)
        case "record":
            return named(column.by, width), "recorded"
        case "label":
            return column.name, "labels"
        case "text":
            return column.name, "texts"
