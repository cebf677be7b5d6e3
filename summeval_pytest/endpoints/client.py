"""Client of one model at one endpoint: attempts until there is a reply or a named fault.

A retry gives its slot and its place in the budget back while it waits, keeps its place in line,
and ends with the time of its call; the openai package, which retries inside one call, can do
neither.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol

from summeval_pytest.endpoints.chat import (
    CHAT,
    ChatReply,
    ChatRequest,
    Route,
    Trouble,
    read_body,
    read_trouble,
)
from summeval_pytest.endpoints.decisions import read_decision, settled
from summeval_pytest.endpoints.dialect import (
    LEAST_ROOM,
    LEVELS,
    Dialect,
    allowed_room,
    body,
    next_trial,
    room,
    without_system,
)
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.limits import Limits, tokens_about
from summeval_pytest.endpoints.wire import TOO_SLOW, Wire, read_off_loop
from summeval_pytest.errors import REFUSALS, Fault, NoReplyError

_REDIRECTED: Final = 300
_MOST_UNREADABLE: Final = 3
"""How often one call may meet a good status with a body that is no reply."""
_MOST_SHORTENED: Final = 2
"""How often one call may ask for a shorter reply: after the endpoint's limit, and the context's."""
CHARACTERS_A_TOKEN: Final = 8
"""No prompt has more on the average: English has four to five."""
_LEAST_CUT: Final = 256
"""Tokens of the shortest context; lower counts leave out what a server had in its cache."""
MOST_BREAKDOWNS: Final = 7
"""How often one call may find the server broken down before it counts as down."""
_REMEDIES: Final[dict[Fault, str]] = {
    "unreachable": "start the server there, or set another base_url",
    "unauthorised": "look at its API key, which is in the variable that api_key_env names or in"
    " OPENAI_API_KEY, and at what it may do",
    "unknown_model": "look at the model's name and base_url's path",
    "quota": "its account has to be topped up",
    "rate_limited": "lower max_in_flight, or set requests_per_minute and tokens_per_minute",
    "timed_out": "lower max_in_flight, raise timeout_seconds, or set max_tokens lower",
    "prompt_cut": "raise the server's context (OLLAMA_CONTEXT_LENGTH, llama-server's --ctx-size),"
    " or set context_tokens under [systems.NAME]",
    "not_json": "see whether base_url is an OpenAI-compatible address up to its version",
    "malformed": "see whether base_url is an OpenAI-compatible address up to its version",
}
Again = Callable[["Fault"], Awaitable[None]]
"""Asked before each further attempt, with the fault of the last; may raise to forbid it."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits that double: ``first_seconds``, twice that, and so on up to ``most_seconds``.

    Each is up to a quarter shorter by chance, so that calls that failed together come back apart.
    Calls wait ``head_start_seconds`` at most while another one finds out what a model understands.
    """

    first_seconds: float = 0.5
    most_seconds: float = 30.0
    head_start_seconds: float = 10.0

    def seconds(self, n_before: int, asked_seconds: float | None, chance: random.Random) -> float:
        """How long to wait after ``n_before`` waits, 0 for the first.

        What the endpoint asks for is granted, however long, unless it is less than the first wait.
        """
        if asked_seconds is not None and asked_seconds >= self.first_seconds:
            return asked_seconds
        doubled = self.first_seconds * 2.0 ** min(n_before, 60)
        return min(doubled, self.most_seconds) * (1 - chance.random() / 4)


USUAL_BACKOFF: Final = Backoff()


class Sender(Protocol):
    """Whoever gets replies."""

    async def send(self, request: ChatRequest) -> ChatReply:
        """The reply to one request; a NoReplyError says why there is none."""

    def give_up(self, said: Sequence[tuple[ChatRequest, ChatReply]]) -> str:
        """Forget replies that nobody can use; returns what the user can do.

        ``said`` are requests about the same items, each after the reply before. Those that were
        cut off stay: they would be cut off again.
        """


def _whole(reply: ChatReply, request: ChatRequest) -> ChatReply | Trouble:
    """The reply, unless its server read far less than the prompt: then it cut it in silence."""
    if request.route != CHAT:  # whether the questions are counted is each server's own choice
        request = replace(request, messages=request.messages[:1])
    n_least = tokens_about(request) * 4 // CHARACTERS_A_TOKEN
    n_read = math.inf if reply.usage is None else reply.usage.prompt_tokens
    if not _LEAST_CUT <= n_read < n_least:
        return reply
    what = f"the server read {n_read:,} tokens of a prompt of about {tokens_about(request):,}"
    return Trouble(fault="prompt_cut", may_pass=False, what=f"{what}: it cut the prompt")


async def send_roomy(sender: Sender, request: ChatRequest) -> tuple[ChatRequest, ChatReply]:
    """The request and its reply; once more with all its room where thoughts took the first."""
    reply = await sender.send(request)
    if reply.wants_room(request):
        request = replace(request, first_room=None, is_roomy=True)
        reply = await sender.send(request)
    return request, reply


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
    n_shortened: int = 0
    n_shrunk: int = 0
    has_timed_out: bool = False
    last: str = ""


class Client:
    """Gets replies from one model at one endpoint, for one event loop.

    Limits are shared with all other clients of the run. While the model's dialect is not known, one
    request goes first and the others wait for it, so that an endpoint refuses each level once and
    not once a request. Nobody waits longer than the head start: the dialect is settled by whichever
    request comes through first.

    Attributes:
        remembered: The dialect as it is remembered for another day; None while it is not.
        trouble: What kept the last attempt from a reply; empty where it got one.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        limits: Limits,
        *,
        remembered: Dialect | None = None,
        backoff: Backoff = USUAL_BACKOFF,
        chance: random.Random | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.remembered = remembered
        self.trouble = ""
        self._limits = limits
        self._limiter = limits.limiter(endpoint)
        self._wire = Wire(endpoint)
        self._backoff = backoff
        self._chance = chance or random.Random()
        self._dialect = remembered or Dialect()
        self._is_known = remembered is not None  # a reply came in it, today or another day
        self._is_confirmed = False  # one came today
        self._first = asyncio.Lock()
        self._refusal: NoReplyError | None = None
        self._n_breakdowns: Counter[int] = Counter()  # by call, since the server was last heard

    @property
    def dialect(self) -> Dialect | None:
        """What the model understands, to be remembered; None while that is not known."""
        return self._dialect if self._is_known else None

    async def close(self) -> None:
        """Close all connections."""
        await self._wire.close()

    async def send(self, request: ChatRequest, *, again: Again | None = None) -> ChatReply:
        """The reply to one request; a cut-off, filtered or refused one is a reply as well.

        The time allowed begins with the first attempt, as waiting for a turn is nobody's fault. An
        attempt that took too long is made once more, and has all the time that is left.

        Raises:
            NoReplyError: if there is none, with its fault.
        """
        call = _Call(request, self._limits.ticket(), asyncio.timeout(None), again)
        try:
            async with call.deadline:
                while True:
                    if request.route == CHAT:
                        outcome = await self._ask(call)
                    else:  # it has no dialect
                        outcome = settled(request, await self._attempt(call, self._dialect))
                    if isinstance(outcome, ChatReply):
                        if outcome.has_thoughts:
                            self._dialect = replace(self._dialect, thinks=True)
                        return outcome
                    await self._wait(call, outcome)
        except TimeoutError:
            self._limiter.refused(call.n_shrunk)
            what = f"no reply within {self.endpoint.timeout_seconds:g} s"
            if call.last:
                what += f"; the last trouble before was: {call.last}"
            raise self._error(call, "timed_out", what) from None

    async def _ask(self, call: _Call) -> ChatReply | Trouble:
        """What one attempt comes to, or several where the dialect is not known."""
        while True:
            if not self._covers(call.request):
                async with AsyncExitStack() as turn:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(self._backoff.head_start_seconds):
                            await turn.enter_async_context(self._first)
                    if not self._covers(call.request):
                        return await self._negotiate(call)
            dialect = self._dialect
            outcome = await self._attempt(call, dialect)
            if isinstance(outcome, ChatReply):
                if dialect == self._dialect:
                    self._is_known = self._is_confirmed = True
                return outcome
            if not (self._shortened(call, dialect, outcome) or self._doubt(dialect, outcome)):
                return outcome

    def _covers(self, request: ChatRequest) -> bool:
        """Whether enough is known to send a request; one without a schema needs no level."""
        return self._is_known and (request.schema is None or self._dialect.level is not None)

    def _doubt(self, refused: Dialect, trouble: Trouble) -> bool:
        """Whether a trouble in this dialect may be the dialect's fault, and not the request's.

        So it may where it is about a system's message, which is then given up. So may a refusal
        while the dialect is only remembered from another day, which is then forgotten, and where it
        was given up meanwhile.
        """
        if without_system(refused, trouble) is not None:
            self._dialect = replace(self._dialect, system=False)
            return True
        if not trouble.is_refusal:
            return False
        if refused != self._dialect:
            return True
        if not self._is_confirmed:
            self._dialect, self._is_known = Dialect(), False
        return not self._is_confirmed

    async def _negotiate(self, call: _Call) -> ChatReply | Trouble:
        """The reply in the first dialect understood; if none is, the first refusal is raised."""
        has_schema, trial = call.request.schema is not None, self._dialect
        if has_schema:
            trial = replace(trial, level=trial.level or LEVELS[0])
        first: NoReplyError | None = None
        while True:
            outcome = await self._attempt(call, trial)
            if isinstance(outcome, ChatReply):
                self._dialect = replace(trial, most_tokens=self._dialect.most_tokens)
                self._is_known = self._is_confirmed = True
                return outcome
            if self._shortened(call, trial, outcome):
                continue
            following = next_trial(trial, outcome, has_schema=has_schema)
            if following is None:
                if first is not None and outcome.is_refusal:
                    raise first
                return outcome
            first = first or self._error(call, outcome.fault, outcome.what)
            trial = following

    def _shortened(self, call: _Call, dialect: Dialect, trouble: Trouble) -> bool:
        """Whether a refusal names the longest reply: this call asks for that, others for no more.

        A prompt that leaves hardly any room takes none from other prompts.
        """
        most = allowed_room(trouble, call.request, room(call.request, dialect))
        if most is None or call.n_shortened == _MOST_SHORTENED:
            return False
        call.n_shortened += 1
        call.request = replace(call.request, room=most)
        of_all = max(most, LEAST_ROOM)
        self._dialect = replace(
            self._dialect, most_tokens=min(of_all, self._dialect.most_tokens or of_all)
        )
        return True

    async def _attempt(self, call: _Call, dialect: Dialect) -> ChatReply | Trouble:
        """What one attempt comes to, when its turn has come."""
        n_tokens = 0
        if self.endpoint.tokens_per_minute is not None:  # providers count the longest reply, too
            n_tokens = tokens_about(call.request) + room(call.request, dialect)
        await self._look()
        texts = [call.request.model, *(message.content for message in call.request.messages)]
        prompt = "" if call.n_attempts else "\n".join(texts)
        turn = self._limits.taken(
            self._limiter, ticket=call.ticket, n_tokens=n_tokens, prompt=prompt
        )
        async with turn as call.n_shrunk:
            if self._refusal is not None:
                raise NoReplyError(self._refusal.fault, str(self._refusal))
            if call.deadline.when() is None:  # from now on the call's time runs
                now = asyncio.get_running_loop().time()
                call.deadline.reschedule(now + self.endpoint.timeout_seconds)
            call.n_attempts += 1
            sent_at = asyncio.get_running_loop().time()
            outcome = await self._post(call, body(call.request, dialect))
            if isinstance(outcome, ChatReply):
                outcome = _whole(outcome, call.request)
            if isinstance(outcome, ChatReply):
                self.trouble = ""
                self._n_breakdowns.clear()
                self._limiter.served(asyncio.get_running_loop().time() - sent_at)
            else:
                self._note(call, outcome)
            return outcome

    async def _look(self) -> None:
        """Asks a server of this machine once how many requests it serves at once."""
        if self._limiter.is_unknown:
            self._limiter.is_unknown = False
            if n_slots := await self._wire.n_slots():
                self._limiter.has_slots(n_slots)

    def _note(self, call: _Call, trouble: Trouble) -> None:
        """Remembers what a trouble says of the endpoint: that it is down, or asked for too much."""
        self.trouble = self.endpoint.redacted(trouble.what)
        if trouble.is_breakdown:
            self._n_breakdowns[call.ticket] += 1
        elif trouble.fault != "timed_out":  # a refusal shows that somebody is there
            self._n_breakdowns.clear()
        if trouble.fault in {"rate_limited", "timed_out"}:
            self._limiter.refused(call.n_shrunk)
        call.has_timed_out = call.has_timed_out or trouble.fault == "timed_out"

    @property
    def _is_down(self) -> bool:
        """Whether two calls broke down too often: one may be at fault itself."""
        return sum(n >= MOST_BREAKDOWNS for n in self._n_breakdowns.values()) > 1

    async def _post(self, call: _Call, values: Mapping[str, object]) -> ChatReply | Trouble:
        route = call.request.route
        try:
            async with asyncio.timeout(None if call.has_timed_out else self.endpoint.first_seconds):
                response = await self._wire.post(values, route)
            if isinstance(response, Trouble):
                return response
            status, headers, text = response.status_code, response.headers, response.text
            read = partial(self._read, status, headers, text, route)
            return await read_off_loop(len(text), read)
        except TimeoutError:
            return Trouble(fault="timed_out", may_pass=True, what=TOO_SLOW)
        except NoReplyError as error:
            call.n_unreadable += 1
            may_pass = error.fault != "too_large" and call.n_unreadable < _MOST_UNREADABLE
            kind = "chat completion" if route == CHAT else "decision"
            what = f"the response is no {kind}: {error}"
            return Trouble(fault=error.fault, may_pass=may_pass, what=what)

    def _read(
        self, status: int, headers: Mapping[str, str], text: str, route: Route
    ) -> ChatReply | Trouble:
        """What a response says, without any secret: its text is cleaned as it came and as read."""
        redacted = self.endpoint.redacted
        text = redacted(text)
        if status >= _REDIRECTED:
            return read_trouble(status, headers, text, datetime.now(UTC))
        reply = read_body(text) if route == CHAT else read_decision(text)
        return replace(
            reply,
            text=redacted(reply.text),
            model=redacted(reply.model),
            fingerprint=redacted(reply.fingerprint),
        )

    async def _wait(self, call: _Call, trouble: Trouble) -> None:
        """Waits before the next attempt; raises where none is worth it, or no time is left."""
        call.last = what = trouble.what
        if not trouble.may_pass:
            error = self._error(call, trouble.fault, what)
            self._refusal = error if trouble.fault in REFUSALS else self._refusal
            raise error
        if self._is_down:
            what += "; it is not asked again, as the server is down"
            raise self._error(call, trouble.fault, what)
        seconds = self._backoff.seconds(call.n_waits, trouble.wait_seconds, self._chance)
        call.n_waits += 1
        end = call.deadline.when()
        if end is not None and asyncio.get_running_loop().time() + seconds >= end:
            what += f"; the next attempt would be in {seconds:.3g} s"
            if trouble.wait_seconds is not None:
                what = f"{trouble.what}; it asks to be left alone for {trouble.wait_seconds:.15g} s"
            what += f", too long for a call of {self.endpoint.timeout_seconds:g} s"
            raise self._error(call, trouble.fault, what)
        await self._limits.pause(seconds)
        if call.again is not None:
            await call.again(trouble.fault)

    def _error(self, call: _Call, fault: Fault, what: str) -> NoReplyError:
        """The fault of a call: which endpoint, what happened, and what to do about it."""
        endpoint = self.endpoint
        if fault in {"unauthorised", "unknown_model"}:
            what = f"model {call.request.model!r}: {what}"
        if call.n_attempts > 1:
            what += f", after {call.n_attempts} attempts"
        remedy = _REMEDIES.get(fault, "")
        if fault == "unauthorised" and not endpoint.is_private:
            remedy = "no key is sent over plain http: use https"
        name = "" if endpoint.name == endpoint.shown else f"{endpoint.name!r} at "
        message = f"endpoint {name}{endpoint.shown}: {what}"
        return NoReplyError(fault, endpoint.redacted(f"{message}; {remedy}" if remedy else message))
