"""Items that stay in their file: offsets are held, and a line is read when it is asked for."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
V = TypeVar("V")


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


class Stored(Sequence[T_co]):
    """A sequence whose items are read when they are asked for, each time anew.

    Args:
        reads: For each item, who reads it.
    """

    def __init__(self, reads: Sequence[Callable[[], T_co]]) -> None:
        self.reads = reads

    def __len__(self) -> int:
        return len(self.reads)

    @overload
    def __getitem__(self, place: int) -> T_co: ...
    @overload
    def __getitem__(self, place: slice) -> Stored[T_co]: ...
    def __getitem__(self, place: int | slice) -> T_co | Stored[T_co]:
        if isinstance(place, slice):
            return Stored(self.reads[place])
        return self.reads[place]()

    def mapped(self, change: Callable[[T_co], V]) -> Stored[V]:
        """The same with every item changed, each when it is asked for."""
        return Stored([partial(_changed, change, read) for read in self.reads])


def _changed(change: Callable[[T], V], read: Callable[[], T]) -> V:
    return change(read())


class StoredByName(Mapping[str, V]):
    """A mapping whose values are read when they are asked for.

    Args:
        reads: For each name, who reads its value.
    """

    def __init__(self, reads: Mapping[str, Callable[[], V]]) -> None:
        self._reads = reads

    def __len__(self) -> int:
        return len(self._reads)

    def __iter__(self) -> Iterator[str]:
        return iter(self._reads)

    def __contains__(self, name: object) -> bool:
        return name in self._reads

    def __getitem__(self, name: str) -> V:
        return self._reads[name]()
