from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatReply, Usage
from summeval_pytest.endpoints.wire import ErrorBody, read_body, read_error
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
        text="yes",
        finish="stop",
        model="llama3-8b",
        fingerprint="fp_1",
        usage=Usage(prompt_tokens=90, completion_tokens=7),
    )


NO: dict[str, object] = {"message": {"content": "no"}, "finish_reason": "stop"}
YES: dict[str, object] = {"message": {"content": "yes"}, "finish_reason": "stop"}


@pytest.mark.parametrize("other", [NO, {**YES, "finish_reason": "length"}])
def test_choices_that_differ_are_no_reply(other: dict[str, object]) -> None:
    """One reply was asked for: whichever were taken, it might be the wrong one."""
    assert mistake(completion(choices=[YES, other])) == (
        "malformed",
        "one reply was asked for, and its 'choices' are 2 that differ",
    )


@pytest.mark.parametrize(
    ("finish", "read"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        (None, "stop"),
        ("eos", "stop"),
        (7, "stop"),
        (["length"], "stop"),
    ],
)
def test_a_reply_says_why_it_ended(finish: object, read: str) -> None:
    """Servers have words of their own for a good end."""
    assert read_body(saying({"content": "yes"}, finish)).finish == read


@pytest.mark.parametrize("finish", ["tool_calls", "function_call", "error"])
def test_a_reply_that_ended_without_a_text_is_none(finish: str) -> None:
    """Nobody offered it tools; half a text before an error is not what the model would say."""
    assert mistake(saying({"content": "ye"}, finish)) == (
        "malformed",
        f"it ended with {finish!r} and so without a text",
    )


@pytest.mark.parametrize("finish", ["stop", "length", "content_filter", None])
def test_a_refusal_counts_above_all(finish: object) -> None:
    """What the model said instead is the text."""
    got = read_body(saying({"content": "half", "refusal": "I won't."}, finish))
    assert (got.text, got.finish) == ("I won't.", "refusal")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ([], ""),
        ([{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}], "yes"),
    ],
)
def test_a_text_may_be_empty_or_in_parts(content: object, text: str) -> None:
    """An empty text is a reply, and the judge's business."""
    assert read_body(saying({"content": content})).text == text


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (7, "number"),
        (True, "boolean"),
        ({"type": "text", "text": "yes"}, "object"),
        (["yes"], "list"),
        ([{"type": "image_url", "image_url": {}}], "list"),
        ([{"type": "text", "text": "yes"}, {"type": "text"}], "list"),
    ],
)
def test_a_content_that_is_no_text_is_malformed(content: object, kind: str) -> None:
    """Guessing at it would make an answer that the model did not give."""
    assert mistake(saying({"content": content})) == (
        "malformed",
        f"its 'content' is {kind} and holds no text",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "its body is a JSON list, no object"),
        ('"yes"', "its body is a JSON text, no object"),
        ("null", "its body is a JSON null, no object"),
        ("{}", "its 'choices' are null, no list of objects"),
        ('{"choices": null}', "its 'choices' are null, no list of objects"),
        ('{"choices": []}', "its 'choices' are empty, no list of objects"),
        ('{"choices": "oops"}', "its 'choices' are text, no list of objects"),
        ('{"choices": ["oops"]}', "its 'choices' are list, no list of objects"),
        ('{"choices": [{}]}', "its 'message' is null"),
        ('{"choices": [{"message": "yes"}]}', "its 'message' is text"),
        (
            '{"error": {"message": "busy"}, "choices": []}',
            "its 'choices' are empty, no list of objects; it says 'busy'",
        ),
    ],
)
def test_a_body_of_another_shape_is_malformed(text: str, told: str) -> None:
    """The client library hands all of these on as if they were completions."""
    assert mistake(text) == ("malformed", told)


@pytest.mark.parametrize(
    "text",
    [
        completion().replace('"id"', '"model"'),
        completion().replace('"role"', '"content"'),
        completion(created=float("nan")),
        completion(created=float("inf")),
        completion(created=1).replace('"created": 1', '"created": ' + "1" * 5000),
        completion(created=1).replace('"created": 1', '"created": ' + "[" * 101 + "]" * 101),
        '{"choices":' + "[" * 200_000,
        '{"choices":' * 100_000,
    ],
    ids=[
        "key twice",
        "inner key twice",
        "nan",
        "infinity",
        "long number",
        "too deep",
        "deep",
        "deeper",
    ],
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


def test_a_body_of_enormously_many_values_is_malformed() -> None:
    """A list of empty lists takes twenty times the memory of its text."""
    told = "a body with more than 1,000,000 values is no chat completion"
    assert mistake("[" + "[]," * 500_000 + "[]]") == ("malformed", told)


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 0}, (9, 0, 0)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": 8},
            },
            (9, 2, 8),
        ),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": 10},
            },
            (9, 2, 9),
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": None},
            (9, 2, 0),
        ),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": "many"},
            },
            (9, 2, 0),
        ),
        (None, None),
        ({"prompt_tokens": "9", "completion_tokens": 2}, None),
        ({"prompt_tokens": True, "completion_tokens": 2}, None),
        ({"prompt_tokens": -9, "completion_tokens": 2}, None),
        ({"prompt_tokens": 10**30, "completion_tokens": 2}, None),
    ],
)
def test_counts_are_read_where_they_are_counts(
    usage: object, read: tuple[int, int, int] | None
) -> None:
    """Many servers count nothing, or wrongly; unknown is not 0."""
    got = read_body(completion(usage=usage)).usage
    assert (got and (got.prompt_tokens, got.completion_tokens, got.cached_tokens)) == read


@pytest.mark.parametrize("word", [None, 7.5, [], {}])
def test_a_model_or_fingerprint_that_is_no_word_is_empty(word: object) -> None:
    """Neither is needed for a reply."""
    got = read_body(completion(model=word, system_fingerprint=word))
    assert (got.model, got.fingerprint) == ("", "")


# Errors


def test_an_error_in_openais_form_is_read_whole() -> None:
    """The code decides whether it is worth another attempt, the rest is told."""
    text = json.dumps({
        "error": {"message": "Too\nlarge: max_tokens", "type": "t", "param": "p", "code": "c"}
    })  # fmt: skip
    got = read_error(text)
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "error", "refusal", "usage", "text"]),
            inner,
            max_size=3,
        )
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
