from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import explained

if TYPE_CHECKING:
    from tests.store.conftest import Store


def told(store: Store, error: Exception) -> str:
    """The message for an error of diskcache's or SQLite's."""
    with pytest.raises(StoreError) as caught, explained(store.database, 7):
        raise error
    return str(caught.value)


def timeout() -> Exception:
    """What diskcache raises for every transaction that cannot begin."""
    from diskcache import Timeout  # type: ignore[import-untyped]  # it ships no types

    error: Exception = Timeout()
    return error


def test_timeout_is_explained_by_a_lock(store: Store) -> None:
    """Another process is writing, or was until now."""
    message = (
        f"the store's database '{store.database}' has been locked by another process for 7 seconds;"
        " let that end, or name another directory with --summ-store=DIR"
    )
    with closing(sqlite3.connect(store.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert told(store, timeout()) == message
    assert told(store, timeout()) == message


def test_timeout_is_explained_by_damage(store: Store) -> None:
    """Nobody holds a lock on a file that is none."""
    store.database.write_bytes(b"garbage " * 1000)

    assert "is damaged, or is none (file is not a database)" in told(store, timeout())


def test_timeout_is_explained_by_a_missing_file(store: Store) -> None:
    """And none is made by asking."""
    store.database.unlink()

    assert told(store, timeout()) == (
        f"the store's database '{store.database}' cannot be written (unable to open database"
        " file); make it writable, or name another directory with --summ-store=DIR"
    )
    assert not store.database.exists()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (sqlite3.OperationalError("database is locked"), "locked by another process"),
        (sqlite3.OperationalError("database table is locked"), "locked by another process"),
        (sqlite3.OperationalError("database or disk is full"), "cannot be written (database or"),
        (sqlite3.OperationalError("disk I/O error"), "cannot be written (disk I/O error)"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "cannot be written"),
        (sqlite3.OperationalError("no such table: Settings"), "is damaged, or is none (no such"),
        (sqlite3.DatabaseError("database disk image is malformed"), "is damaged, or is none"),
        (OSError(28, "No space left on device"), "cannot be written (No space left on device)"),
    ],
)
def test_error_is_told_by_what_can_be_done(store: Store, error: Exception, message: str) -> None:
    """The words are SQLite's own, the remedy is ours."""
    assert message in told(store, error)


def test_other_errors_pass(store: Store) -> None:
    """A mistake of our own must not look like a broken store."""
    with pytest.raises(ZeroDivisionError), explained(store.database, 7):
        raise ZeroDivisionError
