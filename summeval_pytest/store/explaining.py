"""What went wrong in the database, in words that say what a user can do about it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import StoreError
from summeval_pytest.store.place import ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_UNWRITABLE: Final = ("readonly", "unable to open", "disk is full", "disk I/O")


@contextmanager
def explained(database: Path, lock_seconds: float) -> Iterator[None]:
    """Whatever diskcache and SQLite raise inside, raised as a `StoreError` that names the file.

    Nothing is mended, moved or deleted: the user may want what is left.
    """
    from diskcache import Timeout  # type: ignore[import-untyped]  # it ships no types

    try:
        yield
    except Timeout:
        raise _explain(database, _why_no_transaction(database), lock_seconds) from None
    except sqlite3.Error as error:
        raise _explain(database, str(error), lock_seconds) from None
    except OSError as error:
        raise _unwritable(database, error.strerror or str(error)) from None


def _why_no_transaction(database: Path) -> str:
    """What SQLite says to beginning one: diskcache speaks of a timeout, whatever the reason."""
    try:
        with closing(
            sqlite3.connect(f"{database.as_uri()}?mode=rw", timeout=0, uri=True)
        ) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return str(error)
    return "database is locked"  # it was, until just now


def _explain(database: Path, told: str, lock_seconds: float) -> StoreError:
    if "locked" in told:
        return StoreError(
            f"the store's database {str(database)!r} has been locked by another process for"
            f" {lock_seconds:g} seconds; let that end, or {ELSEWHERE}"
        )
    if any(word in told for word in _UNWRITABLE):
        return _unwritable(database, told)
    return StoreError(
        f"the store's database {str(database)!r} is damaged, or is none ({told}); nothing in it was"
        f" changed: move it away and replies are asked for again, or {ELSEWHERE}"
    )


def _unwritable(database: Path, told: str) -> StoreError:
    return StoreError(
        f"the store's database {str(database)!r} cannot be written ({told}); make it writable, or"
        f" {ELSEWHERE}"
    )
