"""Client of one endpoint: attempts until there is a reply or a named fault."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from summeval_pytest.endpoints.chat import ChatReply
from summeval_pytest.endpoints.dialect import Negotiation, body, first_trial, next_trial
from summeval_pytest.endpoints.faults import Backoff, of_error, of_status, told
from summeval_pytest.endpoints.spending import tokens_about
from summeval_pytest.endpoints.wire import TOO_SLOW, Wire, read_body, read_off_loop
from summeval_pytest.errors import REFUSALS, NoReplyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.endpoints.chat import ChatRequest
    from summeval_pytest.endpoints.dialect import Dialect
    from summeval_pytest.endpoints.endpoint import Endpoint
    from summeval_pytest.endpoints.faults import RetryDecision
    from summeval_pytest.endpoints.limits import Limits
    from summeval_pytest.endpoints.wire import Heard
    from summeval_pytest.errors import Fault


_OK: Final = 300
_BACKOFF: Final = Backoff()


Again = Callable[["Fault"], Awaitable[None]]
"""Asked before each further attempt, with the fault of the last; may raise to forbid it."""


class Sender(Protocol):
    """Whoever gets replies."""

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply to one request.

        Raises:
            NoReplyError: if there is none, and why.
        """
        ...

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]], why: str) -> str:
        """Mark replies as unusable, so that a later run asks again; returns what the user can do.

        Args:
            said: Requests about the same items, each after the reply before, with their replies.
            why: What is wrong with the last reply.
        """
        ...


@dataclass(eq=False, slots=True)
class _Call:
    """One call on its way."""

    request: ChatRequest
    ticket: int
    deadline: asyncio.Timeout
    again: Again | None
    n_attempts: int = 0
    n_waits: int = 0
    n_unreadable: int = 0
    last: str = ""


class Client:
    """Gets replies from one model at one endpoint, for one event loop.

    Attributes:
        trouble: What kept the last attempt from a reply; empty where it got one.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits,
        *,
        remembered: Dialect | None = None,
        backoff: Backoff = _BACKOFF,
        chance: random.Random | None = None,
    ) -> None:
        """A client that has sent nothing yet.

        Limits are shared with all other clients of the run; ``remembered`` is what `dialect` said
        another day.
        """
        self.endpoint = endpoint
        self.trouble = ""
        self._limits = limits
        self._limiter = limits.limiter(endpoint)
        self._circuit = self._limiter.circuit
        self._wire = Wire(endpoint)
        self._backoff = backoff
        self._chance = chance or random.Random()
        self._talk = Negotiation(remembered, backoff.head_start_seconds)
        self._refusal: NoReplyError | None = None

    @property
    def dialect(self) -> Dialect | None:
        """What the model understands, to be remembered; None while that is not known."""
        return self._talk.known

    async def close(self) -> None:
        """Close all connections."""
        await self._wire.close()

    async def send(self, request: ChatRequest, *, again: Again | None = None) -> ChatReply:
        """The reply to one request; a cut-off, filtered or refused one is a reply as well.

        The time allowed begins with the first attempt, as waiting for a turn is nobody's fault.

        Raises:
            NoReplyError: if there is none, with its fault.
        """
        call = _Call(request, self._limits.ticket(), asyncio.timeout(None), again)
        if not self._circuit.admits(asyncio.get_running_loop().time()):
            raise self._given_up(call)
        self._circuit.waiting.add(call.deadline)
        try:
            async with call.deadline:
                while True:
                    outcome = await self._asked(call)
                    if isinstance(outcome, ChatReply):
                        return outcome
                    await self._wait(call, outcome)
        except TimeoutError:
            if self._circuit.is_open:
                raise self._given_up(call) from None
            what = f"no reply within {self.endpoint.timeout_seconds:g} s"
            if call.last:
                what += f"; the last trouble before was: {call.last}"
            raise self._error(call, "timed_out", what) from None
        finally:
            self._circuit.waiting.discard(call.deadline)

    async def _asked(self, call: _Call) -> ChatReply | RetryDecision:
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
        elif outcome.is_refusal and talk.doubt(dialect):
            return await self._asked(call)
        return outcome

    async def _negotiated(self, call: _Call) -> ChatReply | RetryDecision:
        """The reply in the first dialect understood; if none is, the first refusal is raised."""
        trial = first_trial(self._talk.dialect, call.request)
        has_schema = call.request.schema is not None
        first: NoReplyError | None = None
        while True:
            outcome = await self._attempted(call, trial)
            if isinstance(outcome, ChatReply):
                self._talk.settle(trial)
                return outcome
            following = next_trial(trial, outcome.status, outcome.error, has_schema=has_schema)
            if following is None:
                if first is not None and outcome.is_refusal:
                    raise first
                return outcome
            first = first or self._error(call, outcome.fault, outcome.what)
            trial = following

    async def _attempted(self, call: _Call, dialect: Dialect) -> ChatReply | RetryDecision:
        """One attempt, when its turn has come."""
        values = body(call.request, dialect)
        n_tokens = 0
        if self.endpoint.tokens_per_minute is not None:  # providers count the longest reply, too
            n_tokens = tokens_about(call.request) + call.request.max_tokens
        circuit, loop = self._circuit, asyncio.get_running_loop()
        async with self._limiter.taken(ticket=call.ticket, n_tokens=n_tokens) as n_shrunk:
            if self._refusal is not None:
                raise NoReplyError(self._refusal.fault, str(self._refusal))
            if call.deadline.when() is None:  # from now on the call's time runs
                call.deadline.reschedule(loop.time() + self.endpoint.timeout_seconds)
            call.n_attempts += 1
            circuit.waiting.discard(call.deadline)
            try:
                outcome = await self._posted(call, values)
            finally:
                circuit.waiting.add(call.deadline)
            if isinstance(outcome, ChatReply):
                self.trouble = ""
                circuit.heard()
                self._limiter.served()
                return outcome
            self.trouble = self.endpoint.redacted(outcome.what)
            if outcome.is_breakdown:
                circuit.failed(call.ticket, outcome, loop.time())
            elif outcome.fault != "timed_out":
                circuit.heard()
            if outcome.fault == "rate_limited":
                self._limiter.refused(n_shrunk)
            return outcome

    async def _posted(self, call: _Call, values: Mapping[str, object]) -> ChatReply | RetryDecision:
        """What comes of sending it."""
        try:
            async with asyncio.timeout(self.endpoint.attempt_seconds):
                heard = await self._wire.post(values)
            return await read_off_loop(len(heard.text), partial(self._read, heard))
        except TimeoutError:
            return of_error(NoReplyError("timed_out", TOO_SLOW), call.n_unreadable)
        except NoReplyError as error:
            call.n_unreadable += error.fault in {"not_json", "malformed"}
            return of_error(error, call.n_unreadable)

    def _read(self, heard: Heard) -> ChatReply | RetryDecision:
        """What a response says, without any secret.

        Bodies are cleaned as they came, and once more as they were read.
        """
        redacted = self.endpoint.redacted
        heard = replace(heard, text=redacted(heard.text))
        if heard.status >= _OK:
            return of_status(heard, datetime.now(UTC))
        reply = read_body(heard.text)
        return replace(
            reply,
            text=redacted(reply.text),
            model=redacted(reply.model),
            fingerprint=redacted(reply.fingerprint),
        )

    async def _wait(self, call: _Call, decision: RetryDecision) -> None:
        """Waits before the next attempt.

        Raises:
            NoReplyError: if none is worth it, or the wait is longer than what is left.
        """
        call.last = decision.what
        if not decision.again:
            error = self._error(call, decision.fault, decision.what)
            self._refusal = error if decision.fault in REFUSALS else self._refusal
            raise error
        if self._circuit.is_open:
            raise self._given_up(call)
        asked = decision.asked_seconds
        seconds = self._backoff.seconds(call.n_waits, asked, self._chance)
        call.n_waits += 1
        end = call.deadline.when()
        if end is not None and asyncio.get_running_loop().time() + seconds >= end:
            next_one = f"the next attempt would be in {seconds:.3g} s"
            if asked is not None:
                next_one = f"it asks to be left alone for {asked:.15g} s"
            too_long = f"too long for a call of {self.endpoint.timeout_seconds:g} s"
            raise self._error(call, decision.fault, f"{decision.what}; {next_one}, {too_long}")
        await self._limits.pause(seconds)
        if call.again is not None:
            await call.again(decision.fault)

    def _error(self, call: _Call, fault: Fault, what: str) -> NoReplyError:
        about = f"model {call.request.model!r}: " if fault in REFUSALS else ""
        return NoReplyError(fault, told(self.endpoint, fault, about + what, call.n_attempts))

    def _given_up(self, call: _Call) -> NoReplyError:
        first = self._circuit.first
        what = "not asked any more, since its circuit is open"
        if first is not None:
            what += f"; the first trouble was: {first.what}"
        is_nowhere = first is not None and first.fault == "unreachable"
        return self._error(call, "unreachable" if is_nowhere else "server_error", what)
