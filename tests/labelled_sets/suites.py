"""A suite made of a labelled set: its papers, systems and labels, by the set's key table."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from summeval_pytest.suite.labels import RoleLabel
from summeval_pytest.suite.lines import Fields, TextFile, brief, is_visible, read_lines
from summeval_pytest.suite.marking import (
    Item,
    Marking,
    cut,
    evidence_label,
    label_object,
    stands_in,
)
from summeval_pytest.suite.places import SUITE_NAME, check_new, json_lines, toml_list, write_suite
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import sentence_texts, split_sentences
from summeval_pytest.text.words import tokens
from tests.labelled_sets.sets import SETS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from summeval_pytest.errors import Place
    from summeval_pytest.suite.labels import EvidenceLabel
    from tests.labelled_sets.sets import LabelledSet

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


class _Sentence(NamedTuple):
    """A sentence as the set has it; its label is None where nobody knows."""

    text: str
    faithful: bool | None
    evidence: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _PairDraft:
    """One pair as it grows."""

    paper: str
    system: str
    place: Place
    summary: str = ""
    sentences: list[_Sentence] = field(default_factory=list)
    facts: list[tuple[str, bool]] = field(default_factory=list)
    roles: list[RoleLabel] = field(default_factory=list)
    overall: float | None = None

    @property
    def text(self) -> str:
        """The summary; of sentences, each is a paragraph, so that none is lost in another."""
        return self.summary or "\n\n".join(sentence.text for sentence in self.sentences)

    def read(self, fields: Fields, spec: LabelledSet) -> None:
        """Take in one row.

        Raises:
            SuiteError: For a label that is none.
        """
        if spec.summary:
            self.summary = fields.text(spec.summary)
        if spec.sentence:
            self.sentences.append(_sentence(fields, spec))
        if spec.holds:
            self.facts = list(_labelled_facts(fields, spec))
        if spec.roles:
            roles = fields.items(spec.roles, "the roles of sentences")
            self.roles = [role for role in roles if isinstance(role, RoleLabel)]
        if spec.counted:
            self.overall = round(sum(holds for _, holds in self.facts) / len(self.facts), 4)
        if spec.overall and fields.values.get(spec.overall) is not None:
            self.overall = fields.number(spec.overall)


@dataclass(slots=True, kw_only=True)
class _Draft:
    """The suite as it grows, row by row."""

    spec: LabelledSet
    provenance: str
    papers: dict[str, _Paper] = field(default_factory=dict)
    ids: dict[tuple[str, str, str], str] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)
    parts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], _PairDraft] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)


def import_set(name: str, file: Path, out: Path) -> SetReport:
    """Make a suite in the folder ``out`` from one file of a set.

    The same file gives the same bytes. Where the set has no reference, or no source, the other
    stands there, and the suite gates only what does not need it.

    Raises:
        SuiteError: For a file that is not of the set, and for a folder that holds a suite.
    """
    check_new(out)
    release = TextFile(file, file.as_posix())
    draft = _Draft(spec=SETS[name], provenance=f"{name}, {file.name}")
    for fields in _rows(release, draft.spec):
        _add(draft, fields)
    labels = _labels(draft)
    write_suite(out, _texts(draft, name, labels))
    return SetReport(
        n_papers=len(draft.papers),
        systems=_systems(draft),
        n_pairs=len(draft.pairs),
        n_labels=len(labels),
        notes=tuple(f"{note}: {count}" for note, count in draft.notes.items()),
    )


def _lacking(spec: LabelledSet) -> str:
    if spec.source and spec.reference:
        return ""
    return "reference" if spec.source else "source"


def _rows(release: TextFile, spec: LabelledSet) -> Iterator[Fields]:
    """What the key table speaks of: the file's lines, or what is made of them."""
    rows = read_lines(release)
    return rows if spec.reshape is None else spec.reshape(rows)


def _add(draft: _Draft, fields: Fields) -> None:
    spec, place = draft.spec, fields.where("")
    paper = _paper(draft, fields)
    system = _system(draft, fields, paper)
    pair = draft.pairs.get((paper, system))
    if pair is None:
        pair = draft.pairs[paper, system] = _PairDraft(paper=paper, system=system, place=place)
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
        _label_of(pair, draft.spec, draft.papers[pair.paper].source, draft.notes)
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
        yield from ("", f"[systems.{_toml_key(system)}]", f'summaries = "systems/{system}.jsonl"')
        skipped = [paper for paper in draft.papers if (paper, system) not in draft.pairs]
        if skipped:
            yield f"skip = {toml_list(skipped)}"
    yield from ("", "[thresholds]")
    yield from [_GATES[lacking]] if lacking else ["facet = 0.55", "faithfulness = 0.80"]


def _toml_key(name: str) -> str:
    """A name as the key of a table: quoted where it has a dot."""
    return f'"{name}"' if "." in name else name


def _sentence(fields: Fields, spec: LabelledSet) -> _Sentence:
    text = " ".join(fields.text(spec.sentence).split())
    known = fields.values.get(spec.faithful) is not None
    evidence = fields.values.get(spec.evidence) if spec.evidence else None
    return _Sentence(
        text=text,
        faithful=fields.flag(spec.faithful) if known else None,
        evidence=tuple(map(str, evidence)) if isinstance(evidence, list) else (),
    )


def _labelled_facts(fields: Fields, spec: LabelledSet) -> Iterator[tuple[str, bool]]:
    facts = fields.items(spec.facts, "a list of texts")
    labels = fields.items(spec.holds, "a list of 0 and 1")
    if len(labels) != len(facts):
        raise fields.fault(
            spec.holds,
            f"{spec.holds!r} of {fields.owner} has {len(labels)} labels for {len(facts)} facts;"
            " name a complete file of the set",
        )
    for fact, label in zip(facts, labels, strict=True):
        if label not in (0, 1):
            raise fields.wrong(spec.holds, label, "0 or 1 for each fact")
        yield fields.visible(spec.facts, fact).strip(), bool(label)


def _label_of(
    pair: _PairDraft, spec: LabelledSet, source: tuple[str, ...], notes: Counter[str]
) -> dict[str, object]:
    """The label line of a pair, empty where nothing is known; what is left out is counted."""
    markings = list(_overall(pair))
    if spec.sentence:
        markings += _of_sentences(pair, source, notes)
    markings += _of_facts(pair, notes)
    roles = list(_of_roles(pair, notes))
    if not markings and not roles:
        return {}
    about: dict[str, object] = {"paper": pair.paper, "system": pair.system}
    label = label_object(markings) if markings else about
    return {**label, "roles": roles} if roles else label


def _overall(pair: _PairDraft) -> Iterator[Marking]:
    if pair.overall is not None:
        item = Item(paper=pair.paper, system=pair.system, kind="overall")
        yield Marking(item=item, value=pair.overall, place=pair.place)


def _of_sentences(
    pair: _PairDraft, source: tuple[str, ...], notes: Counter[str]
) -> Iterator[Marking]:
    """A label a sentence as our rules cut them; of an unfaithful one, only where it is whole."""
    cuts = _cuts(pair)
    for number, sentence in enumerate(pair.sentences):
        indices = [index for index, line in enumerate(cuts) if line == number]
        if sentence.faithful is None:
            notes["sentences without a label"] += 1
        elif not indices:
            notes["sentences left out, of which nothing is visible"] += 1
        elif not sentence.faithful and len(indices) > 1:
            notes["unfaithful sentences left out, as nobody says which part of them is wrong"] += 1
        else:
            whole = len(indices) == 1
            evidence = tuple(_evidence(sentence, source, notes)) if whole else ()
            for index in indices:
                item = Item(paper=pair.paper, system=pair.system, kind="sentence", index=index)
                yield Marking(
                    item=item, value=sentence.faithful, evidence=evidence, place=pair.place
                )


def _cuts(pair: _PairDraft) -> list[int]:
    """For each sentence that our rules cut of the summary, the number of the set's sentence."""
    text = normalise(pair.text)
    visible = [number for number, each in enumerate(pair.sentences) if normalise(each.text)]
    breaks = [len(text) if at < 0 else at for at in _breaks(text)]
    if len(breaks) != len(visible):
        return []  # a text that normalises into other paragraphs than it was made of
    return [
        visible[sum(sentence.start >= at for at in breaks)] for sentence in split_sentences(text)
    ]


def _breaks(text: str) -> Iterator[int]:
    """Where each paragraph ends."""
    at = -1
    while (at := text.find("\n\n", at + 1)) >= 0:
        yield at
    yield -1


def _evidence(
    sentence: _Sentence, source: tuple[str, ...], notes: Counter[str]
) -> Iterator[EvidenceLabel]:
    indices: dict[int, None] = {}
    for text in sentence.evidence:
        found = stands_in(text, source)
        indices.update(dict.fromkeys(found))
        if not found:
            notes["evidence texts left out, which stand nowhere in the source"] += 1
    for index in indices:
        yield evidence_label(source, index)


def _of_roles(pair: _PairDraft, notes: Counter[str]) -> Iterator[dict[str, object]]:
    """A role a sentence; of two that are word for word the same, the first."""
    cuts = set(sentence_texts(normalise(pair.text))) if pair.roles else set()
    seen: set[str] = set()
    for role in pair.roles:
        text = normalise(role.text)
        if text in seen or not tokens(text):
            notes["sentences left out, empty or there twice"] += 1
            continue
        seen.add(text)
        notes["sentences with a facet"] += bool(role.facets)
        notes["of these, sentences that our rules cut otherwise"] += (
            bool(role.facets) and text not in cuts
        )
        facets = list(role.facets)
        yield {"text": role.text, "facet": facets if len(facets) > 1 else (*facets, None)[0]}


def _of_facts(pair: _PairDraft, notes: Counter[str]) -> Iterator[Marking]:
    said: dict[str, set[bool]] = {}
    for text, holds in pair.facts:
        said.setdefault(text, set()).add(holds)
    for text, values in said.items():
        if len(values) > 1:
            notes["facts left out, labelled twice and differently"] += 1
            continue
        item = Item(paper=pair.paper, system=pair.system, kind="reference fact", text=text)
        yield Marking(item=item, value=values.pop(), place=pair.place)
