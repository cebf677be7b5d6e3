from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.endpoints.exchange import RUNS
from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.judges.offline.embedded import OfflineJudge
from summeval_pytest.run.desk import Desk, Terms
from summeval_pytest.store.cassette import write_cassette
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
from tests.scripted_server import Answer, ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from summeval_pytest.metrics.score import MetricName
    from summeval_pytest.suite.suite import Suite

ROOT: Final = Path(__file__).parents[2]
KEY: Final = "sk-marker-0a1b2c3d4e5f"
OTHER: Final = "other-marker-99887766"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """Whoever answers."""
    with ScriptedServer(by_rule) as server:
        yield server


@pytest.fixture
def suite(tmp_path: Path, server: ScriptedServer) -> Suite:
    """A suite whose judge and model have prices."""
    return loaded(
        write_suite(tmp_path / "kilns", server.url, judge=PRICES, system="temperature = 0.5")
    )


def refusal(doing: Callable[[], object]) -> str:
    """What the user is told."""
    with pytest.raises(OptionError) as caught:
        doing()
    return str(caught.value)


def test_embedded_judge_needs_no_store(tmp_path: Path, suite: Suite) -> None:
    """A run without a model leaves nothing behind."""
    desk = desk_for(tmp_path / "store", suite)
    judge = desk.judge("offline", [suite])
    asyncio.run(desk.finish(1.0))
    assert judge == OfflineJudge()
    assert not desk.is_asking
    assert not (tmp_path / "store").exists()


def test_model_that_judges_opens_its_store_when_it_is_asked(tmp_path: Path, suite: Suite) -> None:
    """A judge is named in the header of a run that may end before anything is asked."""
    desk = desk_for(tmp_path / "store", suite)
    assert desk.judge("rule", [suite]).signature.startswith("rule-1 at=here ")
    assert desk.is_asking
    assert not (tmp_path / "store").exists()


def test_surveyor_does_not_open_the_exchange(tmp_path: Path, suite: Suite) -> None:
    """Planning connects to nobody."""
    desk = desk_for(tmp_path / "store", suite)
    surveyed(desk, suite, tasks_of(suite), imagine=True)
    assert not desk.is_asking


def test_replies_are_asked_for_and_kept(
    tmp_path: Path, suite: Suite, server: ScriptedServer
) -> None:
    """A whole run, and a second one that asks nothing."""
    for asked in (True, False):
        desk = desk_for(tmp_path / "store", suite)
        evaluations = evaluated(desk, suite, tasks_of(suite, ["good", "writer"]))
        totals = desk.exchange.ledger.totals
        assert len(evaluations) == 4
        assert not any(evaluation.numbers().unscored for evaluation in evaluations)
        assert (totals.n_asked if asked else totals.n_cached) == server.n_requests
        assert (totals.n_cached if asked else totals.n_asked) == 0
        # The judge has a price, and the model under test is on this machine, which costs nothing.
        assert totals.n_unpriced == 0
        assert (totals.cost > 0) == asked
    assert {seen.body["temperature"] for seen in server.seen if seen.model == "writer-7b"} == {0.5}


@pytest.mark.parametrize(
    ("in_flight", "n_processes", "each"), [(64, 1, 64), (64, 4, 16), (64, 5, 12), (2, 4, 1)]
)
def test_processes_divide_what_may_be_open(in_flight: int, n_processes: int, each: int) -> None:
    """Never less than one."""
    terms = Terms(environ={}, in_flight=in_flight, n_processes=n_processes)
    assert Desk(terms).exchange.in_flight == each


def test_replay_has_no_judge_of_ones_own(tmp_path: Path, suite: Suite) -> None:
    """It would answer something else each time, and nobody recorded it."""
    desk = desk_for(tmp_path / "store", suite, record="none")
    assert desk.judge("offline", [suite]) == OfflineJudge()
    assert refusal(lambda: desk.judge("team.judges:Strict", [suite])) == (
        "--summ-record=none replays recorded answers, and judge 'team.judges:Strict' has none; use"
        " --summ-judge=offline, or --summ-record=new"
    )


def test_only_a_model_can_vote(suite: Suite) -> None:
    """The embedded judge says the same each time."""
    desk = Desk(Terms(environ={}, votes=3))
    assert refusal(lambda: desk.judge("offline", [suite])) == (
        "--summ-votes asks a model several times, and judge 'offline' is none; leave it out"
    )
    assert "votes=3" in desk.judge("rule", [suite]).signature


def test_votes_are_those_of_a_model(suite: Suite) -> None:
    """The option comes before the suite; who is no model is not asked several times."""
    assert Desk(Terms(environ={})).votes_of("rule", [suite]) == 1
    assert Desk(Terms(environ={})).votes_of("any-model", [suite]) == 1
    assert Desk(Terms(environ={}, votes=3)).votes_of("rule", [suite]) == 3
    assert Desk(Terms(environ={})).votes_of("offline", [suite]) is None
    assert Desk(Terms(environ={})).votes_of("team.judges:Strict", [suite]) is None


def test_budget_needs_prices(tmp_path: Path, server: ScriptedServer, suite: Suite) -> None:
    """Without a price nobody can say when to stop; the table to write it in is named."""
    told = (
        "--summ-budget needs a price; write input_price and output_price, dollars per million"
        " tokens, under [{}] of the suite"
    )
    desk = Desk(Terms(environ={}, budget=1.0))
    assert refusal(lambda: desk.judge("gpt-9", [suite])) == told.format("judges.gpt-9")
    away = loaded(write_suite(tmp_path / "away", "https://llm.example.org/v1"))
    elsewhere = Desk(desk.terms)
    assert refusal(lambda: elsewhere.check_system(away, away.systems["writer"])) == told.format(
        "systems.writer"
    )
    desk.judge("rule", [suite])
    desk.check_system(suite, suite.systems["good"])
    priced = loaded(write_suite(tmp_path / "priced", server.url, system=PRICES))
    desk.check_system(priced, priced.systems["writer"])


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1", "[::1]"])
def test_tokens_on_this_machine_cost_nothing_unless_a_price_is_written(
    tmp_path: Path, host: str
) -> None:
    """A plan of local models would else end without a total, and a budget refuse them."""
    address = f"http://{host}:8000/v1"
    suite = loaded(write_suite(tmp_path / "here", address, systems=["writer"]))
    desk = Desk(Terms(environ={}, directory=tmp_path / "store", budget=0.0))
    desk.check_system(suite, suite.systems["writer"])
    survey, _ = desk.survey("rule", [suite], tasks_of(suite), imagine=True)
    assert {missing.price for missing in survey.missing.values()} == {Price(0.0, 0.0)}

    suite = loaded(write_suite(tmp_path / "priced", address, systems=["writer"], system=PRICES))
    survey, _ = Desk(desk.terms).survey("rule", [suite], tasks_of(suite), imagine=True)
    written = {m.price for m in survey.missing.values() if m.metric == "summaries"}
    assert written == {Price(1000.0, 2000.0)}


def test_system_at_an_unknown_endpoint_is_refused(suite: Suite) -> None:
    """Before anything is judged."""
    desk = Desk(Terms(environ={}, endpoint="her"))
    spec = desk.roles.system_spec("llama3")
    assert refusal(lambda: desk.check_system(suite, spec)) == (
        "no endpoint 'her'; did you mean 'here'? (or write a URL)"
    )


@pytest.mark.parametrize(
    ("variable", "is_strict"),
    [(None, False), ("", False), ("false", False), ("0", False), ("true", True), ("1", True)],
)
def test_a_swapped_model_is_an_error_where_nobody_sits(
    tmp_path: Path, variable: str | None, is_strict: bool
) -> None:
    """GitHub and GitLab set CI=true; a shell may have it set to nothing, or to false."""
    environ = {} if variable is None else {"CI": variable}
    desk = Desk(Terms(environ=environ, directory=tmp_path / "store"))
    assert desk.exchange.is_strict is is_strict


def test_processes_share_one_account(tmp_path: Path) -> None:
    """One alone keeps it in its head, and a replay has nothing to pay."""
    store = tmp_path / "store"
    file = store / RUNS / "run-1" / "budget"

    def reserved(terms: Terms) -> bool:
        budget = Desk(terms).exchange.budget
        assert budget is not None
        asyncio.run(budget.reserve(0.5))
        return file.exists()

    def terms(n_processes: int, record: str = "new") -> Terms:
        return Terms(
            environ={},
            record="none" if record == "none" else "new",
            directory=store,
            budget=1.0,
            n_processes=n_processes,
            run="run-1",
        )

    assert not reserved(terms(1))
    assert not reserved(terms(2, "none"))
    assert not store.exists()
    assert reserved(terms(2))
    assert Desk(Terms(environ={})).exchange.budget is None


def test_cassette_answers_and_is_counted(
    tmp_path: Path, suite: Suite, server: ScriptedServer
) -> None:
    """A replay measures what the run measured that was recorded."""
    live = evaluated(desk_for(tmp_path / "store", suite), suite, tasks_of(suite))
    found = surveyed(desk_for(tmp_path / "store"), suite, tasks_of(suite), imagine=False).found
    write_cassette(suite.cassette.path, found.values())
    n_requests = server.n_requests

    desk = desk_for(tmp_path / "nowhere", suite, suite, record="none")
    replayed = evaluated(desk, suite, tasks_of(suite))

    assert [e.numbers() for e in replayed] == [e.numbers() for e in live]
    assert [e.scores for e in replayed] == [e.scores for e in live]
    assert server.n_requests == n_requests
    assert desk.exchange.ledger.keys("recorded") == sorted(found)
    assert not (tmp_path / "nowhere").exists()


def test_broken_cassette_is_a_mistake_of_the_suite(tmp_path: Path, suite: Suite) -> None:
    """It is told with its line before anything is judged."""
    suite.cassette.path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(SuiteError, match=r"^kilns/cassette\.jsonl:1: "):
        desk_for(tmp_path / "store", suite)


def test_replay_imports_neither_the_client_nor_the_database(tmp_path: Path, suite: Suite) -> None:
    """No socket can be opened by what is not there."""
    evaluated(desk_for(tmp_path / "store", suite), suite, tasks_of(suite))
    found = surveyed(desk_for(tmp_path / "store"), suite, tasks_of(suite), imagine=False).found
    write_cassette(suite.cassette.path, found.values())
    program = (
        "import sys, pathlib\n"
        "from tests.asked_suite import desk_for, evaluated, loaded, tasks_of\n"
        f"suite = loaded(pathlib.Path({str(suite.path.parent)!r}))\n"
        f"desk = desk_for(pathlib.Path({str(tmp_path / 'nowhere')!r}), suite, record='none')\n"
        "evaluations = evaluated(desk, suite, tasks_of(suite))\n"
        "print(len(evaluations), sum(len(e.numbers().unscored) for e in evaluations))\n"
        "print({'openai', 'diskcache', 'httpx'} & set(sys.modules))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines() == ["2 0", "set()"]


@pytest.mark.parametrize(
    ("place", "authorization"),
    [
        ("suite", "Bearer none"),
        ("keyed", f"Bearer {OTHER}"),
        ("typed", f"Bearer {KEY}"),
        ("moved", f"Bearer {KEY}"),
    ],
)
def test_key_goes_only_where_it_belongs(
    tmp_path: Path,
    server: ScriptedServer,
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    authorization: str,
) -> None:
    """What the server saw, with every key in the process's environment, where clients look."""
    environ = {"OPENAI_API_KEY": KEY, "TEAM_KEY": OTHER}
    if place == "moved":
        environ["OPENAI_BASE_URL"] = server.url
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    keyed = 'api_key_env = "TEAM_KEY"' if place == "keyed" else ""
    suite = loaded(write_suite(tmp_path / "kilns", server.url, endpoint=keyed))
    endpoint = server.url if place == "typed" else None
    allowed = (f"TEAM_KEY={server.origin}",)
    store = tmp_path / "store"
    terms = Terms(environ=environ, directory=store, endpoint=endpoint, allow_endpoints=allowed)
    desk = Desk(terms)

    judge = "rule" if place in {"suite", "keyed"} else "gpt-9"
    evaluated(desk, suite, tasks_of(suite, metrics=("faithfulness",)), judge)

    assert server.n_requests == 2
    assert {seen.headers["authorization"] for seen in server.seen} == {authorization}
    sent = "\n".join(f"{dict(seen.headers)}{seen.body}" for seen in server.seen)
    assert {key for key in (KEY, OTHER) if key in sent} <= {authorization.removeprefix("Bearer ")}


@pytest.mark.parametrize("role", ["judge", "system"])
def test_key_that_the_user_has_not_allowed_is_refused_before_anything_is_asked(
    tmp_path: Path, server: ScriptedServer, role: str
) -> None:
    """Also under a name that the user asks for, as the suite decides what the name means."""
    keyed = 'api_key_env = "TEAM_KEY"'
    suite = loaded(write_suite(tmp_path / "kilns", server.url, endpoint=keyed))
    environ = {"TEAM_KEY": OTHER}
    desk = Desk(Terms(environ=environ, directory=tmp_path / "store", endpoint="here"))

    def named() -> object:
        if role == "judge":
            return desk.judge("gpt-9", [suite])
        return desk.systems(suite, ["llama3"], "--summ-model")

    with pytest.raises(OptionError, match="and you have not allowed that"):
        named()
    assert server.n_requests == 0


def test_replay_needs_no_allowance(tmp_path: Path, server: ScriptedServer) -> None:
    """It sends nothing, and a pull request from a fork is judged so."""
    keyed = 'api_key_env = "TEAM_KEY"'
    suite = loaded(write_suite(tmp_path / "kilns", server.url, endpoint=keyed))
    desk = desk_for(tmp_path / "store", suite, record="none", environ={"TEAM_KEY": OTHER})

    assert desk.judge("rule", [suite]).signature


def test_organisation_is_not_told_to_an_address_of_a_suite(
    tmp_path: Path, server: ScriptedServer, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client library takes it from the environment: it is OpenAI's to know, as the key is."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-marker-31337")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-marker-31337")
    desk = desk_for(tmp_path / "store", suite)
    evaluated(desk, suite, tasks_of(suite, metrics=("faithfulness",)))
    assert not [seen for seen in server.seen if "marker" in str(dict(seen.headers))]


def test_model_of_one_suite_is_not_taken_for_that_of_another(
    tmp_path: Path, server: ScriptedServer
) -> None:
    """Two suites call two servers by one name: each is asked, or the run refused, as for judges."""
    metrics: tuple[MetricName, ...] = ("faithfulness",)
    with ScriptedServer(lambda _: Answer("The other server has its own opinion.")) as other:
        ours = loaded(write_suite(tmp_path / "kilns", server.url))
        theirs = loaded(write_suite(tmp_path / "roofs", other.url))
        desk = desk_for(tmp_path / "store", ours, theirs)
        try:
            for suite in (ours, theirs):
                desk.check_system(suite, suite.systems["writer"])
            tasks = [task for s in (ours, theirs) for task in tasks_of(s, ["writer"], metrics)]
            evaluations = evaluated(desk, ours, tasks, "offline")
        except OptionError as error:
            told = str(error)
            assert told.startswith("two suites of this run define endpoint 'here' differently; ")
            return
    assert (server.n_requests, other.n_requests) == (2, 2)
    assert "own opinion" not in evaluations[0].pair.summary
    assert "own opinion" in evaluations[2].pair.summary
