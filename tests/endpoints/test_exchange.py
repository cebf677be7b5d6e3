from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

import pytest

from summeval_pytest.endpoints.chat import ChatReply, ChatRequest, Usage
from summeval_pytest.endpoints.client import Backoff
from summeval_pytest.endpoints.dialect import Dialect
from summeval_pytest.endpoints.endpoint import Address, Endpoint, Price
from summeval_pytest.endpoints.exchange import Exchange, Memory
from summeval_pytest.endpoints.limits import URGENCY, Budget, Urgency, models_seen
from summeval_pytest.errors import NoReplyError, OptionError, StoreError
from summeval_pytest.options import Record
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.store import LocalAccount, LocalStore
from tests.asked_suite import bytes_under
from tests.endpoints.calls import LABEL, QUICK, n_waiting, question
from tests.scripted_server import (
    Action,
    Answer,
    Delay,
    Drop,
    Html,
    ScriptedServer,
    Seen,
    Status,
    Until,
)
from tests.waiting import SOON, until

T = TypeVar("T")
KEY: Final = "sk-marker-0a1b2c3d4e5f"
"""A key that may be found nowhere."""
NO_SECOND_ATTEMPT: Final = Backoff(60, 60)
"""The wait before one is longer than the whole call may take."""
PRICE: Final = Price(input=0.0, output=10_000.0)
"""One cent a token of reply."""


def at(url: str, **changes: object) -> Address:
    """The address of a server that wants a key."""
    endpoint = Endpoint(name="here", base_url=url, api_key=KEY, timeout_seconds=30)
    return replace(Address(endpoint), **changes)  # type: ignore[arg-type]


def key_of(request: ChatRequest) -> str:
    """Under which a reply is remembered."""
    return request.key("here")


def exchange(  # noqa: PLR0913 - by keyword; each test wants another one
    store: Path,
    record: Record = "new",
    *,
    cassette: dict[str, Row] | None = None,
    in_flight: int = 16,
    budget: Budget | None = None,
    is_strict: bool = False,
    backoff: Backoff | None = None,
) -> Exchange:
    """An exchange over a store."""
    return Exchange(
        Memory(record, store, cassette or {}, run="run-1"),
        in_flight=in_flight,
        budget=budget,
        is_strict=is_strict,
        backoff=backoff or Backoff(),
    )


def drained(exchange: Exchange, doing: Callable[[], Awaitable[T]]) -> T:
    """What comes of doing something with an exchange, which is drained afterwards."""

    async def main() -> T:
        try:
            return await doing()
        finally:
            await exchange.drain(SOON)

    return asyncio.run(main())


def through(
    exchange: Exchange, address: Address, *requests: ChatRequest, price: Price | None = None
) -> list[ChatReply | BaseException]:
    """What comes of requests that are sent at once; the exchange is drained afterwards."""

    async def main() -> list[ChatReply | BaseException]:
        line = exchange.line(address, price)
        return await asyncio.gather(*map(line.send, requests), return_exceptions=True)

    return drained(exchange, main)


def reply_in(outcomes: list[ChatReply | BaseException]) -> ChatReply:
    """The reply that all outcomes are."""
    first = outcomes[0]
    assert isinstance(first, ChatReply)
    assert all(outcome == first for outcome in outcomes)
    return first


def fault_in(outcomes: list[ChatReply | BaseException]) -> NoReplyError:
    """The fault that all outcomes are."""
    first = outcomes[0]
    assert isinstance(first, NoReplyError)
    assert {str(outcome) for outcome in outcomes} == {str(first)}
    return first


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A place for a store."""
    return tmp_path / "store"


class Slow(ScriptedServer):
    """A server that thinks for a moment, and for as long as ``is_thinking``."""

    def __init__(self) -> None:
        super().__init__(self._answered)
        self.is_thinking = False

    def _answered(self, seen: Seen) -> Action:
        return Delay(0.05, Until(lambda: not self.is_thinking, Answer(f"reply {seen.index}")))


@pytest.fixture
def slow() -> Iterator[Slow]:
    """Such a server."""
    with Slow() as server:
        yield server


def test_equal_requests_at_once_are_one(store: Path, slow: Slow) -> None:
    """A reference's question comes from every system at the same moment, and from two workers."""
    hub = exchange(store)
    outcomes = through(hub, at(slow.url), *[question()] * 20)
    assert reply_in(outcomes).text == "reply 0"
    assert slow.n_requests == 1
    assert (hub.ledger.totals.n_asked, hub.ledger.totals.n_cached) == (1, 0)
    assert (hub.ledger.n_in_flight, hub.open) == (0, {})

    hubs, requested = [exchange(store), exchange(store)], [question("other")] * 5
    with ThreadPoolExecutor() as threads:  # each has an event loop of its own
        one, two = threads.map(lambda hub: through(hub, at(slow.url), *requested), hubs)
    assert reply_in([*one, *two]).text == "reply 1"
    assert slow.n_requests == 2
    totals = [hub.ledger.totals for hub in hubs]
    assert sorted((t.n_asked, t.n_cached) for t in totals) == [(0, 1), (1, 0)]


def test_remembered_reply_is_not_asked_for_again(store: Path) -> None:
    """Whatever its text and its end are: it is what the model says to this request."""
    ends = {
        "stop": Answer(""),
        "length": Answer("", "length"),
        "content_filter": Answer(None, "content_filter"),
        "refusal": Answer(None, refusal="I will not."),
    }
    requests = [question(end) for end in ends]
    with ScriptedServer(lambda seen: ends[seen.texts[0]]) as server:
        first = through(exchange(store), at(server.url), *requests)
        later = exchange(store)
        again = through(later, at(server.url), *requests)
        assert server.n_requests == 4
    replies = [outcome for outcome in first if isinstance(outcome, ChatReply)]
    assert [reply.finish for reply in replies] == list(ends)
    assert [reply.text for reply in replies] == ["", "", "", "I will not."]
    assert again == first
    assert (later.ledger.totals.n_asked, later.ledger.totals.n_cached) == (0, 4)


@pytest.mark.parametrize(
    ("action", "fault"), [(Status(400), "bad_request"), (Drop(), "dropped"), (Html(), "not_json")]
)
def test_fault_is_never_remembered(store: Path, action: Action, fault: str) -> None:
    """The next run asks again, and gets its answer."""
    actions: list[Action] = [action, Answer("yes")]
    with ScriptedServer(lambda seen: actions[seen.index]) as server:
        hub = exchange(store, backoff=NO_SECOND_ATTEMPT)
        assert fault_in(through(hub, at(server.url), *[question()] * 2)).fault == fault
        assert (hub.ledger.totals.n_failed, hub.ledger.totals.n_asked) == (1, 0)
        assert b'"key"' not in bytes_under(store)
        assert reply_in(through(exchange(store), at(server.url), question())).text == "yes"
        assert server.n_requests == 2


def test_waiter_that_gives_up_takes_nothing_from_the_others(store: Path, slow: Slow) -> None:
    """One pair was given up; another one waits for the same reply."""
    hub = exchange(store)
    slow.is_thinking = True

    async def main() -> None:
        line = hub.line(at(slow.url), None)
        first, second = (asyncio.ensure_future(line.send(question())) for _ in range(2))
        await until(lambda: slow.n_requests == 1)
        first.cancel()
        slow.is_thinking = False
        assert (await second).text == "reply 0"
        alone = asyncio.ensure_future(line.send(question("alone")))
        await until(lambda: slow.n_requests == 2)
        alone.cancel()

    drained(hub, main)
    assert slow.n_requests == 2  # what nobody waits for any more is paid for, and kept
    again = through(exchange(store), at(slow.url), question("alone"))
    assert reply_in(again).text == "reply 1"


def test_cassette_goes_before_the_store_and_opens_none(store: Path) -> None:
    """In a clone that has the cassette nothing is asked and nothing is written."""
    reply = ChatReply(text="from the cassette")
    key = key_of(question())
    cassette = {key: Row(key, "topic", reply.as_json())}
    records: tuple[Record, ...] = ("new", "none")
    with ScriptedServer() as server:
        for record in records:
            hub = exchange(store, record, cassette=cassette)
            assert reply_in(through(hub, at(server.url), *[question()] * 2)) == reply
            assert hub.ledger.keys("recorded") == [key]
            assert hub.ledger.totals.n_recorded == 1
        assert server.n_requests == 0
    assert not store.exists()


def test_replay_asks_nothing_and_names_the_question(store: Path) -> None:
    """The store of this machine plays no part: another machine would not have it."""
    with ScriptedServer() as server:
        through(exchange(store), at(server.url), question())
        row = Row("0" * 64, "", {})
        error = fault_in(
            through(exchange(store, "none", cassette={row.key: row}), at(server.url), question())
        )
        (nothing,) = through(exchange(store, "none"), at(server.url), question())
        assert server.n_requests == 1
    assert isinstance(nothing, OptionError)
    assert "replays the suite's cassette, and it has none; run once" in str(nothing)
    assert error.fault == "not_recorded"
    assert str(error) == (
        f"no recorded answer for question {key_of(question())[:8]} (); run once with"
        " --summ-record=new, then 'summeval cassette export'"
    )


def test_draining_keeps_what_is_answered_and_sends_nothing_new(store: Path) -> None:
    """One slot: a request was sent away, one is out, one waits for the slot, and one comes late."""
    is_draining = False

    def script(seen: Seen) -> Action:
        if seen.texts == ("sent away",):
            return Status(429, headers={"retry-after": "20"})
        return Until(lambda: is_draining, Answer("yes"))

    async def main() -> list[object]:
        nonlocal is_draining
        line = hub.line(at(server.url), None)
        names = ("sent away", "out", "waiting")
        requested = [asyncio.ensure_future(line.send(question(name))) for name in names[:1]]
        await until(lambda: bool(hub.troubles))
        requested += [asyncio.ensure_future(line.send(question(name))) for name in names[1:]]
        await until(lambda: server.n_requests == 2 and len(hub.open) == 3)
        draining = asyncio.ensure_future(hub.drain(SOON))
        await asyncio.sleep(0)
        requested.append(asyncio.ensure_future(line.send(question("late"))))
        is_draining = True
        await draining
        got = await asyncio.gather(*requested, return_exceptions=True)
        return [one.text if isinstance(one, ChatReply) else type(one) for one in got]

    gone = asyncio.CancelledError
    with ScriptedServer(script) as server:
        hub = exchange(store, in_flight=1)
        assert asyncio.run(main()) == [gone, "yes", gone, gone]
        assert server.n_requests == 2
        later = exchange(store)
        assert reply_in(through(later, at(server.url), question("out"))).text == "yes"
        assert later.ledger.totals.n_cached == 1


def test_draining_ends_in_time_and_waits_for_no_other_process(store: Path, slow: Slow) -> None:
    """Ctrl-C: what takes longer, here or elsewhere, is given up, and nothing of it is stored."""
    slow.is_thinking = True
    hub, other = exchange(store), exchange(store)

    async def main() -> None:
        call = asyncio.ensure_future(hub.line(at(slow.url), None).send(question()))
        await until(lambda: slow.n_requests == 1)
        waiting = asyncio.ensure_future(other.line(at(slow.url), None).send(question()))
        await until(lambda: bool(other.waiting_elsewhere))
        await other.drain(SOON)
        await hub.drain(0.1)
        await asyncio.wait((call, waiting))
        assert [call.cancelled(), waiting.cancelled()] == [True, True]

    asyncio.run(main())
    assert b'"key"' not in bytes_under(store)


def test_draining_sends_nothing_that_waits_for_the_budget(store: Path, slow: Slow) -> None:
    """The first call holds the last 16 cents; the second hopes for what it leaves."""
    slow.is_thinking = True
    hub = exchange(store, budget=Budget(0.2))

    async def main() -> None:
        line = hub.line(at(slow.url), PRICE)
        out, waiting = (asyncio.ensure_future(line.send(question(t))) for t in ("out", "waiting"))
        await until(lambda: slow.n_requests == 1 and len(hub.open) == 2)
        draining = asyncio.ensure_future(hub.drain(SOON))
        await asyncio.sleep(0)
        slow.is_thinking = False
        await draining
        await asyncio.wait((waiting,))
        assert (await out).text == "reply 0"
        assert waiting.cancelled() or isinstance(waiting.exception(), NoReplyError)

    asyncio.run(main())
    assert slow.n_requests == 1


COUNTED: Final = Answer("yes", usage=(10, 3, 0))


@pytest.mark.parametrize(
    ("actions", "cents"),
    [
        ([COUNTED], 3),
        ([Answer("yes", usage=None)], 16),
        ([Drop()], 16),
        ([Html()], 16),
        ([Status(400)], 0),
        ([Status(500)], 0),
        ([Drop(), COUNTED], 16 + 3),
        ([Status(500), COUNTED], 3),
        ([Html(), Html(), Html()], 3 * 16),
    ],
    ids=repr,
)
def test_budget_books_what_a_call_may_cost(store: Path, actions: list[Action], cents: int) -> None:
    """An answer that was not counted, or got lost before another one, may be on the bill."""
    with ScriptedServer(lambda seen: actions[seen.index]) as server:
        account = LocalAccount()
        budget = Budget(1.0, account)
        backoff = NO_SECOND_ATTEMPT if len(actions) == 1 else QUICK
        hub = exchange(store, budget=budget, backoff=backoff)
        through(hub, at(server.url), question(), price=PRICE)
        assert server.n_requests == len(actions)
    assert account._mine.spent == pytest.approx(cents / 100)
    assert account._mine.reserved == {}


def test_a_lost_key_or_an_empty_budget_stops_only_what_has_to_be_sent(store: Path) -> None:
    """Whoever has the replies needs neither."""
    with ScriptedServer() as server:
        through(exchange(store), at(server.url), question("a"))
        keyless = at(server.url, missing="TEAM_KEY", hint=" (a judge of the suite?)")
        known, refused = through(exchange(store), keyless, question("a"), question("b"))
        hub = exchange(store, budget=Budget(0.01))
        also, unpaid = through(hub, at(server.url), question("a"), question("b"), price=PRICE)
        assert server.n_requests == 1
        shown = keyless.endpoint.shown
    assert reply_in([known, also]).text == "yes"
    assert isinstance(refused, OptionError)
    assert str(refused) == (
        f"'llama3' is asked at {shown}, which needs a key: set TEAM_KEY, name another address with"
        " --summ-endpoint, or replay with --summ-record=none (a judge of the suite?)"
    )
    assert str(unpaid) == (
        "not judged: budget (0.0000 of 0.01 dollars spent, and the next call could cost 0.1600)"
    )


def test_key_that_a_server_echoes_is_stored_nowhere(store: Path) -> None:
    """Replies are stored, committed and shown; what models are called is in the run record."""

    def echo(seen: Seen) -> Action:
        sent = seen.headers["authorization"]
        return Answer(f"You sent {sent}, didn't you?", model=sent)

    with ScriptedServer(echo) as server:
        hub = exchange(store)
        got = reply_in(through(hub, at(server.url), question()))
        assert KEY in server.seen[0].headers["authorization"]
    assert (got.text, got.model) == ("You sent [key], didn't you?", "[key]")
    assert b"You sent [key], didn" in bytes_under(store)
    assert KEY.encode() not in bytes_under(store)


def test_dialect_is_found_out_once_for_all_runs(store: Path) -> None:
    """A server that refuses a strict schema refuses one request, and none the next day."""

    def script(seen: Seen) -> Action:
        refused = Status(400, message="response_format json_schema is not supported")
        return refused if seen.level == "json_schema" else Answer('{"label": "yes"}')

    with ScriptedServer(script) as server:
        for text in ("today", "tomorrow"):
            through(exchange(store), at(server.url), question(text, schema=LABEL))
        assert [seen.level for seen in server.seen] == [
            "json_schema",
            "object_schema",
            "object_schema",
        ]


def test_urgent_waiter_makes_the_request_urgent(
    store: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was begun ahead of its test is hurried when a test stands still for it."""
    monkeypatch.setattr("summeval_pytest.endpoints.limits.NARROW", 0)  # else prompts have an order
    # The progress line says how many are open, those that wait for a slot among them.
    hub = exchange(store, in_flight=1)
    calm = {text: Urgency() for text in "abc"}

    async def send(text: str, urgency: Urgency) -> str:
        URGENCY.set(urgency)
        return (await hub.line(at(slow.url), None).send(question(text))).text

    async def main() -> None:
        await send("warm", Urgency())
        slow.is_thinking = True
        ahead = [asyncio.ensure_future(send(text, urgency)) for text, urgency in calm.items()]
        await until(lambda: slow.n_requests == 2 and n_waiting(hub.limits) == 2)
        assert hub.ledger.n_in_flight == 3
        hurried = asyncio.ensure_future(send("c", Urgency(demanded=True)))
        await until(lambda: calm["c"].demanded)
        slow.is_thinking = False
        assert await hurried == "reply 2"
        assert await asyncio.gather(*ahead) == ["reply 1", "reply 3", "reply 2"]

    drained(hub, main)
    assert [urgency.demanded for urgency in calm.values()] == [False, False, True]
    assert (slow.peak, hub.ledger.n_in_flight, hub.ledger.totals.n_asked) == (1, 0, 1 + 3)


DATED: Final = "gpt-4o-2024-08-06"
OTHER: Final = "gpt-4o-2024-11-20"


def asked_of(model: str, text: str = "Is it so?") -> ChatRequest:
    """A request to one model."""
    return replace(question(text), model=model)


def seen(hub: Exchange) -> list[tuple[str, str, str, bool, int]]:
    """Which model was asked for, which replied, whether it is another, and how often."""
    models = models_seen(hub.ledger.models)
    return [(m.asked, m.returned, m.fingerprint, m.is_other, m.n_replies) for m in models]


def test_the_models_that_reply_are_noted_wherever_a_reply_comes_from(store: Path) -> None:
    """What a replay returns is what was stored, so a run and its replay have the same models."""
    request = asked_of("gpt-4o")
    with ScriptedServer(lambda _: Answer("yes", model=DATED)) as server:
        asking, again = exchange(store), exchange(store)
        reply = reply_in(through(asking, at(server.url, pinned=None), *[request] * 3))
        through(again, at(server.url, pinned=None), request)
        cassette = {key_of(request): Row(key_of(request), "kiln", reply.as_json())}
        replay = exchange(store, "none", cassette=cassette)
        through(replay, at(server.url, pinned=None), request)
    expected = [("gpt-4o", DATED, "fp_scripted", False, 1)]
    assert [seen(hub) for hub in (asking, again, replay)] == [expected] * 3


SWAPPED: Final = [(DATED, OTHER, "fp_scripted", True, 1)]


def test_a_swapped_model_is_noted_at_a_desk_and_an_error_in_ci(store: Path) -> None:
    """At a desk somebody reads the warning, and its replies are kept."""
    # In CI the request goes out once, then the endpoint is asked nothing more in vain.
    with ScriptedServer(lambda _: Answer("yes", model=OTHER)) as server:
        for hub in (exchange(store), exchange(store)):
            outcomes = through(hub, at(server.url, pinned=None), asked_of(DATED))
            assert reply_in(outcomes).text == "yes"
            assert seen(hub) == SWAPPED
        assert server.n_requests == 1

        ci = store.with_name("ci")
        hub = exchange(ci, is_strict=True)

        async def main() -> None:
            for text in "abc":
                line = hub.line(at(server.url, pinned=None), None)  # each summary has its own
                with pytest.raises(NoReplyError) as caught:
                    await line.send(asked_of(DATED, text))
                assert caught.value.fault == "other_model"
                assert str(caught.value) == (
                    f"endpoint 'here' at {server.url}: asked for {DATED!r}, and"
                    f" the reply is of {OTHER!r}; name the model that is meant, write"
                    " pinned = false in the table of the judge or system where both are one, or ask"
                    " again with --summ-record=all"
                )

        drained(hub, main)
        assert server.n_requests == 2
        assert seen(hub) == SWAPPED
        assert b'"key"' not in bytes_under(ci)
        reply = ChatReply(text="yes", model=OTHER).as_json()
        key = key_of(asked_of(DATED))
        replay = exchange(ci, "none", cassette={key: Row(key, "", reply)}, is_strict=True)
        recorded = through(replay, at(server.url, pinned=None), asked_of(DATED))
        assert fault_in(recorded).fault == "other_model"
        free = through(exchange(ci, is_strict=True), at(server.url, pinned=False), asked_of(DATED))
        assert reply_in(free).model == OTHER


@pytest.mark.parametrize(("returned", "is_other"), [("gpt-6-terra", True), ("gpt-6-luna-x", False)])
def test_a_model_of_the_family_in_place_of_the_one_asked_is_an_error_in_ci(
    store: Path, returned: str, *, is_other: bool
) -> None:
    """Nobody pinned the name, and yet no judge may be swapped in silence."""
    with ScriptedServer(lambda _: Answer("yes", model=returned)) as server:
        hub = exchange(store, is_strict=True)
        outcomes = through(hub, at(server.url, pinned=None), asked_of("gpt-6-luna"))
        if is_other:
            assert fault_in(outcomes).fault == "other_model"
            assert "asked for 'gpt-6-luna', and the reply is of 'gpt-6-terra'; name the model" in (
                str(outcomes[0])
            )
        else:
            assert reply_in(outcomes).text == "yes"
        (model,) = hub.ledger.models
        assert model.is_other is is_other


ONE, TWO = (question(text).key("here") for text in ("one", "two"))
OLD = ChatReply(text="old", usage=Usage(7, 2, 1))
NEW = ChatReply(text="new", finish="length", model="m-1", fingerprint="fp")


def memory(
    directory: Path,
    record: Record = "new",
    cassette: Mapping[str, ChatReply] | None = None,
    *,
    run: str = "run-1",
) -> closing[Memory]:
    """A memory over a store and the replies of a cassette."""
    rows = {key: Row(key, "topic", reply.as_json()) for key, reply in (cassette or {}).items()}
    return closing(Memory(record, directory, rows, run=run))


def test_all_asks_again_what_is_known_and_stores_over_it(store: Path) -> None:
    """Later runs find the new reply, and after the run only it is left."""
    with memory(store) as before:
        before.remember(ONE, "topic", OLD)
    with memory(store, "all", {ONE: OLD}) as again:
        assert (again.recorded(ONE), again.cached(ONE)) == (None, None)
        again.remember(ONE, "topic", NEW)
        assert again.cached(ONE) == NEW
    again.forget_run()
    with memory(store, run="run-2") as after:
        assert after.cached(ONE) == NEW


def test_dialect_is_remembered_by_endpoint_and_model(store: Path) -> None:
    """What was found out once is not found out again each run, unless another version wrote it."""
    result = Dialect(level="json_object", length_field="max_completion_tokens", temperature=False)
    with memory(store) as first:
        assert first.dialect("here", "m-1") is None
        first.remember_dialect("here", "m-1", result)
    with memory(store) as second:
        of = [("here", "m-1"), ("here", "m-2"), ("there", "m-1")]
        assert [second.dialect(*each) for each in of] == [result, None, None]
    with memory(store, "all") as again:
        assert again.dialect("here", "m-1") is None
    for text in ("{", '{"level": "poem"}', "[" * 100_000):
        with closing(LocalStore(store)) as cache:
            cache.put_note("dialect of here m-1", text)
        with memory(store) as later:
            assert later.dialect("here", "m-1") is None


@pytest.mark.parametrize("record", ["none", "new"])
def test_recorded_reply_that_is_none_of_ours_is_reported(store: Path, record: Record) -> None:
    """Somebody has edited the line; it is named, with what to do."""
    edited = Memory(record, store, {ONE: Row(ONE, "topic", {"text": "yes"})}, run="run-1")
    with pytest.raises(StoreError) as caught:
        edited.recorded(ONE)
    assert str(caught.value) == (
        f"the recorded reply {ONE[:8]} is none of ours (a stored reply has text, finish, model,"
        " fingerprint and usage); delete it, and ask again with --summ-record=new"
    )


def test_end_of_a_run_removes_what_only_it_needed(store: Path) -> None:
    """Another run may go on, or end at the same moment; what was left of other days goes, too."""
    runs = store / "runs"
    for name in ("run-1", "run-2", "run-3"):
        with memory(store, "all", run=name) as one:
            one.remember(ONE, "topic", NEW)
    two_days_ago = time.time() - 2 * 86_400
    os.utime(runs / "run-3", (two_days_ago, two_days_ago))
    (runs / "run-4").symlink_to(runs / "gone")  # what another run has removed is listed so
    Memory("all", store, {}, run="run-1").forget_run()
    assert {entry.name for entry in runs.iterdir()} == {"run-2", "run-4"}
    with memory(store) as after:
        assert after.cached(ONE) == NEW


def test_a_reply_that_was_given_up_is_asked_again_by_the_next_run(store: Path) -> None:
    """One that was cut off stays: it would be cut off again, and paid for again."""
    cut = replace(OLD, finish="length")
    for reply, n_again, remedy in (
        (OLD, 1, "the next run asks it again"),
        (cut, 0, "set max_tokens higher under [judges.NAME]"),
        (replace(cut, text="Yes and no. " * 99), 0, "more tokens would not help"),
    ):
        hub = exchange(store)
        hub.memory.remember(ONE, "", reply)
        said = hub.line(at("http://127.0.0.1:9/v1"), None).give_up([(question("one"), reply)])
        assert remedy in said
        assert hub.memory.cached(ONE) == reply, "other workers of the run must not pay for it"
        hub.memory.close()
        with memory(store) as later:
            assert (later.cached(ONE) is None) == bool(n_again)


def test_an_unusable_reply_of_a_cassette_names_its_line(store: Path) -> None:
    """The file is the user's, and nothing in it is changed."""
    hub = exchange(store, cassette={ONE: Row(ONE, "", OLD.as_json())})
    said = hub.line(at("http://127.0.0.1:9/v1"), None).give_up([(question("one"), OLD)])
    assert "is unusable; delete its line in the cassette" in said
    assert hub.memory.recorded(ONE) == OLD


def test_a_call_that_failed_is_not_made_again_in_its_run(store: Path) -> None:
    """Pair, means and judge each need it; a call has had its attempts, and takes minutes."""
    with ScriptedServer(lambda _: Status(400, message="no")) as server:
        hub = exchange(store)

        async def twice() -> list[str]:
            said = []
            for _ in range(2):
                with pytest.raises(NoReplyError) as caught:
                    await hub.line(at(server.url), None).send(question("a"))
                said.append(str(caught.value))
            return said

        first, second = drained(hub, twice)
        assert first == second
        assert server.n_requests == 1
        later = through(exchange(store), at(server.url), question("a"))
        assert isinstance(later[0], NoReplyError)
        assert server.n_requests == 2, "the next run may have more luck"
