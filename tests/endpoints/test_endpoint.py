from __future__ import annotations

import base64
import json
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.endpoint import (
    OPENAI_URL,
    Address,
    Addresses,
    Endpoint,
    EndpointSpec,
    Price,
    is_other_model,
)
from summeval_pytest.errors import OptionError
from tests.endpoints.calls import KEY, at, fault
from tests.scripted_server import Action, Answer, Html, Raw, ScriptedServer, Seen, Status

SECRETS = "https://tess:hunter2secret@x.example/v1"


def endpoint(api_key: str = KEY, base_url: str = "http://localhost:11434/v1") -> Endpoint:
    """An endpoint with a key."""
    return Endpoint(name="test", base_url=base_url, api_key=api_key)


def test_an_address_is_shown_without_user_and_query_and_loopback_is_this_machine() -> None:
    """It stands in reports and in keys of the store; a proxy is asked for all but loopback."""
    for url, shown in (
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("https://tess:pw@gateway.example/v1?sig=1#part", "https://gateway.example/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://tess@127.0.0.1", "http://127.0.0.1"),
    ):
        assert endpoint("", url).shown == shown
    own = ("localhost", "LOCALHOST", "models.localhost", "127.0.0.1", "127.3.2.1", "[::1]")
    others = ("10.0.0.1", "localhost.example", "127.0.0.1.example")
    assert all(endpoint("", f"http://{host}:8000/v1").is_loopback for host in own)
    assert not any(endpoint("", f"http://{host}:8000/v1").is_loopback for host in others)


BROKEN = """
localhost:11434/v1 ftp://localhost/v1 http:///v1 http://localhost:eleven/v1 http://localhost:0/v1
http://[::1/v1 http://lokalhöst/v1
""".split()
NO_ADDRESS = "is no address of a server; write it like 'http://localhost:11434/v1'"
NO_KEY = (
    "endpoint 'ollama': its API key has a blank, a line break or a letter that no key has;"
    " look where it comes from"
)
NO_NAME = (
    "an endpoint at https://x.example/v1 needs a name without its key or password in it;"
    " call it by its address"
)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        *[
            ({"base_url": url}, f"endpoint 'ollama': base_url {shown!r} {NO_ADDRESS}")
            for url, shown in (
                *((each, each) for each in ("", "http://local host/v1", *BROKEN)),
                ("http://localhost/v1\nx-evil: 1", "http://localhost/v1 x-evil: 1"),
                ("http://a@b@localhost/v1", "localhost/v1"),
                ("htp://tess:hunter2@gateway.example/v1?sig=q0w9e8", "gateway.example/v1"),
            )
        ],
        *[
            ({"api_key": key}, NO_KEY)
            for key in ("sk-abc\n", " sk-abc", "sk abc", "ключ", "sk-\x00abc")
        ],
        *[
            ({"name": name, "base_url": SECRETS, "api_key": KEY}, NO_NAME)
            for name in ("", f"my {KEY}", "tess:hunter2secret@x")
        ],
    ],
)
def test_an_endpoint_that_is_none_is_said_so(values: dict[str, str], message: str) -> None:
    """It would fail every test of a run, one by one; no key or password is in what is said."""
    sound: dict[str, object] = {"name": "ollama", "base_url": "http://localhost:11434/v1"}
    with pytest.raises(OptionError) as caught:
        Endpoint(**(sound | values))  # type: ignore[arg-type]  # wrong on purpose
    assert str(caught.value) == message


SLASHED = "kf7/a+9=zz~Q_secret"


@pytest.mark.parametrize(
    "echo",
    [
        lambda sent: Status(401, message=f"Incorrect API key provided: {sent}"),
        lambda sent: Status(400, code=sent, type=sent, param=sent),
        lambda sent: Status(429, code="insufficient_quota", message=sent * 30),
        lambda sent: Raw(json.dumps({"detail": [{"input": sent}]}).encode(), status=422),
        lambda sent: Raw(sent.encode(), status=404),
        lambda sent: Html(403, f"<html><pre>authorization: {sent}</pre></html>"),
        lambda sent: Html(200, f"{sent} <html>"),
        lambda sent: Raw(json.dumps({"error": {"message": sent}}).encode()),
        lambda sent: Answer("yes", finish=sent and "tool_calls", model=sent),
    ],
)
def test_a_key_that_a_server_echoes_is_in_no_fault(echo: Callable[[str], Action]) -> None:
    """Servers put the header that they did not like into what they say about it."""
    with ScriptedServer(lambda seen: echo(seen.headers["authorization"])) as server:
        error = fault(at(server.url))
    message = "".join(traceback.format_exception(error)) + repr(error)
    assert KEY[-8:] not in message


SPELLED = "".join(f"\\u{ord(letter):04x}" for letter in SLASHED)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f'{{"error": {{"message": "{"x" * 185}{SLASHED}"}}}}', "xx[key])"),
        (f'{{"error": {{"message": "no {SPELLED}"}}}}', ": status 400 (no [key])"),
    ],
    ids=["cut", "spelled"],
)
def test_a_key_is_hidden_before_a_message_is_cut_and_once_read(body: str, message: str) -> None:
    """Half a key, left at the end, is no longer found by anyone; JSON may spell it otherwise."""
    with ScriptedServer(lambda _: Raw(body.encode(), status=400)) as server:
        error = fault(at(server.url, api_key=SLASHED))
    assert str(error).endswith(message)
    assert SLASHED[:4] not in str(error)


def test_a_password_and_a_query_are_shown_nowhere() -> None:
    """Some addresses are secrets themselves."""

    def echo(seen: Seen) -> Action:
        sent = base64.b64decode(seen.headers["authorization"].removeprefix("Basic ")).decode()
        return Status(401, message=f"{sent} {seen.path} {seen.headers['authorization']}")

    with ScriptedServer(echo) as server:
        url = server.url.replace("//", "//tess:hunter2secret@") + "?sig=q0w9e8r7"
        error = fault(at(url, api_key=""))
        message = "status 401 (tess:[key] /v1/chat/completions?sig=[key]"
        assert f"at {server.url}: model 'llama3': {message}" in str(error)
    for secret in ("hunter2secret", "q0w9e8r7", KEY):
        assert secret not in repr(at(url)) + str(error)


def test_keys_are_hidden_and_what_papers_say_stays() -> None:
    """It may be another endpoint's key; a placeholder is a word that replies hold as well."""
    for key, text, message in (
        *[
            ("", f"({text})", "([key])")
            for text in (
                "sk-abc12345",
                "sk-proj-Ab_c-dEf1234567890xyz",
                "sk-abcdefghijklmnopqrstuvw",
                "sk-abcd1***************wxyz",
                "Bearer abc123",
                "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-na_ture==",
                "Basic dXNlcjpwYXNzd29yZDE=",
            )
        ],
        *[
            (KEY, text, text)
            for text in (
                "The bearer of the gene, a Bearer token, Basic understanding.",
                "task-force2 and sk-learn and risk-taking12345 in mask-1234567890",
                "Zinc was given to 21 mice (p < 0.05).",
            )
        ],
        *[
            (key, "ollama is EMPTY, not-needed; abc", "ollama is EMPTY, not-needed; abc")
            for key in ("", "ollama", "EMPTY", "not-needed", "abc")
        ],
    ):
        assert endpoint(key).redacted(text) == message


@settings(deadline=None, max_examples=60)
@given(
    key=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=40),
    before=st.text(max_size=10),
    after=st.text(max_size=10),
)
@example(key='ab"\\/c', before="", after="")
@example(key="[key][key", before="", after="]")
def test_no_key_survives(key: str, before: str, after: str) -> None:
    """Whatever its letters, and whatever stands around it."""
    secret = f"7Z{key}"
    owner = endpoint(secret)
    assert secret not in owner.redacted(f"{before}{secret}{after}")
    assert json.dumps(secret)[1:-1] not in owner.redacted(json.dumps(before + secret + after))


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
    max_reply_mib=2,
)


def test_processes_divide_the_limits_that_a_suite_sets() -> None:
    """A limit is the run's, each process has a part of it, and never none; times are whole."""
    # A store that gives out the turns of all machines holds them to the pace; it is not divided.
    defined = {"openai": LIMITED}
    for n_processes, each in ((1, 8), (3, 2), (9, 1)):
        got = find_endpoint("openai", defined, n_processes=n_processes).endpoint
        assert got.base_url == OPENAI_URL
        assert (got.max_in_flight, got.requests_per_minute, got.tokens_per_minute) == (each,) * 3
        assert (got.timeout_seconds, got.first_seconds, got.max_reply_mib) == (60.0, 60.0, 2)
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


EXACT = """
gpt-4o-2024-08-06 gpt-4-0613 gpt-3.5-turbo-1106 claude-3-5-sonnet-20241022
claude-3-5-sonnet@20240620 mistral-large-2407 ft:gpt-4o-2024-08-06:org::9abc
llama3:8b-instruct-q4_0 llama3@sha256:365c0bd3c000
""".split()
# 8192 is a context and no day, as there is no 81st month
LOOSE = """
gpt-4o llama3 llama3:latest meta-llama/llama-3-8b-instruct:free qwen2.5-72b-instruct
llama3-8b-8192 mixtral-8x7b-32768 rule-1
""".split()


@pytest.mark.parametrize("name", [*EXACT, *LOOSE])
def test_a_date_a_digest_or_a_numbered_tag_makes_a_name_exact(name: str) -> None:
    """Another model in its place is a swap; an alias may come back as what it stands for."""
    # As itself it is no other, whatever its case, its folder or provider, and its file's ending.
    assert is_other_model(name, "gpt-4o-2024-11-20") is (name in EXACT)
    for pinned in (None, True, False):
        for returned in (name, name.upper(), f"openai/{name}", f"/models/{name}.gguf", ""):
            assert not is_other_model(name, returned, pinned=pinned)
        assert not is_other_model(f"openai/{name}", name, pinned=pinned)


def test_another_model_of_the_family_is_told_from_an_alias_and_another_spelling() -> None:
    """A gateway may swap models, and who asked for the one pays or trusts the other."""
    for asked, returned in (
        ("gpt-6-luna", "gpt-6-terra"), ("gpt-6-luna", "openai/gpt-6-terra-2026-09-01"),
        ("jev-1.13", "jev-1.14"), ("gpt-4o", "gpt-4.1"), ("llama3", "llama4"), ("o3", "o4"),
        ("meta-llama/llama-3-70b-instruct", "Llama-3-8B-Instruct"),
        ("gpt-4o", "gpt-4o-mini-2024-07-18"), ("o3-pro", "o3"), ("gemini-3-flash", "gemini-3-pro"),
    ):  # fmt: skip
        assert is_other_model(asked, returned)
        assert not is_other_model(asked, returned, pinned=False)
    for asked, returned in (
        ("gpt-4o", "gpt-4o-2024-08-06"), ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022"),
        ("gpt-4-turbo-preview", "gpt-4-0125-preview"), ("gemini-2.0-flash", "gemini-2.0-flash-001"),
        ("gpt-6", "gpt-6-luna"), ("gpt-35-turbo", "gpt-3.5-turbo"), ("jev-1", "jev-1.14"),
        ("anthropic/claude-3.5-sonnet", "claude-3-5-sonnet"), ("gpt-4o", "openai/gpt-4o"),
        ("llama3", "llama3:latest"), ("llama3", "llama-3"), ("llama3", "/models/llama-4.gguf"),
        ("gpt-prod", "gpt-4o-mini-2024-07-18"), ("gemini", "gemini-2.5-flash"),
        ("deepseek-chat", "deepseek-v4-flash"), ("gpt-5-medium", "gpt-5-2025-08-07"),
        ("llama-3-8b", "Llama-4-8B-Q4_K_M.gguf"), ("judge-prod", "gpt-4o"), ("gpt-4o", "qwen2.5"),
    ):  # fmt: skip
        assert not is_other_model(asked, returned), (asked, returned)


def test_the_suite_decides_where_it_says_so() -> None:
    """A deployment's own name may be held to, and a dated one let go."""
    # llama.cpp names the file it has loaded; only a suite that pins the name itself objects.
    assert is_other_model("judge-prod", "gpt-4o", pinned=True)
    assert not is_other_model("gpt-4o-2024-08-06", "gpt-4o", pinned=False)
    assert is_other_model("gpt-4o-2024-08-06", "gpt-4o")
    files = r"/models/q4.gguf C:\models\q4.gguf ./q4 ~/q4 q4.gguf w.safetensors"
    for file in files.split():
        assert not is_other_model("llama3:8b", file)
        assert is_other_model("llama3:8b", file, pinned=True)


LISTED = Price(2.5, 10.0, 1.25)
CHEAP = Price(0.1, 0.2)


def test_a_price_is_written_none_or_listed() -> None:
    """The list is of models at their own providers; another server may ask for anything."""
    for base_url, model, price in (
        ("https://api.openai.com/v1", "gpt-4o-2024-08-06", LISTED),
        ("https://api.openai.com/v1", "gpt-nobody-has", None),
        ("https://api.openai.com/v1", "", None),
        ("https://API.OpenAI.com/v1", "gpt-4o-2024-08-06", LISTED),
        ("https://llm.example.org/v1", "gpt-4o-2024-08-06", None),
        # others' hosts that look like a provider's, and a model that is billed by the minute
        ("https://api.openai.com.example.org/v1", "gpt-4o-2024-08-06", None),
        ("https://api.openai.com@example.org/v1", "gpt-4o-2024-08-06", None),
        ("https://api.openai.com:8443/v1", "gpt-4o-2024-08-06", None),
        ("https://example.org/x.googleapis.com/v1", "gemini-2.0-flash", None),
        ("https://example.org/v1?x.googleapis.com", "gemini-2.0-flash", None),
        ("https://example/x.openai.azure.com/v1", "gpt-4o", None),
        ("https://api.openai.com/v1", "gpt-live-1", None),
        ("http://localhost:8000/v1", "gpt-4o-2024-08-06", Price(0.0, 0.0)),
    ):
        address = Address(Endpoint(name="a", base_url=base_url))
        assert address.price(None, model) == price
        assert address.price(CHEAP, model) is CHEAP
        if price == LISTED:
            listed = address.price(None, model)
            assert listed is not None
            assert listed.source.startswith(f"{model} at api.openai.com (genai-prices ")
