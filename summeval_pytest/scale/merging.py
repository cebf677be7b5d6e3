"""Recorded runs joined into one, and `summeval merge`, which decides over the shards of a run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from summeval_pytest.cli.parameters import REPORT_FILES, with_options
from summeval_pytest.errors import OptionError
from summeval_pytest.options import TABLE, Options
from summeval_pytest.record.record_file import read_record
from summeval_pytest.record.shards import FROM, find_suite
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.policy import Policy
from summeval_pytest.verdict.run import Pairs, RunRecord, SuiteRecord, SystemResult
from summeval_pytest.verdict.thresholds import Threshold


@with_options(*REPORT_FILES)
def merge(
    *runs: Annotated[Path, Parameter(name="RUN", help="the shards' run records")],
    out: Annotated[Path, Parameter(help="write the merged run record to this file")],
    option: Annotated[
        tuple[str, ...],
        Parameter(help="an option that the shards had, as --option=--summ-judge=gpt (repeat)"),
    ] = (),
    options: Options,
) -> tuple[list[str], bool]:
    """Runs pytest on the suites of the shards; it decides by what they recorded.

    Raises:
        OptionError: where no file is named, for a file that is no run record, and where nothing was
            decided.
        SystemExit: with pytest's exit code, where that is not 0.
    """
    if not runs:
        raise OptionError("name the run records of all shards")
    records = [read_record(run, "RUN") for run in runs]
    suites = dict.fromkeys(suite.shown for record in records for suite in record.suites)
    files = {"run_record": out, **options.reports}
    command = [sys.executable, "-m", "pytest", "-q"]
    command += [*(f"{TABLE[name].flag}={file}" for name, file in files.items()), *option]
    command += [*(f"--summ-from={run}" for run in runs), "--", *suites]
    out.unlink(missing_ok=True)
    reports = {option.variable for option in TABLE.values() if option.is_report}
    environ = {name: value for name, value in os.environ.items() if name not in reports}
    done = subprocess.run(command, check=False, env=environ)  # noqa: S603 - a suite's name stands behind --
    if done.returncode:
        raise SystemExit(done.returncode)
    if not out.is_file():
        raise OptionError("pytest decided nothing; leave out the --option that keeps it from it")
    verdict = decide(read_record(out, "--out"))
    return (
        [] if verdict.may_release else [f"the merged run is {verdict.shown}"]
    ), verdict.may_release


def joined(runs: Mapping[str, RunRecord]) -> RunRecord:
    """Joins recorded runs by one judge; the names of their files are for messages.

    Raises:
        OptionError: for runs by different judges, shards that do not belong together, and a pair
            that two of them have.
    """
    first = next(iter(runs.values()))
    _only("judge", {file: run.judge.signature for file, run in runs.items()})
    _only("judge's name", {file: run.judge.name for file, run in runs.items()})
    _check_shards(runs)
    parts: dict[tuple[str, ...], list[tuple[str, SuiteRecord]]] = {}
    for file, run in runs.items():
        known = Counter((suite.name, suite.fingerprint) for suite in run.suites)
        for suite in run.suites:
            key = suite.name, suite.fingerprint
            # Another folder may have another path to the suite, so that it only splits equal names.
            path = (suite.shown,) if known[key] > 1 else ()
            parts.setdefault((*key, *path), []).append((file, suite))
    usage: Counter[str] = Counter()
    for run in runs.values():
        usage.update(run.header.usage)
    models = chain.from_iterable(run.header.models for run in runs.values())
    return RunRecord(
        header=replace(first.header, usage=dict(usage), models=tuple(dict.fromkeys(models))),
        judge=first.judge,
        suites=tuple(map(_suite, parts.values())),
    )


def _only(what: str, values: Mapping[str, str]) -> str:
    (first_file, first), *others = values.items()
    for file, other in others:
        if other != first:
            raise OptionError(
                f"{FROM}: {file} is of another {what} than {first_file}: {other!r:.120}, not"
                f" {first!r:.120}; name the runs of one {what}"
            )
    return first


def _check_shards(runs: Mapping[str, RunRecord]) -> None:
    """Refuses shards if one is missing, occurs twice, or is of another number of shards."""
    numbers = {file: str(run.shard[1] if run.shard else 0) for file, run in runs.items()}
    n_shards = _only("number of shards", numbers)
    taken: dict[int, str] = {}
    for file, run in runs.items():
        if run.shard is not None:
            first = taken.setdefault(run.shard[0], file)
            if first != file:
                shard = "/".join(map(str, run.shard))
                raise OptionError(f"{FROM}: {first} and {file} are both shard {shard}; name one")
    missing = [f"{k}/{n_shards}" for k in range(1, int(n_shards) + 1) if k not in taken]
    if missing:
        raise OptionError(
            f"{FROM}: shard {', '.join(missing)} is missing; name its run, too, or run it with"
            f" --summ-shard={missing[0]}"
        )


def check_options(
    runs: Mapping[str, RunRecord], now: SuiteRecord, *, compare: str | None = None
) -> None:
    """Refuses shards that were judged with more systems or a stricter policy than there is now.

    ``now`` is the suite with today's options, and ``compare`` what it is compared with.

    Raises:
        OptionError: with what the shards had and this run does not.
    """
    for file, run in runs.items():
        then = find_suite(run, now) if run.shard is not None else None
        if then is not None and (missing := [*_missing(then, now, compare)]):
            raise OptionError(
                f"{FROM}: {file} is a shard of {now.shown} with {', '.join(missing)}; this run"
                " differs; repeat the options of the shards, or judge them again"
            )


def _missing(then: SuiteRecord, now: SuiteRecord, compare: str | None) -> Iterator[str]:
    """What a shard was judged with and today's suite lacks, as options where there is one."""
    systems = {system.name for system in now.systems}
    yield from (f"--summ-model={each.name}" for each in then.systems if each.name not in systems)
    required = dict(_required(now.policy))
    for name, threshold in _required(then.policy):
        if name not in required or not threshold.is_met_by(required[name].least):
            yield f"{name}={threshold.least}"
    must_pass = (paper for paper in then.policy.must_pass if paper not in now.policy.must_pass)
    yield from (f"must_pass {paper!r}" for paper in must_pass)
    baseline = next((system.baseline for system in then.systems if system.baseline), None)
    if baseline is None:
        return
    if compare != baseline:
        yield f"--summ-compare={baseline}"
    elif {*then.policy.rules} - {*now.policy.rules}:
        yield "another table [compare]"
    if now.policy.share < then.policy.share:
        yield f"share = {then.policy.share:g}"


def _required(policy: Policy) -> Iterator[tuple[str, Threshold]]:
    """Each threshold of pairs, means and slices, by what sets it."""
    for scope, thresholds in policy.thresholds.by_scope.items():
        yield from ((f"--summ-min={scope}{each.title}", each) for each in thresholds)
    for group in policy.slices:
        yield from ((f"slice {group.name} {each.name}", each) for each in group.thresholds)


def _suite(parts: Sequence[tuple[str, SuiteRecord]]) -> SuiteRecord:
    """Joins the parts of one suite; each must be measured with the same."""
    first_file, first = parts[0]
    files: dict[tuple[str, str], str] = {}
    golden: dict[tuple[str, str], GoldenPair] = {}
    for file, suite in parts:
        _only("version of the labels", {first_file: first.labels, file: suite.labels})
        for row in suite.rows:
            key = row.system, row.paper
            if key in files:
                raise OptionError(
                    f"{FROM}: {files[key]} and {file} both have {row.system!r} on"
                    f" {row.paper!r}; name runs of different pairs"
                )
            files[key] = file
        for pair in suite.golden:
            if golden.setdefault((pair.system, pair.paper), pair) != pair:
                raise OptionError(
                    f"{FROM}: {file} has other answers of the judge about the label of"
                    f" {pair.system!r} on {pair.paper!r} than a file before it; judge again"
                )
    return replace(
        first,
        systems=tuple(_systems(parts)),
        papers=tuple({paper.id: paper for _, of in parts for paper in of.papers}.values()),
        pairs=Pairs([row for _, of in parts for row in of.rows]),
        golden=tuple(golden.values()),
        golden_fault=next((s.golden_fault for _, s in parts if s.golden_fault), ""),
        is_cut=any(suite.is_cut for _, suite in parts),
    )


def _systems(parts: Sequence[tuple[str, SuiteRecord]]) -> Iterator[SystemResult]:
    """The systems of all parts, each once; a system's summaries have to be the same in each."""
    merged: dict[str, tuple[str, SystemResult]] = {}
    for file, suite in parts:
        for system in suite.systems:
            first_file, first = merged.setdefault(system.name, (file, system))
            whose = f"version of the summaries of {system.name}"
            _only(whose, {first_file: first.summaries, file: system.summaries})
    yield from (system for _, system in merged.values())
