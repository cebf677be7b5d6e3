"""Markings of one annotator, and the label lines that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.suite.labels import EvidenceLabel, read_labels
from summeval_pytest.suite.lines import TextFile, brief
from summeval_pytest.suite.places import json_lines
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Paper


ItemKind = Facet | Literal["overall", "sentence", "reference fact", "candidate fact"]
"""What can be labelled of a pair: a facet, the pair as a whole, a sentence, a fact of a side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that can be labelled.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        kind: What it is.
        index: Which sentence of the summary, from 0; else 0.
        text: The fact; else empty.
    """

    paper: str
    system: str
    kind: ItemKind
    index: int = 0
    text: str = ""

    @property
    def told(self) -> str:
        """The item in words that a message can go on from."""
        if self.kind == "sentence":
            what = f"sentence {self.index + 1}"
        elif self.text:
            what = f"{self.kind} {brief(self.text)}"
        else:
            what = f"{self.kind!r}"
        return f"{what} of paper {self.paper!r} and system {self.system!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marking:
    """What one annotator said of one item.

    Attributes:
        item: The item.
        value: A rating on the facet's scale, or None where the reference has no such facet; an
            overall score; whether the sentence is faithful, or the fact holds.
        evidence: The source sentences that decide a sentence.
        error: The kind of error of an unfaithful sentence.
        factual: Whether an unfaithful sentence is true all the same; None where nobody looked.
        own: Keys of the owner's own (``x_``), which go into the label.
        annotator: Who said so; empty where nobody is named.
        place: Where it stands.
    """

    item: Item
    value: float | bool | None
    evidence: tuple[EvidenceLabel, ...] = ()
    error: str | None = None
    factual: bool | None = None
    own: tuple[tuple[str, object], ...] = ()
    annotator: str = ""
    place: Place


def markings_of(label: Label) -> Iterator[Marking]:
    """What a label says, item by item."""

    def marking(
        kind: ItemKind, value: float | bool | None, index: int = 0, text: str = ""
    ) -> Marking:
        item = Item(paper=label.paper, system=label.system, kind=kind, index=index, text=text)
        by = label.labelled_by or ""
        return Marking(item=item, value=value, annotator=by, place=label.place)

    for facet, rating in (label.facets or {}).items():
        yield marking(facet, rating)
    if label.overall is not None:
        yield marking("overall", label.overall)
    for sentence in label.sentences or ():
        yield replace(
            marking("sentence", sentence.faithful, sentence.index),
            evidence=sentence.evidence,
            error=sentence.error,
            factual=sentence.factual,
        )
    if label.facts is not None:
        for fact in label.facts.reference:
            yield marking("reference fact", fact.holds, text=fact.text)
        for fact in label.facts.candidate:
            yield marking("candidate fact", fact.holds, text=fact.text)


def label_object(markings: Iterable[Marking]) -> dict[str, object]:
    """The label line of one pair, without who labelled it: a part for each kind of marking.

    Raises:
        SuiteError: Where a key of the owner's own has two values.
    """
    found = list(markings)
    by_kind: dict[ItemKind, list[Marking]] = {}
    for marking in found:
        by_kind.setdefault(marking.item.kind, []).append(marking)
    label: dict[str, object] = {"paper": found[0].item.paper, "system": found[0].item.system}
    if facets := {facet: by_kind[facet][0].value for facet in FACETS if facet in by_kind}:
        label["facets"] = facets
    if "overall" in by_kind:
        label["overall"] = by_kind["overall"][0].value
    if sentences := by_kind.get("sentence"):
        in_order = sorted(sentences, key=lambda marking: marking.item.index)
        label["sentences"] = [_sentence(marking) for marking in in_order]
    sides = {
        "reference": [_fact(m, "covered") for m in by_kind.get("reference fact", ())],
        "candidate": [_fact(m, "supported") for m in by_kind.get("candidate fact", ())],
    }
    if facts := {side: labels for side, labels in sides.items() if labels}:
        label["facts"] = facts
    return {**label, **_own_of_pair(found)}


def _sentence(marking: Marking) -> dict[str, object]:
    label: dict[str, object] = {"index": marking.item.index, "faithful": marking.value}
    if marking.evidence:
        label["evidence"] = [
            {"index": each.index} | ({} if each.starts is None else {"starts": each.starts})
            for each in marking.evidence
        ]
    if marking.error:
        label["error"] = marking.error
    if marking.factual is not None:
        label["factual"] = marking.factual
    return {**label, **dict(marking.own)}


def _fact(marking: Marking, flag: str) -> dict[str, object]:
    return {"text": marking.item.text, flag: marking.value, **dict(marking.own)}


def _own_of_pair(markings: list[Marking]) -> Mapping[str, object]:
    own: dict[str, tuple[object, Place]] = {}
    for marking in markings:
        if marking.item.kind not in {*FACETS, "overall"}:
            continue
        for key, value in marking.own:
            first, place = own.setdefault(key, (value, marking.place))
            if first != value:
                raise SuiteError(
                    marking.place,
                    f"{key!r} of paper {marking.item.paper!r} and system {marking.item.system!r}"
                    f" is {brief(value)}, and {brief(first)} at {place}; keep one",
                )
    return {key: value for key, (value, _) in own.items()}


_WORDS: Final = 5


def source_sentences(paper: Paper) -> tuple[str, ...]:
    """The sentences of a paper's source, section by section."""
    return tuple(sentence for section in paper.source for sentence in cut(section.text))


def cut(text: str) -> tuple[str, ...]:
    """The sentences of a text, as every metric counts them."""
    return sentence_texts(normalise(text))


def evidence_label(source: tuple[str, ...], index: int) -> EvidenceLabel:
    """A sentence of this source, by its index and its first words."""
    sentence = source[index]
    start = sentence[: len(sentence) - len(sentence.split(None, _WORDS)[-1])].rstrip()
    short = len(sentence.split()) <= _WORDS
    return EvidenceLabel(index=index, starts=sentence if short else start)


def stands_in(text: str, sentences: tuple[str, ...]) -> tuple[int, ...]:
    """Which sentences hold this text, or are held by it; by their letters alone."""
    wanted = normalise(text)
    if not wanted:
        return ()
    exact = tuple(i for i, sentence in enumerate(sentences) if sentence == wanted)
    return exact or tuple(
        i for i, sentence in enumerate(sentences) if wanted in sentence or sentence in wanted
    )


def read_label_file(
    file: Path, suite: Suite, shown: str | None = None
) -> Mapping[tuple[str, str], Label]:
    """The labels of a file, whether or not the suite names it, by paper and system.

    Raises:
        SuiteError: At the first mistake, with file and line, and for a file without any label.
    """
    return read_labels(TextFile(file, shown or file.as_posix()), suite.roster)


def label_lines(
    suite: Suite, markings: Iterable[Marking], about: Mapping[str, object]
) -> list[dict[str, object]]:
    """The label lines of these markings, one a pair: papers, then systems, in the suite's order.

    ``about`` goes to the end of each line; without ``labelled_by`` the annotators are named.
    """
    pairs: dict[tuple[str, str], list[Marking]] = {}
    for marking in markings:
        pairs.setdefault((marking.item.paper, marking.item.system), []).append(marking)
    order = {(p, s): (i, j) for i, p in enumerate(suite.paper_ids)
             for j, s in enumerate(suite.systems)}  # fmt: skip
    lines = []
    for pair in sorted(pairs, key=lambda pair: order[pair]):
        names = {name: None for marking in pairs[pair] for name in marking.annotator.split("\n")}
        by = ", ".join(filter(None, names))
        named = {"labelled_by": by} if by else {}
        lines.append({**label_object(pairs[pair]), **named, **about})
    return lines


def label_text(suite: Suite, lines: Iterable[Mapping[str, object]], shown: str) -> str:
    """The text of a label file, which the suite's own reader has accepted.

    Raises:
        SuiteError: At the first line that it refuses; the place is that of the file to be.
    """
    text = json_lines(lines)
    with TemporaryDirectory(prefix="summeval-") as folder:
        file = Path(folder) / "labels.jsonl"
        file.write_bytes(text.encode())
        read_label_file(file, suite, shown)
    return text
