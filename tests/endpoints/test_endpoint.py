from __future__ import annotations

import base64
import json
import traceback
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.endpoint import (
    Endpoint,
    is_other_model,
)
from summeval_pytest.errors import OptionError
from tests.endpoints.calls import KEY, at, fault
from tests.scripted_server import Action, Answer, Html, Raw, ScriptedServer, Seen, Status


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
