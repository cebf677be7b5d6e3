from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.chat import ChatRequest, Message
from summeval_pytest.endpoints.endpoint import Endpoint, Price
from summeval_pytest.run.plan import Missing, planned_calls

# Two prices, in dollars per million tokens of prompt and of reply.
CHEAP = Price(1.0, 10.0)

groups = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(["facet", "eva"]), st.booleans()), max_size=12
)


def missing(  # noqa: PLR0913 - by keyword; each test wants another one
    system: str = "good",
    metric: str = "facet",
    *,
    price: Price | None = CHEAP,
    is_certain: bool = True,
    n_characters: int = 360,
    max_tokens: int = 1000,
) -> Missing:
    """A request of so many characters; 360 are about 90 tokens, and a message adds 8: 98."""
    request = ChatRequest(
        model="m-1", messages=(Message("user", "x" * n_characters),), max_tokens=max_tokens
    )
    return Missing(
        key="a" * 64,
        endpoint=Endpoint(name="here", base_url="http://here/v1"),
        request=request,
        price=price,
        system=system,
        metric=metric,
        is_certain=is_certain,
    )


def test_calls_are_counted_by_system_and_metric() -> None:
    """In the order in which they came up; a few words: 98 tokens out, 0.25 of 1,000 back.

    CHEAP: (98 * 1 + 250 * 10) / 1,000,000 = 0.002598 dollars a call.
    """
    rows = planned_calls(
        [
            missing("good", "facet"),
            missing("bad", "facet"),
            missing("good", "eva", is_certain=False),
            missing("good", "facet", is_certain=False),
        ],
        0.25,
    )
    named = [(row.system, row.metric, row.n_calls, row.n_certain) for row in rows]
    assert named == [("good", "facet", 2, 1), ("bad", "facet", 1, 1), ("good", "eva", 1, 0)]
    assert [row.prompt_tokens for row in rows] == [196, 98, 98]
    assert [row.completion_tokens for row in rows] == [500, 250, 250]
    assert [row.cost for row in rows] == pytest.approx([0.005196, 0.002598, 0.002598])


def test_calls_without_a_price_are_counted_beside_the_cost_of_the_others() -> None:
    """A sum of some of the costs must not look like all of them."""
    (row,) = planned_calls([missing(), missing(price=None)], 0.25)
    assert row.cost == pytest.approx(0.002598)
    assert row.n_unpriced == 1
    (unknown,) = planned_calls([missing(price=None)], 0.25)
    assert (unknown.cost, unknown.n_unpriced) == (None, 1)
    (free,) = planned_calls([missing(price=Price(0.0, 0.0))], 0.25)
    assert free.cost == 0.0


def test_replies_have_the_usual_length_where_none_is_remembered() -> None:
    """Three tenths of what they may have; remembered replies know better, even of nothing."""
    (usual,) = planned_calls([missing()], None)
    (empty,) = planned_calls([missing()], 0.0)
    assert usual.completion_tokens == 300
    assert empty.completion_tokens == 0


@settings(deadline=None, max_examples=30)
@given(groups)
def test_every_call_is_counted_once(calls: list[tuple[str, str, bool]]) -> None:
    """However they are grouped."""
    requests = [missing(system, metric, is_certain=sure) for system, metric, sure in calls]
    rows = planned_calls(requests, 0.5)
    assert sum(row.n_calls for row in rows) == len(calls)
    assert sum(row.n_certain for row in rows) == sum(sure for *_, sure in calls)
    assert len({(row.system, row.metric) for row in rows}) == len(rows)
    again = planned_calls([replace(request) for request in requests[::-1]], 0.5)
    assert {(r.system, r.metric): r.n_calls for r in again} == {
        (r.system, r.metric): r.n_calls for r in rows
    }
