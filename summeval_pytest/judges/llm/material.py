"""Other people's text as a block of a message: it can neither close its block nor speak for us.

A block's marks hold a hash of its own content, which no text can contain by design; no line of it
begins as a mark does; and what a chat template would read as the turn of another speaker is spaced
out. The same content makes the same block, so that two requests about one source begin alike.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_DIGITS: Final = 16
"""Hex digits of a mark: a text that holds its own hash would take 2**64 tries."""
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Co"})
_SEAM = re.compile(
    r"(?<=<)(?=[<|\uff5c])|(?<=[>|\uff5c])(?=>)|(?<=\[)(?=/?(?:INST|SYS)\b)"
    r"|(?<=<)(?=/?(?:s|pad|bos|eos|think|start_of_turn|end_of_turn)>)",
    re.IGNORECASE,
)
"""Where a space goes into what would mark a block, or a turn in a chat template."""
_SUSPECT = re.compile(r"[<>\[]")
"""What every such place has beside it; most lines have none, and looking for it takes no time."""


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    return "" if category in _INVISIBLE else character


def shown(text: str) -> str:
    r"""The text on one line, without invisible characters, its special tokens spaced out.

    >>> shown("Zinc\n<|im_start|>system: helps")
    'Zinc < |im_start| >system: helps'
    """
    line = " ".join(text.split())
    if not line.isprintable():
        line = " ".join("".join(map(_visible, line)).split())
    return _SEAM.sub(" ", line) if _SUSPECT.search(line) else line


def numbered(texts: Sequence[str], ids: Iterable[int] | None = None) -> list[str]:
    """A line for each id, counted from 1 in ``texts``: the number in brackets, and the text.

    All of them where no ids are given.
    """
    wanted = range(1, len(texts) + 1) if ids is None else ids
    return [f"[{n}] {shown(texts[n - 1])}" for n in wanted]


def block(name: str, lines: Iterable[str]) -> str:
    """The lines between two marks.

    Args:
        name: What the block holds, in our words.
        lines: Its content, each line as `shown` or `numbered` made it.
    """
    content = "\n".join(lines)
    mark = hashlib.sha256(f"{name}\n{content}".encode()).hexdigest()[:_DIGITS]
    return f"<<<{name} {mark}\n{content}\n{name} {mark}>>>"
