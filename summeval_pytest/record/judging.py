"""Judge pairs of a suite without pytest: ids go in, lines of a run record come out.

Suites, tasks and evaluations cannot be sent to another process or machine; what is here can.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.endpoints.exchange import DRAIN_SECONDS
from summeval_pytest.endpoints.spending import Totals
from summeval_pytest.errors import SummevalError, UsageError
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.record.record import as_json, judged
from summeval_pytest.record.run_counts import counts_of
from summeval_pytest.record.stream import StreamLine
from summeval_pytest.run.golden import golden_pair, golden_tasks
from summeval_pytest.run.runner import Runner
from summeval_pytest.run.session import Session
from summeval_pytest.run.summaries import Summariser
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.thresholds import Waivers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.endpoints.exchange import Record
    from summeval_pytest.record.record import Judged
    from summeval_pytest.run.runner import Task
    from summeval_pytest.store.protocol import StorePlace

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

    The rest is as `Session` has it.
    """

    suite: str
    shown: str | None = None
    today: str
    judge: str = "offline"
    systems: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    allow_outside: bool = False
    record: Record = "new"
    place: StorePlace | None = None
    endpoint: str | None = None
    allow_endpoints: tuple[str, ...] = ()
    votes: int | None = None
    in_flight: int = 1
    budget: float | None = None
    n_processes: int = 1
    run: str = ""

    def session(self) -> Session:
        """The session of a process that judges."""
        return Session(
            environ=dict(os.environ),
            record=self.record,
            place=self.place,
            endpoint=self.endpoint,
            allow_endpoints=self.allow_endpoints,
            votes=self.votes,
            in_flight=self.in_flight,
            budget=self.budget,
            n_processes=self.n_processes,
            run=self.run,
        )


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
        gated = gated_suite(
            Path(order.suite),
            order.shown,
            self.session,
            judge=order.judge,
            models=order.systems,
            least=order.least,
            allow_outside=order.allow_outside,
        ).sharded((1, 1))
        gated.check(order.judge)
        self.gated, suite = gated, gated.suite
        self.judge = self.session.judge(order.judge, [suite])
        self._told = golden_tasks(suite)
        self.labels = {(task.system, task.paper): task for task in self._told}
        self._waivers = Waivers(waivers=suite.waivers, today=order.today)
        is_summarising = any(suite.systems[name].endpoint for name in gated.systems)
        ahead = self.session.own_in_flight - 1 if is_summarising else None
        find_pair = Summariser(self.session.sender).pair
        self._runner = Runner(
            self.judge, ahead=ahead, find_pair=find_pair, finish=self.session.finish
        )

    def lines(self, batches: Sequence[Batch]) -> Iterator[str]:
        """The lines of pairs, papers and golden answers; what nobody answered is an error.

        Raises:
            UsageError: for what the user has to mend.
        """
        tasks = [self._tasks(batch) for batch in batches]
        self._runner.plan(task for both in tasks for of in both for task in of)
        for pairs, labelled in tasks:
            for task in pairs:
                part = self._judged(task)
                yield as_json(StreamLine(suite=part.suite, pair=part.pair))
                if part.paper is not None:
                    yield as_json(StreamLine(suite=part.suite, paper=part.paper))
            for task in labelled:
                yield from self._golden(task)

    def _tasks(self, batch: Batch) -> tuple[list[Task], list[Task]]:
        pairs = [self.gated.task(paper, system) for system, paper in batch.pairs]
        return pairs, [self.labels[each] for each in batch.labelled]

    def _judged(self, task: Task) -> Judged:
        """A pair, decided as its test would be."""
        gated, evaluation = self.gated, None
        try:
            evaluation = self._runner.evaluation(task)
            verdict = decide(evaluation.numbers(), gated.thresholds.pair, self._waivers)
        except UsageError:
            raise
        except SummevalError as error:
            if evaluation is None:
                return gated.broken_down(task.system, task.paper, str(error))
            return judged(gated.suite.shown, evaluation, None, fault=str(error))
        return judged(gated.suite.shown, evaluation, verdict)

    def _golden(self, task: Task) -> Iterator[str]:
        """The golden answers to one label; none where the judge breaks down, which is told."""
        try:
            evaluation = self._runner.evaluation(task)
        except UsageError:
            raise
        except SummevalError as error:
            yield _end(fault=str(error))
            return
        golden = golden_pair(self._told[task], evaluation)
        yield as_json(StreamLine(suite=task.suite.shown, golden=golden))

    def counts(self) -> dict[str, Any] | None:
        """What was asked since the last look; None where nothing was to be asked."""
        if not self.session.is_asking:
            return None
        counts = counts_of(self.session, self.judge)
        ledger = self.session.exchange.ledger
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


def _end(**told: Any) -> str:
    return json.dumps({"told": told})


def close_judge(order: JudgeOrder) -> None:
    """Ends what a process has open after its last batch."""
    if _pair_judge.cache_info().currsize:
        _pair_judge(order).close(DRAIN_SECONDS)
        _pair_judge.cache_clear()
