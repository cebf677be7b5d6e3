"""How many requests are out at once: in a run, at an endpoint; and who is next.

Whoever waits is served by urgency first, that is if a test stands still for it, and then by age.
An endpoint's own limit is halved when it says 429 and grows back by one for every full round of
successes, as the Internet's own congestion control does it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from summeval_pytest.endpoints.endpoint import Endpoint
    from summeval_pytest.endpoints.faults import Trouble


_MINUTE: Final = 60.0
_BURST_SECONDS: Final = 0.1
_ROUNDING: Final = 1e-9


class Bucket:
    """Fills by so much a minute, and holds a tenth of a second's worth, at least 1.

    More than it holds may be taken from a full bucket; it then owes the rest and fills from there,
    so that no minute gives much more than its due.
    """

    def __init__(self, per_minute: float) -> None:
        self.per_second = per_minute / _MINUTE
        self.room = max(1.0, self.per_second * _BURST_SECONDS)
        self._level = self.room
        self._at: float | None = None

    def ready_in(self, now: float, amount: float) -> float:
        """Seconds until an amount can be taken; 0 if it can be now."""
        self._fill(now)
        missing = min(amount, self.room) - self._level
        return missing / self.per_second if missing > _ROUNDING else 0.0

    def take(self, now: float, amount: float) -> None:
        """Take an amount out."""
        self._fill(now)
        self._level -= amount

    def _fill(self, now: float) -> None:
        if self._at is not None:
            self._level = min(self.room, self._level + (now - self._at) * self.per_second)
        self._at = now


class Pace:
    """How fast an endpoint may be asked: None for as fast as it goes."""

    def __init__(
        self, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self._requests = None if requests_per_minute is None else Bucket(requests_per_minute)
        self._tokens = None if tokens_per_minute is None else Bucket(tokens_per_minute)

    def ready_in(self, now: float, n_tokens: int) -> float:
        """Seconds until a request of so many tokens may be sent; 0 if it may be now."""
        waits = [0.0]
        if self._requests is not None:
            waits.append(self._requests.ready_in(now, 1))
        if self._tokens is not None:
            waits.append(self._tokens.ready_in(now, n_tokens))
        return max(waits)

    def take(self, now: float, n_tokens: int) -> None:
        """Count a request of so many tokens as sent."""
        if self._requests is not None:
            self._requests.take(now, 1)
        if self._tokens is not None:
            self._tokens.take(now, n_tokens)


FAILURES: Final = 7
PROBE_SECONDS: Final = 10.0
_CALLS: Final = 2


class Circuit:
    """The circuit of one endpoint.

    Attributes:
        first: The first trouble since something good was heard; None where there was none since.
        is_open: Whether calls are given up.
        waiting: The deadlines of calls of which nothing is on its way; they end as it opens.
    """

    def __init__(self) -> None:
        self.first: Trouble | None = None
        self.is_open = False
        self.waiting: set[asyncio.Timeout] = set()
        self._n_failed: Counter[int] = Counter()
        self._next_probe = 0.0

    def heard(self) -> None:
        """Something good: a reply, or a refusal, which shows that somebody is there."""
        self.first, self.is_open = None, False
        self._n_failed.clear()

    def failed(self, call: int, trouble: Trouble, now: float) -> None:
        """One more attempt of a call that met a breakdown."""
        self.first = self.first or trouble
        self._n_failed[call] += FAILURES if trouble.ruling.fault == "unreachable" else 1
        n_down = sum(n >= FAILURES for n in self._n_failed.values())
        if n_down >= _CALLS and not self.is_open:
            self.is_open, self._next_probe = True, now
            for deadline in self.waiting:
                if not deadline.expired():
                    deadline.reschedule(now)

    def admits(self, now: float) -> bool:
        """Whether a call that comes now may be sent, if only as a probe."""
        if not self.is_open:
            return True
        is_probe = now >= self._next_probe
        if is_probe:
            self._next_probe = now + PROBE_SECONDS
        return is_probe


@dataclass(eq=False, slots=True)
class Urgency:
    """Whether somebody stands still for what a flow asks; may change while it waits.

    Attributes:
        demanded: Whether somebody does.
        has_asked: Whether the flow ever asked an endpoint.
    """

    demanded: bool = False
    has_asked: bool = False


_CALM: Final = Urgency()
URGENCY: ContextVar[Urgency] = ContextVar("URGENCY", default=_CALM)
"""The urgency of all that the running task asks; tasks that set none share one and leave it be."""


@dataclass(order=True, slots=True)
class _Waiter:
    ticket: int
    n_tokens: int = field(compare=False)
    granted: asyncio.Future[None] = field(compare=False)


_Line = tuple["Lane", Urgency]
"""Who waits for the same endpoint with the same urgency."""


@dataclass(frozen=True, slots=True)
class Lease:
    """One slot, taken; it knows how often its lane had shrunk by then."""

    n_shrunk: int


class Slots:
    """A run's slots, shared by the lanes of all its endpoints; for one event loop.

    Attributes:
        limit: How many there are, 1 or more.
        n_taken: How many are taken.
        is_closed: Whether no more are given.
    """

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise OptionError(f"{limit!r} requests in flight are none; it has to be 1 or more")
        self.limit = limit
        self.n_taken = 0
        self.is_closed = False
        self._tickets = count()
        self._lanes: dict[Endpoint, Lane] = {}
        self._lines: dict[_Line, list[_Waiter]] = {}
        self._pauses: set[asyncio.Future[None]] = set()
        self._alarm: asyncio.TimerHandle | None = None

    @property
    def n_waiting(self) -> int:
        """How many wait for a slot."""
        return sum(not w.granted.done() for line in self._lines.values() for w in line)

    def ticket(self) -> int:
        """An age: who draws it later is served later, however often it comes back."""
        return next(self._tickets)

    def lane(self, endpoint: Endpoint) -> Lane:
        """The share of one endpoint, one and the same for all who ask there."""
        if endpoint not in self._lanes:
            maximum = min(endpoint.max_in_flight or self.limit, self.limit)
            pace = Pace(endpoint.requests_per_minute, endpoint.tokens_per_minute)
            self._lanes[endpoint] = Lane(self, maximum, pace)
        return self._lanes[endpoint]

    def close(self) -> None:
        """No slot is given any more: whoever waits for one, or pauses, or comes later is cancelled.

        Those who have one keep it.
        """
        self.is_closed = True
        for line in self._lines.values():
            for waiter in line:
                waiter.granted.cancel()
        for pause in tuple(self._pauses):
            pause.cancel()

    async def pause(self, seconds: float) -> None:
        """Sleeps, without a slot.

        Raises:
            asyncio.CancelledError: if the slots are closed before the time is over.
        """
        sleep = asyncio.ensure_future(asyncio.sleep(seconds))
        if self.is_closed:
            sleep.cancel()
        self._pauses.add(sleep)
        try:
            await sleep
        finally:
            self._pauses.discard(sleep)

    async def take(self, lane: Lane, ticket: int, n_tokens: int) -> None:
        """Waits for a slot, which `give_back` ends; use `Lane.taken`, which does both."""
        granted = asyncio.get_running_loop().create_future()
        if self.is_closed:
            granted.cancel()
        line = self._lines.setdefault((lane, URGENCY.get()), [])
        heappush(line, _Waiter(ticket, n_tokens, granted))
        self._grant()
        try:
            await granted
        except asyncio.CancelledError:
            if not granted.cancelled():
                self.give_back(lane)
            raise

    def give_back(self, lane: Lane) -> None:
        """Ends what `take` began."""
        self.n_taken -= 1
        lane.n_taken -= 1
        self._grant()

    def _grant(self) -> None:
        """Serves as many as there is room for; sets an alarm for those whose pace is too fast."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        loop = asyncio.get_running_loop()
        while self.n_taken < self.limit:
            line, wait_seconds = self._next(loop.time())
            if line is None:
                if wait_seconds is not None:
                    self._alarm = loop.call_later(wait_seconds, self._grant)
                return
            lane, waiter = line[0], heappop(self._lines[line])
            lane.pace.take(loop.time(), waiter.n_tokens)
            self.n_taken += 1
            lane.n_taken += 1
            waiter.granted.set_result(None)

    def _next(self, now: float) -> tuple[_Line | None, float | None]:
        """The line whose first is next; if none is for the sake of a pace, seconds until one is."""
        self._forget_gone()
        ready: list[tuple[bool, int, _Line]] = []
        waits: list[float] = []
        for key, line in self._lines.items():
            lane, urgency = key
            if lane.n_taken < lane.limit:
                wait_seconds = lane.pace.ready_in(now, line[0].n_tokens)
                if wait_seconds > 0:
                    waits.append(wait_seconds)
                else:
                    ready.append((not urgency.demanded, line[0].ticket, key))
        best = min(ready, key=itemgetter(0, 1), default=None)
        return None if best is None else best[2], min(waits, default=None)

    def _forget_gone(self) -> None:
        """Takes those out of the lines who do not wait any more."""
        for key, line in tuple(self._lines.items()):
            while line and line[0].granted.done():
                heappop(line)
            if not line:
                del self._lines[key]


class Lane:
    """One endpoint's share of a run's slots.

    Attributes:
        limit: How many it may have now, from 1 to ``maximum``.
        maximum: How many it may ever have.
        n_taken: How many it has.
        pace: How fast they may be taken.
        circuit: Whether it is asked at all.
    """

    def __init__(self, slots: Slots, maximum: int, pace: Pace) -> None:
        self.limit = self.maximum = maximum
        self.n_taken = 0
        self.pace = pace
        self.circuit = Circuit()
        self._slots = slots
        self._n_shrunk = 0
        self._n_served = 0

    @asynccontextmanager
    async def taken(self, *, ticket: int | None = None, n_tokens: int = 0) -> AsyncIterator[Lease]:
        """Waits for a slot and holds it.

        Args:
            ticket: The age of who waits, from `Slots.ticket`; None to draw one now.
            n_tokens: What the request counts for in a pace by tokens.
        """
        age = self._slots.ticket() if ticket is None else ticket
        await self._slots.take(self, age, n_tokens)
        try:
            yield Lease(self._n_shrunk)
        finally:
            self._slots.give_back(self)

    def refused(self, lease: Lease) -> None:
        """The endpoint says that these are too many: half of them, at least 1.

        All that was out at that time is refused for the same reason, and shrinks it no further.
        """
        if lease.n_shrunk == self._n_shrunk:
            self.limit = max(1, self.limit // 2)
            self._n_shrunk += 1
            self._n_served = 0

    def served(self) -> None:
        """The endpoint answered: after a full round of answers there is room for one more."""
        self._n_served += 1
        if self._n_served >= self.limit:
            self._n_served = 0
            self.limit = min(self.maximum, self.limit + 1)
