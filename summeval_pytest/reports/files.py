"""The files that a run can write. Each is written as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Final

from summeval_pytest.options import TABLE, Report
from summeval_pytest.verdict.run import RunVerdict

_PROJECT: Final = "CI_PROJECT_DIR"
"""The variable that names the root of the repository at GitLab."""
Locate = Callable[[str], str]
"""Makes the path of a file of the run relative to the root of the repository."""
Pieces = Callable[["RunVerdict", Locate], Iterable[str]]


def report_of(option: str) -> Report:
    """The report whose file an option names."""
    report = TABLE[option].report
    assert report is not None
    return report


def report_pieces(option: str, run: RunVerdict, start: Path) -> Iterable[str]:
    """The report of an option, in pieces of its file; the run's own files start from a folder."""
    module, _, function = report_of(option).function.partition(":")
    make: Pieces = getattr(import_module(f"summeval_pytest.{module}"), function)
    return make(run, from_root(start, Path(os.environ.get(_PROJECT) or start)))


def from_root(start: Path, root: Path) -> Callable[[str], str]:
    """Make paths from ``start`` relative to a repository's root; a path outside stays as it is."""
    root = root.resolve()

    def located(shown: str) -> str:
        try:
            path = (start / shown).resolve()
        except ValueError:  # no file has such a name
            return shown
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else shown

    return located


def write_whole(file: Path, text: str | Iterable[str]) -> str:
    """Write a file and its folder; return what went wrong, or an empty text.

    A pipe, as /dev/stdout, is written into.
    """
    pieces = (text,) if isinstance(text, str) else text
    try:
        if file.exists() and not file.is_file():  # what it leads to may have no name
            with file.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(pieces)
        else:
            file = file.resolve()
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file) as stream:
                stream.writelines(piece.encode() for piece in pieces)
    except OSError as error:
        return f"{file} cannot be written ({error.strerror}); name another file"
    return ""


@contextmanager
def replacing(file: Path) -> Iterator[IO[bytes]]:
    """A file beside ``file``, which takes its place at the end, with the rights of a new one."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        umask = os.umask(0)  # which can only be read by setting it
        os.umask(umask)
        made.chmod(0o666 & ~umask)
        made.replace(file)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def unwritable(file: Path) -> str:
    """Why a file cannot be written; empty where nothing speaks against it yet."""
    if file.is_dir():
        return "it is a folder"
    if file.exists() and not file.is_file():
        return ""
    if not file.parent.is_dir():
        return "its folder is not there"
    return "" if os.access(file.parent, os.W_OK) else "its folder cannot be written"


def append(file: Path, text: str) -> str:
    """Add to a file; return what went wrong, or an empty text."""
    try:
        with file.open("a", encoding="utf-8") as handle:
            handle.write(text)
    except OSError as error:
        return f"cannot be written ({error.strerror})"
    return ""
