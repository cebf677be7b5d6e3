from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatRequest, Message, Schema, Usage
from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.endpoints.spending import cost_at_most, tokens_about, tokens_at_most
from summeval_pytest.errors import OptionError

PRICE = Price(2.5, 10.0, 1.25)


def asking(*texts: str, schema: Schema | None = None, max_tokens: int = 100) -> ChatRequest:
    """A request of so many messages."""
    messages = tuple(Message("user", text) for text in texts)
    return ChatRequest(model="m", messages=messages, max_tokens=max_tokens, schema=schema)


def test_a_reply_costs_its_prompt_and_its_text() -> None:
    """1000 * 2.5 + 200 * 10 = 4500 dollars for a million times as much."""
    usage = Usage(prompt_tokens=1000, completion_tokens=200)
    assert PRICE.cost(usage) == pytest.approx(0.0045)


def test_tokens_of_the_endpoints_cache_have_their_own_price() -> None:
    """(1000 - 800) * 2.5 + 800 * 1.25 + 200 * 10 = 3500; without a price of their own 4500."""
    usage = Usage(prompt_tokens=1000, completion_tokens=200, cached_tokens=800)
    assert PRICE.cost(usage) == pytest.approx(0.0035)
    assert Price(2.5, 10.0).cost(usage) == pytest.approx(0.0045)


@pytest.mark.parametrize(
    ("text", "n_tokens"),
    [
        ("", 0),
        ("zinc falls", 5),
        ("zinc fell", 5),
        ("1.5", 3),
        ("p < 0.05", 2 + 1 + 4),
        ("ß", 2),
        ("锌", 3),
        ("\ud800", 1),
    ],
)
def test_a_prompt_has_at_most_so_many_tokens(text: str, n_tokens: int) -> None:
    """Two letters or blanks are one token, every other byte is one, and a message adds 8."""
    assert tokens_at_most(asking(text)) == n_tokens + 8


def test_a_schema_counts_as_it_may_be_sent_as_text() -> None:
    """`l` is 1 token, `{"a":1}` has one letter and six other bytes; 8 a message, 64 a schema."""
    schema = Schema(name="l", text='{"a":1}')
    assert tokens_at_most(asking("", "", schema=schema)) == 1 + 7 + 2 * 8 + 64


def test_the_usual_estimate_is_one_token_for_four_characters() -> None:
    """10 characters and 7 of a schema are 17, so 5 tokens, and 8 for the message."""
    schema = Schema(name="l", text='{"a":1')
    assert tokens_about(asking("zinc falls", schema=schema)) == 5 + 8


def test_the_most_is_reckoned_without_luck_in_the_cache() -> None:
    """Where cached tokens cost more, they count as that: (5 + 8) * 3 + 100 * 10 = 1039."""
    assert cost_at_most(asking("zinc falls"), Price(2.5, 10.0, 3.0)) == pytest.approx(0.001039)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=60), st.text(max_size=60))
def test_more_text_never_has_fewer_tokens(text: str, more: str) -> None:
    """Neither estimate may shrink as a prompt grows, and the upper one is above the other."""
    assert tokens_at_most(asking(text + more)) >= tokens_at_most(asking(text))
    assert tokens_about(asking(text + more)) >= tokens_about(asking(text))
    assert tokens_at_most(asking(text)) >= tokens_about(asking(text))


@pytest.mark.parametrize("price", [-0.1, math.nan, math.inf])
def test_a_price_is_a_number_of_dollars(price: float) -> None:
    """A negative one would fill a budget up."""
    with pytest.raises(OptionError) as caught:
        Price(1.0, 2.0, price)
    assert str(caught.value) == f"price cached_input is {price!r}; it has to be 0 or more dollars"
    with pytest.raises(OptionError, match="price output is"):
        Price(1.0, price)
    with pytest.raises(OptionError, match="price input is"):
        Price(price, 1.0)
