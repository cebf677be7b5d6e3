"""A chat request as a value: everything that can change the reply, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

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
    """The JSON schema that a reply has to follow.

    Attributes:
        name: Letters, digits and underscores, as endpoints demand.
        text: The schema as JSON text.
    """

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One request to a model, before it is known which endpoint serves it and how.

    Attributes:
        model: The endpoint's name for the model.
        messages: The conversation so far.
        max_tokens: At most so many tokens of reply.
        schema: What the reply has to follow; None for free text.
        temperature: 0 for the likeliest reply.
        seed: For endpoints that sample reproducibly.
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
        """All that can change the reply, as JSON values: what a store's key is made of.

        Args:
            endpoint: The name or address that tells this endpoint from others.
        """
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
