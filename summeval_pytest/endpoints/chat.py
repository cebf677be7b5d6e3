"""A chat completion: its request, and what a response says, a reply or why there is none.

Endpoints, proxies and gateways send HTML with status 200, half a JSON text, ``choices: null``. The
client library hands such bodies on; here each becomes a named fault.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal, NamedTuple, TypeGuard

from summeval_pytest.errors import Fault, NoReplyError
from summeval_pytest.store.cassette import request_key
from summeval_pytest.text.output import read_text
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.strict_json import StrictJsonError, read_strict

KEY_VERSION = 1
"""Goes up when the same request would be sent in another way."""

MOST_TOKENS: Final = 1_000_000_000
"""Of one reply; more is no count."""
ROOM: Final = 16_384
"""Tokens that a reply and its thoughts may have unless the suite says; what is not used is free."""

Role = Literal["system", "user", "assistant"]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]
"""How long a reasoning model thinks before it answers, as its endpoint has it."""
DecisionRoute = Literal["decisions", "systemone"]
Route = Literal["chat/completions"] | DecisionRoute
"""The path of a request below an endpoint's address."""
CHAT: Final = "chat/completions"


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
        room: Tokens that the reply may have with its thoughts: `ROOM` where the suite says nothing,
            or more where the answer needs more; None for ``max_tokens``.
        first_room: Tokens that the reply may have while its model was not seen to think, so that a
            model that repeats itself ends soon; None for the room. Changes no reply that fits.
        is_roomy: Whether it is sent once more with all its room, as thoughts took the first.
        schema: What the reply has to follow; None for free text.
        vote: Which of several votes on the same question this is, from 0.
        attempt: Which attempt at the same items this is, from 0; later ones follow a bad reply.
        server: Where a model under test is asked: behind another address is another model. Empty
            for a judge, whose labels would show it.
        route: Where it is sent; `decisions` has requests of other routes than chat.
        topic: What is asked, in a few words for messages and cassettes; changes no reply.
    """

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    room: int | None = None
    first_room: int | None = None
    is_roomy: bool = False
    reasoning_effort: Effort | None = None
    schema: Schema | None = None
    temperature: float = 0.0
    seed: int = 0
    vote: int = 0
    attempt: int = 0
    server: str = ""
    route: Route = CHAT
    topic: str = field(default="", compare=False)

    @property
    def most_tokens(self) -> int:
        """Tokens that the reply may have, with its thoughts."""
        if self.room is None:
            return self.max_tokens
        return max(ROOM, self.max_tokens) if self.room == ROOM else self.room

    def identity(self, endpoint: str) -> Mapping[str, object]:
        """All that can change the reply of the endpoint of this name: what a key is made of.

        The usual room is left out, since it changes no reply that fits.
        """
        values = {
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
        chosen = {
            "server": self.server,
            "room": None if self.room == ROOM else self.room,
            "reasoning_effort": self.reasoning_effort,
            "is_roomy": self.is_roomy,
            "route": "" if self.route == CHAT else self.route,
        }
        return values | {key: value for key, value in chosen.items() if value}

    def key(self, endpoint: str) -> str:
        """The key of its reply from the endpoint of this name."""
        return request_key(self.identity(endpoint))


_LEEWAY: Final = 16
"""Tokens by which servers count the length of a reply differently."""
_TAIL: Final = 6000
_LOOPED: Final = 80
_LOOPS: Final = 4
"""A reply loops if its last 80 characters, some 20 tokens, stand 4 times in its last 6,000."""
_NUMBER: Final = re.compile(r"[0-9]+")

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
        return self.finish == "length" and not read_text(self.text).text

    @property
    def is_looping(self) -> bool:
        """Whether it was cut off while it said the same again and again, whatever its numbers."""
        text = _NUMBER.sub("0", self.text[-_TAIL:])
        return self.finish == "length" and text.count(text[-_LOOPED:]) >= _LOOPS

    @property
    def has_thoughts(self) -> bool:
        """Whether its endpoint counts thoughts, or it was cut off with thoughts in its text."""
        is_cut = self.finish == "length"
        return self.n_thought > 0 or (
            is_cut and (self.is_spent or read_text(self.text).had_thoughts)
        )

    def wants_room(self, request: ChatRequest) -> bool:
        """Whether thoughts took the first room of its request, so that more may let it end."""
        first = request.first_room
        if self.finish != "length" or first is None or self.is_looping:
            return False
        n_tokens = first if self.usage is None else self.usage.completion_tokens
        return first - _LEEWAY <= n_tokens <= first and self.has_thoughts

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


_SHOWN: Final = 200
_SEARCHED: Final = 4000
_ENDS: Final[Mapping[Finish, re.Pattern[str]]] = {
    "stop": re.compile(r"none|stop|stop_sequence|eos|eos_token|end_turn|completed?", re.IGNORECASE),
    "length": re.compile(r".*(length|max).*", re.IGNORECASE),
    "content_filter": re.compile(r".*(filter|safety|recitation|prohibited).*", re.IGNORECASE),
}
"""Why a text ended, by the words of different servers; some give none."""
_NO_TEXT: Final = ("error", "function_call", "tool_calls")
_WORD: Final = re.compile(r"[a-z_]+")
_ESCAPE: Final = re.compile(r"\\.")
_TOO_LONG: Final = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_QUOTA: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes and types of a 429 that no waiting cures."""
_FAULTS: Final[dict[int, Fault]] = {
    **dict.fromkeys((401, 403), "unauthorised"),
    402: "quota",
    404: "unknown_model",
    **dict.fromkeys((408, 409), "server_error"),
    429: "rate_limited",
}
"""By status; another one is a server's error from 500 on, and below a refusal of the request."""
_SERVER: Final = 500
_REDIRECTIONS: Final = range(300, 400)


def read_body(text: str) -> ChatReply:
    """The reply that a body holds; a refusal is one, and so is what was cut off or filtered.

    Several choices have to say the same, since one was asked for.

    Raises:
        NoReplyError: fault "not_json" for what is no JSON text, "malformed" for what is no chat
            completion.
    """
    values = read_object(text)
    choices = values.get("choices")
    if not (isinstance(choices, list) and choices and all(isinstance(c, dict) for c in choices)):
        what = "empty" if choices == [] else _kind(choices)
        says = f"; it says {_error_of(text)['message']!r}" if "error" in values else ""
        raise _malformed(f"its 'choices' are {what}, no list of objects{says}")
    replies = {_read_choice(choice) for choice in choices}
    if len(replies) > 1:
        what = f"one reply was asked for, and its 'choices' are {len(replies)} that differ"
        raise _malformed(what)
    content, finish = replies.pop()
    return ChatReply(
        text=content,
        finish=finish,
        model=word_of(values.get("model")),
        fingerprint=word_of(values.get("system_fingerprint")),
        usage=usage_of(values.get("usage")),
    )


def read_object(text: str) -> dict[str, Any]:
    """The JSON object that a body is.

    Raises:
        NoReplyError: "not_json" for what is no JSON text, "malformed" for another value.
    """
    values = _read_json(text)
    if not isinstance(values, dict):
        raise _malformed(f"its body is a JSON {_kind(values)}, no object")
    return values


def _malformed(what: str) -> NoReplyError:
    return NoReplyError("malformed", what)


def _read_json(text: str) -> object:
    try:
        # numbers that nobody reads, as of log probabilities, may be none
        return read_strict(text.removeprefix("\ufeff"), constants=True)
    except StrictJsonError as error:
        if error.fault != "syntax":
            what = "its body has a key twice, a number without end, or too deep a nesting"
            raise _malformed(what) from None
        what = f"its body is no JSON text from character {error.position} on; it begins"
        raise NoReplyError("not_json", f"{what} {one_line(text[:_SHOWN], 60)!r}") from None


def _kind(values: object) -> str:
    names = {bool: "boolean", dict: "object", list: "list", str: "text", type(None): "null"}
    return names.get(type(values), "number")


def _read_choice(choice: Mapping[str, Any]) -> tuple[str, Finish]:
    """What a choice says, and why it ended there."""
    message, end = choice.get("message"), choice.get("finish_reason")
    if not isinstance(message, dict):
        raise _malformed(f"its 'message' is {_kind(message)}")
    if end in _NO_TEXT:
        raise _malformed(f"it ended with {end!r} and so without a text")
    refusal, content = message.get("refusal"), message.get("content")
    if isinstance(refusal, str) and refusal:
        return refusal, "refusal"
    text = text_of("" if content is None else content)
    if text is None:
        raise _malformed(f"its 'content' is {_kind(content)} and holds no text")
    for finish, word in _ENDS.items():
        if word.fullmatch(str(end or None)):
            return text, finish
    raise _malformed(f"it ended with {one_line(str(end), 60)!r}: nobody knows if its text is whole")


def text_of(content: object) -> str | None:
    """The text of a message's content, or of its parts but for thoughts; None for other values."""
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else [None]:
        match part:
            case {"type": "thinking" | "redacted_thinking" | "reasoning" | "thought"}:
                pass
            case {"type": "text" | "output_text", "text": str(text)}:
                texts.append(text)
            case _:
                return None
    return "".join(texts)


def usage_of(values: Any, sent: str = "prompt", replied: str = "completion") -> Usage | None:
    """The counts, by their endpoint's words; None where they are none, as unknown is not 0."""
    values = values if isinstance(values, dict) else {}
    prompt, completion = values.get(f"{sent}_tokens"), values.get(f"{replied}_tokens")
    if not (is_count(prompt) and is_count(completion)):
        return None

    def detail(of: str, name: str, most: int) -> int:
        """A part of a count of tokens; 0 where it is not given."""
        details = values.get(f"{of}_tokens_details")
        count = details.get(name) if isinstance(details, dict) else 0
        return min(count, most) if is_count(count) else 0

    cached = detail(sent, "cached_tokens", prompt)
    return Usage(prompt, completion, cached, detail(replied, "reasoning_tokens", completion))


def word_of(value: object) -> str:
    """A short text or number of a reply in one line; empty for anything else."""
    if type(value) is int and abs(value) <= MOST_TOKENS:
        value = str(value)
    return one_line(value, _SHOWN) if isinstance(value, str) else ""


def _line(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text[:_SEARCHED], _SHOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What kept an attempt from a reply.

    Attributes:
        fault: What is wrong, if it stays so.
        may_pass: Whether another attempt may help.
        what: What happened, for people.
        wait_seconds: How long the endpoint asks to be left alone; None where it does not say.
        status: Of a response; 0 where there was none, or a good one.
        param: The parameter that an error is about, by its own word.
        words: The words of an error's body, in lower case.
        is_too_long: Whether the prompt is longer than the model's context.
    """

    fault: Fault
    may_pass: bool
    what: str
    wait_seconds: float | None = None
    status: int = 0
    param: str = ""
    words: frozenset[str] = frozenset()
    is_too_long: bool = False

    @property
    def is_breakdown(self) -> bool:
        """Whether the server broke down, or the connection did: nobody was there to refuse."""
        return self.status >= _SERVER or self.fault in {"unreachable", "dropped"}

    @property
    def is_refusal(self) -> bool:
        """Whether the request was refused as it is, though not for its length."""
        return self.fault == "bad_request" and not self.is_too_long


def read_trouble(status: int, headers: Mapping[str, str], text: str, now: datetime) -> Trouble:
    """What a response with an error status says, 300 or more; its text is free of secrets.

    408, 409, 429 and 5xx may pass, unless ``x-should-retry: false`` comes with them or a 429 is for
    want of money.
    """
    error = _error_of(text)
    code, kind = error.get("code", ""), error.get("type", "")
    name = kind if code in {"", str(status)} else code
    words = ": ".join(filter(None, (name, error["message"])))
    what = f"status {status}" + (f" ({words})" if words else "")
    if status in _REDIRECTIONS:
        what += ", which points elsewhere; redirections are not followed"
    fault = _FAULTS.get(status, "server_error" if status >= _SERVER else "bad_request")
    if fault == "rate_limited" and _QUOTA & {code, kind}:
        fault = "quota"
    is_called_off = headers.get("x-should-retry", "").strip().lower() == "false"
    return Trouble(
        fault=fault,
        may_pass=fault in {"rate_limited", "server_error"} and not is_called_off,
        what=what,
        wait_seconds=wait_seconds(headers, now),
        status=status,
        param=error.get("param", ""),
        words=frozenset(_WORD.findall(_ESCAPE.sub(" ", text[:_SEARCHED]).lower())),
        is_too_long=bool(_TOO_LONG & {code, kind}),
    )


def _error_of(text: str) -> dict[str, str]:
    """The message in an error's body, and its code, type and param, as far as they are there."""
    try:
        values = _read_json(text)
    except NoReplyError:
        return {"message": one_line(text[:_SEARCHED], _SHOWN)}
    error: Any = values.get("error", values) if isinstance(values, dict) else values
    if not isinstance(error, dict):
        return {"message": _line(error)}
    names = {key: word_of(error.get(key)) for key in ("code", "type", "param")}
    return {**names, "message": _line(error.get("message") or error.get("detail") or error)}


def wait_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long a response asks to be left alone; None where it does not say, or says nonsense.

    ``retry-after-ms`` goes before ``retry-after``, a number of seconds or a date.
    """
    for header, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(ValueError):
            number = float(headers.get(header, ""))
            if math.isfinite(number) and number >= 0:
                return number / per_second
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, OverflowError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - now).total_seconds())
