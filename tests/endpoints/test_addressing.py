from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.endpoints.endpoint import OPENAI_URL, EndpointSpec, Keys, default_endpoint
from summeval_pytest.endpoints.endpoint import find_endpoint as find
from summeval_pytest.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.endpoints.endpoint import Address

KEY = "sk-marker-0a1b2c3d4e5f"
OTHER = "other-marker-99887766"
NEAR = EndpointSpec(name="near", base_url="http://near:8000/v1")
KEYED = EndpointSpec(name="keyed", base_url="https://keyed:8000/v1", api_key_env="TEAM_KEY")
DEFINED = {"near": NEAR, "keyed": KEYED}
ENVIRON = {"OPENAI_API_KEY": KEY, "TEAM_KEY": OTHER}


ALLOWED = ("TEAM_KEY=https://keyed:8000",)


def find_endpoint(
    name: str,
    defined: Mapping[str, EndpointSpec],
    environ: Mapping[str, str],
    *,
    allowed: Iterable[str] = (),
    n_processes: int = 1,
) -> Address:
    """The endpoint of a name, for a user who typed it where it is an address."""
    keys = Keys.of(environ, typed=name, allowed=allowed)
    return find(name, defined, environ, keys, n_processes=n_processes)


def refusal(
    name: str,
    defined: Mapping[str, EndpointSpec] = DEFINED,
    environ: Mapping[str, str] = ENVIRON,
    allowed: Iterable[str] = (),
) -> str:
    """What is told of a name that is no endpoint, or may not have its key."""
    with pytest.raises(OptionError) as caught:
        find_endpoint(name, defined, environ, allowed=allowed)
    return str(caught.value)


def test_openai_is_built_in() -> None:
    """A key in the environment is all that it takes."""
    address = find_endpoint("openai", {}, ENVIRON)
    endpoint = address.endpoint
    assert (endpoint.name, endpoint.base_url, endpoint.api_key) == ("openai", OPENAI_URL, KEY)
    assert address.lacking == ""


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": " \n"}])
def test_openai_without_its_key_lacks_it(environ: dict[str, str]) -> None:
    """Nothing is raised yet: a replay needs no key."""
    address = find_endpoint("openai", {}, environ)
    assert address.lacking == "OPENAI_API_KEY"
    assert address.endpoint.api_key == ""


def test_openai_base_url_moves_openai_and_its_key() -> None:
    """The variable is the openai package's own; replies of another server have other keys."""
    environ = {**ENVIRON, "OPENAI_BASE_URL": " https://gate:9/v1 "}
    endpoint = find_endpoint("openai", {}, environ).endpoint
    assert (endpoint.base_url, endpoint.api_key) == ("https://gate:9/v1", KEY)
    assert endpoint.name == "https://gate:9/v1"


def test_openai_base_url_that_is_openai_is_openai() -> None:
    """Whoever writes the usual address out finds the replies that were remembered without it."""
    environ = {"OPENAI_BASE_URL": f"{OPENAI_URL}/"}
    address = find_endpoint("openai", {}, environ)
    assert (address.endpoint.name, address.lacking) == ("openai", "OPENAI_API_KEY")


def test_ollama_is_built_in_and_gets_no_key() -> None:
    """It wants none, and OpenAI's is none of its business."""
    address = find_endpoint("ollama", {}, ENVIRON)
    endpoint = address.endpoint
    assert (endpoint.name, endpoint.base_url) == ("ollama", "http://localhost:11434/v1")
    assert (endpoint.api_key, address.lacking) == ("", "")


def test_typed_address_gets_openais_key() -> None:
    """The user pointed there with their own hands."""
    address = find_endpoint("https://gate.example/v1", DEFINED, ENVIRON)
    endpoint = address.endpoint
    assert endpoint.name == endpoint.base_url == "https://gate.example/v1"
    assert (endpoint.api_key, address.lacking) == (KEY, "")


@pytest.mark.parametrize("name", ["near", "openai", "ollama"])
def test_address_of_a_suite_gets_no_key_of_openai(name: str) -> None:
    """A suite is somebody else's file: it may not send the user's key where it likes."""
    defined = {name: EndpointSpec(name=name, base_url="http://near:8000/v1")}
    address = find_endpoint(name, defined, ENVIRON)
    assert address.endpoint.base_url == "http://near:8000/v1"
    assert (address.endpoint.api_key, address.lacking) == ("", "")


def test_address_of_a_suite_gets_the_key_whose_variable_it_names() -> None:
    """And no other."""
    address = find_endpoint("keyed", DEFINED, ENVIRON, allowed=ALLOWED)
    assert (address.endpoint.api_key, address.lacking) == (OTHER, "")


@pytest.mark.parametrize(
    "url",
    [
        "https://keyed.example/v1",
        "https://me:pass@keyed.example:443/other",
        "HTTPS://Keyed.Example/v1?x=y",
    ],
)
@pytest.mark.parametrize("allowed", ["https://keyed.example", "TEAM_KEY=https://KEYED.example/"])
def test_allowed_is_who_gets_the_key_and_not_which_path(url: str, allowed: str) -> None:
    """An origin is a server: scheme, host and port."""
    defined = {"keyed": EndpointSpec(name="keyed", base_url=url, api_key_env="TEAM_KEY")}
    address = find_endpoint("keyed", defined, ENVIRON, allowed=[allowed])
    assert address.endpoint.api_key == OTHER


@pytest.mark.parametrize(
    "allowed",
    [
        (),
        ("OTHER_KEY=https://keyed:8000",),
        ("TEAM_KEY=https://keyed",),
        ("TEAM_KEY=https://keyed:8001",),
        ("TEAM_KEY=http://keyed:8000",),
        ("TEAM_KEY=https://keyed.example:8000",),
        ("TEAM_KEY=https://not-keyed:8000",),
    ],
)
def test_a_suite_sends_no_key_where_the_user_has_not_allowed_it(allowed: tuple[str, ...]) -> None:
    """A pull request that edits the suite would have any secret of the machine."""
    told = refusal("keyed", allowed=allowed)
    assert told == (
        "endpoint 'keyed' of the suite wants the key in TEAM_KEY sent to https://keyed:8000, and"
        " you have not allowed that; if you trust it, set"
        " SUMM_ALLOW_ENDPOINTS=TEAM_KEY=https://keyed:8000 (or --summ-allow-endpoints, or the ini"
        " key summ_allow_endpoints)"
    )


@pytest.mark.parametrize(
    ("spec", "variable"),
    [
        (EndpointSpec(name="e", base_url="https://e/v1", api_key_env="OPENAI_API_KEY"), "OPENAI"),
        (EndpointSpec(name="e", base_url="http://localhost:9/v1", api_key_env="TEAM_KEY"), "TEAM"),
        (EndpointSpec(name="openai", base_url="https://e/v1", api_key_env="TEAM_KEY"), "TEAM"),
        (EndpointSpec(name="openai", api_key_env="TEAM_KEY"), "TEAM"),
        (EndpointSpec(name="ollama", api_key_env="TEAM_KEY"), "TEAM"),
        (
            EndpointSpec(name="e", base_url="https://api.openai.com@e/v1", api_key_env="TEAM_KEY"),
            "TEAM",
        ),
        (
            EndpointSpec(
                name="e", base_url="https://api.openai.com.e/", api_key_env="OPENAI_API_KEY"
            ),
            "OPENAI",
        ),
    ],
)
def test_whatever_a_suite_writes_allows_nothing(spec: EndpointSpec, variable: str) -> None:
    """Nor does it when the user asks for the endpoint by the name that the suite gives it."""
    told = refusal(spec.name, {spec.name: spec})
    assert f"wants the key in {variable}_API_KEY sent to " in told.replace(
        "TEAM_KEY", "TEAM_API_KEY"
    )


@pytest.mark.parametrize("is_typed", [False, True])
def test_what_the_user_types_or_sets_is_allowed(*, is_typed: bool) -> None:
    """An address in their own hand, as --summ-endpoint or OPENAI_BASE_URL."""
    url = "https://keyed:8000/v1"
    environ = ENVIRON if is_typed else {**ENVIRON, "OPENAI_BASE_URL": url}
    keys = Keys.of(environ, typed=url if is_typed else None)
    assert find("keyed", DEFINED, environ, keys).endpoint.api_key == OTHER
    named = Keys.of(ENVIRON, typed="keyed")
    with pytest.raises(OptionError, match="you have not allowed that"):
        find("keyed", DEFINED, ENVIRON, named)


@pytest.mark.parametrize("host", ["keyed:8000", "192.168.0.7", "localhost.example"])
def test_no_key_goes_over_plain_http(host: str) -> None:
    """Whoever is on the way would have it, whatever the user allows."""
    url = f"http://{host}/v1"
    defined = {"keyed": EndpointSpec(name="keyed", base_url=url, api_key_env="TEAM_KEY")}
    told = refusal("keyed", defined, allowed=[f"http://{host}"])
    assert told.startswith("endpoint 'keyed': its API key would go to ")
    assert "over plain http" in told
    assert "over plain http" in refusal("openai", {}, {**ENVIRON, "OPENAI_BASE_URL": url})
    assert find_endpoint(url, {}, ENVIRON).endpoint.api_key == ""


@pytest.mark.parametrize(
    ("entry", "instead"),
    [
        ("keyed", "HOUSE_KEY=https://llm.example.org"),
        ("TEAM_KEY=keyed", "HOUSE_KEY=https://llm.example.org"),
        ("https://keyed:8000/v1", "https://keyed:8000"),
        ("TEAM_KEY=https://keyed:443", "TEAM_KEY=https://keyed"),
    ],
)
def test_what_is_no_origin_is_refused_with_what_to_write(entry: str, instead: str) -> None:
    """A path would promise a bound that there is not."""
    told = refusal("near", allowed=[entry])
    assert told == (
        "SUMM_ALLOW_ENDPOINTS (or --summ-allow-endpoints, summ_allow_endpoints) holds"
        f" {entry!r}; write an origin, as {instead}"
    )


def test_a_replay_has_no_key_to_send() -> None:
    """So nothing has to be allowed for it, as in the check of a pull request."""
    address = find("keyed", DEFINED, ENVIRON, Keys.of({}))
    assert address.endpoint.api_key == ""
    assert address.endpoint.origin == "https://keyed:8000"


def test_limits_of_a_suite_reach_the_endpoint() -> None:
    """A built-in endpoint can be limited without writing its address."""
    spec = EndpointSpec(
        name="openai",
        max_in_flight=3,
        requests_per_minute=40,
        tokens_per_minute=500,
        timeout_seconds=60.0,
        max_reply_mib=2,
    )
    endpoint = find_endpoint("openai", {"openai": spec}, ENVIRON).endpoint
    assert endpoint.base_url == OPENAI_URL
    assert endpoint.max_in_flight == 3
    assert endpoint.requests_per_minute == 40
    assert endpoint.tokens_per_minute == 500
    assert endpoint.max_reply_mib == 2
    assert (endpoint.timeout_seconds, endpoint.attempt_seconds) == (60.0, 60.0)


def test_long_call_has_attempts_of_the_usual_length() -> None:
    """An attempt is never longer than its call, and as long as the suite says, or five minutes."""
    spec = EndpointSpec(name="near", base_url="http://near/v1", timeout_seconds=3000.0)
    endpoint = find_endpoint("near", {"near": spec}, {}).endpoint
    assert (endpoint.timeout_seconds, endpoint.attempt_seconds) == (3000.0, 300.0)
    quicker = find_endpoint("near", {"near": replace(spec, attempt_seconds=7.0)}, {}).endpoint
    assert (quicker.timeout_seconds, quicker.attempt_seconds) == (3000.0, 7.0)
    usual = find_endpoint("near", DEFINED, {}).endpoint
    assert (usual.timeout_seconds, usual.attempt_seconds) == (600.0, 300.0)


def test_unknown_name_is_refused() -> None:
    """A misspelt name is put right, another one is told what there is."""
    assert refusal("olama") == "no endpoint 'olama'; did you mean 'ollama'? (or write a URL)"
    assert refusal("xyz") == (
        "no endpoint 'xyz'; known: keyed, near, ollama, openai (or write a URL)"
    )


@pytest.mark.parametrize("environ", [{}, {"OPENAI_BASE_URL": "http://me:hunter2@gate/v1?k=s3cret"}])
def test_password_in_an_address_is_no_part_of_its_name(environ: dict[str, str]) -> None:
    """An address is a part of signatures and messages; what is asked there needs all of it."""
    url = "http://me:hunter2@gate/v1?k=s3cret"
    endpoint = find_endpoint("openai" if environ else url, {}, environ).endpoint
    assert (endpoint.name, endpoint.base_url) == ("http://gate/v1", url)
    assert "hunter2" not in repr(endpoint)
    assert "s3cret" not in repr(endpoint)


def test_address_that_is_none_is_refused_without_its_password() -> None:
    """Half an address is a likely mistake, too."""
    told = refusal("http://me:hunter2@/v1")
    assert "is no address of a server" in told
    assert "hunter2" not in told


@pytest.mark.parametrize(("n_processes", "each"), [(1, 8), (3, 2), (9, 1)])
def test_processes_divide_the_limits_of_an_endpoint(n_processes: int, each: int) -> None:
    """A limit is the run's; each process has a part of it, and never none."""
    spec = EndpointSpec(
        name="near",
        base_url="http://near/v1",
        max_in_flight=8,
        requests_per_minute=8,
        tokens_per_minute=8,
        timeout_seconds=8.0,
    )
    endpoint = find_endpoint("near", {"near": spec}, {}, n_processes=n_processes).endpoint
    limits = (endpoint.max_in_flight, endpoint.requests_per_minute, endpoint.tokens_per_minute)
    assert limits == (each, each, each)
    assert endpoint.timeout_seconds == 8.0
    unlimited = find_endpoint("openai", {}, {}, n_processes=n_processes).endpoint
    assert unlimited.max_in_flight is None


def test_key_is_not_shown_with_its_address() -> None:
    """Values get into tracebacks."""
    assert KEY not in repr(find_endpoint("openai", {}, ENVIRON))


@pytest.mark.parametrize(
    ("asked", "environ", "found"),
    [
        ("near", {"OPENAI_BASE_URL": "http://gate/v1"}, "near"),
        (None, {"OPENAI_BASE_URL": "http://gate/v1"}, "openai"),
        (None, {"OPENAI_BASE_URL": "  "}, "ollama"),
        (None, {}, "ollama"),
    ],
)
def test_usual_place_is_as_asked_else_the_variable_else_built_in(
    asked: str | None, environ: dict[str, str], found: str
) -> None:
    """The nearest word counts."""
    assert default_endpoint(asked, environ, "ollama") == found
