"""The body of a response, read by us: a chat completion, an error, or a named fault.

Endpoints, proxies and gateways send HTML with status 200, half a JSON text, ``choices: null``. The
client library hands such bodies on; here each becomes a `NoReplyError` that says what came.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeGuard

from summeval_pytest.errors import NoReplyError
from summeval_pytest.models.reply import ChatReply, Usage
from summeval_pytest.text import check_depth, one_line

if TYPE_CHECKING:
    from summeval_pytest.models.reply import Finish

MOST_MARKS: Final = 1_000_000
"""Commas and opening brackets; no chat completion has as many values, whose objects take a hundred
times the memory of their text."""

_SHOWN: Final = 200
_SEARCHED: Final = 4000
_MOST_TOKENS: Final = 1_000_000_000
_CUT: Final[dict[str, Finish]] = {"length": "length", "content_filter": "content_filter"}
_WORD: Final = re.compile(r"[a-z_]+")
_ESCAPE: Final = re.compile(r"\\.")
_TOO_LONG: Final = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_NO_TEXT: Final = frozenset({"error", "function_call", "tool_calls"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBody:
    """What an endpoint says with an error status; empty where it says nothing.

    Attributes:
        code: Its word for the error, such as "insufficient_quota".
        type: The kind of error.
        param: The part of the request that it names.
        message: What it tells people, on one line of at most 200 characters.
        words: The words of the whole body, in lower case.
    """

    code: str = ""
    type: str = ""
    param: str = ""
    message: str = ""
    words: frozenset[str] = frozenset()

    @property
    def is_too_long(self) -> bool:
        """Whether it says that the prompt is longer than the model's context."""
        return bool(_TOO_LONG & {self.code, self.type})


def read_body(text: str) -> ChatReply:
    """The reply that a body holds.

    A refusal is a reply, and so is one that was cut off or filtered. Several choices have to say
    the same, since one was asked for.

    Raises:
        NoReplyError: fault "not_json" for what is no JSON text, "malformed" for what is no chat
            completion.
    """
    values = _read_json(text)
    if not _is_object(values):
        raise _malformed(f"its body is a JSON {_kind(values)}, no object")
    said = {_said(choice) for choice in _choices(values, text)}
    if len(said) > 1:
        raise _malformed(f"one reply was asked for, and its 'choices' are {len(said)} that differ")
    content, finish = said.pop()
    return ChatReply(
        text=content,
        finish=finish,
        model=_word(values.get("model")),
        fingerprint=_word(values.get("system_fingerprint")),
        usage=_usage(values.get("usage")),
    )


def read_error(text: str) -> ErrorBody:
    """What a body with an error status says, as far as anything can be made out; never raises."""
    words = frozenset(_WORD.findall(_ESCAPE.sub(" ", text[:_SEARCHED]).lower()))
    try:
        values = _read_json(text)
    except NoReplyError:
        return ErrorBody(message=one_line(text[:_SEARCHED], _SHOWN), words=words)
    told = values.get("error", values) if _is_object(values) else values
    if not _is_object(told):
        return ErrorBody(message=_line(told), words=words)
    message = next((told[key] for key in ("message", "detail") if told.get(key)), told)
    return ErrorBody(
        code=_word(told.get("code")),
        type=_word(told.get("type")),
        param=_word(told.get("param")),
        message=_line(message),
        words=words,
    )


def _malformed(what: str) -> NoReplyError:
    return NoReplyError("malformed", what)


def _read_json(text: str) -> object:
    if sum(map(text.count, ",[{")) > MOST_MARKS:
        raise _malformed(f"a body with more than {MOST_MARKS:,} values is no chat completion")
    try:
        values: object = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
        check_depth(values)
    except json.JSONDecodeError as error:
        start = one_line(text[:_SHOWN], 60)
        what = f"its body is no JSON text from character {error.pos} on; it begins {start!r}"
        raise NoReplyError("not_json", what) from None
    except (ValueError, RecursionError):
        raise _malformed("its body has a key twice, a number that is none, or no end") from None
    return values


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key stands twice")
    return values


def _refuse(number: str) -> float:
    raise ValueError(f"{number} is no JSON number")


def _is_object(values: object) -> TypeGuard[dict[str, object]]:
    return isinstance(values, dict)


def _kind(values: object) -> str:
    names = {bool: "boolean", dict: "object", list: "list", str: "text", type(None): "null"}
    return names.get(type(values), "number")


def _choices(values: dict[str, object], text: str) -> list[dict[str, object]]:
    choices = values.get("choices")
    if isinstance(choices, list) and choices:
        objects = [choice for choice in choices if _is_object(choice)]
        if len(objects) == len(choices):
            return objects
    what = "empty" if choices == [] else f"{_kind(choices)}"
    said = f"; it says {read_error(text).message!r}" if "error" in values else ""
    raise _malformed(f"its 'choices' are {what}, no list of objects{said}")


def _said(choice: dict[str, object]) -> tuple[str, Finish]:
    """What a choice says, and why it ended there."""
    message = choice.get("message")
    if not _is_object(message):
        raise _malformed(f"its 'message' is {_kind(message)}")
    ended = choice.get("finish_reason")
    if isinstance(ended, str) and ended in _NO_TEXT:
        raise _malformed(f"it ended with {ended!r} and so without a text")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return refusal, "refusal"
    return _content(message.get("content")), _CUT.get(str(ended), "stop")


def _content(content: object) -> str:
    """The text of a message, whole or in parts; none at all is an empty one."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    texts = [_part(part) for part in content] if isinstance(content, list) else [None]
    if None in texts:
        raise _malformed(f"its 'content' is {_kind(content)} and holds no text")
    return "".join(text for text in texts if text is not None)


def _part(part: object) -> str | None:
    if not _is_object(part) or part.get("type") != "text":
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None


def _usage(values: object) -> Usage | None:
    if not _is_object(values):
        return None
    prompt, completion = values.get("prompt_tokens"), values.get("completion_tokens")
    if not _is_count(prompt) or not _is_count(completion):
        return None
    details = values.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if _is_object(details) else 0
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=min(cached, prompt) if _is_count(cached) else 0,
    )


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= _MOST_TOKENS


def _word(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) <= _MOST_TOKENS else ""
    return one_line(value, _SHOWN) if isinstance(value, str) else ""


def _line(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text[:_SEARCHED], _SHOWN)
