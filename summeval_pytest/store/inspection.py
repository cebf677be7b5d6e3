"""A database looked at before diskcache opens it, because opening believes what stands in it.

diskcache applies each row of the table Settings on opening, as attributes of its own objects and as
SQLite pragmas, and SQLite follows journals and links beside the file. So a database is opened only
when it is one that this package has made and nobody has changed.
"""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn

from summeval_pytest.errors import StoreError
from summeval_pytest.store.place import ELSEWHERE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SETTINGS: Final[Mapping[str, str | int]] = MappingProxyType(
    {
        "statistics": 0,
        "tag_index": 0,
        "eviction_policy": "none",
        "size_limit": 2**40,
        "cull_limit": 0,
        "sqlite_auto_vacuum": 1,
        "sqlite_cache_size": 2**13,
        "sqlite_journal_mode": "wal",
        "sqlite_mmap_size": 0,  # a file cut short under a map would kill the process
        "sqlite_synchronous": 1,
        "disk_min_file_size": 2**30,
        "disk_pickle_protocol": 0,
    }
)
"""All that diskcache can be set to, so that nothing is left to its defaults or to the database."""

FORMAT_KEY: Final = "summeval"
FORMAT: Final = '{"format": 1}'
"""The row that every database of this package has from the start, and what stands in it."""

_COUNTERS: Final = frozenset({"count", "size", "hits", "misses"})
_SCHEMA: Final = frozenset(
    {
        ("table", "Settings"),
        ("table", "Cache"),
        ("index", "sqlite_autoindex_Settings_1"),
        ("index", "Cache_key_raw"),
        ("index", "Cache_expire_time"),
        ("trigger", "Settings_count_insert"),
        ("trigger", "Settings_count_delete"),
        ("trigger", "Settings_size_insert"),
        ("trigger", "Settings_size_update"),
        ("trigger", "Settings_size_delete"),
    }
)


def inspect(database: Path, lock_seconds: float) -> None:
    """Passes a database that this package has made, that nobody has changed, and that is writable.

    Raises:
        StoreError: Saying what is wrong with it.
        sqlite3.Error: Where SQLite cannot read or write it, or cannot lock it in time.
    """
    _check_files(database)
    uri = f"{database.as_uri()}?mode=rw"
    with closing(
        sqlite3.connect(uri, timeout=lock_seconds, isolation_level=None, uri=True)
    ) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        _check_schema(database, connection)
        _check_settings(database, connection)
        _check_format(database, connection)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")


def _check_files(database: Path) -> None:
    """Refuses links and journals, through which SQLite would write or delete other files."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        file = database.with_name(database.name + suffix)
        try:
            status = file.lstat()
        except FileNotFoundError:
            if not suffix:
                _refuse(database, "is gone, and its folder is there")
            continue
        if not stat.S_ISREG(status.st_mode) or suffix == "-journal":
            _refuse(file, "is something that this package never makes")
        if not suffix and not status.st_size:
            _refuse(database, "is empty")


def _check_schema(database: Path, connection: sqlite3.Connection) -> None:
    for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        if (kind, name) not in _SCHEMA or (kind == "table" and not _is_plain(text)):
            _refuse(database, f"has a {kind} {name!r} that this package never makes")
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        _refuse(database, "keeps no write-ahead log, without which processes cannot share it,")


def _is_plain(text: object) -> bool:
    """Whether a table holds its rows itself, and does not call code for them."""
    return isinstance(text, str) and text.startswith("CREATE TABLE")


def _check_settings(database: Path, connection: sqlite3.Connection) -> None:
    for name, value in connection.execute("SELECT key, value FROM Settings"):
        known = isinstance(value, int) if name in _COUNTERS else SETTINGS.get(name) == value
        if not known:
            _refuse(database, f"has the setting {name!r} = {value!r}, which this package never has")


def _check_format(database: Path, connection: sqlite3.Connection) -> None:
    row = connection.execute(
        "SELECT value FROM Cache WHERE key = ? AND raw = 1", (FORMAT_KEY,)
    ).fetchone()
    if row is None:
        _refuse(database, "lacks the row that says which format it has")
    if row != (FORMAT,):
        _refuse(database, f"is in format {row[0]!r}, and this version knows {FORMAT!r} alone,")


def _refuse(file: Path, what: str) -> NoReturn:
    raise StoreError(
        f"the store's file {str(file)!r} {what}; nothing was changed: move its folder away and"
        f" replies are asked for again, or {ELSEWHERE}"
    )
