"""Markdown that no text of others can break out of: code spans, cells, tables, sections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from summeval_pytest.text.printing import one_line

NOTHING: Final = "(nothing)"
_TICKS: Final = re.compile("`+")
T = TypeVar("T")


class Markdown(str):
    """Text that is Markdown already, by the protocol of Jinja."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def finalize(value: object) -> object:
    """Make a code span of all that is neither a number nor Markdown."""
    from jinja2 import Undefined

    is_safe = isinstance(value, int | Undefined) or hasattr(value, "__html__")
    return value if is_safe else code(value)


def code(text: object, width: int = 240) -> Markdown:
    r"""The text as a code span of one line, at most ``width`` characters of it.

    Its fence is longer than any run of backticks inside. Not for tables, see `cell`.

    >>> print(code("a `b` [c](d)"))
    `` a `b` [c](d) ``
    """
    line = one_line(str(text), width)
    longest = max(map(len, _TICKS.findall(line)), default=0)
    fence = "`" * (longest + 1)
    inner = f" {line} " if longest else line
    return Markdown(f"{fence}{inner}{fence}" if line else NOTHING)


def cell(text: object, width: int = 80) -> Markdown:
    r"""The text as a code span for a table, where a pipe would end the cell.

    >>> print(cell("a|b"))
    `a\|b`
    """
    return Markdown(str(code(text, width)).replace("|", r"\|"))


def n(value: float | None, how: str = ",") -> Markdown:
    """A number; nothing for None."""
    return Markdown("" if value is None else format(value, how))


def fitting(items: Iterable[T], show: Callable[[T], str], room: int) -> list[Markdown]:
    """As many items as fit into ``room`` bytes of UTF-8, each whole and with a line break."""
    fit: list[Markdown] = []
    for item in items:
        text = Markdown(show(item).removesuffix("\n"))
        room -= len(text.encode()) + 1
        if room < 0:
            break
        fit.append(text)
    return fit


def head(names: Sequence[str], n_words: int = 1) -> Markdown:
    """The head of a table; all columns but the first ``n_words`` are numbers."""
    rules = ["---" if place < n_words else "---:" for place in range(len(names))]
    rows = (f"| {' | '.join(cells)} |" for cells in (names, rules))
    return Markdown("\n".join(rows))


def section(
    title: str, items: Sequence[T], show: Callable[[T], str], room: int, table: str = ""
) -> Markdown:
    """A heading and the items that fit, then how many more there are; nothing without items.

    ``table`` is the head of a table of which each item is a row.
    """
    lines = ["", f"## {title}", "", *([table] if table else ())]
    fit = fitting(items, show, room)
    lines += fit
    if len(fit) < len(items):
        lines += ["", f"{len(items) - len(fit):,} more; the other reports have them all."]
    return Markdown("".join(f"{line}\n" for line in lines) if items else "")
