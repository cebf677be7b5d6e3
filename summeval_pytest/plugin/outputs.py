"""The files of a run: reports, the step summary and annotations, and saved runs beside a suite."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.options import TABLE, Options
from summeval_pytest.record.record_file import read_record, record_lines
from summeval_pytest.reports.files import (
    append,
    from_root,
    report_of,
    report_pieces,
    unwritable,
    write_whole,
)
from summeval_pytest.reports.judge_section import UNTRUSTED
from summeval_pytest.suite.suite import Suite
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.comparison import Baseline, find_baseline
from summeval_pytest.verdict.pair import judge_faults
from summeval_pytest.verdict.run import RunRecord, RunVerdict, SuiteRecord

COMPARE: Final = "--summ-compare"
SAVE: Final = "--summ-save"
WORKSPACE: Final = "GITHUB_WORKSPACE"
"""The variable that names the root of the repository, which annotations are relative to."""
ANNOTATORS: Final = (
    "pytest_github_actions_annotate_failures",
    "pytest_github_actions_annotate_failures.plugin",
)
"""A plugin that annotates every failing test already."""
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\Z")
_SUFFIX: Final = ".jsonl"


def check_outputs(options: Options, folder: Path) -> None:
    """Refuses a file or name that cannot be written, before anything is judged for it.

    A file that this run reads is refused, too.
    """
    taken: dict[Path, str] = {}
    compared = (options.compare or "").rpartition(":")
    read = {(folder / each).resolve() for each in (*options.from_, *compared)}
    for option, name in options.reports.items():
        file, flag = folder / name, TABLE[option].flag
        if fault := unwritable(file):
            raise OptionError(f"{flag}={name}: cannot be written, {fault}; name another file")
        if file.resolve() in read:
            raise OptionError(f"{flag}={name}: this run reads that file; name another one")
        first = taken.setdefault(file.resolve(), flag)
        if first != flag:
            raise OptionError(f"{flag}={name}: {first} writes that file; name another one")
    saved = options.save
    if saved is not None and (not _NAME.match(saved) or saved.endswith(_SUFFIX)):
        raise OptionError(
            f"{SAVE}={saved!r} is not a name for a saved run; use letters, digits, '.', '-' and"
            f" '_', without {_SUFFIX} at its end"
        )


def remove_reports(options: Options, folder: Path) -> None:
    """Removes the reports of an earlier run, which would speak for this one if it ended early."""
    for name in options.reports.values():
        if (file := (folder / name).resolve()).is_file():
            try:
                file.unlink()
            except OSError as error:
                what = f"{name} of an earlier run cannot be removed ({error.strerror})"
                raise pytest.UsageError(f"{what}; name another file") from None


def saved_file(suite: Suite, name: str) -> Path:
    """The file of a suite's saved run of this name."""
    folder = suite.baselines
    return folder.beside(f"{folder.path.name}/{name}{_SUFFIX}").path


def check_saved_file(suite: Suite, name: str) -> None:
    """Refuses to save where nothing could be written."""
    folder, file = suite.baselines.path, saved_file(suite, name)
    in_the_way = folder if folder.exists() and not folder.is_dir() else file
    if in_the_way is folder or file.is_dir() or file.is_symlink():
        raise OptionError(
            f"{SAVE}={name}: {in_the_way} is in the way; move it, or choose another name"
        )


class Baselines:
    """The saved run named by ``--summ-compare``, for every suite of this run.

    Args:
        named: NAME, FILE, or one of them with ``:SYSTEM``; None where nothing is compared.
        folder: What a relative FILE starts from.
    """

    def __init__(self, named: str | None, folder: Path) -> None:
        self._named = named
        self._folder = folder
        self._records: dict[Path, RunRecord] = {}
        self._baselines: dict[tuple[Path, str], Baseline] = {}

    def of(self, suite: Suite, system: str) -> Baseline | None:
        """The baseline of a system; None where nothing is compared."""
        if self._named is None:
            return None
        key = (suite.path, system)
        if key not in self._baselines:
            run, record, wanted = self._record(suite, self._named)
            baseline = find_baseline(record, run, suite, system, wanted=wanted, option=COMPARE)
            self._baselines[key] = baseline
        return self._baselines[key]

    def run_of(self, suite: Suite) -> RunRecord | None:
        """The saved run that a suite is compared with; None where nothing is compared."""
        return None if self._named is None else self._record(suite, self._named)[1]

    def _record(self, suite: Suite, option: str) -> tuple[str, RunRecord, str | None]:
        """The run's name, the run, and the system of it that the option names."""
        named, wanted = option, None
        file = self._file(suite, named)
        if file is None and ":" in named:
            named, _, wanted = named.rpartition(":")
            file = self._file(suite, named)
        if file is None:
            names = sorted(file.stem for file in suite.baselines.path.glob(f"*{_SUFFIX}"))
            hint = nearest(named, names) if names else "no run is saved there"
            raise OptionError(
                f"{COMPARE}={option!r}: {suite.baselines.shown} has no run {named!r}; {hint};"
                f" save one with {SAVE}={named if _NAME.match(named) else 'NAME'}"
            )
        if file not in self._records:
            record = read_record(file, f"{COMPARE}={option}")
            if any(each.is_cut for each in record.suites):
                raise OptionError(
                    f"{COMPARE}={option}: the run of {file} was cut before it closed its record, so"
                    " pairs may be missing; judge it again, or name another run"
                )
            self._records[file] = record
        return named, self._records[file], wanted

    def _file(self, suite: Suite, named: str) -> Path | None:
        """The saved run of that name beside the suite, else the file of that path."""
        file = self._folder / named
        if not _NAME.match(named) or not saved_file(suite, named).is_file():
            return file if file.is_file() else None
        if file.is_file():
            raise OptionError(
                f"{COMPARE}={named}: this is a saved run of {suite.shown} and a file; write the"
                f" file as ./{named}, or rename one of them"
            )
        return saved_file(suite, named)


def write_outputs(
    options: Options, folder: Path, verdict: RunVerdict, suites: Iterable[Suite], lines: list[str]
) -> Iterator[str]:
    """Writes the reports and saved runs that were asked for; yields what could not be written.

    Relative files start from ``folder``; ``lines`` gets a line for each file that was written.
    """
    for option, name in options.reports.items():
        if fault := write_whole(folder / name, report_pieces(option, verdict, folder)):
            yield fault
        else:
            lines.append(one_line(f"{report_of(option).title}: {name}", 400))
    if options.save is None:
        return
    by_shown = {suite.shown: suite for suite in suites}
    for judged in verdict.suites:
        suite = by_shown[judged.shown]
        file = saved_file(suite, options.save)
        # a baseline is no comparison itself
        systems = tuple(replace(each, baseline="", comparison=None) for each in judged.systems)
        alone = replace(judged.with_pairs(lambda pair: replace(pair, change=None)), systems=systems)
        if unfit := _unfit(judged) or next(verdict.untested(judged), ""):
            yield f"{SAVE}={options.save}: not saved, {judged.shown}: {unfit}"
        elif fault := write_whole(file, record_lines(replace(verdict, suites=(alone,)))):
            yield fault
        else:
            lines.append(one_line(f"saved: {suite.baselines.shown}/{file.name}", 400))


def _unfit(suite: SuiteRecord) -> str:
    """Why a run cannot be a baseline; empty where it can.

    Whatever was compared with a run of some of the papers would be compared on those only; and a
    run that dropped must not become what the next one is compared with. Unanswered items count as
    wrong, and would hide a drop in it.
    """
    if suite.is_untrusted:
        return f"the judge is {UNTRUSTED}; mend it, or label more pairs"
    if suite.trust is not None and suite.trust.fault:
        return f"the judge was not measured: {one_line(suite.trust.fault)}; run its test, too"
    if not suite.is_complete:
        n_scored = sum(row.outcome != "error" for row in suite.rows)
        return f"{n_scored} of {len(suite.expected)} pairs are judged; run all of them"
    for system in suite.systems:
        if system.comparison is not None and not system.comparison.passes:
            return f"{system.name} fails against {system.baseline}; save it without {COMPARE}"
        if system.outcome == "error":
            return f"{system.name} has no verdict over all papers: {system.fault}"
    return _left_open(suite)


def _left_open(suite: SuiteRecord) -> str:
    """The first pair that the judge left unanswered in part; empty without one."""
    for row in suite.rows:
        if row.numbers.unanswered or any(judge_faults(row.numbers)):
            where = one_line(f"{row.system} on {row.paper}")
            return f"the judge left items of {where} unanswered; judge again, or use another judge"
    return ""


def tell_github(
    config: pytest.Config, verdict: RunVerdict, annotations: list[str]
) -> Iterator[str]:
    """Appends the step summary and collects annotations; yields what could not be written."""
    from summeval_pytest.reports.ci import STEP_SUMMARY, annotation_lines, step_summary

    root = Path(os.environ.get(WORKSPACE) or config.rootpath)
    located = from_root(config.invocation_params.dir, root)
    others = any(config.pluginmanager.hasplugin(name) for name in ANNOTATORS)
    annotations += annotation_lines(verdict, locate=located, with_pairs=not others)
    file = os.environ.get(STEP_SUMMARY)
    if file and (fault := append(Path(file), step_summary(verdict))):
        yield f"{STEP_SUMMARY}={file} {fault}"
