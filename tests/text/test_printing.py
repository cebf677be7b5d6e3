from __future__ import annotations

import doctest
import re
import unicodedata
from importlib import import_module

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from summeval_pytest.text.printing import one_line, safe

HOSTILE = ":#[] \n\r\t\x0b\x0c\x1b\x85\u00a0\u200b\u2003\u2028\u2029\u202e\ue000\U000e0001a%"
texts = st.text(alphabet=st.sampled_from(HOSTILE)) | st.text()
HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def test_the_docstring_examples_hold() -> None:
    """An example that no one runs goes stale, and is believed."""
    assert doctest.testmod(import_module("summeval_pytest.text.printing")) == (0, 1)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("over\rwritten", r"over\x0dwritten"),
        ("\x9b2J", r"\x9b2J"),
        ("\u202etxet", r"\u202etxet"),
        ("zi\u200bnc", r"zi\u200bnc"),
        ("a\u2028b", r"a\u2028b"),
        ("\ue000", r"\ue000"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud83d", r"\ud83d"),
        ("\x00\x7f", r"\x00\x7f"),
        ("a\tb", "a b"),
    ],
)
def test_a_hidden_character_is_shown_by_its_code(text: str, shown: str) -> None:
    """A terminal would obey it; a reader should see that it was there."""
    assert safe(text) == shown


@pytest.mark.parametrize(
    "text", ["a\nb", "\u03b2-cells, 5 \u00b5g \u2265 4 \u00b0C", "\u4e2d\u6587", "x :: y", "## [1]"]
)
def test_what_can_be_read_stays(text: str) -> None:
    """Greek letters, units and line breaks are the paper's words."""
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::no", r"\x3a:error::no"),
        ("fine\n::stop-commands::x", "fine\n" + r"\x3a:stop-commands::x"),
        (" \t::set-env name=A::b", r"  \x3a:set-env name=A::b"),
        ("\n\n::add-mask::a", "\n\n" + r"\x3a:add-mask::a"),
        (":::", r"\x3a::"),
        ("##[error]no", r"#\x23[error]no"),
        ("a ###[group]", r"a ##\x23[group]"),
    ],
)
def test_a_workflow_command_is_disarmed(text: str, shown: str) -> None:
    """A summary must not be able to hide, mask or fake a line of the log."""
    assert safe(text) == shown


@given(texts)
@example("\u00a0::x")
@example("\r::x")
def test_safe_text_hides_and_commands_nothing(text: str) -> None:
    """Whatever a model writes, the log holds only what can be seen."""
    printed = safe(text)
    assert not any(unicodedata.category(c) in HIDDEN for c in printed if c != "\n")
    assert not any(line.lstrip().startswith("::") for line in printed.split("\n"))
    assert "##[" not in printed
    assert printed.encode("utf-8").decode("utf-8") == printed


@given(texts)
def test_safe_is_idempotent_and_keeps_the_lines(text: str) -> None:
    """Text that passes through two reports reads the same in both."""
    assert safe(safe(text)) == safe(text)
    assert safe(text).count("\n") == text.count("\n")


@given(texts, st.integers(1, 30))
def test_one_line_is_one_short_safe_line(text: str, width: int) -> None:
    """A finding quotes a text in one row of the terminal."""
    line = one_line(text, width)
    assert len(line) <= width
    assert "\n" not in line
    assert not any(unicodedata.category(c) in HIDDEN for c in line)
    assert not line.lstrip().startswith("::")
    assert "##[" not in line


def test_one_line_joins_lines_and_marks_the_cut() -> None:
    """The ellipsis counts: nobody should take a cut text for a whole one."""
    assert one_line(" zinc\n helps\tmice ") == "zinc helps mice"
    assert one_line("zinc helps", 10) == "zinc helps"
    assert one_line("zinc helps", 9) == "zinc hel\u2026"
    assert one_line("zinc helps", 6) == "zinc\u2026"
    assert one_line("z" * 240) == "z" * 240
    assert one_line("z" * 241) == "z" * 239 + "\u2026"


def test_one_line_escapes_before_it_measures() -> None:
    """An escape is longer than what it stands for, and the width is the reader's."""
    # "a" + "\x1b" shown in 4 characters + "b" = 6
    assert one_line("a\x1bb", 6) == r"a\x1bb"
    assert one_line("a\x1bb", 5) == r"a\x1" + "\u2026"


@pytest.mark.parametrize("hostile", ["\n", " ", "\n ", "::"])
def test_hostile_text_hangs_no_report(hostile: str) -> None:
    """Of a million characters: were the time to grow with their square, this would take hours."""
    assert safe(f"{hostile * (10**6 // len(hostile))}end").endswith("end")


RUNNER_LINE_ENDS = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")


@given(texts)
def test_safe_text_has_no_command_wherever_a_line_begins(text: str) -> None:
    """A runner trims white space, and readers disagree on what ends a line: all of it counts."""
    harmless = safe(text)

    assert not any(line.strip().startswith("::") for line in RUNNER_LINE_ENDS.split(harmless))
    assert not re.search(r"##\w*\[", harmless)


@given(texts, st.integers(1, 12))
@example("aaaa bbbb", 4)
@example(" a  b c d e f", 3)
def test_a_line_is_cut_as_if_the_whole_text_had_been_read(text: str, width: int) -> None:
    """Of a megabyte the end is not read, and a reader must not be able to tell."""
    text = text.replace("##", "#")  # whether "##" is a command is decided by what follows, cut off
    whole = safe(" ".join(text.split()))
    expected = whole if len(whole) <= width else whole[: width - 1].rstrip() + "\u2026"

    assert one_line(text, width) == expected


@given(st.lists(st.sampled_from(["##", "a", "[", " ", "::"])).map("".join), st.integers(1, 9))
def test_a_cut_line_holds_no_command(text: str, width: int) -> None:
    """The cut must not undo what disarms a command."""
    assert "##[" not in one_line(text, width)
    assert not one_line(text, width).startswith("::")
