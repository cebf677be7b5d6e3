"""The runner: one event loop in a background thread that evaluates pairs ahead of their tests.

A judge that waits for a network is worth asking about many pairs at once, one that computes is not:
`Judge.in_flight` says how many pairs may be open. What a test asks for goes first; what was
evaluated ahead of its test waits, and counts as open until it is fetched, so memory stays bounded.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.evaluation.asking import Asker
from summeval_pytest.evaluation.measuring import Evaluation, Numbers, converse, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Future

    from summeval_pytest.judges import Judge
    from summeval_pytest.metrics import Flow, MetricName, ScoreT, Unscored
    from summeval_pytest.suite import Suite

CLOSE_SECONDS: Final = 2.0
"""How long closing waits for the loop's thread, which is a daemon and cannot keep a run alive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One pair to evaluate, by name, in its suite; the texts are read when its turn comes."""

    suite: Suite
    paper: str
    system: str
    metrics: tuple[MetricName, ...]


class Runner:
    """Evaluates pairs through one judge, in a thread of its own that starts when first needed."""

    def __init__(self, judge: Judge, *, ahead: int | None = None) -> None:
        self.judge = judge
        self._ahead = judge.in_flight - 1 if ahead is None else ahead
        self._planned: deque[Task] = deque()
        self._open: dict[Task, Future[Evaluation]] = {}
        self._demanded: set[Task] = set()
        self._numbers: dict[Task, Numbers] = {}
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._asker = Asker(judge)

    def plan(self, tasks: Iterable[Task]) -> None:
        """Says in which order tests will ask, so that pairs can be evaluated ahead of them."""
        with self._lock:
            self._planned.extend(tasks)
        if self._ahead > 0:
            self._read_ahead()

    def evaluation(self, task: Task) -> Evaluation:
        """Everything measured on one pair; waits until it is there.

        Raises:
            SuiteError: if a file of the suite has changed since it was loaded.
            JudgeError: if the judge breaks its contract; whatever the judge itself raises.
        """
        with self._lock:
            self._demanded.add(task)
            future = self._open.get(task) or self._start(task)
        try:
            evaluation = future.result()
        finally:
            with self._lock:
                self._open.pop(task, None)
        with self._lock:
            self._numbers[task] = evaluation.numbers()
        self._read_ahead()
        return evaluation

    def numbers(self, task: Task) -> Numbers:
        """The numbers of one pair; evaluated only if they are not known yet."""
        with self._lock:
            known = self._numbers.get(task)
        return known or self.evaluation(task).numbers()

    def converse(self, flow: Flow[ScoreT]) -> ScoreT | Unscored:
        """What a conversation of one's own with the judge comes to; waits until it is there."""
        with self._lock:
            loop = self._running_loop()
        return asyncio.run_coroutine_threadsafe(converse(flow, self._asker), loop).result()

    def close(self) -> None:
        """Ends the thread; what is still open is given up."""
        loop, thread = self._loop, self._thread
        self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_SECONDS)

    def _read_ahead(self) -> None:
        with self._lock:
            while self._planned and len(self._open) < self._ahead:
                task = self._planned.popleft()
                if task not in self._open and task not in self._demanded:
                    self._start(task)

    def _start(self, task: Task) -> Future[Evaluation]:
        """Opens a task on the loop; the lock is held."""
        future = asyncio.run_coroutine_threadsafe(self._evaluate(task), self._running_loop())
        self._open[task] = future
        return future

    async def _evaluate(self, task: Task) -> Evaluation:
        pair = task.suite.pair(task.paper, task.system)
        return await evaluate(pair, self._asker, suite=task.suite.fingerprint, metrics=task.metrics)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_run, args=(self._loop,), name="summeval-runner", daemon=True
            )
            self._thread.start()
        return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Runs the loop until it is stopped, then gives up what is open, so that nothing is left."""
    try:
        loop.run_forever()
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.close()
