from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.spending import Budget
from summeval_pytest.errors import NoReplyError
from tests.waiting import SOON

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from pathlib import Path

A_WHILE = 0.1
"""Seconds in which something that must not happen would have."""

calls = st.lists(
    st.tuples(st.integers(1, 100), st.integers(0, 100), st.integers(0, 3)), max_size=12
)
"""Of each call the most it can cost in cents, the share that it did cost, and its length."""


def refusal(budget: Budget, most: float) -> str:
    """Why there is nothing left for a call."""
    with pytest.raises(NoReplyError) as caught:
        within(budget.reserve(most))
    assert caught.value.fault == "over_budget"
    return str(caught.value)


def within(what: Coroutine[object, object, None], seconds: float = SOON) -> None:
    """Waits for something that must happen soon."""
    asyncio.run(asyncio.wait_for(what, seconds))


@contextmanager
def holding(file: Path, most: float) -> Iterator[subprocess.Popen[str]]:
    """Another process that has set something aside, and does not go on."""
    program = (
        "import asyncio, sys, time, pathlib\n"
        "from summeval_pytest.endpoints.spending import Budget\n"
        f"asyncio.run(Budget(1.0, pathlib.Path({str(file)!r})).reserve({most}))\n"
        "print('held', flush=True)\n"
        "time.sleep(3600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_calls_within_the_budget_are_let_through() -> None:
    """0.6 that cost 0.1, then 0.9: exactly 1 dollar."""
    budget = Budget(1.0)
    within(budget.reserve(0.6))
    budget.settle(0.6, 0.1)
    within(budget.reserve(0.9))


def test_call_that_could_exceed_the_budget_is_refused() -> None:
    """It says what was spent, of how much, and what the call could cost."""
    budget = Budget(1.5)
    within(budget.reserve(1.0))
    budget.settle(1.0, 0.75)
    assert refusal(budget, 0.8) == (
        "not judged: budget (0.7500 of 1.5 dollars spent, and the next call could cost 0.8000)"
    )


def test_nothing_is_asked_once_the_budget_was_over() -> None:
    """Else the pairs that are judged would be those with the shortest summaries."""
    budget = Budget(1.0)
    refusal(budget, 1.1)
    assert "0.0000 of 1 dollars" in refusal(budget, 0.01)


def test_call_waits_for_what_calls_in_flight_leave() -> None:
    """0.7 is set aside and costs 0.1; meanwhile 0.8 waits, and then fits."""

    async def main() -> list[str]:
        budget, order = Budget(1.0), []
        await budget.reserve(0.7)
        second = asyncio.create_task(budget.reserve(0.8))
        second.add_done_callback(lambda _: order.append("reserved"))
        await asyncio.sleep(A_WHILE)
        order.append("settled")
        budget.settle(0.7, 0.1)
        await asyncio.wait_for(second, SOON)
        return order

    assert asyncio.run(main()) == ["settled", "reserved"]


def test_call_that_gives_up_waiting_holds_nothing() -> None:
    """Ctrl-C while a call waits."""

    async def main() -> None:
        budget = Budget(1.0)
        await budget.reserve(0.7)
        second = asyncio.create_task(budget.reserve(0.8))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.wait((second,))
        budget.settle(0.7, 0.0)
        await asyncio.wait_for(budget.reserve(1.0), SOON)

    asyncio.run(main())


@settings(deadline=None, max_examples=15)
@given(calls, st.integers(0, 300))
def test_budget_is_never_exceeded(calls: list[tuple[int, int, int]], cents: int) -> None:
    """However many calls are open, in whatever order they end, whatever they cost."""
    budget = Budget(cents / 100)
    spent = 0.0
    n_open = 0

    async def call(most: float, cost: float, n_turns: int) -> None:
        nonlocal spent, n_open
        try:
            await budget.reserve(most)
        except NoReplyError:
            return
        n_open += 1
        for _ in range(n_turns):
            await asyncio.sleep(0)
        spent += cost
        n_open -= 1
        budget.settle(most, cost)

    async def main() -> None:
        async with asyncio.timeout(SOON):
            await asyncio.gather(
                *(call(most / 100, most * share / 10_000, turns) for most, share, turns in calls)
            )

    asyncio.run(main())
    assert spent <= cents / 100 + 1e-9
    assert n_open == 0
    assert budget._mine.reserved == {}


def test_two_share_one_account(tmp_path: Path) -> None:
    """What one has spent or set aside is not there for the other."""

    async def main() -> None:
        one, other = (Budget(1.0, tmp_path / "budget") for _ in range(2))
        await one.reserve(0.6)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(other.reserve(0.6), A_WHILE)
        one.settle(0.6, 0.3)
        await asyncio.wait_for(other.reserve(0.6), SOON)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(one.reserve(0.2), A_WHILE)
        other.settle(0.6, 0.6)
        with pytest.raises(NoReplyError, match=r"0\.9000 of 1 dollars spent"):
            await one.reserve(0.2)

    asyncio.run(main())


def test_account_is_its_owners_alone(tmp_path: Path) -> None:
    """Who could write it could make a run spend more."""
    within(Budget(1.0, tmp_path / "budget").reserve(0.1))
    assert (tmp_path / "budget").stat().st_mode & 0o777 == 0o600


def test_living_process_keeps_what_it_has_set_aside(tmp_path: Path) -> None:
    """Its call may still cost all of it."""
    file = tmp_path / "budget"
    with holding(file, 0.9), pytest.raises(TimeoutError):
        within(Budget(1.0, file).reserve(0.2), A_WHILE)


def test_dead_process_lets_go_what_it_had_set_aside(tmp_path: Path) -> None:
    """A killed worker would keep the others waiting for ever."""
    file = tmp_path / "budget"
    with holding(file, 0.9) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    within(Budget(1.0, file).reserve(0.2))


def test_killed_process_that_nobody_has_buried_yet_lets_go_as_well(tmp_path: Path) -> None:
    """Who starts workers asks how they ended when all is over; until then a dead one has an id."""
    file = tmp_path / "budget"
    with holding(file, 0.9) as process:
        process.send_signal(signal.SIGKILL)
        assert process.stdout is not None
        assert process.stdout.read() == ""  # it is dead, and nobody has waited for it
        within(Budget(1.0, file).reserve(0.2))


def test_processes_together_never_exceed_the_budget(tmp_path: Path) -> None:
    """Three processes of eight calls each, at most a dime and often less, share one dollar."""
    file = tmp_path / "budget"
    program = (
        "import asyncio, pathlib, random, sys\n"
        "from summeval_pytest.errors import NoReplyError\n"
        "from summeval_pytest.endpoints.spending import Budget\n"
        f"budget = Budget(1.0, pathlib.Path({str(file)!r}))\n"
        "chance = random.Random(int(sys.argv[1]))\n"
        "async def call():\n"
        "    try:\n"
        "        await budget.reserve(0.1)\n"
        "    except NoReplyError:\n"
        "        return 0\n"
        "    await asyncio.sleep(chance.random() / 50)\n"
        "    cost = chance.choice([2, 5, 10])\n"
        "    budget.settle(0.1, cost / 100)\n"
        "    return cost\n"
        "async def main():\n"
        "    print(sum(await asyncio.gather(*(call() for _ in range(8)))))\n"
        "asyncio.run(main())\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(number)], stdout=subprocess.PIPE, text=True
        )
        for number in range(3)
    ]
    cents = [int(process.communicate(timeout=SOON)[0]) for process in processes]
    # 24 calls of at least 2 and 5.7 on average would cost about 136 cents.
    assert 90 <= sum(cents) <= 100
    assert json.loads(file.read_text())[0] == pytest.approx(sum(cents) / 100)
