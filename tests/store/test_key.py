from __future__ import annotations

import hashlib
import math

import pytest
from hypothesis import given

from summeval_pytest.store.key import request_key
from tests.json_values import JSON_OBJECTS


def test_key_is_the_digest_of_canonical_json() -> None:
    """Another program can find a row, and a change of the form would show here."""
    text = '{"a":[1,true,null],"b":"\\u00e9"}'  # sorted, no spaces, ASCII
    expected = hashlib.sha256(text.encode()).hexdigest()
    assert request_key({"b": "é", "a": [1, True, None]}) == expected
    # A temperature of 0 and one of 0.0 are the same request.
    zeros = {request_key({"temperature": zero}) for zero in (0, 0.0, -0.0)}
    assert len(zeros) == 1
    assert request_key({"temperature": 0.5}) not in zeros


@pytest.mark.parametrize(
    ("identity", "error", "message"),
    [
        *(({"a": [n]}, ValueError, "not JSON compliant") for n in (math.nan, math.inf, -math.inf)),
        ({"a": {1}}, TypeError, r"\{1\} is no JSON value"),
        ({"a": {1: 2}}, TypeError, "1 is no text"),
    ],
)
def test_what_is_no_json_is_refused(
    identity: dict[str, object], error: type[Exception], message: str
) -> None:
    """A set has no order, NaN makes a key that nobody else can make, and a name is a text."""
    with pytest.raises(error, match=message):
        request_key(identity)


@given(JSON_OBJECTS)
def test_key_is_64_hex_digits_and_the_same_again(identity: dict[str, object]) -> None:
    """Whatever stands in a request, its row can be found again."""
    key = request_key(identity)
    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")
    assert request_key(dict(reversed(identity.items()))) == key
