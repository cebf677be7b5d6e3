"""Other people's text as a page shows it: nothing hidden in it, and never endless."""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from summeval_pytest.text import safe

if TYPE_CHECKING:
    from collections.abc import Sequence

QUOTE: Final = 2_000
"""The longest quotation, in characters, as in the text of a failing test."""
WHOLE: Final = 20_000
"""The longest reference or summary; a longer one is cut, and says so."""
_LAST_BASIC: Final = "\uffff"

_character = cache(safe)


def visible(text: str) -> str:
    r"""The text with every invisible character written out, line breaks kept.

    Character by character, so that a place in the text can be followed into what is shown.

    >>> visible("a\u202eb")
    'a\\u202eb'
    """
    return text if text.isprintable() else "".join(map(_character, text))


def cut(text: str, most: int = QUOTE) -> str:
    """The text, or its beginning and a note of how long it is."""
    if len(text) <= most:
        return text
    return f"{text[:most].rstrip()} \u2026 [cut here: {len(text):,} characters in all]"


def places_shown(text: str) -> Sequence[int]:
    """For each place in a text, its end included, the place in what `visible` makes of it.

    Counted in UTF-16 units, as a browser counts.
    """
    if text.isprintable() and (text.isascii() or max(text) <= _LAST_BASIC):
        return range(len(text) + 1)
    lengths = (len(_character(c).encode("utf-16-le")) // 2 for c in text)
    return tuple(accumulate(lengths, initial=0))
