"""One request at a time for one key, in all tasks of all processes that share a store.

Whoever wants a reply goes alone with its key, looks whether it is remembered by now, and asks only
if not. A process that is killed while it asks holds nobody up: its lock is gone with it.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import ELSEWHERE, LOCK, prepare

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path


try:
    import fcntl
except ImportError:  # Windows
    ACROSS_PROCESSES = False
else:
    ACROSS_PROCESSES = True


class Claim:
    """One task's wish to be alone with a byte, seen by all tasks of its process."""

    def __init__(self, loop: asyncio.AbstractEventLoop, released: asyncio.Event) -> None:
        self.loop = loop
        self.released = released
        self.is_locked = False


class ByteLocks:
    """The bytes of one file that tasks of this process have claimed, and locked.

    A task claims a byte first, which excludes its process's other tasks, and locks it then, which
    excludes other processes.
    """

    def __init__(self, path: Path, handle: int) -> None:
        self.pid = os.getpid()
        self._path = path
        self._handle = handle
        self._claims: dict[int, Claim] = {}
        self._guard = threading.Lock()

    def claim(self, byte: int, wish: Claim) -> Claim:
        """The claim that holds now: ``wish`` itself, or another's that came first."""
        with self._guard:
            held = self._claims.get(byte)
            if held is None or held.loop.is_closed():
                self._claims[byte] = held = wish
            return held

    def lock(self, byte: int, claim: Claim) -> bool:
        """Locks the byte of a claim that holds; False where another process has it locked.

        Raises:
            StoreError: Where the file's disk knows no such locks.
        """
        if not ACROSS_PROCESSES:
            return True
        try:
            fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):
            return False
        except OSError as error:
            raise _unusable(self._path, error) from None
        claim.is_locked = True
        return True

    def release(self, byte: int, claim: Claim) -> None:
        """Unlocks a byte and ends its claim, in this order: a new claim may lock at once."""
        with self._guard:
            if self._claims.get(byte) is not claim:
                return
            if claim.is_locked:
                fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, byte)
            del self._claims[byte]
        claim.released.set()


_OPEN: Final[dict[tuple[int, int, int], ByteLocks]] = {}
"""By process, device and file, as a process that was forked inherits this table and no lock."""

_OPENING: Final = threading.Lock()


def byte_locks(path: Path) -> ByteLocks:
    """This process's locks on a file, which is made if it is not there.

    Raises:
        StoreError: Where it cannot be made or opened.
    """
    with _OPENING:
        try:
            # By its status, as a second handle could not be closed again.
            if path.exists() and (known := _OPEN.get(_identity(path.stat()))):
                return known
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            handle = os.open(path, flags, 0o600)
            return _OPEN.setdefault(_identity(os.fstat(handle)), ByteLocks(path, handle))
        except OSError as error:
            raise _unusable(path, error) from None


def _identity(status: os.stat_result) -> tuple[int, int, int]:
    return os.getpid(), status.st_dev, status.st_ino


def _unusable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"the store's file {str(path)!r} cannot be locked ({error.strerror}); {ELSEWHERE}"
    )


FIRST_PAUSE_SECONDS: Final = 0.01
LONGEST_PAUSE_SECONDS: Final = 0.2
"""Between two looks whether another process is done; each pause is up to twice the one before."""

_DIGITS: Final = 15
"""How many hex digits of a key choose its byte: 60 bits, as a file has no more than 2**63 bytes."""


class Flight:
    """Who may ask now, in one store's directory; several of one process know of each other.

    Args:
        directory: The store's, made private or checked by `prepare`.

    Raises:
        StoreError: Where the directory cannot be used, or knows no locks.
    """

    def __init__(self, directory: Path) -> None:
        self._path = prepare(directory) / LOCK
        self._locks = byte_locks(self._path)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Waits until no other task or process is alone with this key, and holds it inside.

        Waiting lets the loop go on, and may be cancelled. A task that holds a key must not ask for
        the same one again: it would wait for itself.

        Args:
            key: What `request_key` gives.

        Raises:
            StoreError: Where the store's disk knows no locks.
        """
        locks = self._current()
        byte = int(key[:_DIGITS], 16)
        claim = Claim(asyncio.get_running_loop(), asyncio.Event())
        await _claimed(locks, byte, claim)
        try:
            pauses = _pauses()
            while not locks.lock(byte, claim):
                await asyncio.sleep(next(pauses))
            yield
        finally:
            locks.release(byte, claim)

    def _current(self) -> ByteLocks:
        """The locks of this very process, which may have been forked since they were opened."""
        if self._locks.pid != os.getpid():
            self._locks = byte_locks(self._path)
        return self._locks


async def _claimed(locks: ByteLocks, byte: int, claim: Claim) -> None:
    pauses = _pauses()
    while (held := locks.claim(byte, claim)) is not claim:
        if held.loop is claim.loop:
            await held.released.wait()
        else:
            await asyncio.sleep(next(pauses))


def _pauses() -> Iterator[float]:
    """Seconds to wait, longer and longer, and never the same in two processes."""
    longest = FIRST_PAUSE_SECONDS
    while True:
        yield random.uniform(longest / 2, longest)
        longest = min(2 * longest, LONGEST_PAUSE_SECONDS)
