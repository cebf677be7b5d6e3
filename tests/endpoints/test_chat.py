from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import (
    ChatReply,
    ChatRequest,
    Message,
    Schema,
    Usage,
    read_reply,
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
        usage=st.none()
        | st.builds(Usage, prompt_tokens=COUNTS, completion_tokens=COUNTS, cached_tokens=COUNTS),
    )
)
def test_a_reply_is_read_as_it_was_written(reply: ChatReply) -> None:
    """By way of JSON text, as a store keeps it."""
    assert read_reply(json.loads(json.dumps(reply.as_json()))) == reply


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"more": 1}, "a stored reply has text, finish, model, fingerprint and usage"),
        ({"text": None}, "a stored reply's text, finish, model or fingerprint is none"),
        ({"finish": "tool_calls"}, "a stored reply's text, finish, model or fingerprint is none"),
        ({"finish": None}, "a stored reply's text, finish, model or fingerprint is none"),
        ({"model": 7}, "a stored reply's text, finish, model or fingerprint is none"),
        ({"fingerprint": 7}, "a stored reply's text, finish, model or fingerprint is none"),
        ({"usage": [1, 2]}, "a stored reply's usage is three counts of tokens"),
        ({"usage": [1, 2, -3]}, "a stored reply's usage is three counts of tokens"),
        ({"usage": [1, True, 3]}, "a stored reply's usage is three counts of tokens"),
        ({"usage": {"a": 1}}, "a stored reply's usage is three counts of tokens"),
    ],
)
def test_what_is_no_reply_is_not_read(change: dict[str, object], told: str) -> None:
    """A cassette can be edited by anybody."""
    with pytest.raises(ValueError, match=told):
        read_reply({**ChatReply(text="yes").as_json(), **change})
    with pytest.raises(ValueError, match="a stored reply has text"):
        read_reply(["yes"])


ASKED = ChatRequest(
    model="llama3",
    messages=(Message("system", "You judge."), Message("user", "Is it so?")),
    max_tokens=64,
    schema=Schema(name="label", text="{}"),
    topic="zinc-01, facet ratings",
)


def identity(request: ChatRequest, endpoint: str = "ollama") -> str:
    """What a store's key is made of, as text."""
    return json.dumps(request.identity(endpoint), sort_keys=True)


@pytest.mark.parametrize(
    "other",
    [
        replace(ASKED, model="llama4"),
        replace(ASKED, messages=ASKED.messages[1:]),
        replace(ASKED, messages=ASKED.messages[::-1]),
        replace(ASKED, messages=(Message("user", "You judge."), ASKED.messages[1])),
        replace(ASKED, messages=(ASKED.messages[0], Message("user", "Is it not?"))),
        replace(ASKED, max_tokens=65),
        replace(ASKED, schema=None),
        replace(ASKED, schema=Schema(name="labels", text="{}")),
        replace(ASKED, schema=Schema(name="label", text='{"type":"object"}')),
        replace(ASKED, temperature=0.5),
        replace(ASKED, seed=1),
        replace(ASKED, vote=1),
        replace(ASKED, attempt=1),
    ],
)
def test_all_that_can_change_a_reply_is_in_its_identity(other: ChatRequest) -> None:
    """Two requests with one key would get one reply."""
    assert identity(other) != identity(ASKED)
    assert other != ASKED


def test_the_endpoint_is_in_the_identity_and_the_topic_is_not() -> None:
    """The same name may be another model elsewhere; what a request is about changes no reply."""
    assert identity(ASKED, "openai") != identity(ASKED)
    assert identity(replace(ASKED, topic="another")) == identity(ASKED)
    assert replace(ASKED, topic="another") == ASKED
