"""Strict JSON lines: one object a line, each found again later by its byte offset."""

from __future__ import annotations

import json
import math
import re
from codecs import BOM_UTF8
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn
from zlib import crc32

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.lines import TextFile, decode_line
from summeval_pytest.text import check_depth

if TYPE_CHECKING:
    from collections.abc import Iterator

_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SHOWN: Final = 40
TOO_DEEP: Final = "this line is nested too deeply to be read; mend it"


class Spot(NamedTuple):
    """Where a line lies in its file, and a checksum that tells whether it still does."""

    offset: int
    line: int
    checksum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a file, read as a JSON object."""

    values: dict[str, object]
    place: Place
    spot: Spot


class _NotAllowedError(ValueError):
    """Something that JSON, or Python's reading of it, lets through and a suite does not."""


def read_lines(file: TextFile, *, halves: bool = False) -> Iterator[Line]:
    """The objects of a JSON lines file, one at a time.

    ``halves`` lets half a surrogate pair pass, for texts that are cleaned afterwards.

    Raises:
        SuiteError: At the first line that is anything else than one strict JSON object, and for a
            blank line that is not at the end.
    """
    offset = 0
    blank = 0
    try:
        with file.path.open("rb") as handle:
            for number, raw in enumerate(handle, start=1):
                if not raw.removeprefix(BOM_UTF8).strip():
                    blank = blank or number
                elif blank:
                    raise SuiteError(file.at(blank), "this line is blank ('\\n'); delete it")
                else:
                    spot = Spot(offset, number, crc32(raw))
                    yield _read(raw, file.at(number), spot, halves=halves)
                offset += len(raw)
    except OSError as error:
        raise _unreadable(file, error) from None


def read_again(file: TextFile, spot: Spot) -> Line:
    """The line that was read from this spot before.

    Raises:
        SuiteError: Where the file no longer holds that line there.
    """
    try:
        with file.path.open("rb") as handle:
            handle.seek(spot.offset)
            raw = handle.readline()
    except OSError as error:
        raise _unreadable(file, error) from None
    place = file.at(spot.line)
    if crc32(raw) != spot.checksum:
        raise SuiteError(place, f"{file.shown!r} changed after the suite was loaded; run once more")
    return _read(raw, place, spot)


def _unreadable(file: TextFile, error: OSError) -> SuiteError:
    return SuiteError(
        file.at(0), f"{file.shown!r} cannot be read ({error.strerror}); make it readable"
    )


def _read(raw: bytes, place: Place, spot: Spot, *, halves: bool = False) -> Line:
    text = decode_line(raw, place)
    value = read_json(text, place, halves=halves)
    if not isinstance(value, dict):
        raise SuiteError(place, "this line is no JSON object; write one {...} a line")
    return Line(values=value, place=place, spot=spot)


def read_json(text: str, place: Place, *, halves: bool = False) -> object:
    """One JSON value, read without Python's leniency.

    Raises:
        SuiteError: For what is no JSON, for a key that stands twice in one object, for NaN and
            Infinity, for half a surrogate pair unless ``halves`` lets it pass, and for nesting and
            numbers beyond any use.
    """
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
        check_depth(value)
        if not halves and _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        # Nothing of the text: what is no JSON may be a file that nobody meant to show.
        raise SuiteError(
            place, f"no JSON at column {error.colno}: {error.msg}; mend the line"
        ) from None
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise SuiteError(
            place, f"a text holds {half!r}, half a surrogate pair; write the whole character"
        ) from None
    except _NotAllowedError as error:
        raise SuiteError(place, str(error)) from None
    except RecursionError:
        raise SuiteError(place, TOO_DEEP) from None
    except ValueError:  # int() refuses thousands of digits
        raise SuiteError(
            place, "this line holds a number with too many digits; shorten the number"
        ) from None
    return value


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _NotAllowedError(f"the key {_start(twice)} stands twice in one object; delete one")
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise _NotAllowedError(f"{name!r} is no JSON number; write a finite number, or leave it out")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _NotAllowedError(
            f"the number {_start(digits)} is too large to be read; write a smaller one"
        )
    return number


def _start(text: str) -> str:
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}..."
