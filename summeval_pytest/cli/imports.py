"""`summeval import csv` and `labelstudio`: other people's labels, as labels of a suite."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from summeval_pytest.analysis.annotators import annotator_agreement
from summeval_pytest.cli.agree import in_short
from summeval_pytest.cli.options import check_writable, suite_of, write_text
from summeval_pytest.errors import OptionError, Place, SuiteError, nearest
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.marking import label_lines, label_text, read_label_file
from summeval_pytest.suite.tables import (
    Names,
    by_annotator,
    disputed,
    read_csv,
    read_labelstudio,
    read_markings,
    settled,
    shown,
)
from summeval_pytest.text.printing import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping

    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.marking import Item, Marking
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.tables import Export


_UNNAMED: Final = "(nobody is named)"
_SHOWN: Final = 3
_PAIRS_SHOWN: Final = 6

By = dict[str, dict["Item", "Marking"]]


def import_labels(chosen: argparse.Namespace) -> list[str]:
    """Writes the label file, or one an annotator, and says what it holds.

    Raises:
        UsageError: for a mistake in the file with its line or task, for annotators who contradict
            each other where nobody has said who counts, and for a file that is there already.
    """
    if chosen.majority + chosen.each + (chosen.annotator is not None) > 1:
        raise OptionError("--annotator, --majority and --each exclude each other; choose one")
    check_writable(chosen.out, "--out")
    suite = suite_of(chosen)
    file = TextFile(chosen.file, chosen.file.as_posix())
    export = _read(file, chosen)
    markings, n_silent = read_markings(suite, export.rows)
    if not markings:
        raise SuiteError(file.at(0), _nothing(file, export))
    annotators = by_annotator(markings)
    notes = (
        [*export.notes, f"rows that say nothing: {n_silent}"] if n_silent else list(export.notes)
    )
    about = {"basis": f"imported from {chosen.file.name}"}
    files = _files(suite, annotators, chosen)
    _refuse_existing(files, force=chosen.force)
    texts = {out: _text(suite, said, about, out) for out, said in files.items()}
    for out, text in texts.items():
        write_text(out, "--out", text)
    lines = [_told(out, said) for out, said in files.items()]
    lines += [*_who(suite, annotators), *map(one_line, notes)]
    if not suite.has_labels:
        lines.append(f'next: labels = "{chosen.out.name}" in {suite.shown}')
    return lines


def _read(file: TextFile, chosen: argparse.Namespace) -> Export:
    names = Names.read(chosen.map)
    if chosen.format == "labelstudio":
        return read_labelstudio(file, names, ground_truth=chosen.ground_truth)
    if chosen.ground_truth:
        raise OptionError("--ground-truth goes with labelstudio; leave it out")
    return read_csv(file, names)


def _nothing(file: TextFile, export: Export) -> str:
    told = f"; {'; '.join(map(one_line, export.notes))}" if export.notes else ""
    return (
        f"{file.shown!r} says nothing: none of its {len(export.rows)} rows has an answer{told};"
        " name the fields of its answers with --map NAME=FIELD"
    )


def _files(suite: Suite, annotators: By, chosen: argparse.Namespace) -> dict[Path, list[Marking]]:
    """What is written where."""
    if chosen.each:
        files = {_own_file(chosen.out, name): list(s.values()) for name, s in annotators.items()}
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
                f"--annotator={chosen.annotator}: {chosen.file} has no such annotator;"
                f" {nearest(chosen.annotator, annotators)}"
            )
        return {chosen.out: list(annotators[chosen.annotator].values())}
    if not chosen.majority and (items := disputed(annotators)):
        raise SuiteError(Place(chosen.file.as_posix()), _dispute(suite, annotators, items))
    return {chosen.out: settled(annotators)}


def _own_file(out: Path, name: str) -> Path:
    """An annotator's own file: ``labels.anna.jsonl`` beside ``labels.jsonl``."""
    stem = "".join(c if c.isalnum() or c in "-_.@" else "-" for c in name) or "unnamed"
    return out.with_name(f"{out.stem}.{stem}{out.suffix}")


def _refuse_existing(files: Iterable[Path], *, force: bool) -> None:
    for file in files:
        if file.exists() and not force:
            raise OptionError(
                f"--out={file}: it is there already; name another file, or overwrite it with"
                " --force"
            )


def _text(suite: Suite, said: list[Marking], about: Mapping[str, object], out: Path) -> str:
    return label_text(suite, label_lines(suite, said, about), out.as_posix())


def _told(out: Path, said: list[Marking]) -> str:
    kinds = {"facet rating": 0, "overall score": 0, "sentence": 0, "fact": 0}
    for marking in said:
        match marking.item.kind:
            case "overall":
                kinds["overall score"] += 1
            case "sentence":
                kinds["sentence"] += 1
            case "reference fact" | "candidate fact":
                kinds["fact"] += 1
            case _:
                kinds["facet rating"] += 1
    n_pairs = len({(marking.item.paper, marking.item.system) for marking in said})
    counts = ", ".join(_count(count, kind) for kind, count in kinds.items() if count)
    return f"{out}: labels of {_count(n_pairs, 'pair')}: {counts}"


def _count(number: int, of: str) -> str:
    return f"{number} {of}" if number == 1 else f"{number} {of}s"


def _dispute(suite: Suite, annotators: By, items: tuple[Item, ...]) -> str:
    told = []
    for item in items[:_SHOWN]:
        values = (
            f"{name or _UNNAMED} {shown(said[item].value)}"
            for name, said in annotators.items()
            if item in said
        )
        told.append(f"{item.told}: {', '.join(values)}")
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    figures = "\n".join(f"  {line}" for line in _who(suite, annotators))
    return (
        f"annotators disagree on {_count(len(items), 'item')} ({'; '.join(told)}{more}); say who"
        f" counts with --annotator NAME or --majority, or keep a file of each with --each\n"
        f"{figures}"
    )


def _who(suite: Suite, annotators: By) -> Iterator[str]:
    """How two and two annotators agree; nothing of one alone."""
    labels = {name: _labels(suite, said.values()) for name, said in annotators.items()}
    pairs = list(combinations(labels, 2))
    for first, second in pairs[:_PAIRS_SHOWN]:
        found = annotator_agreement(labels[first], labels[second])
        names = f"{first or _UNNAMED} and {second or _UNNAMED}"
        yield f"{one_line(names)}: {in_short(found)}"
    if len(pairs) > _PAIRS_SHOWN:
        yield f"and {len(pairs) - _PAIRS_SHOWN} more pairs of annotators"


def _labels(suite: Suite, said: Iterable[Marking]) -> Mapping[tuple[str, str], Label]:
    """Markings as labels, by way of the suite's own reader."""
    with TemporaryDirectory(prefix="summeval-") as folder:
        file = Path(folder) / "labels.jsonl"
        file.write_bytes(_text(suite, list(said), {}, file).encode())
        return read_label_file(file, suite)
