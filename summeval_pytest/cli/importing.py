"""`summeval import`: a suite made from ScholarSum, and labels brought into one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import add_outside
from summeval_pytest.errors import OptionError
from summeval_pytest.suite import import_scholarsum
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    import argparse

LABEL_FORMATS: Final = ("csv", "labelstudio")
"""Formats of labels, which go beside an existing suite."""

FORMATS: Final = ("scholarsum", *LABEL_FORMATS)

_FOR_LABELS: Final = ("suite", "map", "annotator", "majority", "each", "ground_truth", "force")


def add_importing(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval import`."""
    parser.add_argument(
        "format", choices=FORMATS, metavar="FORMAT", help=f"what FILE is: {', '.join(FORMATS)}"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the released file, unchanged")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="PATH", help="the new suite, or the label file"
    )
    labels = parser.add_argument_group(f"labels ({', '.join(LABEL_FORMATS)})")
    labels.add_argument("--suite", type=Path, metavar="SUITE", help="whose labels they are")
    add_outside(labels)
    labels.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="NAME=FIELD",
        help="which field a column or control is; - leaves it out, x_NAME carries it along",
    )
    labels.add_argument("--annotator", metavar="NAME", help="only what this annotator says")
    labels.add_argument(
        "--majority", action="store_true", help="what more annotators say than anything else"
    )
    labels.add_argument(
        "--each", action="store_true", help="a file for each annotator, as labels.NAME.jsonl"
    )
    labels.add_argument(
        "--ground-truth", action="store_true", help="labelstudio: only what is marked as such"
    )
    labels.add_argument("--force", action="store_true", help="overwrite the label file")


def run_import(chosen: argparse.Namespace) -> list[str]:
    """Makes the suite, or the label file, and says what it holds.

    Raises:
        UsageError: for options that do not go with the format, and for a mistake in a file.
    """
    if chosen.format in LABEL_FORMATS:
        from summeval_pytest.cli.label_importing import import_labels

        if chosen.suite is None:
            raise OptionError(
                f"labels of a {chosen.format} file need a suite to be labels of; name it with"
                " --suite SUITE"
            )
        return import_labels(chosen)
    for name in _FOR_LABELS:
        if getattr(chosen, name):
            option = "--" + name.replace("_", "-")
            raise OptionError(
                f"{option} goes with labels, as of {' or '.join(LABEL_FORMATS)}, and"
                f" {chosen.format!r} makes a suite; leave it out"
            )
    return import_suite(chosen.file, chosen.out)


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
        *([f"recorded judges: {', '.join(report.judges)}"] if report.judges else []),
        *(one_line(note) for note in report.notes),
        f"next: pytest {out}",
    ]
