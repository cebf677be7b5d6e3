"""From the name of an endpoint to the address, the key and the limits behind it.

A key goes only where it belongs: OPENAI_API_KEY to OpenAI, to OPENAI_BASE_URL and to an address
that the user typed; to an endpoint that a suite defines only the key whose variable it names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.models import Endpoint
from summeval_pytest.suite import BUILT_IN_ENDPOINTS, EndpointSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

OPENAI: Final = "openai"
OLLAMA: Final = "ollama"
OPENAI_URL: Final = "https://api.openai.com/v1"
OLLAMA_URL: Final = "http://localhost:11434/v1"
BASE_URL: Final = "OPENAI_BASE_URL"
API_KEY: Final = "OPENAI_API_KEY"
_SCHEMES: Final = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint, the variable that must be set before anything is sent to it, and who may reply.

    ``lacking`` is empty where nothing is missing. Replaying needs no key, so a missing one is told
    when the first request is to be sent, and not before; ``hint`` is what else to say then.
    ``pinned`` says whether replies have to come from the very model asked for; None where its name
    decides.
    """

    endpoint: Endpoint
    lacking: str = ""
    hint: str = ""
    pinned: bool | None = False


def find_endpoint(
    name: str,
    defined: Mapping[str, EndpointSpec],
    environ: Mapping[str, str],
    *,
    n_processes: int = 1,
) -> Address:
    """The endpoint of a name, or at an address.

    Args:
        name: A name that the suite defines, ``openai``, ``ollama``, or a URL.
        defined: The endpoints that the suite defines or changes.
        environ: The environment variables.
        n_processes: How many processes share the endpoint's limits.

    Raises:
        OptionError: for an unknown name.
    """
    if name.startswith(_SCHEMES):
        shown = Endpoint(name=OPENAI, base_url=name).shown  # a name is stored, credentials are not
        return Address(
            Endpoint(name=shown, base_url=name, api_key=environ.get(API_KEY, "").strip())
        )
    spec = defined.get(name)
    if spec is None and name not in BUILT_IN_ENDPOINTS:
        known = {*defined, *BUILT_IN_ENDPOINTS}
        raise OptionError(f"no endpoint {name!r}; {nearest(name, known)} (or write a URL)")
    return _address(spec or EndpointSpec(name=name), environ, n_processes)


def default_endpoint(asked: str | None, environ: Mapping[str, str], otherwise: str) -> str:
    """Where a model is that no suite defines: as asked, else OPENAI_BASE_URL, else as built in."""
    if asked is not None:
        return asked
    return OPENAI if environ.get(BASE_URL, "").strip() else otherwise


def _address(spec: EndpointSpec, environ: Mapping[str, str], n_processes: int) -> Address:
    name, url, variable = spec.name, spec.base_url, spec.api_key_env
    if url is None and name == OLLAMA:
        url = OLLAMA_URL
    elif url is None:
        url = environ.get(BASE_URL, "").strip() or OPENAI_URL
        if url.rstrip("/") != OPENAI_URL:
            name = Endpoint(name=OPENAI, base_url=url).shown
        variable = variable or API_KEY
    key = environ.get(variable, "").strip() if variable else ""
    must = spec.api_key_env is not None or url.rstrip("/") == OPENAI_URL
    usual = Endpoint(name=name, base_url=url, api_key=key)
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
    return Address(endpoint, variable or "" if must and not key else "")


def _part(limit: int | None, n_processes: int) -> int | None:
    """One process's part of a limit, at least 1."""
    return None if limit is None else max(1, limit // n_processes)
