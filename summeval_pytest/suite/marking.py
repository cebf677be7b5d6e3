"""Markings of one annotator, and the label lines that they make."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.suite.labels import EvidenceLabel, labels_of, read_labels
from summeval_pytest.suite.lines import TextFile, brief
from summeval_pytest.suite.places import json_lines
from summeval_pytest.text.normalise import normalise
from summeval_pytest.text.sentences import sentence_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Paper


ItemKind = Facet | Literal["overall", "sentence", "reference fact", "candidate fact"]
"""What can be labelled of a pair: a facet, the pair as a whole, a sentence, a fact of a side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that can be labelled; ``index`` is of a sentence, from 0, ``text`` of a fact."""

    paper: str
    system: str
    kind: ItemKind
    index: int = 0
    text: str = ""

    @property
    def words(self) -> str:
        """The item in words that a message can go on from."""
        what = f"{self.kind} {brief(self.text)}" if self.text else f"{self.kind!r}"
        if self.kind == "sentence":
            what = f"sentence {self.index + 1}"
        return f"{what} of paper {self.paper!r} and system {self.system!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marking:
    """What one annotator said of one item.

    Attributes:
        value: A rating on the facet's scale, or None where the reference has no such facet; an
            overall score; whether the sentence is faithful, or the fact holds.
        evidence: The source sentences that decide a sentence.
        error: The kind of error of an unfaithful sentence.
        factual: Whether an unfaithful sentence is true all the same; None where nobody looked.
        own: Keys of the owner's own (``x_``), which go into the label.
        annotator: Who said so; empty where nobody is named.
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
    pair = Item(paper=label.paper, system=label.system, kind="overall")
    overall = Marking(
        item=pair, value=label.overall, annotator=label.labelled_by or "", place=label.place
    )
    for facet, rating in (label.facets or {}).items():
        yield replace(overall, item=replace(pair, kind=facet), value=rating)
    if label.overall is not None:
        yield overall
    for sentence in label.sentences or ():
        yield replace(
            overall,
            item=replace(pair, kind="sentence", index=sentence.index),
            value=sentence.faithful,
            evidence=sentence.evidence,
            error=sentence.error,
            factual=sentence.factual,
        )
    if label.facts is not None:
        sides = (label.facts.reference, label.facts.candidate)
        for kind, facts in zip(_SIDES, sides, strict=True):
            for fact in facts:
                item = replace(pair, kind=kind, text=fact.text)
                yield replace(overall, item=item, value=fact.holds)


_SIDES: Final[dict[ItemKind, str]] = {"reference fact": "covered", "candidate fact": "supported"}
"""The flag of the facts of each side."""


def label_object(markings: Iterable[Marking]) -> dict[str, object]:
    """The label line of one pair, without who labelled it: a part for each kind of marking."""
    in_order = sorted(markings, key=lambda marking: marking.item.index)  # of sentences
    by_kind: defaultdict[ItemKind, list[Marking]] = defaultdict(list)
    for marking in in_order:
        by_kind[marking.item.kind].append(marking)
    parts: dict[str, object] = {
        "facets": {facet: by_kind[facet][0].value for facet in FACETS if facet in by_kind},
        "overall": by_kind["overall"][0].value if "overall" in by_kind else None,
        "sentences": [_sentence(marking) for marking in by_kind["sentence"]],
        "facts": {
            kind.removesuffix(" fact"): [
                {"text": m.item.text, flag: m.value, **dict(m.own)} for m in by_kind[kind]
            ]
            for kind, flag in _SIDES.items()
            if by_kind[kind]
        },
    }
    of = in_order[0].item
    label: dict[str, object] = {"paper": of.paper, "system": of.system}
    label |= {part: said for part, said in parts.items() if said not in (None, {}, [])}
    return label | _own_of_pair(in_order)


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
    return label | dict(marking.own)


def _own_of_pair(markings: list[Marking]) -> dict[str, object]:
    own: dict[str, tuple[object, Place]] = {}
    of_pair = [marking for marking in markings if marking.item.kind in {*FACETS, "overall"}]
    for marking in of_pair:
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
    """The labels of a file, whether or not the suite names it, by paper and system."""
    return read_labels(TextFile(file, shown or file.as_posix()), suite.roster)


def label_lines(
    suite: Suite, markings: Iterable[Marking], about: Mapping[str, object]
) -> list[dict[str, object]]:
    """The label lines of these markings, one a pair: papers, then systems, in the suite's order.

    ``about`` goes to the end of each line; without ``labelled_by`` the annotators are named.
    """
    pairs: defaultdict[tuple[str, str], list[Marking]] = defaultdict(list)
    for marking in markings:
        pairs[marking.item.paper, marking.item.system].append(marking)
    lines = []
    for pair in filter(pairs.__contains__, product(suite.paper_ids, suite.systems)):
        names = {name: None for marking in pairs[pair] for name in marking.annotator.split("\n")}
        by = ", ".join(filter(None, names))
        named = {"labelled_by": by} if by else {}
        lines.append({**label_object(pairs[pair]), **named, **about})
    return lines


def label_text(suite: Suite, lines: Sequence[Mapping[str, object]], shown: str) -> str:
    """The text of a label file, whose lines the suite's own reader has accepted."""
    labels_of(enumerate(lines, start=1), TextFile(Path(shown), shown), suite.roster)
    return json_lines(lines)
