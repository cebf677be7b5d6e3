from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from summeval_pytest.analysis.columns import Column, Mean
from summeval_pytest.reports.study_tables import (
    Section,
    column_head,
    column_told,
    interval,
    mean_cell,
    named,
    number,
    p_cell,
    percent_cell,
    section_lines,
)

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"), (0.0, "0.000"), (0.93149, "0.931"), (-1.06, "-1.060"), (12.345, "12.3"),
        (987.68, "987.7"), (12345.6, "12,346"),
    ],
)  # fmt: skip
def test_a_number_has_the_digits_that_tell_something(value: float | None, shown: str) -> None:
    """Three for a score; a dash is no 0."""
    assert number(value) == shown


def test_bounds_have_the_same_digits() -> None:
    """Or the narrower one would look more exact."""
    assert interval(0.9, 0.956) == "[.90, .96]"
    assert interval(-0.05, 1.0) == "[-.05, 1.00]"
    assert interval(6.71, 12.2) == "[6.7, 12.2]"
    assert interval(99.4, 123.4) == "[99, 123]"
    assert interval(None, None) == ""


def test_a_mean_says_what_it_does_not_cover() -> None:
    """And nothing where it covers all."""
    assert mean_cell(Mean(value=0.5, low=0.4, high=0.6, n=3, n_of=4)) == "0.500\n[.40, .60]\n3 of 4"
    assert mean_cell(Mean(value=0.5, n=1, n_of=1)) == "0.500"
    assert mean_cell(Mean(value=None, n=0, n_of=4)) == "-\n0 of 4"


def test_a_rate_is_in_per_cent() -> None:
    """Of sentences and summaries, as the papers have it."""
    assert percent_cell(Mean(value=0.053, low=0.03, high=0.08, n=4, n_of=4)) == "5.3 %\n[3, 8]"
    assert percent_cell(Mean(value=None, n=0, n_of=4)) == "-\n0 of 4"


@pytest.mark.parametrize(("p", "shown"), [(None, "-"), (0.00004, "<.0001"), (0.05, "0.0500")])
def test_a_small_p_value_is_not_zero(p: float | None, shown: str) -> None:
    """No test has a p value of 0."""
    assert p_cell(p) == shown


def test_a_long_name_keeps_both_ends() -> None:
    """Names of one suite differ at an end: versions, or the class of a judge."""
    assert named("tests.golden.oracle:IgnoresNumbers", 20) == "tests.gold\u2026esNumbers"
    assert len(named("x" * 500, 24)) == 24
    assert named("short") == "short"
    assert named(None) == "(reference)"
    assert named("a\x1b[31m\nb") == "a\\x1b[31m b"


def test_columns_of_one_name_are_told_apart() -> None:
    """A record may have the name of a metric."""
    columns = [
        Column(giver="judge", by="gpt", name="facet"),
        Column(giver="record", by="facet", name="overall"),
        Column(giver="label", name="faithfulness"),
        Column(giver="text", name="words"),
    ]
    assert [column_head(column) for column in columns] == [
        "facet\ngpt", "facet\nrecorded", "faithfulness\nlabels", "words\ntexts",
    ]  # fmt: skip
    assert column_told(columns[0]) == "facet, gpt"


SECTION = Section(
    title="Bricks",
    head=("kiln", "strong\n[b]", "weak", "odd"),
    rows=(("one", "1.0\n[.9, 1.1]", "2.0", "3.0"), ("two", "4.0", "5.0\n3 of 4", "6.0")),
    notes=("A note that is long enough to be broken where it does not fit.",),
)


def told(width: int, section: Section = SECTION, *, colour: bool = False) -> list[str]:
    """The lines."""
    return list(section_lines(section, width=width, colour=colour))


def test_a_table_that_fits_is_one(snapshot: SnapshotAssertion) -> None:
    """Worked example, to the character; markup is text."""
    assert told(40) == snapshot


def test_columns_that_do_not_fit_go_on_below_beside_the_names(snapshot: SnapshotAssertion) -> None:
    """Nothing is cut, and every table says which row is which."""
    assert told(24)[:10] == snapshot


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
