"""One HTTP exchange with an endpoint: the whole response, within its bound of size.

The openai package sends; what it would do beyond that is off: it does not retry, follow
redirections, or take a key or proxy of the environment where none is meant. No log holds a secret.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from summeval_pytest.endpoints.chat import Response
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.errors import NoReplyError
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

T = TypeVar("T")
TOO_SLOW: Final = "no whole response came in time"
_OK: Final = 200
_CODING: Final = "gzip"
_PIECE: Final = 2**16
"""Bytes that are decoded at once, which takes a fraction of a millisecond."""
_LOGGERS: Final = frozenset({"openai", "httpx", "httpx2", "httpcore", "httpcore2"})
"""Whose loggers tell at DEBUG what was sent and what came, headers and all."""
_MIB: Final = 2**20
"""Bytes from which on bodies are read one at a time, so that memory does not hold sixty-four."""
_LONG: Final = 2**15
"""Characters from which on a text is read off the event loop; few replies have as many."""
_OF_BODY: Final = frozenset({"content-encoding", "content-length", "content-type"})
"""Headers of a body that is not yet decoded; a charset is none of the server's to choose: JSON is
UTF-8, and Python would take ``charset=zlib`` at its word."""


async def read_off_loop(n_characters: int, read: Callable[[], T]) -> T:
    """What reading so many characters comes to; of many in a thread, since it may take seconds."""
    return await asyncio.to_thread(read) if n_characters > _LONG else read()


class Wire:
    """The connections to one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: AsyncOpenAI | None = None
        self._has_answered = False

    async def post(self, body: Mapping[str, object]) -> Response:
        """The response to one request, which is sent once.

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
            response = Response(_OK, {}, text)
        except openai.APIStatusError as error:
            status, headers = error.response.status_code, dict(error.response.headers)
            response = Response(status, headers, error.response.text)
        except openai.APIConnectionError as error:
            raise self._silence(error) from None
        self._has_answered = True
        return response

    def _silence(self, error: Exception) -> NoReplyError:
        """What the package calls a connection error, told apart by what caused it."""
        if isinstance(error.__cause__, NoReplyError):  # openai wraps whatever is raised
            return error.__cause__
        cause = type(error.__cause__).__name__
        if cause in {"ConnectError", "ConnectTimeout", "ProxyError"} and not self._has_answered:
            what = "nothing answers (connection refused, or a name that nobody knows)"
            return NoReplyError("unreachable", what)
        if cause.endswith("Timeout") and cause != "ConnectTimeout":
            return NoReplyError("timed_out", TOO_SLOW)
        return NoReplyError("dropped", "the connection broke")

    async def close(self) -> None:
        """Close all connections; a later request opens new ones."""
        client, self._client = self._client, None
        for logger in _loggers():
            logger.removeFilter(self._redact)
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
            logger.addFilter(self._redact)
        return client

    def _redact(self, record: logging.LogRecord) -> bool:
        """Takes the endpoint's secrets out of what is logged: servers repeat what they got."""
        record.msg, record.args = self._endpoint.redacted(record.getMessage()), ()
        if record.exc_info:
            text = logging.Formatter().formatException(record.exc_info)
            record.exc_text = self._endpoint.redacted(text)
        return True


def _loggers() -> list[logging.Logger]:
    """Those that are there; a filter of a logger does not hold for the loggers beneath it."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in _LOGGERS]
    return list(map(logging.getLogger, names))


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
        what = f"its body is encoded as {one_line(coding, 60)!r}, and only {_CODING!r}, once,"
        raise NoReplyError("malformed", f"{what} is read")
    inflate = zlib.decompressobj(wbits=31) if codings else None  # of gzip
    n_raw, content, is_alone = 0, bytearray(), False
    async with AsyncExitStack() as turn:
        async for chunk in raw:
            n_raw += len(chunk)
            for piece in [chunk] if inflate is None else _inflated(inflate, chunk):
                content += piece
                size = max(n_raw, len(content))
                if size > most_mib * _MIB:
                    raise NoReplyError("too_large", f"its body is larger than {most_mib} MiB")
                if size > _MIB and not is_alone:
                    await turn.enter_async_context(alone)
                    is_alone = True
                if is_alone:
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
