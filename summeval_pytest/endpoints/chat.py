"""Values of a chat completion: request, schema, reply and usage."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeGuard

from summeval_pytest.store.key import request_key

if TYPE_CHECKING:
    from collections.abc import Mapping


KEY_VERSION = 1
"""Goes up when the same request would be sent in another way."""

MOST_TOKENS: Final = 1_000_000_000
"""Of one reply; more is no count."""
ROOM: Final = 16_384
"""Tokens that a reply and its thoughts may have unless the suite says; what is not used is free."""

Role = Literal["system", "user", "assistant"]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
"""How long a reasoning model thinks before it answers, as its endpoint has it."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a dialogue with a model."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The JSON schema that a reply has to follow, as text; its name has letters, digits, ``_``."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request to a model, before it is known which endpoint serves it and how.

    Attributes:
        max_tokens: Tokens that the answer needs at most, without thoughts.
        room: Tokens that the reply may have with its thoughts, as the suite has them: `ROOM` where
            it says nothing, and then more where the model needs more; None for ``max_tokens``.
        schema: What the reply has to follow; None for free text.
        vote: Which of several votes on the same question this is, from 0.
        attempt: Which attempt at the same items this is, from 0; later ones follow a bad reply.
        topic: What is asked, in a few words for messages and cassettes; changes no reply.
    """

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    room: int | None = None
    reasoning_effort: Effort | None = None
    schema: Schema | None = None
    temperature: float = 0.0
    seed: int = 0
    vote: int = 0
    attempt: int = 0
    topic: str = field(default="", compare=False)

    @property
    def most_tokens(self) -> int:
        """Tokens that the reply may have, with its thoughts."""
        if self.room is None:
            return self.max_tokens
        return max(ROOM, self.max_tokens) if self.room == ROOM else self.room

    def identity(self, endpoint: str) -> Mapping[str, object]:
        """All that can change the reply of the endpoint of this name: what a key is made of.

        The usual room is left out, as what a run has learned to add to it: neither changes a reply
        that fits, and the keys of older replies stay valid.
        """
        chosen = {"room": self.room, "reasoning_effort": self.reasoning_effort}
        return {
            "version": KEY_VERSION,
            "endpoint": endpoint,
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in self.messages],
            "max_tokens": self.max_tokens,
            "schema": None if self.schema is None else [self.schema.name, self.schema.text],
            "temperature": self.temperature,
            "seed": self.seed,
            "vote": self.vote,
            "attempt": self.attempt,
            **{key: value for key, value in chosen.items() if value not in {None, ROOM}},
        }

    def key(self, endpoint: str) -> str:
        """The key of its reply from the endpoint of this name."""
        return request_key(self.identity(endpoint))


Finish = Literal["stop", "length", "content_filter", "refusal"]
"""Why a reply ended: the model was done, cut off at ``max_tokens``, filtered, or it declined."""


class Usage(NamedTuple):
    """The tokens that an endpoint counted.

    What it had in its own cache is among the prompt's, what the model thought in the completion's.
    """

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0


_THOUGHTS: Final = re.compile(r"(?:\s*<think>.*?(?:</think>\s*|\Z))*+", re.DOTALL)


def without_thoughts(text: str) -> str:
    """The text after the ``<think>`` blocks that it begins with; one that never ends is all."""
    return _THOUGHTS.sub("", text, count=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """One reply, complete as the endpoint sent it, whatever a reader makes of its text.

    Attributes:
        text: The message; for a refusal what the model said instead.
        model: The model as the endpoint names it in its reply; empty where it does not.
        fingerprint: The endpoint's word for its configuration; empty where it gives none.
        usage: What it used; None where the endpoint does not count.
    """

    text: str
    finish: Finish = "stop"
    model: str = ""
    fingerprint: str = ""
    usage: Usage | None = None

    @property
    def is_spent(self) -> bool:
        """Whether it was cut off before the model had said anything."""
        return self.finish == "length" and not without_thoughts(self.text)

    @property
    def n_thought(self) -> int:
        """How many tokens the model thought, as far as its endpoint says."""
        if self.usage is None:
            return 0
        return self.usage.completion_tokens if self.is_spent else self.usage.reasoning_tokens

    @property
    def spending(self) -> str:
        """What became of the tokens of a reply that is spent, for people."""
        n_tokens = f"all {self.n_thought:,} tokens" if self.n_thought else "its whole reply"
        return f"the model spent {n_tokens} thinking"

    def as_json(self) -> Mapping[str, object]:
        """The reply as JSON values, no thoughts without a count; `read_reply` is the way back."""
        usage = self.usage and list(self.usage[: 3 if not self.usage.reasoning_tokens else 4])
        return {**asdict(self), "usage": usage}


def is_count(value: object) -> TypeGuard[int]:
    """Whether a value can be a count of tokens: 0 to a billion."""
    return type(value) is int and 0 <= value <= MOST_TOKENS


def read_reply(values: Any) -> ChatReply:
    """The reply that JSON values hold, as `ChatReply.as_json` wrote them.

    Raises:
        ValueError: if they hold something else.
    """
    match values:
        case {
            "text": str(),
            "finish": "stop" | "length" | "content_filter" | "refusal",
            "model": str(),
            "fingerprint": str(),
            "usage": None | [int(), int(), int()] | [int(), int(), int(), int()] as usage,
            **more,
        } if not more and all(map(is_count, usage or ())):
            return ChatReply(**{**values, "usage": usage and Usage(*usage)})
    raise ValueError("a stored reply has text, finish, model, fingerprint and usage")
