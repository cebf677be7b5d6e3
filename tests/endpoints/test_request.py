from __future__ import annotations

import json
from dataclasses import replace

import pytest

from summeval_pytest.endpoints.chat import ChatRequest, Message, Schema

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
