"""One HTTP exchange with an endpoint: a bounded response read as completion, error or fault.

Endpoints, proxies and gateways send HTML with status 200, half a JSON text, ``choices: null``. The
client library hands such bodies on; here each becomes a `NoReplyError` that says what came.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import ssl
import zlib
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeGuard, TypeVar
from urllib.parse import urlsplit

from summeval_pytest.endpoints.chat import ChatReply, Usage
from summeval_pytest.errors import NoReplyError
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.strict_json import StrictJsonError, read_strict

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    from summeval_pytest.endpoints.chat import Finish
    from summeval_pytest.endpoints.endpoint import Endpoint


T = TypeVar("T")

MOST_MARKS: Final = 100_000
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

    The message is one line of at most 200 characters; ``words`` are those of the whole body, in
    lower case.
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
        raise NoReplyError("malformed", f"its body is a JSON {_kind(values)}, no object")
    choices = values.get("choices")
    if not isinstance(choices, list) or not choices or not all(map(_is_object, choices)):
        what = "empty" if choices == [] else _kind(choices)
        says = f"; it says {read_error(text).message!r}" if "error" in values else ""
        raise NoReplyError("malformed", f"its 'choices' are {what}, no list of objects{says}")
    said = {_said(choice) for choice in choices}
    if len(said) > 1:
        raise NoReplyError(
            "malformed", f"one reply was asked for, and its 'choices' are {len(said)} that differ"
        )
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


def _read_json(text: str) -> object:
    if sum(map(text.count, ",[{")) > MOST_MARKS:
        raise NoReplyError(
            "malformed", f"a body with more than {MOST_MARKS:,} values is no chat completion"
        )
    try:
        return read_strict(text)
    except StrictJsonError as error:
        if error.fault == "syntax":
            start = one_line(text[:_SHOWN], 60)
            what = f"its body is no JSON text from character {error.position} on; it begins"
            raise NoReplyError("not_json", f"{what} {start!r}") from None
        raise NoReplyError(
            "malformed", "its body has a key twice, a number that is none, or no end"
        ) from None


def _is_object(values: object) -> TypeGuard[dict[str, object]]:
    return isinstance(values, dict)


def _kind(values: object) -> str:
    names = {bool: "boolean", dict: "object", list: "list", str: "text", type(None): "null"}
    return names.get(type(values), "number")


def _said(choice: dict[str, object]) -> tuple[str, Finish]:
    """What a choice says, and why it ended there."""
    message = choice.get("message")
    if not _is_object(message):
        raise NoReplyError("malformed", f"its 'message' is {_kind(message)}")
    ended = choice.get("finish_reason")
    if isinstance(ended, str) and ended in _NO_TEXT:
        raise NoReplyError("malformed", f"it ended with {ended!r} and so without a text")
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return refusal, "refusal"
    return _content(message.get("content")), _CUT.get(str(ended), "stop")


def _content(content: object) -> str:
    """The text of a message, whole or in parts; none at all is an empty one."""
    if content is None or isinstance(content, str):
        return content or ""
    texts: list[str] = []
    for part in content if isinstance(content, list) else [None]:
        match part:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case _:
                what = f"its 'content' is {_kind(content)} and holds no text"
                raise NoReplyError("malformed", what)
    return "".join(texts)


def _usage(values: object) -> Usage | None:
    """The counts; None where they are none, as unknown is not 0."""
    if not _is_object(values):
        return None
    prompt, completion = values.get("prompt_tokens"), values.get("completion_tokens")
    if not _is_count(prompt) or not _is_count(completion):
        return None
    details = values.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if _is_object(details) else 0
    return Usage(prompt, completion, min(cached, prompt) if _is_count(cached) else 0)


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= _MOST_TOKENS


def _word(value: object) -> str:
    if type(value) is int and abs(value) <= _MOST_TOKENS:
        value = str(value)
    return one_line(value, _SHOWN) if isinstance(value, str) else ""


def _line(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text[:_SEARCHED], _SHOWN)


_OK: Final = 200
TOO_SLOW: Final = "no whole response came in time"
_CODING: Final = "gzip"
_PIECE: Final = 2**16
"""Bytes that are decoded at once, which takes a fraction of a millisecond."""
_LOGGERS: Final = frozenset({"openai", "httpx", "httpx2", "httpcore", "httpcore2"})
"""Whose loggers tell at DEBUG what was sent and what came, headers and all."""
_MIB: Final = 2**20
_LARGE: Final = _MIB
"""Bytes from which on bodies are read one at a time, so that memory does not hold sixty-four."""
_LONG: Final = 2**15
"""Characters from which on a text is read off the event loop; few replies have as many."""
_OF_BODY: Final = frozenset({"content-encoding", "content-length", "content-type"})
"""Headers of a body that is not yet decoded; a charset is none of the server's to choose: JSON is
UTF-8, and Python would take ``charset=zlib`` at its word."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A whole response: its headers by lower-case name, and its body decoded."""

    status: int
    headers: Mapping[str, str]
    text: str


async def read_off_loop(n_characters: int, read: Callable[[], T]) -> T:
    """What reading so many characters comes to; of many in a thread, since it may take seconds."""
    return await asyncio.to_thread(read) if n_characters > _LONG else read()


class _Redacting(logging.Filter):
    """Takes an endpoint's secrets out of what is logged: servers repeat the headers they got."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__()
        self._endpoint = endpoint

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._endpoint.redacted(record.getMessage()), ()
        if record.exc_info:
            told = logging.Formatter().formatException(record.exc_info)
            record.exc_text = self._endpoint.redacted(told)
        return True


def _loggers() -> list[logging.Logger]:
    """Those that are there; a filter of a logger does not hold for the loggers beneath it."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in _LOGGERS]
    return list(map(logging.getLogger, names))


class Wire:
    """The connections to one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: AsyncOpenAI | None = None
        self._has_heard = False
        self._redacting = _Redacting(endpoint)

    async def post(self, body: Mapping[str, object]) -> Heard:
        """The response to one request, sent once and as it is; redirections are not followed.

        Raises:
            NoReplyError: "unreachable" where nobody ever answered, "dropped" and "timed_out" where
                no whole response came, "too_large" for a body beyond the endpoint's limit, and
                "malformed" for one that cannot be decoded.
        """
        import openai

        self._client = self._client or self._connect()
        try:
            # `chat.completions` would load, and hold each request to, hundreds of types.
            text = await self._client.post("/chat/completions", cast_to=str, body=body)
            heard = Heard(_OK, {}, text)
        except openai.APIStatusError as error:
            response = error.response
            heard = Heard(response.status_code, dict(response.headers), response.text)
        except openai.APIConnectionError as error:
            raise self._silence(error) from None
        self._has_heard = True
        return heard

    def _silence(self, error: Exception) -> NoReplyError:
        """What the package calls a connection error, told apart by what caused it."""
        if isinstance(error.__cause__, NoReplyError):  # openai 2 wraps whatever is raised
            return error.__cause__
        cause = type(error.__cause__).__name__
        if cause in {"ConnectError", "ConnectTimeout", "ProxyError"} and not self._has_heard:
            what = "nothing answers (connection refused, or a name that nobody knows)"
            return NoReplyError("unreachable", what)
        if cause.endswith("Timeout") and cause != "ConnectTimeout":
            return NoReplyError("timed_out", TOO_SLOW)
        return NoReplyError("dropped", "the connection broke")

    async def close(self) -> None:
        """Close all connections; a later request opens new ones."""
        client, self._client = self._client, None
        for logger in _loggers():
            logger.removeFilter(self._redacting)
        if client is not None:
            await client.close()

    def _connect(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, Timeout

        endpoint = self._endpoint
        client = AsyncOpenAI(
            api_key=endpoint.api_key or "none",  # else it would take the environment's
            base_url=endpoint.address,
            default_query=endpoint.query,
            default_headers={"Accept-Encoding": _CODING},
            max_retries=0,
            timeout=Timeout(endpoint.attempt_seconds, connect=min(10.0, endpoint.attempt_seconds)),
            http_client=_transport(endpoint),
        )
        if urlsplit(endpoint.address).hostname != "api.openai.com":
            client.organization = client.project = None  # which it took from the environment
        for logger in _loggers():
            logger.addFilter(self._redacting)
        return client


def _transport(endpoint: Endpoint) -> DefaultAsyncHttpxClient:
    """What carries the requests; a redirection would carry papers to where nobody pointed.

    A proxy of the environment cannot reach this machine. Certificates take a twentieth of a second
    to load, so plain http on this machine gets a context that has none and trusts nobody.
    """
    from openai import DefaultAsyncHttpxClient

    alone = asyncio.Lock()

    class Bounded(DefaultAsyncHttpxClient):
        async def send(self, *args: Any, **kwargs: Any) -> Any:
            """The response, read whole and decoded within the endpoint's limit."""
            response = await super().send(*args, **{**kwargs, "stream": True})
            try:
                coding = response.headers.get("content-encoding", "")
                content = await _read(response.aiter_raw(), coding, endpoint.max_reply_mib, alone)
            finally:
                await response.aclose()
            headers = {k: v for k, v in response.headers.items() if k not in _OF_BODY}
            return type(response)(
                response.status_code, headers=headers, content=content, request=response.request
            )

    needs_no_tls = endpoint.is_loopback and endpoint.address.startswith("http:")
    return Bounded(
        follow_redirects=False,
        trust_env=not endpoint.is_loopback,
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if needs_no_tls else True,
    )


async def _read(
    raw: AsyncIterator[bytes], coding: str, most_mib: int, alone: asyncio.Lock
) -> bytes:
    """The decoded body, which may be so large as it comes and afterwards.

    The event loop has its turn after each piece of a large one, so that deadlines hold.
    """
    codings = [c for c in map(str.strip, coding.lower().split(",")) if c not in {"", "identity"}]
    if codings not in ([], [_CODING]):
        told = one_line(coding, 60)
        what = f"its body is encoded as {told!r}, and only {_CODING!r}, once, is read"
        raise NoReplyError("malformed", what)
    inflate = zlib.decompressobj(wbits=31) if codings else None  # of gzip
    n_raw, content, is_alone = 0, bytearray(), False
    async with AsyncExitStack() as held:
        async for chunk in raw:
            n_raw += len(chunk)
            for piece in [chunk] if inflate is None else _inflated(inflate, chunk):
                content += piece
                size = max(n_raw, len(content))
                if size > most_mib * _MIB:
                    raise NoReplyError("too_large", f"its body is larger than {most_mib} MiB")
                if size > _LARGE:
                    if not is_alone:
                        await held.enter_async_context(alone)
                        is_alone = True
                    await asyncio.sleep(0)
    return bytes(content)


def _inflated(inflate: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    """What a part of a gzip comes to, in pieces of a bounded size."""
    while chunk:
        try:
            yield inflate.decompress(chunk, _PIECE)
        except zlib.error:
            raise NoReplyError("malformed", "its body is no gzip, as which it came") from None
        chunk = inflate.unconsumed_tail
