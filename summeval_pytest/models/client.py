"""Replies from an endpoint: attempts until one gives a reply, or a named fault."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import NoReplyError
from summeval_pytest.models.body import read_body
from summeval_pytest.models.dialect import body, first_trial, next_trial
from summeval_pytest.models.negotiation import Negotiation
from summeval_pytest.models.prices import tokens_about
from summeval_pytest.models.reply import ChatReply
from summeval_pytest.models.retrying import Backoff
from summeval_pytest.models.traffic import Traffic
from summeval_pytest.models.trouble import Trouble, of_body, of_silence, of_status, told
from summeval_pytest.models.wire import Heard, Unheard, Wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.errors import Fault
    from summeval_pytest.models.dialect import Dialect
    from summeval_pytest.models.endpoint import Endpoint
    from summeval_pytest.models.limits import Slots
    from summeval_pytest.models.request import ChatRequest

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
    is_too_long: bool = False
    again: Again | None = None


class _RefusedError(NoReplyError):
    """A refusal of the dialect; ``following`` may be understood."""

    def __init__(self, following: Dialect, fault: Fault, message: str) -> None:
        super().__init__(fault, message)
        self.following = following


class Client:
    """The `Sender` to one model at one endpoint, for one event loop.

    Attributes:
        endpoint: The endpoint.
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
            backoff: The waits between attempts.
            chance: Where their jitter comes from.
        """
        self.endpoint = endpoint
        self._slots = slots
        self._lane = slots.lane(endpoint)
        self._wire = Wire(endpoint)
        self._backoff = backoff
        self._chance = chance or random.Random()
        self._talk = Negotiation(remembered)
        self._heard_before = False
        self._n_attempts = self._n_retried = 0
        self._outcomes: Counter[str] = Counter()

    @property
    def traffic(self) -> Traffic:
        """What was sent so far."""
        return Traffic(
            n_attempts=self._n_attempts,
            n_retried=self._n_retried,
            outcomes=dict(sorted(self._outcomes.items())),
        )

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
        try:
            async with call.deadline:
                return await self._answered(call)
        except TimeoutError:
            raise self._timed_out(call) from None

    async def _answered(self, call: _Call) -> ChatReply:
        talk = self._talk
        if not talk.covers(call.request):
            self._start(call)
            async with talk.turn:
                if not talk.covers(call.request):
                    call.deadline.reschedule(None)
                    return await self._negotiated(call)
            call.deadline.reschedule(None)
        dialect = talk.dialect
        try:
            reply = await self._asked(call, dialect, is_settled=True)
        except NoReplyError as error:
            is_telling = error.fault == "bad_request" and not call.is_too_long
            if not is_telling or not talk.is_doubtful(dialect):
                raise
            talk.forget(dialect)
            return await self._answered(call)
        talk.confirm(dialect)
        return reply

    async def _negotiated(self, call: _Call) -> ChatReply:
        """The reply in the first dialect understood; if none is, the first refusal is raised."""
        trial = first_trial(self._talk.dialect, call.request)
        first: NoReplyError | None = None
        while True:
            try:
                reply = await self._asked(call, trial, is_settled=False)
            except _RefusedError as error:
                first = first or error
                trial = error.following
            except NoReplyError as error:
                if first is None or error.fault != "bad_request" or call.is_too_long:
                    raise
                raise NoReplyError(first.fault, str(first)) from None
            else:
                self._talk.settle(trial)
                return reply

    async def _asked(self, call: _Call, dialect: Dialect, *, is_settled: bool) -> ChatReply:
        """The reply to a request in one dialect, after as many attempts as it takes."""
        values = body(call.request, dialect)
        has_schema = call.request.schema is not None
        while True:
            outcome = await self._attempted(call, values)
            if isinstance(outcome, ChatReply):
                return outcome
            if not is_settled and outcome.status:
                following = next_trial(
                    dialect, outcome.status, outcome.error, has_schema=has_schema
                )
                if following is not None:
                    message = self._told(call, outcome.ruling.fault, outcome.what)
                    raise _RefusedError(following, outcome.ruling.fault, message)
            await self._wait(call, outcome)

    async def _attempted(self, call: _Call, values: Mapping[str, object]) -> ChatReply | Trouble:
        """One attempt, within a slot."""
        async with self._lane.taken(ticket=call.ticket, n_tokens=self._n_tokens(call)) as lease:
            if call.deadline.when() is None:
                self._start(call)
            call.n_attempts += 1
            self._n_attempts += 1
            outcome = await self._posted(call, values)
            self._outcomes[outcome.name if isinstance(outcome, Trouble) else "200"] += 1
            if isinstance(outcome, ChatReply):
                self._lane.served()
            elif outcome.ruling.fault == "rate_limited":
                self._lane.refused(lease)
            return outcome

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
        call.last, call.is_too_long = trouble.what, trouble.error.is_too_long
        if not trouble.ruling.again:
            raise NoReplyError(fault, self._told(call, fault, trouble.what))
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
        self._n_retried += 1

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
        about = f"model {call.request.model!r}: " if fault == "unknown_model" else ""
        return told(self.endpoint, fault, about + what, call.n_attempts)

    def _timed_out(self, call: _Call) -> NoReplyError:
        what = f"no reply within {self.endpoint.timeout_seconds:g} s"
        if call.n_attempts == 0:
            what += ", waiting for another call to find out what the model understands"
        elif call.last:
            what += f"; the last trouble before was: {call.last}"
        return NoReplyError("timed_out", self._told(call, "timed_out", what))
