from __future__ import annotations

import json
import string
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints import chat
from summeval_pytest.errors import NoReplyError

COUNTS = st.integers(0, 10**9)


@settings(deadline=None, max_examples=40)
@given(
    st.builds(
        chat.ChatReply,
        text=st.text(),
        finish=st.sampled_from(["stop", "length", "content_filter", "refusal"]),
        model=st.text(max_size=8),
        fingerprint=st.text(max_size=8),
        usage=st.none() | st.builds(chat.Usage, COUNTS, COUNTS, COUNTS, COUNTS),
    )
)
def test_a_reply_is_read_as_it_was_written(reply: chat.ChatReply) -> None:
    """By way of JSON text, as a store keeps it."""
    assert chat.read_reply(json.loads(json.dumps(reply.as_json()))) == reply


REPLY = chat.ChatReply(text="yes").as_json()


USAGES = ([1, 2], [1, 2, -3], [1, True, 3], [1] * 5, {"a": 1}, [1, 1, 1, 10**400])


@pytest.mark.parametrize(
    "values",
    [
        ["yes"],
        {key: REPLY[key] for key in list(REPLY)[1:]},
        *({**REPLY, key: 7} for key in ("text", "model", "fingerprint", "more")),
        *({**REPLY, "finish": finish} for finish in ("tool_calls", None)),
        *({**REPLY, "usage": usage} for usage in USAGES),
    ],
)
def test_what_is_no_reply_is_not_read(values: object) -> None:
    """A cassette can be edited by anybody."""
    with pytest.raises(ValueError, match="a stored reply has text, finish, model"):
        chat.read_reply(values)


ASKED = chat.ChatRequest(
    model="llama3",
    messages=(chat.Message("system", "You judge."), chat.Message("user", "Is it so?")),
    max_tokens=64,
    schema=chat.Schema(name="label", text="{}"),
    topic="zinc-01, facet ratings",
)
SYSTEM, USER = ASKED.messages


def identity(request: chat.ChatRequest, endpoint: str = "ollama") -> str:
    """What a store's key is made of, as text."""
    return json.dumps(request.identity(endpoint), sort_keys=True)


def test_all_that_can_change_a_reply_is_in_its_identity() -> None:
    """Two requests with one key would get one reply."""
    for other in (
        replace(ASKED, model="llama4"),
        replace(ASKED, messages=(USER,)),
        replace(ASKED, messages=(USER, SYSTEM)),
        replace(ASKED, messages=(chat.Message("user", "You judge."), USER)),
        replace(ASKED, messages=(SYSTEM, chat.Message("user", "Is it not?"))),
        replace(ASKED, max_tokens=65),
        replace(ASKED, schema=None),
        replace(ASKED, schema=chat.Schema(name="labels", text="{}")),
        replace(ASKED, schema=chat.Schema(name="label", text='{"type":"object"}')),
        replace(ASKED, temperature=0.5),
        replace(ASKED, seed=1),
        replace(ASKED, vote=1),
        replace(ASKED, attempt=1),
        replace(ASKED, room=2048),
        replace(ASKED, reasoning_effort="low"),
        replace(ASKED, is_roomy=True),
    ):
        assert identity(other) != identity(ASKED)
        assert other != ASKED


def test_a_reply_that_was_cut_before_it_began_was_thought() -> None:
    """Whether or not the endpoint says so; blanks without end are no thoughts."""
    for reply, n_thought in (
        (chat.ChatReply(text="yes", usage=chat.Usage(9, 50, 0, 40)), 40),
        (chat.ChatReply(text="ye", finish="length", usage=chat.Usage(9, 50, 0, 48)), 48),
        (chat.ChatReply(text="", finish="length", usage=chat.Usage(9, 50)), 50),
        (chat.ChatReply(text="<think>a", finish="length", usage=chat.Usage(9, 50)), 50),
        (chat.ChatReply(text="\n\n", finish="length", usage=chat.Usage(9, 50)), 0),
        (chat.ChatReply(text="", finish="length"), 0),
        (chat.ChatReply(text="", usage=chat.Usage(9, 50)), 0),
    ):
        assert reply.n_thought == n_thought


@pytest.mark.parametrize(
    ("text", "is_looping"),
    [
        ("Kilns fire bricks. " * 90, True),
        ("".join(f'{{"id": {n}, "reason": "so the text says"}}, ' for n in range(99)), True),
        ("\n" * 400, True),
        ("<think>So. " + "But wait, is it? Let me look at the premises once more. " * 60, True),
        (" ".join(f"Sentence {letter} is another." for letter in string.ascii_letters), False),
        ("Kilns fire. " * 90 + "Then it ends, with many words that stood nowhere before.", False),
        ("a", False),
        ("", False),
    ],
    ids=["sentence", "numbers", "blanks", "thoughts", "likeness", "end", "short", "nothing"],
)  # fmt: skip
def test_a_reply_loops_if_it_says_the_same_up_to_the_limit(text: str, *, is_looping: bool) -> None:
    """The model would never have come to an end; one that ended by itself does not loop."""
    assert chat.ChatReply(text=text, finish="length").is_looping == is_looping
    assert not chat.ChatReply(text=text).is_looping


def test_only_thoughts_that_took_the_first_room_want_more() -> None:
    """More room helps nobody who repeats itself, nor where the endpoint cut for its own reasons."""
    request = replace(ASKED, room=chat.ROOM, first_room=512)
    thought = chat.ChatReply(text="", finish="length", usage=chat.Usage(9, 512))
    assert thought.wants_room(request)
    assert replace(thought, usage=None, text="<think>Hm").wants_room(request)
    for reply in (
        replace(thought, text="A summary that"),
        replace(thought, text="<think>" + "But wait, is it so? " * 99),
        replace(thought, usage=chat.Usage(9, 300)),
        replace(thought, usage=chat.Usage(9, 16_384)),  # of an older version
        replace(thought, finish="stop"),
    ):
        assert not reply.wants_room(request)
    assert not thought.wants_room(ASKED)


def test_the_endpoint_is_in_the_identity_and_the_topic_is_not() -> None:
    """The same name may be another model elsewhere; what a request is about changes no reply."""
    # Nor does the usual room change one that fits: replies of older versions are found.
    assert identity(ASKED, "openai") != identity(ASKED)
    assert identity(replace(ASKED, topic="another")) == identity(ASKED)
    assert replace(ASKED, topic="another") == ASKED
    assert identity(replace(ASKED, room=chat.ROOM)) == identity(ASKED)
    assert identity(replace(ASKED, first_room=64)) == identity(ASKED)
    assert not {"room", "reasoning_effort"} & ASKED.identity("ollama").keys()
    # without thoughts a reply is stored as ever: cassettes do not change
    for n_cached, n_thought, row in ((0, 0, [9, 5, 0]), (1, 2, [9, 5, 1, 2])):
        usage = chat.Usage(9, 5, n_cached, n_thought)
        assert chat.ChatReply(text="yes", usage=usage).as_json()["usage"] == row


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
        chat.read_body(text)
    return caught.value.fault, str(caught.value)


def test_a_completion_is_a_reply() -> None:
    """What every good response becomes; neither model nor fingerprint is needed for one."""
    assert chat.read_body(completion()) == chat.ChatReply(
        text="yes", model="llama3-8b", fingerprint="fp_1", usage=chat.Usage(90, 7)
    )
    assert chat.read_body(completion(choices=[YES, YES])).text == "yes"  # two say the same
    for word in (None, 7.5, list[object](), dict[str, object]()):
        got = chat.read_body(completion(model=word, system_fingerprint=word))
        assert (got.model, got.fingerprint) == ("", "")


PARTS = [{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "no"}]}
REFUSED = {"content": "half", "refusal": "I won't."}


def test_a_reply_says_why_it_ended() -> None:
    """Servers have words of their own for a good end; a refusal counts above all."""
    for message, finish, text, read in (
        *[({"content": "yes"}, each, "yes", each) for each in ("stop", "length", "content_filter")],
        *[({"content": "yes"}, own, "yes", "stop") for own in (None, "eos", "end_turn", "STOP")],
        *[({"content": "ye"}, own, "ye", "length") for own in ("model_length", "MAX_TOKENS")],
        *[({"content": ""}, own, "", "content_filter") for own in ("content-filter", "SAFETY")],
        *[(REFUSED, other, "I won't.", "refusal") for other in ("stop", "length", None)],
        *[({"content": none}, "stop", "", "stop") for none in (None, "", list[object]())],
        ({"content": PARTS}, "stop", "yes", "stop"),
        ({"content": [THOUGHT, *PARTS]}, "stop", "yes", "stop"),
        ({"content": [THOUGHT]}, "length", "", "length"),
    ):
        got = chat.read_body(saying(message, finish))
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
    ],
    ids=lambda value: value[:60],
)
def test_a_body_of_another_shape_is_malformed(text: str, message: str) -> None:
    """The client library hands all of these on; guessing would make an answer nobody gave."""
    assert mistake(text) == ("malformed", message)


def test_what_is_no_json_is_reported_with_its_beginning() -> None:
    """HTML is recognised at a glance; at 7, the text of a cut body ends."""
    # Of JSON that readers disagree about two would see two replies, or one would end the run.
    assert mistake("<html>\n<h1>502\x1b[31m</h1>") == (
        "not_json",
        "its body is no JSON text from character 0 on; it begins '<html> <h1>502\\\\x1b[31m</h1>'",
    )
    assert mistake('{"a": [')[1].startswith("its body is no JSON text from character 7 on")
    assert mistake("")[0] == "not_json"
    assert len(mistake("<" * 100_000)[1]) < 200
    message = "its body has a key twice, a number without end, or too deep a nesting"
    twice = completion().replace('"id"', '"model"')
    for text in (twice, '{"choices":' * 100_000):
        assert mistake(text) == ("malformed", message)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_byte_order_mark_and_numbers_that_nobody_reads_do_no_harm(number: str) -> None:
    """Servers send them beside an answer that is whole, as times and log probabilities."""
    body = completion(timings="?").replace('"?"', f'{{"per_second": {number}}}')
    assert chat.read_body(f"\ufeff{body}").text == "yes"
    counts = completion(usage="?").replace('"?"', f'{{"prompt_tokens": {number}}}')
    assert chat.read_body(counts).usage is None


COUNTED = {"prompt_tokens": 9, "completion_tokens": 2}


def test_counts_that_are_none_are_unknown() -> None:
    """Many servers count nothing, or wrongly; unknown is not 0."""
    for usage, read in (
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
    ):
        assert chat.read_body(completion(usage=usage)).usage == read


NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def trouble(status: int, text: str = "{}", headers: dict[str, str] | None = None) -> chat.Trouble:
    """What is made of a response with an error status."""
    return chat.read_trouble(status, headers or {}, text, NOW)


def test_an_error_in_openais_form_is_read_whole() -> None:
    """The code decides whether it is worth another attempt, the rest is told."""
    said = {"message": "Too\nlarge: max_tokens", "type": "t", "param": "p", "code": "c"}
    got = trouble(400, json.dumps({"error": said}))
    assert (got.what, got.param) == ("status 400 (c: Too large: max_tokens)", "p")
    assert {"error", "max_tokens", "large"} <= got.words


def test_an_error_in_any_form_says_what_it_can() -> None:
    """FastAPI, proxies and people who write servers in an afternoon have forms of their own."""
    for text, message in (
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
    ):
        assert trouble(418, text).what == "status 418" + (f" ({message})" if message else "")


def test_a_status_has_a_fault() -> None:
    """One table, as the issue has it."""
    for statuses, fault, again in (
        ((307, 400, 413, 418, 422), "bad_request", False),
        ((401, 403), "unauthorised", False),
        ((402,), "quota", False),
        ((404,), "unknown_model", False),
        ((408, 409, 500, 501, 503, 529), "server_error", True),
        ((429,), "rate_limited", True),
    ):
        made = [trouble(status) for status in statuses]
        assert {(each.fault, each.may_pass) for each in made} == {(fault, again)}


def test_no_money_is_no_rate_limit() -> None:
    """Waiting cures the one and not the other, whatever the headers say."""
    for error in (
        {"code": "insufficient_quota"},
        {"type": "insufficient_quota"},
        {"code": "billing_hard_limit_reached"},
    ):
        headers = {"retry-after": "1", "x-should-retry": "true"}
        made = trouble(429, json.dumps({"error": error}), headers)
        assert (made.fault, made.may_pass) == ("quota", False)


def test_an_endpoint_may_call_any_retry_off() -> None:
    """It knows best what does not pass; no rule lets it ask for one."""
    for status, message, again in (
        (503, "false", False),
        (429, "FALSE ", False),
        (503, "true", True),
        (503, "maybe", True),
        (425, "true", False),
        (400, "true", False),
        (401, "true", False),
        (422, "true", False),
    ):
        assert trouble(status, headers={"x-should-retry": message}).may_pass is again


def test_each_way_to_ask_for_a_wait_is_read() -> None:
    """Seconds, milliseconds and dates are all in use; nonsense is none."""
    for headers, seconds in (
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
    ):
        assert chat.wait_seconds(headers, NOW) == seconds


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
        outcome = chat.read_body(text).finish
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
