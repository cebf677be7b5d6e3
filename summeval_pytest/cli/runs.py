"""Commands about runs: plan one; report and compare saved ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from summeval_pytest.annex import part
from summeval_pytest.cli.parameters import (
    GATED,
    REPORT_FILES,
    check_writable,
    session_of,
    with_options,
    write_text,
)
from summeval_pytest.errors import OptionError, UsageError, nearest
from summeval_pytest.options import TABLE, Options
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.record.record_file import read_record
from summeval_pytest.record.redaction import redacted
from summeval_pytest.reports.ci import (
    STEP_SUMMARY,
    annotation_lines,
    pull_request_comment,
    step_summary,
)
from summeval_pytest.reports.files import append, report_pieces
from summeval_pytest.reports.judge_section import trust_of_run
from summeval_pytest.reports.run_json import json_pieces
from summeval_pytest.reports.terminal import (
    changed_model_lines,
    golden_lines,
    models_seen,
    plan_lines,
    run_lines,
)
from summeval_pytest.reports.wording import change_lines, comparison_lines
from summeval_pytest.run.plan import planned_calls
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.changes import measure_drift, pair_change, worst_changes
from summeval_pytest.verdict.comparison import Against, Baseline, compare, find_baseline
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.run import RunRecord, RunVerdict, SuiteRecord, suite_alike

MOST_BYTES: Final = 200_000_000
"""Of a record for a comment: a stranger's may be of any size."""
NO_RESULT: Final = "The gate has no result that can be read; its log says why."
RunFile = Annotated[Path, Parameter(name="RUN", help="a run record")]


@with_options(*GATED)
def plan(suite: Path, /, *, options: Options) -> list[str]:
    """The plan as a table."""
    session = session_of(options)
    run, judge = gated_suite(suite, session), session.terms.judge_name
    survey, signature = session.survey(judge, [run.suite], run.tasks, imagine=True)
    rows = planned_calls(survey.missing.values(), survey.reply_share, survey.thoughts)
    return list(plan_lines(rows, judge=signature, n_stored=len(survey.stored)))


@with_options(*REPORT_FILES)
def report(
    run: RunFile,
    /,
    *,
    github: bool = False,
    otlp: bool = False,
    comment: bool = False,
    as_json: Annotated[bool, Parameter(name="--json")] = False,
    redact: bool = False,
    run_record: Path | None = None,
    options: Options,
) -> tuple[list[str], bool]:
    """Prints a run and writes its reports again; whether the run passes.

    Args:
        as_json: print the run as one JSON object instead
        redact: leave out every text of papers, summaries and replies, in all that is written
        run_record: write the run record, decided again
        github: print annotations, and append the step summary to GITHUB_STEP_SUMMARY (else print)
        otlp: send each number as an event to OpenTelemetry's collector
        comment: print only the comment for a pull request, with exit code 0; RUN may be a
            stranger's
    """
    if comment:
        others = (as_json, github, otlp, run_record, options.reports)
        return _comment(run, redact=redact, is_alone=not any(others)), True
    files = {option: Path(file) for option, file in options.reports.items()}
    files |= {} if run_record is None else {"run_record": run_record}
    flags = {option: TABLE[option].short_flag for option in files}
    for option, file in files.items():
        check_writable(file, flags[option], read=run)
    if as_json and (github or otlp):
        other = "--github" if github else "--otlp"
        raise OptionError(f"--json prints one object, and {other} prints lines; leave one out")
    if len({file.resolve() for file in files.values()}) < len(files):
        raise OptionError("two reports name one file; name another one")
    verdict = decide(read_record(run, "RUN"))
    if redact:
        verdict = redacted(verdict)
    lines = "".join(json_pieces(verdict)).split("\n")[:-1] if as_json else [*run_lines(verdict)]
    for option, file in files.items():
        write_text(file, flags[option], report_pieces(option, verdict, Path.cwd()))
        lines += [] if as_json else [f"wrote {file}"]
    if otlp:
        lines.append(f"sent {part('events')(verdict):,} events")
    return [*lines, *_github(verdict)] if github else lines, verdict.may_release


def _comment(run: Path, *, redact: bool, is_alone: bool) -> list[str]:
    """The comment on a run that a stranger may have recorded, so that no link is followed."""
    if not is_alone:
        raise OptionError("--comment prints the comment alone; leave out the other reports")
    try:
        is_link = run.is_symlink() or run.parent.is_symlink()
        if is_link or not run.is_file() or run.stat().st_size > MOST_BYTES:
            return [NO_RESULT]
        verdict = decide(read_record(run, "RUN"))
    except (OSError, UsageError):
        return [NO_RESULT]
    return pull_request_comment(redacted(verdict) if redact else verdict).splitlines()


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
        papers: how many papers to list
        golden: compare only the judge's answers about labelled pairs; exit with 1 if they moved
            away from the labels by more than chance, or cannot be compared
        answers: how many changed answers about labels to list
    """

    system: str | None = None
    against: str | None = None
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
            is_fine, of_system = _compared(suite, system, baseline, chosen.papers)
            lines += [*of_system, ""]
            passes = passes and is_fine
    if not new.may_release:
        why = trust_of_run(new) if new.is_untrusted else f"the run by itself is {new.shown}"
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
    for option in ("system", "against"):
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
    numbers = [row.numbers for row in pairs.rows]
    comparison = compare(numbers, Against.of(baseline, suite, system), suite.policy)
    lines = [one_line(f"{suite.shown}: {system}"), *comparison_lines(comparison)]
    if not comparison.mismatches:
        changes = (
            pair_change(baseline.pairs[pair.paper].read(), pair, baseline=str(baseline))
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
