"""A database of replies made and opened, by any number of processes at the same time."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from summeval_pytest.store.disk import text_disk
from summeval_pytest.store.inspection import FORMAT, FORMAT_KEY, SETTINGS, inspect
from summeval_pytest.store.place import REPLIES, UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Iterator

DATABASE: Final = "cache.db"
"""diskcache's name for its database."""


class Texts(Protocol):
    """What we use of a `diskcache.Cache`: texts by key."""

    def get(self, key: str) -> str | None:
        """The text under a key."""
        ...

    def set(self, key: str, value: str) -> bool:
        """Puts a text under a key, in place of one that may be there."""
        ...

    def __iter__(self) -> Iterator[str]: ...

    def close(self) -> None:
        """Closes what this thread has opened."""
        ...


def open_texts(directory: Path, lock_seconds: float) -> Texts:
    """The texts in a store's directory; an empty database is made where there is none.

    Raises:
        StoreError: Where there is something else than what this package makes.
        OSError: Where the folder cannot be made.
        sqlite3.Error: Where the database cannot be read, written or locked.
    """
    folder = directory / REPLIES
    if not folder.exists():
        _make(directory, folder)
    inspect(folder / DATABASE, lock_seconds)
    return _texts(folder, lock_seconds)


def _texts(folder: Path, lock_seconds: float) -> Texts:
    from diskcache import Cache  # type: ignore[import-untyped]  # it ships no types

    texts: Texts = Cache(str(folder), timeout=lock_seconds, disk=text_disk(), **SETTINGS)
    return texts


def _make(directory: Path, folder: Path) -> None:
    """Makes a database elsewhere and moves it into place, so that it is whole or not there.

    A process killed meanwhile leaves its unfinished folder, which nobody reads; of two that finish
    together, one database stays.
    """
    new = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=directory))
    try:
        texts = _texts(new, lock_seconds=1)  # nobody else knows this place
        texts.set(FORMAT_KEY, FORMAT)
        texts.close()
        new.rename(folder)
    except OSError:
        if not folder.exists():
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
