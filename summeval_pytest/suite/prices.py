"""What models cost for which the suite writes no price."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from summeval_pytest.endpoints.chat import CHAT, Route
from summeval_pytest.endpoints.endpoint import OPENAI, Endpoint, Price

EXAMPLE_MODEL: Final = "gpt-6-luna"
"""The model of our examples: one that its provider does not end soon, and with a list price."""
_FEW: Final = 1000
_MANY: Final = 1_000_000


def price_at(endpoint: Endpoint, model: str, route: Route = CHAT) -> Price | None:
    """What a model costs: nothing on this machine, else as `genai-prices` lists it, else None.

    The list tells providers by the beginnings of addresses, and another's host may begin alike. A
    model of chat whose replies are listed for nothing is billed by the minute or the picture.
    """
    if endpoint.is_loopback:
        return Price(0.0, 0.0)
    from genai_prices import Usage as Used
    from genai_prices import __version__, calc_price
    from genai_prices.data_snapshot import get_snapshot

    origin = endpoint.origin
    url = origin + urlsplit(endpoint.base_url).path.replace(".", "")  # no host is in the path

    def price(n: int, source: str = "") -> Price:
        def per_million(n_replied: int = 0, n_cached: int = 0) -> float:
            used = Used(input_tokens=n, output_tokens=n_replied, cache_read_tokens=n_cached)
            total = calc_price(used, model_ref=model, provider_id=provider_id).total_price
            return float(total * 1_000_000 / n)

        return Price(per_million(), per_million(n) - per_million(), per_million(0, n), source)

    try:
        provider = get_snapshot().find_provider(None, None, url)
        match = re.match(provider.api_pattern, url)
        if match is None or match.end() < len(origin):
            return None
        provider_id = provider.id
        if route == "decisions" and provider_id == OPENAI:  # which lists them as another's
            provider_id = f"{OPENAI}-decisions"
        source = f"{model} at {urlsplit(origin).hostname} (genai-prices {__version__})"
        short, long = price(_FEW, source), price(_MANY)
    except LookupError:
        return None
    is_priced = short.output if route == CHAT else short.input
    return replace(short, long=None if short == long else long) if is_priced else None
