"""Tables of text in a given width: columns that do not fit go on in a further table below.

Whatever stands in a cell is text, never markup, and cannot command a terminal.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

GAP: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One analysis as a table.

    Attributes:
        title: What it is.
        head: The columns' names; a line break is a line of its own.
        rows: A cell a column; a line break is a line of its own.
        n_names: So many columns from the left name the row, and are repeated in further tables.
        notes: What a reader has to know.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_names: int = 1
    notes: tuple[str, ...] = ()


def section_lines(section: Section, *, width: int, colour: bool) -> Iterator[str]:
    """The section in lines of at most ``width`` characters, as far as a single column is not wider.

    Args:
        section: The section.
        width: So many characters fit on a line.
        colour: Whether the lines may hold the escape sequences of a terminal.
    """
    from rich.text import Text

    console = _console(width, colour=colour)
    console.print(Text(safe(section.title), style="bold"))
    for place, columns in enumerate(_panels(section, width)):
        if place:
            console.print()
        console.print(_table(section, columns))
    for note in section.notes:
        console.print(Text(safe(note), style="dim"))
    stream = console.file
    assert isinstance(stream, StringIO)
    yield from (line.rstrip() for line in stream.getvalue().splitlines())


def _console(width: int, *, colour: bool) -> Console:
    """A console that writes nowhere and looks at no environment."""
    from rich.console import Console

    return Console(
        file=StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )


def _table(section: Section, columns: Sequence[int]) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for column in columns:
        is_name = column < section.n_names
        table.add_column(
            Text(safe(section.head[column])),
            justify="left" if is_name else "right",
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in section.rows:
        table.add_row(*(Text(safe(row[column])) for column in columns))
    return table


def _panels(section: Section, width: int) -> Iterator[list[int]]:
    """The columns of each table: as many as fit beside those that name the rows."""
    widths = [_widest(section, column) + GAP for column in range(len(section.head))]
    names = list(range(section.n_names))
    room = width + GAP - sum(widths[: section.n_names])
    panel: list[int] = []
    taken = 0
    for column in range(section.n_names, len(section.head)):
        if panel and taken + widths[column] > room:
            yield [*names, *panel]
            panel, taken = [], 0
        panel.append(column)
        taken += widths[column]
    yield [*names, *panel]


def _widest(section: Section, column: int) -> int:
    from rich.cells import cell_len

    cells = [section.head[column], *(row[column] for row in section.rows)]
    return max(cell_len(line) for cell in cells for line in safe(cell).split("\n"))
