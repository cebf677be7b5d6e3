"""What is made of a run's record at its end, on the controller only."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.errors import OptionError
from summeval_pytest.plugin.baselines import SAVE, check_name, saved_file
from summeval_pytest.plugin.recording import run_record
from summeval_pytest.plugin.session import GATE, gated_suites, tally_of
from summeval_pytest.reports import (
    RENDERERS,
    UNTRUSTED,
    append,
    changed_model_lines,
    drift_lines,
    record_text,
    unwritable,
    write_whole,
)
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.plugin.gated_suite import GatedSuite
    from summeval_pytest.plugin.options import Options
    from summeval_pytest.plugin.tally import Tally
    from summeval_pytest.verdict import RunRecord, SuiteRecord

WORKSPACE: Final = "GITHUB_WORKSPACE"
"""The variable that names the root of the repository, which annotations are relative to."""
ANNOTATORS: Final = (
    "pytest_github_actions_annotate_failures",
    "pytest_github_actions_annotate_failures.plugin",
)
"""A plugin that annotates every failing test already."""


def _files(options: Options) -> dict[str, tuple[str, str]]:
    """By kind of report, the flag that asks for it and the file."""
    asked = {
        "run record": ("--summ-run-record", options.run_record),
        "JUnit report": ("--summ-junit", options.junit),
        "page": ("--summ-html", options.html),
    }
    return {kind: (flag, name) for kind, (flag, name) in asked.items() if name is not None}


def check_outputs(options: Options, folder: Path) -> None:
    """Refuses a file or name that cannot be written, before anything is judged for it.

    Raises:
        OptionError: for a folder in its place, a file whose folder is not there, one file for two
            reports, and a name that is none.
    """
    taken: dict[Path, str] = {}
    for flag, name in _files(options).values():
        file = folder / name
        if fault := unwritable(file):
            raise OptionError(f"{flag}={name}: cannot be written, {fault}; name another file")
        first = taken.setdefault(file.resolve(), flag)
        if first != flag:
            raise OptionError(f"{flag}={name}: {first} writes that file; name another one")
    if options.save is not None:
        check_name(options.save)


def make_outputs(session: pytest.Session) -> None:
    """Makes the record of the run, and of it every file that was asked for.

    What cannot be written is said at the end, and fails a run that had passed.
    """
    config = session.config
    gate, tally = config.stash[GATE], tally_of(config)
    if not gate.keeps_record:
        return
    suites = list(dict.fromkeys(gated_suites(config).values()))
    record = run_record(
        gate,
        tally.parts,
        suites=suites,
        usage=tally.usage(),
        cassettes=tally.cassettes(),
        models=tally.models(),
    )
    tally.record = record
    tally.drift = list(_drift(gate, suites, record))
    faults = list(_write_files(gate.options, config.invocation_params.dir, record, tally.told))
    if gate.options.save is not None:
        faults += _save(gate.options.save, suites, record, tally.told)
    if gate.options.github:
        faults += _tell_github(config, record, tally)
    tally.told += [one_line(fault, 400) for fault in faults]
    if faults and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _drift(gate: Gate, suites: Iterable[GatedSuite], record: RunRecord) -> Iterator[str]:
    """What became of the judge since the saved run that each suite is compared with."""
    for gated in suites:
        saved = gate.saved_run(gated)
        held = next(suite for suite in record.suites if suite.shown == gated.suite.shown)
        for old in saved.suites if saved is not None else ():
            if old.name == held.name:
                yield from drift_lines(old, held)
        if saved is not None:
            yield from changed_model_lines(saved.header.models, record.header.models)


def _write_files(
    options: Options, folder: Path, record: RunRecord, told: list[str]
) -> Iterator[str]:
    """Writes what was asked for; yields what could not be."""
    for kind, (_, name) in _files(options).items():
        fault = write_whole(folder / name, RENDERERS[kind](record))
        if fault:
            yield fault
        else:
            told.append(one_line(f"{kind}: {name}", 400))


def _tell_github(config: pytest.Config, record: RunRecord, tally: Tally) -> Iterator[str]:
    """Appends the step summary and prepares the annotations; yields what could not be written."""
    from summeval_pytest.reports.github import annotation_lines
    from summeval_pytest.reports.step_summary import STEP_SUMMARY, step_summary

    start = config.invocation_params.dir
    root = Path(os.environ.get(WORKSPACE) or config.rootpath)

    def located(shown: str) -> str:
        path = (start / shown).resolve()
        inside = path.is_relative_to(root.resolve())
        return path.relative_to(root.resolve()).as_posix() if inside else shown

    others = any(config.pluginmanager.hasplugin(name) for name in ANNOTATORS)
    tally.annotations = list(annotation_lines(record, locate=located, with_pairs=not others))
    file = os.environ.get(STEP_SUMMARY)
    if file and (fault := append(Path(file), step_summary(record))):
        yield f"{STEP_SUMMARY}={file} {fault}"


def _save(
    name: str, suites: Iterable[GatedSuite], record: RunRecord, told: list[str]
) -> Iterator[str]:
    """Saves the run of each suite beside it; yields why one was not."""
    files = {gated.suite.shown: gated.suite for gated in suites}
    for held in record.suites:
        if unfit := _unfit(held):
            yield f"{SAVE}={name}: not saved, {held.shown}: {unfit}"
            continue
        suite = files[held.shown]
        file = saved_file(suite, name)
        fault = write_whole(file, record_text(replace(record, suites=(_alone(held),))))
        if fault:
            yield fault
        else:
            told.append(one_line(f"saved: {suite.baselines.shown}/{file.name}", 400))


def _unfit(suite: SuiteRecord) -> str:
    """Why a run is no baseline; empty where it is one.

    Whatever was compared with a run of some of the papers would be compared on those only; and a
    run that dropped must not become what the next one is held to.
    """
    if suite.is_untrusted:
        return f"the judge is {UNTRUSTED}; mend it, or label more pairs"
    if not suite.is_complete:
        n_scored = sum(pair.outcome != "error" for pair in suite.pairs)
        return f"{n_scored} of {suite.n_expected} pairs are judged; run all of them"
    for system in suite.systems:
        if system.comparison is not None and not system.comparison.passes:
            return f"{system.name} fails against {system.baseline}; save it without --summ-compare"
        if system.outcome == "error":
            return f"{system.name} has no verdict over all papers: {system.fault}"
    return ""


def _alone(suite: SuiteRecord) -> SuiteRecord:
    """A suite without what it was compared with, or tried with."""
    return replace(
        suite,
        relations=(),
        systems=tuple(replace(each, baseline="", comparison=None) for each in suite.systems),
        pairs=tuple(replace(pair, change=None) for pair in suite.pairs),
    )
