"""The JSON object in a reply, and its values, each of exactly the type that was asked for.

The whole reply is the object; or exactly one object stands in it, in a fence or in prose. Whatever
could be read in two ways is not read at all, and the fault is named: a judge's word is a label that
was asked for and nothing that resembles one.
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
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeVar

from summeval_pytest.endpoints.chat import Schema
from summeval_pytest.text.printing import check_depth, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


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


ItemT = TypeVar("ItemT")
ItemT_co = TypeVar("ItemT_co", covariant=True)
Read = Mapping[int, ItemT | ReplyFault]
"""What a reply holds for each item asked about: the item, or why it cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is asked, before it is known of which model and for which time."""

    system: str
    user: str
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeDraft:
    """The same where the reply is free text and no schema shapes it."""

    system: str
    user: str
    schema: None = None


class Sheet(Protocol[ItemT_co]):
    """The items of one question; its parameter is what a reply holds for one of them."""

    @property
    def topic(self) -> str:
        """What is asked, in a few words for messages and cassettes."""
        ...

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """The items, those together that must not be torn apart."""
        ...

    def draft(self, ids: Sequence[int]) -> Draft | FreeDraft:
        """The request about some items, in this order."""
        ...

    def read(self, text: str, ids: Sequence[int]) -> Read[ItemT_co]:
        """What the text of a reply holds for each of these items.

        Raises:
            UnreadableError: if it holds nothing that can be read.
        """
        ...


def apart(items: Sequence[object]) -> tuple[tuple[int, ...], ...]:
    """The units of items that may all be torn apart: each by itself."""
    return tuple((id_,) for id_ in range(1, len(items) + 1))


def read_entries(
    entries: object, ids: Sequence[int], read: Callable[[object, str], ItemT]
) -> Read[ItemT]:
    """What a list of entries holds for each item.

    An entry belongs to the item whose number is its ``id``; one without such a number, or with
    another item's, answers nothing. Two entries for an item have to be the same.

    Args:
        entries: The list, as the reply has it.
        ids: The items asked about.
        read: From one entry, and what to call it, to an item.

    Raises:
        UnreadableError: if there is no list.
    """
    found: dict[int, list[object]] = {id_: [] for id_ in ids}
    for entry in listed(entries, "the reply"):
        if isinstance(entry, dict) and type(entry.get("id")) in {int, float}:
            found.get(entry["id"], []).append(entry)
    return {id_: read_item(found[id_], f"item {id_}", read) for id_ in ids}


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


Shape = dict[str, object]
"""A schema, or part of one, as JSON values."""


def text() -> Shape:
    """Any text."""
    return {"type": "string"}


def integer() -> Shape:
    """Any whole number."""
    return {"type": "integer"}


def one_of(values: Sequence[str] | Sequence[int]) -> Shape:
    """One of these texts, or of these whole numbers."""
    kind = "integer" if isinstance(values[0], int) else "string"
    return {"type": kind, "enum": list(values)}


def array(items: Shape) -> Shape:
    """A list of any length."""
    return {"type": "array", "items": items}


def record(properties: Mapping[str, Shape]) -> Shape:
    """An object with exactly these properties, in this order."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def schema(kind: Kind, shape: Shape) -> Schema:
    """The schema that a request carries."""
    return Schema(name=kind, text=json.dumps(shape, separators=(",", ":")))


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
