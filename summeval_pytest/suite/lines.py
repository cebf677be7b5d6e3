"""The lines of a suite's text file: UTF-8, LF line ends, no byte order mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import Place, SuiteError

if TYPE_CHECKING:
    from pathlib import Path

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


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
    """The text of one line without its line end.

    Raises:
        SuiteError: For a CRLF line end, a byte order mark and bytes that are not UTF-8.
    """
    body = raw.removesuffix(b"\n")
    if body.endswith(b"\r"):
        suffix = place.path.rpartition(".")[2]
        raise SuiteError(
            place,
            r"this line ends with '\r\n'; save the file with LF line ends"
            f" (for git: '*.{suffix} text eol=lf' in .gitattributes)",
        )
    if body.startswith(_BYTE_ORDER_MARK):
        raise SuiteError(
            place,
            r"this line starts with a byte order mark, '\ufeff';"
            " save the file as UTF-8 without one",
        )
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = body[error.start : error.start + 1]
        raise SuiteError(
            place, f"byte {error.start + 1} of this line, {byte!r}, is not UTF-8; save as UTF-8"
        ) from None
