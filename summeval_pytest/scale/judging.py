"""Judge a suite in batches without pytest: here, in processes, or on Dask, into one run record.

Ids of pairs go out, and lines of a run record come back. Suites, tasks and evaluations cannot be
sent to another process or machine; what goes out can.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import defaultdict, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from pathlib import Path
from threading import Lock
from typing import Any, Final

from summeval_pytest.endpoints.exchange import DRAIN_SECONDS
from summeval_pytest.endpoints.limits import Totals
from summeval_pytest.errors import OptionError, SummevalError, UsageError
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.record.record_file import RecordFile, as_json, from_json, with_custom
from summeval_pytest.record.run_counts import RunCounts, counts_of
from summeval_pytest.run.golden import GoldenPair, golden_pair
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.session import Session, Terms
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.run import JudgeName, RunRecord, RunVerdict, SuiteRecord, TestResult

MOST_PAIRS: Final = 64
"""Pairs of a batch: what a worker that dies takes with it."""
_BATCHES_EACH: Final = 4
"""So many batches for each worker at least, so that all end at about the same time."""
TRIES: Final = 3
"""How often a batch is begun whose workers die."""
_OF_BATCH: Final = '{"batch"'
_JOIN_SECONDS: Final = 5.0
WAIT_SECONDS: Final = 60
"""How long a cluster may be without a worker."""
_LOOK_SECONDS: Final = 10.0
"""How often it is said that there is none."""

Pairs = tuple[tuple[str, str], ...]
"""Pairs as (system, paper)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOrder:
    """What pairs are judged by: plain values, and no key, which each process has of its own.

    Attributes:
        suite: The suite's file or folder, so that every process finds it.
        shown: The suite file as the user named it.
        today: The day that waivers expire by.
        terms: The terms of the sessions, with an absolute store.
    """

    suite: str
    shown: str | None = None
    today: str
    terms: Terms


@dataclass(frozen=True, slots=True)
class Batch:
    """Pairs that are judged together, and labelled pairs that the judge is measured on."""

    pairs: Pairs
    labelled: Pairs = ()


class PairJudge:
    """Judges pairs in one process: a suite that is loaded once, its judge and a runner.

    Raises:
        UsageError: for a mistake in the suite, or a judge or system that cannot be.
    """

    def __init__(self, order: JudgeOrder) -> None:
        self.session = session = Session(dict(os.environ), order.terms)
        path, name = Path(order.suite), order.terms.judge_name
        self.gated = gated = gated_suite(path, session, shown=order.shown, today=order.today)
        gated.check(name)
        suite = gated.suite
        self.judge = session.judge(name, [suite])
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
        self._runner.plan([task for batch in batches for task in self._tasks(batch)])
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


def batch_lines(order: JudgeOrder, batch: Batch) -> Iterator[str]:
    """The lines of a batch, whose suite is loaded once a process; both can be sent to another one.

    The last line says what was asked, and a mistake of the user's.
    """
    said: dict[str, Any] = {"counts": None, "mistake": "", "end": True}
    try:
        with _LOCK:
            judge = _pair_judge(order)
        yield from judge.lines([batch])
        said["counts"] = judge.counts()
    except UsageError as error:
        said["mistake"] = str(error)
    yield json.dumps({"batch": said})


def batch_list(order: JudgeOrder, batch: Batch) -> list[str]:
    """The same as a list, for who sends it in one piece."""
    return [*batch_lines(order, batch)]


def close_judge(order: JudgeOrder) -> None:
    """Ends what a process has open after its last batch."""
    if _pair_judge.cache_info().currsize:
        _pair_judge(order).close(DRAIN_SECONDS)
        _pair_judge.cache_clear()


@dataclass(frozen=True, slots=True)
class Lost:
    """A batch that every worker has died of, or failed in; ``fault`` says how."""

    batch: Batch
    fault: str


def batches_of(judge: PairJudge, n_workers: int) -> list[Batch]:
    """All pairs of a suite's gated systems, all systems of a paper together, and its labels."""
    gated = judge.gated
    by_paper: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for system in gated.systems:
        for paper in gated.papers(system):
            by_paper[paper].append((system, paper))
    labelled: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in judge.labels:
        labelled[each[1]].append(each)
    n_pairs = sum(map(len, by_paper.values()))
    most = min(MOST_PAIRS, n_pairs // (n_workers * _BATCHES_EACH))
    made: list[tuple[list[tuple[str, str]], list[tuple[str, str]]]] = []
    for paper in gated.suite.paper_ids:
        if not made or len(made[-1][0]) + len(by_paper[paper]) > most:
            made.append(([], []))
        made[-1][0].extend(by_paper[paper])
        made[-1][1].extend(labelled[paper])
    return [Batch(tuple(pairs), tuple(labels)) for pairs, labels in made if pairs or labels]


class Collected:
    """What has been judged of a run so far, in a spool that a kill leaves plainly incomplete.

    Nothing is asked of the ``judge`` here; ``out`` is the run record that is to be written.
    """

    def __init__(self, order: JudgeOrder, judge: PairJudge, out: Path) -> None:
        self._judge = judge
        self._name = JudgeName(name=order.terms.judge_name, signature=judge.judge.signature)
        self._record = order.terms.record
        self._counts = RunCounts()
        self._golden: dict[tuple[str, str], GoldenPair] = {}
        self._golden_fault = ""
        self.n_judged = 0
        self.spool = RecordFile.begin(self._run(judge.gated.record()), out)

    def add(self, line: str | Lost) -> None:
        """Adds a line, or a batch that is given up.

        Raises:
            UsageError: where the line says that the user has to mend something.
        """
        if isinstance(line, Lost):
            self._lose(line)
        elif line.startswith(_OF_BATCH):
            said = json.loads(line)["batch"]
            if said.get("mistake"):
                raise UsageError(said["mistake"])
            self._counts.add(said.get("counts"))
        else:
            gated = self._judge.gated
            result = with_custom(from_json(TestResult, line), gated.custom)
            if result.pair is not None:
                self.n_judged += 1
                self.spool.add(result.suite, result.pair, result.paper)
            self._golden |= {(each.system, each.paper): each for each in result.golden}
            self._golden_fault = self._golden_fault or result.golden_fault

    def _lose(self, lost: Lost) -> None:
        gated = self._judge.gated
        for system, paper in lost.batch.pairs:
            if not self.spool.has_pair(gated.suite.shown, system, paper):
                pair = gated.faulty_pair(system, paper, lost.fault)
                self.spool.add(gated.suite.shown, pair, None)
        if lost.batch.labelled:
            self._golden_fault = self._golden_fault or lost.fault

    def _run(self, suite: SuiteRecord) -> RunRecord:
        header = self._counts.header(self._record)
        return RunRecord(header=header, judge=self._name, suites=(suite,))

    def verdict(self) -> RunVerdict:
        """The run, decided, in the order of the suite."""
        gated = self._judge.gated
        if self._judge.session.replies.is_asking and self._record != "all":
            for cassette in self._judge.session.replies.cassettes.values():
                self._counts.add_cassette(cassette)
        full = self.spool.filled(gated.record(), gated.suite.paper_ids)
        labels = self._judge.labels
        golden = tuple(self._golden[each] for each in labels if each in self._golden)
        is_whole = len(golden) == len(labels)
        fault = "" if is_whole else self._golden_fault
        full = replace(full, golden=golden if is_whole else (), golden_fault=fault)
        return decide(self._run(full))


def in_process(judge: PairJudge, batches: Sequence[Batch]) -> Generator[str]:
    """Judges batches here, without a stop between them."""
    try:
        yield from judge.lines(batches)
        yield json.dumps({"batch": {"counts": judge.counts()}})
    finally:
        judge.close(DRAIN_SECONDS)


class _Worker:
    """A process that judges one batch after another."""

    def __init__(self, context: SpawnContext, order: JudgeOrder) -> None:
        self.connection, other_end = context.Pipe()
        self.process = context.Process(target=_work, args=(order, other_end), daemon=True)
        self.process.start()
        other_end.close()
        self.batch: Batch | None = None
        self.n_tries = 0

    def take(self, waiting: deque[tuple[Batch, int]]) -> None:
        """Begins with the next batch, if there is one."""
        self.batch = None
        if waiting:
            self.batch, self.n_tries = waiting.popleft()
            with suppress(OSError):  # it is dead, which is seen when its lines are read
                self.connection.send(self.batch)

    def end(self) -> None:
        """Lets an idle process end by itself, and ends one that is not."""
        self.connection.close()
        if self.batch is not None:
            self.process.terminate()
        self.process.join(_JOIN_SECONDS)


def _work(order: JudgeOrder, connection: Connection[Any, Any]) -> None:
    """Judges what comes, until nobody is there any more to send it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that began this one
    with suppress(EOFError, OSError):
        while True:
            for line in batch_lines(order, connection.recv()):
                connection.send(line)
    close_judge(order)


def in_processes(
    order: JudgeOrder, batches: Sequence[Batch], *, n_workers: int
) -> Generator[str | Lost]:
    """Judges batches in processes; that of one that dies is judged again by another."""
    context = get_context("spawn")
    waiting = deque((batch, 1) for batch in batches)
    order = replace(order, terms=replace(order.terms, n_processes=n_workers))
    workers = [_Worker(context, order) for _ in range(min(n_workers, len(batches)))]
    try:
        for worker in workers:
            worker.take(waiting)
        while busy := {each.connection: each for each in workers if each.batch is not None}:
            for ready in wait([*busy]):
                worker = next(each for each in busy.values() if each.connection is ready)
                try:
                    line = worker.connection.recv()
                except (EOFError, OSError):
                    yield from _lost(worker, waiting)
                    workers.remove(worker)
                    if waiting:
                        workers.append(_Worker(context, order))
                        workers[-1].take(waiting)
                    continue
                yield line
                if line.startswith(_OF_BATCH) and '"end"' in line:
                    worker.take(waiting)
    finally:
        for worker in workers:
            worker.end()


def _lost(worker: _Worker, waiting: deque[tuple[Batch, int]]) -> Iterator[Lost]:
    """Puts the batch of a dead worker in front again; gives it up where that was the last try."""
    batch = worker.batch
    assert batch is not None
    worker.end()
    if worker.n_tries < TRIES:
        waiting.appendleft((batch, worker.n_tries + 1))
    else:
        yield Lost(
            batch,
            f"{TRIES} processes died in the batch that this pair is of, the last with exit code"
            f" {worker.process.exitcode}; judge it by pytest to see why",
        )


def on_dask(
    order: JudgeOrder,
    batches: Sequence[Batch],
    *,
    n_workers: int,
    address: str = "",
    wait_seconds: float = WAIT_SECONDS,
) -> Generator[str | Lost]:
    """Judges batches on Dask: on a cluster at an address, else on workers of this machine.

    Raises:
        OptionError: where the extra is missing, nobody is at the address, or no worker has been
            there for ``wait_seconds``.
    """
    try:
        import dask
        import distributed
    except ImportError:
        raise OptionError(
            "--dask needs Dask distributed; install it: pip install 'summeval-pytest[dask]'"
        ) from None
    with ExitStack() as stack:
        stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": TRIES - 1}))
        place: Any = address or stack.enter_context(
            distributed.LocalCluster(
                n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
            )
        )
        try:
            client = stack.enter_context(distributed.Client(place))
        except (OSError, ValueError) as error:
            raise OptionError(f"--dask={address}: no scheduler is there, {error}") from None
        _wait_for_worker(client, "no Dask worker has joined {} yet", wait_seconds)
        n_threads = sum(client.nthreads().values()) or n_workers
        order = replace(order, terms=replace(order.terms, n_processes=n_threads))
        submit = partial(client.submit, batch_list, order, retries=TRIES - 1, pure=False)
        left = deque(batches)
        begun = {submit(batch): batch for batch in _first(left, 2 * n_threads)}
        while begun:
            with suppress(TimeoutError, distributed.CancelledError):  # a cancelled one is done
                distributed.wait([*begun], timeout=_LOOK_SECONDS, return_when="FIRST_COMPLETED")
            completed = [future for future in begun if future.done()]
            if not completed:
                _wait_for_worker(client, "no Dask worker is left at {}", wait_seconds)
            for future in completed:
                batch = begun.pop(future)
                if future.status == "finished":
                    yield from future.result()
                else:
                    yield Lost(batch, f"Dask gave up its batch: {future.exception()}")
                future.release()
                begun |= {submit(batch): batch for batch in _first(left, 1)}
        client.run(close_judge, order, on_error="ignore")


def _wait_for_worker(client: Any, missing: str, seconds: float) -> None:
    """Returns at once where there is a worker; else says on stderr, now and then, what is missing.

    Raises:
        OptionError: where there is none for so long, or the scheduler is gone.
    """
    missing, waited = missing.format(client.scheduler.address), 0.0
    while waited < seconds:
        pause = min(_LOOK_SECONDS, seconds - waited)
        try:
            client.wait_for_workers(1, timeout=pause)
        except TimeoutError:
            waited += pause
        except (OSError, RuntimeError) as error:
            raise OptionError(f"--dask: {missing}: the scheduler is gone, {error}") from None
        else:
            return
        sys.stderr.write(f"summeval: {missing} ({waited:g} of {seconds:g} s)\n")
        sys.stderr.flush()
    raise OptionError(
        f"--dask: {missing}; start one with 'dask worker {client.scheduler.address}', or wait"
        f" longer than {seconds:g} s with --dask-wait"
    )


def _first(left: deque[Batch], n: int) -> list[Batch]:
    return [left.popleft() for _ in range(min(n, len(left)))]
