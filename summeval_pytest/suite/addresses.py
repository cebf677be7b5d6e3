"""The endpoints that suites define, and which of the user's keys each of them may have.

A suite is somebody else's file: what it says sends no key of the user's anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Final

from pydantic import AfterValidator, Field

from summeval_pytest.endpoints.endpoint import OPENAI, Address, Endpoint
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.suite.entries import Given, Number, Text, Whole, expecting, mistake
from summeval_pytest.text.printing import one_line

OLLAMA: Final = "ollama"
BUILT_IN_ENDPOINTS: Final = (OLLAMA, OPENAI)
"""The endpoints that exist without being written in a suite."""
OPENAI_URL: Final = "https://api.openai.com/v1"
OLLAMA_URL: Final = "http://localhost:11434/v1"
BASE_URL: Final = "OPENAI_BASE_URL"
API_KEY: Final = "OPENAI_API_KEY"
ALLOW: Final = "SUMM_ALLOW_ENDPOINTS"
_ALLOWED: Final = re.compile(r"(?:([A-Za-z_][A-Za-z0-9_]*)=)?(https?://.+)", re.ASCII)


def _variable(name: str) -> str:
    if not (name.isascii() and name.isidentifier()):  # the value may be the key
        raise mistake("is no name of an environment variable; write the name, never the key")
    return name


_Seconds = Annotated[Number, Field(ge=0.1, le=86_400)]
_Url = Annotated[
    Text,
    Field(pattern="^https?://"),
    expecting("a URL that starts with http:// or https://"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSpec:
    """The table of an endpoint; None leaves a value to what is built in.

    All else is as `Endpoint` has it.

    Attributes:
        api_key_env: The environment variable with the key. Never write the key into a file.
    """

    name: str
    base_url: Given[_Url] = None
    api_key_env: Given[Annotated[Text, AfterValidator(_variable)]] = None
    max_in_flight: Given[Whole] = None
    requests_per_minute: Given[Whole] = None
    tokens_per_minute: Given[Whole] = None
    timeout_seconds: Given[_Seconds] = None
    attempt_seconds: Given[_Seconds] = None


def _origin(url: str) -> str:
    return Endpoint(name=OPENAI, base_url=url).origin


class Addresses:
    """The endpoints that one process asks, with the keys that the user lets them have.

    A suite's limits are divided among the processes, those a minute only where no store holds all
    processes to them.

    Args:
        environ: The environment, with keys and OPENAI_BASE_URL.
        typed: The endpoint that the user typed.
        allowed: Where a suite may send keys: origins, with the key's variable before "=" or any.
        sends_keys: Whether keys are sent at all; a replay sends none.
        is_pace_shared: Whether the store holds all processes to the limits a minute.

    Raises:
        OptionError: for what is no origin.
    """

    def __init__(  # noqa: PLR0913 - by keyword, each a fact of its own
        self,
        environ: Mapping[str, str],
        *,
        typed: str | None = None,
        allowed: Iterable[str] = (),
        sends_keys: bool = True,
        n_processes: int = 1,
        is_pace_shared: bool = False,
    ) -> None:
        self._base_url = environ.get(BASE_URL, "").strip()
        self._keys = environ if sends_keys else {}
        self._typed = typed
        self._n_processes = n_processes
        self._n_paced = 1 if is_pace_shared else n_processes
        self._places = {(API_KEY, _origin(OPENAI_URL))}  # by variable; an empty one is any
        for url in (typed or "", self._base_url):
            with suppress(OptionError):  # a broken address is an error where it is wanted
                self._places.add(("", _origin(url)))
        for entry in allowed:
            match = _ALLOWED.fullmatch(entry)
            variable, origin = (match[1] or "", _origin(match[2])) if match else ("", "")
            if not match or match[2].rstrip("/").lower() != origin:
                shown = f"{variable}={origin}" if variable else origin
                raise OptionError(
                    f"{ALLOW} (or --summ-allow-endpoints, summ_allow_endpoints) holds"
                    f" {one_line(entry)!r}; write an origin, as"
                    f" {shown or 'HOUSE_KEY=https://llm.example.org'}"
                )
            self._places.add((variable, origin))

    def usual(self, built_in: str) -> str:
        """Where a model is that no suite defines: as typed, else OPENAI_BASE_URL, else this one."""
        if self._typed is not None:
            return self._typed
        return OPENAI if self._base_url else built_in

    def key_name(self, name: str, defined: Mapping[str, EndpointSpec]) -> str:
        """The name and address of an endpoint in the keys of its requests; no key is read."""
        environ = {BASE_URL: self._base_url}
        endpoint = Addresses(environ, sends_keys=False).address(name, defined).endpoint
        return f"{endpoint.name} {endpoint.shown}"

    def address(self, name: str, defined: Mapping[str, EndpointSpec]) -> Address:
        """The endpoint of a name, or at an address.

        A name is one that the suite defines, ``openai``, ``ollama``, or a URL.

        Raises:
            OptionError: for an unknown name, and for a key that may not go there.
        """
        if name.startswith(("http://", "https://")):
            typed = Endpoint(name=OPENAI, base_url=name)
            typed = replace(typed, name=typed.shown)  # a name is stored, credentials are not
            # OpenAI's key is only lent to a typed address: it stays here rather than be in the way
            return Address(self._keyed(typed, API_KEY) if typed.is_private else typed)
        if name not in defined and name not in BUILT_IN_ENDPOINTS:
            known = {*defined, *BUILT_IN_ENDPOINTS}
            raise OptionError(f"no endpoint {name!r}; {nearest(name, known)} (or write a URL)")
        spec = defined.get(name) or EndpointSpec(name=name)
        url, variable = spec.base_url, spec.api_key_env
        if url is None and name == OLLAMA:
            url = OLLAMA_URL
        elif url is None:
            url = self._base_url or OPENAI_URL
            variable = variable or API_KEY
            if url.rstrip("/") != OPENAI_URL:
                name = Endpoint(name=OPENAI, base_url=url).shown
        endpoint = self._limited(Endpoint(name=name, base_url=url), spec)
        if not variable:
            return Address(endpoint)
        endpoint = self._keyed(endpoint, variable)
        must = spec.api_key_env is not None or url.rstrip("/") == OPENAI_URL
        if not must or endpoint.api_key:
            return Address(endpoint)
        allow = f" and {ALLOW}={variable}={endpoint.origin}"
        return Address(endpoint, variable + ("" if self._allows(variable, endpoint) else allow))

    def _allows(self, variable: str, endpoint: Endpoint) -> bool:
        """Whether the user lets the key in a variable go to an endpoint."""
        return not self._places.isdisjoint({(variable, endpoint.origin), ("", endpoint.origin)})

    def _keyed(self, endpoint: Endpoint, variable: str) -> Endpoint:
        """An endpoint with the key in a variable; without one where that is not set."""
        endpoint = replace(endpoint, api_key=self._keys.get(variable, "").strip())
        if endpoint.api_key and not self._allows(variable, endpoint):
            raise OptionError(
                f"endpoint {endpoint.name!r} of the suite wants the key in {variable} sent to"
                f" {endpoint.origin}, and you have not allowed that; if you trust it, set"
                f" {ALLOW}={variable}={endpoint.origin} (or --summ-allow-endpoints, or the ini key"
                " summ_allow_endpoints)"
            )
        return endpoint

    def _limited(self, usual: Endpoint, spec: EndpointSpec) -> Endpoint:
        """An endpoint as the suite limits it, for one of the processes that share its limits."""

        def part(limit: int | None, n_processes: int) -> int | None:
            return limit and max(1, limit // n_processes)

        return replace(
            usual,
            max_in_flight=part(spec.max_in_flight, self._n_processes),
            requests_per_minute=part(spec.requests_per_minute, self._n_paced),
            tokens_per_minute=part(spec.tokens_per_minute, self._n_paced),
            timeout_seconds=spec.timeout_seconds or usual.timeout_seconds,
            attempt_seconds=spec.attempt_seconds,
        )
