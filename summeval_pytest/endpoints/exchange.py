"""One request, answered once: from a cassette, the store or its endpoint.

A request in flight anywhere, in this process or in another one that shares the store, is waited
for and not sent again. A reply is kept the moment it arrives; that there was none is never kept,
and one that nobody could use is forgotten, so that the next run asks again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Final

from summeval_pytest.endpoints.chat import ROOM, ChatReply, ChatRequest, read_reply
from summeval_pytest.endpoints.client import USUAL_BACKOFF, Again, Backoff, Client, Sender
from summeval_pytest.endpoints.dialect import Dialect, read_dialect
from summeval_pytest.endpoints.endpoint import Address, Endpoint, Price, is_other_model
from summeval_pytest.endpoints.limits import (
    URGENCY,
    Budget,
    Ledger,
    Limits,
    ModelSeen,
    Urgency,
    cost_at_most,
    tokens_for,
)
from summeval_pytest.errors import Fault, NoReplyError, OptionError, StoreError
from summeval_pytest.options import Record
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.store import P, Store, StorePlace, T, open_store

_MAYBE_BILLED: Final = frozenset(
    {"dropped", "timed_out", "prompt_cut", "not_json", "malformed", "too_large"}
)
"""Faults after which the endpoint may have done its work all the same."""
_NO_ROOM: Final = (
    "set max_tokens higher under [judges.NAME], or reasoning_effort lower; until then the reply is"
    " kept, and not paid for again"
)
_NO_END: Final = "more tokens would not help, so the reply is kept; another model may answer"
DRAIN_SECONDS: Final = 60.0
"""How long a run that ends waits for calls in flight: others may wait for the same replies."""


def _read(row: Row | None) -> ChatReply | None:
    try:
        return None if row is None else read_reply(dict(row.reply))
    except ValueError as error:
        assert row is not None
        raise StoreError(
            f"the recorded reply {row.key[:8]} is none of ours ({error}); delete it, and ask"
            " again with --summ-record=new"
        ) from error


@dataclass(eq=False)
class Memory:
    """The replies that one process can read without asking.

    The store is opened at the first look; cassettes are rows by key; ``run`` is a name that all
    processes of this run share and no other run has. Replies whose keys are ``unusable`` stay until
    the run ends, since its other processes may need them, and the next run asks for them again.
    """

    record: Record
    place: StorePlace
    cassettes: Mapping[str, Row]
    run: str = field(kw_only=True)
    unusable: set[str] = field(default_factory=set, kw_only=True)

    @cached_property
    def store(self) -> Store:
        """The store, which a replay has no use for."""
        return open_store(self.place)

    def recorded(self, key: str) -> ChatReply | None:
        """The reply in a cassette; none where everything is asked again."""
        return _read(None if self.record == "all" else self.cassettes.get(key))

    def cached(self, key: str) -> ChatReply | None:
        """The reply in the store, from before, or, where all is asked again, from this run."""
        if self.record == "none":
            return None
        return _read(self.store.get(key, self.run if self.record == "all" else ""))

    def remember(self, key: str, topic: str, reply: ChatReply) -> None:
        """Stores a reply."""
        row = Row(key=key, topic=topic, reply=reply.as_json())
        self.store.put(row)
        if self.record == "all":
            self.store.put(row, self.run)

    def dialect(self, endpoint: str, model: str) -> Dialect | None:
        """What a model was found to understand; unknown where all is asked again."""
        if self.record != "new":
            return None
        note = self.store.note(f"dialect of {endpoint} {model}")
        return None if note is None else read_dialect(note)

    def remember_dialect(self, endpoint: str, model: str, dialect: Dialect) -> None:
        """Stores what a model was found to understand."""
        self.store.put_note(f"dialect of {endpoint} {model}", dialect.as_text())

    async def off_loop(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a call of this memory returns, made where it does not hold up the event loop."""
        if self.record == "none":  # no store plays a part
            return call(*args, **kwargs)
        return await self.store.off_loop(call, *args, **kwargs)

    def close(self) -> None:
        """Removes what nobody could use, at the end of a run, and closes what was opened."""
        if "store" in vars(self):
            store: Store = vars(self).pop("store")
            for key in self.unusable:
                store.remove(key)
            store.close()

    def forget_run(self) -> None:
        """Removes, after a run, what only it needed, and what killed runs of other days left."""
        with closing(open_store(self.place)) as store:
            store.forget_run(self.run)


class Exchange:
    """Where all requests of one process go through; `line` gives the sender of one endpoint.

    With ``is_strict`` a reply of another model than was asked for is an error; otherwise the
    ledger has it, and who reads that warns.

    Attributes:
        open: The requests that are waited for, by key.
        waiting_elsewhere: Of these, those that another process may be asking.
        failed: By key, why a call of this run got no reply; it is not made again.
        swapped: Why a model is not asked any more: another one replied.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        in_flight: int,
        budget: Budget | None = None,
        is_strict: bool = False,
        backoff: Backoff = USUAL_BACKOFF,
    ) -> None:
        self.memory = memory
        self.is_strict = is_strict
        self.ledger = Ledger()
        self.budget = budget
        self.limits = Limits(in_flight, None if memory.record == "none" else memory.store.turn)
        self.open: dict[str, tuple[asyncio.Task[ChatReply], Urgency]] = {}
        self.waiting_elsewhere: set[asyncio.Task[ChatReply]] = set()
        self.failed: dict[str, NoReplyError] = {}
        self.swapped: dict[tuple[str, str, bool | None], str] = {}
        self.reserving = asyncio.Semaphore(in_flight)  # bounds calls that set money aside at once
        self._backoff = backoff
        self._clients: dict[tuple[Endpoint, str], Client] = {}

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender of requests to one endpoint, whose tokens have a price."""
        return CachedEndpoint(self, address, price)

    @property
    def troubles(self) -> tuple[str, ...]:
        """What keeps models from replying now."""
        clients = tuple(self._clients.values())
        return tuple(f"{c.endpoint.name}: {c.trouble}" for c in clients if c.trouble)

    async def ask(
        self, endpoint: Endpoint, request: ChatRequest, again: Again | None = None
    ) -> ChatReply:
        """The endpoint's own reply to a request; ``again`` is asked before each further attempt."""
        client = self._clients.get((endpoint, request.model))
        if client is None:
            known = self.memory.dialect(endpoint.name, request.model)
            client = Client(endpoint, self.limits, backoff=self._backoff, remembered=known)
            self._clients[endpoint, request.model] = client
        self.ledger.n_in_flight += 1
        try:
            reply = await client.send(request, again=again)
        except NoReplyError:
            self.ledger.totals.n_failed += 1
            raise
        finally:
            self.ledger.n_in_flight -= 1
        if client.dialect is not None and client.dialect != client.remembered:
            client.remembered = client.dialect
            self.memory.remember_dialect(endpoint.name, request.model, client.dialect)
        return reply

    def redacted(self, text: str) -> str:
        """The text without the secrets of any endpoint that was asked."""
        for endpoint in {endpoint for endpoint, _ in list(self._clients)}:
            text = endpoint.redacted(text)
        return text

    async def drain(self, seconds: float = DRAIN_SECONDS) -> None:
        """Waits for the calls in flight and sends no others; what is answered meanwhile is kept."""
        self.limits.close()
        for task in self.waiting_elsewhere:
            task.cancel()
        tasks = [task for task, _ in self.open.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for client in self._clients.values():
            await client.close()
        self._clients.clear()
        self.memory.close()


@dataclass(eq=False, slots=True)
class CachedEndpoint:
    """One endpoint, behind what is remembered."""

    _exchange: Exchange
    _address: Address
    _price: Price | None

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply to one request, wherever it comes from.

        Raises:
            NoReplyError: if there is none, and why.
            StoreError: if the store cannot be used.
            OptionError: if a request has to be sent and its key is not set, and if a replay has
                no cassette.
        """
        exchange, key = self._exchange, request.key(self._address.endpoint.name)
        if (reply := exchange.memory.recorded(key)) is not None:
            exchange.ledger.remembered(key, "recorded")
            return self._checked(key, request, reply)
        if (error := exchange.failed.get(key)) is not None:
            raise NoReplyError(error.fault, str(error))
        urgency = URGENCY.get()
        if key in exchange.open:
            task, first_urgency = exchange.open[key]
            first_urgency.demanded = first_urgency.demanded or urgency.demanded
        else:
            task = asyncio.ensure_future(self._cached_or_asked(key, request))
            exchange.open[key] = task, urgency
            task.add_done_callback(partial(self._forget, key))
        return await asyncio.shield(task)

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]]) -> str:
        """Forgets the replies but for those that were cut off; a cassette keeps its own."""
        memory, name = self._exchange.memory, self._address.endpoint.name
        keys = [request.key(name) for request, reply in said if reply.finish != "length"]
        if not keys:
            return _NO_END if said[-1][1].is_looping else _NO_ROOM
        memory.unusable.update(keys)
        if any(key in memory.cassettes for key in keys):
            return (
                f"the recorded answer to question {keys[0][:8]} is unusable; delete its line in"
                " the cassette, ask again with --summ-record=new, then 'summeval cassette export'"
            )
        return f"question {keys[0][:8]} has no usable answer; the next run asks it again"

    def _forget(self, key: str, task: asyncio.Task[ChatReply]) -> None:
        self._exchange.open.pop(key, None)
        if not task.cancelled():
            task.exception()  # marks it as seen: whoever waited may have been cancelled

    async def _cached_or_asked(self, key: str, request: ChatRequest) -> ChatReply:
        exchange, memory = self._exchange, self._exchange.memory
        if (reply := await self._cached(key, request)) is not None:
            return reply
        if memory.record == "none":
            remedy = "run once with --summ-record=new, then 'summeval cassette export'"
            if not memory.cassettes:
                what = "--summ-record=none replays the suite's cassette, and it has none"
                raise OptionError(f"{what}; {remedy}")
            what = f"no recorded answer for question {key[:8]} ({request.topic})"
            raise NoReplyError("not_recorded", f"{what}; {remedy}")
        task = asyncio.current_task()
        assert task is not None
        exchange.waiting_elsewhere.add(task)
        try:
            async with memory.store.alone(key):
                exchange.waiting_elsewhere.discard(task)
                if (reply := await self._cached(key, request)) is not None:
                    return reply
                if said := exchange.swapped.get(self._who(request)):
                    raise NoReplyError("other_model", said)  # the next would be of no more use
                URGENCY.get().has_asked = True
                reply = self._checked(key, request, await self._asked(key, request))
                await memory.off_loop(memory.remember, key, request.topic, reply)
                return reply
        finally:
            exchange.waiting_elsewhere.discard(task)

    async def _cached(self, key: str, request: ChatRequest) -> ChatReply | None:
        memory = self._exchange.memory
        reply = await memory.off_loop(memory.cached, key)
        if reply is None:
            return None
        self._exchange.ledger.remembered(key, "cached")
        return self._checked(key, request, reply)

    def _checked(self, key: str, request: ChatRequest, reply: ChatReply) -> ChatReply:
        """The reply; who gave it is noted, and has to be the model asked in a strict exchange."""
        endpoint, asked = self._address.endpoint, request.model
        seen = ModelSeen(
            endpoint=endpoint.name,
            asked=asked,
            returned=reply.model,
            fingerprint=reply.fingerprint,
            is_other=is_other_model(asked, reply.model, pinned=self._address.pinned),
        )
        self._exchange.ledger.models.setdefault(seen, set()).add(key)
        if seen.is_other and self._exchange.is_strict:
            self._exchange.swapped[self._who(request)] = said = (
                f"endpoint {endpoint.name!r} at {endpoint.shown}: asked for {asked!r}, and"
                f" the reply is of {reply.model!r}; name the model that is meant, write"
                " pinned = false in the table of the judge or system where both are one, or ask"
                " again with --summ-record=all"
            )
            raise NoReplyError("other_model", said)
        return reply

    def _who(self, request: ChatRequest) -> tuple[str, str, bool | None]:
        """Who is asked, and whether only that model may reply."""
        return self._address.endpoint.name, request.model, self._address.pinned

    async def _asked(self, key: str, request: ChatRequest) -> ChatReply:
        """The endpoint's own reply, within the budget.

        A failure is kept, but for one of the budget: it may let others go on.
        """
        exchange, endpoint, price = self._exchange, self._address.endpoint, self._price
        if self._address.missing:
            raise OptionError(
                f"{request.model!r} is asked at {endpoint.shown}, which needs a key: set"
                f" {self._address.missing}, name another address with --summ-endpoint, or replay"
                f" with --summ-record=none{self._address.hint}"
            )
        try:
            if exchange.budget is None or price is None:
                reply = await exchange.ask(endpoint, request)
            else:
                async with exchange.reserving:
                    reply = await self._afforded(request, exchange.budget, price)
        except NoReplyError as error:
            if error.fault != "over_budget":
                exchange.failed[key] = error
            raise
        exchange.ledger.answered(key, reply.usage, price)
        return reply

    async def _afforded(self, request: ChatRequest, budget: Budget, price: Price) -> ChatReply:
        """The endpoint's own reply, if the most that this can cost is left."""
        asked = request

        def most(dollars: float) -> float:
            """What the call costs at most, where the room for thoughts is what is left to pay."""
            nonlocal request
            request = asked
            if asked.room == ROOM:
                room = int(min(tokens_for(dollars, asked, price), asked.most_tokens))
                request = replace(asked, room=max(asked.max_tokens, room))
            return cost_at_most(request, price)

        dearest = reserved = await budget.reserve(most)

        async def again(fault: Fault) -> None:
            nonlocal reserved
            if fault in _MAYBE_BILLED:
                await budget.settle(dearest, dearest)
                reserved = 0.0
                await budget.reserve(dearest)
                reserved = dearest

        cost = dearest  # also of a call that is given up: it may be on the bill
        try:
            reply = await self._exchange.ask(self._address.endpoint, request, again)
            cost = dearest if reply.usage is None else price.cost(reply.usage)
        except NoReplyError as error:
            cost = dearest if error.fault in _MAYBE_BILLED else 0.0
            raise
        finally:
            await budget.settle(reserved, cost if reserved else 0.0)
        return reply
