"""The one place that touches the openai package: a body goes out, a status and a text come in.

The package is imported, and its client made, when the first request is sent: importing takes a
third of a second, and a run that only remembers sends none. A client belongs to the event loop on
which it was made.

What comes back is read and decoded here, piece by piece and only up to a limit: the package would
decode whatever a server names, as often as it names it, and hold the whole.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import zlib
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from summeval_pytest.errors import NoReplyError
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    from summeval_pytest.models.endpoint import Endpoint

_CONNECT_SECONDS: Final = 10.0
_NO_CONNECTION: Final = frozenset({"ConnectError", "ConnectTimeout", "ProxyError"})
_OPENAI: Final = "api.openai.com"
_NO_KEY: Final = "none"
"""The client wants some key, and without one it would take the environment's."""
_CODING: Final = "gzip"
_GZIP_BITS: Final = 31
_PIECE: Final = 2**16
"""Bytes that are decoded at once, which takes a fraction of a millisecond."""
_LOGGERS: Final = frozenset({"openai", "httpx", "httpx2", "httpcore", "httpcore2"})
"""Whose loggers tell at DEBUG what was sent and what came, headers and all."""
_MIB: Final = 2**20
_LARGE: Final = _MIB
"""Bytes from which on bodies are read one at a time, since sixty-four at once would be 2 GB."""
_OF_BODY: Final = frozenset({"content-encoding", "content-length", "content-type"})
"""Headers of a body that is not yet decoded; a charset is none of the server's to choose: JSON is
UTF-8, and Python would take ``charset=zlib`` at its word."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A whole response.

    Attributes:
        status: Its status.
        headers: By lower-case name.
        text: Its body, decoded.
    """

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Unheard:
    """No whole response: nobody was there, the connection broke, or it took too long."""

    how: Literal["no_connection", "dropped", "slow"]


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
        self._alone = asyncio.Lock()
        self._redacting = _Redacting(endpoint)

    async def post(self, body: Mapping[str, object]) -> Heard | Unheard:
        """Ask for one chat completion, once; redirections are not followed.

        Args:
            body: The request as JSON values; it goes out as it is.

        Raises:
            NoReplyError: fault "too_large" for a body that is longer than the endpoint's limit,
                and "malformed" for one that cannot be decoded.
        """
        import openai

        if self._client is None:
            self._client = self._connect()
        completions = self._client.chat.completions.with_raw_response
        try:
            # What is in `extra_body` replaces the arguments, untouched by the package's types.
            raw = await completions.create(model="", messages=[], extra_body=body)
        except openai.APIStatusError as error:
            return Heard(error.status_code, _lower(error.response.headers), error.response.text)
        except openai.APIConnectionError as error:
            return _unheard(error)
        response = raw.http_response
        return Heard(response.status_code, _lower(response.headers), response.text)

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
            api_key=endpoint.api_key or _NO_KEY,
            base_url=endpoint.address,
            default_query=endpoint.query,
            default_headers={"Accept-Encoding": _CODING},
            max_retries=0,
            timeout=Timeout(
                endpoint.attempt_seconds, connect=min(_CONNECT_SECONDS, endpoint.attempt_seconds)
            ),
            http_client=_transport(endpoint, self._alone),
        )
        if urlsplit(endpoint.address).hostname != _OPENAI:
            client.organization = client.project = None  # which it took from the environment
        assert client.chat.completions is not None  # what it loads for them has loggers, too
        for logger in _loggers():
            logger.addFilter(self._redacting)
        return client


def _transport(endpoint: Endpoint, alone: asyncio.Lock) -> DefaultAsyncHttpxClient:
    """What carries the requests; a redirection would carry papers to where nobody pointed.

    A proxy of the environment cannot reach this machine. Certificates take a twentieth of a second
    to load, so plain http on this machine gets a context that has none and trusts nobody.
    """
    from openai import DefaultAsyncHttpxClient

    class Bounded(DefaultAsyncHttpxClient):
        async def send(self, *args: Any, **kwargs: Any) -> Any:
            """The response, read whole and decoded within the endpoint's limit."""
            response = await super().send(*args, **{**kwargs, "stream": True})
            try:
                content = await _read(
                    response.aiter_raw(),
                    response.headers.get("content-encoding", ""),
                    most=endpoint.max_reply_mib * _MIB,
                    alone=alone,
                )
            finally:
                await response.aclose()
            headers = {k: v for k, v in _lower(response.headers).items() if k not in _OF_BODY}
            return type(response)(
                response.status_code, headers=headers, content=content, request=response.request
            )

    if not endpoint.is_loopback:
        return Bounded(follow_redirects=False)
    if endpoint.address.startswith("https:"):
        return Bounded(follow_redirects=False, trust_env=False)
    return Bounded(
        follow_redirects=False, trust_env=False, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )


async def _read(raw: AsyncIterator[bytes], coding: str, *, most: int, alone: asyncio.Lock) -> bytes:
    """The decoded body, whose bytes on the wire and afterwards are ``most`` at most.

    The event loop has its turn after each piece, so that deadlines hold.
    """
    codings = [c for c in map(str.strip, coding.lower().split(",")) if c not in {"", "identity"}]
    if codings not in ([], [_CODING]):
        told = one_line(coding, 60)
        what = f"its body is encoded as {told!r}, and only {_CODING!r}, once, is read"
        raise NoReplyError("malformed", what)
    inflate = zlib.decompressobj(_GZIP_BITS) if codings else None
    n_raw, content, is_alone = 0, bytearray(), False
    async with AsyncExitStack() as held:
        async for chunk in raw:
            n_raw += len(chunk)
            for piece in [chunk] if inflate is None else _inflated(inflate, chunk):
                content += piece
                size = max(n_raw, len(content))
                if size > most:
                    raise NoReplyError("too_large", f"its body is larger than {most // _MIB} MiB")
                if size > _LARGE and not is_alone:
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


def _lower(headers: Mapping[str, str]) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _unheard(error: Exception) -> Unheard:
    """What the package calls a connection error, told apart by what caused it."""
    cause = type(error.__cause__).__name__
    if cause in _NO_CONNECTION:
        return Unheard("no_connection")
    return Unheard("slow" if cause.endswith("Timeout") else "dropped")
