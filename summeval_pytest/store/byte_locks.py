"""Locks on single bytes of a file, which the kernel frees when their owner is killed.

POSIX locks belong to a process: they exclude no one within it, and closing any handle of the file
frees them all. So a process has one handle of each lock file, which it never closes, and keeps
claims of its own beside it.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import StoreError
from summeval_pytest.store.place import ELSEWHERE

if TYPE_CHECKING:
    import asyncio
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
