"""Judge pairs of a suite without pytest: ids go in, lines of a run record come out.

Suites, tasks and evaluations cannot be sent to another process or machine; what is here can.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

from summeval_pytest.endpoints.exchange import DRAIN_SECONDS
from summeval_pytest.endpoints.limits import Totals
from summeval_pytest.errors import SummevalError, UsageError
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.record.record_file import as_json
from summeval_pytest.record.run_counts import counts_of
from summeval_pytest.run.golden import golden_pair
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.session import Session, Terms
from summeval_pytest.verdict.run import TestResult

Pairs = tuple[tuple[str, str], ...]
"""Pairs as (system, paper)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOrder:
    """What pairs are judged by: plain values, and no key, which each process has of its own.

    Attributes:
        suite: The suite's file or folder, so that every process finds it.
        shown: The suite file as the user named it.
        today: The day that waivers expire by.
        systems: The systems, as ``--summ-model`` names them; none for the suite's own choice.
        least: Thresholds, as ``--summ-min`` has them.
        terms: The terms of the sessions, with an absolute store.
    """

    suite: str
    shown: str | None = None
    today: str
    judge: str = "offline"
    systems: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    allow_outside: bool = False
    terms: Terms

    def session(self) -> Session:
        """The session of a process that judges."""
        return Session(dict(os.environ), self.terms)


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs that are judged together, and labelled pairs that the judge is measured on."""

    pairs: Pairs
    labelled: Pairs = ()


class PairJudge:
    """Judges pairs in one process: a suite that is loaded once, its judge and a runner.

    Args:
        order: What is judged by.

    Raises:
        UsageError: for a mistake in the suite, or a judge or system that cannot be.
    """

    def __init__(self, order: JudgeOrder) -> None:
        self.session = order.session()
        self.gated = gated = gated_suite(
            Path(order.suite),
            order.shown,
            self.session,
            judge=order.judge,
            models=order.systems,
            least=order.least,
            today=order.today,
            allow_outside=order.allow_outside,
        )
        gated.check(order.judge)
        suite = gated.suite
        self.judge = self.session.judge(order.judge, [suite])
        self._labels = gated.labelled
        self.labels = {(task.system, task.paper): task for task in self._labels}
        is_summarising = any(suite.systems[name].endpoint for name in gated.systems)
        ahead = self.session.terms.own_in_flight - 1 if is_summarising else None
        find_pair, finish = self.session.pair, self.session.replies.finish
        self._runner = Runner(self.judge, ahead=ahead, find_pair=find_pair, finish=finish)

    def lines(self, batches: Sequence[Batch]) -> Iterator[str]:
        """A line for each pair, and for each labelled pair with the judge's answers.

        Raises:
            UsageError: for what the user has to mend.
        """
        tasks = [task for batch in batches for task in self._tasks(batch)]
        self._runner.plan(tasks)
        for batch in batches:
            for system, paper in batch.pairs:
                yield as_json(self.gated.measure_pair(self._runner, system, paper))
            for each in batch.labelled:
                yield self._golden(self.labels[each])

    def _tasks(self, batch: Batch) -> list[Task]:
        pairs = [self.gated.task(paper, system) for system, paper in batch.pairs]
        return [*pairs, *(self.labels[each] for each in batch.labelled)]

    def _golden(self, task: Task) -> str:
        """The judge's answers to one label; why there are none where it breaks down."""
        result = TestResult(suite=task.suite.shown)
        try:
            evaluation = self._runner.evaluation(task)
        except UsageError:
            raise
        except SummevalError as error:
            return as_json(replace(result, golden_fault=str(error)))
        return as_json(replace(result, golden=(golden_pair(self._labels[task], evaluation),)))

    def counts(self) -> dict[str, Any] | None:
        """What was asked since the last look; None where nothing was to be asked."""
        if not self.session.replies.is_asking:
            return None
        counts = counts_of(self.session, self.judge)
        ledger = self.session.replies.exchange.ledger
        ledger.totals = Totals()
        ledger.origins.clear()
        ledger.models.clear()
        return counts

    def close(self, seconds: float) -> None:
        """Ends the runner."""
        self._runner.close(seconds=seconds)


_LOCK: Final = Lock()


@lru_cache(maxsize=1)
def _pair_judge(order: JudgeOrder) -> PairJudge:
    return PairJudge(order)


def judge_pairs(order: JudgeOrder, pairs: Pairs, labelled: Pairs = ()) -> Iterator[str]:
    """Judge pairs of a suite, which is loaded once a process, into lines of a stream.

    Args:
        order: What is judged by; it can be sent to another process, as can the pairs.
        pairs: The pairs to judge, as (system, paper).
        labelled: The labelled pairs to have golden answers for, likewise.

    Raises:
        UsageError: for a mistake of the user's.
    """
    with _LOCK:
        judge = _pair_judge(order)
    return judge.lines([Batch(pairs, labelled)])


def batch_lines(order: JudgeOrder, batch: Batch) -> Iterator[str]:
    """The lines of a batch; the last says what was asked, and a mistake of the user's."""
    mistake = ""
    try:
        yield from judge_pairs(order, batch.pairs, batch.labelled)
    except UsageError as error:
        mistake = str(error)
    yield _end(counts=None if mistake else _pair_judge(order).counts(), mistake=mistake, end=True)


def batch_list(order: JudgeOrder, batch: Batch) -> list[str]:
    """The same as a list, for who sends it in one piece."""
    return [*batch_lines(order, batch)]


def _end(**said: Any) -> str:
    return json.dumps({"batch": said})


def close_judge(order: JudgeOrder) -> None:
    """Ends what a process has open after its last batch."""
    if _pair_judge.cache_info().currsize:
        _pair_judge(order).close(DRAIN_SECONDS)
        _pair_judge.cache_clear()
