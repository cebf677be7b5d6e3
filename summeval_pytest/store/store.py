"""The store of this machine, and how a store is opened where it is."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.store.cache import Cache, prepare
from summeval_pytest.store.flight import SingleFlight
from summeval_pytest.store.protocol import Account, Reservation, SharedPlace, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractAsyncContextManager
    from typing import Self

    from summeval_pytest.store.cassette import Row
    from summeval_pytest.store.protocol import P, StorePlace, T


RUNS: Final = "runs"
"""The folder, in the store, of what only one run needs."""
_OLD_SECONDS: Final = 86_400
_POLL_SECONDS: Final = 0.002
_NOTHING: Final = 1e-12


def open_store(place: StorePlace) -> Store:
    """The store at a place; nothing is made or connected to before it is used.

    Raises:
        StoreError: if it needs a package that is not installed.
    """
    if isinstance(place, SharedPlace):
        from summeval_pytest.store.postgres import PostgresStore

        return PostgresStore(place)
    return LocalStore(place)


class LocalStore:
    """A directory that all processes of this machine share; used by one thread of each.

    Calls block for well under a millisecond, so they are made on the event loop.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._runs: dict[str, Cache] = {}

    def get(self, key: str, run: str = "") -> Row | None:
        """The row with this key; with ``run``, of what only it has asked."""
        return self._cache(run).get(key)

    def put(self, row: Row, run: str = "") -> None:
        """Keeps a row."""
        self._cache(run).put(row)

    def mark(self, row: Row, text: str) -> None:
        """Marks a row's reply as unusable."""
        self._cache().mark(row, text)

    def mark_of(self, row: Row) -> str:
        """The text that a row's reply is marked with; no store is made for the question."""
        return self._cache().mark_of(row) if self._directory.is_dir() else ""

    def note(self, name: str) -> str | None:
        """The text noted under a name."""
        return self._cache().note(name)

    def put_note(self, name: str, text: str) -> None:
        """Keeps a text under a name."""
        self._cache().put_note(name, text)

    async def off_loop(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the call comes to, made at once: the database is this thread's."""
        return call(*args, **kwargs)

    def alone(self, key: str) -> AbstractAsyncContextManager[None]:
        """Waits until no other process of this machine asks for a key."""
        return self._flight.alone(key)

    def account(self, run: str) -> Account:
        """The account of a run, in a file."""
        prepare(self._directory)
        return FileAccount(prepare(self._run_directory(run)) / "budget")

    async def turn(self, endpoint: str, seconds: Sequence[float]) -> None:
        """None: the processes of a machine divide an endpoint's limits."""

    def forget_run(self, run: str) -> None:
        """Removes what only this run needed, and what killed runs of other days left."""
        shutil.rmtree(self._run_directory(run), ignore_errors=True)
        runs = self._directory / RUNS
        for left in list(runs.iterdir()) if runs.is_dir() else ():
            with suppress(FileNotFoundError):  # another run may end at the same moment
                if time.time() - left.stat().st_mtime > _OLD_SECONDS:
                    shutil.rmtree(left, ignore_errors=True)

    def close(self) -> None:
        """Closes what was opened."""
        while self._runs:
            self._runs.popitem()[1].close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run_directory(self, run: str) -> Path:
        return self._directory / RUNS / run

    def _cache(self, run: str = "") -> Cache:
        """The replies of all runs, or what one run has asked again; opened at the first look."""
        if run not in self._runs:
            prepare(self._directory)
            directory = prepare(self._run_directory(run)) if run else self._directory
            self._runs[run] = Cache(directory)
        return self._runs[run]

    @cached_property
    def _flight(self) -> SingleFlight:
        return SingleFlight(self._directory)


@dataclass(slots=True)
class _Balance:
    spent: float = 0.0
    reserved: dict[str, float] = field(default_factory=dict)
    is_over: bool = False


class FileAccount:
    """An account in a small file, for all processes of this machine; None for this one alone.

    What a killed process had reserved is let go.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._mine = _Balance()
        self._owner = str(os.getpid())

    async def reserve(self, most: float, dollars: float) -> Reservation:
        """Sets aside what a call can cost at most; it is over where nothing else is held."""
        with self._locked() as balance:
            held = sum(balance.reserved.values())
            fits = not balance.is_over and balance.spent + held + most <= dollars
            if fits:
                balance.reserved[self._owner] = balance.reserved.get(self._owner, 0.0) + most
            elif held <= 0.0:
                balance.is_over = True
            return Reservation(fits, balance.is_over, balance.spent)

    async def settle(self, most: float, cost: float) -> None:
        """Gives back what was set aside and books what the call did cost."""
        with self._locked() as balance:
            left = balance.reserved.pop(self._owner, 0.0) - most
            if left > _NOTHING:
                balance.reserved[self._owner] = left
            balance.spent += cost

    @contextmanager
    def _locked(self) -> Iterator[_Balance]:
        if self._file is None:
            yield self._mine
            return
        from filelock import FileLock

        with FileLock(f"{self._file}.lock", mode=0o600, poll_interval=_POLL_SECONDS):
            balance = _read(self._file)
            try:
                yield balance
            finally:
                new = self._file.with_name(f"{self._file.name}.new")
                new.touch(0o600)
                new.write_text(json.dumps(astuple(balance)))
                new.replace(self._file)  # in one step, or not at all


def _read(file: Path) -> _Balance:
    """The account as its file has it, without what dead processes had reserved."""
    if not file.exists():
        return _Balance()
    spent, reserved, is_over = json.loads(file.read_text())
    living = {owner: held for owner, held in reserved.items() if _lives(int(owner))}
    return _Balance(spent=spent, reserved=living, is_over=is_over)


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
