"""What a run may still spend, reserved before each call, so that it is never exceeded.

A call reserves the most it can cost and settles what it did cost. Where the next call could exceed
what is left, it waits for calls in flight to settle; where none is, asking stops for good. The
processes of one run share one account, a small file; what a killed process had reserved is let go.
"""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import NoReplyError

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # Windows: a run of several processes is bounded there by each of them alone
    fcntl = None  # type: ignore[assignment]

POLL_SECONDS: Final = 0.02
_NOTHING: Final = 1e-12


@dataclass(slots=True)
class _Account:
    spent: float = 0.0
    reserved: dict[str, float] = field(default_factory=dict)
    is_over: bool = False


class Budget:
    """One limit in dollars, held by all processes of a run.

    Args:
        dollars: The most that may be spent.
        shared: The file that the run's processes share; None for a run of one process.
    """

    def __init__(self, dollars: float, shared: Path | None = None) -> None:
        self.dollars = dollars
        self._shared = shared
        self._mine = _Account()
        self._owner = str(os.getpid())

    async def reserve(self, most: float) -> None:
        """Sets aside what a call can cost at most; waits while calls in flight may leave enough.

        Raises:
            NoReplyError: ``over_budget``, now and from then on.
        """
        while True:
            with self._account() as account:
                held = sum(account.reserved.values())
                if not account.is_over and account.spent + held + most <= self.dollars:
                    account.reserved[self._owner] = account.reserved.get(self._owner, 0.0) + most
                    return
                if account.is_over or held <= 0.0:
                    account.is_over = True
                    raise NoReplyError(
                        "over_budget",
                        f"not judged: budget ({account.spent:.4f} of {self.dollars:g} dollars"
                        f" spent, and the next call could cost {most:.4f})",
                    )
            await asyncio.sleep(POLL_SECONDS)

    def settle(self, most: float, cost: float) -> None:
        """Gives back what was set aside and books what the call did cost."""
        with self._account() as account:
            left = account.reserved.pop(self._owner, 0.0) - most
            if left > _NOTHING:
                account.reserved[self._owner] = left
            account.spent += cost

    @contextmanager
    def _account(self) -> Iterator[_Account]:
        if self._shared is None:
            yield self._mine
            return
        descriptor = os.open(self._shared, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            account = _read(os.read(descriptor, size))
            try:
                yield account
            finally:
                text = json.dumps([account.spent, account.reserved, account.is_over])
                os.pwrite(descriptor, text.ljust(size).encode(), 0)  # in one step, or not at all
        finally:
            os.close(descriptor)


def _read(text: bytes) -> _Account:
    """The account as its file has it, without what dead processes had reserved."""
    if not text.strip():
        return _Account()
    spent, reserved, is_over = json.loads(text)
    living = {owner: held for owner, held in reserved.items() if _lives(int(owner))}
    return _Account(spent=spent, reserved=living, is_over=is_over)


def _lives(process: int) -> bool:
    """Whether a process runs; one that was killed and not yet buried by its parent does not."""
    try:
        os.kill(process, 0)
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's, or a system without /proc
        return True
    return status.rpartition(")")[2].split()[:1] != ["Z"]
