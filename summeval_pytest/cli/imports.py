"""`summeval import`: a suite from released data or a table, or other people's labels of a suite."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter

from summeval_pytest.cli.parameters import AllowOutside, check_writable, suite_of, write_text
from summeval_pytest.cli.table_import import NO_ROW_OPTIONS, RowOptions, import_rows
from summeval_pytest.errors import OptionError, Place, SuiteError, nearest
from summeval_pytest.suite.labels import labels_of
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.marking import (
    RowReader,
    by_annotator,
    disputed,
    in_words,
    label_lines,
    label_text,
    read_csv,
    read_names,
    settled,
)
from summeval_pytest.suite.places import file_name
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.suite.marking import Item, Marking
    from summeval_pytest.suite.suite import Suite


_UNNAMED: Final = "(nobody is named)"
_SHOWN: Final = 3
_PAIRS_SHOWN: Final = 6

_KINDS: Final = {
    "overall": "overall score",
    "sentence": "sentence",
    "reference fact": "fact",
    "candidate fact": "fact",
}
"""What each kind of item is counted as, facets' ratings aside."""
By = dict[str, dict["Item", "Marking"]]


Format = Literal["scholarsum", "table", "hf", "csv"]


@Parameter(name="*", group="Labels (csv)")
@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The options that go with labels only."""

    suite: Annotated[Path | None, Parameter(help="whose labels they are")] = None
    map: Annotated[
        tuple[str, ...],
        Parameter(
            help="COLUMN=FIELD: which field a column is (repeat); - leaves it out, x_NAME"
            " carries it along"
        ),
    ] = ()
    annotator: Annotated[str | None, Parameter(help="only what this annotator says")] = None
    majority: Annotated[bool, Parameter(help="what more annotators say than anything else")] = False
    each: Annotated[bool, Parameter(help="a file for each annotator, as labels.NAME.jsonl")] = False
    force: Annotated[bool, Parameter(help="overwrite the label file")] = False


NO_LABELS: Final = Labels()


def run_import(
    form: Annotated[Format, Parameter(name="FORMAT", help="what FILE is")],
    file: Annotated[
        Path,
        Parameter(
            help="the released file, unchanged; a table with a row a summary; the folder of a"
            " Hugging Face dataset; or labels"
        ),
    ],
    /,
    *,
    out: Annotated[Path, Parameter(help="the new suite, or the label file")],
    allow_outside: AllowOutside = False,
    split: Annotated[str | None, Parameter(help="hf: this split")] = None,
    rows: RowOptions = NO_ROW_OPTIONS,
    labels: Labels = NO_LABELS,
) -> list[str]:
    """Makes the suite, or the label file, and says what it holds.

    Raises:
        UsageError: for options that do not go with the format, and for a mistake in a file.
    """
    if form in ("scholarsum", "table", "hf"):
        _refuse(labels, f"goes with labels, as of csv, and {form!r} makes a suite")
    if split is not None and form != "hf":
        raise OptionError("--split goes with hf; leave it out")
    if form in ("table", "hf"):
        return import_rows(file, out, rows, is_dataset=form == "hf", split=split)
    _refuse(rows, f"goes with rows, as of table or hf, not with {form!r}")
    if form == "scholarsum":
        return import_suite(file, out)
    if labels.suite is None:
        raise OptionError(
            "labels of a csv file need a suite to be labels of; name it with --suite SUITE"
        )
    suite = suite_of(labels.suite, allow_outside=allow_outside)
    return import_labels(file, out, suite, labels)


def _refuse(options: Labels | RowOptions, why: str) -> None:
    """Refuse any option that is given and goes with another format."""
    for option in fields(options):
        if getattr(options, option.name):
            raise OptionError(f"--{option.name.replace('_', '-')} {why}; leave it out")


def import_suite(file: Path, out: Path) -> list[str]:
    """Makes the suite and says what it holds.

    Raises:
        SuiteError: if the file is not the release, or ``out`` already holds something.
    """
    report = import_module("summeval_pytest.study.scholarsum").import_scholarsum(file, out)
    left_out = f"{report.n_skipped_facets} facets were left out by the annotators"
    return [
        f"{out}: {report.n_papers} papers, {len(report.systems)} systems, {report.n_pairs} pairs",
        f"{report.n_labelled_pairs} pairs have human labels; {left_out}",
        *([f"recorded judges: {', '.join(report.judges)}"] if report.judges else []),
        *(one_line(note) for note in report.notes),
        f"next: pytest {out}",
    ]


def import_labels(source: Path, out: Path, suite: Suite, chosen: Labels) -> list[str]:
    """Writes the label file, or one an annotator, and says what it holds.

    Raises:
        UsageError: for a mistake in the file with its line, for annotators who contradict
            each other where nobody has said who counts, and for a file that is there already.
    """
    if chosen.majority + chosen.each + (chosen.annotator is not None) > 1:
        raise OptionError("--annotator, --majority and --each exclude each other; choose one")
    check_writable(out, "--out")
    file = TextFile(source, source.as_posix())
    rows = read_csv(file, read_names(chosen.map))
    reader = RowReader(suite)
    said = [reader.markings(row) for row in rows]
    markings = [marking for each in said for marking in each]
    if not markings:
        raise SuiteError(
            file.at(0),
            f"{file.shown!r} says nothing: none of its {len(rows)} rows has an answer; name the"
            " fields of its answers with --map COLUMN=FIELD",
        )
    annotators = by_annotator(markings)
    about = {"basis": f"imported from {source.name}"}
    files = _files(suite, annotators, source, out, chosen)
    for target in files:
        if target.exists() and not chosen.force:
            raise OptionError(
                f"--out={target}: it is there already; name another file, or overwrite it with"
                " --force"
            )
    texts = {
        target: label_text(suite, label_lines(suite, own, about), target.as_posix())
        for target, own in files.items()
    }
    for target, text in texts.items():
        write_text(target, "--out", text)
    lines = [_counts(target, own) for target, own in files.items()]
    lines += _who(suite, annotators)
    if silent := said.count([]):
        lines.append(f"rows that say nothing: {silent}")
    if not suite.has_labels:
        lines.append(f'next: labels = "{out.name}" in {suite.shown}')
    return lines


def _files(
    suite: Suite, annotators: By, source: Path, out: Path, chosen: Labels
) -> dict[Path, list[Marking]]:
    """What is written where."""
    if chosen.each:
        files = {
            out.with_name(f"{out.stem}.{file_name(name)}{out.suffix}"): list(said.values())
            for name, said in annotators.items()
        }
        if len(files) < len(annotators):
            names = ", ".join(map(repr, annotators))
            raise OptionError(
                f"--each: two of the annotators {names} would have one file; take one after the"
                " other with --annotator"
            )
        return files
    if chosen.annotator is not None:
        if chosen.annotator not in annotators:
            raise OptionError(
                f"--annotator={chosen.annotator}: {source} has no such annotator;"
                f" {nearest(chosen.annotator, annotators)}"
            )
        return {out: list(annotators[chosen.annotator].values())}
    if not chosen.majority and (items := disputed(annotators)):
        raise SuiteError(Place(source.as_posix()), _dispute(suite, annotators, items))
    return {out: settled(annotators)}


def _counts(out: Path, said: list[Marking]) -> str:
    kinds = Counter(_KINDS.get(marking.item.kind, "facet rating") for marking in said)
    n_pairs = len({(marking.item.paper, marking.item.system) for marking in said})
    ordered = ("facet rating", *dict.fromkeys(_KINDS.values()))
    counts = ", ".join(_count(kinds[kind], kind) for kind in ordered if kinds[kind])
    return f"{out}: labels of {_count(n_pairs, 'pair')}: {counts}"


def _count(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _dispute(suite: Suite, annotators: By, items: tuple[Item, ...]) -> str:
    first = []
    for item in items[:_SHOWN]:
        said = {n: markings[item].value for n, markings in annotators.items() if item in markings}
        values = (f"{name or _UNNAMED} {in_words(value)}" for name, value in said.items())
        first.append(f"{item.words}: {', '.join(values)}")
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    figures = "\n".join(f"  {line}" for line in _who(suite, annotators))
    return (
        f"annotators disagree on {_count(len(items), 'item')} ({'; '.join(first)}{more}); say who"
        f" counts with --annotator NAME or --majority, or keep a file of each with --each\n"
        f"{figures}"
    )


def _who(suite: Suite, annotators: By) -> Iterator[str]:
    """How two and two annotators agree; nothing of one alone."""
    nowhere = TextFile(Path(), "labels")
    labels = {
        name: labels_of(
            enumerate(label_lines(suite, said.values(), {}), start=1), nowhere, suite.roster
        )
        for name, said in annotators.items()
    }
    pairs = list(combinations(labels, 2))
    study = import_module("summeval_pytest.study.agreement.annotators")
    for first, second in pairs[:_PAIRS_SHOWN]:
        agreement = study.annotator_agreement(labels[first], labels[second])
        names = f"{first or _UNNAMED} and {second or _UNNAMED}"
        yield f"{one_line(names)}: {study.annotators_in_short(agreement)}"
    if len(pairs) > _PAIRS_SHOWN:
        yield f"and {len(pairs) - _PAIRS_SHOWN} more pairs of annotators"
