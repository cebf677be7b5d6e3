"""A suite made of a released data set: its papers, systems and labels, by the set's key table."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, SuiteError
from summeval_pytest.suite.fields import Fields, brief, is_visible
from summeval_pytest.suite.importing.released import RELEASED, ReleasedSet
from summeval_pytest.suite.importing.set_labels import PairDraft, label_of
from summeval_pytest.suite.indexed import cut
from summeval_pytest.suite.jsonl import read_lines
from summeval_pytest.suite.lines import TextFile
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.suite.suite_file import SUITE_NAME
from summeval_pytest.suite.writing import check_new, json_lines, toml_list, write_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from summeval_pytest.suite.jsonl import Line

_UNFIT_SYSTEM = re.compile(r"[^A-Za-z0-9._-]+")
_UNFIT_PAPER = re.compile(r"[\s\[\]|]+")
_GATES: Final = {"source": "eva = 0.30", "reference": "faithfulness = 0.80"}
"""What still means something where the source, or the reference, is stood in for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReport:
    """What an import of a data set wrote, and what it had to leave out."""

    n_papers: int
    systems: tuple[str, ...]
    n_pairs: int
    n_labels: int
    notes: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _Paper:
    """A paper as it will be written, and its source's sentences."""

    line: dict[str, object]
    source: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _Draft:
    """The suite as it grows, row by row."""

    spec: ReleasedSet
    provenance: str
    papers: dict[str, _Paper] = field(default_factory=dict)
    ids: dict[tuple[str, str, str], str] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)
    parts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], PairDraft] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)


def import_set(name: str, file: Path, out: Path, *, stand_in: bool = False) -> SetReport:
    """Make a suite in the folder ``out`` from one file of a released set.

    Everything is read, and the whole suite loaded once, before the first file is written; the same
    release gives the same bytes. Where the set has no reference, or no source, ``stand_in`` lets
    the other stand there, and the suite gates only what does not need it.

    Raises:
        OptionError: For a set that lacks one of the two, without ``stand_in``.
        SuiteError: For a file that is not of the set, and for a folder that holds a suite.
    """
    spec = RELEASED[name]
    lacking = _lacking(spec)
    if lacking and not stand_in:
        raise OptionError(_refusal(name, lacking))
    check_new(out)
    release = TextFile(file, file.as_posix())
    draft = _Draft(spec=spec, provenance=f"{name}, {file.name}")
    for fields in _rows(release, spec, name):
        _add(draft, fields, name)
    if not draft.papers:
        raise SuiteError(release.at(0), f"{file.name!r} is empty; name a file of {name}")
    labels = _labels(draft)
    texts = _texts(draft, name, labels)
    _check(texts, out)
    write_suite(out, texts)
    return SetReport(
        n_papers=len(draft.papers),
        systems=tuple(dict.fromkeys(system for _, system in draft.pairs)),
        n_pairs=len(draft.pairs),
        n_labels=len(labels),
        notes=tuple(f"{note}: {count}" for note, count in draft.notes.items()),
    )


def _lacking(spec: ReleasedSet) -> str:
    if spec.source and spec.reference:
        return ""
    return "reference" if spec.source else "source"


def _refusal(name: str, lacking: str) -> str:
    other = "source" if lacking == "reference" else "reference"
    left = "faithfulness" if lacking == "reference" else "EVA"
    return (
        f"{name} has no {lacking} of its papers, and a suite needs one; with --stand-in the"
        f" {other} stands in for it, and then the suite gates only {left}"
    )


def _rows(release: TextFile, spec: ReleasedSet, name: str) -> Iterator[Fields]:
    """What the key table speaks of: the file's lines, or what is made of them."""
    rows = (_fields(line, spec.needs, name) for line in read_lines(release))
    return rows if spec.reshape is None else spec.reshape(rows)


def _fields(line: Line, needed: Iterable[str], name: str) -> Fields:
    fields = Fields(values=line.values, owner="this line", where=lambda _: line.place)
    _check_keys(fields, needed, name)
    return fields


def _check_keys(fields: Fields, needed: Iterable[str], name: str) -> None:
    for key in needed:
        if key not in fields.values:
            raise fields.fault(
                key, f"this line has no {key!r}, so the file is not of {name}; name the right file"
            )


def _add(draft: _Draft, fields: Fields, name: str) -> None:
    spec, place = draft.spec, fields.where("")
    wanted = (spec.paper, spec.source, spec.reference, *spec.system, spec.summary, spec.sentence)
    _check_keys(fields, filter(None, wanted), name)
    paper = _paper(draft, fields)
    system = _system(draft, fields, paper)
    pair = draft.pairs.get((paper, system))
    if pair is None:
        pair = draft.pairs[paper, system] = PairDraft(paper=paper, system=system, place=place)
    elif spec.summary:
        raise fields.fault(
            "",
            f"system {system!r} has a summary of paper {paper!r} at {pair.place}, too; delete one",
        )
    pair.read(fields, spec)


def _paper(draft: _Draft, fields: Fields) -> str:
    """The id of the row's paper, which is added where it is new; other texts are another paper."""
    spec = draft.spec
    texts = {key: fields.text(key) for key in (spec.source, spec.reference) if key}
    source = texts.get(spec.source) or texts[spec.reference]
    reference = texts.get(spec.reference) or source
    raw = _UNFIT_PAPER.sub("-", fields.text(spec.paper))
    key = (raw, source, reference)
    if key not in draft.ids:
        n_before = sum(raw == other for other, *_ in draft.ids)
        draft.ids[key] = f"{raw}-{n_before + 1}" if n_before else raw
        if n_before:
            draft.notes["papers numbered, since their id has other texts, too"] += 1
        line: dict[str, object] = {"id": draft.ids[key], "source": source, "reference": reference}
        frozen = spec.frozen or spec.facts
        if frozen and (facts := _facts(fields, frozen)):
            line["reference_facts"] = facts
        line["provenance"] = draft.provenance
        if lacking := _lacking(spec):
            line["x_stood_in_for"] = lacking
        draft.papers[draft.ids[key]] = _Paper(line=line, source=cut(source))
    return draft.ids[key]


def _facts(fields: Fields, key: str) -> list[str]:
    items = fields.items(key, "a list of texts")
    found = {item.strip() for item in items if isinstance(item, str) and is_visible(item)}
    return [text for item in dict.fromkeys(items) if (text := str(item).strip()) in found]


def _system(draft: _Draft, fields: Fields, paper: str) -> str:
    """The row's system as a file can be called; several summaries of one paper are numbered."""
    spec = draft.spec
    raw = "-".join(fields.text(key) for key in spec.system)
    name = _UNFIT_SYSTEM.sub("-", raw).strip("-.") or "system"
    if draft.systems.setdefault(name, raw) != raw:
        raise fields.fault(
            spec.system[0],
            f"systems {brief(raw)} and {brief(draft.systems[name])} are both {name!r} as a name of"
            " a file; rename one",
        )
    if not spec.part:
        return name
    part = fields.text(spec.part)
    parts = draft.parts.setdefault((paper, name), [])
    if part not in parts:
        parts.append(part)
    number = parts.index(part)
    return f"{name}-{number + 1:02}" if number else name


def _labels(draft: _Draft) -> list[dict[str, object]]:
    found = (
        label_of(pair, draft.spec, draft.papers[pair.paper].source, draft.notes)
        for pair in draft.pairs.values()
    )
    about = {"labelled_by": draft.spec.told, "provenance": draft.provenance}
    return [{**label, **about} for label in found if label]


def _texts(draft: _Draft, name: str, labels: list[dict[str, object]]) -> dict[str, str]:
    """The files of the suite, by their names."""
    texts = {
        SUITE_NAME: "\n".join(_suite_lines(draft, name, has_labels=bool(labels))) + "\n",
        "papers.jsonl": json_lines(paper.line for paper in draft.papers.values()),
    }
    for system in _systems(draft):
        texts[f"systems/{system}.jsonl"] = json_lines(
            {"paper": paper, "summary": pair.text}
            for (paper, by), pair in draft.pairs.items()
            if by == system
        )
    if labels:
        texts["labels.jsonl"] = json_lines(labels)
    return texts


def _systems(draft: _Draft) -> tuple[str, ...]:
    return tuple(dict.fromkeys(system for _, system in draft.pairs))


def _suite_lines(draft: _Draft, name: str, *, has_labels: bool) -> Iterator[str]:
    yield f"# Imported from {draft.provenance}: {draft.spec.told}."
    lacking = _lacking(draft.spec)
    if lacking:
        other = "source" if lacking == "reference" else "reference"
        yield f"# {name} has no {lacking} of its papers: the {other} stands in for it."
    yield 'papers = "papers.jsonl"'
    if has_labels:
        yield 'labels = "labels.jsonl"'
    for system in _systems(draft):
        yield from ("", f"[systems.{toml_key(system)}]", f'summaries = "systems/{system}.jsonl"')
        skipped = [paper for paper in draft.papers if (paper, system) not in draft.pairs]
        if skipped:
            yield f"skip = {toml_list(skipped)}"
    yield from ("", "[thresholds]")
    yield from [_GATES[lacking]] if lacking else ["facet = 0.55", "faithfulness = 0.80"]


def toml_key(name: str) -> str:
    """A name as the key of a table: quoted where it has a dot."""
    return f'"{name}"' if "." in name else name


def _check(texts: dict[str, str], out: Path) -> None:
    """Load the suite once from elsewhere; places in messages are those of the suite to be."""
    with TemporaryDirectory(prefix="summeval-") as folder:
        write_suite(Path(folder) / "suite", texts)
        load_suite(Path(folder) / "suite", out.as_posix())
