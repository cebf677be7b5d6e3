"""Where replies are kept: on this machine, or in a database that many share.

Whoever wants a reply goes alone with its key, looks whether it is kept by now, and asks only if
not. A process that is killed while it asks holds nobody up: the system frees its lock.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import astuple, dataclass, field
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple, ParamSpec, Protocol, TypeVar

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import ELSEWHERE, Cache, prepare
from summeval_pytest.store.cassette import Row

P = ParamSpec("P")
T = TypeVar("T")
_SHARED: Final = "summeval_pytest.scale.postgres"
_OLD_SECONDS: Final = 86_400
_FIRST_PAUSE_SECONDS: Final = 0.01
_LONGEST_PAUSE_SECONDS: Final = 0.2
_MOST_FILES: Final = 256
"""How many keys one store holds or waits for at once, so that no process runs out of handles."""
_NOTHING: Final = 1e-12


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
    place: SharedPlace = import_module(_SHARED).read_address(text)
    return place


def open_store(place: StorePlace) -> Store:
    """The store at a place; nothing is made or connected to before it is used.

    Raises:
        StoreError: if it needs a package that is not installed.
    """
    if isinstance(place, Path):
        return LocalStore(place)
    store: Store = import_module(_SHARED).PostgresStore(place)
    return store


class Reservation(NamedTuple):
    """How an account stands after a call has wanted money of it.

    ``is_reserved`` says that the call has it, ``is_over`` that there will never be enough; where
    neither is true, calls in flight may leave enough.
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
        """Keep a row, in place of one with the same key; a mark on this reply is removed."""

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


class LocalStore:
    """A directory that all processes of this machine share; used by one thread of each.

    Calls block for well under a millisecond, so they are made on the event loop. Nothing is made
    where nothing is kept.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._runs: dict[str, Cache] = {}
        self._files = asyncio.Semaphore(_MOST_FILES)

    def get(self, key: str, run: str = "") -> Row | None:
        """The row with this key; with ``run``, of what only it has asked."""
        return self._cache(run).get(key)

    def put(self, row: Row, run: str = "") -> None:
        """Keeps a row."""
        self._cache(run).put(row)

    def note(self, name: str) -> str | None:
        """The text noted under a name; no store is made for the question."""
        return self._cache().note(name) if self._directory.is_dir() else None

    def put_note(self, name: str, text: str) -> None:
        """Keeps a text under a name."""
        self._cache().put_note(name, text)

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

        folder = self._place / "locks"
        seconds = pauses()
        async with self._files:
            lock = FileLock(folder / key, mode=0o600, blocking=False, thread_local=False)
            while not lock.is_locked:
                try:
                    folder.mkdir(mode=0o700, exist_ok=True)
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
        return LocalAccount(partial(self._cache, run))

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

    def _cache(self, run: str = "") -> Cache:
        """The replies of all runs, or what only one run needs; opened at the first look."""
        if run not in self._runs:
            self._runs[run] = Cache(self._place / "runs" / run if run else self._place)
        return self._runs[run]

    @cached_property
    def _place(self) -> Path:
        return prepare(self._directory)


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
    is_over: bool = False


class LocalAccount:
    """An account in a cache of all processes of this machine, or for this process alone.

    What a killed process had reserved is let go.
    """

    def __init__(self, open_cache: Callable[[], Cache] | None = None) -> None:
        self._open_cache = open_cache
        self._mine = _Balance()
        self._owner = str(os.getpid())

    async def reserve(self, most: float, dollars: float) -> Reservation:
        """Sets aside what a call can cost at most; it is over where nothing else is reserved."""
        with self._balance() as balance:
            reserved = sum(balance.reserved.values())
            fits = not balance.is_over and balance.spent + reserved + most <= dollars
            if fits:
                balance.reserved[self._owner] = balance.reserved.get(self._owner, 0.0) + most
            elif reserved <= 0.0:
                balance.is_over = True
            return Reservation(fits, balance.is_over, balance.spent)

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
        if self._open_cache is None:
            yield self._mine
            return
        cache = self._open_cache()
        with cache.transact():
            balance = _Balance(*json.loads(cache.note("budget") or "[]"))
            for owner in [each for each in balance.reserved if not _lives(int(each))]:
                del balance.reserved[owner]
            yield balance
            cache.put_note("budget", json.dumps(astuple(balance)))


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
