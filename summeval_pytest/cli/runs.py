"""Commands about runs: plan one; merge, report and compare saved ones; compare suites."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    AllowOutside,
    Gated,
    check_writable,
    gated_of,
    session_of,
    suite_of,
    write_text,
)
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.record.record_file import read_record
from summeval_pytest.record.stick import stick_changes
from summeval_pytest.reports.ci import STEP_SUMMARY, annotation_lines, step_summary
from summeval_pytest.reports.files import REPORTS, append
from summeval_pytest.reports.judge_section import trust_of_run
from summeval_pytest.reports.terminal import (
    changed_model_lines,
    golden_lines,
    models_seen,
    plan_lines,
    run_lines,
)
from summeval_pytest.reports.wording import change_lines, comparison_lines
from summeval_pytest.run.plan import planned_calls
from summeval_pytest.suite.suite import suite_at
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.changes import measure_drift, pair_change, worst_changes
from summeval_pytest.verdict.comparison import Against, Baseline, compare, find_baseline
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.policy import read_rules
from summeval_pytest.verdict.run import RunRecord, RunVerdict, SuiteRecord, suite_alike

RunFile = Annotated[Path, Parameter(name="RUN", help="a run record")]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFiles:
    """The reports to write, as `reports.files.REPORTS` has them."""

    html: Annotated[Path | None, Parameter(help="write the HTML page")] = None
    junit: Annotated[Path | None, Parameter(help="write the JUnit report")] = None
    gitlab: Annotated[Path | None, Parameter(help="write GitLab's code quality report")] = None

    @property
    def named(self) -> dict[str, Path]:
        """The files that are asked for, by option."""
        return {option: file for option, file in asdict(self).items() if file is not None}


def plan(suite: Path, /, *, gated: Gated = Gated()) -> list[str]:
    """The plan as a table."""
    session = session_of(gated.endpoints)
    run = gated_of(suite, gated, session)
    survey, signature = session.survey(gated.judge, [run.suite], run.tasks, imagine=True)
    rows = planned_calls(survey.missing.values(), survey.reply_share, survey.thoughts)
    return list(plan_lines(rows, judge=signature, n_stored=len(survey.stored)))


def merge(
    *runs: Annotated[Path, Parameter(name="RUN", help="the shards' run records")],
    out: Annotated[Path, Parameter(help="write the merged run record to this file")],
    reports: ReportFiles = ReportFiles(),
    option: Annotated[
        tuple[str, ...],
        Parameter(help="an option that the shards had, as --option=--summ-judge=gpt (repeat)"),
    ] = (),
) -> list[str]:
    """Runs pytest on the suites of the shards; it decides by what they recorded.

    Raises:
        OptionError: where no file is named, and for a file that is no run record.
        SystemExit: with pytest's exit code, where that is not 0.
    """
    if not runs:
        raise OptionError("name the run records of all shards")
    records = [read_record(run, "RUN") for run in runs]
    suites = dict.fromkeys(suite.shown for record in records for suite in record.suites)
    files = {"run-record": out, **reports.named}
    command = [sys.executable, "-m", "pytest", "-q"]
    command += [*(f"--summ-{name}={file}" for name, file in files.items()), *option]
    command += [*(f"--summ-from={run}" for run in runs), "--", *suites]
    done = subprocess.run(command, check=False)  # noqa: S603 - a suite's name stands behind --
    if done.returncode:
        raise SystemExit(done.returncode)
    return []


def report(
    run: RunFile,
    /,
    *,
    reports: ReportFiles = ReportFiles(),
    github: bool = False,
    otlp: bool = False,
) -> tuple[list[str], bool]:
    """Prints a run and writes its reports again; whether the run passes.

    Args:
        github: print annotations, and append the step summary to GITHUB_STEP_SUMMARY (else print)
        otlp: send each number as an event to OpenTelemetry's collector
    """
    for option, file in reports.named.items():
        check_writable(file, f"--{option}")
    verdict = decide(read_record(run, "RUN"))
    lines = list(run_lines(verdict))
    for option, file in reports.named.items():
        write_text(file, f"--{option}", REPORTS[option].pieces(verdict, Path.cwd()))
        lines.append(f"wrote {file}")
    if otlp:
        telemetry = import_module("summeval_pytest.scale.telemetry")
        lines.append(f"sent {telemetry.send_run(verdict):,} events")
    return [*lines, *_github(verdict)] if github else lines, verdict.may_release


def _github(verdict: RunVerdict) -> list[str]:
    """The annotations; the step summary goes into GitHub's file, else it follows them."""
    lines, text = list(annotation_lines(verdict)), step_summary(verdict)
    file = os.environ.get(STEP_SUMMARY)
    if not file:
        return [*lines, *text.splitlines()]
    if fault := append(Path(file), text):
        raise OptionError(f"{STEP_SUMMARY}={file} {fault}; unset it to print")
    return lines


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing:
    """Which parts of two runs to compare, and how much to print.

    Attributes:
        system: compare this system of NEW (default: all)
        against: with this system of OLD (default: the same name, else the only one)
        fail: exit with 1 if a rule is broken or inconclusive, as for --summ-compare-fail (default:
            the rules that NEW was made with)
        papers: how many papers to list
        golden: compare only the judge's answers about labelled pairs; exit with 1 if they moved
            away from the labels by more than chance, or cannot be compared
        answers: how many changed answers about labels to list
    """

    system: str | None = None
    against: str | None = None
    fail: tuple[str, ...] = ()
    papers: int = 10
    golden: bool = False
    answers: int = 10


def compare_runs(
    old_file: Annotated[Path, Parameter(name="OLD", help="the run record of the baseline")],
    new_file: Annotated[Path, Parameter(name="NEW", help="the run record to compare with it")],
    /,
    *,
    chosen: Comparing = Comparing(),
) -> tuple[list[str], bool]:
    """Compares two runs; whether NEW passed and every system could be compared and breaks no rule.

    A run that was cut passes nothing. With ``--golden`` only golden answers are compared, and
    decide.
    """
    rules = read_rules([rule for text in chosen.fail for rule in text.split(",")], option="--fail")
    old, new = decide(read_record(old_file, "OLD")), decide(read_record(new_file, "NEW"))
    shared = _shared_suites(old, new)
    if chosen.golden:
        _check_golden(chosen, {"OLD": (old_file, old), "NEW": (new_file, new)}, shared)
        return _golden_answers(old, new, shared, chosen.answers)
    lines = [
        one_line(f"{which}: {suite.shown}: {suite.missing}")
        for which, record in (("OLD", old), ("NEW", new))
        for suite in record.suites
        if suite.is_cut
    ]
    passes = not lines and new.may_release
    if not any(suite.systems for suite in new.suites):
        raise OptionError(f"NEW: {new_file} holds no system; name the record of a run")
    for suite in new.suites:
        names, wanted = [system.name for system in suite.systems], chosen.system
        if wanted not in {None, *names}:
            near = nearest(wanted or "", names)
            raise OptionError(f"--system={wanted}: {suite.shown} has none; {near}")
        for system in names if wanted is None else [wanted]:
            run, wanted = old_file.name, chosen.against
            baseline = find_baseline(old, run, suite, system, wanted=wanted, option="OLD")
            policy = replace(suite.policy, rules=rules or suite.policy.rules)
            of = replace(suite, policy=policy)
            is_fine, of_system = _compared(of, system, baseline, chosen.papers)
            lines += [*of_system, ""]
            passes = passes and is_fine
    if not new.may_release:
        why = trust_of_run(new) if new.is_untrusted else f"the run {new.outcome} by itself"
        lines += [one_line(f"NEW: {why}", 400), ""]
    if shared:
        lines += _golden_answers(old, new, shared, chosen.answers)[0]
    return lines, passes


def _measured(record: RunRecord) -> list[SuiteRecord]:
    """The suites that the run measured its judge with."""
    return [suite for suite in record.suites if suite.golden and suite.trust is not None]


def _shared_suites(old: RunRecord, new: RunRecord) -> list[tuple[SuiteRecord, SuiteRecord]]:
    """The suites that both runs have, by name and path; two single suites go together anyway."""
    before, now = _measured(old), _measured(new)
    if len(before) == len(now) == 1:
        return [(before[0], now[0])]
    pairs = ((suite_alike(before, suite), suite) for suite in now)
    return [(then, suite) for then, suite in pairs if then is not None]


def _check_golden(
    chosen: Comparing,
    runs: Mapping[str, tuple[Path, RunRecord]],
    shared: list[tuple[SuiteRecord, SuiteRecord]],
) -> None:
    """Refuses options of systems, runs without golden answers, and what only NEW has of them."""
    for option in ("system", "against", "fail"):
        if getattr(chosen, option):
            raise OptionError(f"--golden compares no systems; leave out --{option}")
    for which, (file, record) in runs.items():
        if not _measured(record):
            faults = [suite.trust.fault for suite in record.suites if suite.trust]
            why = next((f" ({one_line(fault)})" for fault in faults if fault), "")
            raise OptionError(
                f"{which}: {file} holds no golden answers{why}; run pytest on a suite with labels,"
                " its item 'judge' included, with --summ-run-record=FILE"
            )
    file, old = runs["OLD"]
    known = {suite.name for suite in _measured(old)}
    for suite in _measured(runs["NEW"][1]):
        if all(suite is not each for _, each in shared):
            raise OptionError(
                f"OLD: {file} has no golden answers of suite {suite.name!r};"
                f" {nearest(suite.name, known)}; compare runs of the same suites"
            )


def _compared(
    suite: SuiteRecord, system: str, baseline: Baseline, n_papers: int
) -> tuple[bool, list[str]]:
    """Whether a system passes its comparison with a baseline, and the lines of it."""
    pairs = suite.pairs_of(system)
    if not pairs:
        return False, [one_line(f"{suite.shown}: {system} was not judged")]
    numbers = [pair.numbers() for pair in pairs]
    comparison = compare(numbers, Against.of(baseline, suite, system), suite.policy)
    lines = [one_line(f"{suite.shown}: {system}"), *comparison_lines(comparison)]
    if not comparison.mismatches:
        changes = (
            pair_change(baseline.pairs[pair.paper](), pair, baseline=str(baseline))
            for pair in pairs
            if pair.paper in baseline.pairs
        )
        worst, n_changed = worst_changes(changes, n_papers)
        how = f"papers that changed, worst first ({n_changed}):"
        lines.append(how if n_changed else "no paper changed")
        for change in worst:
            lines += ["", one_line(f"{change.system} on {change.paper}"), *change_lines(change)]
        if n_changed > len(worst):
            lines += ["", f"{n_changed - len(worst)} more papers: --papers={n_changed}"]
    return comparison.passes, lines


def _golden_answers(
    old: RunRecord, new: RunRecord, suites: list[tuple[SuiteRecord, SuiteRecord]], n_answers: int
) -> tuple[list[str], bool]:
    """Compares the golden answers; False if those of any suite got worse.

    Golden answers that cannot be compared count as worse.
    """
    lines: list[str] = []
    for name, record in (("old", old), ("new", new)):
        lines.append(one_line(f"{name} judge: {record.judge.signature}", 400))
        lines += [f"  {line}" for line in models_seen(record.header.models)]
    lines += changed_model_lines(old.header.models, new.header.models)
    passes = True
    for before, now in suites:
        drift = measure_drift(before, now)
        lines += ["", *golden_lines(now.shown, drift, n_answers=n_answers)]
        passes = passes and not drift.mismatches and not drift.is_worse
    return lines, passes


def diff(
    base: Annotated[str, Parameter(name="BASE", help="a git revision, or a folder as ./FOLDER")],
    suite: Path = Path(),
    /,
    *,
    allow_outside: AllowOutside = False,
) -> list[str]:
    """Lists the changes since BASE, first those that can turn a red release green."""
    now = suite_of(suite, allow_outside=allow_outside)
    with suite_at(base, now.path, "BASE") as before:
        if before is None:
            return [one_line(f"{now.shown}: {base} has no such suite")]
        changes = stick_changes(before, now)
    if not changes:
        return [one_line(f"{now.shown}: nothing changed since {base}")]
    n_loose = sum(change.loosens for change in changes)
    counted = f"{len(changes)} changes since {base}, {n_loose} loosen the gate"
    lines = [f"{'loosens: ' if each.loosens else ''}{one_line(str(each), 200)}" for each in changes]
    return [one_line(f"{now.shown}: {counted}"), *(f"  {line}" for line in lines)]
