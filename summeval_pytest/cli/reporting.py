"""`summeval report`: the reports of a run, made again from its record. Nothing is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from summeval_pytest.cli.terms import check_writable
from summeval_pytest.errors import OptionError
from summeval_pytest.reports import read_record, run_lines, write_whole
from summeval_pytest.reports.github import annotation_lines
from summeval_pytest.reports.step_summary import step_summary

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from summeval_pytest.verdict import RunRecord


def report(chosen: argparse.Namespace) -> list[str]:
    """The run on the terminal, and the files that were asked for.

    Raises:
        OptionError: for a file that is no run record, and for one that cannot be written.
    """
    wanted: list[tuple[str, Path | None, Callable[[RunRecord], str]]] = [
        ("--html", chosen.html, _page),
        ("--junit", chosen.junit, _junit),
    ]
    for option, file, _ in wanted:
        if file is not None:
            check_writable(file, option)
    record = read_record(chosen.run, "RUN")
    lines = list(run_lines(record))
    for option, file, text in wanted:
        if file is not None:
            if fault := write_whole(file, text(record)):
                raise OptionError(f"{option}: {fault}")
            lines.append(f"wrote {file}")
    return [*lines, *_github(record)] if chosen.github else lines


def _junit(record: RunRecord) -> str:
    from summeval_pytest.reports.junit import junit_text

    return junit_text(record)


def _page(record: RunRecord) -> str:
    from summeval_pytest.reports.page import page_text

    return page_text(record)


def _github(record: RunRecord) -> list[str]:
    """The annotations as lines; the step summary goes where GitHub says, else it follows them."""
    lines = list(annotation_lines(record))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        return [*lines, *step_summary(record).splitlines()]
    with Path(summary).open("a", encoding="utf-8") as handle:
        handle.write(step_summary(record))
    return lines
