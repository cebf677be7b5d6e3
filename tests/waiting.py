"""Waiting for what happens, and for no time: a claim that holds holds on a busy machine, too."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Final, TypeVar, cast

T = TypeVar("T")

SOON: Final = 120.0
"""Seconds after which something that should have happened never will; no claim rests on it."""
LOOK_SECONDS: Final = 0.002


def wait_until(happened: Callable[[], bool], otherwise: str = "it never happened") -> None:
    """Waits for something that another thread or process does."""
    end = time.monotonic() + SOON
    while not happened():
        assert time.monotonic() < end, otherwise
        time.sleep(LOOK_SECONDS)


async def until(happened: Callable[[], bool]) -> None:
    """Waits for the same, and lets the loop go on."""
    async with asyncio.timeout(SOON):
        while not happened():
            await asyncio.sleep(LOOK_SECONDS)


class SkippingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock goes on as told, so that a test of a long wait waits for nothing.

    Waits under test are minutes, and a test takes far less than one: where it skips none, none end.
    """

    skipped_seconds = 0.0

    def time(self) -> float:
        """The loop's own clock, put forward."""
        return super().time() + self.skipped_seconds


def run_skipping(doing: Coroutine[object, object, T]) -> T:
    """What comes of something that is done on a `SkippingLoop`."""
    with asyncio.Runner(loop_factory=SkippingLoop) as runner:
        return runner.run(doing)


async def skip(seconds: float) -> None:
    """Puts the clock of a `SkippingLoop` forward, and lets what is due by then happen."""
    loop = cast("SkippingLoop", asyncio.get_running_loop())
    loop.skipped_seconds += seconds
    for _ in range(10):
        await asyncio.sleep(0)
