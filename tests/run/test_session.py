from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final, cast

import pytest

from summeval_pytest.endpoints.chat import ChatReply, ChatRequest
from summeval_pytest.endpoints.client import Sender
from summeval_pytest.endpoints.endpoint import Address, Price
from summeval_pytest.errors import NoReplyError, OptionError, Place
from summeval_pytest.judges.offline import OfflineJudge
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from summeval_pytest.options import Record
from summeval_pytest.run.session import Session, Terms
from summeval_pytest.store.cassette import write_cassette
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import JudgeSpec, SystemSpec
from tests.asked_suite import (
    PRICES,
    by_rule,
    desk_for,
    evaluated,
    loaded,
    tasks_of,
    text_by_rule,
    write_suite,
)
from tests.scripted_server import Answer, ScriptedServer, Seen

URL: Final = "http://127.0.0.1:9/v1"
KEY: Final = "sk-marker-0a1b2c3d4e5f"
OTHER: Final = "other-marker-99887766"


class Connections:
    """Connects to nobody, and keeps who was to be connected."""

    def __init__(self) -> None:
        self.made: list[tuple[Address, Price | None]] = []

    def line(self, address: Address, price: Price | None) -> Sender:
        """A sender that sends nothing."""
        self.made.append((address, price))
        return cast("Sender", self)

    async def send(self, request: ChatRequest) -> ChatReply:
        """No reply."""
        raise NoReplyError("dropped", request.topic)


@pytest.fixture
def here(tmp_path: Path) -> Suite:
    """A suite with a judge."""
    return loaded(write_suite(tmp_path / "kilns", URL, judge=f"votes = 3\n{PRICES}"))


@pytest.fixture
def there(tmp_path: Path) -> Suite:
    """A suite that says the same of its judge and another thing of its endpoint."""
    url = "http://127.0.0.1:10/v1"
    return loaded(write_suite(tmp_path / "roofs", url, judge=f"votes = 3\n{PRICES}"))


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


def test_store_is_opened_when_somebody_is_asked(tmp_path: Path, suite: Suite) -> None:
    """A run without a model leaves nothing behind, and one that ends before it asks, neither."""
    session = desk_for(tmp_path / "store", suite)
    assert session.judge("offline", [suite]) == OfflineJudge()
    asyncio.run(session.replies.finish(1.0))
    known = [session.replies.is_asking]
    assert session.judge("rule", [suite]).signature.startswith("rule-1 at=here ")
    assert [*known, session.replies.is_asking] == [False, True]
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("in_flight", "n_processes", "each"), [(64, 1, 64), (64, 4, 16), (64, 5, 12), (2, 4, 1)]
)
def test_processes_divide_what_may_be_open(in_flight: int, n_processes: int, each: int) -> None:
    """Never less than one."""
    session = Session({}, Terms(in_flight=in_flight, n_processes=n_processes))
    assert session.replies.exchange.limits.limit == each


def test_replay_has_no_judge_of_ones_own(tmp_path: Path, suite: Suite) -> None:
    """It would answer something else each time, and nobody recorded it."""
    session = desk_for(tmp_path / "store", suite, record="none")
    assert session.judge("offline", [suite]) == OfflineJudge()
    assert refusal(lambda: session.judge("team.judges:Strict", [suite])) == (
        "--summ-record=none replays recorded answers, and judge 'team.judges:Strict' has none; use"
        " --summ-judge=offline, or --summ-record=new"
    )


def test_votes_are_those_of_a_model(suite: Suite) -> None:
    """The option comes before the suite; who is no model is not asked several times."""
    assert Session({}).votes_of("rule", [suite]) == 1
    assert Session({}).votes_of("any-model", [suite]) == 1
    assert Session({}, Terms(votes=3)).votes_of("rule", [suite]) == 3
    assert Session({}).votes_of("offline", [suite]) is None
    assert Session({}).votes_of("team.judges:Strict", [suite]) is None


def test_budget_needs_prices(tmp_path: Path, server: ScriptedServer, suite: Suite) -> None:
    """Without a price nobody can say when to stop; the table to write it in is shown."""
    message = (
        "--summ-budget needs a price, and nobody knows one of {!r}; the table [{}] of the suite"
        ' needs endpoint = "{}", model = "{}", input_price and output_price (dollars per million'
        " tokens)"
    )
    session = Session({}, Terms(budget=1.0))
    assert refusal(lambda: session.judge("gpt-9", [suite])) == message.format(
        "gpt-9", 'judges."gpt-9"', "openai", "gpt-9"
    )
    away = loaded(write_suite(tmp_path / "away", "https://llm.example.org/v1"))
    elsewhere = Session({}, session.terms)
    assert refusal(lambda: elsewhere.check_system(away, away.systems["writer"])) == message.format(
        "writer-7b", 'systems."writer"', "here", "writer-7b"
    )
    session.judge("rule", [suite])
    session.check_system(suite, suite.systems["good"])
    priced = loaded(write_suite(tmp_path / "priced", server.url, system=PRICES))
    session.check_system(priced, priced.systems["writer"])


def test_tokens_on_this_machine_cost_nothing_unless_a_price_is_written(tmp_path: Path) -> None:
    """A plan of local models would else end without a total, and a budget refuse them."""
    address = "http://localhost:8000/v1"
    suite = loaded(write_suite(tmp_path / "here", address, systems=["writer"]))
    session = Session({}, Terms(store=str(tmp_path / "store"), budget=0.0))
    session.check_system(suite, suite.systems["writer"])
    survey, _ = session.survey("rule", [suite], tasks_of(suite), imagine=True)
    assert {missing.price for missing in survey.missing.values()} == {Price(0.0, 0.0)}

    suite = loaded(write_suite(tmp_path / "priced", address, systems=["writer"], system=PRICES))
    survey, _ = Session({}, session.terms).survey("rule", [suite], tasks_of(suite), imagine=True)
    written = {m.price for m in survey.missing.values() if m.metric == "summaries"}
    assert written == {Price(1000.0, 2000.0)}


def test_a_swapped_model_is_an_error_where_nobody_sits(tmp_path: Path) -> None:
    """GitHub and GitLab set CI=true; a shell may have it set to nothing, or to false."""
    values = ("", "false", "0", "true", "1")
    for environ in ({}, *({"CI": value} for value in values)):
        session = Session(environ, Terms(store=str(tmp_path / "store")))
        assert session.replies.exchange.is_strict is (environ.get("CI") in {"true", "1"})


def test_processes_share_one_account(tmp_path: Path) -> None:
    """One alone keeps it in its head, and a replay has nothing to pay."""
    store = tmp_path / "store"
    runs = store / "runs" / "run-1"

    def reserves(n_processes: int, record: Record = "new") -> bool:
        terms = Terms(
            record=record, store=str(store), budget=1.0, n_processes=n_processes, run="run-1"
        )
        session = Session({}, terms)
        assert session.replies.exchange.budget is not None
        asyncio.run(session.replies.exchange.budget.reserve(0.5))
        return runs.exists()

    assert not reserves(1)
    assert not reserves(2, "none")
    assert not store.exists()
    assert reserves(2)
    assert Session({}).replies.exchange.budget is None


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
    monkeypatch.setenv("OPENAI_ORG_ID", "org-marker-31337")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-marker-31337")
    if place == "moved":
        environ["OPENAI_BASE_URL"] = server.url
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    keyed = 'api_key_env = "TEAM_KEY"' if place == "keyed" else ""
    suite = loaded(write_suite(tmp_path / "kilns", server.url, endpoint=keyed))
    endpoint = server.url if place == "typed" else None
    allowed = (f"TEAM_KEY={server.origin}",)
    store = tmp_path / "store"
    session = Session(environ, Terms(store=str(store), endpoint=endpoint, allow_endpoints=allowed))

    judge = "rule" if place in {"suite", "keyed"} else "gpt-9"
    evaluated(session, suite, tasks_of(suite, metrics=("faithfulness",)), judge)

    assert server.n_requests == 2
    assert {seen.headers["authorization"] for seen in server.seen} == {authorization}
    sent = "\n".join(f"{dict(seen.headers)}{seen.body}" for seen in server.seen)
    assert {key for key in (KEY, OTHER) if key in sent} <= {authorization.removeprefix("Bearer ")}
    assert place not in {"suite", "keyed"} or "31337" not in sent


def test_judge_of_a_suite_is_as_it_says(here: Suite) -> None:
    """Model, endpoint, price and votes."""
    session, lines = Session({}, Terms(endpoint="openai")), Connections()
    spec = session.judge_spec("rule", [here])
    assert isinstance(spec, JudgeSpec)
    judge = session.judge("rule", [here], lines.line)
    assert spec == here.judges["rule"]
    assert judge.signature.startswith("rule-1 at=here temp=0 prompt=")
    assert judge.signature.endswith(" votes=3 calls=batched examples=10 facets=whole")
    ((address, price),) = lines.made
    assert address.endpoint.base_url == URL
    assert price == spec.price
    assert price is not None
    assert (price.input, price.output) == (1000.0, 2000.0)


@pytest.mark.parametrize(
    ("written", "pinned"), [("", None), ("pinned = true", True), ("pinned = false", False)]
)
def test_models_are_compared_with_their_names_as_the_suite_says(
    tmp_path: Path, written: str, pinned: bool | None
) -> None:
    """A model under test, too: another one's summaries would release it."""
    suite = loaded(write_suite(tmp_path / "kilns", URL, judge=written, system=written))
    session, lines = Session({}), Connections()
    session.judge("rule", [suite], lines.line)
    with pytest.raises(NoReplyError):
        asyncio.run(session.pair(suite, "kiln", "writer", lines.line))
    assert [address.pinned for address, _ in lines.made] == [pinned, pinned]


GATE_URL: Final = {"OPENAI_BASE_URL": "http://gate/v1"}


@pytest.mark.parametrize(
    ("endpoint", "environ", "of_judge", "of_system"),
    [
        (None, {}, "openai", "ollama"),
        (None, GATE_URL, "openai", "openai"),
        ("http://typed/v1", GATE_URL, "http://typed/v1", "http://typed/v1"),
        ("here", {}, "here", "here"),
    ],
)
def test_a_name_that_no_suite_defines_is_a_model(
    here: Suite, endpoint: str | None, environ: dict[str, str], of_judge: str, of_system: str
) -> None:
    """Its name is the endpoint's name for it. A system without a place is on this machine."""
    session = Session(environ, Terms(endpoint=endpoint))
    expected = JudgeSpec(name="gpt-9", endpoint=of_judge, model="gpt-9")
    assert session.judge_spec("gpt-9", [here]) == expected
    with_model, _ = session.systems(here, ["llama3"], "--summ-model")
    place = Place("--summ-model=llama3")
    assert with_model.systems["llama3"] == SystemSpec(
        name="llama3", endpoint=of_system, model="llama3", place=place
    )


@pytest.mark.parametrize("name", ["json:JSONDecoder", "offlin"])
def test_judge_of_a_suite_is_meant_before_any_other(tmp_path: Path, name: str) -> None:
    """A name that could be a class's, or a misspelling, is the suite's where the suite has it."""
    folder = write_suite(tmp_path / "kilns", URL)
    toml = folder / "summeval.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace("[judges.rule]", f'[judges."{name}"]'))
    suite = loaded(folder)
    assert Session({}).judge_spec(name, [suite]) is suite.judges[name]


def test_who_is_no_model_is_not_asked_as_one(here: Suite) -> None:
    """Nobody would want to pay for a misspelling, and nothing else could vote."""
    for name in ("ofline", "offlin", "offline2"):
        message = refusal(partial(Session({}).judge_spec, name, []))
        assert message == f"no judge {name!r}; did you mean 'offline'?"
    assert refusal(lambda: Session({}, Terms(votes=3)).judge("offline", [here])) == (
        "--summ-votes asks a model several times, and judge 'offline' is none; leave it out"
    )


def test_suites_that_disagree_are_refused(tmp_path: Path, here: Suite, there: Suite) -> None:
    """One run has one judge, at one place, and nobody could say which; so has a model."""
    other = loaded(write_suite(tmp_path / "other", URL, judge="votes = 5"))
    session = Session({})
    message = (
        "two suites of this run define {} differently; gate them one by one, or rename one of the"
        " two"
    )
    assert refusal(lambda: session.judge_spec("rule", [here, other])) == message.format(
        "judge 'rule'"
    )
    of_endpoint = message.format("endpoint 'here'")
    assert refusal(lambda: session.judge("rule", [here, there], Connections().line)) == of_endpoint
    session.check_system(here, here.systems["writer"])
    assert refusal(lambda: session.check_system(there, there.systems["writer"])) == of_endpoint


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("rul", " (no judge of the suite is 'rul'; did you mean 'rule'?)"),
        ("nowhere:Fair", " (a class of yours? Python finds no module 'nowhere')"),
        ("gpt-oss:20b", " (no judge of the suite is 'gpt-oss:20b'; known: rule)"),
        ("rule", ""),
    ],
)
def test_a_name_that_is_no_judge_of_the_suite_is_called_so(
    here: Suite, name: str, hint: str
) -> None:
    """It is said where the model cannot be asked, as it may be meant as it is written."""
    session, lines = Session({}), Connections()
    session.judge(name, [here], lines.line)
    ((address, _),) = lines.made
    assert address.hint == hint


GATE: Final = '[judges.gate]\nfacets = "rule"\n'


def test_a_composed_judge_is_asked_planned_and_replayed_as_its_parts(
    tmp_path: Path, server: ScriptedServer
) -> None:
    """Facets by a model, the rest by the embedded judge: 2 papers, a request each, and 2 more."""
    folder = write_suite(tmp_path / "kilns", server.url, judge=PRICES, tail=GATE)
    suite = loaded(folder)
    store = tmp_path / "store"
    tasks = tasks_of(suite, ["good"])
    survey, signature = desk_for(store, suite).survey("gate", [suite], tasks, imagine=True)
    plan = [(missing.metric, missing.price) for missing in survey.missing.values()]
    assert plan == [("facet", Price(1000.0, 2000.0))] * 4
    assert server.n_requests == 0

    first = evaluated(desk_for(store, suite), suite, tasks, judge="gate")
    assert server.n_requests == 4
    by_rule = evaluated(desk_for(store, suite), suite, tasks)
    offline = evaluated(desk_for(store, suite), suite, tasks, judge="offline")
    for gate, rule, embedded in zip(first, by_rule, offline, strict=True):
        assert gate.scores == (rule.scores[0], *embedded.scores[1:])
        assert gate.signatures == (rule.signatures[0], *embedded.signatures[1:])
    assert signature.startswith("facets=(rule-1 at=here ")
    assert signature.endswith(f" facts+sentences=({OfflineJudge().signature})")

    survey, _ = desk_for(store, suite).survey("gate", [suite], tasks, imagine=False)
    assert (len(survey.stored), survey.missing) == (4, {})
    write_cassette(suite.cassette.path, survey.stored.values())
    replay = desk_for(tmp_path / "other", suite, record="none")
    again = evaluated(replay, suite, tasks, judge="gate")
    assert [each.scores for each in again] == [each.scores for each in first]


def contrary(seen: Seen) -> Answer:
    """Calls those sentences supported that share no words with the source."""
    text = text_by_rule(dict(seen.body)).replace('"unsupported"', '"?"')
    return Answer(text.replace('"supported"', '"unsupported"').replace('"?"', '"supported"'))


@pytest.mark.parametrize("rule", ["all", "any"])
def test_several_judges_check_the_same_sentences(tmp_path: Path, rule: str) -> None:
    """One of them is contrary, so that they differ; asking both again sends no request."""
    table = f'[judges.both]\nsentences = ["rule", "offline"]\nrule = "{rule}"\n'
    store = tmp_path / "store"
    with ScriptedServer(contrary) as server:
        suite = loaded(write_suite(tmp_path / "kilns", server.url, tail=table))
        tasks = tasks_of(suite, ["good", "bad"])

        def supported(judge: str) -> list[list[object]]:
            run = evaluated(desk_for(store, suite), suite, tasks, judge=judge)
            checks = [cast("FaithfulnessScore", each.scores[2]).sentences for each in run]
            return [[check.supported for check in of_pair] for of_pair in checks]

        first, second = supported("rule"), supported("offline")
        n_asked = server.n_requests
        together = supported("both")
        assert server.n_requests == n_asked
    assert first != second
    of_both = [[*zip(*of_pair, strict=True)] for of_pair in zip(first, second, strict=True)]
    decided = {"all": all, "any": any}[rule]
    assert together == [[decided(said) for said in of_pair] for of_pair in of_both]
    signature = desk_for(store, suite).judge("both", [suite]).signature
    assert f"sentences=({rule}(rule-1 at=here " in signature
    assert signature.endswith(f", {OfflineJudge().signature}))")


def test_a_composed_judge_is_bound_as_its_parts(tmp_path: Path) -> None:
    """Votes and budgets are a model's; whether sentences are voted on is their judge's to say."""
    kinds = '[judges.none]\nfacets = "offline"\n[judges.two]\nsentences = "gate"\nfacts = "rule"\n'
    away = "https://llm.example.org/v1"
    suite = loaded(write_suite(tmp_path / "kilns", away, judge="votes = 3", tail=GATE + kinds))
    session = Session({}, Terms(votes=5))
    assert refusal(lambda: session.judge("none", [suite])).startswith("--summ-votes asks a model")
    assert " votes=5 " in session.judge("gate", [suite]).signature
    assert [session.votes_of(name, [suite]) for name in ("gate", "rule")] == [None, 5]
    assert [session.is_asked(name, [suite]) for name in ("gate", "two", "none")] == [True] * 2 + [
        False
    ]
    assert Session({}).judge("none", [suite]) == OfflineJudge()
    assert (
        Session({})
        .judge("two", [suite])
        .signature.startswith(f"facets+sentences=({OfflineJudge().signature}) ")
    )
    budget = Session({}, Terms(budget=1.0))
    assert '[judges."rule"] of the suite' in refusal(lambda: budget.judge("gate", [suite]))
