"""Single flight: one request at a time for a key, across processes.

Whoever wants a reply goes alone with its key, looks whether it is remembered by now, and asks only
if not. A process that is killed while it asks holds nobody up: its lock is gone with it.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import StoreError
from summeval_pytest.store.cache import ELSEWHERE, LOCKS, prepare

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from filelock import BaseFileLock


_FIRST_PAUSE_SECONDS: Final = 0.01
_LONGEST_PAUSE_SECONDS: Final = 0.2
"""Between two looks whether another process is done; each pause is up to twice the one before."""
_MOST_FILES: Final = 256
"""How many keys one store holds or waits for at once, so that no process runs out of handles."""


def pauses() -> Iterator[float]:
    """Seconds to wait before each further look whether a key is free."""
    longest = _FIRST_PAUSE_SECONDS
    while True:
        yield random.uniform(longest / 2, longest)
        longest = min(2 * longest, _LONGEST_PAUSE_SECONDS)


class SingleFlight:
    """Lets one task at a time ask for a key, among all processes that share a store's directory.

    A lock is a file, named after its key and deleted by who holds it; filelock looks whether the
    file that it has locked is still there. A StoreError where the directory cannot be used.
    """

    def __init__(self, directory: Path) -> None:
        self._folder = prepare(directory) / LOCKS
        self._files = asyncio.Semaphore(_MOST_FILES)

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Waits until no other task or process is alone with this key, and holds it inside.

        Waiting lets the loop go on, and may be cancelled. A task that holds a key must not ask for
        the same one again: it would wait for itself.
        """
        from filelock import FileLock

        path = self._folder / key
        async with self._files:
            lock = FileLock(path, mode=0o600, blocking=False, thread_local=False)
            seconds = pauses()
            while not self._taken(lock):
                await asyncio.sleep(next(seconds))
            try:
                yield
            finally:
                with suppress(OSError):  # Windows deletes no open file, and it may stay
                    path.unlink()
                lock.release()

    def _taken(self, lock: BaseFileLock) -> bool:
        from filelock import Timeout

        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            lock.acquire()
        except Timeout:
            return False
        except OSError as error:
            raise StoreError(
                f"the store's folder {str(self._folder)!r} holds no locks ({error.strerror});"
                f" {ELSEWHERE}"
            ) from None
        return True
