"""Replies by the key of their request, in a suite's files: sorted, reviewed and committed.

A cassette is read into memory and needs no database, so it works read-only and without a network.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from codecs import BOM_UTF8
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.text.strict_json import read_strict

HIDDEN: Final = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff"
    "\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f"
    "\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\U000110bd\\U000110cd"
    "\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a"
    "\\U000e0001\\U000e0020-\\U000e007f]"
)
"""One character that is written as an escape: control, format (bidirectional marks among them),
line separator or half a surrogate pair. Written out, and not asked of `unicodedata`, so that every
Python writes the same bytes."""

_EXACT: Final = 2**53
"""Up to here a float that is whole is one number only."""
_KEY: Final = re.compile("[0-9a-f]{64}")
_WIDTH: Final = 40


def request_key(identity: Mapping[str, object]) -> str:
    """The SHA-256, as 64 hex digits, of an identity's canonical JSON.

    Canonical: keys sorted, no spaces, ASCII only, and a whole number written without a fraction, so
    that equal requests have equal keys however their numbers were given. A ValueError for NaN and
    infinity, a TypeError for anything else that is no JSON value.
    """
    value = _canonical(identity)
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _canonical(value: object) -> object:
    match value:
        case Mapping() if all(isinstance(name, str) for name in value):
            return {name: _canonical(part) for name, part in value.items()}
        case list() | tuple():
            return [_canonical(part) for part in value]
        case float() if value.is_integer() and abs(value) < _EXACT:
            return int(value)
        case None | bool() | str() | int() | float():
            return value
        case _:
            raise TypeError(f"{value!r} is no JSON value, so it cannot be part of a request's key")


@dataclass(frozen=True, slots=True)
class Row:
    """One reply as the store keeps it; what the reply means is its reader's business.

    ``key`` is what `request_key` makes of the request, else there is a ValueError. ``topic`` says
    in a few words what was asked, for readers of a cassette. ``reply`` is a JSON object.
    """

    key: str
    topic: str
    reply: Mapping[str, object]

    def __post_init__(self) -> None:
        if not is_key(self.key):
            raise ValueError(f"a row's key is 64 hex digits, and not {_start(self.key)}")

    def as_line(self) -> str:
        """The row as one JSON line without its line end; `read_row` is the way back.

        Keys are sorted and hidden characters escaped. Two halves of a surrogate pair that stand
        side by side come back as the one character they make. A ValueError for NaN and infinity, a
        TypeError for what is no JSON value.
        """
        values = {"key": self.key, "topic": self.topic, "reply": dict(self.reply)}
        text = json.dumps(values, ensure_ascii=False, sort_keys=True, allow_nan=False)
        return HIDDEN.sub(_escaped, text)


def is_key(text: str) -> bool:
    """Whether a text is a request's key: 64 hex digits in lower case."""
    return _KEY.fullmatch(text) is not None


def read_row(line: str, expected: str = "") -> Row:
    """The row that a line without its line end holds, which may have to have the expected key.

    A ValueError, whose message is safe to print, for anything else than `Row.as_line` writes, other
    spacing, order and escapes aside.
    """
    if hidden := HIDDEN.search(line):
        raise ValueError(
            f"character {hidden.start() + 1} is hidden; it has to be written as {_escaped(hidden)}"
        )
    match read_strict(line):
        case {"key": str(key), "topic": str(topic), "reply": dict(reply), **more} if not more:
            row = Row(key, topic, reply)
            if expected and key != expected:
                raise ValueError(f"its line has the key {key}")
            return row
        case {"key": _, "topic": _, "reply": _, **more} if not more:
            raise ValueError("a row's key and topic are texts, and its reply is a JSON object")
        case dict(values):
            names = ", ".join(_start(name) for name in sorted(values)) or "nothing"
            raise ValueError(f"a row has 'key', 'reply' and 'topic', and this has {names}")
        case _:
            raise ValueError("the line is no JSON object")


def _escaped(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def _start(text: str) -> str:
    """How a text begins, in quotes and safe to print."""
    return ascii(text) if len(text) <= _WIDTH else f"{text[:_WIDTH]!a}..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Cassette:
    """The rows of one file by key, in the order of the keys, which is that of their lines.

    ``shown`` is the file as the user named it, ``sha256`` the 64 hex digits of its bytes, with LF
    line ends, whatever a checkout made.
    """

    shown: str
    sha256: str
    rows: Mapping[str, Row]

    def unused(self, used: Container[str]) -> tuple[Row, ...]:
        """The rows whose keys are not among those used, in the order of their lines."""
        return tuple(row for key, row in self.rows.items() if key not in used)


def read_cassette(path: Path, shown: str) -> Cassette:
    """The rows of a cassette; ``shown`` is how the user would name the file.

    A SuiteError where it cannot be read, and at the first line that is no row, repeats a key or is
    out of order.
    """
    try:
        content = path.read_bytes().removeprefix(BOM_UTF8).replace(b"\r\n", b"\n")
    except OSError as error:
        message = f"{shown!r} cannot be read ({error.strerror}); make it readable"
        raise SuiteError(Place(shown), message) from None
    if content.startswith(b"version https://git-lfs"):
        message = f"{shown!r} is a git-lfs pointer and not the file itself; run 'git lfs pull'"
        raise SuiteError(Place(shown, 1), message)
    rows: dict[str, Row] = {}
    last = ""
    for number, raw in enumerate(content.removesuffix(b"\n").split(b"\n") if content else (), 1):
        try:
            row = _read(raw, last)
        except ValueError as error:
            raise SuiteError(Place(shown, number), str(error)) from None
        rows[row.key], last = row, row.key
    digest = hashlib.sha256(content).hexdigest()
    return Cassette(shown=shown, sha256=digest, rows=MappingProxyType(rows))


def _read(raw: bytes, last: str) -> Row:
    """The row of a line after the row with the key ``last``."""
    if raw.startswith((b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")):
        raise ValueError(
            f"{raw[:7].decode()!r} marks a merge conflict; keep the lines"
            " of both sides, sorted, and delete the marks"
        )
    if not raw:
        raise ValueError("this line is blank; delete it")
    try:
        row = read_row(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} of this line is not UTF-8; save as UTF-8"
        raise ValueError(message) from None
    except ValueError as error:
        raise ValueError(f"{error}; delete the line and record it again") from None
    if row.key <= last:
        raise ValueError(
            f"the key {row.key} stands after {last}; keep one line for each key and sort them, as"
            " with 'LC_ALL=C sort -u'"
        )
    return row


def write_cassette(path: Path, rows: Iterable[Row]) -> str:
    """Writes rows, sorted by key, in place of a cassette that may be there; gives its SHA-256.

    The same rows make the same bytes everywhere. Killed at any moment, it leaves the old file or
    the new one. A SuiteError where the file cannot be written, a ValueError for two different rows
    with one key.
    """
    lines: dict[str, str] = {}
    for row in rows:
        line = row.as_line()
        if lines.setdefault(row.key, line) != line:
            raise ValueError(f"two different rows have the key {row.key}")
    content = "".join(f"{lines[key]}\n" for key in sorted(lines)).encode("utf-8")
    shown, name, path = path.as_posix(), path.name, path.resolve()
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with new.open("xb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        new.replace(path)
    except OSError as error:
        message = f"{name!r} cannot be written ({error.strerror}); make its folder writable"
        raise SuiteError(Place(shown), message) from None
    finally:
        new.unlink(missing_ok=True)
    return hashlib.sha256(content).hexdigest()
