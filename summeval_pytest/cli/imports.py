"""`summeval import`: makes a suite from released data or a table, or brings in labels."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from summeval_pytest.cli.parameters import AllowOutside, suite_of
from summeval_pytest.cli.table_import import NO_ROW_OPTIONS, RowOptions, import_rows
from summeval_pytest.errors import OptionError
from summeval_pytest.text.printing import one_line

Format = Literal["scholarsum", "table", "hf", "csv"]


@Parameter(name="*", group="Labels (csv)")
@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The options for labels."""

    suite: Annotated[Path | None, Parameter(help="the suite of the labels")] = None
    map: Annotated[
        tuple[str, ...],
        Parameter(
            help="COLUMN=FIELD: the label field for a column (repeat); COLUMN=- ignores the column,"
            " COLUMN=x_NAME copies it"
        ),
    ] = ()
    annotator: Annotated[str | None, Parameter(help="take only this annotator's labels")] = None
    majority: Annotated[bool, Parameter(help="take the label that most annotators give")] = False
    each: Annotated[bool, Parameter(help="write a file for each annotator: labels.NAME.jsonl")] = (
        False
    )
    force: Annotated[bool, Parameter(help="overwrite the label file")] = False


NO_LABELS: Final = Labels()


def run_import(
    form: Annotated[Format, Parameter(name="FORMAT", help="the kind of FILE")],
    file: Annotated[
        Path,
        Parameter(
            help="the released file, unchanged; a table with one row per summary; the folder of a"
            " Hugging Face dataset; or a table of labels"
        ),
    ],
    /,
    *,
    out: Annotated[Path, Parameter(help="the new suite, or the label file")],
    allow_outside: AllowOutside = False,
    split: Annotated[str | None, Parameter(help="hf: the split")] = None,
    rows: RowOptions = NO_ROW_OPTIONS,
    labels: Labels = NO_LABELS,
) -> list[str]:
    """Makes the suite, or the label file, and says what it holds."""
    if form != "csv":
        _refuse(labels, f"goes with labels, as of csv, and {form!r} makes a suite")
    if split is not None and form != "hf":
        raise OptionError("--split goes with hf; leave it out")
    if form in ("table", "hf"):
        return import_rows(file, out, rows, is_dataset=form == "hf", split=split)
    _refuse(rows, f"goes with rows, as of table or hf, not with {form!r}")
    if form == "scholarsum":
        return _import_release(file, out)
    if labels.suite is None:
        raise OptionError(
            "labels of a csv file need a suite to be labels of; name it with --suite SUITE"
        )
    suite = suite_of(labels.suite, allow_outside=allow_outside)
    study = import_module("summeval_pytest.study.label_tables")
    lines: list[str] = study.import_labels(file, out, suite, labels)
    return lines


def _refuse(options: Labels | RowOptions, why: str) -> None:
    """Refuses any given option that belongs to another format."""
    for option in fields(options):
        if getattr(options, option.name):
            raise OptionError(f"--{option.name.replace('_', '-')} {why}; leave it out")


def _import_release(file: Path, out: Path) -> list[str]:
    """Makes the suite of a release and says what it holds."""
    report = import_module("summeval_pytest.study.scholarsum").import_scholarsum(file, out)
    left_out = f"{report.n_skipped_facets} facets were left out by the annotators"
    return [
        f"{out}: {report.n_papers} papers, {len(report.systems)} systems, {report.n_pairs} pairs",
        f"{report.n_labelled_pairs} pairs have human labels; {left_out}",
        *([f"recorded judges: {', '.join(report.judges)}"] if report.judges else []),
        *(one_line(note) for note in report.notes),
        f"next: pytest {out}",
    ]
