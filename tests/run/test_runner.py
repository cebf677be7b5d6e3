from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing
from time import sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest import questions as q
from summeval_pytest.endpoints.limits import URGENCY
from summeval_pytest.errors import JudgeError, SummevalError
from summeval_pytest.metrics import faithfulness
from summeval_pytest.run import runner as runner_module
from summeval_pytest.run.pair_numbers import Numbers, numbers_of
from summeval_pytest.run.runner import Runner, Task, tasks_of
from summeval_pytest.suite.suite import load_suite
from tests.label_suite import write_lines
from tests.waiting import SOON, until, wait_until

N_PAIRS = 8


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[Task]:
    """A paper a mouse, each with a summary of one sentence; each asks its judge one question."""
    folder = tmp_path_factory.mktemp("mice")
    mice = [f"mouse-{number}" for number in range(N_PAIRS)]
    papers = [{"id": m, "source": f"Zinc went to {m}.", "reference": f"{m} slept."} for m in mice]
    write_lines(folder / "papers.jsonl", *papers)
    summaries = [{"paper": mouse, "summary": f"Rest came to {mouse}."} for mouse in mice]
    write_lines(folder / "careful.jsonl", *summaries)
    (folder / "summeval.toml").write_text(
        'papers = "papers.jsonl"\n[systems.careful]\nsummaries = "careful.jsonl"\n',
        encoding="utf-8",
    )
    return tasks_of(load_suite(folder, "mice"), ["careful"], ("faithfulness",))


class Counting:
    """Supports every sentence, and keeps which mouse it was asked about, and how many at once."""

    signature = "counting-1"
    most_unfetched = fetched = 0
    """How many of its answers were not fetched at once, and how many were."""

    def __init__(self, in_flight: int = 1) -> None:
        self.in_flight = in_flight
        self.mice: list[int] = []
        self.most_open = 0
        self._open = 0

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One check, after some thought."""
        (question,) = questions
        assert isinstance(question, q.CheckSentences)
        mouse = int(question.sentences[0].removesuffix(".").rpartition("-")[2])
        self.mice.append(mouse)
        self._open += 1
        self.most_open = max(self.most_open, self._open)
        self.most_unfetched = max(self.most_unfetched, len(self.mice) - self.fetched)
        try:
            await self.think(mouse)
        finally:
            self._open -= 1
        return (q.SentenceChecks((q.SentenceCheck(reason="", supported=True),)),)

    async def think(self, mouse: int) -> None:
        """Takes no time."""


class Waiting(Counting):
    """Waits for a network that is not there."""

    async def think(self, mouse: int) -> None:  # noqa: ARG002  # every mouse takes as long
        """Takes a moment."""
        await asyncio.sleep(0.002)


class Together(Counting):
    """Answers no question before a number of them is open, however slow the machine."""

    def __init__(self, together: int, *, in_flight: int | None = None) -> None:
        super().__init__(in_flight=in_flight or together + 1)
        self.together = together
        self.all_open = asyncio.Event()

    async def think(self, mouse: int) -> None:  # noqa: ARG002  # every mouse waits for the last
        """Waits for the others, the first time."""
        if self.most_open == self.together:
            self.all_open.set()
        await asyncio.wait_for(self.all_open.wait(), SOON)


class Blocking(Counting):
    """Computes without ever giving way, until it is told to stop."""

    def __init__(self) -> None:
        super().__init__()
        self.stop = threading.Event()

    async def think(self, mouse: int) -> None:  # noqa: ARG002  # no mouse is ever done
        """Holds the loop."""
        self.stop.wait(SOON)


class Failing(Counting):
    """Fails the first time it is asked about some mice."""

    def __init__(self, *mice: int, in_flight: int = 1) -> None:
        super().__init__(in_flight)
        self.failing = set(mice)

    async def think(self, mouse: int) -> None:
        """Raises, once a mouse."""
        if mouse in self.failing:
            self.failing.discard(mouse)
            raise ConnectionError(f"no route to mouse {mouse}")


def settle(runner: Runner) -> None:
    """Lets the loop do all that it can do without waiting."""
    for _ in range(10):
        runner.converse(faithfulness.measure("", ()))


def test_a_judge_that_waits_is_asked_ahead(tasks: list[Task]) -> None:
    """One place is kept for the test that asks; the others are filled again after each fetch."""
    judge = Waiting(in_flight=3)
    with closing(Runner(judge)) as runner:
        runner.plan(tasks)
        settle(runner)
        assert judge.mice == [0, 1]
        for number, task in enumerate(tasks, start=1):
            runner.evaluation(task)
            settle(runner)
            assert judge.mice == list(range(min(N_PAIRS, number + 2)))
    assert judge.most_open <= 2


@settings(max_examples=40, deadline=None)
@given(order=st.permutations(range(N_PAIRS)), in_flight=st.integers(1, 5))
def test_no_more_pairs_are_open_than_the_judge_wants(
    tasks: list[Task], order: list[int], in_flight: int
) -> None:
    """Law: in whatever order tests ask, every pair is judged once and the bound holds."""
    judge = Waiting(in_flight)
    with closing(Runner(judge)) as runner:
        runner.plan(tasks)
        for place in order:
            runner.evaluation(tasks[place])
            judge.fetched += 1
    assert sorted(judge.mice) == list(range(N_PAIRS))
    assert judge.most_unfetched <= in_flight


def test_what_a_test_asks_for_goes_first(tasks: list[Task]) -> None:
    """It does not queue behind the plan, even where every place is taken."""
    judge = Waiting(in_flight=2)
    with closing(Runner(judge)) as runner:
        runner.plan(tasks)
        runner.evaluation(tasks[6])
        assert judge.mice == [0, 6]


def test_a_failure_is_raised_where_the_pair_is_asked_for(tasks: list[Task]) -> None:
    """It is no other pair's, also where it was read ahead, and does not stop the reading ahead."""
    judge = Failing(1, in_flight=2)
    with closing(Runner(judge)) as runner:
        runner.plan(tasks[:4])
        with pytest.raises(JudgeError, match="no route to mouse 1"):
            runner.evaluation(tasks[1])
        assert runner.evaluation(tasks[0]).paper == "mouse-0"
        settle(runner)
        assert judge.mice == [0, 1, 2]
        assert runner.evaluation(tasks[2]).paper == "mouse-2"
        settle(runner)
        assert judge.mice == [0, 1, 2, 3]


def test_numbers_that_are_known_are_not_asked_for_again(tasks: list[Task]) -> None:
    """The means over papers come after the pairs, in the order asked for, and cost no more."""
    judge = Counting()
    threads = threading.active_count()
    with closing(Runner(judge)) as runner:
        known = runner.evaluation(tasks[2]).numbers()
        numbers = runner.numbers([tasks[3], tasks[2], tasks[1]])
    assert [answered.paper for answered in numbers] == ["mouse-3", "mouse-2", "mouse-1"]
    assert runner.numbers([tasks[2]]) == [known]
    assert threading.active_count() == threads
    assert judge.mice == [2, 3, 1]


def test_a_pair_that_breaks_down_does_not_stop_the_others(tasks: list[Task]) -> None:
    """The means of 500 papers are decided with what is there, and each is asked for once."""
    judge, told = Failing(2, in_flight=3), []

    def broken(task: Task, error: SummevalError) -> Numbers:
        told.append((task, str(error)))
        return numbers_of(task.paper, task.system, ())

    with closing(Runner(judge)) as runner:
        numbers = runner.numbers(tasks, broken)
        assert runner._open == {}
        assert runner.numbers(tasks, broken) == numbers
        assert judge.mice == list(range(N_PAIRS))
        runner.evaluation(tasks[2])  # as a test that is run again
        assert runner.numbers(tasks, broken)[2].values
    assert [each.paper for each in numbers] == [task.paper for task in tasks]
    assert [bool(each.values) for each in numbers] == [n != 2 for n in range(N_PAIRS)]
    assert [task for task, _ in told] == [tasks[2]] * 2
    assert "no route to mouse 2" in told[0][1]


@pytest.mark.parametrize("in_flight", [1, 3, N_PAIRS + 4])
def test_evaluations_are_many_at_once_within_the_judges_bound(
    tasks: list[Task], in_flight: int
) -> None:
    """A thousand labelled pairs hold no thousand texts: one is opened for each handed over."""
    judge = Together(min(in_flight, N_PAIRS), in_flight=in_flight)
    with closing(Runner(judge)) as runner:
        for _ in runner.evaluations(tasks):
            judge.fetched += 1
            assert len(runner._open) < in_flight
    assert judge.mice == list(range(N_PAIRS))
    assert judge.most_open == min(in_flight, N_PAIRS)
    assert judge.most_unfetched <= in_flight


def test_whoever_stops_early_leaves_no_evaluation_open(tasks: list[Task]) -> None:
    """What was opened would hold its texts, and the places of pairs to read ahead."""
    judge = Waiting(in_flight=3)
    with closing(Runner(judge)) as runner:
        answered = runner.evaluations(tasks[:6])
        assert isinstance(answered, Generator)
        assert [next(answered).paper, next(answered).paper] == ["mouse-0", "mouse-1"]
        assert runner._open
        answered.close()
        assert runner._open == {}
        wait_until(lambda: judge.mice == [0, 1, 2, 3] and judge._open == 0)
        runner.plan(tasks[6:])
        settle(runner)
        assert judge.mice == [0, 1, 2, 3, 6, 7]


def test_a_failure_among_evaluations_is_raised_at_its_place(tasks: list[Task]) -> None:
    """Those before it were handed over; none is left open after it."""
    judge = Failing(2, in_flight=3)
    with closing(Runner(judge)) as runner:
        answered = runner.evaluations(tasks)
        assert [next(answered).paper, next(answered).paper] == ["mouse-0", "mouse-1"]
        with pytest.raises(JudgeError, match="no route to mouse 2"):
            next(answered)
        assert runner._open == {}
        assert list(answered) == []


def test_where_tests_are_shared_the_plan_goes_on_without_them(tasks: list[Task]) -> None:
    """A pair read ahead may be another process's test, so only its numbers are kept."""
    judge = Together(2)
    with closing(Runner(judge, shares_tests=True)) as runner:
        runner.plan(tasks)
        wait_until(lambda: runner.n_judged == N_PAIRS)
        assert judge.mice == list(range(N_PAIRS))
        assert judge.most_open == 2
        assert [answered.paper for answered in runner.numbers(tasks)] == [t.paper for t in tasks]
        assert runner.evaluation(tasks[5]).paper == "mouse-5"
    assert judge.mice == list(range(N_PAIRS))


class Asking(Waiting):
    """Has to ask an endpoint about the first so many mice; the others are remembered."""

    def __init__(self, n_asked: int) -> None:
        super().__init__(in_flight=3)
        self.n_asked = n_asked

    async def think(self, mouse: int) -> None:
        """Says so, as whoever sends requests does."""
        if mouse < self.n_asked:
            URGENCY.get().has_asked = True
        await super().think(mouse)


@pytest.mark.parametrize(("n_asked", "n_read"), [(2, 5), (3, 6), (N_PAIRS, N_PAIRS)])
def test_reading_ahead_ends_where_others_have_asked_everything(
    tasks: list[Task], n_asked: int, n_read: int
) -> None:
    """Two pairs are this process's own; then three in a row that ask nothing are enough."""
    judge = Asking(n_asked)
    with closing(Runner(judge, shares_tests=True)) as runner:
        runner.plan(tasks, n_share=2)
        wait_until(lambda: runner.n_judged >= n_read)
        settle(runner)
        sleep(0.02)
        assert n_read <= len(judge.mice) <= min(n_read + 1, N_PAIRS)  # one more may be open


def test_whoever_waits_is_reported_how_things_stand(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line on the terminal is drawn anew while a test waits, and wiped before pytest writes."""
    monkeypatch.setattr(runner_module, "LOOK_SECONDS", 0.001)
    calls: list[bool] = []

    class Watched(Counting):
        async def think(self, mouse: int) -> None:  # noqa: ARG002  # every mouse takes as long
            await until(lambda: True in calls)

    with closing(Runner(Watched(), while_waiting=calls.append)) as runner:
        for task in tasks:
            calls.clear()
            runner.evaluation(task)
            assert not calls[-1]


def test_closing_lets_whoever_has_something_open_end_it(tasks: list[Task]) -> None:
    """Calls in flight were paid for; they are waited for on the loop that they are open on."""
    ended: list[tuple[float, int]] = []
    judge = Waiting(in_flight=3)

    async def finish(seconds: float) -> None:
        await until(lambda: judge._open == 0)
        ended.append((seconds, judge._open))

    runner = Runner(judge, finish=finish)
    runner.plan(tasks)
    wait_until(lambda: len(judge.mice) == 2)
    runner.close(seconds=SOON)
    assert ended == [(SOON, 0)]
    assert len(judge.mice) == 2, "what is planned is not begun any more"


def test_closing_waits_no_longer_than_it_was_reported_to(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has pressed Ctrl-C; the end that is waited for would take an hour."""
    monkeypatch.setattr(runner_module, "GRACE_SECONDS", 0.01)
    given_up = threading.Event()

    async def finish(seconds: float) -> None:
        try:
            await asyncio.sleep(seconds + 3600)
        except asyncio.CancelledError:
            given_up.set()
            raise

    runner = Runner(Counting(), finish=finish)
    runner.evaluation(tasks[0])
    runner.close(seconds=0.01)
    assert given_up.wait(SOON)


def test_closing_does_not_wait_for_a_judge_that_hangs(
    tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread is a daemon: the run ends without it."""
    monkeypatch.setattr(runner_module, "CLOSE_SECONDS", 0.01)
    before = set(threading.enumerate())
    judge = Blocking()
    runner = Runner(judge)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(runner.evaluation, tasks[0])
        wait_until(lambda: judge.mice == [0])
        (thread,) = [t for t in set(threading.enumerate()) - before if t.daemon]
        runner.close()
        assert thread.is_alive()
        judge.stop.set()
        thread.join(SOON)
        assert not thread.is_alive()
        assert isinstance(waiting.exception(SOON), CancelledError)
