"""Strict reading of replies, by pydantic models whose schemas requests carry.

A reply is one JSON object, or exactly one object stands in it, in a fence or in prose. Its values
have the types and words that were asked for, and nothing that resembles them: whatever could be
read in two ways is not read at all, and the fault is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from summeval_pytest.text.output import read_text
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.strict_json import StrictJsonError, read_strict
from summeval_pytest.text.words import tokens

FaultKind = (
    Literal["cut_off", "filtered", "refused", "no_json", "no_verdict", "ambiguous", "malformed"]
    | Literal["wrong_shape", "off_scale", "missing", "contradictory", "invented"]
)
"""What is wrong with a reply, or with one item of it."""

NOTES: Final[Mapping[FaultKind, str]] = {
    "cut_off": "it was too long and was cut off",
    "filtered": "it was ended by a filter",
    "refused": "it declined, though these texts are only to be judged",
    "no_json": "it held no JSON object",
    "ambiguous": "it held more than one JSON object",
    "malformed": "its JSON was not valid",
    "wrong_shape": "its keys or types were not those asked for",
    "off_scale": "it used a value that was not offered",
    "missing": "it left items out",
    "contradictory": "it answered an item in several ways",
    "invented": "it copied words that the text does not have",
    "no_verdict": "it did not begin with the word yes or the word no",
}
"""What a model that is asked again is told was wrong."""


class UnreadableError(ValueError):
    """Why a reply, or one item of it, cannot be used; ``message`` is safe to print.

    Raised by the readers, and kept as a value for each item that it concerns.
    """

    def __init__(self, kind: FaultKind, message: str) -> None:
        super().__init__(kind, message)
        self.kind: FaultKind = kind
        self.message = message

    def __str__(self) -> str:
        return self.message


ItemT = TypeVar("ItemT")
Read = Mapping[int, ItemT | UnreadableError]
"""What a reply holds for each item asked about: the item, or why it cannot be used."""

_BRACES = re.compile(r'[{}"]')
_STRING_END = re.compile(r'(?:[^"\\]++|\\.)*+"', re.DOTALL)
_FENCED: Final = re.compile(r"^[ \t]*```[A-Za-z]*[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_WIDTH: Final = 40
"""Characters of a reply that a message quotes."""
_TOO_LARGE: Final = 1_000_000_000


def read_object(text: str) -> dict[str, object]:
    """The one JSON object that a reply holds, without thoughts, in its only fence if it has one.

    Raises:
        UnreadableError: if there is none, more than one, or one that JSON does not allow.
    """
    text = text.lstrip("\ufeff").strip()
    whole = _loaded(text) if text[:1] in {"{", "["} else None
    if whole is None:
        text = read_text(text).text
        fenced = _FENCED.findall(text)
        whole = _loaded(_only_object(fenced[0] if len(fenced) == 1 else text))
    if whole is None:
        raise UnreadableError("no_json", "the reply holds no JSON")
    if not isinstance(whole, dict):
        raise UnreadableError("wrong_shape", "the reply is a list and no object")
    return whole


def _only_object(text: str) -> str:
    """The one stretch of text between balanced braces."""
    objects: list[str] = []
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
                    objects.append(text[start:place])
    if len(objects) > 1:
        raise UnreadableError("ambiguous", f"the reply holds {len(objects)} JSON objects")
    if depth or not objects:
        raise UnreadableError("no_json", "the reply holds no whole JSON object")
    return objects[0]


def _loaded(text: str) -> object:
    """The JSON value of a text; None where it is none."""
    try:
        return read_strict(text, constants=True)  # items say which of their values are none
    except StrictJsonError as error:
        if error.fault == "syntax":
            return None
        raise UnreadableError("malformed", f"in the reply's JSON, {error}") from None


def as_line(value: object) -> object:
    """A text on one line; half a character pair, which no file can hold, is a question mark."""
    if not isinstance(value, str):
        return value
    return " ".join(value.encode("utf-8", "replace").decode("utf-8").split())


def _as_telling_line(value: object) -> object:
    """A text that says something, on one line and without special tokens."""
    if not isinstance(value, str):
        return value
    line = " ".join(normalise(str(as_line(value))).split())
    if not tokens(line):
        raise PydanticCustomError("empty", "the text is empty")
    return line


def as_whole(value: object) -> object:
    """3.0 is a whole number, as in JSON schemas."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Line = Annotated[str, BeforeValidator(as_line)]
TellingLine = Annotated[str, BeforeValidator(_as_telling_line)]
Whole = Annotated[int, Field(gt=-_TOO_LARGE, lt=_TOO_LARGE), BeforeValidator(as_whole)]


class Values(BaseModel):
    """An object in a reply: its schema is sent, and its values are read by it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Entry(Values):
    """What a reply says of one item, which its number names."""

    id: Whole


ValuesT = TypeVar("ValuesT", bound=Values)
EntryT = TypeVar("EntryT", bound=Entry)
_OFF_SCALE: Final = frozenset(
    {"off_scale", "literal_error", "greater_than", "greater_than_equal"}
    | {"less_than", "less_than_equal"}
)


def read_item(
    values: Sequence[object], what: str, model: type[ValuesT], make: Callable[[ValuesT], ItemT]
) -> ItemT | UnreadableError:
    """The item that the values given for it come to; why it cannot be used where they do not."""
    if not values:
        return UnreadableError("missing", f"{what} is missing")
    if len(values) > 1 and len({json.dumps(value, sort_keys=True) for value in values}) > 1:
        return UnreadableError("contradictory", f"{what} is answered in {len(values)} ways")
    try:
        return make(model.model_validate(values[0]))
    except UnreadableError as error:
        return error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    place = "".join(f": {one_line(str(step), _WIDTH)}" for step in first["loc"])
    given, type_ = first["input"], first["type"]
    text = given if isinstance(given, str) else json.dumps(given)
    value = "" if type_ == "missing" else f", not {one_line(text, _WIDTH)!r}"
    is_word = type_ != "literal_error" or isinstance(given, str)
    return UnreadableError(
        "off_scale" if type_ in _OFF_SCALE and is_word else "wrong_shape",
        f"{what}{place}: {first['msg'].split(' or instance')[0]}{value}",
    )


Shape = Mapping[str, object]
"""A JSON schema, or part of one."""


def record(properties: Mapping[str, Shape]) -> Shape:
    """The schema of an object with exactly these properties, in this order."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


@cache
def shape_of(model: type[Values]) -> Shape:
    """The schema of a model with nothing but what endpoints take: no references, no bounds."""
    whole = model.model_json_schema()
    return _plain(whole, whole.get("$defs", {}))


def _plain(part: Mapping[str, Any], models: Mapping[str, Any]) -> Shape:
    if "$ref" in part:
        return _plain(models[part["$ref"].rpartition("/")[2]], models)
    if part["type"] == "object":
        return record({name: _plain(of, models) for name, of in part["properties"].items()})
    if part["type"] == "array":
        return {"type": "array", "items": _plain(part["items"], models)}
    if "minimum" in part:
        return {"type": "integer", "enum": [*range(part["minimum"], part["maximum"] + 1)]}
    return {key: part[key] for key in ("type", "enum") if key in part}
