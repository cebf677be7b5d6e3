from __future__ import annotations

import pytest

from summeval_pytest.endpoints import limits
from summeval_pytest.endpoints.chat import ChatRequest, Message, Usage
from summeval_pytest.endpoints.endpoint import LONG, Endpoint, Price
from summeval_pytest.suite.addresses import OPENAI_URL
from summeval_pytest.suite.prices import price_at

LISTED = Price(2.5, 10.0, 1.25)


def test_a_price_is_none_or_listed() -> None:
    """The list is of models at their own providers; another server may ask for anything."""
    for base_url, model, price in (
        ("https://api.openai.com/v1", "gpt-4o-2024-08-06", LISTED),
        ("https://api.openai.com/v1", "gpt-nobody-has", None),
        ("https://api.openai.com/v1", "", None),
        ("https://API.OpenAI.com/v1", "gpt-4o-2024-08-06", LISTED),
        ("https://llm.example.org/v1", "gpt-4o-2024-08-06", None),
        # others' hosts that look like a provider's, and a model that is billed by the minute
        ("https://api.openai.com.example.org/v1", "gpt-4o-2024-08-06", None),
        ("https://api.openai.com@example.org/v1", "gpt-4o-2024-08-06", None),
        ("https://api.openai.com:8443/v1", "gpt-4o-2024-08-06", None),
        ("https://example.org/x.googleapis.com/v1", "gemini-2.0-flash", None),
        ("https://example.org/v1?x.googleapis.com", "gemini-2.0-flash", None),
        ("https://example/x.openai.azure.com/v1", "gpt-4o", None),
        ("https://api.openai.com/v1", "gpt-live-1", None),
        ("http://localhost:8000/v1", "gpt-4o-2024-08-06", Price(0.0, 0.0)),
    ):
        found = price_at(Endpoint(name="a", base_url=base_url), model)
        assert found == price
        if found is not None and price == LISTED:
            assert found.source.startswith(f"{model} at api.openai.com (genai-prices ")


def test_a_long_prompt_costs_what_the_list_asks_for_the_longest() -> None:
    """A budget that counted the price of short prompts would be exceeded."""
    price = price_at(Endpoint(name="a", base_url=OPENAI_URL), "gpt-5.4")
    assert price is not None
    assert (price.input, price.output, price.cached_input) == (2.5, 15.0, 0.25)
    assert price.cost(Usage(LONG - 1, 0)) == pytest.approx(2.5 * (LONG - 1) / 1e6)
    assert price.cost(Usage(LONG, 100)) == pytest.approx((5.0 * LONG + 22.5 * 100) / 1e6)
    assert price.cost(Usage(LONG, 0, LONG)) == pytest.approx(0.5 * LONG / 1e6)
    request = ChatRequest(
        model="m", messages=(Message("user", "\u0416" * LONG),), max_tokens=100
    )  # two bytes, and a token each at most
    assert limits.cost_at_most(request, price) > 2 * 5.0 * LONG / 1e6
    assert limits.tokens_for(2 * 5.0 * LONG / 1e6, request, price) == 0.0
    assert limits.tokens_for(1.0, request, price) == pytest.approx(
        (1.0 - 5.0 * limits.tokens_at_most(request) / 1e6) / 22.5 * 1e6
    )
