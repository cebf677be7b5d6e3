from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.metrics.score import METRICS
from summeval_pytest.store.cache import Cache
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from summeval_pytest.run.plan import Survey
    from summeval_pytest.suite.suite import Suite

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


def counted(survey: Survey) -> Counter[tuple[str, str]]:
    """How many requests are missing, by system and metric."""
    return Counter((m.system, m.metric) for m in survey.missing.values())


def copied(source: Path, target: Path, keep: Callable[[str], bool]) -> None:
    """Another store with the rows whose topic is to be kept."""
    with Cache(target) as new:
        for row in stored(source).values():
            if keep(row.topic):
                new.put(row)


def test_first_round_is_what_can_be_asked_now(
    tmp_path: Path, suite: Suite, server: ScriptedServer
) -> None:
    """Two references, four summaries, their sentences, and two summaries to be written.

    All of it is certain, and a run's first requests are these.
    """
    survey = surveyed(desk_for(tmp_path / "store"), suite, tasks_of(suite), imagine=False)
    assert counted(survey) == {
        ("good", "facet"): 4,
        ("good", "faithfulness"): 2,
        ("bad", "facet"): 2,
        ("bad", "faithfulness"): 2,
        ("writer", "summaries"): 2,
    }
    assert all(missing.is_certain for missing in survey.missing.values())
    assert survey.found == {}
    assert survey.reply_share is None
    evaluated(desk_for(tmp_path / "store"), suite, tasks_of(suite))
    asked = surveyed(desk_for(tmp_path / "store"), suite, tasks_of(suite), imagine=False).found
    assert set(survey.missing) <= set(asked)
    assert len(asked) == server.n_requests


def test_missing_request_is_known_with_price_and_endpoint(tmp_path: Path, suite: Suite) -> None:
    """The judge has a price, the model under test none: it is on this machine."""
    survey = surveyed(desk_for(tmp_path / "store"), suite, tasks_of(suite), imagine=False)
    found = {(m.request.model, m.endpoint.name, m.price) for m in survey.missing.values()}
    price = suite.judges["rule"].price
    assert price is not None
    assert found == {("rule-1", "here", price), ("writer-7b", "here", Price(0.0, 0.0))}
    assert all(key == missing.key for key, missing in survey.missing.items())


def test_plan_goes_on_behind_what_is_missing(tmp_path: Path, suite: Suite) -> None:
    """Ratings and checks depend on facets and facts: they are counted, and called uncertain.

    Each recorded pair: one rating, one check of facts a direction.
    """
    survey = surveyed(
        desk_for(tmp_path / "store"), suite, tasks_of(suite, ["good", "bad"]), imagine=True
    )
    assert counted(survey) == {
        ("good", "facet"): 4 + 2,
        ("good", "eva"): 4,
        ("good", "faithfulness"): 2,
        ("bad", "facet"): 2 + 2,
        ("bad", "eva"): 4,
        ("bad", "faithfulness"): 2,
    }
    certain = {m.request.topic.split()[0] for m in survey.missing.values() if m.is_certain}
    guessed = {m.request.topic.split()[0] for m in survey.missing.values() if not m.is_certain}
    assert certain
    assert guessed
    assert not certain & guessed


def test_summary_that_is_not_written_yet_is_imagined(tmp_path: Path, suite: Suite) -> None:
    """What is asked about it is counted about right, and not certain; the reference's is."""
    survey = surveyed(
        desk_for(tmp_path / "store"), suite, tasks_of(suite, ["writer"]), imagine=True
    )
    writer = [m for m in survey.missing.values() if m.metric == "summaries"]
    judged = [m for m in survey.missing.values() if m.metric != "summaries"]
    assert len(writer) == 2
    assert all(missing.is_certain for missing in writer)
    assert len(judged) >= 2 * 4
    assert not any(missing.is_certain for missing in judged)


def test_what_follows_from_an_imagined_answer_is_uncertain_for_all_systems(
    tmp_path: Path, suite: Suite
) -> None:
    """The reference's facets were not answered, as a line of a batch may fail; the summaries' were.

    So both systems' ratings are of imagined facets.
    """
    evaluated(desk_for(tmp_path / "full", suite), suite, tasks_of(suite, ["good", "bad"]))
    first = surveyed(desk_for(tmp_path / "none"), suite, tasks_of(suite), imagine=False)
    ours = [m for m in first.missing.values() if m.metric == "facet"]
    references = {
        m.key for m in ours if "crack in" in str(m.request) or "get hot" in str(m.request)
    }
    assert len(references) == 2
    with Cache(tmp_path / "full") as old, Cache(tmp_path / "store") as new:
        for missing in ours:
            row = old.get(missing.key)
            assert row is not None
            if missing.key not in references:
                new.put(row)

    tasks = tasks_of(suite, ["good", "bad"], ("facet",))
    survey = surveyed(desk_for(tmp_path / "store"), suite, tasks, imagine=True)

    certain = {m.key: m.is_certain for m in survey.missing.values()}
    assert {key for key, is_certain in certain.items() if is_certain} == references
    assert counted(survey) == {("good", "facet"): 2 + 2, ("bad", "facet"): 2}


@pytest.mark.parametrize("systems", [("good",), ("good", "bad"), SYSTEMS])
def test_plan_counts_what_a_run_asks_where_everything_is_certain(
    tmp_path: Path, suite: Suite, server: ScriptedServer, systems: tuple[str, ...]
) -> None:
    """Summaries, facets and facts are remembered; what is left is known word for word."""
    tasks = tasks_of(suite, systems)
    evaluated(desk_for(tmp_path / "full", suite), suite, tasks)
    copied(
        tmp_path / "full",
        tmp_path / "store",
        lambda topic: topic.startswith(("summary", "facets", "facts")) and "check" not in topic,
    )
    n_before = server.n_requests

    plan = surveyed(desk_for(tmp_path / "store", suite), suite, tasks, imagine=True)
    assert all(missing.is_certain for missing in plan.missing.values())
    assert set(METRICS) == {missing.metric for missing in plan.missing.values()}
    assert server.n_requests == n_before
    session = desk_for(tmp_path / "store", suite)
    evaluated(session, suite, tasks)

    assert server.n_requests - n_before == len(plan.missing)
    assert session.exchange.ledger.totals.n_asked == len(plan.missing)
    after = surveyed(desk_for(tmp_path / "store", suite), suite, tasks, imagine=True)
    assert after.missing == {}
    assert set(after.found) == set(plan.found) | set(plan.missing)


def test_survey_after_a_run_finds_all_it_used(tmp_path: Path, suite: Suite) -> None:
    """Rows as they are remembered, under the topics of the requests."""
    tasks = tasks_of(suite)
    evaluated(desk_for(tmp_path / "store", suite), suite, tasks)
    survey = surveyed(desk_for(tmp_path / "store", suite), suite, tasks, imagine=False)
    assert survey.missing == {}
    assert stored(tmp_path / "store") == survey.found
    # Each scripted reply claims 20 tokens; how many it might have had is in the requests.
    assert survey.reply_share is not None
    assert 0.0 < survey.reply_share < 0.1


def test_share_of_replies_counts_each_reply_once(
    tmp_path: Path, suite: Suite, server: ScriptedServer
) -> None:
    """Facets and facts of a text come from one reply; each reply claims 20 tokens."""
    tasks = tasks_of(suite, ["good"], ("facet", "eva"))
    evaluated(desk_for(tmp_path / "store", suite), suite, tasks)
    allowed = [int(str(seen.body["max_tokens"])) for seen in server.seen]
    survey = surveyed(desk_for(tmp_path / "store"), suite, tasks, imagine=False)
    assert len(set(allowed)) > 1
    assert survey.reply_share == 20 * len(allowed) / sum(allowed)


VARIANT = """eva_recall = "matched"
eva_chains = "adjacent"
eva_validation = "chain"
eva_premises = 2
eva_relations = true"""


def test_a_variants_questions_are_planned_too(tmp_path: Path, server: ScriptedServer) -> None:
    """Two pairs: facts and relations of two texts, three facts' links, two premises a fact.

    The embedded judge stands in for the facts, which says how many there are: a reference of four
    sentences and a summary of three have a fact each.
    """
    suite = loaded(write_suite(tmp_path / "kilns", server.url, head=VARIANT))
    tasks = tasks_of(suite, metrics=("eva",))
    session = desk_for(tmp_path / "store", suite)
    survey = surveyed(session, suite, tasks, imagine=True)
    topics = Counter(m.request.topic.split(" '")[0] for m in survey.missing.values())
    assert topics["facets and facts"] == topics["relations"] == 4
    n_facts = 3
    assert topics["fact checks"] == 2 * ((n_facts - 1) + 2 * n_facts)
    assert not survey.found
    assert server.n_requests == 0


def test_after_a_run_of_a_variant_nothing_is_missing(
    tmp_path: Path, server: ScriptedServer
) -> None:
    """A plan knows every question of a run, the relations and the chains among them."""
    suite = loaded(write_suite(tmp_path / "kilns", server.url, head=VARIANT))
    tasks = tasks_of(suite, metrics=("eva",))
    evaluated(desk_for(tmp_path / "store", suite), suite, tasks)
    survey = surveyed(desk_for(tmp_path / "store", suite), suite, tasks, imagine=True)
    assert survey.missing == {}
    assert len(survey.found) == server.n_requests
