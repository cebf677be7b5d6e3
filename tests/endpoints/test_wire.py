from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatReply, Usage
from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.wire import ErrorBody, Wire, read_body, read_error
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
        *[({"content": "yes"}, own, "yes", "stop") for own in (None, "eos", 7, ["length"])],
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
    ("text", "told"),
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
def test_a_body_of_another_shape_is_malformed(text: str, told: str) -> None:
    """The client library hands all of these on; guessing would make an answer nobody gave."""
    assert mistake(text) == ("malformed", told)


CREATED = completion(created=1)


@pytest.mark.parametrize(
    "text",
    [
        completion().replace('"id"', '"model"'),
        completion().replace('"role"', '"content"'),
        completion(created=float("nan")),
        completion(created=float("inf")),
        CREATED.replace('"created": 1', '"created": ' + "1" * 5000),
        CREATED.replace('"created": 1', '"created": ' + "[" * 101 + "]" * 101),
        '{"choices":' + "[" * 90_000,
        '{"choices":' * 100_000,
    ],
    ids=["key twice", "inner key", "nan", "infinity", "digits", "too deep", "deep", "deeper"],
)
def test_json_that_readers_disagree_about_is_malformed(text: str) -> None:
    """Two readers would see two replies, or one would end the run."""
    told = "its body has a key twice, a number that is none, or no end"
    assert mistake(text) == ("malformed", told)


def test_what_is_no_json_is_told_with_its_beginning() -> None:
    """HTML is recognised at a glance; at 7, the text of a cut body ends."""
    assert mistake("<html>\n<h1>502\x1b[31m</h1>") == (
        "not_json",
        "its body is no JSON text from character 0 on; it begins '<html> <h1>502\\\\x1b[31m</h1>'",
    )
    assert mistake('{"a": [')[1].startswith("its body is no JSON text from character 7 on")
    assert mistake("")[0] == "not_json"
    assert len(mistake("<" * 100_000)[1]) < 200


def test_a_fault_that_the_package_wraps_stays_what_it_is() -> None:
    """Openai 2 makes a connection error of whatever is raised, and a body too large a retry."""
    wrapped, fault = Exception("Connection error."), NoReplyError("too_large", "32 MiB")
    wrapped.__cause__ = fault
    wire = Wire(Endpoint(name="test", base_url="http://localhost/v1"))
    assert wire._silence(wrapped) is fault


COUNTED = {"prompt_tokens": 9, "completion_tokens": 2}


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 0}, (9, 0, 0)),
        *[
            ({**COUNTED, "prompt_tokens_details": details}, (9, 2, n_cached))
            for details, n_cached in (
                ({"cached_tokens": 8}, 8),
                ({"cached_tokens": 10}, 9),
                ({"cached_tokens": "many"}, 0),
                (None, 0),
            )
        ],
        (None, None),
        *[({**COUNTED, "prompt_tokens": wrong}, None) for wrong in ("9", True, -9, 10**30)],
    ],
)
def test_counts_are_read_where_they_are_counts(
    usage: object, read: tuple[int, int, int] | None
) -> None:
    """Many servers count nothing, or wrongly; unknown is not 0."""
    assert read_body(completion(usage=usage)).usage == read


@pytest.mark.parametrize("word", [None, 7.5, [], {}])
def test_a_model_or_fingerprint_that_is_no_word_is_empty(word: object) -> None:
    """Neither is needed for a reply."""
    got = read_body(completion(model=word, system_fingerprint=word))
    assert (got.model, got.fingerprint) == ("", "")


def test_an_error_in_openais_form_is_read_whole() -> None:
    """The code decides whether it is worth another attempt, the rest is told."""
    said = {"message": "Too\nlarge: max_tokens", "type": "t", "param": "p", "code": "c"}
    got = read_error(json.dumps({"error": said}))
    assert (got.code, got.type, got.param, got.message) == ("c", "t", "p", "Too large: max_tokens")
    assert {"error", "max_tokens", "large"} <= got.words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ""),
        ("Not Found", "Not Found"),
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
    ],
)
def test_an_error_in_any_form_says_what_it_can(text: str, message: str) -> None:
    """FastAPI, proxies and people who write servers in an afternoon have forms of their own."""
    assert read_error(text).message == message


@pytest.mark.parametrize(("code", "word"), [(429, "429"), (None, ""), (True, ""), ([], "")])
def test_a_code_may_be_a_number(code: object, word: str) -> None:
    """Some servers repeat the status there."""
    assert read_error(json.dumps({"error": {"code": code}})).code == word


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
    assert isinstance(read_error(text), ErrorBody)
    assert "\n" not in read_error(text).message
    assert len(read_error(text).message) <= 200
