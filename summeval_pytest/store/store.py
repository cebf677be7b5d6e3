"""Where replies are kept: on this machine, by diskcache, or in a database that many share.

Whoever wants a reply goes alone with its key, looks whether it is kept by now, and asks only if
not. A process that is killed while it asks holds nobody up: the system frees its lock.

Nothing is ever evicted. diskcache unpickles what a row tells it to, and lets rows name files to
read and delete (CVE-2025-69872). `text_disk` knows texts in rows alone, and refuses all else.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from dataclasses import astuple, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Final, NamedTuple, ParamSpec, Protocol, TypeVar

from summeval_pytest.annex import part
from summeval_pytest.errors import StoreError
from summeval_pytest.store.cassette import Row, is_key, read_row

P = ParamSpec("P")
T = TypeVar("T")
_OLD_SECONDS: Final = 86_400
_FIRST_PAUSE_SECONDS: Final = 0.01
_LONGEST_PAUSE_SECONDS: Final = 0.2
_MOST_FILES: Final = 256
"""How many keys one store holds or waits for at once, so that no process runs out of handles."""
_NOTHING: Final = 1e-12
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


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """The address of a database that many machines share.

    Attributes:
        url: As it was given, with user and password; never to be printed.
        shown: Its host and database alone.
    """

    url: str = field(repr=False)
    shown: str

    def __str__(self) -> str:
        return self.shown


StorePlace = Path | SharedPlace
"""Where a store is: a directory of this machine, or a database of many."""


def read_place(text: str) -> StorePlace:
    """The place that an option names; a StoreError for an address of another kind of database."""
    if "://" not in text:
        return Path(text)
    place: SharedPlace = part("shared place")(text)
    return place


def open_store(place: StorePlace) -> Store:
    """The store at a place; nothing is made or connected to before it is used.

    Raises:
        StoreError: if it needs a package that is not installed.
    """
    if isinstance(place, Path):
        return LocalStore(place)
    store: Store = part("shared store")(place)
    return store


class Reservation(NamedTuple):
    """How an account stands after a call has wanted money of it.

    ``is_reserved`` says that the call has it, ``is_over`` that there will never be enough for it;
    where neither is true, calls in flight may leave enough.
    """

    is_reserved: bool
    is_over: bool
    spent: float


class Account(Protocol):
    """What a run has spent, and what its calls in flight have set aside."""

    async def reserve(self, most: float, dollars: float) -> Reservation:
        """Set aside what a call can cost at most, if ``dollars`` in all allow it."""

    async def settle(self, most: float, cost: float) -> None:
        """Give back what was set aside and book what the call did cost."""


class Store(Protocol):
    """Replies by key, notes by name, and what the processes of a run have to agree upon.

    A StoreError says that the store cannot be used, or that somebody else has written into it. A
    NoReplyError says that a shared one cannot be reached any more.
    """

    def get(self, key: str, run: str = "") -> Row | None:
        """The row with this key, None if there is none; with ``run``, of what only it asked."""

    def put(self, row: Row, run: str = "") -> None:
        """Keep a row, in place of one with the same key."""

    def remove(self, key: str) -> None:
        """Remove the row with this key, also of what only a run asked; none may be there."""

    def note(self, name: str) -> str | None:
        """The text noted under a name; None if there is none."""

    def put_note(self, name: str, text: str) -> None:
        """Keep a text under a name, in place of one that may be there."""

    async def off_loop(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a call returns that uses the store; the event loop goes on if it takes long."""

    def alone(self, key: str) -> AbstractAsyncContextManager[None]:
        """Wait until nobody else who shares the store asks for a key, and keep them waiting."""

    def account(self, run: str) -> Account:
        """The account that all processes of a run share."""

    async def turn(self, endpoint: str, seconds: Sequence[float]) -> tuple[float, float] | None:
        """Seconds until a request's turn at an endpoint is due, and until the next one will be.

        ``seconds`` are what the request takes of the endpoint's requests and tokens a minute. None
        where each process keeps its own pace.
        """

    def forget_run(self, run: str) -> None:
        """Remove, after a run, what only it needed, and what killed runs of other days left."""

    def close(self) -> None:
        """Close what was opened; what was put is kept."""


def default_directory() -> Path:
    """The store unless the user names one: in the user's cache directory."""
    from platformdirs import user_cache_path

    return user_cache_path("summeval", appauthor=False)


def prepare(directory: Path) -> Path:
    """The directory, absolute, made if it is not there, and fit to be a store.

    A new one is readable by its owner alone, and kept out of git and of backups.

    Raises:
        StoreError: where it is no directory, holds other things than a store, or cannot be
            written.
    """
    store = f"the store {str(directory)!r}"
    try:
        place = directory.expanduser().resolve()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
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


@cache
def text_disk() -> type:
    """The class of disks to open a `diskcache.Cache` with; made when first wanted."""
    from diskcache import Disk  # type: ignore[import-untyped]  # it ships no types

    class TextDisk(Disk):  # type: ignore[misc]  # its base has no types
        def fetch(self, mode: object, _file: object, value: object, _read: object) -> str:
            if mode == _RAW and isinstance(value, str):
                return value
            raise StoreError(
                f"the store {self._directory!r} has a row that is no text, which this package never"
                f" writes; {_DISTRUST}"
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


class _Database:
    """Texts by key in one directory.

    Any number of processes may have the same directory open. Within one, a database is closed by
    the thread that opened it. A call takes well under a millisecond, unless another process writes
    just then: that is waited for, ``lock_seconds`` at most.

    Every method raises a StoreError where the store cannot be used, or somebody else has written
    into it. Nothing in it is mended or deleted.
    """

    def __init__(self, directory: Path, lock_seconds: float) -> None:
        from diskcache import Cache

        self.directory = prepare(directory)
        folder = self.directory / "replies"
        self._file = folder / "cache.db"
        self._lock_seconds = lock_seconds
        with explained(self._file, lock_seconds):
            self._check_free()
            self._texts = Cache(str(folder), timeout=lock_seconds, disk=text_disk(), **_SETTINGS)

    def _check_free(self) -> None:
        """Raises where another process keeps the database locked: diskcache waits for minutes."""
        if self._file.is_file():
            with closing(sqlite3.connect(self._file, timeout=self._lock_seconds)) as connection:
                connection.execute("BEGIN IMMEDIATE")

    def get(self, key: str) -> str | None:
        """The text with this key; None if there is none."""
        with explained(self._file, self._lock_seconds):
            text: str | None = self._texts.get(key)
            return text

    def put(self, key: str, text: str) -> None:
        """Keeps a text, in place of one with the same key."""
        with explained(self._file, self._lock_seconds):
            self._texts.set(key, text)

    def remove(self, key: str) -> None:
        """Removes the text with a key, if there is one."""
        with explained(self._file, self._lock_seconds):
            self._texts.delete(key)

    @contextmanager
    def transact(self) -> Iterator[None]:
        """Keeps other processes from writing until the block ends, all of which is kept or none."""
        with explained(self._file, self._lock_seconds), self._texts.transact():
            yield

    def close(self) -> None:
        """Closes the database; what was put is kept."""
        self._texts.close()


class LocalStore:
    """A directory that all processes of this machine share; used by one thread of each.

    Calls block for well under a millisecond, so they are made on the event loop. Nothing is made
    where nothing is kept.
    """

    def __init__(self, directory: Path, *, lock_seconds: float = 10.0) -> None:
        self._directory = directory
        self._lock_seconds = lock_seconds
        self._runs: dict[str, _Database] = {}
        self._files = asyncio.Semaphore(_MOST_FILES)

    def get(self, key: str, run: str = "") -> Row | None:
        """The row with this key; with ``run``, of what only it has asked."""
        return self._read(key, run, lambda line: read_row(line, key))

    def put(self, row: Row, run: str = "") -> None:
        """Keeps a row, in place of one with the same key."""
        self.database(run).put(row.key, row.as_line())

    def remove(self, key: str) -> None:
        """Removes the row with this key, also of what only an open run asked."""
        for database in {"": self.database(), **self._runs}.values():
            database.remove(key)

    def note(self, name: str, run: str = "") -> str | None:
        """The text noted under a name; no store is made for the question."""
        is_there = run in self._runs or self._directory.expanduser().is_dir()
        return self._read(f"note:{name}", run, read_note) if is_there else None

    def put_note(self, name: str, text: str, run: str = "") -> None:
        """Keeps a text under a name, in place of one that may be there."""
        self.database(run).put(f"note:{name}", json.dumps(text))

    def _read(self, key: str, run: str, read: Callable[[str], T]) -> T | None:
        """What the text with a key says; refused where it is none of ours."""
        database = self.database(run)
        text = database.get(key)
        try:
            return None if text is None else read(text)
        except ValueError as error:
            raise StoreError(
                f"the row {key if is_key(key) else ascii(key)} of the store"
                f" {str(database.directory)!r} was not written by this package ({error});"
                f" {_DISTRUST}"
            ) from None

    async def off_loop(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a call returns, made at once: the database is this thread's."""
        return call(*args, **kwargs)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Waits until no other task or process of this machine is alone with this key.

        The lock is a file, named after the key and deleted by its holder; filelock looks whether
        the file that it has locked is still there. Waiting may be cancelled.
        """
        from filelock import FileLock, Timeout

        folder, seconds = self._locks, pauses()
        async with self._files:
            lock = FileLock(folder / key, mode=0o600, blocking=False, thread_local=False)
            while not lock.is_locked:
                try:
                    lock.acquire()
                except Timeout:
                    await asyncio.sleep(next(seconds))
                except OSError as error:
                    raise StoreError(
                        f"the store's folder {str(folder)!r} holds no locks ({error.strerror});"
                        f" {ELSEWHERE}"
                    ) from None
            try:
                yield
            finally:
                with suppress(OSError):  # Windows deletes no open file, and it may stay
                    (folder / key).unlink()
                lock.release()

    def account(self, run: str) -> Account:
        """The account of a run, in what only it needs."""
        return LocalAccount(self, run)

    async def turn(self, endpoint: str, seconds: Sequence[float]) -> None:
        """None: the processes of a machine divide an endpoint's limits."""

    def forget_run(self, run: str) -> None:
        """Removes what only this run needed, and what killed runs of other days left."""
        runs = self._directory / "runs"
        shutil.rmtree(runs / run, ignore_errors=True)
        for left in list(runs.iterdir()) if runs.is_dir() else ():
            with suppress(FileNotFoundError):  # another run may end at the same moment
                if time.time() - left.stat().st_mtime > _OLD_SECONDS:
                    shutil.rmtree(left, ignore_errors=True)

    def close(self) -> None:
        """Closes what was opened."""
        while self._runs:
            self._runs.popitem()[1].close()

    def database(self, run: str = "") -> _Database:
        """The texts of all runs, or what only one run needs; opened at the first look."""
        if run not in self._runs:
            folder = self._place / "runs" / run if run else self._place
            self._runs[run] = _Database(folder, self._lock_seconds)
        return self._runs[run]

    @cached_property
    def _place(self) -> Path:
        return prepare(self._directory)

    @cached_property
    def _locks(self) -> Path:
        folder = self._place / "locks"
        with suppress(OSError):  # which the first lock tells
            folder.mkdir(mode=0o700, exist_ok=True)
        return folder


def pauses() -> Iterator[float]:
    """Seconds to wait before each further look whether a key is free."""
    longest = _FIRST_PAUSE_SECONDS
    while True:
        yield random.uniform(longest / 2, longest)
        longest = min(2 * longest, _LONGEST_PAUSE_SECONDS)


@dataclass(slots=True)
class _Balance:
    spent: float = 0.0
    reserved: dict[str, float] = field(default_factory=dict)


class LocalAccount:
    """An account in a store of all processes of this machine, or for this process alone.

    What a killed process had reserved is let go.
    """

    def __init__(self, store: LocalStore | None = None, run: str = "") -> None:
        self._store = store
        self._run = run
        self._mine = _Balance()
        self._owner = str(os.getpid())

    async def reserve(self, most: float, dollars: float) -> Reservation:
        """Sets aside what a call can cost at most; it is over where nothing else is reserved."""
        with self._balance() as balance:
            reserved = sum(balance.reserved.values())
            fits = balance.spent + reserved + most <= dollars
            if fits:
                balance.reserved[self._owner] = balance.reserved.get(self._owner, 0.0) + most
            return Reservation(fits, not fits and reserved <= 0.0, balance.spent)

    async def settle(self, most: float, cost: float) -> None:
        """Gives back what was set aside and books what the call did cost."""
        with self._balance() as balance:
            left = balance.reserved.pop(self._owner, 0.0) - most
            if left > _NOTHING:
                balance.reserved[self._owner] = left
            balance.spent += cost

    @contextmanager
    def _balance(self) -> Iterator[_Balance]:
        """The balance, which nobody else changes meanwhile, without what dead processes held."""
        if self._store is None:
            yield self._mine
            return
        with self._store.database(self._run).transact():
            balance = _Balance(*json.loads(self._store.note("budget", self._run) or "[]"))
            for owner in [each for each in balance.reserved if not _lives(int(each))]:
                del balance.reserved[owner]
            yield balance
            self._store.put_note("budget", json.dumps(astuple(balance)), self._run)


def _lives(process: int) -> bool:
    """Whether a process runs; one that was killed and not yet buried by its parent does not."""
    if sys.platform == "win32":
        return True  # there, `os.kill(process, 0)` sends Ctrl-C; money held too long is not spent
    try:
        os.kill(process, 0)
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's, or a system without /proc
        return True
    return status.rpartition(")")[2].split()[:1] != ["Z"]
