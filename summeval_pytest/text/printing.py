"""Foreign text made safe to print.

A terminal obeys escape sequences, a GitHub runner obeys lines that begin with ``::`` and any
``##[``. Papers, summaries and judges' replies are printed through here and nowhere else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from textwrap import wrap
from typing import Final

_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_WIDTH: Final = 80
HALF: Final = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair, which no UTF-8 file can hold."""
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_OLD_COMMAND = re.compile(r"##(?=\w*\[)")


class _Table(dict[int, str]):
    """What each character prints as, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        visible = chr(code)
        if visible == "\t":
            visible = " "
        elif visible != "\n" and unicodedata.category(visible) in _HIDDEN:
            visible = visible.encode("unicode_escape").decode()
        return self.setdefault(code, visible)


_TABLE: Final = _Table()


def safe(text: str) -> str:
    r"""The text with every invisible or commanding character made visible, line breaks kept.

    >>> safe("a\x1b[31mb\n::error::x")
    'a\\x1b[31mb\n\\x3a:error::x'
    """
    text = text.translate(_TABLE)
    text = _COMMAND.sub(r"\1\\x3a", text)
    return _OLD_COMMAND.sub(r"#\\x23", text)


def safe_lines(text: str, *, indent: int = 2) -> Iterator[str]:
    """The text in lines of at most 80 characters; a line that a break begins is safe, too."""
    lines = wrap(text, _WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)
    yield from map(safe, lines)


def raised(error: BaseException) -> str:
    """An error's type and message, on one line."""
    return one_line(f"{type(error).__name__}: {error}")


def one_line(text: str, width: int = 240) -> str:
    """The text on one line of at most ``width`` characters, safe to print, cut with an ellipsis."""
    # No character becomes shorter: of a megabyte, what lies beyond the width need not be read.
    words = text.split(None, width + 1)[: width + 1]
    line = safe(" ".join(words)[: width + 1])
    return line if len(line) <= width else line[: width - 1].rstrip() + "\u2026"
