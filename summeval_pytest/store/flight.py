"""One request at a time for one key, in all tasks of all processes that share a store.

Whoever wants a reply goes alone with its key, looks whether it is remembered by now, and asks only
if not. A process that is killed while it asks holds nobody up: its lock is gone with it.
"""

from __future__ import annotations

import asyncio
import os
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from summeval_pytest.store.byte_locks import Claim, byte_locks
from summeval_pytest.store.place import LOCK, prepare

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from summeval_pytest.store.byte_locks import ByteLocks

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
