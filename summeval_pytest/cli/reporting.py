"""`summeval report`: the reports of a run, made again from its record. Nothing is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from summeval_pytest.cli.terms import check_writable, write_text
from summeval_pytest.errors import OptionError
from summeval_pytest.reports import RENDERERS, append, read_record, run_lines
from summeval_pytest.reports.github import annotation_lines
from summeval_pytest.reports.step_summary import STEP_SUMMARY, step_summary

if TYPE_CHECKING:
    import argparse

    from summeval_pytest.verdict import RunRecord


def report(chosen: argparse.Namespace) -> list[str]:
    """The run on the terminal, and the files that were asked for.

    Raises:
        OptionError: for a file that is no run record, and for one that cannot be written.
    """
    wanted = [("--html", "page", chosen.html), ("--junit", "JUnit report", chosen.junit)]
    wanted = [(option, kind, file) for option, kind, file in wanted if file is not None]
    for option, _, file in wanted:
        check_writable(file, option)
    record = read_record(chosen.run, "RUN")
    lines = list(run_lines(record))
    for option, kind, file in wanted:
        write_text(file, option, RENDERERS[kind](record))
        lines.append(f"wrote {file}")
    return [*lines, *_github(record)] if chosen.github else lines


def _github(record: RunRecord) -> list[str]:
    """The annotations as lines; the step summary goes where GitHub says, else it follows them."""
    lines = list(annotation_lines(record))
    summary = os.environ.get(STEP_SUMMARY)
    if not summary:
        return [*lines, *step_summary(record).splitlines()]
    if fault := append(Path(summary), step_summary(record)):
        raise OptionError(f"{STEP_SUMMARY}={summary} {fault}; unset it to print")
    return lines
