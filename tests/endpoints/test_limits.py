from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.endpoints.endpoint import Endpoint
from summeval_pytest.endpoints.limits import FEW, NARROW, URGENCY, Limiter, Limits, Urgency
from tests.endpoints.calls import n_waiting
from tests.waiting import SOON, run_skipping, skip


def at(
    name: str = "a", max_in_flight: int | None = None, requests_per_minute: int | None = None
) -> Endpoint:
    """An endpoint by name."""
    return Endpoint(
        name=name,
        base_url="http://localhost/v1",
        max_in_flight=max_in_flight,
        requests_per_minute=requests_per_minute,
    )


async def turns(n: int = 5) -> None:
    """Lets everyone come as far as they can."""
    for _ in range(n):
        await asyncio.sleep(0)


class Crowd:
    """Tasks that take a slot each, write their name down and leave when they are told."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.served: list[str] = []
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self._doors: dict[str, asyncio.Event] = {}

    async def enter(
        self, name: str, lane: Limiter, urgency: Urgency | None = None, *, prompt: str = ""
    ) -> None:
        """One more, who stands in line before the next one comes."""
        self._doors[name] = asyncio.Event()
        self.tasks[name] = asyncio.ensure_future(self._one(name, lane, urgency, prompt))
        await turns()

    async def leave(self, name: str) -> None:
        """One gives its slot back."""
        self._doors[name].set()
        await turns()

    async def cancel(self, name: str) -> None:
        """One is called off."""
        self.tasks[name].cancel()
        await turns()

    async def end(self) -> None:
        """All leave."""
        for door in self._doors.values():
            door.set()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)

    async def _one(self, name: str, lane: Limiter, urgency: Urgency | None, prompt: str) -> None:
        if urgency is not None:
            URGENCY.set(urgency)
        async with self.limits.taken(lane, prompt=prompt):
            self.served.append(name)
            await self._doors[name].wait()


def test_who_is_demanded_while_waiting_overtakes() -> None:
    """A test has come to stand still for it, while the others are read ahead."""

    async def main() -> None:
        crowd = Crowd(limits := Limits(1))
        lane, urgent = limits.limiter(at()), Urgency()
        await crowd.enter("first", lane)
        await crowd.enter("old", lane, Urgency())
        await crowd.enter("young", lane, urgent)
        await crowd.enter("youngest", lane, urgent)
        urgent.demanded = True
        await crowd.leave("first")
        await crowd.leave("young")
        assert crowd.served == ["first", "young", "youngest"]
        urgent.demanded = False
        await crowd.end()
        assert crowd.served[-1] == "old"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("n_limit", "served"),
    [
        (1, "first, again, facts kiln, facts moss, facts moss 2, rate kiln, rate moss"),
        (NARROW + 1, "first, rate kiln, facts kiln, again, rate moss, facts moss, facts moss 2"),
    ],
)
def test_prompts_with_the_same_beginning_follow_each_other_where_few_may_be_open(
    n_limit: int, served: str
) -> None:
    """A slot keeps what it has read; a wide endpoint finishes one pair after another."""

    async def main() -> list[str]:
        crowd = Crowd(limits := Limits(64))
        lane = limits.limiter(at(max_in_flight=n_limit))
        for n in range(n_limit - 1):  # all but one place
            await crowd.enter(f"other {n}", lane)
        await crowd.enter("first", lane, prompt="facts")
        for name in ("rate kiln", "facts kiln", "again", "rate moss", "facts moss"):
            await crowd.enter(name, lane, prompt="" if name == "again" else name)
        order = ["first"]
        while len(order) < 7:
            await crowd.leave(order[-1])
            order.append(crowd.served[-1])
            if order[-1] == "facts moss":  # what its pair asks next
                await crowd.enter("facts moss 2", lane, prompt="facts moss 2")
        await crowd.end()
        return order

    assert ", ".join(asyncio.run(main())) == served


def test_endpoints_share_a_runs_slots_and_have_limits_of_their_own() -> None:
    """Who waits for its own endpoint keeps nobody waiting for another one."""

    async def main() -> None:
        crowd = Crowd(limits := Limits(3))
        narrow, wide = limits.limiter(at("narrow", 1)), limits.limiter(at("wide"))
        assert limits.limiter(at("wide")) is wide
        for name in ("n1", "n2"):
            await crowd.enter(name, narrow)
        for name in ("w1", "w2", "w3"):
            await crowd.enter(name, wide)
        assert crowd.served == ["n1", "w1", "w2"]
        await crowd.leave("w1")
        assert crowd.served == ["n1", "w1", "w2", "w3"]
        await crowd.leave("n1")
        assert crowd.served[-1] == "n2"
        await crowd.end()

    asyncio.run(main())


def test_a_pace_holds_requests_back_while_slots_are_free() -> None:
    """1 a minute: the second waits for a minute, and so does the third for another one."""

    async def main() -> None:
        crowd = Crowd(limits := Limits(64))
        fast, paced = limits.limiter(at("fast")), limits.limiter(at("paced", requests_per_minute=1))
        for name in ("p1", "p2", "p3"):
            await crowd.enter(name, paced)
        await crowd.enter("f", fast)
        assert crowd.served == ["p1", "f"]
        await skip(60)
        assert crowd.served == ["p1", "f", "p2"]
        await skip(60)
        assert crowd.served == ["p1", "f", "p2", "p3"]
        await crowd.end()

    run_skipping(main())


def test_a_refusal_halves_the_limit_once_for_all_that_was_out() -> None:
    """64 requests get 429 together, for one and the same reason: 64 becomes 32 and not 1."""

    async def main() -> list[int]:
        all_ = Limits(64)
        lane = all_.limiter(at(max_in_flight=64))
        async with all_.taken(lane) as one, all_.taken(lane) as two:
            lane.refused(one)
            lane.refused(two)
        limits = [lane.limit]
        for _ in range(6):
            async with all_.taken(lane) as n_shrunk:
                lane.refused(n_shrunk)
            limits.append(lane.limit)
        return limits

    assert asyncio.run(main()) == [32, 16, 8, 4, 2, 1, 1]


def test_a_limit_grows_by_one_for_a_full_round_of_answers() -> None:
    """From 2: two answers make it 3, three more make it 4, its maximum."""

    async def main() -> list[int]:
        lane, limits = Limits(4).limiter(at()), []
        lane.refused(0)
        for _ in range(10):
            lane.served()
            limits.append(lane.limit)
        return limits

    assert asyncio.run(main()) == [2, 3, 3, 3, 4, 4, 4, 4, 4, 4]


def test_a_limit_of_this_machine_doubles_while_answers_are_fast() -> None:
    """A server with one slot answers ever later, the more wait; after a trouble it grows by one."""
    lane, limits = Limits(64).limiter(at()), []
    assert lane.limit == FEW == 4
    for n, seconds in ((4, 1.0), (8, 1.0), (16, 31.0), (1, 29.0)):
        for _ in range(n):
            lane.served(seconds)
        limits.append(lane.limit)
    assert limits == [8, 16, 16, 32]
    lane.refused(0)
    for _ in range(16):
        lane.served(1.0)
    assert lane.limit == 17
    assert Limits(64).limiter(replace(at(), base_url="https://hosted.example/v1")).limit == 64


def test_a_store_that_many_share_says_when_a_turn_is_due() -> None:
    """A request every 10 s, and other machines take every second turn; the limit counts in flight.

    The next turn is taken a tenth of a second ahead, so that none is missed.
    """
    taken: list[tuple[str, tuple[float, ...]]] = []

    async def take_turn(name: str, seconds: Sequence[float]) -> tuple[float, float]:
        taken.append((name, tuple(seconds)))
        return 10.0 * (len(taken) > 1), 20.0

    async def main() -> list[list[str]]:
        crowd = Crowd(limits := Limits(2, take_turn))
        lane, free = limits.limiter(at(requests_per_minute=6)), limits.limiter(at("b"))
        for name in ("first", "second"):
            await crowd.enter(name, lane)
        await crowd.enter("free", free)  # has no pace, so nobody is asked for a turn
        seen = [list(crowd.served)]
        for seconds in (19.8, 0.2, 9.8, 0.3):
            await crowd.leave("first")
            await skip(seconds)
            seen.append(list(crowd.served))
        await crowd.end()
        return seen

    first, both = ["first", "free"], ["first", "free", "second"]
    assert run_skipping(main()) == [first, first, first, first, both]
    assert taken == [("a http://localhost/v1", (10.0, 0.0))] * 2


@settings(deadline=None, max_examples=40)
@given(
    limit=st.integers(1, 4),
    own=st.integers(1, 4),
    stays=st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.booleans()), max_size=24),
)
def test_limits_hold_and_all_go(limit: int, own: int, stays: list[tuple[int, bool, bool]]) -> None:
    """However long they stay, whoever is called off, in whatever order they come."""

    async def main() -> None:
        limits = Limits(limit)
        lanes = [limits.limiter(at("a", own)), limits.limiter(at("b"))]
        served = 0

        async def one(n_turns: int, lane: Limiter, *, urgent: bool) -> None:
            nonlocal served
            URGENCY.set(Urgency(demanded=urgent))
            async with limits.taken(lane):
                assert limits.n_taken <= limit
                assert lane.n_taken <= lane.maximum
                await turns(n_turns)
                served += 1

        tasks = [
            asyncio.ensure_future(one(n, lanes[n % 2], urgent=urgent)) for n, urgent, _ in stays
        ]
        await turns(2)
        for task, (_, _, is_off) in zip(tasks, stays, strict=True):
            if is_off:
                task.cancel()
        done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), SOON)
        n_off = sum(isinstance(outcome, asyncio.CancelledError) for outcome in done)
        assert served == len(stays) - n_off
        assert [limits.n_taken, n_waiting(limits)] == [0, 0]
        assert [lane.n_taken for lane in lanes] == [0, 0]

    asyncio.run(main())


def times(pace: Limiter, n_requests: int, n_tokens: int = 0, *, start: float = 0.0) -> list[float]:
    """When so many requests are sent, each as soon as it may be."""
    now, sent = start, []
    for _ in range(n_requests):
        now += pace.ready_in(now)
        pace.take(now, n_tokens)
        sent.append(now)
    return sent


def test_requests_are_spread_over_the_minute() -> None:
    """The slower of both limits counts; an hour without requests saves nothing up."""
    for limits, n_tokens, start, sent in (
        # 30 a minute are one every two seconds
        ((30, None), 0, 100.0, [100, 102, 104, 106]),
        # 1200 a minute are 20 a second: two at once, then one every 50 ms
        ((1200, None), 0, 0.0, [0, 0, 0.05, 0.1]),
        # 6000 a minute are 100 a second; 500 tokens are owed for 5 seconds, 10 of them being there
        ((None, 6000), 500, 0.0, [0, 5, 10]),
        # 60 requests a minute, one a second; 600 tokens a minute, 30 of them every three seconds
        ((60, 600), 30, 0.0, [0, 3, 6]),
        ((60, 600), 1, 0.0, [0, 1, 2]),
    ):
        n_requests, of_tokens = limits
        endpoint = replace(at(requests_per_minute=n_requests), tokens_per_minute=of_tokens)
        pace = Limiter(endpoint, 64)
        assert times(pace, len(sent), n_tokens, start=start) == pytest.approx(sent)
        again = times(pace, len(sent), n_tokens, start=start + 3600)
        assert again == pytest.approx([at + 3600 for at in sent])


@settings(deadline=None, max_examples=40)
@given(limit=st.integers(1, 3000), gaps=st.lists(st.floats(0, 30), min_size=1, max_size=80))
def test_no_minute_holds_more_than_its_limit(limit: int, gaps: list[float]) -> None:
    """However the requests come; a tenth of a second's worth is the grain."""
    pace, now, sent = Limiter(at(requests_per_minute=limit), 64), 0.0, []
    for gap in gaps:
        now += gap
        now += pace.ready_in(now)
        pace.take(now, 0)
        sent.append(now)
    room = max(1.0, limit / 600)
    for first in sent:
        in_minute = sum(first <= at < first + 59.999 for at in sent)
        assert in_minute <= limit + room
