"""Replies from an endpoint: attempts until one gives a reply, or a named fault."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

from summeval_pytest.endpoints.chat import ChatReply
from summeval_pytest.endpoints.dialect import Negotiation, body, first_trial, next_trial
from summeval_pytest.endpoints.faults import Backoff, Trouble, of_body, of_silence, of_status, told
from summeval_pytest.endpoints.prices import tokens_about
from summeval_pytest.endpoints.wire import Heard, Unheard, Wire, read_body
from summeval_pytest.errors import REFUSALS, NoReplyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.endpoints.chat import ChatRequest
    from summeval_pytest.endpoints.dialect import Dialect
    from summeval_pytest.endpoints.endpoint import Endpoint
    from summeval_pytest.endpoints.limits import Slots
    from summeval_pytest.errors import Fault


UNREADABLE: Final = 3
"""How often one call may meet a good status with a body that is no reply."""

_OK: Final = 300
_BACKOFF: Final = Backoff()


Again = Callable[["Fault"], Awaitable[None]]
"""Asked before each further attempt, with the fault of the last; may raise to forbid it."""


@dataclass(eq=False, slots=True)
class _Call:
    """One call on its way."""

    request: ChatRequest
    ticket: int
    deadline: asyncio.Timeout
    n_attempts: int = 0
    n_waits: int = 0
    n_unreadable: int = 0
    last: str = ""
    again: Again | None = None


class Client:
    """The `Sender` to one model at one endpoint, for one event loop.

    Attributes:
        endpoint: The endpoint.
        trouble: What kept the last attempt from a reply; empty where it got one.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        slots: Slots,
        *,
        remembered: Dialect | None = None,
        backoff: Backoff = _BACKOFF,
        chance: random.Random | None = None,
    ) -> None:
        """A client that has sent nothing yet.

        Args:
            endpoint: Where to ask.
            slots: The run's slots, shared with all other clients.
            remembered: What `dialect` said another day.
            backoff: The waits before attempts.
            chance: Where their jitter comes from.
        """
        self.endpoint = endpoint
        self.trouble = ""
        self._slots = slots
        self._lane = slots.lane(endpoint)
        self._circuit = self._lane.circuit
        self._wire = Wire(endpoint)
        self._backoff = backoff
        self._chance = chance or random.Random()
        self._talk = Negotiation(remembered, backoff.head_start_seconds)
        self._refusal: NoReplyError | None = None
        self._heard_before = False

    @property
    def dialect(self) -> Dialect | None:
        """What the model understands, to be remembered; None while that is not known."""
        return self._talk.known

    async def close(self) -> None:
        """Close all connections."""
        await self._wire.close()

    async def send(self, request: ChatRequest, *, again: Again | None = None) -> ChatReply:
        """The reply to one request; a cut-off, filtered or refused one is a reply as well.

        The time allowed begins with the first attempt, as waiting for a slot is nobody's fault.

        Args:
            request: The request.
            again: Asked before each further attempt.

        Raises:
            NoReplyError: if there is none, with its fault.
        """
        call = _Call(request, self._slots.ticket(), asyncio.timeout(None), again=again)
        if not self._circuit.admits(asyncio.get_running_loop().time()):
            raise self._given_up(call)
        self._circuit.waiting.add(call.deadline)
        try:
            async with call.deadline:
                return await self._answered(call)
        except TimeoutError:
            is_down = self._circuit.is_open
            raise (self._given_up(call) if is_down else self._timed_out(call)) from None
        finally:
            self._circuit.waiting.discard(call.deadline)

    async def _answered(self, call: _Call) -> ChatReply:
        """The reply, after as many attempts as it takes, each in the dialect known by then."""
        while True:
            outcome = await self._asked(call)
            if isinstance(outcome, ChatReply):
                return outcome
            await self._wait(call, outcome)

    async def _asked(self, call: _Call) -> ChatReply | Trouble:
        """What one attempt comes to, or several where the dialect is not known."""
        talk = self._talk
        if not talk.covers(call.request):
            async with talk.turn():
                if not talk.covers(call.request):
                    return await self._negotiated(call)
        dialect = talk.dialect
        outcome = await self._attempted(call, dialect)
        if isinstance(outcome, ChatReply):
            talk.confirm(dialect)
            return outcome
        is_telling = outcome.ruling.fault == "bad_request" and not outcome.error.is_too_long
        if is_telling and talk.is_doubtful(dialect):
            talk.forget(dialect)
            return await self._asked(call)
        return outcome

    async def _negotiated(self, call: _Call) -> ChatReply | Trouble:
        """The reply in the first dialect understood; if none is, the first refusal is raised."""
        trial = first_trial(self._talk.dialect, call.request)
        first: NoReplyError | None = None
        while True:
            outcome = await self._attempted(call, trial)
            if isinstance(outcome, ChatReply):
                self._talk.settle(trial)
                return outcome
            has_schema = call.request.schema is not None
            following = next_trial(trial, outcome.status, outcome.error, has_schema=has_schema)
            fault = outcome.ruling.fault
            if following is None:
                if first is None or fault != "bad_request" or outcome.error.is_too_long:
                    return outcome
                raise first
            first = first or NoReplyError(fault, self._told(call, fault, outcome.what))
            trial = following

    async def _attempted(self, call: _Call, dialect: Dialect) -> ChatReply | Trouble:
        """One attempt, within a slot."""
        values = body(call.request, dialect)
        async with self._lane.taken(ticket=call.ticket, n_tokens=self._n_tokens(call)) as lease:
            if self._refusal is not None:
                raise NoReplyError(self._refusal.fault, str(self._refusal))
            if call.deadline.when() is None:
                self._start(call)
            call.n_attempts += 1
            self._circuit.waiting.discard(call.deadline)
            try:
                outcome = await self._posted(call, values)
            finally:
                self._circuit.waiting.add(call.deadline)
            self._note(call, outcome)
            if isinstance(outcome, ChatReply):
                self._lane.served()
            elif outcome.ruling.fault == "rate_limited":
                self._lane.refused(lease)
            return outcome

    def _note(self, call: _Call, outcome: ChatReply | Trouble) -> None:
        """Keeps an attempt's trouble, and tells the circuit."""
        if isinstance(outcome, ChatReply):
            self.trouble = ""
            self._circuit.heard()
            return
        self.trouble = self.endpoint.redacted(outcome.what)
        if outcome.is_breakdown:
            now = asyncio.get_running_loop().time()
            self._circuit.failed(call.ticket, outcome, now)
        elif outcome.name != "slow":
            self._circuit.heard()

    async def _posted(self, call: _Call, values: Mapping[str, object]) -> ChatReply | Trouble:
        try:
            async with asyncio.timeout(self.endpoint.attempt_seconds):
                heard = await self._wire.post(values)
            return self._read(heard)
        except TimeoutError:
            return of_silence(Unheard("slow"), heard_before=self._heard_before)
        except NoReplyError as error:
            call.n_unreadable += 1
            again = error.fault != "too_large" and call.n_unreadable < UNREADABLE
            return of_body(error, again=again)

    def _read(self, heard: Heard | Unheard) -> ChatReply | Trouble:
        """What came, without any secret; bodies are cleaned as they came and again as read.

        Raises:
            NoReplyError: for a good status with a body that is no reply.
        """
        if isinstance(heard, Unheard):
            return of_silence(heard, heard_before=self._heard_before)
        self._heard_before = True
        redacted = self.endpoint.redacted
        text = redacted(heard.text)
        if heard.status >= _OK:
            return of_status(heard, text, datetime.now(UTC))
        reply = read_body(text)
        return replace(
            reply,
            text=redacted(reply.text),
            model=redacted(reply.model),
            fingerprint=redacted(reply.fingerprint),
        )

    async def _wait(self, call: _Call, trouble: Trouble) -> None:
        """Waits before the next attempt.

        Raises:
            NoReplyError: if none is worth it, or the wait is longer than what is left.
        """
        fault, asked = trouble.ruling.fault, trouble.ruling.asked_seconds
        call.last = trouble.what
        if not trouble.ruling.again:
            error = NoReplyError(fault, self._told(call, fault, trouble.what))
            self._refusal = error if fault in REFUSALS else self._refusal
            raise error
        if self._circuit.is_open:
            raise self._given_up(call)
        seconds = self._backoff.seconds(call.n_waits, asked, self._chance)
        call.n_waits += 1
        end = call.deadline.when()
        if end is not None and asyncio.get_running_loop().time() + seconds >= end:
            what = f"{trouble.what}; the next attempt would be in {seconds:.3g} s"
            if asked is not None:
                what = f"{trouble.what}; it asks to be left alone for {asked:.15g} s"
            what += f", too long for a call of {self.endpoint.timeout_seconds:g} s"
            raise NoReplyError(fault, self._told(call, fault, what))
        await self._slots.pause(seconds)
        if call.again is not None:
            await call.again(fault)

    def _start(self, call: _Call) -> None:
        """From now on the call's time runs."""
        now = asyncio.get_running_loop().time()
        call.deadline.reschedule(now + self.endpoint.timeout_seconds)

    def _n_tokens(self, call: _Call) -> int:
        """What a request counts for; providers count the longest reply, too."""
        if self.endpoint.tokens_per_minute is None:
            return 0
        return tokens_about(call.request) + call.request.max_tokens

    def _told(self, call: _Call, fault: Fault, what: str) -> str:
        about = f"model {call.request.model!r}: " if fault in REFUSALS else ""
        return told(self.endpoint, fault, about + what, call.n_attempts)

    def _given_up(self, call: _Call) -> NoReplyError:
        first = self._circuit.first
        is_nowhere = first is not None and first.ruling.fault == "unreachable"
        fault: Fault = "unreachable" if is_nowhere else "server_error"
        what = "not asked any more, since its circuit is open"
        if first is not None:
            what += f"; the first trouble was: {first.what}"
        return NoReplyError(fault, self._told(call, fault, what))

    def _timed_out(self, call: _Call) -> NoReplyError:
        what = f"no reply within {self.endpoint.timeout_seconds:g} s"
        if call.last:
            what += f"; the last trouble before was: {call.last}"
        return NoReplyError("timed_out", self._told(call, "timed_out", what))


class Sender(Protocol):
    """Whoever gets replies."""

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply to one request.

        Raises:
            NoReplyError: if there is none, and why.
        """
        ...

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Hears that requests about the same items, each after the reply before, came to nothing.

        Whoever keeps replies marks these, so that a later run asks again.

        Args:
            said: The requests in order, each with its reply.
            why: What is wrong with the last reply.

        Returns:
            What the user can do about it.
        """
        ...
