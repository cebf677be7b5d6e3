"""The store of many machines, against a real server that the tests start."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.endpoints.limits import Budget
from summeval_pytest.errors import NoReplyError, StoreError
from summeval_pytest.scale import postgres
from summeval_pytest.scale.postgres import PostgresStore
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.store import SharedPlace, read_place
from tests.postgres_server import ESCAPED, PASSWORD, PostgresServer
from tests.store.test_store import is_free
from tests.waiting import SOON, wait_until

KEY, OTHER = "a" * 64, "b" * 64
A_WHILE: Final = 0.2
START: Final = """
import asyncio, os, random, sys
from summeval_pytest.endpoints.limits import Budget
from summeval_pytest.errors import NoReplyError
from summeval_pytest.store.cassette import Row
from summeval_pytest.store.cassette import request_key
from summeval_pytest.store.store import open_store, read_place
store = open_store(read_place(sys.argv[1]))
store.note("opened")
print("ready", flush=True)
sys.stdin.readline()
"""
RACER: Final = """
async def ask(number):
    key = request_key({"number": number})
    async with store.alone(key):
        if await store.off_loop(store.get, key) is None:
            print("key", number)
            await asyncio.sleep(0.005)
            await store.off_loop(store.put, Row(key, "", {"number": number}))
async def all():
    await asyncio.gather(*map(ask, range(50)), *map(ask, range(50)))
asyncio.run(all())
"""
HOLDER: Final = """
async def hold():
    async with store.alone("a" * 64):
        await Budget(1.0, store.account("run-1")).reserve(0.9)
        print("alone", flush=True)
        await asyncio.sleep(3600)
asyncio.run(hold())
"""
SPENDER: Final = """
budget = Budget(1.0, store.account("run-1"))
async def call():
    try:
        await budget.reserve(0.1)
    except NoReplyError:
        return 0
    await asyncio.sleep(random.random() / 50)
    cost = random.choice([5, 10])
    await budget.settle(0.1, cost / 100)
    return cost
async def spend():
    print("cents", sum(await asyncio.gather(*(call() for _ in range(12)))))
asyncio.run(spend())
store.close()
"""


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    """A store in it."""
    with closing(opened(url)) as one:
        yield one


def opened(url: str) -> PostgresStore:
    """One more client of a store."""
    place = read_place(url)
    assert isinstance(place, SharedPlace)
    return PostgresStore(place)


def client(url: str, program: str) -> subprocess.Popen[str]:
    """Another process that has opened the store, and waits to go on."""
    process = subprocess.Popen(
        [sys.executable, "-c", START + program, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def printed(url: str, program: str, n_processes: int = 2) -> list[tuple[str, int]]:
    """What processes print that begin together: words with numbers."""
    processes = [client(url, program) for _ in range(n_processes)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    texts = [process.communicate(timeout=SOON)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * n_processes
    lines = [line.split() for text in texts for line in text.splitlines()]
    return [(word, int(number)) for word, number in lines]


def refusal(url: str) -> str:
    """Why a store cannot be opened."""
    with closing(opened(url)) as refused, pytest.raises(StoreError) as caught:
        refused.get(KEY)
    assert PASSWORD not in str(caught.value)
    assert ESCAPED not in str(caught.value)
    return str(caught.value)


def test_what_one_client_keeps_another_one_has(store: PostgresStore, url: str) -> None:
    """Rows and notes; any character comes back."""
    row = Row(KEY, "topic", {"text": "x\0\ud800\u202e"})
    with closing(opened(url)) as other:
        assert other.get(KEY) is None
        store.put(row)
        assert other.get(KEY) == row
        other.remove(KEY)
        assert store.get(KEY) is None
        assert other.note("dialect of m\0") is None
        store.put_note("dialect of m\0", "a")
        store.put_note("dialect of m\0", "b")
        assert other.note("dialect of m\0") == "b"


def test_what_a_run_asked_again_is_its_own_until_it_ends(store: PostgresStore, url: str) -> None:
    """Where all is asked again, another run's new replies are old ones; its account goes, too."""
    store.put(Row(KEY, "", {"n": 1}))
    store.put(Row(KEY, "", {"n": 2}), "run-1")
    store.put(Row(KEY, "", {"n": 3}), "run-2")
    asyncio.run(store.account("run-1").reserve(0.1, 1.0))
    assert [store.get(KEY, run) for run in ("", "run-1", "run-3")] == [
        Row(KEY, "", {"n": 1}),
        Row(KEY, "", {"n": 2}),
        None,
    ]
    store.rows("UPDATE summeval.replies SET at = now() - interval '2 days' WHERE run <> 'run-1'")
    with closing(opened(url)) as other:
        other.forget_run("run-1")
    left = store.rows("SELECT run FROM summeval.replies")
    assert (left, store.rows("SELECT run FROM summeval.accounts")) == ([("",)], [])


def test_two_processes_pay_for_each_key_once_and_never_exceed_a_budget(url: str) -> None:
    """The point of it all: 50 keys, each wanted twice by both.

    24 calls of 5 or 10 cents would cost 120 at least.
    """
    lines = printed(url, RACER + SPENDER)
    assert sorted(number for word, number in lines if word == "key") == list(range(50))
    assert 90 <= sum(number for word, number in lines if word == "cents") <= 100


def test_a_killed_client_frees_its_key_and_its_money(store: PostgresStore, url: str) -> None:
    """The server sees its connection end; a lease that outlives its owner would block all."""
    with client(url, HOLDER) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        holder.stdin.write("go\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "alone\n"
        budget = Budget(1.0, store.account("run-1"))

        async def kept() -> None:
            assert not await is_free(store)
            assert await is_free(store, OTHER)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(budget.reserve(0.2), A_WHILE)

        asyncio.run(kept())
        holder.send_signal(signal.SIGKILL)

        async def freed() -> None:
            assert await is_free(store, within=SOON)
            await asyncio.wait_for(budget.reserve(0.2), SOON)

        asyncio.run(freed())


def test_a_client_that_gives_up_waiting_holds_nothing(store: PostgresStore, url: str) -> None:
    """Ctrl-C may come at any moment, also while the server is asked; tasks wait for each other."""

    async def main() -> None:
        for _ in range(20):
            waiting = asyncio.ensure_future(store.alone(KEY).__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
        async with store.alone(KEY):
            assert not await is_free(store)
        with closing(opened(url)) as other:
            assert await is_free(other, within=SOON)

    asyncio.run(main())


def test_clients_take_turns_by_tokens_and_requests(store: PostgresStore, url: str) -> None:
    """A request every 60 s, or 600 tokens every 90 s: the slower of both is waited for."""

    async def main() -> list[tuple[float, float]]:
        with closing(opened(url)) as other:
            turns = [await store.turn("here", (60.0, 90.0)), await other.turn("here", (60.0, 0.0))]
            turns.append(await store.turn("there", (60.0, 0.0)))
        return [(round(due, -1), round(following, -1)) for due, following in turns]

    assert asyncio.run(main()) == [(0, 90), (90, 150), (0, 60)]


def test_an_account_says_when_it_is_over(store: PostgresStore, url: str) -> None:
    """0.6 of a dollar held leaves no 0.6; 0.9 spent leave no 0.2, but a cheap call goes on."""

    async def main() -> None:
        with closing(opened(url)) as second:
            one, other = (Budget(1.0, each.account("run-1")) for each in (store, second))
            await one.reserve(0.6)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(other.reserve(0.6), A_WHILE)
            await one.settle(0.6, 0.3)
            await asyncio.wait_for(other.reserve(0.6), SOON)
            await other.settle(0.6, 0.6)
            for budget in (one, other):
                with pytest.raises(NoReplyError, match=r"0\.9000 of 1 dollars spent"):
                    await budget.reserve(0.2)
                await budget.reserve(0.01)
                await budget.settle(0.01, 0.0)

    asyncio.run(main())


def test_a_call_that_is_given_up_while_it_reserves_holds_no_money(
    store: PostgresStore, url: str, postgres_server: PostgresServer
) -> None:
    """The server may take its time; what it set aside for nobody would keep others waiting."""

    async def main() -> None:
        budget = Budget(1.0, store.account("run-1"))
        await budget.reserve(0.1)
        await budget.settle(0.1, 0.0)
        locking = "SELECT FROM summeval.accounts FOR UPDATE"
        with postgres_server.holding(url, locking), pytest.raises(TimeoutError):
            await asyncio.wait_for(budget.reserve(0.9), A_WHILE)
        await asyncio.wait_for(budget.reserve(0.9), SOON)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("CREATE TABLE summeval.cats (n int)", "holds other things than a store (such as 'cats')"),
        ("CREATE TABLE summeval.version (n int)", "has a table 'version' that is none of ours"),
        (
            "CREATE TABLE summeval.version AS SELECT 'summeval-pytest' AS made_by, 2 AS format",
            "is in format 'summeval-pytest 2', and this version knows 'summeval-pytest 1' alone",
        ),
        (
            "CREATE TABLE summeval.version AS SELECT 'cats' AS made_by, 1 AS format",
            "is in format 'cats 1', and this version knows 'summeval-pytest 1' alone",
        ),
    ],
)
def test_tables_of_others_and_of_other_versions_are_refused(
    postgres_server: PostgresServer, url: str, made: str, message: str
) -> None:
    """Nothing is written into them; a later version may mean something else by the same row."""
    postgres_server.found(url, f"CREATE SCHEMA summeval; {made}")
    tables = "SELECT relname FROM pg_class WHERE relnamespace = 'summeval'::regnamespace"
    before = postgres_server.found(url, tables)
    assert refusal(url) == (
        f"the schema 'summeval' of the store {read_place(url)} {message}; nothing was changed: name"
        " another database with --summ-store"
    )
    assert postgres_server.found(url, tables) == before


def test_a_row_that_somebody_else_wrote_is_refused(store: PostgresStore) -> None:
    """It would be a word in a judge's mouth."""
    store.put(Row(KEY, "", {}))
    store.rows("UPDATE summeval.replies SET key = %s", (OTHER,))
    with pytest.raises(StoreError, match=f"row {OTHER} .* not written by this package"):
        store.get(OTHER)
    store.rows("UPDATE summeval.replies SET line = '{'")
    with pytest.raises(StoreError, match=f"row {OTHER} .* not written by this package"):
        store.get(OTHER)
    store.put_note("dialect", "x")
    store.rows("UPDATE summeval.notes SET text = '7'")
    with pytest.raises(StoreError, match="it is no JSON text"):
        store.note("dialect")


def test_what_cannot_be_opened_is_reported_without_the_password(
    postgres_server: PostgresServer,
) -> None:
    """Host and database alone; the server's own words say why."""
    where = f"the store postgresql://127.0.0.1:{postgres_server.port}"
    assert refusal(postgres_server.url("none")).startswith(
        f"{where}/none cannot be used (connection"
    )
    wrong = refusal(postgres_server.url("postgres", password=f"{ESCAPED}x"))
    assert "password authentication failed" in wrong
    assert f"{PASSWORD}x" not in wrong
    unknown = refusal(f"{postgres_server.url('postgres')}?pass={ESCAPED}")
    assert unknown.startswith(f"{where}/postgres has a part that PostgreSQL does not know")


def test_a_database_that_is_gone_is_a_judges_fault_until_it_is_back(
    postgres_server: PostgresServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked meanwhile has no reply; after a restart the same client goes on."""
    monkeypatch.setattr(postgres, "PATIENCE_SECONDS", 0.3)
    row = Row(KEY, "", {"n": 1})
    with closing(opened(url)) as store:
        budget = Budget(1.0, store.account("run-1"))
        asyncio.run(budget.reserve(0.4))
        store.put(row)
        postgres_server.stop()
        try:
            for _ in range(2):
                with pytest.raises(NoReplyError) as caught:
                    store.get(KEY)
                assert caught.value.fault == "store_lost"
                assert str(caught.value).startswith(
                    f"not judged: the store {read_place(url)} cannot be reached ("
                )
                assert PASSWORD not in str(caught.value)
            with pytest.raises(NoReplyError):
                asyncio.run(budget.settle(0.4, 0.3))
            with pytest.raises(NoReplyError):
                asyncio.run(is_free(store))
            store.forget_run("run-1")  # a later run's end does it
        finally:
            postgres_server.start()

        def is_back() -> bool:
            try:
                return store.get(KEY) == row
            except NoReplyError:
                return False

        wait_until(is_back)

        async def rest() -> None:
            async with store.alone(KEY):
                await budget.reserve(0.7)  # what was not booked is not forgotten, and not held
                await budget.settle(0.7, 0.0)
                with pytest.raises(NoReplyError, match=r"0\.3000 of 1 dollars spent"):
                    await budget.reserve(0.8)

        asyncio.run(rest())


def test_a_cut_of_all_connections_loses_nothing(
    postgres_server: PostgresServer, store: PostgresStore, url: str
) -> None:
    """The server stays up and says why it ends them, so what is kept then is kept once more."""
    row = Row(KEY, "", {"n": 1})
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"

    async def main() -> None:
        async with store.alone(KEY):
            postgres_server.found(url, f"{cut} AND datname = current_database()")
            await store.off_loop(store.put, row)

    store.put(Row(OTHER, "", {}))
    asyncio.run(main())
    assert store.get(KEY) == row


def test_what_is_kept_while_the_server_restarts_waits_for_it(
    postgres_server: PostgresServer, url: str
) -> None:
    """A reply that came is paid for; each connection that the pool had is lost."""
    row = Row(KEY, "", {"n": 1})

    async def main(store: PostgresStore) -> None:
        budget = Budget(1.0, store.account("run-1"))
        await budget.reserve(0.4)
        pausing = f"SELECT pg_sleep({A_WHILE})"
        await asyncio.gather(*(store.off_loop(store.rows, pausing) for _ in range(4)))
        async with store.alone(KEY):
            postgres_server.stop()
            try:
                keeping = asyncio.ensure_future(store.off_loop(store.put, row))
                settling = asyncio.ensure_future(budget.settle(0.4, 0.3))
                await asyncio.wait([keeping, settling], timeout=A_WHILE)
                assert not keeping.done()
                assert not settling.done()
            finally:
                postgres_server.start()
            await asyncio.gather(keeping, settling)
        assert await is_free(store, within=SOON)

    with closing(opened(url)) as store:
        asyncio.run(main(store))
        assert store.get(KEY) == row
        assert store.rows("SELECT spent FROM summeval.accounts") == [(0.3,)]


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Psycopg is nobody's who keeps replies in a folder."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError) as caught:
        opened("postgresql://me:pw@db/team")
    assert str(caught.value) == (
        "the store postgresql://db/team needs psycopg; run pip install 'summeval-pytest[postgres]',"
        " or name a folder with --summ-store=DIR"
    )


# Addresses


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://me:pw-marker@db.example/team", "postgresql://db.example/team"),
        ("postgres://me@db:5432/team?password=pw-marker", "postgresql://db:5432/team"),
        ("postgresql://a:5432,b:5433/team?sslmode=require", "postgresql://a:5432,b:5433/team"),
        ("postgresql://[::1]:5432/team", "postgresql://[::1]:5432/team"),
        ("postgresql:///team", "postgresql:///team"),
        ("postgresql://me@db", "postgresql://db/"),
    ],
)
def test_an_address_shows_host_and_database_alone(text: str, shown: str) -> None:
    """Not the user, the password or the query, wherever it is printed."""
    place = read_place(text)
    assert isinstance(place, SharedPlace)
    assert place.url == text
    assert f"{place}" == shown
    assert repr(place) == f"SharedPlace(shown={shown!r})"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me:pw/marker@db/team",
        "postgresql://me:pw#marker@db/team",
        "postgresql://me:pw?marker@db/team",
        "postgresql://me:pw@marker@db/team",
        "postgresql://me:pw-marker",
        "mysql://me:pw-marker@db/team",
        "redis://db",
    ],
)
def test_what_is_no_address_is_refused_and_not_shown(text: str) -> None:
    """A part of a password that was not escaped would be taken for a host."""
    with pytest.raises(StoreError) as caught:
        read_place(text)
    assert str(caught.value) == (
        "the store is no folder, and no PostgreSQL address: write --summ-store=DIR, or"
        " --summ-store=postgresql://user@host/database, and in a user, a password or a query"
        " %40 for @, %2F for / and the like"
    )


@pytest.mark.parametrize("text", ["there", "/some/where", "C:\\store", "~/store"])
def test_all_else_is_a_folder(text: str) -> None:
    """As it always was."""
    assert read_place(text) == Path(text)
