from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Coroutine
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints import limits
from summeval_pytest.endpoints.chat import ChatRequest, Message, Schema, Usage
from summeval_pytest.endpoints.endpoint import Price
from summeval_pytest.errors import NoReplyError
from summeval_pytest.store import store
from summeval_pytest.store.store import LocalAccount, LocalStore, Reservation
from tests.waiting import SOON

PRICE = Price(2.5, 10.0, 1.25)
A_WHILE = 0.1
"""Seconds in which something that must not happen would have."""


def asking(*texts: str, schema: Schema | None = None) -> ChatRequest:
    """A request of so many messages."""
    messages = tuple(Message("user", text) for text in texts)
    return ChatRequest(model="m", messages=messages, max_tokens=100, schema=schema)


def test_a_reply_costs_its_prompt_and_its_text() -> None:
    """1000 * 2.5 + 200 * 10 = 4500 dollars for a million times as much, less for cached tokens."""
    # (1000 - 800) * 2.5 + 800 * 1.25 + 200 * 10 = 3500; without a price of their own 4500.
    assert PRICE.cost(Usage(1000, 200)) == pytest.approx(0.0045)
    assert PRICE.cost(Usage(1000, 200, 800)) == pytest.approx(0.0035)
    assert Price(2.5, 10.0).cost(Usage(1000, 200, 800)) == pytest.approx(0.0045)


def test_a_prompt_has_at_most_so_many_tokens() -> None:
    """Two letters or blanks are one token, every other byte is one, and a message adds 8."""
    for text, n_tokens in (
        *(("", 0), ("zinc falls", 5), ("zinc fell", 5), ("1.5", 3), ("p < 0.05", 2 + 1 + 4)),
        *(("ß", 2), ("锌", 3), ("\ud800", 1)),
    ):
        assert limits.tokens_at_most(asking(text)) == n_tokens + 8
    # `l` is 1 token, `{"a":1}` has one letter and six other bytes; 8 a message, 64 a schema. The
    # usual estimate has a token for four characters: 10 and 8 of a schema are 18, so 5, and 8.
    schema = Schema(name="l", text='{"a":1}')
    assert limits.tokens_at_most(asking("", "", schema=schema)) == 1 + 7 + 2 * 8 + 64
    assert limits.tokens_about(asking("zinc falls", schema=schema)) == 5 + 8
    # where cached tokens cost more, they count as that: (5 + 8) * 3 + 100 * 10 = 1039
    most = limits.cost_at_most(asking("zinc falls"), Price(2.5, 10.0, 3.0))
    assert most == pytest.approx(0.001039)


def test_what_the_prompt_leaves_pays_the_reply() -> None:
    """(5 + 8) * 3 = 39 of 1039 millionths are for the prompt, whatever room the reply has."""
    request = replace(asking("zinc falls"), room=4000)
    for dollars, price, n_tokens in (
        (0.001039, Price(2.5, 10.0, 3.0), 100.0),
        (0.000038, Price(2.5, 10.0, 3.0), 0.0),
        (0.0, Price(2.5, 0.0), math.inf),
    ):
        assert limits.tokens_for(dollars, request, price) == pytest.approx(n_tokens)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=60), st.text(max_size=60))
def test_more_text_never_has_fewer_tokens(text: str, more: str) -> None:
    """Neither estimate may shrink as a prompt grows, and the upper one is above the other."""
    assert limits.tokens_at_most(asking(text + more)) >= limits.tokens_at_most(asking(text))
    assert limits.tokens_about(asking(text + more)) >= limits.tokens_about(asking(text))
    assert limits.tokens_at_most(asking(text)) >= limits.tokens_about(asking(text))


def test_a_reply_counts_once_with_its_cost_or_as_unpriced() -> None:
    """Two metrics share one reply; what was asked is not remembered as well."""
    ledger = limits.Ledger()
    for key in ("b", "a", "b"):
        ledger.remembered(key, "recorded")
    ledger.remembered("c", "cached")
    ledger.answered("d", None, None)
    ledger.remembered("d", "cached")
    assert ledger.totals == limits.Totals(n_recorded=2, n_cached=1, n_asked=1, n_unpriced=1)
    assert ledger.totals.n_replies == 4
    assert [ledger.keys(origin) for origin in limits.ORIGINS] == [["d"], ["c"], ["a", "b"]]
    # 1,000 tokens at 2 and 100 at 8 dollars a million: 0.002 + 0.0008
    ledger = limits.Ledger()
    ledger.answered("a", Usage(1000, 100), Price(2.0, 8.0))
    ledger.answered("b", Usage(10, 1), Price(0.0, 0.0))
    assert ledger.totals.cost == pytest.approx(0.0028)
    ledger.answered("c", Usage(5, 2), None)
    ledger.answered("d", None, PRICE)
    assert replace(ledger.totals, cost=0.0) == limits.Totals(
        n_asked=4, prompt_tokens=1015, completion_tokens=103, n_unpriced=2
    )
    one = limits.ModelSeen(endpoint="here", asked="m", returned="m-1", fingerprint="fp_a")
    other = replace(one, fingerprint="fp_b")  # every name and fingerprint is a model of its own
    counted = (replace(one, n_replies=2), replace(other, n_replies=1))
    assert limits.models_seen({other: {"c"}, one: {"a", "b"}}) == counted


calls = st.lists(
    st.tuples(st.integers(1, 100), st.integers(0, 100), st.integers(0, 3)), max_size=12
)
"""Of each call the most it can cost in cents, the share that it did cost, and its length."""


def within(what: Coroutine[object, object, object], seconds: float = SOON) -> None:
    """Waits for something that must happen soon."""
    asyncio.run(asyncio.wait_for(what, seconds))


def refusal(budget: limits.Budget, most: float) -> str:
    """Why there is nothing left for a call."""
    with pytest.raises(NoReplyError) as caught:
        within(budget.reserve(most))
    assert caught.value.fault == "over_budget"
    return str(caught.value)


def test_calls_within_the_budget_are_let_through_and_one_beyond_is_not() -> None:
    """It says what was spent, of how much, and what it could cost; a cheaper one goes on."""
    budget = limits.Budget(1.0)  # 0.6 that cost 0.1, then 0.9: exactly 1 dollar
    within(budget.reserve(0.6))
    within(budget.settle(0.6, 0.1))
    within(budget.reserve(0.9))
    within(limits.Budget(0.0).reserve(0.0))
    budget = limits.Budget(1.5)
    within(budget.reserve(1.0))
    within(budget.settle(1.0, 0.75))
    assert refusal(budget, 0.8) == (
        "not judged: budget (0.7500 of 1.5 dollars spent, and the next call could cost 0.8000)"
    )
    within(budget.reserve(0.1))
    budget = limits.Budget(1.0)

    async def halves() -> list[float]:
        first = await budget.reserve(lambda left: left / 2)  # by what is left
        await budget.settle(first, first)
        return [first, await budget.reserve(lambda left: left / 2)]

    assert asyncio.run(halves()) == [0.5, 0.25]


@settings(deadline=None, max_examples=15)
@given(calls, st.integers(0, 300))
def test_budget_is_never_exceeded(calls: list[tuple[int, int, int]], cents: int) -> None:
    """However many calls are open, in whatever order they end, whatever they cost."""
    account = LocalAccount()
    budget = limits.Budget(cents / 100, account)
    spent = 0.0

    async def call(most: float, cost: float, n_turns: int) -> None:
        nonlocal spent
        try:
            await budget.reserve(most)
        except NoReplyError:
            return
        for _ in range(n_turns):
            await asyncio.sleep(0)
        spent += cost
        await budget.settle(most, cost)

    async def main() -> None:
        async with asyncio.timeout(SOON):
            await asyncio.gather(
                *(call(most / 100, most * share / 10_000, turns) for most, share, turns in calls)
            )

    asyncio.run(main())
    assert spent <= cents / 100 + 1e-9
    assert account._mine.reserved == {}


def test_two_share_one_account(tmp_path: Path) -> None:
    """What one has spent or set aside is not there for the other."""

    async def main() -> None:
        one, other = (limits.Budget(1.0, LocalStore(tmp_path).account("run-1")) for _ in range(2))
        await one.reserve(0.6)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(other.reserve(0.6), A_WHILE)
        await one.settle(0.6, 0.3)
        await asyncio.wait_for(other.reserve(0.6), SOON)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(one.reserve(0.2), A_WHILE)
        await other.settle(0.6, 0.6)
        for budget in (one, other):
            with pytest.raises(NoReplyError, match=r"0\.9000 of 1 dollars spent"):
                await budget.reserve(0.2)
            await budget.reserve(0.01)
            await budget.settle(0.01, 0.0)

    asyncio.run(main())


def test_many_calls_that_wait_do_not_keep_the_loop_busy(tmp_path: Path) -> None:
    """Each asked the database every 20 ms, and the loop was late by 80 ms."""
    account, n_looks = LocalStore(tmp_path).account("run-1"), 0
    looked = account.reserve

    async def counted(most: float, dollars: float) -> Reservation:
        nonlocal n_looks
        n_looks += 1
        return await looked(most, dollars)

    account.reserve = counted  # type: ignore[method-assign]

    async def main() -> None:
        budget = limits.Budget(1.0, account)
        await budget.reserve(0.9)
        waiting = [asyncio.ensure_future(budget.reserve(0.9)) for _ in range(64)]
        await asyncio.sleep(0.3)
        assert n_looks <= 4
        await budget.settle(0.9, 0.0)
        await asyncio.wait_for(waiting[0], SOON)
        for each in waiting:
            each.cancel()

    asyncio.run(main())


def test_money_that_nobody_gives_back_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a dead process cannot be told, its call holds its money for ever."""
    monkeypatch.setattr(limits, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(limits, "_LOOK_SECONDS", 0.02)
    budget = limits.Budget(1.0)
    within(budget.account.reserve(0.9, 1.0))
    assert "0.0000 of 1 dollars spent, and the next call could cost 0.2000" in refusal(budget, 0.2)


HOLDER = """
import asyncio, pathlib, sys, time
from summeval_pytest.endpoints.limits import Budget
from summeval_pytest.store.store import LocalStore
budget = Budget(1.0, LocalStore(pathlib.Path(sys.argv[1])).account("run-1"))
asyncio.run(budget.reserve(0.9))
print('held', flush=True)
time.sleep(3600)
"""


def test_what_a_process_has_set_aside_is_let_go_when_it_is_dead(tmp_path: Path) -> None:
    """A living one's call may still cost it; a killed worker may not be buried before the end."""
    run = tmp_path / "runs" / "run-1"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            with closing(LocalStore(run)) as cache:
                account = cache.note("budget")
            with closing(LocalStore(tmp_path)) as store, pytest.raises(TimeoutError):
                within(limits.Budget(1.0, store.account("run-1")).reserve(0.2), A_WHILE)
            process.send_signal(signal.SIGKILL)
            assert process.stdout.read() == ""  # it is dead, and nobody has waited for it
            with closing(LocalStore(tmp_path)) as store:
                within(limits.Budget(1.0, store.account("run-1")).reserve(0.2))
        finally:
            process.kill()
    with closing(LocalStore(run)) as cache, closing(LocalStore(tmp_path)) as store:
        cache.put_note("budget", account or "")
        within(limits.Budget(1.0, store.account("run-1")).reserve(0.2))


def test_on_windows_no_process_is_asked_if_it_lives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There `os.kill(process, 0)` presses Ctrl-C in its console; what it holds stays held."""
    pressed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda process, _: pressed.append(process))
    monkeypatch.setattr(sys, "platform", "win32")
    lives = store._lives(2**31 - 1)
    monkeypatch.undo()
    assert (lives, pressed) == (True, [])


ADDER = (
    HOLDER.partition("asyncio.run")[0]
    + """
for _ in range(200):
    asyncio.run(budget.settle(0.0, 0.001))
"""
)


def test_no_process_loses_what_another_has_spent(tmp_path: Path) -> None:
    """Each reads the balance, and writes it with its own cost."""
    command = [sys.executable, "-c", ADDER, str(tmp_path)]
    processes = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(SOON) for process in processes] == [0, 0]
    with closing(LocalStore(tmp_path / "runs" / "run-1")) as cache:
        assert json.loads(cache.note("budget") or "")[0] == pytest.approx(0.4)
