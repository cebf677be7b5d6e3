"""Short ways to make requests and send them to a scripted server."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from summeval_pytest.endpoints.chat import ChatReply, ChatRequest, Message, Schema
from summeval_pytest.endpoints.client import Backoff, Client
from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.limits import Limits
from summeval_pytest.errors import NoReplyError
from tests.waiting import run_skipping, skip

T = TypeVar("T")

KEY: Final = "sk-test-0123456789abcdef"
QUICK: Final = Backoff(first_seconds=0.01, most_seconds=0.02)
"""Waits that a test has the time for."""

LABEL: Final = Schema(
    name="label",
    text='{"type":"object","properties":{"label":{"type":"string","enum":["yes","no"]}},'
    '"required":["label"],"additionalProperties":false}',
)


def n_waiting(limits: Limits) -> int:
    """How many requests wait for their turn."""
    waiting = (waiter for limiter in limits._limiters.values() for waiter in limiter.waiting)
    return sum(not waiter.granted.done() for waiter in waiting)


class Patient(Limits):
    """Limits whose pauses are written down, and over at once: the clock is put forward."""

    def __init__(self, limit: int = 64) -> None:
        super().__init__(limit)
        self.pauses: list[float] = []

    async def pause(self, seconds: float) -> None:
        """Sleeps on a clock that goes faster."""
        self.pauses.append(seconds)
        await skip(seconds)


def question(text: str = "Is it so?", *, schema: Schema | None = None) -> ChatRequest:
    """A request of one message."""
    return ChatRequest(
        model="llama3", messages=(Message("user", text),), max_tokens=16, schema=schema
    )


def at(
    url: str,
    *,
    api_key: str = KEY,
    max_in_flight: int | None = None,
    timeout_seconds: float = 30.0,
    attempt_seconds: float = 30.0,
) -> Endpoint:
    """An endpoint that nobody waits long for."""
    return Endpoint(
        name="test",
        base_url=url,
        api_key=api_key,
        max_in_flight=max_in_flight,
        timeout_seconds=timeout_seconds,
        attempt_seconds=attempt_seconds,
    )


def run(  # noqa: PLR0913 - by keyword; each test wants another one
    endpoint: Endpoint,
    doing: Callable[[Client], Awaitable[T]],
    *,
    backoff: Backoff = QUICK,
    remembered: Dialect | None = None,
    n_limit: int = 64,
    limits: Limits | None = None,
) -> T:
    """What comes of doing something with a client, which is closed afterwards."""

    async def main() -> T:
        client = Client(
            endpoint,
            limits or Limits(n_limit),
            remembered=remembered,
            backoff=backoff,
            chance=random.Random(0),
        )
        try:
            return await doing(client)
        finally:
            await client.close()

    return run_skipping(main())


def reply(endpoint: Endpoint, request: ChatRequest | None = None) -> ChatReply:
    """The reply to one request."""
    return run(endpoint, lambda client: client.send(request or question()))


def fault(
    endpoint: Endpoint,
    request: ChatRequest | None = None,
    *,
    backoff: Backoff = QUICK,
    limits: Limits | None = None,
) -> NoReplyError:
    """Why there is no reply to one request."""

    async def failing(client: Client) -> NoReplyError:
        try:
            got = await client.send(request or question())
        except NoReplyError as error:
            return error
        raise AssertionError(f"{got} came, no fault")

    return run(endpoint, failing, backoff=backoff, limits=limits)
