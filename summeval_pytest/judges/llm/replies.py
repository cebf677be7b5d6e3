"""Prompt batches, their schemas as pydantic models, and strict reading of replies.

A reply is one JSON object, or exactly one object stands in it, in a fence or in prose. Its values
have the types and words that were asked for, and nothing that resembles them: whatever could be
read in two ways is not read at all, and the fault is named.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from summeval_pytest.endpoints.chat import Schema
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.strict_json import StrictJsonError, read_strict
from summeval_pytest.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable


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
        return read_strict(text)
    except StrictJsonError as error:
        if error.fault == "syntax":
            return None
        told = {
            "deep": "the reply's JSON is nested too deeply",
            "twice": f"the reply has the key {_quoted(error.token)} twice",
            "constant": f"the reply has {error.token} for a number",
            "digits": "the reply has a number of too many digits",
            "large": "the reply has a number that is too large",
        }
        raise UnreadableError("malformed", told[error.fault]) from None


def _quoted(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return repr(one_line(text, _SHOWN))


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


def read_values(model: type[ValuesT], value: object, what: str) -> ValuesT:
    """The values of an object in a reply.

    Raises:
        UnreadableError: if its keys, types or words are not those of the model.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    place = "".join(f": {one_line(str(step), _SHOWN)}" for step in first["loc"])
    found = "" if first["type"] == "missing" else f", not {_quoted(first['input'])}"
    is_word = first["type"] != "literal_error" or isinstance(first["input"], str)
    raise UnreadableError(
        "off_scale" if first["type"] in _OFF_SCALE and is_word else "wrong_shape",
        f"{what}{place}: {first['msg'].split(' or instance')[0]}{found}",
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


def schema(kind: Kind, shape: Shape) -> Schema:
    """The schema that a request carries."""
    return Schema(name=kind, text=json.dumps(shape, separators=(",", ":")))


ItemT = TypeVar("ItemT")
ItemT_co = TypeVar("ItemT_co", covariant=True)
Read = Mapping[int, ItemT | ReplyFault]
"""What a reply holds for each item asked about: the item, or why it cannot be used."""
Units = tuple[tuple[int, ...], ...]
"""The items of a question by number, from 1; those in one tuple must not be torn apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptBatch(Generic[ItemT_co]):
    """The items of one question, which share requests.

    Attributes:
        topic: What is asked, in a few words for messages and cassettes.
        units: The items.
        system: The instructions.
        user: From some items to the message that asks about them, in this order.
        schema: From some items to what the reply has to follow; None for free text.
        read: From the text of a reply and the items asked about to what it holds for each. Raises
            `UnreadableError` where it holds nothing that can be read.
    """

    topic: str
    units: Units
    system: str
    user: Callable[[Sequence[int]], str]
    schema: Callable[[Sequence[int]], Schema | None]
    read: Callable[[str, Sequence[int]], Read[ItemT_co]]


def apart(items: Sequence[object]) -> Units:
    """The units of items that may all be torn apart: each by itself."""
    return tuple((id_,) for id_ in range(1, len(items) + 1))


def about(what: str, texts: Sequence[str]) -> str:
    """The topic of a batch: what is asked, and how the first text begins."""
    return f"{what} {one_line(texts[0], 48)!r}" if texts else what


def entries_batch(  # noqa: PLR0913  # all by keyword but the kind and its entries
    kind: Kind,
    key: str,
    entry: type[EntryT],
    make: Callable[[EntryT, str], ItemT],
    *,
    texts: Sequence[str],
    user: Callable[[Sequence[int]], str],
    units: Units | None = None,
    told: Kind | None = None,
) -> PromptBatch[ItemT]:
    """A batch whose reply is an object with one list, an entry for each item.

    An entry belongs to the item whose number is its ``id``; one without such a number, or with
    another item's, answers nothing. Two entries for an item have to be the same.

    Args:
        kind: What is asked for.
        key: The list's name.
        entry: The model of an entry.
        make: From an entry, and what to call it, to an item; may raise `UnreadableError`.
        texts: The items' texts; the first one is named in the topic.
        user: As in `PromptBatch`.
        units: As in `PromptBatch`; each item by itself where none are given.
        told: The kind whose instructions are given, in place of its own.
    """
    sent = schema(kind, record({key: {"type": "array", "items": shape_of(entry)}}))

    def read_entry(value: object, what: str) -> ItemT:
        return make(read_values(entry, value, what), what)

    def read(text: str, ids: Sequence[int]) -> Read[ItemT]:
        reply = read_object(text)
        entries = reply.get(key)
        if not isinstance(entries, list) or len(reply) > 1:
            raise UnreadableError("wrong_shape", f"the reply is no object with one list, {key!r}")
        found: dict[int, list[object]] = {id_: [] for id_ in ids}
        for each in entries:
            if isinstance(each, dict) and type(each.get("id")) in {int, float}:
                found.get(each["id"], []).append(each)
        return {id_: read_item(found[id_], f"item {id_}", read_entry) for id_ in ids}

    return PromptBatch(
        topic=about(kind.replace("_", " "), texts),
        units=apart(texts) if units is None else units,
        system=instructions(told or kind),
        user=user,
        schema=lambda _: sent,
        read=read,
    )


def single_batch(
    kind: Kind,
    model: type[ValuesT],
    make: Callable[[ValuesT, str], ItemT],
    *,
    topic: str,
    blocks: Iterable[str],
) -> PromptBatch[ItemT]:
    """A batch of one item, whose reply is one object."""
    user, sent = "\n\n".join(blocks), schema(kind, shape_of(model))

    def read(text: str, ids: Sequence[int]) -> Read[ItemT]:
        def item(value: object, what: str) -> ItemT:
            return make(read_values(model, value, what), what)

        return dict.fromkeys(ids, read_item([read_object(text)], "the reply", item))

    return PromptBatch(
        topic=topic,
        units=((1,),),
        system=instructions(kind),
        user=lambda _: user,
        schema=lambda _: sent,
        read=read,
    )


def read_item(
    entries: Sequence[object], what: str, read: Callable[[object, str], ItemT]
) -> ItemT | ReplyFault:
    """What the entries for one item come to."""
    if not entries:
        return ReplyFault("missing", f"{what} is missing")
    if len({json.dumps(entry, sort_keys=True) for entry in entries}) > 1:
        return ReplyFault("contradictory", f"{what} is answered in {len(entries)} ways")
    try:
        return read(entries[0], what)
    except UnreadableError as error:
        return error.fault


def span(ids: Sequence[int]) -> str:
    """The numbers in words, runs of them shortened: ``1-3, 7``."""
    runs: list[list[int]] = []
    for id_ in sorted(ids):
        if runs and id_ == runs[-1][-1] + 1:
            runs[-1].append(id_)
        else:
            runs.append([id_])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


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


Kind = Literal[
    "facets_and_facts",
    "facets",
    "facts",
    "facet_ratings",
    "fact_checks",
    "sentence_checks",
    "summary_rating",
    "fact_checks_in_chain",
    "relations",
    "entities",
    "triples",
    "statements",
    "fact_counts",
    "sentence_labels",
    "sentence_quotes",
    "factual_checks",
]
"""What a request asks for; names a prompt file and a schema. Only variants, baselines and
other manners ask those after the sentence checks."""

Variant = Literal["facet_ratings_release", "facet_examples"]
"""A prompt file that stands in place of a kind's own, or goes with it, where a judge wants it."""

_MATERIAL: Final = "material"
"""The file about what is material and no instruction, which goes with every kind."""


@cache
def instructions(kind: Kind, *, told: Variant | None = None, also: Variant | None = None) -> str:
    """The system message of one kind of question.

    Args:
        kind: What is asked for.
        told: The file that tells it, in place of the kind's own.
        also: A file that goes with it.
    """
    names = [told or kind, *([also] if also else []), _MATERIAL]
    return "\n\n".join(map(_prompt, names))


def _prompt(name: str) -> str:
    file = files("summeval_pytest.judges.llm") / "prompts" / f"{name}.md"
    return file.read_text(encoding="utf-8").strip()
