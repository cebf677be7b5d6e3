"""One local database of texts, kept by diskcache: replies by key and notes by name.

Nothing is ever evicted. diskcache unpickles what a row tells it to, and lets rows name files to
read and delete (CVE-2025-69872). `text_disk` knows texts in rows alone, and refuses all else.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final, NoReturn

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cassette import Row, is_key, read_row

ELSEWHERE: Final = "name another directory with --summ-store=DIR"
"""What a user can always do about a store that cannot be used."""
_DISTRUST: Final = f"do not trust this store: move it away, or {ELSEWHERE}"
_TAG: Final = """\
Signature: 8a477f597d28d172789f06886806bc55
# Replies of language models, kept by summeval-pytest. Backups may leave this directory out.
# About this file: https://bford.info/cachedir/
"""
_GITIGNORE: Final = "# Made by summeval-pytest: a cache is nobody's source.\n*\n"
_NAMES: Final = frozenset({"replies", "locks", "runs", ".gitignore"})


def default_directory() -> Path:
    """The store unless the user names one: in the user's cache directory."""
    from platformdirs import user_cache_path

    return user_cache_path("summeval", appauthor=False)


def prepare(directory: Path) -> Path:
    """The directory, absolute, made if it is not there, and fit to be a store.

    A new one is readable by its owner alone, and kept out of git and of backups.

    Raises:
        StoreError: where it is no directory, belongs to somebody else, lets others write into it,
            holds other things than a store, or cannot be written.
    """
    store = f"the store {str(directory)!r}"
    try:
        place = directory.expanduser().resolve()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_private(place)
        names = {entry.name for entry in place.iterdir()}
        if "CACHEDIR.TAG" not in names and (foreign := names - _NAMES):
            raise StoreError(  # what is written below would hide them from git
                f"the directory {str(place)!r} holds other things than a store (such as"
                f" {min(foreign)!r}); name an empty or a new directory with --summ-store=DIR"
            )
        for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", _GITIGNORE)):
            with suppress(FileExistsError), (place / name).open("x", encoding="utf-8") as handle:
                handle.write(text)
    except (FileExistsError, NotADirectoryError):
        raise StoreError(
            f"{store} cannot be made, as a file is in its place; {ELSEWHERE}"
        ) from None
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, or no home
        why = getattr(error, "strerror", None) or str(error)
        raise StoreError(f"{store} cannot be used ({why}); {ELSEWHERE}") from None
    return place


def _check_private(place: Path) -> None:
    if sys.platform == "win32":
        return
    status, store = place.stat(), f"the store {str(place)!r}"
    if status.st_uid != os.geteuid():
        raise StoreError(
            f"{store} belongs to somebody else (user {status.st_uid}), who could put words into a"
            f" judge's mouth; {ELSEWHERE}"
        )
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StoreError(
            f"others may write into {store}, and so put words into a judge's mouth; run 'chmod"
            f" go-w' on it if nobody has, or {ELSEWHERE}"
        )
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        raise StoreError(f"{store} cannot be written; run 'chmod u+rwx' on it, or {ELSEWHERE}")


@cache
def text_disk() -> type:
    """The class of disks to open a `diskcache.Cache` with; made when first wanted."""
    from diskcache import Disk  # type: ignore[import-untyped]  # it ships no types

    class TextDisk(Disk):  # type: ignore[misc]  # its base has no types
        _directory: str

        def get(self, key: object, _raw: object) -> str:
            return self._text("key", key)

        def fetch(self, mode: object, _file: object, value: object, _read: object) -> str:
            return self._text("value", value if mode == _RAW else None)

        def remove(self, _file: object) -> str:
            return self._text("file", None)

        def _text(self, role: str, value: object) -> str:
            if type(value) is str:
                return value
            raise StoreError(
                f"the store {self._directory!r} has a row whose {role} is no text, which this"
                f" package never writes; somebody else wrote it, so {_DISTRUST}"
            )

    return TextDisk


_RAW: Final = 1  # diskcache's mode of a value that stands in its row as it is
_SETTINGS: Final[Mapping[str, str | int]] = {
    "eviction_policy": "none",
    "size_limit": 2**40,
    "cull_limit": 0,
    "sqlite_journal_mode": "wal",
    "sqlite_mmap_size": 0,  # a file cut short under a map would kill the process
    "disk_min_file_size": 2**30,
}
"""What diskcache would otherwise take from the database, which anybody may have made."""
_FORMAT_KEY: Final = "summeval"
_FORMAT: Final = '{"format": 1}'
"""The row that every database of this package has from the start, and what stands in it."""


@contextmanager
def explained(database: Path, lock_seconds: float) -> Iterator[None]:
    """Raises whatever diskcache and SQLite raise inside as a `StoreError` that names the file.

    Nothing is mended, moved or deleted: the user may want what is left.
    """
    from diskcache import Timeout

    try:
        yield
    except Timeout:  # diskcache's word for whatever keeps a transaction from beginning
        why = f"nothing could be written for {lock_seconds:g} seconds"
    except (sqlite3.Error, OSError) as error:
        why = getattr(error, "strerror", None) or str(error)
    else:
        return
    raise StoreError(
        f"the store's database {str(database)!r} cannot be used ({why}); let the process end that"
        " has locked it, make it writable, move it away if it is damaged (replies are asked for"
        f" again), or {ELSEWHERE}"
    )


def read_note(text: str) -> str:
    """The text that a note's JSON text holds; a ValueError for anything else."""
    with suppress(ValueError, RecursionError):
        if isinstance(note := json.loads(text), str):
            return note
    raise ValueError("it is no JSON text")


class Cache:
    """Rows by key, and a few notes by name, in one directory.

    Any number of processes may have the same directory open. Within one, a cache is closed by the
    thread that opened it. A call takes well under a millisecond, unless another process writes just
    then: that is waited for, ``lock_seconds`` at most.

    Every method raises a StoreError where the store cannot be used, or somebody else has written
    into it. Nothing in it is mended or deleted.
    """

    def __init__(self, directory: Path, *, lock_seconds: float = 10.0) -> None:
        from diskcache import Cache as Texts

        self.directory = prepare(directory)
        folder = self.directory / "replies"
        self._database = folder / "cache.db"
        self._lock_seconds = lock_seconds
        with explained(self._database, lock_seconds):
            self._texts = Texts(str(folder), timeout=lock_seconds, disk=text_disk(), **_SETTINGS)
            self._texts.add(_FORMAT_KEY, _FORMAT)
            kept_format = self._texts.get(_FORMAT_KEY)
            self._opened = self._database.stat()
        if kept_format != _FORMAT:
            raise StoreError(
                f"the store's file {str(self._database)!r} is in format {kept_format!r}, and this"
                f" version knows {_FORMAT!r} alone; move its folder away and replies are asked for"
                f" again, or {ELSEWHERE}"
            )

    def get(self, key: str) -> Row | None:
        """The row with this key; None if there is none."""
        line = self._get(key)
        try:
            return None if line is None else read_row(line, key)
        except ValueError as error:
            self._refuse(key, str(error))

    def put(self, row: Row) -> None:
        """Keeps a row, in place of one with the same key; a mark on this reply is removed."""
        self._set(row.key, row.as_line())
        if self.note(row.mark):
            self.put_note(row.mark, "")

    def note(self, name: str) -> str | None:
        """The text noted under a name; None if there is none."""
        text = self._get(f"note:{name}")
        try:
            return None if text is None else read_note(text)
        except ValueError as error:
            self._refuse(f"note:{name}", str(error))

    def put_note(self, name: str, text: str) -> None:
        """Keeps a text under a name, in place of one that may be there."""
        self._set(f"note:{name}", json.dumps(text))

    @contextmanager
    def transact(self) -> Iterator[None]:
        """Keeps other processes from writing until the block ends, all of which is kept or none."""
        with explained(self._database, self._lock_seconds), self._texts.transact():
            yield

    def close(self) -> None:
        """Closes the database; what was put is kept."""
        self._texts.close()

    def _get(self, key: str) -> str | None:
        with explained(self._database, self._lock_seconds):
            text: str | None = self._texts.get(key)
            return text

    def _set(self, key: str, text: str) -> None:
        with explained(self._database, self._lock_seconds):
            is_there = False
            with suppress(FileNotFoundError):  # SQLite would go on writing into a deleted file
                is_there = os.path.samestat(self._database.stat(), self._opened)
            if not is_there:
                raise StoreError(
                    f"the store's database {str(self._database)!r} was deleted or replaced while"
                    " this run used it, so nothing more can be remembered; run once more"
                )
            self._texts.set(key, text)

    def _refuse(self, key: str, what: str) -> NoReturn:
        row = key if is_key(key) else ascii(key)
        raise StoreError(
            f"the row {row} of the store {str(self.directory)!r} was not written by this package"
            f" ({what}); {_DISTRUST}"
        ) from None
