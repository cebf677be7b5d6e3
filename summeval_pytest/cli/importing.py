"""`summeval import`: a suite made from released data, and what was found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.suite import import_scholarsum
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    from pathlib import Path


def import_suite(file: Path, out: Path) -> list[str]:
    """Makes the suite and says what it holds.

    Raises:
        SuiteError: if the file is not the release, or ``out`` already holds something.
    """
    report = import_scholarsum(file, out)
    labelled = (
        f"{report.n_labelled_pairs} pairs have human labels;"
        f" {report.n_skipped_facets} facets were left out by the annotators"
    )
    return [
        f"{out}: {report.n_papers} papers, {len(report.systems)} systems, {report.n_pairs} pairs",
        labelled,
        *(one_line(note) for note in report.notes),
        f"next: pytest {out}",
    ]
