from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.endpoints.chat import ChatReply, ChatRequest, Message
from summeval_pytest.endpoints.endpoint import Endpoint, Price
from summeval_pytest.metrics.catalogue import METRICS
from summeval_pytest.metrics.number import MetricName
from summeval_pytest.run.plan import Missing, Survey, planned_calls
from summeval_pytest.store.store import LocalStore
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import JudgeSpec
from tests.asked_suite import (
    PRICES,
    by_rule,
    desk_for,
    evaluated,
    loaded,
    surveyed,
    tasks_of,
    write_suite,
)
from tests.scripted_server import ScriptedServer
from tests.stored import stored

SYSTEMS: Final = ("good", "bad", "writer")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """Whoever answers, and counts."""
    with ScriptedServer(by_rule) as server:
        yield server


@pytest.fixture
def suite(tmp_path: Path, server: ScriptedServer) -> Suite:
    """Two recorded systems and a model."""
    return loaded(write_suite(tmp_path / "kilns", server.url, systems=SYSTEMS, judge=PRICES))


def surveyed_in(
    store: Path, suite: Suite, *systems: str, metrics: tuple[MetricName, ...] = METRICS
) -> Survey:
    """The whole plan of a run over a store."""
    tasks = tasks_of(suite, systems or None, metrics)
    return surveyed(desk_for(store, suite), suite, tasks, imagine=True)


def counted(survey: Survey) -> Counter[tuple[str, str]]:
    """How many requests are missing, by system and metric."""
    return Counter((m.system, m.metric) for m in survey.missing.values())


def _asked(missing: Missing) -> str:
    """What a missing request asks."""
    return missing.request.topic.partition(" '")[0]


def copied(source: Path, target: Path, keep: Callable[[str], bool]) -> None:
    """Another store with the rows whose topic is to be kept."""
    with closing(LocalStore(target)) as new:
        for row in stored(source).values():
            if keep(row.topic):
                new.put(row)


def test_first_round_is_what_can_be_asked_now(
    tmp_path: Path, suite: Suite, server: ScriptedServer
) -> None:
    """The facets of two references; facts of six texts; sentences; two summaries to be written."""
    survey = surveyed(desk_for(tmp_path / "store"), suite, tasks_of(suite), imagine=False)
    assert counted(survey) == {
        ("good", "facet"): 2,
        ("good", "eva"): 4,
        ("good", "faithfulness"): 2,
        ("bad", "eva"): 2,
        ("bad", "faithfulness"): 2,
        ("writer", "summaries"): 2,
    }
    assert all(m.is_certain and key == m.key for key, m in survey.missing.items())
    asked_of = {(m.request.model, m.endpoint.name, m.price) for m in survey.missing.values()}
    judge = suite.judges["rule"]
    assert isinstance(judge, JudgeSpec)
    price = judge.price
    assert asked_of == {("rule-1", "here", price), ("writer-7b", "here", Price(0.0, 0.0))}
    assert (survey.stored, survey.reply_share) == ({}, None)
    evaluated(desk_for(tmp_path / "store"), suite, tasks_of(suite))
    requested = surveyed(desk_for(tmp_path / "store"), suite, tasks_of(suite), imagine=False).stored
    assert set(survey.missing) <= set(requested)
    assert len(requested) == server.n_requests


def test_plan_goes_on_behind_what_is_missing(tmp_path: Path, suite: Suite) -> None:
    """Ratings and checks depend on facets and facts: they are counted, and called uncertain."""
    survey = surveyed_in(tmp_path / "store", suite, "good", "bad")
    assert counted(survey) == {
        ("good", "facet"): 2 + 2,
        ("good", "eva"): 4 + 4,
        ("good", "faithfulness"): 2,
        ("bad", "facet"): 2,
        ("bad", "eva"): 2 + 4,
        ("bad", "faithfulness"): 2,
    }
    certain = {_asked(m) for m in survey.missing.values() if m.is_certain}
    guessed = {_asked(m) for m in survey.missing.values() if not m.is_certain}
    assert certain
    assert guessed
    assert not certain & guessed


def test_summary_that_is_not_written_yet_is_imagined(tmp_path: Path, suite: Suite) -> None:
    """What is asked about it is counted about right, and not certain; the reference's is."""
    survey = surveyed_in(tmp_path / "store", suite, "writer")
    writer = [m for m in survey.missing.values() if m.metric == "summaries"]
    judged = [m for m in survey.missing.values() if m.metric != "summaries"]
    assert len(writer) == 2
    assert all(missing.is_certain for missing in writer)
    assert len(judged) >= 2 * 4
    assert not any(missing.is_certain for missing in judged)


def test_what_follows_from_an_imagined_answer_is_uncertain_for_all_systems(
    tmp_path: Path, suite: Suite
) -> None:
    """References' facets were not answered, summaries' were: both systems' ratings are imagined."""
    evaluated(desk_for(tmp_path / "full", suite), suite, tasks_of(suite, ["good", "bad"]))
    first = surveyed(desk_for(tmp_path / "none"), suite, tasks_of(suite), imagine=False)
    own = [m for m in first.missing.values() if m.metric == "facet"]
    references = {m.key for m in own if "crack in" in str(m.request) or "get hot" in str(m.request)}
    assert len(references) == 2
    with (
        closing(LocalStore(tmp_path / "full")) as old,
        closing(LocalStore(tmp_path / "store")) as new,
    ):
        for missing in own:
            row = old.get(missing.key)
            assert row is not None
            if missing.key not in references:
                new.put(row)

    survey = surveyed_in(tmp_path / "store", suite, "good", "bad", metrics=("facet",))

    certain = {m.key: m.is_certain for m in survey.missing.values()}
    assert {key for key, is_certain in certain.items() if is_certain} == references
    assert counted(survey) == {("good", "facet"): 2 + 2, ("bad", "facet"): 2}


def test_plan_counts_what_a_run_asks_where_everything_is_certain(
    tmp_path: Path, suite: Suite, server: ScriptedServer
) -> None:
    """Summaries, facets and facts are remembered; what is left is known word for word."""
    tasks = tasks_of(suite)
    evaluated(desk_for(tmp_path / "full", suite), suite, tasks)
    copied(
        tmp_path / "full",
        tmp_path / "store",
        lambda topic: (
            topic.startswith(("summary", "facet segments", "facts")) and "check" not in topic
        ),
    )
    n_before = server.n_requests

    plan = surveyed_in(tmp_path / "store", suite)
    assert all(missing.is_certain for missing in plan.missing.values())
    assert set(METRICS) == {missing.metric for missing in plan.missing.values()}
    assert server.n_requests == n_before
    session = desk_for(tmp_path / "store", suite)
    evaluated(session, suite, tasks)

    assert server.n_requests - n_before == len(plan.missing)
    assert session.replies.exchange.ledger.totals.n_asked == len(plan.missing)
    after = surveyed_in(tmp_path / "store", suite)
    assert after.missing == {}
    assert set(after.stored) == set(plan.stored) | set(plan.missing)
    assert after.stored == stored(tmp_path / "store"), "under the topics of the requests"


def test_share_of_replies_counts_each_reply_once(
    tmp_path: Path, suite: Suite, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts of the reference come from one reply for all; each reply claims 20 tokens."""
    tasks = tasks_of(suite, ["good"], ("facet", "eva"))
    evaluated(desk_for(tmp_path / "store", suite), suite, tasks)
    needs: dict[str, int] = {}
    find = Survey.find

    def noted(survey: Survey, key: str, endpoint: str, request: ChatRequest) -> ChatReply | None:
        needs[key] = request.max_tokens
        return find(survey, key, endpoint, request)

    monkeypatch.setattr(Survey, "find", noted)
    survey = surveyed(desk_for(tmp_path / "store"), suite, tasks, imagine=False)
    assert len(needs) == server.n_requests
    assert len(set(needs.values())) > 1
    assert survey.reply_share == 20 * len(needs) / sum(needs.values())


VARIANT = """eva_recall = "matched"
[metrics.eva]
use = "summeval_pytest.study.eva.printed_eva:PrintedEva"
chains = "adjacent"
validation = "chain"
premises = 2
relations = 0.65
"""


def test_a_variants_questions_are_planned_too_and_found_after_its_run(
    tmp_path: Path, server: ScriptedServer
) -> None:
    """Two pairs: facts and relations of two texts, three facts' links, two premises a fact.

    The embedded judge stands in for the facts, which says how many there are: a reference of four
    sentences and a summary of three have a fact each.
    """
    suite = loaded(write_suite(tmp_path / "kilns", server.url, head=VARIANT))
    survey = surveyed_in(tmp_path / "store", suite, metrics=("eva",))
    topics = Counter(m.request.topic.split(" '")[0] for m in survey.missing.values())
    assert topics["facts"] == topics["relations"] == 4
    n_facts = 3
    assert topics["fact checks"] == 2 * ((n_facts - 1) + 2 * n_facts)
    assert (survey.stored, server.n_requests) == ({}, 0)
    evaluated(desk_for(tmp_path / "store", suite), suite, tasks_of(suite, metrics=("eva",)))
    after = surveyed_in(tmp_path / "store", suite, metrics=("eva",))
    assert (after.missing, len(after.stored)) == ({}, server.n_requests)


# Calls, tokens and dollars

CHEAP = Price(1.0, 10.0)
"""Dollars per million tokens of prompt and of reply."""


def missing(
    system: str = "good",
    metric: str = "facet",
    *,
    price: Price | None = CHEAP,
    is_certain: bool = True,
) -> Missing:
    """A request of 360 characters; these are about 90 tokens, and a message adds 8: 98."""
    message = Message("user", "x" * 360)
    return Missing(
        key="a" * 64,
        endpoint=Endpoint(name="here", base_url="http://here/v1"),
        request=ChatRequest(model="m-1", messages=(message,), max_tokens=1000),
        price=price,
        system=system,
        metric=metric,
        is_certain=is_certain,
    )


def test_calls_are_counted_by_system_and_metric() -> None:
    """Whatever order they come up in; a few words: 98 tokens out, 0.25 of 1,000 back.

    CHEAP: (98 * 1 + 250 * 10) / 1,000,000 = 0.002598 dollars a call.
    """
    rows = planned_calls(
        [
            missing("good", "eva", is_certain=False),
            missing("good", "facet"),
            missing("bad", "facet"),
            missing("good", "facet", is_certain=False),
        ],
        0.25,
        {},
    )
    named = [(row.system, row.metric, row.n_calls, row.n_certain) for row in rows]
    assert named == [("good", "facet", 2, 1), ("good", "eva", 1, 0), ("bad", "facet", 1, 1)]
    assert [row.prompt_tokens for row in rows] == [196, 98, 98]
    assert [row.completion_tokens for row in rows] == [500, 250, 250]
    assert [row.cost for row in rows] == pytest.approx([0.005196, 0.002598, 0.002598])


@pytest.mark.parametrize(
    ("prices", "cost", "n_unpriced"),
    [
        ([CHEAP, None], pytest.approx(0.002598), 1),
        ([None], None, 1),
        ([Price(0.0, 0.0)], 0.0, 0),
    ],
)
def test_calls_without_a_price_are_counted_beside_the_cost_of_the_others(
    prices: list[Price | None], cost: float | None, n_unpriced: int
) -> None:
    """A sum of some of the costs must not look like all of them."""
    (row,) = planned_calls([missing(price=price) for price in prices], 0.25, {})
    assert (row.cost, row.n_unpriced) == (cost, n_unpriced)


def test_two_models_of_one_price_are_both_named() -> None:
    """Each is another server's price, and may change alone."""
    prices = [replace(CHEAP, source=source) for source in ("m-1 at a", "m-2 at b")]
    (row,) = planned_calls([missing(price=price) for price in prices], 0.25, {})
    assert row.listed == {(price.source, price) for price in prices}


def test_replies_have_the_usual_length_where_none_is_remembered() -> None:
    """Three tenths of what they may have; remembered replies know better, even of nothing."""
    rows = [planned_calls([missing()], share, {})[0] for share in (None, 0.0)]
    assert [row.completion_tokens for row in rows] == [300, 0]


def test_a_model_that_thinks_is_planned_to_think_on() -> None:
    """Its stored replies thought 1,500 tokens in the mean; another model's say nothing of it."""
    thoughts = {("here", "m-1"): 1500.0, ("here", "m-2"): 9.0}
    (row,) = planned_calls([missing(), missing()], 0.25, thoughts)
    assert row.completion_tokens == 2 * (250 + 1500)
