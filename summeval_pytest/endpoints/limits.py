"""Limits on open requests, and on requests and tokens a minute.

Whoever waits is served by urgency first, that is if a test stands still for it, and then by age.
An endpoint's own limit is halved when it says 429 and grows back by one for every full round of
successes, as the Internet's own congestion control does it.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from summeval_pytest.endpoints.endpoint import Endpoint


_BURST_SECONDS: Final = 0.1
_LEAD_SECONDS: Final = 0.1
"""How long before it is due a turn is taken of all who share a store, so that none is missed."""
TakeTurn = Callable[[str, Sequence[float]], Awaitable[tuple[float, float] | None]]
"""Takes the next turn at an endpoint among all who share a store, as `Store.turn`."""


@dataclass(eq=False, slots=True)
class Urgency:
    """Whether somebody stands still for what a flow asks, and whether it ever asked an endpoint."""

    demanded: bool = False
    has_asked: bool = False


_CALM: Final = Urgency()
URGENCY: ContextVar[Urgency] = ContextVar("URGENCY", default=_CALM)
"""The urgency of all that the running task asks; tasks that set none share one and leave it be."""


class Limiter:
    """One endpoint's share of a run's requests in flight, and how fast it may be asked.

    Requests come one by one, or in handfuls of a tenth of a second's worth. More tokens than a
    minute has may be taken at once; what follows waits until they are paid off.

    Attributes:
        limit: How many it may have now, from 1 to ``maximum``.
        n_taken: How many it has.
        n_shrunk: How often the limit has shrunk.
    """

    def __init__(self, endpoint: Endpoint, most: int) -> None:
        self.name = f"{endpoint.name} {endpoint.shown}"
        self.limit = self.maximum = min(endpoint.max_in_flight or most, most)
        self.n_taken = self.n_shrunk = 0
        self._n_served = 0
        limits = (endpoint.requests_per_minute, endpoint.tokens_per_minute)
        self._seconds_each = [60 / limit if limit else 0.0 for limit in limits]
        self._ready_at = [-math.inf, -math.inf]
        self.is_paced = any(self._seconds_each)

    def seconds(self, n_tokens: int) -> tuple[float, float]:
        """What a request of so many tokens takes of the requests and the tokens a minute."""
        return self._seconds_each[0], n_tokens * self._seconds_each[1]

    def resume(self, at: float) -> None:
        """Wait until then, whatever was counted: others take turns, too."""
        self._ready_at = [at, at]

    def ready_in(self, now: float) -> float:
        """Seconds until the next request may be sent; 0 if it may be now."""
        return max(0.0, *(ready_at - now for ready_at in self._ready_at))

    def take(self, now: float, n_tokens: int) -> None:
        """Count a request of so many tokens as sent."""
        for place, seconds in enumerate(self.seconds(n_tokens)):
            saved_up = max(0.0, _BURST_SECONDS - seconds)
            self._ready_at[place] = max(self._ready_at[place], now - saved_up) + seconds

    def refused(self, n_shrunk: int) -> None:
        """The endpoint says that these are too many: half of them, at least 1.

        All that was out at that time is refused for the same reason, and shrinks it no further.
        """
        if n_shrunk == self.n_shrunk:
            self.limit = max(1, self.limit // 2)
            self.n_shrunk += 1
            self._n_served = 0

    def served(self) -> None:
        """The endpoint answered: after a full round of answers there is room for one more."""
        self._n_served += 1
        if self._n_served >= self.limit:
            self._n_served = 0
            self.limit = min(self.maximum, self.limit + 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    limiter: Limiter
    urgency: Urgency
    ticket: int
    n_tokens: int
    granted: asyncio.Future[None]


class Limits:
    """How many requests a run may have in flight, at all its endpoints; for one event loop.

    Attributes:
        limit: How many, 1 or more.
        n_taken: How many there are.
    """

    def __init__(self, limit: int, take_turn: TakeTurn | None = None) -> None:
        if limit < 1:
            raise OptionError(f"{limit!r} requests in flight are none; it has to be 1 or more")
        self.limit = limit
        self.n_taken = 0
        self._take_turn = take_turn
        self._closed = asyncio.Event()
        self._tickets = count()
        self._limiters: dict[Endpoint, Limiter] = {}
        self._waiting: list[_Waiter] = []
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def n_waiting(self) -> int:
        """How many wait for their turn."""
        return sum(not waiter.granted.done() for waiter in self._waiting)

    def ticket(self) -> int:
        """An age: who draws it later is served later, however often it comes back."""
        return next(self._tickets)

    def limiter(self, endpoint: Endpoint) -> Limiter:
        """The limiter of one endpoint, one and the same for all who ask there."""
        return self._limiters.setdefault(endpoint, Limiter(endpoint, self.limit))

    def close(self) -> None:
        """Cancels whoever waits, or pauses, or comes later; requests in flight go on."""
        self._closed.set()
        for waiter in self._waiting:
            waiter.granted.cancel()

    async def pause(self, seconds: float) -> None:
        """Sleeps, with nothing in flight; a CancelledError if the limits are closed meanwhile."""
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except TimeoutError:
            return
        raise asyncio.CancelledError

    @asynccontextmanager
    async def taken(
        self, limiter: Limiter, *, ticket: int | None = None, n_tokens: int = 0
    ) -> AsyncIterator[int]:
        """Waits for a turn and holds it; gives how often the limit had shrunk by then.

        A ticket is the age of who waits, None to draw one now. Raises a CancelledError if the
        limits are closed, and a NoReplyError if a shared store cannot be reached.
        """
        if self._closed.is_set():
            raise asyncio.CancelledError
        granted = asyncio.get_running_loop().create_future()
        ticket = self.ticket() if ticket is None else ticket
        self._waiting.append(_Waiter(limiter, URGENCY.get(), ticket, n_tokens, granted))
        self._grant()
        try:
            await granted
            if self._take_turn is not None and limiter.is_paced:
                turn = await self._take_turn(limiter.name, limiter.seconds(n_tokens))
                if turn is not None:
                    now = asyncio.get_running_loop().time()
                    limiter.resume(now + turn[1] - _LEAD_SECONDS)
                    if turn[0] > 0.0:
                        await self.pause(turn[0])
            yield limiter.n_shrunk
        finally:
            if granted.done() and not granted.cancelled():
                self.n_taken -= 1
                limiter.n_taken -= 1
                self._grant()

    def _grant(self) -> None:
        """Serves as many as there is room for; sets an alarm for those whose pace is too fast."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        loop = asyncio.get_running_loop()
        self._waiting = [waiter for waiter in self._waiting if not waiter.granted.done()]
        while self.n_taken < self.limit:
            room = [w for w in self._waiting if w.limiter.n_taken < w.limiter.limit]
            waits = [w.limiter.ready_in(loop.time()) for w in room]
            ready = [waiter for waiter, wait in zip(room, waits, strict=True) if not wait]
            if not ready:
                if waits:
                    self._alarm = loop.call_later(min(waits), self._grant)
                return
            first = min(ready, key=lambda waiter: (not waiter.urgency.demanded, waiter.ticket))
            self._waiting.remove(first)
            first.limiter.take(loop.time(), first.n_tokens)
            first.limiter.n_taken += 1
            self.n_taken += 1
            first.granted.set_result(None)
