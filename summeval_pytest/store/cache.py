"""The replies remembered on this machine, shared by all runs and workers."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NoReturn

from summeval_pytest.errors import StoreError
from summeval_pytest.store.explaining import explained
from summeval_pytest.store.inspection import FORMAT_KEY
from summeval_pytest.store.key import request_key
from summeval_pytest.store.opening import DATABASE, open_texts
from summeval_pytest.store.place import ELSEWHERE, REPLIES, prepare
from summeval_pytest.store.row import is_key, read_row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Self

    from summeval_pytest.store.row import Row

LOCK_SECONDS: Final = 10.0
"""How long another process may keep the database locked before that is an error. Writes of ours
keep it for milliseconds."""

_NOTE: Final = "note:"
_UNUSABLE: Final = "unusable {} {}"
"""What is noted under a key and a digest of the reply."""


class Cache:
    """Rows by key, and a few notes by name, in one directory; nothing is ever evicted.

    Any number of processes may have the same directory open. Within one, a cache is used and closed
    by the thread that opened it: each thread has a connection of its own, and `close` closes one.
    Calls block for well under a millisecond, unless another process writes just then.

    Args:
        directory: Made private, or checked, by `prepare`.
        lock_seconds: How long to wait for other processes.

    Raises:
        StoreError: From here and from every method: the store cannot be used, or somebody else has
            written into it. Nothing in it is mended or deleted.
    """

    def __init__(self, directory: Path, *, lock_seconds: float = LOCK_SECONDS) -> None:
        self.directory = prepare(directory)
        self._database = self.directory / REPLIES / DATABASE
        self._lock_seconds = lock_seconds
        with self._explained():
            self._texts = open_texts(self.directory, lock_seconds)
            self._opened = self._database.stat()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        with explained(self._database, self._lock_seconds):
            yield

    def get(self, key: str) -> Row | None:
        """The row with this key; None if there is none."""
        with self._explained():
            line = self._texts.get(key)
        if line is None:
            return None
        try:
            row = read_row(line)
        except ValueError as error:
            self._refuse(key, str(error))
        if row.key != key:
            self._refuse(key, f"its line has the key {row.key}")
        return row

    def put(self, row: Row) -> None:
        """Keeps a row, in place of one with the same key; whatever its mark said is over."""
        self._set(row.key, row.as_line())
        if self.mark_of(row):
            self.mark(row, "")

    def mark(self, row: Row, text: str) -> None:
        """Marks a row's reply as unusable, with a text; the row itself may be in a cassette."""
        self.put_note(_UNUSABLE.format(row.key, request_key(row.reply)), text)

    def mark_of(self, row: Row) -> str:
        """The text that a row's reply is marked with; empty for one that is not."""
        return self.note(_UNUSABLE.format(row.key, request_key(row.reply))) or ""

    def note(self, name: str) -> str | None:
        """The text noted under a name; None if there is none."""
        with self._explained():
            text = self._texts.get(_NOTE + name)
        if text is None:
            return None
        try:
            noted: object = json.loads(text)
        except (ValueError, RecursionError):
            noted = None
        if not isinstance(noted, str):
            self._refuse(_NOTE + name, "it is no JSON text")
        return noted

    def put_note(self, name: str, text: str) -> None:
        """Keeps a text under a name, in place of one that may be there."""
        self._set(_NOTE + name, json.dumps(text))

    def keys(self) -> Iterator[str]:
        """The keys of all rows, oldest first; a row put meanwhile may be among them or not."""
        with self._explained():
            for key in self._texts:
                if is_key(key):
                    yield key
                elif key != FORMAT_KEY and not key.startswith(_NOTE):
                    self._refuse(key, "it is no key of a request")

    def __len__(self) -> int:
        """How many rows there are, counted anew by reading their keys."""
        return sum(1 for _ in self.keys())

    def close(self) -> None:
        """Closes the database; what was put is kept."""
        self._texts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _set(self, key: str, text: str) -> None:
        with self._explained():
            try:
                is_there = os.path.samestat(self._database.stat(), self._opened)
            except FileNotFoundError:
                is_there = False
            if not is_there:
                raise StoreError(
                    f"the store's database {str(self._database)!r} was deleted or replaced while"
                    " this run used it, so nothing more can be remembered; run once more"
                )
            self._texts.set(key, text)

    def _refuse(self, key: str, what: str) -> NoReturn:
        shown = key if is_key(key) else ascii(key)
        raise StoreError(
            f"the row {shown} of the store {str(self.directory)!r} was not written by this package"
            f" ({what}); do not trust this store: move it away, or {ELSEWHERE}"
        ) from None
