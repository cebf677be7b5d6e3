"""Replies in a suite's files: one line a request, sorted, reviewed and committed.

A cassette is read into memory and needs no database, so it works read-only and without a network.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from codecs import BOM_UTF8
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.store.row import read_row

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping
    from pathlib import Path

    from summeval_pytest.store.row import Row

_CONFLICT: Final = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
_POINTER: Final = b"version https://git-lfs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cassette:
    """The rows of one file.

    Attributes:
        shown: The file as the user named it.
        sha256: Of the file's bytes, as 64 hex digits; with LF line ends, whatever a checkout made.
        rows: By key, in the order of their lines, which is the order of the keys.
    """

    shown: str
    sha256: str
    rows: Mapping[str, Row]

    def get(self, key: str) -> Row | None:
        """The row with this key; None if there is none."""
        return self.rows.get(key)

    def place(self, key: str) -> Place:
        """The line of a row.

        Raises:
            ValueError: If there is none with this key.
        """
        return Place(self.shown, list(self.rows).index(key) + 1)

    def unused(self, used: Container[str]) -> tuple[Row, ...]:
        """The rows whose keys are not among those used, in the order of their lines."""
        return tuple(row for key, row in self.rows.items() if key not in used)


def read_cassette(path: Path, shown: str) -> Cassette:
    """The rows of a cassette; ``shown`` is how the user would name the file.

    Raises:
        SuiteError: Where it cannot be read, and at the first line that is no row, repeats a key or
            is out of order.
    """
    try:
        content = path.read_bytes().removeprefix(BOM_UTF8).replace(b"\r\n", b"\n")
    except OSError as error:
        raise SuiteError(
            Place(shown), f"{shown!r} cannot be read ({error.strerror}); make it readable"
        ) from None
    if content.startswith(_POINTER):
        raise SuiteError(
            Place(shown, 1),
            f"{shown!r} is a git-lfs pointer and not the file itself; run 'git lfs pull'",
        )
    rows: dict[str, Row] = {}
    last = ""
    for number, raw in enumerate(content.removesuffix(b"\n").split(b"\n"), start=1):
        if not content:
            break
        row = _read(raw, Place(shown, number))
        _check_order(row.key, last, Place(shown, number))
        rows[row.key] = row
        last = row.key
    digest = hashlib.sha256(content).hexdigest()
    return Cassette(shown=shown, sha256=digest, rows=MappingProxyType(rows))


def _read(raw: bytes, place: Place) -> Row:
    if raw.startswith(_CONFLICT):
        raise SuiteError(
            place,
            f"{raw[:7].decode()!r} marks a merge conflict; keep the lines"
            " of both sides, sorted, and delete the marks",
        )
    if not raw:
        raise SuiteError(place, "this line is blank; delete it")
    try:
        return read_row(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise SuiteError(
            place, f"byte {error.start + 1} of this line is not UTF-8; save as UTF-8"
        ) from None
    except ValueError as error:
        raise SuiteError(place, f"{error}; delete the line and record it again") from None


def _check_order(key: str, last: str, place: Place) -> None:
    if key == last:
        raise SuiteError(place, f"the key {key} stands on the line before, too; delete one of them")
    if key < last:
        raise SuiteError(
            place,
            f"the key {key} stands after {last}; sort the lines, as with 'LC_ALL=C sort -u'",
        )


def write_cassette(path: Path, rows: Iterable[Row]) -> str:
    """Writes rows, sorted by key, in place of a cassette that may be there; gives its SHA-256.

    The same rows make the same bytes everywhere. Killed at any moment, it leaves the old file or
    the new one.

    Raises:
        SuiteError: Where the file cannot be written.
        ValueError: For two different rows with one key.
    """
    lines: dict[str, str] = {}
    for row in rows:
        line = row.as_line()
        if lines.setdefault(row.key, line) != line:
            raise ValueError(f"two different rows have the key {row.key}")
    content = "".join(f"{lines[key]}\n" for key in sorted(lines)).encode("utf-8")
    try:
        _replace(path.resolve(), content)
    except OSError as error:
        raise SuiteError(
            Place(path.as_posix()),
            f"{path.name!r} cannot be written ({error.strerror}); make its folder writable",
        ) from None
    return hashlib.sha256(content).hexdigest()


def _replace(path: Path, content: bytes) -> None:
    new = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with new.open("xb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
