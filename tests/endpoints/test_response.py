from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatReply, Usage
from summeval_pytest.endpoints.response import Trouble, read_body, read_trouble, wait_seconds
from summeval_pytest.endpoints.wire import Response
from summeval_pytest.errors import NoReplyError


def completion(**changes: object) -> str:
    """The body of a chat completion, with some of its keys changed."""
    message = {"role": "assistant", "content": "yes"}
    values: dict[str, object] = {
        "id": "chatcmpl-1",
        "model": "llama3-8b",
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97},
    }
    return json.dumps(values | changes)


def saying(message: object, finish: object = "stop") -> str:
    """A completion with one message."""
    return completion(choices=[{"message": message, "finish_reason": finish}])


def mistake(text: str) -> tuple[str, str]:
    """The fault of a body that holds no reply, and how it is told."""
    with pytest.raises(NoReplyError) as caught:
        read_body(text)
    return caught.value.fault, str(caught.value)


def test_a_completion_is_a_reply() -> None:
    """What every good response becomes."""
    assert read_body(completion()) == ChatReply(
        text="yes", model="llama3-8b", fingerprint="fp_1", usage=Usage(90, 7)
    )
    assert read_body(completion(choices=[YES, YES])).text == "yes"  # two say the same


PARTS = [{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]
REFUSED = {"content": "half", "refusal": "I won't."}


@pytest.mark.parametrize(
    ("message", "finish", "text", "read"),
    [
        *[({"content": "yes"}, each, "yes", each) for each in ("stop", "length", "content_filter")],
        *[({"content": "yes"}, own, "yes", "stop") for own in (None, "eos", "end_turn", "STOP")],
        *[({"content": "ye"}, own, "ye", "length") for own in ("model_length", "MAX_TOKENS")],
        *[({"content": ""}, own, "", "content_filter") for own in ("content-filter", "SAFETY")],
        *[(REFUSED, other, "I won't.", "refusal") for other in ("stop", "length", None)],
        *[({"content": none}, "stop", "", "stop") for none in (None, "", list[object]())],
        ({"content": PARTS}, "stop", "yes", "stop"),
    ],
)
def test_a_reply_has_a_text_and_says_why_it_ended(
    message: object, finish: object, text: str, read: str
) -> None:
    """Servers have words of their own for a good end; a refusal counts above all."""
    got = read_body(saying(message, finish))
    assert (got.text, got.finish) == (text, read)


NO_OBJECTS = "no list of objects"
YES: dict[str, object] = {"message": {"content": "yes"}, "finish_reason": "stop"}
NO = {**YES, "message": {"content": "no"}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "its body is a JSON list, no object"),
        ('"yes"', "its body is a JSON text, no object"),
        ("null", "its body is a JSON null, no object"),
        ("{}", f"its 'choices' are null, {NO_OBJECTS}"),
        ('{"choices": []}', f"its 'choices' are empty, {NO_OBJECTS}"),
        ('{"choices": "oops"}', f"its 'choices' are text, {NO_OBJECTS}"),
        ('{"choices": ["oops"]}', f"its 'choices' are list, {NO_OBJECTS}"),
        (
            '{"error": {"message": "busy"}, "choices": []}',
            f"its 'choices' are empty, {NO_OBJECTS}; it says 'busy'",
        ),
        ('{"choices": [{}]}', "its 'message' is null"),
        ('{"choices": [{"message": "yes"}]}', "its 'message' is text"),
        *[
            (saying({"content": content}), f"its 'content' is {kind} and holds no text")
            for content, kind in (
                (7, "number"),
                (True, "boolean"),
                (PARTS[0], "object"),
                (["yes"], "list"),
                ([{"type": "image_url", "image_url": {}}], "list"),
                ([*PARTS, {"type": "text"}], "list"),
            )
        ],
        *[
            (saying({"content": "ye"}, end), f"it ended with {end!r} and so without a text")
            for end in ("tool_calls", "function_call", "error")
        ],
        *[
            (
                saying({"content": "ye"}, end),
                f"it ended with {str(end)!r}: nobody knows if its text is whole",
            )
            for end in ("abort", "incomplete", 7)
        ],
        *[
            (
                completion(choices=[YES, other]),
                "one reply was asked for, and its 'choices' are 2 that differ",
            )
            for other in (NO, {**YES, "finish_reason": "length"})
        ],
        (
            "[" + "[]," * 50_000 + "[]]",  # takes twenty times the memory of its text
            "a body with more than 100,000 values is no chat completion",
        ),
    ],
    ids=lambda value: value[:60],
)
def test_a_body_of_another_shape_is_malformed(text: str, message: str) -> None:
    """The client library hands all of these on; guessing would make an answer nobody gave."""
    assert mistake(text) == ("malformed", message)


@pytest.mark.parametrize(
    "text",
    [
        completion().replace('"id"', '"model"'),
        completion(created=float("nan")),
        '{"choices":' * 100_000,
    ],
    ids=["key twice", "nan", "deep"],
)
def test_json_that_readers_disagree_about_is_malformed(text: str) -> None:
    """Two readers would see two replies, or one would end the run."""
    message = "its body has a key twice, a number that is none, or no end"
    assert mistake(text) == ("malformed", message)


def test_what_is_no_json_is_reported_with_its_beginning() -> None:
    """HTML is recognised at a glance; at 7, the text of a cut body ends."""
    assert mistake("<html>\n<h1>502\x1b[31m</h1>") == (
        "not_json",
        "its body is no JSON text from character 0 on; it begins '<html> <h1>502\\\\x1b[31m</h1>'",
    )
    assert mistake('{"a": [')[1].startswith("its body is no JSON text from character 7 on")
    assert mistake("")[0] == "not_json"
    assert len(mistake("<" * 100_000)[1]) < 200


COUNTED = {"prompt_tokens": 9, "completion_tokens": 2}


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 0}, (9, 0, 0, 0)),
        *[
            ({**COUNTED, "prompt_tokens_details": details}, (9, 2, n_cached, 0))
            for details, n_cached in (
                ({"cached_tokens": 8}, 8),
                ({"cached_tokens": 10}, 9),
                ({"cached_tokens": "many"}, 0),
                (None, 0),
            )
        ],
        *[
            ({**COUNTED, "completion_tokens_details": details}, (9, 2, 0, n_thought))
            for details, n_thought in (
                ({"reasoning_tokens": 2, "audio_tokens": 0}, 2),
                ({"reasoning_tokens": 3}, 2),
                ({"reasoning_tokens": None}, 0),
                ([7], 0),
            )
        ],
        (None, None),
        *[({**COUNTED, "prompt_tokens": wrong}, None) for wrong in ("9", True, -9, 10**30)],
    ],
)
def test_counts_are_read_where_they_are_counts(
    usage: object, read: tuple[int, int, int, int] | None
) -> None:
    """Many servers count nothing, or wrongly; unknown is not 0."""
    assert read_body(completion(usage=usage)).usage == read


@pytest.mark.parametrize("word", [None, 7.5, [], {}])
def test_a_model_or_fingerprint_that_is_no_word_is_empty(word: object) -> None:
    """Neither is needed for a reply."""
    got = read_body(completion(model=word, system_fingerprint=word))
    assert (got.model, got.fingerprint) == ("", "")


NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def trouble(status: int, text: str = "{}", headers: dict[str, str] | None = None) -> Trouble:
    """What is made of a response with an error status."""
    return read_trouble(Response(status, headers or {}, text), NOW)


def test_an_error_in_openais_form_is_read_whole() -> None:
    """The code decides whether it is worth another attempt, the rest is told."""
    said = {"message": "Too\nlarge: max_tokens", "type": "t", "param": "p", "code": "c"}
    got = trouble(400, json.dumps({"error": said}))
    assert (got.what, got.param) == ("status 400 (c: Too large: max_tokens)", "p")
    assert {"error", "max_tokens", "large"} <= got.words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ""),
        ("<h1>Bad\n\n Gateway</h1>", "<h1>Bad Gateway</h1>"),
        ('{"error": "loading"}', "loading"),
        ('{"message": "loading"}', "loading"),
        ('{"detail": "Not Found"}', "Not Found"),
        ('{"detail": [{"loc": ["seed"], "msg": "no"}]}', '[{"loc": ["seed"], "msg": "no"}]'),
        ('{"error": {"message": null, "detail": "no"}}', "no"),
        ('{"error": {}}', "{}"),
        ('{"error": null}', "null"),
        ("[1]", "[1]"),
        ("7", "7"),
        ('{"a":' * 3000, '{"a":' * 39 + '{"a"…'),
        ("x" * 300, "x" * 199 + "…"),
        # some servers repeat the status as a code, or have a number, a type, or nonsense there
        ('{"error": {"code": 418, "type": "t", "message": "m"}}', "t: m"),
        ('{"error": {"code": 7, "type": "t", "message": "m"}}', "7: m"),
        ('{"error": {"code": [], "type": true, "message": "m"}}', "m"),
    ],
)
def test_an_error_in_any_form_says_what_it_can(text: str, message: str) -> None:
    """FastAPI, proxies and people who write servers in an afternoon have forms of their own."""
    assert trouble(418, text).what == "status 418" + (f" ({message})" if message else "")


# What may pass, and when


@pytest.mark.parametrize(
    ("statuses", "fault", "again"),
    [
        ((307, 400, 413, 418, 422), "bad_request", False),
        ((401, 403), "unauthorised", False),
        ((402,), "quota", False),
        ((404,), "unknown_model", False),
        ((408, 409, 500, 501, 503, 529), "server_error", True),
        ((429,), "rate_limited", True),
    ],
)
def test_a_status_has_a_fault_and_passes_or_not(
    statuses: tuple[int, ...], fault: str, *, again: bool
) -> None:
    """One table, as the issue has it."""
    made = [trouble(status) for status in statuses]
    assert {(each.fault, each.may_pass) for each in made} == {(fault, again)}


@pytest.mark.parametrize(
    "error",
    [
        {"code": "insufficient_quota"},
        {"type": "insufficient_quota"},
        {"code": "billing_hard_limit_reached"},
    ],
)
def test_no_money_is_no_rate_limit(error: dict[str, str]) -> None:
    """Waiting cures the one and not the other, whatever the headers say."""
    headers = {"retry-after": "1", "x-should-retry": "true"}
    made = trouble(429, json.dumps({"error": error}), headers)
    assert (made.fault, made.may_pass, made.wait_seconds) == ("quota", False, None)


@pytest.mark.parametrize(
    ("status", "message", "again"),
    [
        (503, "false", False),
        (429, "false", False),
        (503, "true", True),
        (425, "true", True),
        (425, "TRUE ", True),
        (425, "maybe", False),
        (400, "true", False),
        (401, "true", False),
        (422, "true", False),
    ],
)
def test_an_endpoint_may_say_itself_what_passes(status: int, message: str, *, again: bool) -> None:
    """It can call any retry off, and ask for one only where no rule forbids it."""
    assert trouble(status, headers={"x-should-retry": message}).may_pass is again


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after-ms": "700"}, 0.7),
        ({"retry-after-ms": "700", "retry-after": "5"}, 0.7),
        ({"retry-after-ms": "soon", "retry-after": "5"}, 5.0),
        *[
            ({"retry-after": text}, seconds)
            for text, seconds in (
                ("2", 2.0),
                ("0.7", 0.7),
                ("0", 0.0),
                ("86400", 86400.0),
                ("Sun, 01 Mar 2026 12:05:00 GMT", 300.0),
                ("Sun, 01 Mar 2026 12:05:00", 300.0),
                ("Sun, 01 Mar 2026 14:05:00 +0200", 300.0),
                ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
                *[(text, None) for text in ("soon", "-5", "nan", "1e400")],
                ("Sun, 99 Mar 2026 12:05:00 GMT", None),
            )
        ],
    ],
)
def test_each_way_to_ask_for_a_wait_is_understood(
    headers: dict[str, str], seconds: float | None
) -> None:
    """Seconds, milliseconds and dates are all in use; nonsense is none."""
    assert wait_seconds(headers, NOW) == seconds


KEYS = ["choices", "message", "content", "error", "refusal", "usage", "text"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=40) | JSON.map(json.dumps))
def test_every_body_is_a_reply_or_a_fault(text: str) -> None:
    """Nothing that a server sends may end a run."""
    outcome: str
    try:
        outcome = read_body(text).finish
    except NoReplyError as error:
        outcome = error.fault
    assert outcome in {"stop", "refusal", "not_json", "malformed"}
    what = trouble(500, text).what
    assert "\n" not in what
    assert len(what) <= 2 * 200 + 20  # a code and a message


@settings(deadline=None, max_examples=60)
@given(status=st.integers(300, 599), after=st.text(max_size=12) | st.floats().map(str))
def test_every_wait_that_is_asked_for_is_finite(status: int, after: str) -> None:
    """Headers are written by strangers."""
    seconds = trouble(status, headers={"retry-after": after, "retry-after-ms": after}).wait_seconds
    assert seconds is None or 0.0 <= seconds < float("inf")
