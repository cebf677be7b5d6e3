"""A JSON object as one line of text that hides nothing from who reads it in a diff."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Final, NoReturn

from summeval_pytest.text import check_depth

if TYPE_CHECKING:
    from collections.abc import Mapping

HIDDEN: Final = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff"
    "\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f"
    "\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\U000110bd\\U000110cd"
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a"
    "\\U000e0001\\U000e0020-\\U000e007f]"
)
"""One character that is written as an escape: control, format (bidirectional marks among them),
line separator or half a surrogate pair. Written out, and not asked of `unicodedata`, so that every
Python writes the same bytes."""

_SHOWN: Final = 40


def write_line(values: Mapping[str, object]) -> str:
    """The object as one line without its line end, keys sorted, hidden characters escaped.

    Two halves of a surrogate pair that stand side by side come back as the one character they make.

    Raises:
        ValueError: For NaN and infinity.
        TypeError: For what is no JSON value.
    """
    text = json.dumps(dict(values), ensure_ascii=False, sort_keys=True, allow_nan=False)
    return HIDDEN.sub(_escaped, text)


def read_line(text: str) -> dict[str, object]:
    """The object that a line without its line end holds, read without Python's leniency.

    Raises:
        ValueError: For what is no JSON object, a key that stands twice in one object, NaN and
            infinity, nesting and numbers beyond any use, and a hidden character not escaped. The
            message says which, safe to print.
    """
    if hidden := HIDDEN.search(text):
        raise ValueError(
            f"character {hidden.start() + 1} is hidden; it has to be written as {_escaped(hidden)}"
        )
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
        check_depth(value)
    except json.JSONDecodeError as error:
        # Nothing of the text: what is no JSON may be a file that nobody meant to show.
        raise ValueError(f"no JSON at column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise ValueError("the line is nested too deeply to be read") from None
    if not isinstance(value, dict):
        raise ValueError("the line is no JSON object")  # noqa: TRY004 (a text, not a type)
    return value


def start(text: str) -> str:
    """How a text begins, in quotes and safe to print."""
    return ascii(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!a}..."


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {start(twice)} stands twice in one object")
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{start(digits)} is too large a number")
    return number
