"""The replies remembered on this machine, shared by all runs and workers."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn, Protocol

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cassette import is_key, read_row
from summeval_pytest.store.key import request_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from summeval_pytest.store.cassette import Row


ELSEWHERE: Final = "name another directory with --summ-store=DIR"
"""What a user can always do about a store that cannot be used."""

REPLIES: Final = "replies"
"""The folder of the database, inside the store's directory."""

LOCKS: Final = "locks"
"""The folder of a file for each request that is on its way, inside the store's directory."""

UNFINISHED: Final = "new-replies-"
"""How the name of a folder begins that a database is being made in."""

_OURS: Final = frozenset({REPLIES, LOCKS, ".gitignore", "CACHEDIR.TAG"})

_TAG: Final = """\
Signature: 8a477f597d28d172789f06886806bc55
# Replies of language models, kept by summeval-pytest. Backups may leave this directory out.
# About this file: https://bford.info/cachedir/
"""
_GITIGNORE: Final = "# Made by summeval-pytest: a cache is nobody's source.\n*\n"


def default_directory() -> Path:
    """Where replies are remembered unless the user names a place: the user's cache directory."""
    from platformdirs import user_cache_path

    return user_cache_path("summeval", appauthor=False)


def prepare(directory: Path) -> Path:
    """The directory, absolute, made if it is not there, and fit to be a store.

    A new one is readable by its owner alone. What it holds is kept out of git and of backups.

    Raises:
        StoreError: Where it is no directory, belongs to somebody else, lets others write into it,
            holds other things than a store, or cannot be written.
    """
    try:
        place = directory.expanduser().resolve()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_private(place)
        _check_ours(place)
        for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", _GITIGNORE)):
            _write_once(place / name, text)
    except (FileExistsError, NotADirectoryError):
        raise StoreError(
            f"the store {str(directory)!r} cannot be made, as a file is in its place; {ELSEWHERE}"
        ) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, or no home
        told = getattr(error, "strerror", None) or str(error)
        raise StoreError(
            f"the store {str(directory)!r} cannot be used ({told}); {ELSEWHERE}"
        ) from None
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
    foreign = sorted(name for name in names - _OURS if not name.startswith(UNFINISHED))
    if foreign and "CACHEDIR.TAG" not in names:
        raise StoreError(
            f"the directory {str(place)!r} holds other things than a store (such as"
            f" {foreign[0]!r}); name an empty or a new directory with --summ-store=DIR"
        )


def _write_once(path: Path, text: str) -> None:
    """Writes a file that is not there; another process may be doing the same."""
    try:
        with path.open("x", encoding="utf-8") as handle:
            handle.write(text)
    except FileExistsError:
        return


_RAW: Final = 1
"""diskcache's mode of a value that stands in its row as it is."""


@cache
def text_disk() -> type:
    """The class of disks to open a `diskcache.Cache` with; made when first wanted."""
    from diskcache import Disk  # type: ignore[import-untyped]  # it ships no types

    class TextDisk(Disk):  # type: ignore[misc]  # its base has no types
        """Texts in, texts out."""

        _directory: str

        def put(self, key: object) -> tuple[str, bool]:
            """A key's column and its mark as raw."""
            return _text(key, "key", self._directory), True

        def get(self, key: object, raw: object) -> str:
            """The key that a row has."""
            return _text(key if raw else None, "key", self._directory)

        def store(
            self, value: object, read: object, key: object = None
        ) -> tuple[int, int, None, str]:
            """A value's columns: size of its file, mode, name of its file, and the text."""
            del key
            return 0, _RAW, None, _text(None if read else value, "value", self._directory)

        def fetch(self, mode: object, filename: object, value: object, read: object) -> str:
            """The text that a row holds."""
            if filename is not None:
                _refuse("a value in a file", self._directory)
            is_raw = mode == _RAW and not read
            return _text(value if is_raw else None, "value", self._directory)

        def filename(self, key: object = None, value: object = None) -> NoReturn:
            """No value is ever in a file."""
            del key, value
            _refuse("a value in a file", self._directory)

        def remove(self, file_path: object) -> NoReturn:
            """No file is ever removed."""
            del file_path
            _refuse("a value in a file", self._directory)

    return TextDisk


def _text(value: object, role: str, directory: str) -> str:
    if type(value) is not str:
        _refuse(f"a {role} that is no text", directory)
    return value


def _refuse(what: str, directory: str) -> NoReturn:
    raise StoreError(
        f"the store {directory!r} has a row with {what}, which this package never writes;"
        f" somebody else wrote it, so do not trust this store: move it away, or {ELSEWHERE}"
    )


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
                _inspection_refuse(database, "is gone, and its folder is there")
            continue
        if not stat.S_ISREG(status.st_mode) or suffix == "-journal":
            _inspection_refuse(file, "is something that this package never makes")
        if not suffix and not status.st_size:
            _inspection_refuse(database, "is empty")


def _check_schema(database: Path, connection: sqlite3.Connection) -> None:
    for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        if (kind, name) not in _SCHEMA or (kind == "table" and not _is_plain(text)):
            _inspection_refuse(database, f"has a {kind} {name!r} that this package never makes")
    if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        _inspection_refuse(
            database, "keeps no write-ahead log, without which processes cannot share it,"
        )


def _is_plain(text: object) -> bool:
    """Whether a table holds its rows itself, and does not call code for them."""
    return isinstance(text, str) and text.startswith("CREATE TABLE")


def _check_settings(database: Path, connection: sqlite3.Connection) -> None:
    for name, value in connection.execute("SELECT key, value FROM Settings"):
        known = isinstance(value, int) if name in _COUNTERS else SETTINGS.get(name) == value
        if not known:
            _inspection_refuse(
                database, f"has the setting {name!r} = {value!r}, which this package never has"
            )


def _check_format(database: Path, connection: sqlite3.Connection) -> None:
    row = connection.execute(
        "SELECT value FROM Cache WHERE key = ? AND raw = 1", (FORMAT_KEY,)
    ).fetchone()
    if row is None:
        _inspection_refuse(database, "lacks the row that says which format it has")
    if row != (FORMAT,):
        _inspection_refuse(
            database, f"is in format {row[0]!r}, and this version knows {FORMAT!r} alone,"
        )


def _inspection_refuse(file: Path, what: str) -> NoReturn:
    raise StoreError(
        f"the store's file {str(file)!r} {what}; nothing was changed: move its folder away and"
        f" replies are asked for again, or {ELSEWHERE}"
    )


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
    from diskcache import Cache

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


_UNWRITABLE: Final = ("readonly", "unable to open", "disk is full", "disk I/O")


@contextmanager
def explained(database: Path, lock_seconds: float) -> Iterator[None]:
    """Whatever diskcache and SQLite raise inside, raised as a `StoreError` that names the file.

    Nothing is mended, moved or deleted: the user may want what is left.
    """
    from diskcache import Timeout

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
