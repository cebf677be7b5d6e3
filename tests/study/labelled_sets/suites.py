"""A suite made of a labelled set: its papers, systems and labels, by the set's key table."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from summeval_pytest.study.label_tables import stands_in
from summeval_pytest.suite.entries import FileEntry, Flag, Number, Text
from summeval_pytest.suite.labels import RoleLabel
from summeval_pytest.suite.lines import TextFile, brief, is_visible, read_lines
from summeval_pytest.suite.marking import (
    Item,
    Marking,
    cut,
    evidence_label,
    label_object,
)
from summeval_pytest.suite.places import check_new, suite_files, write_suite
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import sentence_texts, split_sentences
from summeval_pytest.text.words import tokens
from tests.study.labelled_sets.sets import SETS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from summeval_pytest.errors import Place
    from summeval_pytest.suite.labels import EvidenceLabel
    from tests.study.labelled_sets.sets import LabelledSet

_UNFIT_SYSTEM = re.compile(r"[^A-Za-z0-9._-]+")
_UNFIT_PAPER = re.compile(r"[\s\[\]|]+")
_GATES: Final = {
    "": "facet = 0.55\nfaithfulness = 0.80",
    "source": "eva = 0.30",
    "reference": "faithfulness = 0.80",
}
"""What still means something where the source, or the reference, is stood in for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReport:
    """What an import of a data set wrote, and what it had to leave out."""

    n_papers: int
    systems: tuple[str, ...]
    n_pairs: int
    n_labels: int
    notes: tuple[str, ...]


class _Sentence(NamedTuple):
    """A sentence as the set has it; its label is None where nobody knows."""

    text: str
    faithful: bool | None
    evidence: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class _PairDraft:
    """One pair as it grows."""

    item: Item
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

    def read(self, fields: FileEntry, spec: LabelledSet) -> None:
        """Take in one row."""
        if spec.summary:
            self.summary = str(fields.value(spec.summary, Text))
        if spec.sentence:
            self.sentences.append(_sentence(fields, spec))
        if spec.holds:
            self.facts = list(_labelled_facts(fields, spec))
        if spec.roles:
            roles = fields.value(spec.roles, list[RoleLabel])
            self.roles = roles
        if spec.counted:
            self.overall = round(sum(holds for _, holds in self.facts) / len(self.facts), 4)
        if spec.overall and fields.values.get(spec.overall) is not None:
            self.overall = fields.value(spec.overall, Number)

    def marking(
        self, item: Item, value: float, evidence: tuple[EvidenceLabel, ...] = ()
    ) -> Marking:
        """What people said of an item of this pair."""
        return Marking(item=item, value=value, evidence=evidence, place=self.place)


def import_set(name: str, file: Path, out: Path) -> SetReport:
    """Make a suite in the folder ``out`` from one file of a set.

    The same file gives the same bytes. Where the set has no reference, or no source, the other
    stands there, and the suite gates only what does not need it.

    Raises:
        SuiteError: For a file that is not of the set, and for a folder that holds a suite.
    """
    check_new(out)
    draft = _Draft(name=name, spec=SETS[name], provenance=f"{name}, {file.name}")
    source = TextFile(file, file.as_posix())
    rows = (FileEntry.at(source.at(line), values) for line, values in read_lines(source))
    for fields in rows if draft.spec.reshape is None else draft.spec.reshape(rows):
        draft.add(fields)
    labels = draft.labels()
    write_suite(out, draft.texts(labels))
    return SetReport(
        n_papers=len(draft.papers),
        systems=draft.systems,
        n_pairs=len(draft.pairs),
        n_labels=len(labels),
        notes=tuple(f"{note}: {count}" for note, count in draft.notes.items()),
    )


@dataclass(kw_only=True)
class _Draft:
    """The suite as it grows, row by row."""

    name: str
    spec: LabelledSet
    provenance: str
    papers: dict[str, dict[str, object]] = field(default_factory=dict)
    ids: dict[tuple[str, str, str], str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    parts: defaultdict[tuple[str, str], dict[str, int]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    pairs: dict[tuple[str, str], _PairDraft] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)

    @cached_property
    def missing(self) -> str:
        """What the set does not have, so that the other stands in for it; mostly nothing."""
        if self.spec.source and self.spec.reference:
            return ""
        return "reference" if self.spec.source else "source"

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(system for _, system in self.pairs))

    def add(self, fields: FileEntry) -> None:
        """Add one row."""
        paper = self._paper(fields)
        system = self._system(fields, paper)
        pair = self.pairs.get((paper, system))
        if pair is None:
            item = Item(paper=paper, system=system, kind="overall")
            pair = self.pairs[paper, system] = _PairDraft(item=item, place=fields.place)
        elif self.spec.summary:
            raise fields.fault(
                "",
                f"system {system!r} has a summary of paper {paper!r} at {pair.place}, too; delete"
                " one",
            )
        pair.read(fields, self.spec)

    def _paper(self, fields: FileEntry) -> str:
        """The id of the row's paper; other texts under the same id are another paper."""
        spec = self.spec
        texts = [str(fields.value(key, Text)) for key in (spec.source, spec.reference) if key]
        raw = _UNFIT_PAPER.sub("-", str(fields.value(spec.paper, Text)))
        key = (raw, texts[0], texts[-1])
        if key not in self.ids:
            n_before = sum(raw == other for other, *_ in self.ids)
            paper = self.ids[key] = f"{raw}-{n_before + 1}" if n_before else raw
            if n_before:
                self.notes["papers numbered, since their id has other texts, too"] += 1
            line: dict[str, object] = {"id": paper, "source": texts[0], "reference": texts[-1]}
            frozen = spec.frozen or spec.facts
            if frozen and (facts := _facts(fields, frozen)):
                line["reference_facts"] = facts
            line["provenance"] = self.provenance
            if self.missing:
                line["x_stood_in_for"] = self.missing
            self.papers[paper] = line
        return self.ids[key]

    def _system(self, fields: FileEntry, paper: str) -> str:
        """The row's system as a file can be called; several summaries of one paper are numbered."""
        raw = "-".join(str(fields.value(key, Text)) for key in self.spec.system)
        name = _UNFIT_SYSTEM.sub("-", raw).strip("-.") or "system"
        if self.names.setdefault(name, raw) != raw:
            raise fields.fault(
                self.spec.system[0],
                f"systems {brief(raw)} and {brief(self.names[name])} are both {name!r} as a name"
                " of a file; rename one",
            )
        if not self.spec.part:
            return name
        parts = self.parts[paper, name]
        number = parts.setdefault(str(fields.value(self.spec.part, Text)), len(parts))
        return f"{name}-{number + 1:02}" if number else name

    def labels(self) -> list[dict[str, object]]:
        """The label lines; what is left out is counted."""
        about = {"labelled_by": self.spec.message, "provenance": self.provenance}
        return [{**label, **about} for label in map(self._label, self.pairs.values()) if label]

    def _label(self, pair: _PairDraft) -> dict[str, object]:
        markings = [] if pair.overall is None else [pair.marking(pair.item, pair.overall)]
        markings += self._of_sentences(pair)
        markings += self._of_facts(pair)
        label = label_object(markings) if markings else {}
        if roles := list(self._of_roles(pair)):
            label = label or {"paper": pair.item.paper, "system": pair.item.system}
            label["roles"] = roles
        return label

    def _of_sentences(self, pair: _PairDraft) -> Iterator[Marking]:
        """A label a sentence as our rules cut them; an unfaithful one has to be whole."""
        cuts = _cuts(pair) if pair.sentences else []
        for number, sentence in enumerate(pair.sentences):
            indices = [index for index, line in enumerate(cuts) if line == number]
            if sentence.faithful is None:
                self.notes["sentences without a label"] += 1
            elif not indices:
                self.notes["sentences left out, of which nothing is visible"] += 1
            elif not sentence.faithful and len(indices) > 1:
                self.notes[
                    "unfaithful sentences left out, as nobody says which part of them is wrong"
                ] += 1
            else:
                source = cut(str(self.papers[pair.item.paper]["source"]))
                evidence = self._evidence(sentence, source) if len(indices) == 1 else ()
                for index in indices:
                    item = replace(pair.item, kind="sentence", index=index)
                    yield pair.marking(item, sentence.faithful, evidence)

    def _evidence(self, sentence: _Sentence, source: tuple[str, ...]) -> tuple[EvidenceLabel, ...]:
        indices: dict[int, None] = {}
        for text in sentence.evidence:
            found = stands_in(text, source)
            indices.update(dict.fromkeys(found))
            if not found:
                self.notes["evidence texts left out, which stand nowhere in the source"] += 1
        return tuple(evidence_label(source, index) for index in indices)

    def _of_facts(self, pair: _PairDraft) -> Iterator[Marking]:
        said: defaultdict[str, set[bool]] = defaultdict(set)
        for text, holds in pair.facts:
            said[text].add(holds)
        for text, values in said.items():
            if len(values) > 1:
                self.notes["facts left out, labelled twice and differently"] += 1
            else:
                item = replace(pair.item, kind="reference fact", text=text)
                yield pair.marking(item, values.pop())

    def _of_roles(self, pair: _PairDraft) -> Iterator[dict[str, object]]:
        """A role a sentence; of two that are word for word the same, the first."""
        cuts = set(sentence_texts(normalise(pair.text))) if pair.roles else set()
        seen: set[str] = set()
        for role in pair.roles:
            text = normalise(role.text)
            if text in seen or not tokens(text):
                self.notes["sentences left out, empty or there twice"] += 1
                continue
            seen.add(text)
            facets = list(role.facets)
            self.notes["sentences with a facet"] += bool(facets)
            self.notes["of these, sentences that our rules cut otherwise"] += (
                bool(facets) and text not in cuts
            )
            yield {"text": role.text, "facet": facets if len(facets) > 1 else (*facets, None)[0]}

    def texts(self, labels: list[dict[str, object]]) -> dict[str, str]:
        """The files of the suite, by their names."""
        about = [f"Imported from {self.provenance}: {self.spec.message}."]
        if self.missing:
            other = "source" if self.missing == "reference" else "reference"
            lacks = f"{self.name} has no {self.missing} of its papers"
            about.append(f"{lacks}: the {other} stands in for it.")
        summaries: dict[str, list[dict[str, object]]] = {system: [] for system in self.systems}
        for (paper, system), pair in self.pairs.items():
            summaries[system].append({"paper": paper, "summary": pair.text})
        thresholds = ("[thresholds]", _GATES[self.missing])
        files = {"papers": list(self.papers.values()), "labels": labels}
        return suite_files(about, files, summaries, thresholds=thresholds)


def _facts(fields: FileEntry, key: str) -> list[str]:
    items = fields.value(key, list[Any])
    unlike = dict.fromkeys(items)
    return [item.strip() for item in unlike if isinstance(item, str) and is_visible(item)]


def _sentence(fields: FileEntry, spec: LabelledSet) -> _Sentence:
    text = " ".join(str(fields.value(spec.sentence, Text)).split())
    is_known = fields.values.get(spec.faithful) is not None
    evidence = fields.values.get(spec.evidence) if spec.evidence else None
    return _Sentence(
        text=text,
        faithful=fields.value(spec.faithful, Flag) if is_known else None,
        evidence=tuple(map(str, evidence)) if isinstance(evidence, list) else (),
    )


def _labelled_facts(fields: FileEntry, spec: LabelledSet) -> Iterator[tuple[str, bool]]:
    facts = fields.value(spec.facts, list[Text])
    labels = fields.value(spec.holds, list[Any])
    if len(labels) != len(facts):
        raise fields.fault(
            spec.holds,
            f"{spec.holds!r} of {fields.owner} has {len(labels)} labels for {len(facts)} facts;"
            " name a complete file of the set",
        )
    for fact, label in zip(facts, labels, strict=True):
        if label not in (0, 1):
            raise fields.wrong(spec.holds, label, "0 or 1 for each fact")
        yield fact.strip(), bool(label)


def _cuts(pair: _PairDraft) -> list[int]:
    """For each sentence that our rules cut of the summary, the number of the set's sentence."""
    text = normalise(pair.text)
    visible = [number for number, each in enumerate(pair.sentences) if normalise(each.text)]
    breaks = [match.start() for match in re.finditer(r"(?=\n\n)", text)] + [len(text)]
    if len(breaks) != len(visible):
        return []  # a text that normalises into other paragraphs than it was made of
    return [
        visible[sum(sentence.start >= at for at in breaks)] for sentence in split_sentences(text)
    ]
