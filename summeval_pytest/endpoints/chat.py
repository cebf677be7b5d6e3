"""Values of a chat completion: request, schema, reply and usage."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


KEY_VERSION = 1
"""Goes up when the same request would be sent in another way."""

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation with a model."""

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
        schema: What the reply has to follow; None for free text.
        vote: Which of several votes on the same question this is, from 0.
        attempt: Which attempt at the same items this is, from 0; later ones follow a bad reply.
        topic: What is asked, in a few words for messages and cassettes; changes no reply.
    """

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    schema: Schema | None = None
    temperature: float = 0.0
    seed: int = 0
    vote: int = 0
    attempt: int = 0
    topic: str = field(default="", compare=False)

    def identity(self, endpoint: str) -> Mapping[str, object]:
        """All that can change the reply of the endpoint of this name: what a key is made of."""
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
        }


Finish = Literal["stop", "length", "content_filter", "refusal"]
"""Why a reply ended: the model was done, cut off at ``max_tokens``, filtered, or it declined."""


class Usage(NamedTuple):
    """The tokens that an endpoint counted; what it had in its own cache is among the prompt's."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


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

    def as_json(self) -> Mapping[str, object]:
        """The reply as JSON values; `read_reply` is the way back."""
        return {**asdict(self), "usage": self.usage and list(self.usage)}


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
            "usage": None | [int(), int(), int()] as usage,
            **more,
        } if not more and all(type(n) is int and n >= 0 for n in usage or ()):
            return ChatReply(**{**values, "usage": usage and Usage(*usage)})
    raise ValueError("a stored reply has text, finish, model, fingerprint and usage")
