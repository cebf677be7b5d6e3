from __future__ import annotations

import doctest
import tracemalloc
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from summeval_pytest.reports.github import cell, code, fitting, head, row, section
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from markdown_it.token import Token

GITHUB = MarkdownIt("gfm-like")
"""CommonMark with tables, strikethrough, raw HTML and addresses as links: what GitHub reads."""
MARKS = "`|\\[]()<>!*_~#&;:@-=+.$ \n\tab1\u202e\u2028"
texts = st.text(alphabet=st.sampled_from(MARKS), max_size=30) | st.text(max_size=30)
HOSTILE = [
    "` `` ``` `",
    "`",
    "a`|`b",
    "a\\|b\\",
    "\\",
    "| --- |",
    "[x](https://evil.example)",
    "![x](https://evil.example/p.png)",
    "<script>alert(1)</script>",
    "</code></td></table><img src=x onerror=alert(1)>",
    "https://evil.example www.evil.example me@evil.example",
    "@octocat #1 0a1b2c3d :tada: ~~x~~ **x**",
    "&lt;script&gt; &#96; &#124;",
    "x\n\n# Heading\n\n- item\n\n```\n",
    "<!-- ",
    "[x]: https://evil.example",
    "$x$ $$y$$",
    "> [!CAUTION]",
]


def inline(text: str) -> list[Token]:
    """The inline tokens of a paragraph."""
    (found,) = [token for token in GITHUB.parse(text) if token.type == "inline"]
    return found.children or []


def kinds(text: str) -> list[tuple[str, str]]:
    """The kind and content of each inline token of a paragraph."""
    return [(token.type, token.content) for token in inline(text)]


def test_the_docstring_examples_hold() -> None:
    """An example that no one runs goes stale, and is believed."""
    found = doctest.testmod(import_module("summeval_pytest.reports.github"))
    assert found.failed == 0
    assert found.attempted == 2


@given(texts, st.integers(1, 40))
@example("\x00", 40)
@example("##[", 40)
def test_a_text_is_one_code_span_and_nothing_else(text: str, width: int) -> None:
    """Whatever somebody has written, between our words stands one span with just these words."""
    shown = one_line(text, width)
    expected = [("text", "- a "), ("code_inline", shown), ("text", " b")]
    if not shown:
        expected = [("text", "- a (nothing) b")]
    assert kinds(f"\\- a {code(text, width)} b") == expected


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_out_of_its_span(text: str) -> None:
    """The ways out that people have tried, each for itself."""
    assert kinds(f"a {code(text)} b") == [
        ("text", "a "),
        ("code_inline", one_line(text)),
        ("text", " b"),
    ]


@given(st.lists(texts, min_size=1, max_size=4))
@example(["a|b", "|", "\\|", "\\"])
@example(HOSTILE)
def test_a_table_has_as_many_cells_as_it_was_given(written: list[str]) -> None:
    """A pipe in a name must not push a failing number into another column."""
    columns = [f"c{number}" for number in range(len(written))]
    tokens = GITHUB.parse(f"{head(columns)}\n{row(map(cell, written))}\n")
    cells = [token for token in tokens if token.type == "inline"][len(columns) :]
    assert [[(child.type, child.content) for child in token.children or []] for token in cells] == [
        [("code_inline", one_line(text, 80))] if text.split() else [("text", "(nothing)")]
        for text in written
    ]
    assert sum(token.type == "tr_open" for token in tokens) == 2


def test_columns_of_numbers_stand_to_the_right() -> None:
    """Digits that stand under digits can be compared."""
    assert head(("system", "verdict", "facet"), n_words=2) == (
        "| system | verdict | facet |\n| --- | --- | ---: |"
    )


def test_what_reads_markdown_here_sees_what_it_is_to_find_nowhere() -> None:
    """A reader that knows no links would find none in anything."""
    wild = "[x](https://a.example) ![x](y.png) <b>x</b> ~~x~~ https://a.example"
    found = [kind for kind, _ in kinds(wild)]
    assert set(found) >= {"image", "html_inline", "s_open"}
    assert found.count("link_open") == 2


@pytest.mark.parametrize("text", ["a" * 10**6, "a " * 500_000, "\u202e" * 10**6, "`" * 10**6])
def test_a_megabyte_is_cut_before_it_is_read(text: str) -> None:
    """A report may quote a hundred such texts: of each a copy is made at most.

    The words of such a text would take 5 MB, its escapes 6 MB.
    """
    tracemalloc.start()
    try:
        assert len(code(text, 500)) < 2000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.1e6


@given(st.lists(st.text(alphabet="a\u4e2d", max_size=8)), st.integers(0, 60))
def test_as_many_items_as_fit_are_kept_whole(items: list[str], room: int) -> None:
    """Half a row is a broken table, and room that is left over hides a finding."""
    kept = list(fitting(items, str, room=room))
    sizes = [len(item.encode()) + 1 for item in items]
    assert kept == items[: len(kept)]
    assert sum(sizes[: len(kept)]) <= room
    assert len(kept) == len(items) or sum(sizes[: len(kept) + 1]) > room


def test_what_does_not_fit_is_not_even_made() -> None:
    """Of 30,000 findings, 29,000 need not be put into words."""
    made: list[int] = []

    def shown(number: int) -> str:
        made.append(number)
        return "x" * 9

    assert len(list(fitting(range(1000), shown, room=30))) == 3  # 10 bytes each
    assert made == [0, 1, 2, 3]


def test_a_section_says_how_many_more_there_are() -> None:
    """Worked example: rows of 9 bytes and a line break, room for two of three."""
    lines = section("Pairs", ["a", "b", "c"], lambda it: f"| {it * 5} |", room=20, table="T")
    assert list(lines) == [
        "",
        "## Pairs",
        "",
        "T",
        "| aaaaa |",
        "| bbbbb |",
        "",
        "1 more; the other reports have them all.",
    ]


def test_a_section_without_items_is_left_out() -> None:
    """A heading over nothing is read as a report that is broken."""
    assert list(section("Pairs", [], str, room=20)) == []
