"""The lines of a suite's text file: UTF-8; a byte order mark and CRLF line ends change nothing."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.errors import Place, SuiteError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file, and how the user would name it."""

    path: Path
    shown: str

    def at(self, line: int) -> Place:
        """A line of this file, counted from 1; 0 is the file as a whole."""
        return Place(self.shown, line)

    def beside(self, name: str) -> TextFile:
        """The file that this file calls ``name``, relative to its own folder."""
        folder, slash, _ = self.shown.rpartition("/")
        return TextFile(self.path.parent / name, f"{folder}{slash}{name}")


def decode_line(raw: bytes, place: Place) -> str:
    """The text of one line without its line end, and of the first without a byte order mark.

    Raises:
        SuiteError: For bytes that are not UTF-8.
    """
    body = raw.removesuffix(b"\n").removesuffix(b"\r")
    if place.line == 1:
        body = body.removeprefix(BOM_UTF8)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = body[error.start : error.start + 1]
        raise SuiteError(
            place, f"byte {error.start + 1} of this line, {byte!r}, is not UTF-8; save as UTF-8"
        ) from None
