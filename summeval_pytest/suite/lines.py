"""Text files of a suite: JSON lines and TOML, read strictly, with the line of every mistake.

Only this module opens what a suite names: no name in it leads out of the suite's folder.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import os.path
import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unicodedata import category

from summeval_pytest.errors import Place, SuiteError, nearest
from summeval_pytest.text.strict_json import (
    StrictJsonError,
    read_strict,
)

JUDGE: Final = "judge"
"""The name of a suite's item for its judge."""
RESERVED_SYSTEMS: Final = frozenset({JUDGE})
"""Names of a suite's items that no system may have."""
ALL_PAPERS: Final = "all-papers"
"""The name of a system's item for its means; in place of a paper it makes a waiver of a mean."""
RESERVED_PAPERS: Final = frozenset({ALL_PAPERS})
OWN_KEYS: Final = "x_"
"""The start of keys that a suite's owner may use freely."""
MOST: Final = 10**15 - 1
"""The largest whole number that a file may hold where no other bound is set."""

_LONGEST: Final = 200
_LISTED: Final = 12
_SHOWN: Final = 60
_ASCII_BLANK: Final = " \t\n\r\v\f"
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def check_name(name: str, kind: str, place: Place, reserved: Collection[str] = ()) -> None:
    """Refuse a name that could not be selected as part of ``suite::system::paper``.

    Raises:
        SuiteError: For a reserved or overlong name, and for one with white space, control
            characters, brackets, ``|``, ``::``, or a colon at either end. For a name that is a key
            of the suite, and ignored like the owner's own keys.
    """
    unfit = [repr(c) for c in name if c.isspace() or c in "[]|" or category(c) in _INVISIBLE]
    unfit += ["'::'"] * ("::" in name) + ["':' at an end"] * (":" in {name[:1], name[-1:]})
    if name in reserved:
        fault = "a reserved name; choose another"
    elif name.startswith(OWN_KEYS) and kind != "paper":
        fault = f"a name that starts with {OWN_KEYS}, and such keys are ignored; choose another"
    elif len(name) > _LONGEST:
        fault = f"a name of {len(name)} characters; use at most {_LONGEST}"
    elif unfit:
        fault = f"{unfit[0]} in its name, which no pytest node id can hold"
        fault = f"{fault}; use letters, digits, '-', '_' and '.'"
    else:
        return
    shown = repr(name) if len(name) <= _LONGEST else f"{name[:20]!r}..."
    raise SuiteError(place, f"{kind} {shown} has {fault}")


def closest(name: str, known: Collection[str]) -> str:
    """A clause that names the known name nearest to this one, or lists some of them."""
    clause = nearest(name, known)
    if clause.startswith("did you mean") or len(known) <= _LISTED:
        return clause
    some = ", ".join(sorted(known)[:_LISTED])
    return f"known: {some} and {len(known) - _LISTED} more"


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
            text = "null"
        case bool():
            text = str(value).lower()
        case int() if abs(value) > MOST:
            text = "a very large integer"
        case list() if value:
            text = f"a list of {len(value)}"
        case dict() if value:
            text = f"an object with {len(value)} keys"
        case dt.date() | dt.time():
            text = str(value)
        case _:
            text = repr(value)
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

    def unreadable(self, error: OSError) -> SuiteError:
        """The mistake of a file that cannot be read."""
        what = f"{self.shown!r} cannot be read ({error.strerror})"
        return SuiteError(self.at(0), f"{what}; name a file that can be read")


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    except ValueError:  # a NUL in the name: there is no such file anywhere
        return True


def read_lines(file: TextFile, *, halves: bool = False) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of a JSON lines file, one at a time, each with its line.

    ``halves`` lets half a surrogate pair pass, for texts that are cleaned afterwards.

    Raises:
        SuiteError: At the first line that is anything else than one strict JSON object, and for a
            blank line that is not at the end.
    """
    blank = 0
    for number, line in enumerate(text_lines(file), start=1):
        if not line.strip(_ASCII_BLANK):
            blank = blank or number
            continue
        if blank:
            raise SuiteError(file.at(blank), "this line is blank ('\\n'); delete it")
        place = file.at(number)
        value = read_json(line.removesuffix("\n").removesuffix("\r"), place, halves=halves)
        if not isinstance(value, dict):
            raise SuiteError(place, "this line is no JSON object; write one {...} a line")
        yield number, value


def text_lines(file: TextFile) -> Iterator[str]:
    """The lines of a UTF-8 text, each with its line end, without a byte order mark."""
    number = 0
    try:
        with file.path.open("rb") as handle:
            for raw in handle:
                number += 1
                yield (raw if number > 1 else raw.removeprefix(BOM_UTF8)).decode()
    except OSError as error:
        raise file.unreadable(error) from None
    except UnicodeDecodeError as error:
        what = f"byte {error.start + 1} of this line is not UTF-8"
        raise SuiteError(file.at(number), f"{what}; save as UTF-8") from None


def read_json(text: str, place: Place, *, halves: bool = False) -> object:
    """One strict JSON value at its place; ``halves`` lets half a surrogate pair pass.

    In a whole file, line 0, a mistake in the syntax is reported at its line.
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
        what = f"a text holds {half!r}, half a surrogate pair"
        raise SuiteError(place, f"{what}; write the whole character") from None
    return value


Keys = tuple[str, ...]
_PART: Final = r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'"""
_KEY: Final = rf"(?:{_PART})(?:[ \t]*\.[ \t]*(?:{_PART}))*"
_STATEMENT: Final = re.compile(rf"\s*(\[\[?[ \t]*)?({_KEY})")  # its first brackets, and its key
_ONE_PART: Final = re.compile(_PART)
_PIECE: Final = re.compile(  # of a value: a string, a comment, a bracket, a line end, the rest
    r'"""(?:\\.|[^\\])*?"""(?:"{1,2})?'
    r"|'''.*?'''(?:'{1,2})?"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}\n]|[^\"'#\[\]{}\n]+",
    re.DOTALL,
)
_POSITION: Final = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlText:
    """The values of a TOML file, and the line of each key, which tomllib does not give."""

    file: TextFile
    values: dict[str, object]
    lines: Mapping[Keys, int]

    def place(self, *path: str) -> Place:
        """The place of a key, or of the nearest table around it that has a line."""
        paths = (path[:length] for length in range(len(path), 0, -1))
        return self.file.at(next((self.lines[p] for p in paths if p in self.lines), 0))


def read_toml(file: TextFile) -> TomlText:
    """A TOML file, read strictly."""
    text = "".join(text_lines(file)).replace("\r\n", "\n").removesuffix("\r")
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _no_toml(file, text, str(error)) from None
    except (ValueError, RecursionError) as error:  # int() refuses thousands of digits
        raise SuiteError(file.at(0), f"no TOML: {str(error).partition(';')[0]}; mend it") from None
    return TomlText(file=file, values=values, lines=_lines_of_keys(text))


def _lines_of_keys(text: str) -> dict[Keys, int]:
    lines: dict[Keys, int] = {}
    for table, key, line in key_lines(text):
        path = table + key
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], line)
        if not key:
            lines[path] = line
    return lines


def _no_toml(file: TextFile, text: str, message: str) -> SuiteError:
    position = _POSITION.search(message)
    lines = text.rstrip().split("\n")
    line = int(position[1]) if position and position[1] else len(lines)
    what, remedy = _POSITION.sub("", message), "mend it"
    if what == "Cannot overwrite a value":
        remedy = "write each key once"
        if "." in lines[line - 1].partition("=")[0]:
            remedy += ', and quote a name with a dot, as in "facet.method" = 2'
    column = f" at column {position[2]}" if position and position[2] else ""
    return SuiteError(
        file.at(line), f"no TOML{column}: {what}, in {brief(lines[line - 1])}; {remedy}"
    )


def key_lines(text: str) -> Iterator[tuple[Keys, Keys, int]]:
    """Every key of a TOML text, in order: the table it stands under, its parts, its line.

    A table's header has no parts. The text is TOML up to its last key. Keys of inline tables are
    left out: their line is the table's.
    """
    table: Keys = ()
    line = 1
    for statement in _statements(text):
        if key := _STATEMENT.match(statement):
            parts = tuple(_plain(part[0]) for part in _ONE_PART.finditer(key[2]))
            table = parts if key[1] else table
            yield table, () if key[1] else parts, line
        line += statement.count("\n")


def _statements(text: str) -> Iterator[str]:
    """The statements of a TOML text; strings and brackets in them may span lines."""
    start = depth = 0
    for piece in _PIECE.finditer(text):
        depth += (piece[0] in "[{") - (piece[0] in "]}")
        if piece[0] == "\n" and depth == 0:
            yield text[start : piece.end()]
            start = piece.end()
    yield text[start:]


def _plain(part: str) -> str:
    return str(tomllib.loads(f"key = {part}")["key"]) if part[0] in "\"'" else part
