"""JSON read without Python's leniency: one text, one value, whoever reads it."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Final, Literal, NoReturn

JsonFault = Literal["syntax", "deep", "digits", "twice", "constant", "large"]
_WIDTH: Final = 40


class StrictJsonError(ValueError):
    """A text that is no JSON, or that two readers of JSON would read differently.

    The message shows nothing of the text but one key or number: what is no JSON may be a file that
    nobody meant to show.

    Attributes:
        fault: What is wrong; "deep" and "digits" are beyond what any reader has to bear.
        remedy: What to do about it.
        position: Where a text stops being JSON, from 0.
    """

    def __init__(self, fault: JsonFault, message: str, remedy: str, position: int = 0) -> None:
        super().__init__(message)
        self.fault: JsonFault = fault
        self.remedy = remedy
        self.position = position


def read_strict(text: str, *, constants: bool = False) -> object:
    """The JSON value of a text; with ``constants`` NaN and infinity are numbers.

    Raises:
        StrictJsonError: For what is no JSON, a key that stands twice in one object, NaN and
            infinity in any spelling, and nesting and numbers beyond any use.
    """
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=float if constants else _refuse_constant,
            parse_float=float if constants else _finite,
        )
    except StrictJsonError:
        raise
    except json.JSONDecodeError as error:
        message = f"no JSON at column {error.colno}: {error.msg}"
        raise StrictJsonError("syntax", message, "mend the line", error.pos) from None
    except RecursionError:
        message = "this line is nested too deeply to be read"
        raise StrictJsonError("deep", message, "mend it") from None
    except ValueError:  # int() refuses thousands of digits
        message = "this line holds a number with too many digits"
        raise StrictJsonError("digits", message, "shorten the number") from None
    return value


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key in counts if counts[key] > 1)
        message = f"the key {_start(twice)} stands twice in one object"
        raise StrictJsonError("twice", message, "delete one")
    return values


def _refuse_constant(name: str) -> NoReturn:
    remedy = "write a finite number, or leave it out"
    raise StrictJsonError("constant", f"{name!r} is no JSON number", remedy)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        message = f"the number {_start(digits)} is too large to be read"
        raise StrictJsonError("large", message, "write a smaller one")
    return number


def _start(text: str) -> str:
    return repr(text) if len(text) <= _WIDTH else f"{text[:_WIDTH]!r}..."
