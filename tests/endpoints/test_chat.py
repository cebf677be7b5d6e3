from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import (
    ROOM,
    ChatReply,
    ChatRequest,
    Message,
    Schema,
    Usage,
    read_reply,
    without_thoughts,
)

COUNTS = st.integers(0, 10**9)


@settings(deadline=None, max_examples=40)
@given(
    st.builds(
        ChatReply,
        text=st.text(),
        finish=st.sampled_from(["stop", "length", "content_filter", "refusal"]),
        model=st.text(max_size=8),
        fingerprint=st.text(max_size=8),
        usage=st.none() | st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS),
    )
)
def test_a_reply_is_read_as_it_was_written(reply: ChatReply) -> None:
    """By way of JSON text, as a store keeps it."""
    assert read_reply(json.loads(json.dumps(reply.as_json()))) == reply


REPLY = ChatReply(text="yes").as_json()


@pytest.mark.parametrize(
    "values",
    [
        ["yes"],
        {key: REPLY[key] for key in list(REPLY)[1:]},
        *[{**REPLY, key: 7} for key in ("text", "model", "fingerprint", "more")],
        *[{**REPLY, "finish": finish} for finish in ("tool_calls", None)],
        *[
            {**REPLY, "usage": usage}
            for usage in ([1, 2], [1, 2, -3], [1, True, 3], [1] * 5, {"a": 1}, [1, 1, 1, 10**400])
        ],
    ],
    ids=repr,
)
def test_what_is_no_reply_is_not_read(values: object) -> None:
    """A cassette can be edited by anybody."""
    with pytest.raises(ValueError, match="a stored reply has text, finish, model"):
        read_reply(values)


ASKED = ChatRequest(
    model="llama3",
    messages=(Message("system", "You judge."), Message("user", "Is it so?")),
    max_tokens=64,
    schema=Schema(name="label", text="{}"),
    topic="zinc-01, facet ratings",
)
SYSTEM, USER = ASKED.messages


def identity(request: ChatRequest, endpoint: str = "ollama") -> str:
    """What a store's key is made of, as text."""
    return json.dumps(request.identity(endpoint), sort_keys=True)


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, model="llama4"),
        replace(ASKED, messages=(USER,)),
        replace(ASKED, messages=(USER, SYSTEM)),
        replace(ASKED, messages=(Message("user", "You judge."), USER)),
        replace(ASKED, messages=(SYSTEM, Message("user", "Is it not?"))),
        replace(ASKED, max_tokens=65),
        replace(ASKED, schema=None),
        replace(ASKED, schema=Schema(name="labels", text="{}")),
        replace(ASKED, schema=Schema(name="label", text='{"type":"object"}')),
        replace(ASKED, temperature=0.5),
        replace(ASKED, seed=1),
        replace(ASKED, vote=1),
        replace(ASKED, attempt=1),
        replace(ASKED, room=2048),
        replace(ASKED, reasoning_effort="low"),
    ],
)
def test_all_that_can_change_a_reply_is_in_its_identity(other: ChatRequest) -> None:
    """Two requests with one key would get one reply."""
    assert identity(other) != identity(ASKED)
    assert other != ASKED


def test_the_usual_room_changes_no_key() -> None:
    """It changes no reply that fits, and replies of older versions are found under their keys."""
    assert identity(replace(ASKED, room=ROOM)) == identity(ASKED)
    assert not {"room", "reasoning_effort"} & ASKED.identity("ollama").keys()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes", "yes"),
        (" yes ", " yes "),
        (" <think>Hm.\n</think>\n\nyes", "yes"),
        ("<think>a</think> <think>b</think>yes <think>c</think>", "yes <think>c</think>"),
        ("<think>a<think>b</think>yes", "yes"),
        ("<think>a</think>b</think>yes", "b</think>yes"),
        ("<think>yes, or no", ""),
        ("<think>a</think>\n<think>b", ""),
        ("<think></think>", ""),
        ("Yes. <think>No", "Yes. <think>No"),
    ],
)
def test_thoughts_before_an_answer_are_left_out(text: str, said: str) -> None:
    """Up to the first end of each, as servers read them; without an end there is no answer."""
    assert without_thoughts(text) == said


@pytest.mark.parametrize(
    "unit", ["<think>", "<think></think>", "<think> ", " ", "<think>a</think> "]
)
def test_thoughts_are_read_in_linear_time(unit: str) -> None:
    """A megabyte of them is read at once; in quadratic time, this test would take hours."""
    assert without_thoughts(unit * (10**6 // len(unit))) in {"", unit * 10**6}


@pytest.mark.parametrize(
    ("reply", "n_thought"),
    [
        (ChatReply(text="yes", usage=Usage(9, 50, 0, 40)), 40),
        (ChatReply(text="ye", finish="length", usage=Usage(9, 50, 0, 48)), 48),
        (ChatReply(text="", finish="length", usage=Usage(9, 50)), 50),
        (ChatReply(text="<think>a", finish="length", usage=Usage(9, 50)), 50),
        (ChatReply(text="\n\n", finish="length", usage=Usage(9, 50)), 0),
        (ChatReply(text="", finish="length"), 0),
        (ChatReply(text="", usage=Usage(9, 50)), 0),
    ],
)
def test_all_of_a_reply_that_was_cut_before_it_began_was_thought(
    reply: ChatReply, n_thought: int
) -> None:
    """Whether or not the endpoint says so; blanks without end are no thoughts."""
    assert reply.n_thought == n_thought


def test_a_reply_without_thoughts_is_stored_as_ever() -> None:
    """Cassettes do not change, and older ones are read."""
    assert ChatReply(text="yes", usage=Usage(9, 5)).as_json()["usage"] == [9, 5, 0]
    assert ChatReply(text="yes", usage=Usage(9, 5, 1, 2)).as_json()["usage"] == [9, 5, 1, 2]


def test_the_endpoint_is_in_the_identity_and_the_topic_is_not() -> None:
    """The same name may be another model elsewhere; what a request is about changes no reply."""
    assert identity(ASKED, "openai") != identity(ASKED)
    assert identity(replace(ASKED, topic="another")) == identity(ASKED)
    assert replace(ASKED, topic="another") == ASKED
