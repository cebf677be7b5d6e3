from __future__ import annotations

from summeval_pytest.study.tables import (
    Mean,
    Table,
    interval_text,
    mean_cell,
    named,
    number,
    p_cell,
    table_lines,
)


def test_numbers_bounds_and_p_values_have_the_digits_that_tell_something() -> None:
    """A dash is no 0, no p value is 0, and the narrower bound would look more exact."""
    values = (None, 0.0, 0.93149, -1.06, 12.345, 987.68, 12345.6)
    shown = ["-", "0.000", "0.931", "-1.060", "12.3", "987.7", "12,346"]
    assert list(map(number, values)) == shown
    assert list(map(p_cell, (None, 0.00004, 0.05))) == ["-", "<.0001", "0.0500"]
    bounds = {
        (0.9, 0.956): "[.90, .96]",
        (-0.05, 1.0): "[-.05, 1.00]",
        (6.71, 12.2): "[6.7, 12.2]",
        (99.4, 123.4): "[99, 123]",
        (None, None): "",
    }
    assert {each: interval_text(*each) for each in bounds} == bounds


def test_a_mean_says_what_it_does_not_cover() -> None:
    """And nothing where it covers all; a rate is in per cent, as the papers have it."""
    part = Mean(value=0.053, low=0.03, high=0.08, n=3, n_of=4)
    nothing = Mean(value=None, n=0, n_of=4)
    assert mean_cell(part, " (1)") == "0.053 (1)\n[.03, .08]\n3 of 4"
    assert mean_cell(part, is_percent=True) == "5.3 %\n[3, 8]\n3 of 4"
    assert mean_cell(Mean(value=0.5, n=1, n_of=1)) == "0.500"
    assert mean_cell(nothing) == mean_cell(nothing, is_percent=True) == "-\n0 of 4"


def test_a_long_name_keeps_both_ends() -> None:
    """Names of one suite differ at an end: versions, or the class of a judge."""
    assert named("tests.golden.oracle:IgnoresNumbers", 20) == "tests.gold\u2026esNumbers"
    assert len(named("x" * 500, 24)) == 24
    assert named("short") == "short"
    assert named(None) == "(reference)"
    assert named("a\x1b[31m\nb") == "a\\x1b[31m b"


TABLE = Table(
    title="Bricks",
    head=("kiln", "strong\n[b]", "weak", "odd"),
    rows=(("one", "1.0\n[.9, 1.1]", "2.0", "3.0"), ("two", "4.0", "5.0\n3 of 4", "6.0")),
    notes=("A note that is long enough to be broken.",),
)


def test_columns_that_do_not_fit_go_on_below_beside_the_names() -> None:
    """Worked examples, to the character; names are on the left, numbers on the right."""
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
    lines = list(table_lines(TABLE, 24))
    assert lines[3:5] == ["one         1.0     2.0", "      [.9, 1.1]"]
    assert lines[7:11] == ["", "kiln  odd", "one   3.0", "two   6.0"]


def test_text_commands_nothing() -> None:
    """Neither markup, nor emoji names, nor escape sequences, nor a runner's commands."""
    hostile = "[red]x[/red] :smile: \x1b[31m [link=http://x]y[/link]"
    table = Table(title=hostile, head=(hostile,), rows=((hostile,),), notes=("::error::x",))
    text = "\n".join(table_lines(table, 100))
    assert text.count("[red]x[/red] :smile: \\x1b[31m [link=http://x]y[/link]") == 3
    assert "\x1b" not in text
    assert "\\x3a:error" in text
