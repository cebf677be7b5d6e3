"""The JSON object in a reply, and its values, each of exactly the type that was asked for.

The whole reply is the object; or exactly one object stands in it, in a fence or in prose. Whatever
could be read in two ways is not read at all, and the fault is named: a judge's word is a label that
was asked for and nothing that resembles one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.text import check_depth, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

FaultKind = Literal[
    "cut_off",  # ended at max_tokens
    "filtered",  # a content filter ended it
    "refused",  # the model declined
    "no_json",  # no JSON object in it
    "no_verdict",  # free text that begins with neither yes nor no
    "ambiguous",  # more than one
    "malformed",  # an object that JSON does not allow: a key twice, NaN, too deep
    "wrong_shape",  # keys or types that were not asked for
    "off_scale",  # a label, a rating or a number outside what was offered
    "missing",  # nothing for an id
    "contradictory",  # two things for an id
]
"""What is wrong with a reply, or with one item of it."""


@dataclass(frozen=True, slots=True)
class ReplyFault:
    """Why a reply, or one item of it, cannot be used; ``message`` is safe to print."""

    kind: FaultKind
    message: str


class UnreadableError(ValueError):
    """Raised by the readers.

    Attributes:
        fault: What they found.
    """

    def __init__(self, kind: FaultKind, message: str) -> None:
        super().__init__(message)
        self.fault = ReplyFault(kind, message)


_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_BRACES = re.compile(r'[{}"]')
_STRING_END = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)
_SHOWN: Final = 40
_TOO_LARGE: Final = 1_000_000_000


def without_thoughts(text: str) -> str:
    """What a reply says after the thoughts that it may begin with."""
    return _THOUGHTS.sub("", text).strip()


def read_object(text: str) -> dict[str, object]:
    """The one JSON object that a reply holds; thoughts that it begins with are left out.

    Raises:
        UnreadableError: if there is none, more than one, or one that JSON does not allow.
    """
    text = without_thoughts(text)
    whole = _loaded(text) if text[:1] in {"{", "["} else None
    if whole is None:
        whole = _loaded(_only_object(text))
    if whole is None:
        raise UnreadableError("no_json", "the reply holds no JSON")
    if not isinstance(whole, dict):
        raise UnreadableError("wrong_shape", "the reply is a list and no object")
    return whole


def _only_object(text: str) -> str:
    """The one stretch of text between balanced braces."""
    found: list[str] = []
    depth = start = place = 0
    while brace := _BRACES.search(text, place):
        place = brace.end()
        match brace.group():
            case '"' if depth:
                string = _STRING_END.match(text, place)
                place = string.end() if string else len(text)
            case "{":
                start = start if depth else brace.start()
                depth += 1
            case "}" if depth:
                depth -= 1
                if not depth:
                    found.append(text[start:place])
    if len(found) > 1:
        raise UnreadableError("ambiguous", f"the reply holds {len(found)} JSON objects")
    if depth or not found:
        raise UnreadableError("no_json", "the reply holds no whole JSON object")
    return found[0]


def _loaded(text: str) -> object:
    """The JSON value of a text; None where it is none."""
    try:
        value: object = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
        check_depth(value)
    except UnreadableError:
        raise
    except RecursionError:
        raise UnreadableError("malformed", "the reply's JSON is nested too deeply") from None
    except json.JSONDecodeError:
        return None
    except ValueError:  # int() refuses thousands of digits
        raise UnreadableError("malformed", "the reply has a number of too many digits") from None
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise UnreadableError("malformed", f"the reply has the key {_quoted(twice)} twice")
    return values


def _no_constant(name: str) -> object:
    raise UnreadableError("malformed", f"the reply has {name} for a number")


def _quoted(text: str) -> str:
    return repr(one_line(text, _SHOWN))


def fields(value: object, keys: Collection[str], what: str) -> dict[str, object]:
    """An object with exactly these keys.

    Raises:
        UnreadableError: if the value is another one.
    """
    if not isinstance(value, dict):
        raise UnreadableError("wrong_shape", f"{what} is no JSON object")
    for key in keys:
        if key not in value:
            raise UnreadableError("wrong_shape", f"{what} lacks {key!r}")
    for key in value:
        if key not in keys:
            raise UnreadableError("wrong_shape", f"{what} has a key {_quoted(key)}")
    return value


def listed(value: object, what: str) -> list[object]:
    """A list.

    Raises:
        UnreadableError: if the value is another one.
    """
    if not isinstance(value, list):
        raise UnreadableError("wrong_shape", f"{what} is no list")
    return value


def words(value: object, what: str) -> str:
    """A text on one line; half a character pair, which no file can hold, becomes a question mark.

    Raises:
        UnreadableError: if the value is another one.
    """
    if not isinstance(value, str):
        raise UnreadableError("wrong_shape", f"{what} is no text")
    return " ".join(value.encode("utf-8", "replace").decode("utf-8").split())


def whole_number(value: object, what: str) -> int:
    """A whole number of up to nine digits; 3.0 is one, as in JSON schemas, "3" and true are none.

    Raises:
        UnreadableError: if the value is another one.
    """
    if type(value) is int or (isinstance(value, float) and value.is_integer()):
        if abs(value) < _TOO_LARGE:
            return int(value)
        raise UnreadableError("off_scale", f"{what} is too large a number")
    raise UnreadableError("wrong_shape", f"{what} is no whole number")


def rating_on(scale: int, value: object, what: str) -> int:
    """A rating from 1 to ``scale``; one off its scale, brought back to it, would be ours.

    Raises:
        UnreadableError: if the value is no such rating.
    """
    rating = whole_number(value, f"{what}: rating")
    if not 1 <= rating <= scale:
        raise UnreadableError("off_scale", f"{what}: rating {rating} is off its scale 1 to {scale}")
    return rating


def choice(value: object, offered: Sequence[str], what: str) -> str:
    """One of the words that were offered, exactly.

    Raises:
        UnreadableError: if the value is another one.
    """
    if not isinstance(value, str):
        raise UnreadableError("wrong_shape", f"{what} is no text")
    if value not in offered:
        told = f"{what} {_quoted(value)} is none of {', '.join(offered)}"
        raise UnreadableError("off_scale", told)
    return value
