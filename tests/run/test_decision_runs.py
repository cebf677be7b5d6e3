from __future__ import annotations

from pathlib import Path

import pytest

from summeval_pytest.endpoints.endpoint import Endpoint, Price
from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.judges.composed import ComposedJudge
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.run.plan import planned_calls
from summeval_pytest.suite.prices import price_at
from tests.asked_suite import by_rule, desk_for, evaluated, loaded, tasks_of, write_suite
from tests.decisions_by_rule import decided
from tests.scripted_server import Action, ScriptedServer, Seen, Status

LUNA = '\n[judges.luna]\nkind = "{kind}"\nendpoint = "here"\nmodel = "luna-6"\n'


def luna(folder: Path, url: str, *, kind: str = "decisions", more: str = "") -> Path:
    """The suite with a decision judge."""
    return write_suite(folder, url, tail=LUNA.format(kind=kind) + more)


@pytest.mark.parametrize("kind", ["decisions", "systemone"])
def test_a_run_asks_once_and_replays_without_a_request(tmp_path: Path, kind: str) -> None:
    """A stored reply of a decision judge is as good as any other."""
    with ScriptedServer(decided) as server:
        suite = loaded(luna(tmp_path / "suite", server.url, kind=kind))
        tasks = tasks_of(suite)
        first = evaluated(desk_for(tmp_path / "store", suite), suite, tasks, "luna")
        n_requests = server.n_requests
        again = evaluated(desk_for(tmp_path / "store", suite, run="two"), suite, tasks, "luna")
        assert server.n_requests == n_requests
    assert n_requests == 5 * len(tasks)  # segments, facets, two lists of facts, sentences
    assert [each.scores for each in again] == [each.scores for each in first]
    assert "coverage=100" in str(first[0].score("facet"))


def test_a_cassette_replays_and_names_what_it_lacks(tmp_path: Path) -> None:
    """A replay sends nothing, whether its cassette has the replies or not."""
    with ScriptedServer(decided) as server:
        suite = loaded(luna(tmp_path / "suite", server.url))
        tasks = tasks_of(suite)
        session = desk_for(tmp_path / "store", suite)
        first = evaluated(session, suite, tasks, "luna")
        survey, _ = desk_for(tmp_path / "store", suite).survey(
            "luna", [suite], tasks, imagine=False
        )
        n_requests = server.n_requests
        replay = desk_for(tmp_path / "none", suite, record="none")
        replay.replies._rows.update(survey.stored)
        assert [e.scores for e in evaluated(replay, suite, tasks, "luna")] == [
            e.scores for e in first
        ]
        for key in [*survey.stored][:3]:
            del survey.stored[key]
        poor = desk_for(tmp_path / "none", suite, record="none")
        poor.replies._rows.update(survey.stored)
        assert [e.scores for e in evaluated(poor, suite, tasks, "luna")] != [
            e.scores for e in first
        ]
        assert server.n_requests == n_requests


def test_a_plan_counts_the_calls_of_a_run_and_none_of_their_replies(tmp_path: Path) -> None:
    """Decisions cost what is read, and nothing for what is answered."""
    prices = "input_price = 100.0\noutput_price = 0.0\n"
    with ScriptedServer(decided) as server:
        suite = loaded(luna(tmp_path / "suite", server.url, more=prices))
        tasks = tasks_of(suite)
        session = desk_for(tmp_path / "store", suite)
        survey, _ = session.survey("luna", [suite], tasks, imagine=True)
        calls = planned_calls(survey.missing.values(), survey.reply_share, survey.thoughts)
        assert server.n_requests == 0
        evaluated(desk_for(tmp_path / "store", suite), suite, tasks, "luna")
        assert sum(each.n_calls for each in calls) == server.n_requests
    assert sum(each.completion_tokens for each in calls) == 0
    assert all(each.cost for each in calls)


def test_facts_are_listed_offline_unless_the_suite_names_a_judge(tmp_path: Path) -> None:
    """Lists come from ``facts``; everything else from the decision judge itself."""
    suite = loaded(luna(tmp_path / "suite", "http://127.0.0.1:1/v1"))
    judge = desk_for(tmp_path / "store", suite).judge("luna", [suite])
    assert isinstance(judge, ComposedJudge)
    assert isinstance(judge.parts["listing"], OfflineJudge)
    assert "luna-6 at=here decisions" in judge.signature
    suite = loaded(luna(tmp_path / "other", "http://127.0.0.1:1/v1", more='facts = "rule"\n'))
    judge = desk_for(tmp_path / "store", suite).judge("luna", [suite])
    assert "listing=(rule-1 " in judge.signature


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('kind = "verdicts"', "kind"),
        ('kind = "decisions"\nendpoint = "here"', "model"),
        ('kind = "decisions"\nendpoint = "nowhere"\nmodel = "m"', "nowhere"),
        ('kind = "decisions"\nendpoint = "here"\nmodel = "m"\nthreshold = 2', "threshold"),
        ('kind = "decisions"\nendpoint = "here"\nmodel = "m"\nvotes = 3', "votes"),
        ('kind = "decisions"\nendpoint = "here"\nmodel = "m"\nfacts = "nobody"', "nobody"),
        ('kind = "decisions"\nendpoint = "here"\nmodel = "m"\nfacts = "bad"', "asks itself"),
    ],
)
def test_a_wrong_table_is_an_error_with_its_line(tmp_path: Path, keys: str, said: str) -> None:
    """A mistake in the table is the user's to mend, and is said where it stands."""
    folder = write_suite(tmp_path / "suite", "http://h/v1", tail=f"\n[judges.bad]\n{keys}\n")
    with pytest.raises(SuiteError, match=said):
        loaded(folder)


def test_the_list_of_prices_knows_the_decisions_of_openai() -> None:
    """The same model costs less there than in chat, and its answers nothing."""
    endpoint = Endpoint(name="openai", base_url="https://api.openai.com/v1")
    price = price_at(endpoint, "gpt-6-luna", "decisions")
    assert price is not None
    assert price.input == pytest.approx(0.1)
    assert price.output == 0.0
    typesafe = Endpoint(name="typesafe", base_url="https://api.typesafe.ai/v1")
    assert isinstance(price_at(typesafe, "jev-1.13", "systemone"), Price)
    assert price_at(typesafe, "jev-1.13") is None


def test_a_server_of_another_kind_ends_the_run(tmp_path: Path) -> None:
    """Chat and decisions are told apart by their routes."""

    def chat_only(seen: Seen) -> Action:
        return Status(404, message=f"no route {seen.path}")

    with ScriptedServer(chat_only) as server:
        suite = loaded(luna(tmp_path / "suite", server.url))
        with pytest.raises(OptionError, match="no route /v1/decisions"):
            evaluated(desk_for(tmp_path / "store", suite), suite, tasks_of(suite), "luna")


CASCADE = '[judges.cascade]\nfirst = "luna"\nthen = "rule"\nunsure = [0.3, 0.9]\n'
PANEL = """
[judges.jev]
kind = "systemone"
endpoint = "here"
model = "jev-1"
[judges.panel]
facets = ["luna", "jev", "rule"]
facts = ["luna", "jev", "rule"]
sentences = ["luna", "jev", "rule"]
rule = "majority"
"""


def both(seen: Seen) -> Action:
    """Decisions and chat by rule."""
    return by_rule(seen) if "messages" in seen.body else decided(seen)


def test_a_cascade_asks_the_second_judge_for_unsure_items_only(tmp_path: Path) -> None:
    """Its calls are planned from the stored answers of the first."""
    with ScriptedServer(both) as server:
        suite = loaded(luna(tmp_path / "suite", server.url, more=CASCADE))
        tasks, store = tasks_of(suite), tmp_path / "store"
        evaluated(desk_for(store, suite), suite, tasks, "luna")
        n_first = server.n_requests
        survey, signature = desk_for(store, suite, run="2").survey(
            "cascade", [suite], tasks, imagine=True
        )
        results = evaluated(desk_for(store, suite, run="3"), suite, tasks, "cascade")
        models = {seen.model for seen in server.seen[n_first:]}
        assert len(survey.missing) == server.n_requests - n_first > 0
    assert models == {"rule-1"}  # luna's replies are stored
    assert "unsure=0.3-0.9(luna-6 at=here" in signature
    assert "rule-1 at=here" in signature
    faithfulness = str(results[0].score("faithfulness"))
    assert "reason='rule: " in faithfulness
    assert "reason='luna: " in str(results)


def test_a_majority_of_three_judges_measures_all_metrics(tmp_path: Path) -> None:
    """All three are asked about the same facts, sentences and facets."""
    with ScriptedServer(both) as server:
        suite = loaded(luna(tmp_path / "suite", server.url, more=PANEL))
        session = desk_for(tmp_path / "store", suite)
        judge = session.judge("panel", [suite])
        results = evaluated(desk_for(tmp_path / "store", suite), suite, tasks_of(suite), "panel")
        assert {seen.model for seen in server.seen} == {"luna-6", "jev-1", "rule-1"}
    assert session.is_asked("panel", [suite])
    assert judge.signature.count("majority(luna-6") == 1
    assert "listing=(offline" in judge.signature
    assert "Unscored" not in str(results)
