from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from summeval_pytest.study.layout import Table, table_lines

TABLE = Table(
    title="Bricks",
    head=("kiln", "strong\n[b]", "weak", "odd"),
    rows=(("one", "1.0\n[.9, 1.1]", "2.0", "3.0"), ("two", "4.0", "5.0\n3 of 4", "6.0")),
    notes=("A note that is long enough to be broken.",),
)


def test_a_table_that_fits_is_one() -> None:
    """Worked example, to the character; names are on the left, numbers on the right."""
    assert list(table_lines(TABLE, 40)) == [
        "Bricks",
        "         strong",
        "kiln        [b]    weak  odd",
        "one         1.0     2.0  3.0",
        "      [.9, 1.1]",
        "two         4.0     5.0  6.0",
        "                 3 of 4",
        "A note that is long enough to be broken.",
    ]


def test_columns_that_do_not_fit_go_on_below_beside_the_names() -> None:
    """Nothing is cut, and every panel says which row is which."""
    lines = list(table_lines(TABLE, 24))
    assert lines[1:8] == [
        "         strong",
        "kiln        [b]    weak",
        "one         1.0     2.0",
        "      [.9, 1.1]",
        "two         4.0     5.0",
        "                 3 of 4",
        "",
    ]
    assert lines[8:11] == ["kiln  odd", "one   3.0", "two   6.0"]


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_line_is_longer_than_asked(width: int) -> None:
    """Forty columns, some of them in characters of double width."""
    head = ("system", *(f"number {n}" for n in range(40)))
    row = ("\u6f22\u5b57", *("0.931 (1)\n[.90, .96]" for _ in range(40)))
    lines = list(table_lines(Table(title="x" * 300, head=head, rows=(row,)), width))
    assert max(map(cell_len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)


def test_text_commands_nothing() -> None:
    """Neither markup, nor emoji names, nor escape sequences, nor a runner's commands."""
    hostile = "[red]x[/red] :smile: \x1b[31m [link=http://x]y[/link]"
    table = Table(title=hostile, head=(hostile,), rows=((hostile,),), notes=("::error::x",))
    text = "\n".join(table_lines(table, 100))
    assert text.count("[red]x[/red] :smile: \\x1b[31m [link=http://x]y[/link]") == 3
    assert "\x1b" not in text
    assert "\\x3a:error" in text


def test_colour_is_for_terminals() -> None:
    """A file gets none; a terminal gets bold heads and dim notes."""
    assert "\x1b" not in "".join(table_lines(TABLE))
    lines = list(table_lines(replace(TABLE, rows=()), is_coloured=True))
    assert lines[0] == "\x1b[1mBricks\x1b[0m"
    assert lines[-1].startswith("\x1b[2mA note")
