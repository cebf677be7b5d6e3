"""Evaluate tasks through one judge, many at once and some ahead of their tests.

One event loop in a background thread drives all pairs; tests wait on it, never the reverse.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeVar

from summeval_pytest.endpoints.limits import URGENCY, Urgency
from summeval_pytest.errors import StoppedError, SummevalError, UsageError
from summeval_pytest.judges.judge import Judge
from summeval_pytest.metrics.flow import Flow, ScoreT
from summeval_pytest.metrics.number import MetricName, Unscored
from summeval_pytest.run.measure import (
    Asker,
    Evaluation,
    Extra,
    converse,
    metric_flow,
    metric_signature,
    source_of,
    stated_flow,
)
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.suite.labels import FactLabels
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Pair

FindPair = Callable[[Suite, str, str], Awaitable[Pair]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One pair to evaluate, by name, in its suite; evaluated when its turn comes.

    Attributes:
        facts: Labelled facts that the judge also checks.
        pair: A pair in place of the system's summary. Then no rule answers for the judge, as
            elsewhere for a summary that is its reference, and for a copied sentence.
        extras: Further dialogues with the judge.
    """

    suite: Suite
    paper: str
    system: str
    metrics: tuple[MetricName, ...]
    facts: FactLabels | None = None
    pair: Pair | None = None
    extras: tuple[Extra, ...] = ()


def tasks_of(suite: Suite, systems: Iterable[str], metrics: tuple[MetricName, ...]) -> list[Task]:
    """Every pair of these systems, paper by paper of one system after another."""
    return [
        Task(suite=suite, paper=paper, system=system, metrics=metrics)
        for system in systems
        for paper in suite.paper_ids_of(system)
    ]


async def pair_of(task: Task, find_pair: FindPair) -> Pair:
    """The pair of a task: a system's summary, or the task's own."""
    return task.pair or await find_pair(task.suite, task.paper, task.system)


async def evaluate_task(task: Task, pair: Pair, asker: Asker) -> Evaluation:
    """Measure the pair of a task as the task asks, all its metrics at once."""
    suite, judge, facts = task.suite.fingerprint, asker.judge, task.facts
    variants, is_ruled = task.suite.variants, task.pair is None
    source = source_of(pair.paper)  # read once, however many pairs are open meanwhile
    flows = [
        converse(metric_flow(each, pair, variants, short_circuit=is_ruled), asker, each)
        for each in task.metrics
    ]
    scores, results, stated = await asyncio.gather(
        asyncio.gather(*flows),
        asyncio.gather(*(converse(each.flow(pair), asker, each.name) for each in task.extras)),
        converse(stated_flow(pair, facts), asker, "eva") if facts is not None else asyncio.sleep(0),
    )
    return Evaluation(
        pair=pair,
        scores=tuple(scores),
        signatures=tuple(
            metric_signature(metric, judge=judge, suite=suite, variants=variants)
            for metric in task.metrics
        ),
        source=source,
        stated=stated,
        extras={each.name: of for each, of in zip(task.extras, results, strict=True)},
    )


CLOSE_SECONDS: Final = 2.0
"""How long closing waits for the loop's thread; it is a daemon and cannot keep a run alive."""
GRACE_SECONDS: Final = 0.5
"""Closing waits this much longer than the given time for open work."""
LOOK_SECONDS: Final = 0.5
"""How often `while_waiting` is called."""
THREAD: Final = "summeval-runner"
"""The name of the loop's thread: a process can see that a runner is still open."""


T = TypeVar("T")


class _Open(NamedTuple):
    """A task on the loop."""

    future: Future[Evaluation]
    urgency: Urgency


async def _recorded_pair(suite: Suite, paper: str, system: str) -> Pair:
    return suite.pair(paper, system)


class Runner:
    """Evaluates pairs through one judge, in a thread of its own that starts when first needed.

    Args:
        ahead: How many pairs to evaluate ahead of their tests; None leaves it to the judge.
        find_pair: Makes a pair of a suite, a paper and a system; None for recorded summaries.
        shares_tests: Whether other processes (xdist's workers) run some of the planned tests.
        finish: Ends the judge's open requests on the loop, within so many seconds.
        while_waiting: Called with True every half second while a test waits, then with False.
    """

    def __init__(  # noqa: PLR0913 - by keyword; each is a hook or a limit of its own
        self,
        judge: Judge,
        *,
        ahead: int | None = None,
        find_pair: FindPair | None = None,
        shares_tests: bool = False,
        finish: Callable[[float], Coroutine[None, None, None]] | None = None,
        while_waiting: Callable[[bool], None] | None = None,
    ) -> None:
        self.judge = judge
        self._ahead = judge.in_flight - 1 if ahead is None else ahead
        self._find_pair = find_pair or _recorded_pair
        self._shares_tests = shares_tests
        self._finish = finish
        self._while_waiting = while_waiting
        self._planned: deque[Task] = deque()
        self._open: dict[Task, _Open] = {}
        self._demanded: set[Task] = set()
        self._numbers: dict[Task, Numbers] = {}
        self._broken: dict[Task, SummevalError] = {}
        self._n_share: int | None = None
        self._n_begun = self._n_idle = 0
        self._lock = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._asker = Asker(judge)

    @property
    def n_judged(self) -> int:
        """How many pairs have been evaluated, ahead of their tests, too."""
        with self._lock:
            ahead = (task for task, known in self._open.items() if known.future.done())
            return len(self._numbers.keys() | ahead)

    def plan(self, tasks: Iterable[Task], *, n_share: int | None = None) -> None:
        """Evaluate pairs ahead of their tests, in this order.

        Each xdist worker plans all tests, and begins at a place of its own: the first ``n_share``
        are those that no other worker begins with. After them, reading ahead ends once the others
        have asked everything. With None it reads to the end. With ``ahead`` 0 it plans nothing.
        """
        if self._ahead > 0:
            with self._lock:
                self._planned.extend(tasks)
                self._n_share = n_share
            self._read_ahead()

    def evaluation(self, task: Task) -> Evaluation:
        """Everything measured on one pair; waits until it is there.

        Ask once a pair: afterwards only its numbers are kept.

        Raises:
            UsageError: if nobody can be asked for the summary.
            NoReplyError: if the system's endpoint gave no summary.
            JudgeError: if the judge breaks its contract.
        """
        future = self._demand(task)
        try:
            evaluation = self._waited_for(future)
        except SummevalError as error:
            if not isinstance(error, UsageError):
                self._broken[task] = error
            raise
        finally:
            with self._lock:
                self._open.pop(task, None)
        with self._lock:
            self._numbers[task] = evaluation.numbers()
        self._read_ahead()
        return evaluation

    def numbers(
        self, tasks: Sequence[Task], broken: Callable[[Task, SummevalError], Numbers] | None = None
    ) -> list[Numbers]:
        """The numbers of pairs; unknown ones are evaluated, many at once.

        ``broken`` gives those of a pair that nobody could evaluate, which is not asked for again;
        without it, the first such error is raised.
        """
        gone = {} if broken is None else self._broken
        with self._lock:
            left = [task for task in tasks if task not in self._numbers and task not in gone]
        with closing(self._in_turn(left)) as turns:
            for task, evaluated in turns:
                try:
                    evaluated()  # which keeps its numbers
                except SummevalError:
                    if task not in gone:
                        raise
        return [
            self._numbers[task]
            if broken is None or task in self._numbers
            else broken(task, gone[task])
            for task in tasks
        ]

    def evaluations(self, tasks: Sequence[Task]) -> Generator[Evaluation]:
        """Everything measured on pairs, in their order; many are open at once, few are kept."""
        with closing(self._in_turn(tasks)) as turns:
            for _, evaluated in turns:
                yield evaluated()

    def _in_turn(
        self, tasks: Sequence[Task]
    ) -> Generator[tuple[Task, Callable[[], Evaluation]], None, None]:
        left = deque(tasks)
        opened = 0
        try:
            for task in tasks:
                while left and opened < max(self.judge.in_flight, self._ahead + 1):
                    self._demand(left.popleft())
                    opened += 1
                yield task, partial(self.evaluation, task)
                opened -= 1
        finally:
            with self._lock:
                for task in tasks:
                    self._open.pop(task, None)

    def converse(self, flow: Flow[ScoreT]) -> ScoreT | Unscored:
        """The score of another dialogue with the judge; waits until it is there."""

        async def conversed() -> ScoreT | Unscored:
            URGENCY.set(Urgency(demanded=True))
            return await converse(flow, self._asker)

        with self._lock:
            loop = self._running_loop()
        return self._waited_for(asyncio.run_coroutine_threadsafe(conversed(), loop))

    def close(self, *, seconds: float = 0.0) -> None:
        """End the thread; open work may take so many seconds to end."""
        loop, thread = self._loop, self._thread
        self._loop = self._thread = None
        with self._lock:
            self._planned.clear()
        if loop is None or thread is None:
            return
        if self._finish is not None:
            finishing = asyncio.run_coroutine_threadsafe(self._finish(seconds), loop)
            try:
                finishing.result(seconds + GRACE_SECONDS)
            except TimeoutError:
                finishing.cancel()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_SECONDS)

    def _demand(self, task: Task) -> Future[Evaluation]:
        """Start a task, or find it started, and mark it urgent: a test waits for it.

        `endpoints.limits` serves urgent requests first.
        """
        with self._lock:
            self._demanded.add(task)
            known = self._open.get(task) or self._start(task)
            known.urgency.demanded = True
            return known.future

    def _waited_for(self, future: Future[T]) -> T:
        while self._while_waiting is not None and not future.done():
            wait((future,), LOOK_SECONDS)
            self._while_waiting(not future.done())
        try:
            return future.result()
        except StoppedError as error:
            raise KeyboardInterrupt(str(error)) from error

    def _read_ahead(self) -> None:
        """Start planned pairs while there is room.

        Without xdist a finished pair stays open until its test asks for it, so few are in memory.
        """
        with self._lock:
            while self._planned and len(self._open) < self._ahead:
                task = self._planned.popleft()
                self._n_begun += 1
                if task in self._open or task in self._demanded or task in self._numbers:
                    continue
                known = self._start(task)
                if self._shares_tests:
                    known.future.add_done_callback(partial(self._keep_numbers, task))

    def _keep_numbers(self, task: Task, _: Future[Evaluation]) -> None:
        """Keep only the numbers of a pair whose test may run in another process, and read on.

        If the test does run here, the pair is evaluated again from stored replies, which is cheap.
        A pair that asked no endpoint is idle: another process has asked for it. After many idle
        ones in a row there is nothing left to ask.
        """
        with self._lock:
            known = self._open.get(task)
            if known is None or task in self._demanded:
                return
            del self._open[task]
            self._n_idle = 0 if known.urgency.has_asked else self._n_idle + 1
            is_past_share = self._n_share is not None and self._n_begun > self._n_share
            if is_past_share and self._n_idle > self._ahead:
                self._planned.clear()  # others have asked all that is left
            future = known.future
            if not future.cancelled() and future.exception() is None:
                self._numbers[task] = future.result().numbers()
        self._read_ahead()

    def _start(self, task: Task) -> _Open:
        """Open a task on the loop; the caller has the lock."""
        urgency = Urgency()
        evaluating = self._evaluate(task, urgency)
        future = asyncio.run_coroutine_threadsafe(evaluating, self._running_loop())
        self._open[task] = known = _Open(future, urgency)
        return known

    async def _evaluate(self, task: Task, urgency: Urgency) -> Evaluation:
        URGENCY.set(urgency)
        return await evaluate_task(task, await pair_of(task, self._find_pair), self._asker)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            loop = self._loop = asyncio.new_event_loop()

            def run() -> None:
                with asyncio.Runner(loop_factory=lambda: loop) as runner:  # cancels open work
                    runner.get_loop().run_forever()

            self._thread = threading.Thread(target=run, name=THREAD, daemon=True)
            self._thread.start()
        return self._loop
