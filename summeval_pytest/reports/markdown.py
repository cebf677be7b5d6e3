r"""Other people's text in Markdown: it stands in code spans, where nothing in it means anything.

Escapes are not enough: GitHub looks for mentions, issues, commits and addresses in the page that it
has made, where every escape is undone. It does not look in code, and in a code span no character
but the backtick, and in a table the pipe, has a meaning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")
_TICKS: Final = re.compile("`+")
NOTHING: Final = "(nothing)"


def code(text: str, width: int = 240) -> str:
    r"""The text as a code span of one line, at most ``width`` characters of it.

    Its fence is longer than any run of backticks inside. Not for tables, see `cell`.

    >>> code("a `b` [c](d)")
    '`` a `b` [c](d) ``'
    """
    line = one_line(text, width)
    if not line:
        return NOTHING
    longest = max(map(len, _TICKS.findall(line)), default=0)
    if longest == 0:
        return f"`{line}`"
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}"


def cell(text: str, width: int = 80) -> str:
    r"""The text as a code span for a table, where a pipe would end the cell.

    >>> cell("a|b")
    '`a\\|b`'
    """
    return code(text, width).replace("|", r"\|")


def row(cells: Iterable[str]) -> str:
    """One row of a table, of cells that are Markdown already."""
    return f"| {' | '.join(cells)} |"


def head(names: Sequence[str], *, n_words: int = 1) -> str:
    """The head of a table; all columns but the first ``n_words`` are numbers."""
    rules = ["---" if place < n_words else "---:" for place in range(len(names))]
    return f"{row(names)}\n{row(rules)}"


def fitting(items: Sequence[T], shown: Callable[[T], str], *, room: int) -> Iterator[str]:
    """As many of the items as fit into ``room`` bytes of UTF-8, each shown as a whole.

    Args:
        items: The items, the most important first.
        shown: Makes the Markdown of one.
        room: Bytes for all of them, each with a line break.
    """
    for item in items:
        text = shown(item)
        room -= len(text.encode()) + 1
        if room < 0:
            return
        yield text


def section(
    title: str,
    items: Sequence[T],
    shown: Callable[[T], str],
    *,
    room: int,
    table: str = "",
) -> Iterator[str]:
    """A heading and the items that fit, then how many more there are; nothing without items.

    Args:
        title: The heading, in our own words.
        items: The items, the most important first.
        shown: Makes the Markdown of one.
        room: Bytes for all of them, as for `fitting`.
        table: The head of a table of which each item is a row; empty for none.
    """
    if not items:
        return
    yield from ("", f"## {title}", "", *([table] if table else ()))
    n_shown = 0
    for text in fitting(items, shown, room=room):
        n_shown += 1
        yield text
    if n_shown < len(items):
        yield from ("", f"{len(items) - n_shown:,} more; the other reports have them all.")
