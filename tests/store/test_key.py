from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatRequest, Message, Schema
from summeval_pytest.store.key import request_key

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
REQUEST = ChatRequest(
    model="gpt-4o",
    messages=(Message("system", "Judge."), Message("user", "Zinc.")),
    max_tokens=512,
    schema=Schema(name="facets", text="{}"),
)


def test_key_is_the_digest_of_canonical_json() -> None:
    """Another program can find a row, and a change of the form would show here."""
    text = '{"a":[1,true,null],"b":"\\u00e9"}'  # sorted, no spaces, ASCII

    key = request_key({"b": "é", "a": [1, True, None]})

    assert key == hashlib.sha256(text.encode()).hexdigest()


def test_whole_number_is_one_number_however_it_is_given() -> None:
    """A temperature of 0 and one of 0.0 are the same request."""
    assert request_key({"temperature": 0}) == request_key({"temperature": 0.0})
    assert request_key({"temperature": -0.0}) == request_key({"temperature": 0.0})
    assert request_key({"temperature": 0.5}) != request_key({"temperature": 0})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_number_that_json_has_not_is_refused(number: float) -> None:
    """NaN would make a key that nobody else can make."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        request_key({"a": [number]})


def test_what_is_no_json_is_refused() -> None:
    """A set has no order, and a number as a name would be taken for a text."""
    with pytest.raises(TypeError, match=r"\{1\} is no JSON value"):
        request_key({"a": {1}})
    with pytest.raises(TypeError, match="1 is no text"):
        request_key({"a": {1: 2}})


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(), JSON, max_size=3))
def test_key_is_64_hex_digits_and_the_same_again(identity: dict[str, object]) -> None:
    """Whatever stands in a request, its row can be found again."""
    key = request_key(identity)

    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")
    assert request_key(dict(reversed(identity.items()))) == key


def test_requests_that_differ_have_keys_that_differ() -> None:
    """One answer must not serve another question, vote, attempt or endpoint."""
    others = [
        {"model": "gpt-4"},
        {"messages": (Message("user", "Judge."), Message("user", "Zinc."))},
        {"messages": (Message("system", "Judge.Zinc."),)},
        {"max_tokens": 513},
        {"schema": None},
        {"schema": Schema(name="facts", text="{}")},
        {"temperature": 1.0},
        {"seed": 1},
        {"vote": 1},
        {"attempt": 1},
    ]
    requests = [REQUEST, *(replace(REQUEST, **other) for other in others)]  # type: ignore[arg-type]  # by name
    keys = {request_key(request.identity("openai")) for request in requests}

    assert len(keys | {request_key(REQUEST.identity("ollama"))}) == len(others) + 2
    assert request_key(replace(REQUEST, topic="zinc").identity("openai")) in keys
