"""The lines of a suite's text file: UTF-8; a byte order mark and CRLF line ends change nothing."""

from __future__ import annotations

import os.path
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.suite.fields import brief

if TYPE_CHECKING:
    from summeval_pytest.suite.fields import Fields


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


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    except ValueError:  # a NUL in the name: there is no such file anywhere
        return True


def named_file(fields: Fields, key: str, suite: TextFile) -> TextFile:
    """The file that a key of a suite names; it need not be there.

    Raises:
        SuiteError: For a path that is absolute, or leads out of the suite's folder.
    """
    name = fields.text(key)
    if Path(name).is_absolute() or PureWindowsPath(name).is_absolute():
        raise fields.wrong(key, name, "a path relative to the suite file's folder")
    return suite.beside(name, fields.where(key))


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
        raise SuiteError(
            place, f"byte {error.start + 1} of this line is not UTF-8; save as UTF-8"
        ) from None
