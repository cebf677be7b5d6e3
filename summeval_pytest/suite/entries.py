"""Entries of a suite's files: objects that pydantic reads, with a place for every mistake.

A model is a dataclass whose fields are the keys, read strictly: another key, or a value of another
type, is a SuiteError that says file, line, key, value and what to write instead. Keys that begin
with ``x_`` are the owner's, at any depth.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    Strict,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import MOST, OWN_KEYS, brief, closest, is_visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")
ManyT = TypeVar("ManyT")
Schema = dict[str, Any]


def mistake(message: str) -> PydanticCustomError:
    """The error that a model's validator raises; its message follows the name of the value."""
    return PydanticCustomError("mistake", "{words}", {"words": message})


def expecting(words: str, **constraints: Any) -> Any:
    """Constraints of a value, and the words that tell the user what to write."""
    return Field(json_schema_extra={"expected": words}, **constraints)


def _visible(text: str, info: ValidationInfo) -> str:
    if info.context and not is_visible(text):
        raise PydanticCustomError("empty", "empty")
    return text


def _not_null(value: object, info: ValidationInfo) -> object:
    if value is None and info.context:
        raise PydanticCustomError("null", "null")
    return value


def each_once(of: Callable[[Any], object] = lambda value: value, noun: str = "") -> AfterValidator:
    """Refuse a list with two values of one key; messages put ``noun`` before the key."""

    def check(values: ManyT) -> ManyT:
        seen: set[object] = set()
        for value in cast("Iterable[object]", values):
            if (own := of(value)) in seen:
                raise mistake(f"holds {noun}{brief(own)} twice; delete one")
            seen.add(own)
        return values

    return AfterValidator(check)


Text = Annotated[str, Strict(), AfterValidator(_visible)]
"""A text with a visible character. In a run record, which has no context, any text will do."""
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Field(strict=True, ge=1, le=MOST)]
Index = Annotated[int, Field(strict=True, ge=0, le=MOST)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Given = Annotated[ValueT | None, BeforeValidator(_not_null)]
"""A value that is None where its key is absent; a file may not say null. A run record may."""
Names = Annotated[tuple[Text, ...], each_once()]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    # by key, or of a whole object by ""; a plain dataclass takes the settings of what holds it
    return TypeAdapter(dict[str, kind], config={"extra": "forbid"})


def _schema(kind: Any) -> tuple[Schema, Schema]:
    """The JSON schema of a model, and the whole of which it is a part."""
    whole = _adapter(kind).json_schema()
    return whole["additionalProperties"], whole


@cache
def keys_of(kind: Any) -> tuple[str, ...]:
    """The keys of a model, in order."""
    return tuple(_resolved(*_schema(kind))["properties"])


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One object of a file: its keys and values, what messages call it, and where it stands.

    ``where`` gives the place of a key, and of the object itself for the empty key.
    """

    values: Mapping[str, object]
    owner: str
    where: Callable[[str], Place]

    @classmethod
    def at(cls, place: Place, values: Mapping[str, object], owner: str = "this line") -> FileEntry:
        """An object that stands on one line."""
        return cls(values=values, owner=owner, where=lambda _: place)

    @property
    def place(self) -> Place:
        """The place of the object as a whole."""
        return self.where("")

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.values

    def read(
        self, kind: Callable[..., ValueT], *, also: Collection[str] = (), **given: object
    ) -> ValueT:
        """The model of this object; others read the ``also`` keys; ``given`` values are no keys.

        Raises:
            SuiteError: For an unknown key, and for a value that is missing or not as it should be.
        """

        def known() -> set[str]:
            return {*keys_of(kind)} - {*given} | {*also}

        values = {k: v for k, v in _without_own(self.values).items() if k not in also}
        for key in given.keys() & values.keys():
            raise self.unknown(key, known())
        made: ValueT = self._made(kind, "", {**values, **given}, known)
        return made

    def value(self, key: str, kind: Any) -> Any:
        """The value at a key, read as a pydantic type.

        Raises:
            SuiteError: Where it is missing or not of the type.
        """
        if key not in self.values:
            raise self.missing(key, _expected(*_schema(kind)))
        return self._made(kind, key, _without_own(self.values[key]), tuple)

    def _made(
        self, kind: Any, key: str, value: object, known: Callable[[], Collection[str]]
    ) -> Any:
        try:
            return _adapter(kind).validate_python({key: value}, context=True)[key]
        except ValidationError as error:
            faults = error.errors(include_url=False)
            fault = min(faults, key=lambda each: each["type"] != _UNKNOWN)
            raise self._mistake(fault, kind, known) from None

    def _mistake(self, fault: Any, kind: Any, known: Callable[[], Collection[str]]) -> SuiteError:
        """A fault of pydantic's in the words of the file."""
        node, whole = _schema(kind)
        key, *steps = fault["loc"]
        value: Any = self.values
        if key:
            node, steps = {"properties": {key: node}}, [key, *steps]
        owner, name, outer, step = "", self.owner, node, ""
        for step in steps:
            if not isinstance(value, dict | list):
                break  # a short form of what the model holds: "text" for {"text": "text"}
            is_key = isinstance(step, str)
            owner, name = name, f"{step!r} of {name}" if is_key else f"item {step + 1} of {name}"
            outer, inner = node, _resolved(node, whole)
            node = inner.get("properties", {}).get(step, {}) if is_key else inner.get("items", {})
            value = value.get(step) if isinstance(value, dict) else value[step]
            key = key or str(step)
        match fault["type"]:
            case "unexpected_keyword_argument":
                own = _resolved(outer, whole).get("properties", ())
                return self.unknown(step, known() if owner == self.owner else own, owner, key)
            case "missing":
                return self.missing(step, _expected(node, whole), owner, key)
            case "mistake":
                return self.fault(key, f"{name} {fault['msg']}")
        is_empty = value in ([], {}) or (isinstance(value, str) and not is_visible(value))
        state = f"empty ({brief(value)})" if is_empty else brief(value)
        return self.fault(key, f"{name} is {state}; write {_expected(node, whole, value)}")

    def unknown(
        self, name: str, known: Collection[str], owner: str = "", key: str = ""
    ) -> SuiteError:
        """An unknown key."""
        what = f"unknown key {brief(name)} in {owner or self.owner}"
        return self.fault(key or name, f"{what}; {closest(name, known)}")

    def missing(self, name: str, expected: str, owner: str = "", key: str = "") -> SuiteError:
        """A required key that is missing."""
        owner = owner or self.owner
        return self.fault(key or name, f"{owner} has no {name!r}; add the key with {expected}")

    def check_known(self, key: str, name: str, known: Collection[str], what: str) -> None:
        """Refuse a name at a key that is not known; ``what`` goes before it."""
        if name not in known:
            raise self.fault(key, f"{what} {brief(name)}; {closest(name, known)}")

    def fault(self, key: str, message: str) -> SuiteError:
        """A mistake at a key."""
        return SuiteError(self.where(key), message)

    def key_fault(self, key: str, words: str) -> SuiteError:
        """A mistake in the value at a key; the words follow the key's name."""
        return self.fault(key, f"{key!r} of {self.owner} {words}")

    def wrong(self, key: str, value: object, expected: str) -> SuiteError:
        """A value that a key must not have."""
        return self.key_fault(key, f"is {brief(value)}; write {expected}")


_UNKNOWN: Final = "unexpected_keyword_argument"


def _without_own(value: Any) -> Any:
    """A value without the owner's own keys, at any depth."""
    if isinstance(value, Mapping):
        return {k: _without_own(v) for k, v in value.items() if not k.startswith(OWN_KEYS)}
    return list(map(_without_own, value)) if isinstance(value, list) else value


def _resolved(node: Schema, whole: Schema) -> Schema:
    """A part of a JSON schema without its reference; of a value or null, the part of the value."""
    if "$ref" in node:
        definition = whole["$defs"][node["$ref"].rpartition("/")[2]]
        return {k: v for k, v in definition.items() if k != "description"} | node
    return _resolved(node["anyOf"][0], whole) | node if "anyOf" in node else node


def _expected(node: Schema, whole: Schema, value: object = None) -> str:
    """What to write in place of a value, by its schema."""
    node = _resolved(node, whole)
    low, high = node.get("minimum"), node.get("maximum")
    words = "a text"
    match node:
        case {"expected": own}:
            words = str(own)
        case {"enum": [*choices, last]}:
            words = " or ".join([", ".join(f'"{each}"' for each in choices), f'"{last}"'])
        case {"type": "boolean"}:
            words = "true or false"
        case {"type": "integer"}:
            is_free = high in (None, MOST) and not (isinstance(value, int) and value > MOST)
            bounds = f"of at least {low:,}" if is_free else f"from {low:,} to {high:,}"
            words = f"a whole number {bounds}"
        case {"type": "number"}:
            words = "a finite number" if high is None else f"a number from {low:,} to {high:,}"
        case {"type": "array", "items": items}:
            item = _resolved(items, whole)
            is_object = item.get("type") == "object"
            words = f"a list of {f'objects with {_keys(item)}' if is_object else 'texts'}"
        case {"type": "object"}:
            words = f"an object with {_keys(node)}"
    return words


def _keys(node: Schema) -> str:
    return ", ".join(map(repr, node.get("properties", ())))


def keyed(
    rows: Iterable[FileEntry],
    read: Callable[[FileEntry], tuple[KeyT, ValueT]],
    twice: Callable[[KeyT], str],
    remedy: str = "delete one",
) -> dict[KeyT, ValueT]:
    """The value of each row by its key; ``twice`` says that a key has two rows.

    Raises:
        SuiteError: As ``rows`` and ``read``, and at the second row of a key.
    """
    values: dict[KeyT, ValueT] = {}
    places: dict[KeyT, Place] = {}
    for entry in rows:
        key, value = read(entry)
        first = places.setdefault(key, entry.place)
        if first != entry.place:
            raise entry.fault("", f"{twice(key)} at {first}, too; {remedy}")
        values[key] = value
    return values
