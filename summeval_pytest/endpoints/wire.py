"""One HTTP exchange with an endpoint: the whole response, within its bound of size.

The openai package sends; what it would do beyond that is off: it does not retry, follow
redirections, or take a key or proxy of the environment where none is meant. No log holds a secret.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from summeval_pytest.endpoints.chat import CHAT, Route, Trouble
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.errors import NoReplyError

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

T = TypeVar("T")
TOO_SLOW: Final = "no whole response came in time"
_LOOK_SECONDS: Final = 2.0
_CODING: Final = "gzip"
_MOST_MIB: Final = 4
"""Of a body, decoded: a reply that fills its usual room has about a fiftieth of it."""
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

    async def post(self, body: Mapping[str, object], route: Route = CHAT) -> Response | Trouble:
        """The whole response to one request, which is sent once, or why there is none.

        Raises:
            NoReplyError: "too_large" for a body beyond the limit, "malformed" for one that cannot
                be decoded.
        """
        import openai
        from httpx2 import Response

        self._client = self._client or self._connect()
        try:
            # `chat.completions` would load, and hold each request to, hundreds of types.
            response = await self._client.post(f"/{route}", cast_to=Response, body=body)
        except openai.APIStatusError as error:
            response = error.response
        except openai.APIConnectionError as error:
            return self._silence(error)
        self._has_answered = True
        return response

    async def n_slots(self) -> int | None:
        """How many requests llama.cpp's server serves at once; None of any other server."""
        address = self._endpoint.address.rstrip("/").removesuffix("/v1")
        n_slots = (await self._look(f"{address}/props")).get("total_slots")
        return n_slots if type(n_slots) is int and n_slots > 0 else None

    async def ends(self) -> Mapping[str, str]:
        """By model, the day on which it ends, as ``2027-01-14``; empty where none is said."""
        listed = (await self._look("/models")).get("data")
        with suppress(ValueError):
            return {
                each["id"]: date.fromisoformat(each["shutdown_date"]).isoformat()
                for each in (listed if isinstance(listed, list) else [])
                if isinstance(each, dict)
                and isinstance(each.get("id"), str)
                and isinstance(each.get("shutdown_date"), str)
            }
        return {}

    async def _look(self, url: str) -> dict[str, Any]:
        """The JSON object there; empty where there is none, as nobody needs it to judge."""
        from openai import OpenAIError

        self._client = self._client or self._connect()
        with suppress(OpenAIError, NoReplyError, TimeoutError, ValueError, RecursionError):
            async with asyncio.timeout(_LOOK_SECONDS):
                values = json.loads(await self._client.get(url, cast_to=str))
            return values if isinstance(values, dict) else {}
        return {}

    def _silence(self, error: Exception) -> Trouble:
        """What the package calls a connection error, told apart by what caused it."""
        if isinstance(error.__cause__, NoReplyError):  # openai wraps whatever is raised
            raise error.__cause__ from None
        cause = type(error.__cause__).__name__
        if cause == "DecodingError":
            raise NoReplyError("malformed", f"its body is no {_CODING}, as which it came") from None
        if cause in {"ConnectError", "ConnectTimeout", "ProxyError"} and not self._has_answered:
            what = "nothing answers (connection refused, or a name that nobody knows)"
            return Trouble(fault="unreachable", may_pass=False, what=what)
        if cause.endswith("Timeout") and cause != "ConnectTimeout":
            return Trouble(fault="timed_out", may_pass=True, what=TOO_SLOW)
        return Trouble(fault="dropped", may_pass=True, what="the connection broke")

    async def close(self) -> None:
        """Close all connections; a later request opens new ones."""
        client, self._client = self._client, None
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
            timeout=Timeout(endpoint.timeout_seconds, connect=min(10.0, endpoint.first_seconds)),
            http_client=_transport(endpoint),
        )
        if urlsplit(endpoint.address).hostname != "api.openai.com":
            client.organization = client.project = None  # which it took from the environment
        return client


def _transport(endpoint: Endpoint) -> DefaultAsyncHttpxClient:
    """What carries the requests; a redirection would carry papers to where nobody pointed.

    A proxy of the environment cannot reach this machine. Certificates take a twentieth of a second
    to load, so plain http on this machine gets a context that has none and trusts nobody.
    """
    from httpx2 import create_ssl_context
    from openai import DefaultAsyncHttpxClient

    needs_no_tls = endpoint.is_loopback and endpoint.address.startswith("http:")
    trust = not endpoint.is_loopback
    context = (
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if needs_no_tls
        else create_ssl_context(trust_env=trust)
    )
    make = partial(DefaultAsyncHttpxClient, follow_redirects=False, trust_env=trust, verify=context)

    class Bounded(DefaultAsyncHttpxClient):
        """Sends by clients with one connection each: a larger pool looks at all that are idle."""

        def __init__(self) -> None:
            super().__init__(trust_env=False, verify=context)
            self.idle: list[DefaultAsyncHttpxClient] = []

        async def send(self, *args: Any, **kwargs: Any) -> Any:
            """The response, read whole and decoded within the limit."""
            client = self.idle.pop() if self.idle else make()
            try:
                response = await client.send(*args, **{**kwargs, "stream": True})
                try:
                    content = await _read(response.aiter_bytes())
                finally:
                    await response.aclose()
            finally:
                self.idle.append(client)
            headers = {k: v for k, v in response.headers.items() if k not in _OF_BODY}
            return type(response)(
                response.status_code, headers=headers, content=content, request=response.request
            )

        async def aclose(self) -> None:
            """Close all connections."""
            for client in self.idle:
                await client.aclose()
            await super().aclose()

    return Bounded()


async def _read(decoded: AsyncIterator[bytes]) -> bytes:
    """The decoded body, which has a limit."""
    content = bytearray()
    async for chunk in decoded:
        content += chunk
        if len(content) > _MOST_MIB * 2**20:
            raise NoReplyError("too_large", f"its body is larger than {_MOST_MIB} MiB")
    return bytes(content)
