"""The store: replies kept in a local diskcache database, checked before it is used."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cassette import is_key, read_row
from summeval_pytest.store.key import request_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from summeval_pytest.store.cassette import Row


ELSEWHERE: Final = "name another directory with --summ-store=DIR"
"""What a user can always do about a store that cannot be used."""
_ASKED_AGAIN: Final = f"and replies are asked for again, or {ELSEWHERE}"
_DISTRUST: Final = f"do not trust this store: move it away, or {ELSEWHERE}"

LOCKS: Final = "locks"
"""The folder, inside the store's directory, with a file for each request that is on its way."""

_REPLIES: Final = "replies"
_DATABASE: Final = "cache.db"  # diskcache's name for it
_UNFINISHED: Final = "new-replies-"  # how the name of a folder begins that a database is made in
_OURS: Final = frozenset({_REPLIES, LOCKS, ".gitignore", "CACHEDIR.TAG"})
_TAG: Final = """\
Signature: 8a477f597d28d172789f06886806bc55
# Replies of language models, kept by summeval-pytest. Backups may leave this directory out.
# About this file: https://bford.info/cachedir/
"""
_GITIGNORE: Final = "# Made by summeval-pytest: a cache is nobody's source.\n*\n"


def default_directory() -> Path:
    """The store unless the user names one: in the user's cache directory."""
    from platformdirs import user_cache_path

    return user_cache_path("summeval", appauthor=False)


def prepare(directory: Path) -> Path:
    """The directory, absolute, made if it is not there, and fit to be a store.

    A new one is readable by its owner alone. What it holds is kept out of git and of backups. A
    StoreError where it is no directory, belongs to somebody else, lets others write into it, holds
    other things than a store, or cannot be written.
    """
    shown = f"the store {str(directory)!r}"
    try:
        place = directory.expanduser().resolve()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_private(place)
        _check_ours(place)
        for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", _GITIGNORE)):
            with suppress(FileExistsError), (place / name).open("x", encoding="utf-8") as handle:
                handle.write(text)
    except (FileExistsError, NotADirectoryError):
        told = "cannot be made, as a file is in its place"
        raise StoreError(f"{shown} {told}; {ELSEWHERE}") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, or no home
        told = getattr(error, "strerror", None) or str(error)
        raise StoreError(f"{shown} cannot be used ({told}); {ELSEWHERE}") from None
    return place


def _check_private(place: Path) -> None:
    if sys.platform == "win32":
        return
    status = place.stat()
    if status.st_uid != os.geteuid():
        raise StoreError(
            f"the store {str(place)!r} belongs to somebody else (user {status.st_uid}), who could"
            f" put words into a judge's mouth; {ELSEWHERE}"
        )
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StoreError(
            f"others may write into the store {str(place)!r}, and so put words into a judge's"
            f" mouth; run 'chmod go-w' on it if nobody has, or {ELSEWHERE}"
        )
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        raise StoreError(
            f"the store {str(place)!r} cannot be written; run 'chmod u+rwx' on it, or {ELSEWHERE}"
        )


def _check_ours(place: Path) -> None:
    """Refuses a directory of other things: what is written here would hide them from git."""
    names = {entry.name for entry in place.iterdir()}
    foreign = sorted(name for name in names - _OURS if not name.startswith(_UNFINISHED))
    if foreign and "CACHEDIR.TAG" not in names:
        raise StoreError(
            f"the directory {str(place)!r} holds other things than a store (such as"
            f" {foreign[0]!r}); name an empty or a new directory with --summ-store=DIR"
        )


_RAW: Final = 1  # diskcache's mode of a value that stands in its row as it is
_IN_FILE: Final = "a value in a file"


@cache
def text_disk() -> type:
    """The class of disks to open a `diskcache.Cache` with; made when first wanted.

    diskcache pickles what is no text and puts long texts into files, so that a planted row could
    run code, or read and delete a file. This disk knows texts in rows, and refuses all else.
    """
    from diskcache import Disk  # type: ignore[import-untyped]  # it ships no types

    class TextDisk(Disk):  # type: ignore[misc]  # its base has no types
        _directory: str

        def put(self, key: object) -> tuple[str, bool]:
            return _text(key, "key", self._directory), True

        def get(self, key: object, raw: object) -> str:
            return _text(key if raw else None, "key", self._directory)

        def store(
            self, value: object, read: object, key: object = None
        ) -> tuple[int, int, None, str]:
            """A value's columns: size of its file, mode, name of its file, and the text."""
            del key
            return 0, _RAW, None, _text(None if read else value, "value", self._directory)

        def fetch(self, mode: object, filename: object, value: object, read: object) -> str:
            if filename is not None:
                _refuse_row(_IN_FILE, self._directory)
            is_raw = mode == _RAW and not read
            return _text(value if is_raw else None, "value", self._directory)

        def filename(self, key: object = None, value: object = None) -> NoReturn:
            del key, value
            _refuse_row(_IN_FILE, self._directory)

        def remove(self, file_path: object) -> NoReturn:
            del file_path
            _refuse_row(_IN_FILE, self._directory)

    return TextDisk


def _text(value: object, role: str, directory: str) -> str:
    if type(value) is not str:
        _refuse_row(f"a {role} that is no text", directory)
    return value


def _refuse_row(what: str, directory: str) -> NoReturn:
    raise StoreError(
        f"the store {directory!r} has a row with {what}, which this package never writes;"
        f" somebody else wrote it, so {_DISTRUST}"
    )


SETTINGS: Final[Mapping[str, str | int]] = {
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
"""All that diskcache can be set to, so that nothing is left to its defaults or to the database."""

_FORMAT_KEY: Final = "summeval"
_FORMAT: Final = '{"format": 1}'
"""The row that every database of this package has from the start, and what stands in it."""
_COUNTERS: Final = frozenset({"count", "size", "hits", "misses"})
_SCHEMA: Final = {
    "table": {"Settings", "Cache"},
    "index": {"sqlite_autoindex_Settings_1", "Cache_key_raw", "Cache_expire_time"},
    "trigger": {
        "Settings_count_insert", "Settings_count_delete",
        "Settings_size_insert", "Settings_size_update", "Settings_size_delete",
    },
}  # fmt: skip


def _inspect(database: Path, lock_seconds: float) -> None:
    """Passes a database that this package has made, that nobody has changed, and that is writable.

    A StoreError says what is wrong with it; a sqlite3.Error, that SQLite cannot read, write or lock
    it.
    """
    _check_files(database)
    with closing(_connect(database, lock_seconds)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        _check_schema(database, connection)
        _check_rows(database, connection)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")


def _connect(database: Path, lock_seconds: float) -> sqlite3.Connection:
    uri = f"{database.as_uri()}?mode=rw"
    return sqlite3.connect(uri, timeout=lock_seconds, isolation_level=None, uri=True)


def _check_files(database: Path) -> None:
    """Refuses links and journals, through which SQLite would write or delete other files."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        file = database.with_name(database.name + suffix)
        try:
            status = file.lstat()
        except FileNotFoundError:
            if not suffix:
                _refuse_file(database, "is gone, and its folder is there")
            continue
        if not stat.S_ISREG(status.st_mode) or suffix == "-journal":
            _refuse_file(file, "is something that this package never makes")
        if not suffix and not status.st_size:
            _refuse_file(database, "is empty")


def _check_schema(database: Path, connection: sqlite3.Connection) -> None:
    for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        # A virtual table would call code for its rows.
        is_plain = kind != "table" or str(text).startswith("CREATE TABLE")
        if name not in _SCHEMA.get(kind, ()) or not is_plain:
            _refuse_file(database, f"has a {kind} {name!r} that this package never makes")
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        _refuse_file(database, "keeps no write-ahead log, without which processes cannot share it,")


def _check_rows(database: Path, connection: sqlite3.Connection) -> None:
    for name, value in connection.execute("SELECT key, value FROM Settings"):
        if not (isinstance(value, int) if name in _COUNTERS else SETTINGS.get(name) == value):
            told = f"has the setting {name!r} = {value!r}, which this package never has"
            _refuse_file(database, told)
    found = "SELECT value FROM Cache WHERE key = ? AND raw = 1"
    row = connection.execute(found, (_FORMAT_KEY,)).fetchone()
    if row is None:
        _refuse_file(database, "lacks the row that says which format it has")
    if row != (_FORMAT,):
        told = f"is in format {row[0]!r}, and this version knows {_FORMAT!r} alone,"
        _refuse_file(database, told)


def _refuse_file(file: Path, what: str) -> NoReturn:
    raise StoreError(
        f"the store's file {str(file)!r} {what}; nothing was changed: move its folder away"
        f" {_ASKED_AGAIN}"
    )


def _open_texts(folder: Path, lock_seconds: float) -> Any:
    from diskcache import Cache as Texts

    return Texts(str(folder), timeout=lock_seconds, disk=text_disk(), **SETTINGS)


def _make(folder: Path) -> None:
    """Makes a database elsewhere and moves it into place, so that it is whole or not there.

    A process killed meanwhile leaves its unfinished folder, which nobody reads; of two that finish
    together, one database stays.
    """
    new = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=folder.parent))
    try:
        texts = _open_texts(new, lock_seconds=1)  # nobody else knows this place
        texts.set(_FORMAT_KEY, _FORMAT)
        texts.close()
        new.rename(folder)
    except OSError:
        if not folder.exists():
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


@contextmanager
def explained(database: Path, lock_seconds: float) -> Iterator[None]:
    """Raises whatever diskcache and SQLite raise inside as a `StoreError` that names the file.

    Nothing is mended, moved or deleted: the user may want what is left.
    """
    from diskcache import Timeout

    try:
        yield
    except Timeout:
        told = _why_no_transaction(database)
    except sqlite3.Error as error:
        told = str(error)
    except OSError as error:
        told = f"disk I/O: {error.strerror or error}"
    else:
        return
    shown = f"the store's database {str(database)!r}"
    if "locked" in told:
        raise StoreError(
            f"{shown} has been locked by another process for {lock_seconds:g} seconds; let that"
            f" end, or {ELSEWHERE}"
        )
    if any(word in told for word in ("readonly", "unable to open", "disk is full", "disk I/O")):
        told = told.removeprefix("disk I/O: ")
        raise StoreError(f"{shown} cannot be written ({told}); make it writable, or {ELSEWHERE}")
    raise StoreError(
        f"{shown} is damaged, or is none ({told}); nothing in it was changed: move it away"
        f" {_ASKED_AGAIN}"
    )


def _why_no_transaction(database: Path) -> str:
    """What SQLite says to beginning one: diskcache speaks of a timeout, whatever the reason."""
    try:
        with closing(_connect(database, 0)) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return str(error)
    return "database is locked"  # it was, until just now


_NOTE: Final = "note:"


class Cache:
    """Rows by key, and a few notes by name, in one directory; nothing is ever evicted.

    Any number of processes may have the same directory open. Within one, a cache is used and closed
    by the thread that opened it: each thread has a connection of its own, and `close` closes one.
    Calls block for well under a millisecond, unless another process writes just then: it is waited
    for, ``lock_seconds`` at most. Writes of ours keep the lock for milliseconds.

    Every method raises a StoreError where the store cannot be used, or somebody else has written
    into it. Nothing in it is mended or deleted.
    """

    def __init__(self, directory: Path, *, lock_seconds: float = 10.0) -> None:
        self.directory = prepare(directory)
        folder = self.directory / _REPLIES
        self._database = folder / _DATABASE
        self._lock_seconds = lock_seconds
        with explained(self._database, lock_seconds):
            if not folder.exists():
                _make(folder)
            _inspect(self._database, lock_seconds)
            self._texts = _open_texts(folder, lock_seconds)
            self._opened = self._database.stat()

    def get(self, key: str) -> Row | None:
        """The row with this key; None if there is none."""
        line = self._get(key)
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
        self.put_note(f"unusable {row.key} {request_key(row.reply)}", text)

    def mark_of(self, row: Row) -> str:
        """The text that a row's reply is marked with; empty for one that is not."""
        return self.note(f"unusable {row.key} {request_key(row.reply)}") or ""

    def note(self, name: str) -> str | None:
        """The text noted under a name; None if there is none."""
        text = self._get(_NOTE + name)
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

    def close(self) -> None:
        """Closes the database; what was put is kept."""
        self._texts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _get(self, key: str) -> str | None:
        with explained(self._database, self._lock_seconds):
            text: str | None = self._texts.get(key)
            return text

    def _set(self, key: str, text: str) -> None:
        with explained(self._database, self._lock_seconds):
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
            f" ({what}); {_DISTRUST}"
        ) from None
