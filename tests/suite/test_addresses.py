from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product

import pytest

from summeval_pytest.endpoints.endpoint import Address
from summeval_pytest.errors import OptionError
from summeval_pytest.suite.addresses import OPENAI_URL, Addresses, EndpointSpec

OPENAIS = "sk-marker-0a1b2c3d4e5f"
TEAMS = "other-marker-99887766"
NEAR = EndpointSpec(name="near", base_url="http://near:8000/v1")
KEYED = EndpointSpec(name="keyed", base_url="https://keyed:8000/v1", api_key_env="TEAM_KEY")
DEFINED = {"near": NEAR, "keyed": KEYED}
ENVIRON = {"OPENAI_API_KEY": OPENAIS, "TEAM_KEY": TEAMS}


def find_endpoint(
    name: str,
    defined: Mapping[str, EndpointSpec] = DEFINED,
    environ: Mapping[str, str] = ENVIRON,
    *,
    allowed: Iterable[str] = (),
    n_processes: int = 1,
) -> Address:
    """The endpoint of a name, for a user who typed it where it is an address."""
    addresses = Addresses(environ, typed=name, allowed=allowed, n_processes=n_processes)
    return addresses.address(name, defined)


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


def moved(name: str) -> dict[str, EndpointSpec]:
    """A suite that puts an endpoint elsewhere."""
    return {name: EndpointSpec(name=name, base_url="http://near:8000/v1")}


LOCAL = "http://localhost:11434/v1"
MAY = "SUMM_ALLOW_ENDPOINTS=TEAM_KEY=https://keyed:8000"
GATE = "https://gate:9/v1"


@pytest.mark.parametrize(
    ("name", "defined", "environ", "found"),
    [
        # name, base_url, key, and what is lacking
        ("openai", {}, ENVIRON, ("openai", OPENAI_URL, OPENAIS, "")),
        *[
            ("openai", {}, environ, ("openai", OPENAI_URL, "", "OPENAI_API_KEY"))
            for environ in ({}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": " \n"})
        ],
        # the variable is the openai package's own; replies of another server have other keys
        ("openai", {}, {**ENVIRON, "OPENAI_BASE_URL": f" {GATE} "}, (GATE, GATE, OPENAIS, "")),
        # the usual address written out finds the replies that were remembered without it
        (
            "openai",
            {},
            {"OPENAI_BASE_URL": f"{OPENAI_URL}/"},
            ("openai", f"{OPENAI_URL}/", "", "OPENAI_API_KEY"),
        ),
        # it wants none, and OpenAI's is none of its business
        ("ollama", {}, ENVIRON, ("ollama", LOCAL, "", "")),
        # the user pointed there with their own hands
        (GATE, DEFINED, ENVIRON, (GATE, GATE, OPENAIS, "")),
        # a suite's own variable that is not set is lacking, and has to be allowed
        ("keyed", DEFINED, {}, ("keyed", "https://keyed:8000/v1", "", f"TEAM_KEY and {MAY}")),
        # a suite is somebody else's file: it may not send the user's key where it likes
        *[
            (name, moved(name), ENVIRON, (name, "http://near:8000/v1", "", ""))
            for name in ("near", "openai", "ollama")
        ],
    ],
)
def test_an_endpoint_is_found_with_its_key(
    name: str,
    defined: Mapping[str, EndpointSpec],
    environ: Mapping[str, str],
    found: tuple[str, str, str, str],
) -> None:
    """A key that is lacking raises nothing yet: a replay needs none."""
    address = find_endpoint(name, defined, environ)
    got = address.endpoint
    assert (got.name, got.base_url, got.api_key, address.missing) == found
    assert OPENAIS not in repr(address)  # values get into tracebacks


def test_allowed_is_who_gets_the_key_and_not_which_path() -> None:
    """An origin is a server: scheme, host and port."""
    for path, allowed in product(
        (
            "https://keyed.example/v1",
            "https://me:p@keyed.example:443/o",
            "HTTPS://Keyed.Example/v1?x",
        ),
        ("https://keyed.example", "TEAM_KEY=https://KEYED.example/"),
    ):
        specs = {"keyed": replace(KEYED, base_url=path)}
        address = find_endpoint("keyed", specs, allowed=[allowed])
        assert (address.endpoint.api_key, address.missing) == (TEAMS, "")


def test_a_suite_sends_no_key_where_the_user_has_not_allowed_it() -> None:
    """A pull request that edits the suite would have any secret of the machine."""
    others = """
    OTHER_KEY=https://keyed:8000 TEAM_KEY=https://keyed TEAM_KEY=https://keyed:8001
    TEAM_KEY=http://keyed:8000 TEAM_KEY=https://keyed.example:8000 TEAM_KEY=https://not-keyed:8000
    """
    for allowed in ([], *([place] for place in others.split())):
        assert refusal("keyed", allowed=allowed) == (
            "endpoint 'keyed' of the suite wants the key in TEAM_KEY sent to https://keyed:8000,"
            " and you have not allowed that; if you trust it, set"
            " SUMM_ALLOW_ENDPOINTS=TEAM_KEY=https://keyed:8000 (or --summ-allow-endpoints, or the"
            " ini key summ_allow_endpoints)"
        )


def test_whatever_a_suite_writes_allows_nothing() -> None:
    """Nor does it when the user asks for the endpoint by the name that the suite gives it."""
    for name, url, variable in (
        ("e", "https://e/v1", "OPENAI_API_KEY"),
        ("e", "http://localhost:9/v1", "TEAM_KEY"),
        ("openai", "https://e/v1", "TEAM_KEY"),
        ("openai", None, "TEAM_KEY"),
        ("ollama", None, "TEAM_KEY"),
        ("e", "https://api.openai.com@e/v1", "TEAM_KEY"),
        ("e", "https://api.openai.com.e/", "OPENAI_API_KEY"),
    ):
        spec = EndpointSpec(name=name, base_url=url, api_key_env=variable)
        assert f"wants the key in {variable} sent to " in refusal(name, {name: spec})


def test_what_the_user_types_or_sets_is_allowed() -> None:
    """An address in their own hand, as --summ-endpoint or OPENAI_BASE_URL; a name allows none."""
    # A replay has no key to send, so nothing has to be allowed, as in the check of a pull request.
    url = "https://keyed:8000/v1"
    for typed, environ in ((url, ENVIRON), (None, {**ENVIRON, "OPENAI_BASE_URL": url})):
        addresses = Addresses(environ, typed=typed)
        assert addresses.address("keyed", DEFINED).endpoint.api_key == TEAMS
    with pytest.raises(OptionError, match="you have not allowed that"):
        Addresses(ENVIRON, typed="keyed").address("keyed", DEFINED)
    address = Addresses(ENVIRON, sends_keys=False).address("keyed", DEFINED)
    assert (address.endpoint.api_key, address.endpoint.origin) == ("", "https://keyed:8000")


def test_no_key_goes_over_plain_http() -> None:
    """Whoever is on the way would have it, whatever the user allows."""
    for host in ("keyed:8000", "192.168.0.7", "localhost.example"):
        url, allowed = f"http://{host}/v1", [f"http://{host}"]
        message = refusal("keyed", {"keyed": replace(KEYED, base_url=url)}, allowed=allowed)
        assert message.startswith("endpoint 'keyed': its API key would go to ")
        assert "over plain http" in message
        assert "over plain http" in refusal("openai", {}, {**ENVIRON, "OPENAI_BASE_URL": url})
        assert find_endpoint(url, {}).endpoint.api_key == ""
    assert find_endpoint(LOCAL, {}).endpoint.api_key == OPENAIS  # nobody is on the way


def test_what_is_no_origin_is_refused_with_what_to_write() -> None:
    """A path would promise a bound that there is not."""
    for entry, instead in (
        ("keyed", "HOUSE_KEY=https://llm.example.org"),
        ("TEAM_KEY=keyed", "HOUSE_KEY=https://llm.example.org"),
        ("https://keyed:8000/v1", "https://keyed:8000"),
        ("TEAM_KEY=https://keyed:443", "TEAM_KEY=https://keyed"),
    ):
        assert refusal("near", allowed=[entry]) == (
            "SUMM_ALLOW_ENDPOINTS (or --summ-allow-endpoints, summ_allow_endpoints) holds"
            f" {entry!r}; write an origin, as {instead}"
        )


LIMITED = EndpointSpec(
    name="openai",
    max_in_flight=8,
    requests_per_minute=8,
    tokens_per_minute=8,
    timeout_seconds=60.0,
)


def test_processes_divide_the_limits_that_a_suite_sets() -> None:
    """A limit is the run's, each process has a part of it, and never none; times are whole."""
    # A store that gives out the turns of all machines holds them to the pace; it is not divided.
    defined = {"openai": LIMITED}
    for n_processes, each in ((1, 8), (3, 2), (9, 1)):
        got = find_endpoint("openai", defined, n_processes=n_processes).endpoint
        assert got.base_url == OPENAI_URL
        assert (got.max_in_flight, got.requests_per_minute, got.tokens_per_minute) == (each,) * 3
        assert (got.timeout_seconds, got.first_seconds) == (60.0, 60.0)
        assert find_endpoint("openai", {}, n_processes=n_processes).endpoint.max_in_flight is None
    shared = Addresses(ENVIRON, n_processes=3, is_pace_shared=True).address("openai", defined)
    limits = shared.endpoint
    assert (limits.max_in_flight, limits.requests_per_minute, limits.tokens_per_minute) == (2, 8, 8)


def test_an_attempt_is_as_long_as_the_suite_says_or_five_minutes() -> None:
    """And never longer than its call; on this machine it is as long."""
    local = replace(NEAR, base_url="http://[::1]:11434/v1", api_key_env=None)
    for spec, seconds in (
        (local, (600.0, 600.0)),
        (replace(local, attempt_seconds=7.0), (600.0, 7.0)),
        (NEAR, (600.0, 300.0)),
        (replace(NEAR, timeout_seconds=3000.0), (3000.0, 300.0)),
        (replace(NEAR, timeout_seconds=3000.0, attempt_seconds=7.0), (3000.0, 7.0)),
    ):
        got = find_endpoint("near", {"near": spec}, {}).endpoint
        assert (got.timeout_seconds, got.first_seconds) == seconds


@pytest.mark.parametrize("environ", [{}, {"OPENAI_BASE_URL": "http://me:hunter2@gate/v1?k=s3cret"}])
def test_password_in_an_address_is_no_part_of_its_name(environ: dict[str, str]) -> None:
    """An address is a part of signatures and messages; what is asked there needs all of it."""
    url = "http://me:hunter2@gate/v1?k=s3cret"
    got = find_endpoint("openai" if environ else url, {}, environ).endpoint
    assert (got.name, got.base_url) == ("http://gate/v1", url)
    assert "hunter2" not in repr(got) + refusal("http://me:hunter2@/v1")
    assert "s3cret" not in repr(got)


def test_usual_place_is_as_asked_else_the_variable_else_built_in() -> None:
    """The nearest word counts; a misspelt one is put right, another one is told what there is."""
    set_, blank = {"OPENAI_BASE_URL": "http://gate/v1"}, {"OPENAI_BASE_URL": "  "}
    for asked, environ, found in (
        ("near", set_, "near"), (None, set_, "openai"),
        (None, blank, "ollama"), (None, {}, "ollama"),
    ):  # fmt: skip
        assert Addresses(environ, typed=asked).usual("ollama") == found
    assert refusal("olama") == "no endpoint 'olama'; did you mean 'ollama'? (or write a URL)"
    assert refusal("xyz") == (
        "no endpoint 'xyz'; known: keyed, near, ollama, openai (or write a URL)"
    )
