from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.printing import one_line, safe

HOSTILE = ":#[] \n\r\t\x0b\x0c\x1b\x85\u00a0\u200b\u2003\u2028\u2029\u202e\ue000\U000e0001a%"
texts = st.text(alphabet=st.sampled_from(HOSTILE)) | st.text()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("over\rwritten", r"over\rwritten"),
        ("\x9b2J", r"\x9b2J"),
        ("\u202etxet", r"\u202etxet"),
        ("zi\u200bnc", r"zi\u200bnc"),
        ("a\u2028b", r"a\u2028b"),
        ("\ue000", r"\ue000"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud83d", r"\ud83d"),
        ("\x00\x7f", r"\x00\x7f"),
        ("a\tb", "a b"),
        # A summary must not be able to hide, mask or fake a line of the log.
        ("::error::no", r"\x3a:error::no"),
        ("fine\n::stop-commands::x", "fine\n" + r"\x3a:stop-commands::x"),
        (" \t::set-env name=A::b", r"  \x3a:set-env name=A::b"),
        ("\n\n::add-mask::a", "\n\n" + r"\x3a:add-mask::a"),
        (":::", r"\x3a::"),
        ("##[error]no", r"#\x23[error]no"),
        ("a ###[group]", r"a ##\x23[group]"),
    ],
)
def test_a_hidden_character_is_shown_and_a_command_disarmed(text: str, printed: str) -> None:
    """A terminal or a runner would obey it; a reader should see that it was there."""
    assert safe(text) == printed


@given(texts)
def test_safe_is_idempotent_and_keeps_the_lines(text: str) -> None:
    """Text that passes through two reports reads the same in both."""
    assert safe(safe(text)) == safe(text)
    assert safe(text).count("\n") == text.count("\n")


def test_one_line_joins_lines_and_marks_the_cut() -> None:
    """The ellipsis counts: nobody should take a cut text for a whole one."""
    assert one_line(" zinc\n helps\tmice ") == "zinc helps mice"
    assert one_line("zinc helps", 10) == "zinc helps"
    assert one_line("zinc helps", 9) == "zinc hel\u2026"
    assert one_line("zinc helps", 6) == "zinc\u2026"
    assert one_line("z" * 240) == "z" * 240
    assert one_line("z" * 241) == "z" * 239 + "\u2026"


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
    assert not {unicodedata.category(c) for c in harmless if c != "\n"} & {"Cc", "Cf", "Zl", "Zp"}


@given(st.lists(st.sampled_from(["##", "a", "[", " ", "::"])).map("".join), st.integers(1, 9))
def test_a_cut_line_holds_no_command(text: str, width: int) -> None:
    """The cut must not undo what disarms a command."""
    assert "##[" not in one_line(text, width)
    assert not one_line(text, width).startswith("::")
