"""JSON lines and typed reading of their keys, with a place for every mistake."""

from __future__ import annotations

import datetime as dt
import json
import math
import os.path
import re
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from dataclasses import fields as fields_of
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeGuard, TypeVar

from summeval_pytest.errors import Place, SuiteError, nearest
from summeval_pytest.text.strict_json import StrictJsonError, read_strict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from _typeshed import DataclassInstance


JUDGE: Final = "judge"
"""The item of a suite that is about its judge."""

RESERVED_SYSTEMS: Final = frozenset({JUDGE})
"""Items of a suite that are no system."""

ALL_PAPERS: Final = "all-papers"
"""The item of a system that is about all its papers; in place of a paper, a waiver of a mean."""

RESERVED_PAPERS: Final = frozenset({ALL_PAPERS})

OWN_KEYS: Final = "x_"
"""What the keys begin with that a suite's owner may use freely."""

MOST: Final = 10**15 - 1
"""The largest whole number that a file may hold where no other bound is set."""

_LONGEST: Final = 200
_LISTED: Final = 12
_SHOWN: Final = 60
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def check_name(name: str, kind: str, place: Place, reserved: Collection[str] = ()) -> None:
    """Refuse a name that could not be selected as part of ``suite::system::paper``.

    Raises:
        SuiteError: For a reserved or overlong name, and for one with white space, control
            characters, brackets, ``|``, ``::``, or a colon at either end.
    """
    if name in reserved:
        raise SuiteError(place, f"{kind} {name!r} has a reserved name; choose another")
    if len(name) > _LONGEST:
        raise SuiteError(
            place,
            f"{kind} {name[:20]!r}... has a name of {len(name)} characters; use at most {_LONGEST}",
        )
    if unfit := _unfit(name):
        raise SuiteError(
            place,
            f"{kind} {name!r} has {unfit} in its name, which no pytest node id can hold;"
            " use letters, digits, '-', '_' and '.'",
        )


def _unfit(name: str) -> str:
    for character in name:
        if character.isspace():
            return f"white space ({character!r})"
        if unicodedata.category(character) in _INVISIBLE:
            return f"a control character ({character!r})"
        if character in "[]|":
            return repr(character)
    if "::" in name:
        return "'::'"
    return "':' at an end" if name.startswith(":") or name.endswith(":") else ""


def closest(name: str, known: Collection[str]) -> str:
    """A clause that names the known name nearest to this one, or lists some of them."""
    clause = nearest(name, known)
    if clause.startswith("did you mean") or len(known) <= _LISTED:
        return clause
    some = ", ".join(sorted(known)[:_LISTED])
    return f"known: {some} and {len(known) - _LISTED} more"


KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
DataT = TypeVar("DataT", bound="DataclassInstance")
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The keys and values of one object, each read with its type or refused at its place.

    ``owner`` is the object in words that a message can go on from; ``where`` gives the place of a
    key, and of the object itself for the empty key.
    """

    values: Mapping[str, object]
    owner: str
    where: Callable[[str], Place]

    @property
    def place(self) -> Place:
        """The place of the object as a whole."""
        return self.where("")

    def read(
        self,
        make: type[DataT],
        readers: Readers,
        renamed: Mapping[str, str] = _NOTHING,
        given: Mapping[str, object] = _NOTHING,
    ) -> DataT:
        """A dataclass with what each key holds; an absent key leaves its field's default.

        ``renamed`` has the fields that are not called as their keys; ``given`` are fields that no
        key holds.

        Raises:
            SuiteError: For an unknown key, for a field without default whose key is not there, and
                whatever the readers raise.
        """
        self.only(readers)
        needed = _needed_fields(make)
        build: Callable[..., DataT] = make
        values = {
            name: reader(self, key)
            for key, reader in readers.items()
            if (name := renamed.get(key, key)) in needed or key in self.values
        }
        return build(**given, **values)

    def part(self, keys: Iterable[str]) -> Fields:
        """These keys only; `read` refuses any other."""
        values = {key: self.values[key] for key in keys if key in self.values}
        return Fields(values=values, owner=self.owner, where=self.where)

    def only(self, known: Collection[str]) -> None:
        """Refuse every key that is neither known nor the owner's own (``x_``)."""
        for key in self.values:
            if key not in known and not key.startswith(OWN_KEYS):
                self.check_known(key, key, known, "unknown key", f" in {self.owner}")

    def check_known(
        self, key: str, name: str, known: Collection[str], what: str, where: str = ""
    ) -> None:
        """Refuse a name at a key that is not known; ``what`` and ``where`` go around it."""
        if name not in known:
            raise self.fault(key, f"{what} {brief(name)}{where}; {closest(name, known)}")

    def fault(self, key: str, message: str) -> SuiteError:
        """A mistake at a key."""
        return SuiteError(self.where(key), message)

    def wrong(self, key: str, value: object, expected: str) -> SuiteError:
        """A value at a key that is not what was expected there."""
        return self.fault(key, f"{key!r} of {self.owner} is {brief(value)}; write {expected}")

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.values

    def if_any(self, key: str, read: Callable[[Fields, str], ValueT]) -> ValueT | None:
        """What a reader makes of a key; None where the key is absent."""
        return read(self, key) if key in self.values else None

    def value(self, key: str, expected: str) -> object:
        """The value as it is; the key must be there."""
        if key not in self.values:
            raise self.fault(key, f"{self.owner} has no {key!r}; add the key with {expected}")
        return self.values[key]

    def text(self, key: str, remedy: str = "write a text") -> str:
        """A text with a visible character; ``remedy`` is what to do where it has none."""
        return self.visible(key, self.value(key, "a text"), remedy)

    def visible(self, key: str, value: object, remedy: str = "write a text") -> str:
        """The value as a text with at least one visible character, wherever under the key."""
        if not isinstance(value, str):
            raise self.wrong(key, value, "a text")
        if not is_visible(value):
            raise self.fault(key, f"{key!r} of {self.owner} is empty ({brief(value)}); {remedy}")
        return value

    def whole(self, key: str, least: int = 1, most: int = MOST) -> int:
        """An integer within bounds, both included."""
        at_least = f"a whole number of at least {least}"
        bounds = f"a whole number from {least} to {most}"
        expected = at_least if most == MOST else bounds
        value = self.value(key, expected)
        if not is_whole(value) or value < least:
            raise self.wrong(key, value, expected)
        if value > most:
            raise self.wrong(key, value, bounds)
        return value

    def number(self, key: str, low: float = -math.inf, high: float = math.inf) -> float:
        """A finite number within bounds, both included."""
        is_bounded = math.isfinite(high)
        expected = f"a number from {low:g} to {high:g}" if is_bounded else "a finite number"
        value = self.value(key, expected)
        number = finite(value)
        if number is None or not low <= number <= high:
            raise self.wrong(key, value, expected)
        return number

    def flag(self, key: str) -> bool:
        """True or false."""
        value = self.value(key, "true or false")
        if not isinstance(value, bool):
            raise self.wrong(key, value, "true or false")
        return value

    def items(self, key: str, expected: str) -> list[object]:
        """A list with at least one item."""
        value = self.value(key, expected)
        if not isinstance(value, list):
            raise self.wrong(key, value, expected)
        if not value:
            raise self.fault(key, f"{key!r} of {self.owner} is an empty list, []; write {expected}")
        return value

    def texts(self, key: str, expected: str = "a list of texts") -> tuple[str, ...]:
        """A list of texts, at least one and none of them twice."""
        found: dict[str, None] = {}
        for value in self.items(key, expected):
            text = self.visible(key, value)
            if text in found:
                raise self.fault(
                    key, f"{key!r} of {self.owner} holds {brief(text)} twice; delete one"
                )
            found[text] = None
        return tuple(found)

    def object_at(self, key: str, expected: str) -> Fields:
        """The keys and values of the object at a key."""
        return self.inside(key, self.value(key, expected), f"{key!r} of {self.owner}", expected)

    def objects_at(self, key: str, noun: str, expected: str, one: str) -> Iterator[Fields]:
        """Those of each object of a list, which are called ``noun`` and numbered from 1."""
        for number, item in enumerate(self.items(key, expected), start=1):
            yield self.inside(key, item, f"{noun} {number} of {self.owner}", one)

    def inside(self, key: str, value: object, owner: str, expected: str) -> Fields:
        """The keys and values of an object that stands somewhere under the key."""
        if not isinstance(value, dict):
            raise self.fault(key, f"{owner} is {brief(value)}; write {expected}")
        return Fields(values=value, owner=owner, where=lambda _: self.where(key))


@cache
def _needed_fields(make: type[DataclassInstance]) -> frozenset[str]:
    """The fields of a dataclass that have no default."""
    return frozenset(
        field.name
        for field in fields_of(make)
        if field.default is MISSING and field.default_factory is MISSING
    )


Readers = dict[str, Callable[[Fields, str], object]]
"""What reads each key of an object."""


def number_in(low: float, high: float) -> Callable[[Fields, str], float]:
    """A reader of numbers within bounds, both included."""
    return lambda fields, key: fields.number(key, low, high)


def one_of(offered: Collection[str]) -> Callable[[Fields, str], str]:
    """A reader of one of a few words."""

    def read(fields: Fields, key: str) -> str:
        value = fields.values[key]
        if value not in offered:
            raise fields.wrong(key, value, " or ".join(f'"{choice}"' for choice in offered))
        return str(value)

    return read


def is_whole(value: object) -> TypeGuard[int]:
    """Whether the value is an integer, which a boolean is not."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_visible(text: str) -> bool:
    """Whether the text has a character that can be seen."""
    return any(character.isprintable() and not character.isspace() for character in text)


def finite(value: object) -> float | None:
    """The value as a float; None where it is no finite number, or a boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def brief(value: object) -> str:
    """A value as a message shows it: in the notation of the file, and cut where it is long."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() if abs(value) > MOST:
            return "a very large integer"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return f"an object with {len(value)} keys"
        case _:
            is_moment = isinstance(value, dt.date | dt.time)
            text = str(value) if is_moment else repr(value)
            return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file, and how the user would name it.

    ``may_leave`` says whether the files that it names may lie outside of its folder.
    """

    path: Path
    shown: str
    may_leave: bool = False

    def at(self, line: int) -> Place:
        """A line of this file, counted from 1; 0 is the file as a whole."""
        return Place(self.shown, line)

    def beside(self, name: str, place: Place | None = None) -> TextFile:
        """The file that this file calls ``name``, relative to its own folder.

        Every path that a suite names is resolved here: a suite comes with a pull request, and must
        not make the run read, or write, what is elsewhere on the machine.

        Raises:
            SuiteError: At ``place``, for what lies outside of the folder once links are followed.
        """
        path = self.path.parent / name
        if not self.may_leave and not _is_inside(path, self.path.parent):
            raise self.leaving(name, place)
        folder, slash, _ = self.shown.rpartition("/")
        return TextFile(path, f"{folder}{slash}{name}", self.may_leave)

    def leaving(self, name: str, place: Place | None = None) -> SuiteError:
        """The mistake of a name that leads out of this file's folder."""
        return SuiteError(
            place or self.at(0),
            f"{brief(name)} leads out of the suite's folder, as a path or by a link; move it in, or"
            " add --summ-allow-outside if you trust the suite",
        )

    def unreadable(self, error: OSError, remedy: str = "make it readable") -> SuiteError:
        """The mistake of a file that the disk does not hand out."""
        return SuiteError(self.at(0), f"{self.shown!r} cannot be read ({error.strerror}); {remedy}")


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    except ValueError:  # a NUL in the name: there is no such file anywhere
        return True


def read_lines(
    file: TextFile, owner: str = "this line", *, halves: bool = False
) -> Iterator[Fields]:
    """The objects of a JSON lines file, one at a time; messages call each ``owner``.

    ``halves`` lets half a surrogate pair pass, for texts that are cleaned afterwards.

    Raises:
        SuiteError: At the first line that is anything else than one strict JSON object, and for a
            blank line that is not at the end.
    """
    blank = 0
    try:
        with file.path.open("rb") as handle:
            for number, raw in enumerate(handle, start=1):
                if not raw.removeprefix(BOM_UTF8).strip():
                    blank = blank or number
                    continue
                if blank:
                    raise SuiteError(file.at(blank), "this line is blank ('\\n'); delete it")
                yield _object(raw, file.at(number), owner, halves=halves)
    except OSError as error:
        raise file.unreadable(error) from None


def _object(raw: bytes, place: Place, owner: str, *, halves: bool) -> Fields:
    value = read_json(decode_line(raw, place), place, halves=halves)
    if not isinstance(value, dict):
        raise SuiteError(place, "this line is no JSON object; write one {...} a line")
    return Fields(values=value, owner=owner, where=lambda _: place)


def keyed(
    rows: Iterable[Fields],
    read: Callable[[Fields], tuple[KeyT, ValueT]],
    twice: Callable[[KeyT], str],
    remedy: str = "delete one",
    unit: str = "line",
) -> dict[KeyT, ValueT]:
    """What each line of a file says, by its key; ``twice`` words that a key has two lines.

    Raises:
        SuiteError: As ``rows`` and ``read``, and at the second line of a key.
    """
    found: dict[KeyT, ValueT] = {}
    lines: dict[KeyT, int] = {}
    for fields in rows:
        key, value = read(fields)
        first = lines.setdefault(key, fields.place.line)
        if first != fields.place.line:
            raise fields.fault("", f"{twice(key)} on {unit} {first}, too; {remedy}")
        found[key] = value
    return found


def decode_line(raw: bytes, place: Place) -> str:
    """The text of one line without its line end, and of the first without a byte order mark."""
    body = raw.removesuffix(b"\n").removesuffix(b"\r")
    if place.line == 1:
        body = body.removeprefix(BOM_UTF8)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SuiteError(
            place, f"byte {error.start + 1} of this line is not UTF-8; save as UTF-8"
        ) from None


def read_json(text: str, place: Place, *, halves: bool = False) -> object:
    """One strict JSON value at its place; ``halves`` lets half a surrogate pair pass.

    In a whole file, line 0, what is no JSON is told at its line.
    """
    try:
        value = read_strict(text)
        if not halves and _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except StrictJsonError as error:
        if not place.line and error.fault == "syntax":
            place = Place(place.path, text.count("\n", 0, error.position) + 1)
        raise SuiteError(place, f"{error}; {error.remedy}") from None
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise SuiteError(
            place, f"a text holds {half!r}, half a surrogate pair; write the whole character"
        ) from None
    return value
