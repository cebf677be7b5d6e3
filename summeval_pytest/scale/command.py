"""`summeval judge`: judge a suite's pairs without pytest, in many processes or on Dask."""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    ASKING,
    GATED,
    check_writable,
    session_of,
    whole_number,
    with_options,
    write_text,
)
from summeval_pytest.errors import UsageError
from summeval_pytest.options import Options
from summeval_pytest.record.record_file import record_lines
from summeval_pytest.run.progress import ShownPace
from summeval_pytest.scale.judging import (
    WAIT_SECONDS,
    Collected,
    JudgeOrder,
    Lost,
    PairJudge,
    batches_of,
    in_process,
    in_processes,
    on_dask,
)
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.text.printing import one_line


@with_options(*GATED, *ASKING)
def judge(
    suite: Path,
    /,
    *,
    out: Annotated[Path, Parameter(help="write the run record to this file")],
    workers: Annotated[
        int,
        Parameter(name=["-j", "--workers"], help="the number of processes", converter=whole_number),
    ] = 1,
    dask: Annotated[
        bool | str, Parameter(help="use Dask: workers on this machine, or the cluster at tcp://...")
    ] = False,
    dask_wait: Annotated[
        int,
        Parameter(help="how many seconds to wait for a Dask worker", converter=whole_number),
    ] = WAIT_SECONDS,
    options: Options,
) -> tuple[list[str], bool]:
    """What was judged, and whether every pair has a verdict."""
    check_writable(out, "--out")
    order = _judge_order(suite, options)
    judge = PairJudge(order)
    batches = batches_of(judge, workers)
    collected = Collected(order, judge, out)
    lines: Generator[str | Lost]
    if dask:
        address = dask if isinstance(dask, str) else ""
        lines = on_dask(order, batches, n_workers=workers, address=address, wait_seconds=dask_wait)
    elif workers > 1:
        lines = in_processes(order, batches, n_workers=workers)
    else:
        lines = in_process(judge, batches)
    pace = ShownPace(sum(len(batch.pairs) for batch in batches), "pairs")
    try:
        with closing(lines):
            for line in lines:
                collected.add(line)
                pace.show(collected.n_judged)
    except UsageError:
        if not collected.n_judged:
            collected.spool.close()
        raise
    finally:
        pace.end()
    verdict = collected.verdict()
    write_text(out, "--out", record_lines(verdict))
    collected.spool.close()
    judge.session.replies.forget_run()
    (record,) = verdict.suites
    n_errors = sum(row.outcome == "error" for row in record.rows)
    n_judged, n_expected = len(record.rows), len(record.expected)
    judged = f"judged {n_judged:,} of {n_expected:,} pairs, {n_errors:,} errors"
    again = shlex.join(["pytest", record.shown, *_deciding(order, out, verdict.judge.name)])
    return [f"{judged}, {pace.rate}", one_line(f"decide: {again}", 10_000)], record.is_complete


def _deciding(order: JudgeOrder, out: Path, judge: str) -> Iterator[str]:
    """The options with which pytest decides by a record as its order asks."""
    yield f"--summ-from={out}"
    if ":" in judge:
        yield f"--summ-judge={judge}"
    yield from (f"--summ-model={name}" for name in order.terms.model)
    yield from (f"--summ-min={least}" for least in order.terms.min)
    if order.terms.allow_outside:
        yield "--summ-allow-outside"


def _judge_order(suite: Path, options: Options) -> JudgeOrder:
    terms = session_of(options).terms
    loaded = load_suite(suite, allow_outside=terms.allow_outside)
    if terms.store and isinstance(terms.place, Path):
        terms = replace(terms, store=str(terms.place.absolute()))
    return JudgeOrder(
        suite=str(loaded.path.absolute()),
        shown=loaded.shown,
        today=dt.datetime.now(dt.UTC).date().isoformat(),
        terms=terms,
    )
