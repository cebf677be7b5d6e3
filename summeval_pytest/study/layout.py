"""Tables of text: rows of cells, in panels that fit a width."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from summeval_pytest.text.printing import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


WIDTH: Final = 100
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


def table_lines(table: Table, width: int = WIDTH, *, is_coloured: bool = False) -> Iterator[str]:
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
