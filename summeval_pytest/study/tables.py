"""Rows to text: every table of the study is rows of dicts, and columns that say how to show them.

A figure is an `Estimate` (on one line) or a `Mean` over papers (over its interval and its papers).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import Any, Final, NamedTuple, TypeAlias

from summeval_pytest.text.printing import one_line, safe

Row: TypeAlias = dict[str, Any]
"""A line of a JSON file, by key: names, counts, estimates and means."""
Cells = Mapping[str, str | Callable[[Row], object]]
"""By the head of a column, the key of its value, or what makes its cell or value of a row."""

SEED: Final = 20241
RESAMPLES: Final = 1000
"""Resamples of papers behind every interval of a study."""
NAME: Final = 25
WIDE: Final = 18
"""The width of an estimate, and of its head, which stands above the value."""
_NAMES: Final = ("column", "judge", "by", "system")
_LONGEST: Final = 240
_SOME: Final = 10
_MANY: Final = 1000
_LEADING_ZERO: Final = re.compile(r"\b0(?=\.)")


class Estimate(NamedTuple):
    """A value with its 95 % interval over papers; None where it is undefined."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean or a rate; None where nothing has a value.

    ``low`` and ``high`` bound the 95 % interval over papers, None with fewer than two groups. ``n``
    of ``n_of`` papers have a value.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int
    n_of: int


def table_of(title: str, rows: Sequence[Row], cells: Cells, *notes: str, n_names: int = 1) -> Table:
    """The rows under the heads of these cells; the head of an estimate stands above its value."""
    heads, columns = [], []
    for head, key in cells.items():
        values = [key(row) if callable(key) else _value(row, key) for row in rows]
        is_wide = any(isinstance(value, Estimate) for value in values)
        heads.append(f"{head:<{WIDE}}" if is_wide else head)
        columns.append([_cell(value, is_wide=is_wide) for value in values])
    lines = [*zip(*columns, strict=True)]
    return Table(title=title, head=tuple(heads), rows=lines, n_names=n_names, notes=notes)


def _value(row: Row, path: str) -> object:
    """The value of a key; ``means/fact`` is a key within a key, and who is named is shortened."""
    value: Any = row
    for key in path.split("/"):
        value = value.get(key)
    return named(value) if path in _NAMES else value


def _cell(value: Any, *, is_wide: bool) -> str:
    match value:
        case str():
            return value
        case Estimate():
            return estimate_cell(value)
        case Mean():
            return mean_cell(value)
        case int():
            return f"{value:>6,}{'':12}" if is_wide else f"{value:,}"
    return number(value)


def named(name: str | None, width: int = NAME) -> str:
    """A system, judge or column by name, on one line; of a long one the middle is left out.

    Long names of one suite mostly differ at one of their ends. None wrote the references.
    """
    text = "(reference)" if name is None else one_line(name, _LONGEST)
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}\u2026{text[-tail:]}"


def number(value: float | None, digits: int = 3) -> str:
    """A number: so many digits under 10, two fewer from 10 on, none from 1,000; a dash for none."""
    if value is None:
        return "-"
    if abs(value) >= _MANY:
        return f"{value:,.0f}"
    fewer = 0 if abs(value) < _SOME else 2
    return f"{value:.{max(0, digits - fewer)}f}"


def short(value: float | None, digits: int = 2) -> str:
    """A number without the zero before its point; a dash for none."""
    return "-" if value is None else _LEADING_ZERO.sub("", f"{value:.{digits}f}")


def estimate_cell(estimate: Estimate) -> str:
    """A value with its interval, as wide without: ``-0.123 [-.50, .25]``."""
    cell = f"{number(estimate.value):>6}"
    if estimate.value is not None and estimate.low is not None and estimate.high is not None:
        cell += f" [{short(estimate.low):>4},{short(estimate.high):>4}]"
    return f"{cell:<{WIDE}}"


def interval_text(low: float | None, high: float | None) -> str:
    """Both bounds in brackets, of the same digits and without a zero before the point."""
    if low is None or high is None:
        return ""
    size = max(abs(low), abs(high))
    digits = sum(size < bound for bound in (_SOME, _MANY / 10))
    return _LEADING_ZERO.sub("", f"[{low:,.{digits}f}, {high:,.{digits}f}]")


def mean_cell(mean: Mean, mark: str = "", *, is_percent: bool = False) -> str:
    """A mean over its interval, and over how many of how many where these are not all."""
    first, bounds = number(mean.value), interval_text(mean.low, mean.high)
    if is_percent and mean.value is not None:
        first = f"{100 * mean.value:.1f} %"
        if mean.low is not None and mean.high is not None:
            bounds = f"[{100 * mean.low:.0f}, {100 * mean.high:.0f}]"
    covered = "" if mean.n == mean.n_of else f"{mean.n:,} of {mean.n_of:,}"
    return "\n".join(line for line in (first + mark, bounds, covered) if line)


def p_cell(value: float | None) -> str:
    """A p value, which is never shown as 0."""
    if value is None:
        return "-"
    return "<.0001" if value < 0.0001 else f"{value:.4f}"  # noqa: PLR2004 - four digits are shown


LINE: Final = 100
"""The width of a table."""
_GAP: Final = "  "
_BOLD: Final = "\x1b[1m{}\x1b[0m"
_DIM: Final = "\x1b[2m{}\x1b[0m"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells under a head; a line break in a cell is a line of its own.

    The first ``n_names`` columns name the row: they are left-aligned, and repeated where the other
    columns do not fit beside each other and go on below.
    """

    title: str = ""
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    n_names: int = 1
    notes: tuple[str, ...] = ()


def table_lines(table: Table, width: int = LINE, *, is_coloured: bool = False) -> Iterator[str]:
    """The table in lines of at most ``width`` characters, unless one column is wider.

    Cells may hold foreign text. ``is_coloured`` is for a terminal: bold heads, dim notes.
    """
    bold, dim = (_BOLD, _DIM) if is_coloured else ("{}", "{}")
    yield from map(bold.format, _wrapped(table.title, width))
    cells = [[safe(cell).split("\n") for cell in row] for row in (table.head, *table.rows)]
    widths = [max(_width(line) for row in cells for line in row[n]) for n in range(len(cells[0]))]
    for place, columns in enumerate(_panels(widths, table.n_names, width)):
        if place:
            yield ""
        head, *rows = ([row[column] for column in columns] for row in cells)
        tallest = max(map(len, head))  # a head stands on its column
        raised = [[""] * (tallest - len(lines)) + lines for lines in head]
        for row in (raised, *rows):
            for line in zip_longest(*row, fillvalue=""):
                padded = (
                    _padded(text, widths[column], is_name=column < table.n_names)
                    for text, column in zip(line, columns, strict=True)
                )
                text = _GAP.join(padded).rstrip()
                yield bold.format(text) if row is raised else text
    for note in table.notes:
        yield from map(dim.format, _wrapped(note, width))


def _wrapped(text: str, width: int) -> list[str]:
    return wrap(safe(text), width, break_on_hyphens=False)


def _panels(widths: Sequence[int], n_names: int, width: int) -> Iterator[list[int]]:
    """The columns of each panel: as many as fit beside those that name the rows."""
    names = list(range(n_names))
    room = width - sum(widths[:n_names]) - len(_GAP) * n_names
    panel: list[int] = []
    taken = 0
    for column in range(n_names, len(widths)):
        if panel and taken + widths[column] > room:
            yield [*names, *panel]
            panel, taken = [], 0
        panel.append(column)
        taken += widths[column] + len(_GAP)
    yield [*names, *panel]


def _width(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _padded(text: str, width: int, *, is_name: bool) -> str:
    blanks = " " * (width - _width(text))
    return text + blanks if is_name else blanks + text
