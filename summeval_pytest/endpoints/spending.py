"""Prices, the budget of a run, and counts of replies, tokens and dollars.

A call reserves the most it can cost and settles what it did cost. Where the next call could exceed
what is left, it waits for calls in flight to settle; where none is, asking stops for good. The
processes of one run share one account in the store.
"""

from __future__ import annotations

import asyncio
import math
import string
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, get_args

from summeval_pytest.errors import NoReplyError
from summeval_pytest.store.store import LocalAccount

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from summeval_pytest.endpoints.chat import ChatRequest, Usage
    from summeval_pytest.endpoints.endpoint import Price
    from summeval_pytest.store.store import Account


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


_POLL_SECONDS: Final = 0.02


class Budget:
    """One limit in dollars, held by all who share its account; this process alone without one."""

    def __init__(self, dollars: float, account: Account | None = None) -> None:
        self.dollars = dollars
        self.account = account or LocalAccount()

    async def reserve(self, most: float | Callable[[float], float]) -> float:
        """Sets aside, and returns, the most that a call can cost, which may depend on what is left.

        Waits while calls in flight may leave enough. Raises a NoReplyError, ``over_budget``, once
        there will never be enough.
        """
        while True:
            dollars = most(await self._unspent()) if callable(most) else most
            answer = await self.account.reserve(dollars, self.dollars)
            if answer.is_reserved:
                return dollars
            if answer.is_over:
                raise NoReplyError(
                    "over_budget",
                    f"not judged: budget ({answer.spent:.4f} of {self.dollars:g} dollars"
                    f" spent, and the next call could cost {dollars:.4f})",
                )
            await asyncio.sleep(_POLL_SECONDS)

    async def _unspent(self) -> float:
        return self.dollars - (await self.account.reserve(0.0, self.dollars)).spent

    async def settle(self, most: float, cost: float) -> None:
        """Gives back what was set aside and books what the call did cost."""
        await self.account.settle(most, cost)


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
        is_other: Whether another model replied than the pinned one.
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
