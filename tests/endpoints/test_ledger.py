from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import Usage
from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.endpoints.spending import ORIGINS, Ledger, ModelSeen, Totals, models_seen

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTS = ("n_asked", "n_recorded", "n_cached", "n_failed", "prompt_tokens", "completion_tokens")
counts = st.integers(0, 1000)
totals = st.builds(
    Totals, **dict.fromkeys((*COUNTS, "n_unpriced"), counts), cost=st.integers(0, 99).map(float)
)


def summed(parts: Sequence[Totals]) -> Totals:
    """All counts together."""
    whole = Totals()
    for part in parts:
        whole.add(part)
    return whole


def test_priced_reply_is_counted_with_its_cost() -> None:
    """1,000 tokens at 2 and 100 at 8 dollars a million: 0.002 + 0.0008."""
    ledger = Ledger()
    ledger.answered("a", Usage(prompt_tokens=1000, completion_tokens=100), Price(2.0, 8.0))
    ledger.answered("b", Usage(prompt_tokens=10, completion_tokens=1), Price(0.0, 0.0))
    assert ledger.totals.cost == pytest.approx(0.0028)
    assert replace(ledger.totals, cost=0.0) == Totals(
        n_asked=2, prompt_tokens=1010, completion_tokens=101
    )


def test_reply_without_a_price_is_said_to_have_none() -> None:
    """Its tokens count, and a total of 0 dollars is not called the cost."""
    ledger = Ledger()
    ledger.answered("a", Usage(prompt_tokens=5, completion_tokens=2), None)
    assert ledger.totals == Totals(n_asked=1, prompt_tokens=5, completion_tokens=2, n_unpriced=1)


def test_a_reply_counts_once_however_often_it_is_used() -> None:
    """Facets and facts of a text share one reply; what was asked is not remembered as well."""
    ledger = Ledger()
    for key in ("b", "a", "b"):
        ledger.remembered(key, "recorded")
    ledger.remembered("c", "cached")
    ledger.answered("d", None, None)
    ledger.remembered("d", "cached")
    assert ledger.totals == Totals(n_recorded=2, n_cached=1, n_asked=1, n_unpriced=1)
    assert [ledger.keys(origin) for origin in ORIGINS] == [["d"], ["c"], ["a", "b"]]


@settings(deadline=None, max_examples=30)
@given(st.lists(totals, max_size=4))
def test_counts_of_processes_add_up_in_any_order(parts: list[Totals]) -> None:
    """Workers end when they end."""
    whole = summed(parts)
    assert whole == summed(parts[::-1])
    for name in (*COUNTS, "n_unpriced", "cost"):
        assert getattr(whole, name) == sum(getattr(part, name) for part in parts)


FIRST = ModelSeen(endpoint="here", asked="m", returned="m-1", fingerprint="fp_a")


def test_models_are_counted_by_their_replies() -> None:
    """A reply that is used twice is one, and every name and fingerprint is a model of its own."""
    ledger = Ledger()
    second = replace(FIRST, fingerprint="fp_b")
    for key, model in (("b", FIRST), ("a", FIRST), ("b", FIRST), ("c", second)):
        ledger.models.setdefault(model, set()).add(key)

    assert models_seen(ledger.models) == (
        replace(FIRST, n_replies=2),
        replace(second, n_replies=1),
    )
