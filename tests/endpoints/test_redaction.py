"""A key goes out in one header, and comes back nowhere."""

from __future__ import annotations

import base64
import json
import logging
import traceback
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.endpoint import Endpoint
from tests.endpoints.calls import KEY, at, fault, reply
from tests.scripted_server import Answer, Html, Raw, ScriptedServer, Seen, Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scripted_server import Action

SLASHED = "kf7/a+9=zz~Q_secret"


def endpoint(api_key: str = KEY, base_url: str = "http://localhost:11434/v1") -> Endpoint:
    """An endpoint with a key."""
    return Endpoint(name="test", base_url=base_url, api_key=api_key)


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
    told = "".join(traceback.format_exception(error)) + repr(error)
    assert KEY not in told
    assert KEY[-8:] not in told


def test_a_key_that_a_server_echoes_is_in_no_reply() -> None:
    """Replies are stored, committed and shown."""

    def echo(seen: Seen) -> Action:
        sent = seen.headers["authorization"]
        return Answer(f"You sent {sent}, didn't you?", model=sent)

    with ScriptedServer(echo) as server:
        got = reply(at(server.url))
    assert got.text == "You sent [key], didn't you?"
    assert got.model == "[key]"


def test_a_key_is_hidden_before_a_long_message_is_cut() -> None:
    """Half a key, left at the end, is no longer found by anyone."""
    with ScriptedServer(lambda _: Status(400, message="x" * 185 + SLASHED)) as server:
        error = fault(at(server.url, api_key=SLASHED))
    assert "xx[key])" in str(error)
    assert SLASHED[:4] not in str(error)


def test_a_key_that_json_spells_otherwise_is_found_in_a_fault() -> None:
    """It is read from JSON before it is told."""
    spelled = "".join(f"\\u{ord(letter):04x}" for letter in SLASHED)
    body = f'{{"error": {{"message": "no {spelled}"}}}}'.encode()
    with ScriptedServer(lambda _: Raw(body, status=400)) as server:
        error = fault(at(server.url, api_key=SLASHED))
    assert str(error).endswith(": status 400 (no [key])")


def test_a_password_and_a_query_are_shown_nowhere() -> None:
    """Some addresses are secrets themselves."""

    def echo(seen: Seen) -> Action:
        sent = base64.b64decode(seen.headers["authorization"].removeprefix("Basic ")).decode()
        return Status(401, message=f"{sent} {seen.path} {seen.headers['authorization']}")

    with ScriptedServer(echo) as server:
        url = server.url.replace("//", "//tess:hunter2secret@") + "?sig=q0w9e8r7"
        error = fault(at(url, api_key=""))
        told = "status 401 (tess:[key] /v1/chat/completions?sig=[key]"
        assert f"at {server.url}: model 'llama3': {told}" in str(error)
    assert "hunter2secret" not in repr(at(url)) + str(error)
    assert "q0w9e8r7" not in repr(at(url)) + str(error)
    assert KEY not in repr(at(url))


@pytest.mark.parametrize(
    "text",
    [
        "sk-abc12345",
        "sk-proj-Ab_c-dEf1234567890xyz",
        "sk-abcdefghijklmnopqrstuvw",
        "sk-abcd1***************wxyz",
        "Bearer abc123",
        "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig-na_ture==",
        "Basic dXNlcjpwYXNzd29yZDE=",
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str) -> None:
    """It may be the key of another endpoint, or the proxy's."""
    assert endpoint("").redacted(f"({text})") == "([key])"


@pytest.mark.parametrize(
    "text",
    [
        "The bearer of the gene, a Bearer token, Basic understanding.",
        "task-force2 and sk-learn and risk-taking12345 in mask-1234567890",
        "Zinc was given to 21 mice (p < 0.05).",
    ],
)
def test_what_papers_say_stays(text: str) -> None:
    """A reply with holes in it is another reply."""
    assert endpoint().redacted(text) == text


@pytest.mark.parametrize("key", ["", "ollama", "EMPTY", "not-needed", "abc"])
def test_a_placeholder_is_no_secret(key: str) -> None:
    """Servers that want no key are given a word, and replies hold the same words."""
    text = "ollama is EMPTY, not-needed; abc"
    assert endpoint(key).redacted(text) == text


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


@pytest.mark.parametrize("before", ["", "u:", "Bearer ", "abc"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("key", [KEY, SLASHED, "kf7>?~>?~>?~ÿ"[:12]])
def test_a_key_in_base64_is_found(before: str, encode: Callable[[bytes], bytes], key: str) -> None:
    """Basic authorization is written so, and proxies show it."""
    sent = encode(f"{before}{key}:and more".encode()).decode()
    told = endpoint(key).redacted(f"authorization: {sent}.")
    assert "[key]" in told
    start = -(-len(before) * 8 // 6)
    assert sent[start : start + 6] not in told
    assert base64.b64encode(key.encode()).decode()[:6] not in told


@pytest.mark.parametrize("width", [7, 12, 20])
@pytest.mark.parametrize("break_", ["\n", "\n      ", "  \n\t", "\r\n", "\nE         "])
def test_a_key_that_was_wrapped_is_found(width: int, break_: str) -> None:
    """Reports are 80 characters wide, and a key has hyphens to break at."""
    wrapped = break_.join(KEY[start : start + width] for start in range(0, len(KEY), width))
    assert endpoint().redacted(f"(sent {wrapped})") == "(sent [key])"


@pytest.mark.parametrize("status", [200, 401])
def test_what_the_packages_log_holds_no_key(caplog: pytest.LogCaptureFixture, status: int) -> None:
    """At DEBUG they tell every header, and servers echo those that they got."""

    def echo(seen: Seen) -> Action:
        sent = seen.headers["authorization"]
        headers = {"x-sent": sent, "x-coded": base64.b64encode(sent.encode()).decode()}
        body = json.dumps({"choices": [{"message": {"content": "yes"}}]}).encode()
        return Raw(body, status=status, headers={**headers, "content-type": "application/json"})

    caplog.set_level("DEBUG")
    with ScriptedServer(echo) as server:
        if status == 200:
            reply(at(f"{server.url}?sig=q0w9e8r7", timeout_seconds=60, attempt_seconds=60))
        else:
            fault(at(f"{server.url}?sig=q0w9e8r7", timeout_seconds=60, attempt_seconds=60))

    assert {name.split(".")[0] for name, _, _ in caplog.record_tuples} >= {
        "openai",
        "httpx2",
        "httpcore2",
    }
    assert "x-coded" in caplog.text
    assert "[key]" in caplog.text
    for secret in (KEY, "q0w9e8r7", base64.b64encode(KEY[2:].encode()).decode()[:20]):
        assert secret not in caplog.text
    filters = [logging.getLogger(name).filters for name in logging.root.manager.loggerDict]
    assert not [one for each in filters for one in each if "Redacting" in repr(one)]
