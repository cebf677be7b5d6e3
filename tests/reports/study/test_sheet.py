from __future__ import annotations

import pytest
from rich.cells import cell_len

from summeval_pytest.reports.study_tables import Section, section_lines

SECTION = Section(
    title="Bricks",
    head=("kiln", "strong\n[b]", "weak", "odd"),
    rows=(("one", "1.0\n[.9, 1.1]", "2.0", "3.0"), ("two", "4.0", "5.0\n3 of 4", "6.0")),
    notes=("A note that is long enough to be broken where it does not fit.",),
)


def told(width: int, section: Section = SECTION, *, colour: bool = False) -> list[str]:
    """The lines."""
    return list(section_lines(section, width=width, colour=colour))


def test_a_table_that_fits_is_one() -> None:
    """Worked example, to the character; markup is text."""
    assert told(40) == [
        "Bricks",
        "         strong",
        "kiln        [b]    weak  odd",
        "one         1.0     2.0  3.0",
        "      [.9, 1.1]",
        "two         4.0     5.0  6.0",
        "                 3 of 4",
        "A note that is long enough to be broken",
        "where it does not fit.",
    ]


def test_columns_that_do_not_fit_go_on_below_beside_the_names() -> None:
    """Nothing is cut, and every table says which row is which."""
    assert told(24)[:10] == [
        "Bricks",
        "         strong",
        "kiln        [b]    weak",
        "one         1.0     2.0",
        "      [.9, 1.1]",
        "two         4.0     5.0",
        "                 3 of 4",
        "",
        "kiln  odd",
        "one   3.0",
    ]


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_no_line_is_longer_than_asked(width: int) -> None:
    """Forty columns, some of them in characters of double width."""
    head = ("system", *(f"number {n}" for n in range(40)))
    row = ("\u6f22\u5b57", *("0.931 (1)\n[.90, .96]" for _ in range(40)))
    lines = told(width, Section(title="x" * 300, head=head, rows=(row,)))
    assert max(map(cell_len, lines)) <= width


def test_text_commands_nothing() -> None:
    """Neither markup, nor emoji names, nor escape sequences, nor a runner's commands."""
    hostile = "[red]x[/red] :smile: \x1b[31m [link=http://x]y[/link]"
    section = Section(title=hostile, head=(hostile,), rows=((hostile,),), notes=("::error::x",))
    text = "\n".join(told(100, section))
    assert text.count("[red]x[/red] :smile: \\x1b[31m [link=http://x]y[/link]") == 3
    assert "\x1b" not in text
    assert "\\x3a:error" in text


def test_colour_is_for_terminals() -> None:
    """A file gets none, whatever the environment says; a terminal gets bold heads."""
    assert "\x1b" not in "".join(told(40))
    assert "\x1b[1mBricks\x1b[0m" in told(40, colour=True)[0]


def test_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table in a file is the same on a build server that forces colour."""
    plain = told(40)
    for name, value in (("FORCE_COLOR", "1"), ("COLUMNS", "20"), ("TERM", "xterm-256color")):
        monkeypatch.setenv(name, value)
    assert told(40) == plain
