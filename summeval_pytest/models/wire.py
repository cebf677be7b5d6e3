"""The one place that touches the openai package: a body goes out, a status and a text come in.

The package is imported, and its client made, when the first request is sent: importing takes a
third of a second, and a run that only remembers sends none. A client belongs to the event loop on
which it was made.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    from summeval_pytest.models.endpoint import Endpoint

_CONNECT_SECONDS: Final = 10.0
_NO_CONNECTION: Final = frozenset({"ConnectError", "ConnectTimeout", "ProxyError"})
_OPENAI: Final = "api.openai.com"
_NO_KEY: Final = "none"
"""The client wants some key, and without one it would take the environment's."""


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


class Wire:
    """The connections to one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: AsyncOpenAI | None = None

    async def post(self, body: Mapping[str, object]) -> Heard | Unheard:
        """Ask for one chat completion, once; redirections are not followed.

        Args:
            body: The request as JSON values; it goes out as it is.
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
        if client is not None:
            await client.close()

    def _connect(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, Timeout

        endpoint = self._endpoint
        client = AsyncOpenAI(
            api_key=endpoint.api_key or _NO_KEY,
            base_url=endpoint.address,
            default_query=endpoint.query,
            max_retries=0,
            timeout=Timeout(
                endpoint.attempt_seconds, connect=min(_CONNECT_SECONDS, endpoint.attempt_seconds)
            ),
            http_client=_transport(endpoint),
        )
        if urlsplit(endpoint.address).hostname != _OPENAI:
            client.organization = client.project = None  # which it took from the environment
        return client


def _transport(endpoint: Endpoint) -> DefaultAsyncHttpxClient:
    """What carries the requests; a redirection would carry papers to where nobody pointed.

    A proxy of the environment cannot reach this machine. Certificates take a twentieth of a second
    to load, so plain http on this machine gets a context that has none and trusts nobody.
    """
    from openai import DefaultAsyncHttpxClient

    if not endpoint.is_loopback:
        return DefaultAsyncHttpxClient(follow_redirects=False)
    if endpoint.address.startswith("https:"):
        return DefaultAsyncHttpxClient(follow_redirects=False, trust_env=False)
    return DefaultAsyncHttpxClient(
        follow_redirects=False, trust_env=False, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )


def _lower(headers: Mapping[str, str]) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _unheard(error: Exception) -> Unheard:
    """What the package calls a connection error, told apart by what caused it."""
    cause = type(error.__cause__).__name__
    if cause in _NO_CONNECTION:
        return Unheard("no_connection")
    return Unheard("slow" if cause.endswith("Timeout") else "dropped")
