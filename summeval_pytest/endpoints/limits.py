"""Limits of a run: requests at once, requests and tokens a minute, dollars; and what it took.

Whoever waits is served by urgency first, that is if a test stands still for it, and then by age.
Where few may be open, prompts are served in the order of their texts instead, over and over: those
with the same beginning follow each other, and a server with few slots reuses what it has read.
An endpoint's own limit is halved when it says 429 or takes too long, and grows back by one for
every full round of successes, as the Internet's own congestion control does it. At this machine it
starts small, and doubles with each round that is fast, until the first trouble.

A call reserves the most it can cost and settles what it did cost. Where the next call could exceed
what is left, it waits for calls in flight to settle; where none is, asking stops for good. The
processes of one run share one account in the store.
"""

from __future__ import annotations

import asyncio
import math
import string
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final, Literal, get_args

from summeval_pytest.endpoints.chat import ChatRequest, Usage
from summeval_pytest.endpoints.endpoint import Endpoint, Price
from summeval_pytest.errors import NoReplyError
from summeval_pytest.store.store import Account, LocalAccount

FEW: Final = 4
"""Requests at once with which a server of this machine starts that does not say how many."""
NARROW: Final = 8
"""Requests at once up to which prompts are served in the order of their texts."""
_FAST: Final = 0.05
"""The share of an attempt's time within which an answer is fast: half a minute usually."""
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
        waiting: Who waits for a turn at it.
        is_unknown: Whether a server of this machine may say how many it serves at once.
    """

    def __init__(self, endpoint: Endpoint, most: int) -> None:
        self.name = f"{endpoint.name} {endpoint.shown}"
        self.limit = self.maximum = min(endpoint.max_in_flight or most, most)
        self.is_unknown = endpoint.is_loopback and endpoint.max_in_flight is None
        self._fast_seconds = math.inf
        if self.is_unknown:
            self.limit = min(FEW, self.maximum)
            self._fast_seconds = endpoint.first_seconds * _FAST
        self._is_starting = self.is_unknown
        self.n_taken = self.n_shrunk = 0
        self.waiting: list[_Waiter] = []
        self._last = ""
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

    def has_room(self) -> bool:
        """Whether somebody waits for it who would not be too many; who was called off does not."""
        if self.n_taken >= self.limit:
            return False
        self.waiting = [waiter for waiter in self.waiting if not waiter.granted.done()]
        return bool(self.waiting)

    def next_waiter(self) -> _Waiter:
        """Who is served next; a prompt of no text, as one that is sent again, goes first."""
        if self.limit > NARROW:
            return min(self.waiting, key=_by_urgency)
        last = self._last

        def by_prompt(waiter: _Waiter) -> tuple[object, ...]:
            is_behind = bool(waiter.prompt) and waiter.prompt < last
            return is_behind, waiter.prompt, *_by_urgency(waiter)

        first = min(self.waiting, key=by_prompt)
        self._last = first.prompt or last
        return first

    def refused(self, n_shrunk: int) -> None:
        """The endpoint says that these are too many: half of them, at least 1.

        All that was out at that time is refused for the same reason, and shrinks it no further.
        """
        if n_shrunk == self.n_shrunk:
            self._is_starting = False
            self.limit = max(1, self.limit // 2)
            self.n_shrunk += 1
            self._n_served = 0

    def has_slots(self, n_slots: int) -> None:
        """The server says how many it serves at once: others would only wait there."""
        self.maximum = min(n_slots, self.maximum)
        self.limit = self.maximum
        self._is_starting = False

    def served(self, seconds: float = 0.0) -> None:
        """The endpoint answered: after a full round of answers there is room for one more.

        Not after a slow answer of a server of this machine: its requests wait for each other.
        """
        self._n_served += 1
        if self._n_served >= self.limit and seconds <= self._fast_seconds:
            self._n_served = 0
            grown = self.limit * 2 if self._is_starting else self.limit + 1
            self.limit = min(self.maximum, grown)


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    urgency: Urgency
    ticket: int
    n_tokens: int
    prompt: str
    granted: asyncio.Future[None]


def _by_urgency(waiter: _Waiter) -> tuple[bool, int]:
    return not waiter.urgency.demanded, waiter.ticket


class Limits:
    """How many requests a run may have in flight, at all its endpoints; for one event loop.

    Attributes:
        limit: How many, 1 or more.
        n_taken: How many there are.
    """

    def __init__(self, limit: int, take_turn: TakeTurn | None = None) -> None:
        self.limit = limit
        self.n_taken = 0
        self._take_turn = take_turn
        self._closed = asyncio.Event()
        self._tickets = count()
        self._limiters: dict[Endpoint, Limiter] = {}
        self._alarm: asyncio.TimerHandle | None = None

    def ticket(self) -> int:
        """An age: who draws it later is served later, however often it comes back."""
        return next(self._tickets)

    def limiter(self, endpoint: Endpoint) -> Limiter:
        """The limiter of one endpoint, one and the same for all who ask there."""
        return self._limiters.setdefault(endpoint, Limiter(endpoint, self.limit))

    def close(self) -> None:
        """Cancels whoever waits, or pauses, or comes later; requests in flight go on."""
        self._closed.set()
        for limiter in self._limiters.values():
            for waiter in limiter.waiting:
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
        self, limiter: Limiter, *, ticket: int | None = None, n_tokens: int = 0, prompt: str = ""
    ) -> AsyncIterator[int]:
        """Waits for a turn and holds it; gives how often the limit had shrunk by then.

        A ticket is the age of who waits, None to draw one now. Raises a CancelledError if the
        limits are closed, and a NoReplyError if a shared store cannot be reached.
        """
        if self._closed.is_set():
            raise asyncio.CancelledError
        granted = asyncio.get_running_loop().create_future()
        ticket = self.ticket() if ticket is None else ticket
        limiter.waiting.append(_Waiter(URGENCY.get(), ticket, n_tokens, prompt, granted))
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
        while self.n_taken < self.limit:
            room = [each for each in self._limiters.values() if each.has_room()]
            waits = [limiter.ready_in(loop.time()) for limiter in room]
            ready = [limiter for limiter, wait in zip(room, waits, strict=True) if not wait]
            if not ready:
                if waits:
                    self._alarm = loop.call_later(min(waits), self._grant)
                return
            limiter = min(ready, key=lambda each: min(map(_by_urgency, each.waiting)))
            first = limiter.next_waiter()
            limiter.waiting.remove(first)
            limiter.take(loop.time(), first.n_tokens)
            limiter.n_taken += 1
            self.n_taken += 1
            first.granted.set_result(None)


_PLAIN: Final = (string.ascii_letters + string.whitespace).encode()
_PER_MESSAGE: Final = 8
_PER_SCHEMA: Final = 64


def cost_at_most(request: ChatRequest, price: Price) -> float:
    """What one call can cost at most, in dollars: a long prompt and a reply of full length."""
    n_prompt = tokens_at_most(request)
    price = price.of(n_prompt)
    dearest = max(price.input, price.cached_input or 0.0)
    return (n_prompt * dearest + request.most_tokens * price.output) / 1_000_000


def tokens_for(dollars: float, request: ChatRequest, price: Price) -> float:
    """How many tokens of reply so much money pays for after the longest prompt, 0 or more."""
    left = dollars - cost_at_most(replace(request, max_tokens=0, room=None), price)
    output = price.of(tokens_at_most(request)).output
    return max(0.0, left / output * 1_000_000) if output else math.inf


def tokens_at_most(request: ChatRequest) -> int:
    """How many tokens a request's prompt has at most, whatever the model's tokenizer.

    Two ASCII letters or blanks count as one token, every other byte as one, as tokenizers spell the
    unusual byte by byte; a message adds 8, and a schema, which may be sent as text, 64.
    """
    n_tokens = _PER_MESSAGE * len(request.messages)
    n_tokens += _PER_SCHEMA * (request.schema is not None)
    for text in _texts(request):
        data = text.encode("utf-8", "replace")
        n_other = len(data.translate(None, _PLAIN))
        n_tokens += n_other + math.ceil((len(data) - n_other) / 2)
    return n_tokens


def tokens_about(request: ChatRequest) -> int:
    """How many tokens a request's prompt has more or less: one for four characters."""
    n_characters = sum(len(text) for text in _texts(request))
    return math.ceil(n_characters / 4) + _PER_MESSAGE * len(request.messages)


def _texts(request: ChatRequest) -> list[str]:
    schema = request.schema
    texts = [message.content for message in request.messages]
    return texts if schema is None else [*texts, schema.name, schema.text]


_LOOK_SECONDS: Final = 0.5
"""How often a call that waits for money looks what other processes have given back."""
PATIENCE_SECONDS: Final = 600.0
"""How long it waits while nobody gives anything back: a process may be dead unnoticed."""


class Budget:
    """One limit in dollars, held by all who share its account; this process alone without one.

    One call of a process waits for money at a time, and the others for it.
    """

    def __init__(self, dollars: float, account: Account | None = None) -> None:
        self.dollars = dollars
        self.account = account or LocalAccount()
        self._turn = asyncio.Lock()
        self._waiting: asyncio.Future[None] | None = None

    async def reserve(self, most: float | Callable[[float], float]) -> float:
        """Sets aside, and returns, the most that a call can cost, which may depend on what is left.

        Waits while calls in flight may leave enough. Raises a NoReplyError, ``over_budget``, once
        there will never be enough, or nobody gives anything back for `PATIENCE_SECONDS`.
        """
        loop, last = asyncio.get_running_loop(), (-1.0, 0.0)  # spent, and since when
        async with self._turn:
            while True:
                self._waiting = loop.create_future()
                dollars = most(await self._unspent()) if callable(most) else most
                answer = await self.account.reserve(dollars, self.dollars)
                if answer.is_reserved:
                    return dollars
                if answer.spent != last[0]:
                    last = answer.spent, loop.time()
                if answer.is_over or loop.time() - last[1] > PATIENCE_SECONDS:
                    raise NoReplyError(
                        "over_budget",
                        f"not judged: budget ({answer.spent:.4f} of {self.dollars:g} dollars"
                        f" spent, and the next call could cost {dollars:.4f})",
                    )
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await self._waiting

    async def _unspent(self) -> float:
        return self.dollars - (await self.account.reserve(0.0, self.dollars)).spent

    async def settle(self, most: float, cost: float) -> None:
        """Gives back what was set aside and books what the call did cost."""
        await self.account.settle(most, cost)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


@dataclass(slots=True, kw_only=True)
class Totals:
    """Counts of one run, or of one process of it; they add up.

    Replies were asked of an endpoint, recorded in a cassette or cached in the store; tokens are as
    the endpoints counted them.

    Attributes:
        n_failed: Requests that an endpoint gave no usable reply to.
        n_unpriced: Answered requests without a price, or whose tokens the endpoint did not count.
        cost: Dollars, of the requests that have a price.
    """

    n_asked: int = 0
    n_recorded: int = 0
    n_cached: int = 0
    n_failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    n_unpriced: int = 0
    cost: float = 0.0

    @property
    def n_replies(self) -> int:
        """Replies in all, wherever they came from."""
        return self.n_asked + self.n_recorded + self.n_cached


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ModelSeen:
    """A model that was asked, and its name in the replies.

    Attributes:
        asked: The name in the request.
        returned: The name in the reply; empty if the endpoint gave none.
        is_other: Whether it is another model than the one asked for.
        n_replies: Its replies in the run; 0 before they are counted.
    """

    endpoint: str
    asked: str
    returned: str
    fingerprint: str
    is_other: bool = False
    n_replies: int = 0


def models_seen(keys: Mapping[ModelSeen, Collection[str]]) -> tuple[ModelSeen, ...]:
    """The models in order, each with the count of its replies, which are given by their keys."""
    return tuple(sorted(replace(model, n_replies=len(of)) for model, of in keys.items()))


Origin = Literal["asked", "cached", "recorded"]
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)


@dataclass(slots=True)
class Ledger:
    """The counts of one process while it runs; a reply counts once, however often it is used.

    Attributes:
        origins: By key, where each reply came from when it was first used.
        models: By model, the keys of its replies, wherever they came from.
    """

    totals: Totals = field(default_factory=Totals)
    n_in_flight: int = 0
    origins: dict[str, Origin] = field(default_factory=dict)
    models: dict[ModelSeen, set[str]] = field(default_factory=dict)

    def remembered(self, key: str, origin: Origin) -> None:
        """Counts a reply that nobody had to be asked for."""
        if key not in self.origins:
            self.origins[key] = origin
            self.totals.n_recorded += origin == "recorded"
            self.totals.n_cached += origin == "cached"

    def answered(self, key: str, usage: Usage | None, price: Price | None) -> None:
        """Counts one reply of an endpoint, its tokens and its cost."""
        self.origins[key] = "asked"
        self.totals.n_asked += 1
        if usage is not None:
            self.totals.prompt_tokens += usage.prompt_tokens
            self.totals.completion_tokens += usage.completion_tokens
        if usage is None or price is None:
            self.totals.n_unpriced += 1
        else:
            self.totals.cost += price.cost(usage)

    def keys(self, origin: Origin) -> list[str]:
        """The keys of the replies that came from there, in order."""
        return sorted(key for key, found in self.origins.items() if found == origin)
