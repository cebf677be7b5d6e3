"""Entries of a suite's files: objects that pydantic reads, with a place for every mistake.

A model is a dataclass whose fields are the keys, read strictly: another key, or a value of another
type, is a SuiteError that says file, line, key, value and what to write instead. Keys that begin
with ``x_`` are the owner's, at any depth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, LiteralString, TypeVar, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    Strict,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import MOST, OWN_KEYS, brief, closest, is_visible

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")
ManyT = TypeVar("ManyT")


def mistake(message: str, kind: LiteralString = "mistake") -> PydanticCustomError:
    """The error that a model's validator raises; its message follows the name of the value."""
    return PydanticCustomError(kind, "{words}", {"words": message})


def expecting(words: str) -> WrapValidator:
    """The words that tell the user what to write, unless a part of the value is at fault."""

    def check(value: object, read: ValidatorFunctionWrapHandler) -> object:
        try:
            return read(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            if first["type"] == "mistake" or (first["loc"] and isinstance(value, list | dict)):
                raise
            raise mistake(words, "expected") from None

    return WrapValidator(check)


def _visible(text: str, info: ValidationInfo) -> str:
    if info.context and not is_visible(text):
        raise PydanticCustomError("empty", "empty")
    return text


def _not_null(value: object, info: ValidationInfo) -> object:
    if value is None and info.context:
        raise PydanticCustomError("null", "null")
    return value


def each_once(of: Callable[[Any], object] = lambda value: value) -> AfterValidator:
    """Refuse a list with two values of one key."""

    def check(values: ManyT) -> ManyT:
        seen: set[object] = set()
        for value in cast("Iterable[object]", values):
            if (own := of(value)) in seen:
                raise mistake(f"holds {brief(own)} twice; delete one")
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


@cache
def keys_of(kind: Any) -> tuple[str, ...]:
    """The keys of a model, in order."""
    schema = _adapter(kind).json_schema()
    name = schema["additionalProperties"]["$ref"].rpartition("/")[2]
    return tuple(schema["$defs"][name]["properties"])


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

        def known() -> Collection[str]:
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
            raise self.missing(key)
        return self._made(kind, key, _without_own(self.values[key]))

    def _made(
        self, kind: Any, key: str, value: object, known: Callable[[], Collection[str]] = tuple
    ) -> Any:
        try:
            return _adapter(kind).validate_python({key: value}, context=True)[key]
        except ValidationError as error:
            faults = error.errors(include_url=False)
            fault = min(faults, key=lambda each: each["type"] != "unexpected_keyword_argument")
            raise self._mistake(fault, known) from None

    def _mistake(self, fault: Any, known: Callable[[], Collection[str]]) -> SuiteError:
        """A fault of pydantic's in the words of the file."""
        steps, value = fault["loc"], fault["input"]
        steps = steps if steps[0] else steps[1:]
        key, owner, name = str(steps[0]) if steps else "", "", self.owner
        for step in steps:
            what = f"{step!r}" if isinstance(step, str) else f"item {step + 1}"
            owner, name = name, f"{what} of {name}"
        match fault["type"]:
            case "unexpected_keyword_argument" if owner == self.owner:
                return self.unknown(key, known())
            case "unexpected_keyword_argument":
                return self.fault(
                    key, f"unknown key {brief(steps[-1])} in {owner}; mend or delete it"
                )
            case "missing":
                return self.missing(steps[-1], owner, key)
            case "mistake":
                return self.fault(key, f"{name} {fault['msg']}")
        is_empty = value in ([], {}) or (isinstance(value, str) and not is_visible(value))
        state = f"empty ({brief(value)})" if is_empty else brief(value)
        words = _WORDS.get(fault["type"], "").format(**fault.get("ctx", {})) or fault["msg"]
        return self.fault(key, f"{name} is {state}; write {words}")

    def unknown(self, name: str, known: Collection[str]) -> SuiteError:
        """An unknown key."""
        what = f"unknown key {brief(name)} in {self.owner}"
        return self.fault(name, f"{what}; {closest(name, known)}")

    def missing(self, name: str, owner: str = "", key: str = "") -> SuiteError:
        """A required key that is missing."""
        return self.fault(key or name, f"{owner or self.owner} has no {name!r}; add the key")

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


_WORDS: Final[Mapping[str, str]] = {
    "string_type": "a text",
    "empty": "a text",
    "null": "a value, or delete the key",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "greater_than": "more than {gt:,.15g}",
    "greater_than_equal": "at least {ge:,.15g}",
    "less_than_equal": "at most {le:,.15g}",
    "literal_error": "{expected}",
    "tuple_type": "a list",
    "too_short": "at least one item",
    "dataclass_type": "an object",
}
"""What to write instead, by the type of pydantic's error; `expecting` has words of its own."""


def _without_own(value: Any) -> Any:
    """A value without the owner's own keys, at any depth."""
    if isinstance(value, Mapping):
        return {k: _without_own(v) for k, v in value.items() if not k.startswith(OWN_KEYS)}
    return list(map(_without_own, value)) if isinstance(value, list) else value


def keyed(
    rows: Iterable[FileEntry],
    read: Callable[[FileEntry], tuple[KeyT, ValueT]],
    twice: Callable[[KeyT], str],
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
            raise entry.fault("", f"{twice(key)} at {first}, too; delete one")
        values[key] = value
    return values
