"""A model's reply as a value: its text, why it ended there, and what it used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

Finish = Literal["stop", "length", "content_filter", "refusal"]
"""Why a reply ended: the model was done, cut off at ``max_tokens``, filtered, or it declined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens that an endpoint counted; what it had in its own cache is among the prompt's."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """One reply, complete as the endpoint sent it, whatever a reader makes of its text.

    Attributes:
        text: The message; for a refusal what the model said instead.
        finish: Why it ended.
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
        usage = self.usage
        return {
            "text": self.text,
            "finish": self.finish,
            "model": self.model,
            "fingerprint": self.fingerprint,
            "usage": None
            if usage is None
            else [usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens],
        }


def read_reply(values: object) -> ChatReply:
    """The reply that JSON values hold, as `ChatReply.as_json` wrote them.

    Raises:
        ValueError: if they hold something else.
    """
    if not isinstance(values, dict) or set(values) != {
        "text", "finish", "model", "fingerprint", "usage",
    }:  # fmt: skip
        raise ValueError("a stored reply has text, finish, model, fingerprint and usage")
    texts = [values[key] for key in ("text", "finish", "model", "fingerprint")]
    if not all(isinstance(text, str) for text in texts) or values["finish"] not in get_args(Finish):
        raise ValueError("a stored reply's text, finish, model or fingerprint is none")
    return ChatReply(
        text=values["text"],
        finish=values["finish"],
        model=values["model"],
        fingerprint=values["fingerprint"],
        usage=_read_usage(values["usage"]),
    )


def _read_usage(values: object) -> Usage | None:
    if values is None:
        return None
    match values:
        case [int(prompt), int(completion), int(cached)] if all(
            type(n) is int and n >= 0 for n in values
        ):
            return Usage(prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached)
        case _:
            raise ValueError("a stored reply's usage is three counts of tokens")
