"""Lines of a file that are read again by where they start, so that a run of any size fits."""

from __future__ import annotations

import os
import tempfile
import weakref
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class LineFile:
    """The lines of a file that is open as long as anybody may ask for one.

    Args:
        handle: The file, open for reading, and for writing where lines are added. What cannot be
            read twice, as a pipe, is copied.
    """

    def __init__(self, handle: IO[bytes]) -> None:
        if not handle.seekable():
            with handle:
                copied = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as its lines
                copied.write(handle.read())
            copied.seek(0)
            handle = copied
        self._handle = handle
        weakref.finalize(self, handle.close)

    def all(self) -> Iterator[tuple[int, bytes]]:
        """Every line from the first on, with where it starts."""
        start = 0
        while line := self.at(start):
            yield start, line
            start += len(line)

    def at(self, start: int) -> bytes:
        """The line that starts there; empty at the end of the file."""
        self._handle.seek(start)
        return self._handle.readline()

    def add(self, text: str) -> int:
        """Adds a line, at once for whoever reads the file; returns where it starts."""
        start = self._handle.seek(0, os.SEEK_END)
        self._handle.write(text.encode() + b"\n")
        self._handle.flush()
        return start


def new_lines(file: Path | None) -> LineFile:
    """An empty file to add lines to: one without a name for None, and where none can be made.

    What was there under the name is gone, and never written into: it may be a link.
    """
    if file is not None:
        try:
            file.unlink(missing_ok=True)
            return LineFile(file.open("x+b"))
        except OSError:
            pass  # whoever writes the report itself says why
    return LineFile(tempfile.TemporaryFile())
