"""From the name of an endpoint to the address, the key and the limits behind it.

Suites come with pull requests, so a key goes only where the *user* lets it go: OPENAI_API_KEY to
OpenAI, to OPENAI_BASE_URL and to an address that the user typed. An endpoint that a suite defines
gets the key whose variable it names, if the user has allowed that (`Keys`). The name of an endpoint
allows nothing, as it is the suite that says what it means; and no key goes over plain http, except
on this machine.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.models import Endpoint, Price
from summeval_pytest.suite import BUILT_IN_ENDPOINTS, EndpointSpec
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OPENAI: Final = "openai"
OLLAMA: Final = "ollama"
OPENAI_URL: Final = "https://api.openai.com/v1"
OLLAMA_URL: Final = "http://localhost:11434/v1"
BASE_URL: Final = "OPENAI_BASE_URL"
API_KEY: Final = "OPENAI_API_KEY"
ALLOW: Final = "SUMM_ALLOW_ENDPOINTS"
_SCHEMES: Final = ("http://", "https://")
_FREE: Final = Price(0.0, 0.0)
_ALLOWED: Final = re.compile(r"(?:([A-Za-z_][A-Za-z0-9_]*)=)?(https?://.+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys in the environment, and where the user lets each of them go.

    Attributes:
        environ: The environment variables; none where nothing is ever sent.
        places: Names of variables with an origin; an empty name stands for any.
    """

    environ: Mapping[str, str] = field(repr=False)
    places: frozenset[tuple[str, str]]

    @classmethod
    def of(
        cls, environ: Mapping[str, str], *, typed: str | None = None, allowed: Iterable[str] = ()
    ) -> Keys:
        """The keys, for a user who typed an address, has set OPENAI_BASE_URL, and allows origins.

        Raises:
            OptionError: for what is no origin.
        """
        places = {(API_KEY, Endpoint(name=OPENAI, base_url=OPENAI_URL).origin)}
        for url in (typed or "", environ.get(BASE_URL, "").strip()):
            with suppress(OptionError):  # a broken address is told when it is wanted
                places.add(("", Endpoint(name=OPENAI, base_url=url).origin))
        for entry in allowed:
            match = _ALLOWED.fullmatch(entry)
            origin = Endpoint(name=OPENAI, base_url=match[2]).origin if match else ""
            if not match or match[2].rstrip("/").lower() != origin:
                shown = f"{match[1]}={origin}" if match and match[1] else origin
                raise OptionError(
                    f"{ALLOW} (or --summ-allow-endpoints, summ_allow_endpoints) holds"
                    f" {one_line(entry)!r}; write an origin, as"
                    f" {shown or 'HOUSE_KEY=https://llm.example.org'}"
                )
            places.add((match[1] or "", origin))
        return cls(environ, frozenset(places))

    def allow(self, variable: str, endpoint: Endpoint) -> bool:
        """Whether the user lets the key in a variable go to an endpoint."""
        return not self.places.isdisjoint({(variable, endpoint.origin), ("", endpoint.origin)})

    def given(self, endpoint: Endpoint, variable: str) -> Endpoint:
        """An endpoint with the key in a variable; without one where that is not set.

        Raises:
            OptionError: for a key that the user has not allowed there, and for one on plain http.
        """
        endpoint = replace(endpoint, api_key=self.environ.get(variable, "").strip())
        if endpoint.api_key and not self.allow(variable, endpoint):
            raise OptionError(
                f"endpoint {endpoint.name!r} of the suite wants the key in {variable} sent to"
                f" {endpoint.origin}, and you have not allowed that; if you trust it, set"
                f" {ALLOW}={variable}={endpoint.origin} (or --summ-allow-endpoints, or the ini key"
                " summ_allow_endpoints)"
            )
        return endpoint


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint, what must be set before anything is sent to it, and who may reply.

    ``lacking`` is empty where nothing is missing. Replaying needs no key, so a missing one is told
    when the first request is to be sent, and not before; ``hint`` is what else to say then.
    ``pinned`` says whether replies have to come from the very model asked for; None where its name
    decides.
    """

    endpoint: Endpoint
    lacking: str = ""
    hint: str = ""
    pinned: bool | None = False

    def price(self, written: Price | None) -> Price | None:
        """What tokens cost there: as written, else nothing on this machine; None where unknown."""
        return _FREE if written is None and self.endpoint.is_loopback else written


def find_endpoint(
    name: str,
    defined: Mapping[str, EndpointSpec],
    environ: Mapping[str, str],
    keys: Keys,
    *,
    n_processes: int = 1,
) -> Address:
    """The endpoint of a name, or at an address.

    Args:
        name: A name that the suite defines, ``openai``, ``ollama``, or a URL.
        defined: The endpoints that the suite defines or changes.
        environ: The environment variables.
        keys: Where keys may go.
        n_processes: How many processes share the endpoint's limits.

    Raises:
        OptionError: for an unknown name, and for a key that may not go there.
    """
    if name.startswith(_SCHEMES):
        typed = Endpoint(name=OPENAI, base_url=name)
        typed = replace(typed, name=typed.shown)  # a name is stored, credentials are not
        # OpenAI's key is only lent to a typed address, so it stays here rather than be in the way.
        return Address(keys.given(typed, API_KEY) if typed.is_private else typed)
    spec = defined.get(name)
    if spec is None and name not in BUILT_IN_ENDPOINTS:
        known = {*defined, *BUILT_IN_ENDPOINTS}
        raise OptionError(f"no endpoint {name!r}; {nearest(name, known)} (or write a URL)")
    return _address(spec or EndpointSpec(name=name), environ, keys, n_processes)


def default_endpoint(asked: str | None, environ: Mapping[str, str], otherwise: str) -> str:
    """Where a model is that no suite defines: as asked, else OPENAI_BASE_URL, else as built in."""
    if asked is not None:
        return asked
    return OPENAI if environ.get(BASE_URL, "").strip() else otherwise


def _address(
    spec: EndpointSpec, environ: Mapping[str, str], keys: Keys, n_processes: int
) -> Address:
    name, url, variable = spec.name, spec.base_url, spec.api_key_env
    if url is None and name == OLLAMA:
        url = OLLAMA_URL
    elif url is None:
        url = environ.get(BASE_URL, "").strip() or OPENAI_URL
        if url.rstrip("/") != OPENAI_URL:
            name = Endpoint(name=OPENAI, base_url=url).shown
        variable = variable or API_KEY
    usual = Endpoint(name=name, base_url=url)
    if variable:
        usual = keys.given(usual, variable)
    must = spec.api_key_env is not None or url.rstrip("/") == OPENAI_URL
    timeout = usual.timeout_seconds if spec.timeout_seconds is None else spec.timeout_seconds
    endpoint = replace(
        usual,
        max_in_flight=_part(spec.max_in_flight, n_processes),
        requests_per_minute=_part(spec.requests_per_minute, n_processes),
        tokens_per_minute=_part(spec.tokens_per_minute, n_processes),
        timeout_seconds=timeout,
        attempt_seconds=min(spec.attempt_seconds or usual.attempt_seconds, timeout),
        max_reply_mib=spec.max_reply_mib or usual.max_reply_mib,
    )
    if not must or usual.api_key or not variable:
        return Address(endpoint)
    is_allowed = keys.allow(variable, usual)
    return Address(
        endpoint, variable if is_allowed else f"{variable} and {ALLOW}={variable}={usual.origin}"
    )


def _part(limit: int | None, n_processes: int) -> int | None:
    """One process's part of a limit, at least 1."""
    return None if limit is None else max(1, limit // n_processes)
