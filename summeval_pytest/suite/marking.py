"""Labels item by item: what one annotator says of each item, and the lines of a label file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Final, Literal

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.suite.labels import EvidenceLabel, Label, digest_of, read_labels
from summeval_pytest.suite.lines import TextFile, brief
from summeval_pytest.suite.suite import Suite
from summeval_pytest.text.sentences import normalise, sentence_texts

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
        own: The owner's own keys (``x_``), which go into the label.
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


_SIDES: Final[dict[ItemKind, str]] = {"reference fact": "covered", "candidate fact": "supported"}
"""The flag of the facts of each side."""


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


def _without_none(values: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def label_object(markings: Iterable[Marking]) -> dict[str, object]:
    """The label line of one pair without its annotator; each kind of marking makes a part."""
    in_order = sorted(markings, key=lambda marking: marking.item.index)  # of sentences
    by_kind: defaultdict[ItemKind, list[Marking]] = defaultdict(list)
    for marking in in_order:
        by_kind[marking.item.kind].append(marking)
    facts = {
        kind.removesuffix(" fact"): [
            {"text": m.item.text, flag: m.value, **dict(m.own)} for m in by_kind[kind]
        ]
        for kind, flag in _SIDES.items()
    }
    parts = {
        "facets": {facet: by_kind[facet][0].value for facet in FACETS if facet in by_kind},
        "overall": by_kind["overall"][0].value if "overall" in by_kind else None,
        "sentences": [_sentence_object(marking) for marking in by_kind["sentence"]],
        "facts": _without_none(facts),
    }
    pair = {"paper": in_order[0].item.paper, "system": in_order[0].item.system}
    return {**pair, **_without_none(parts), **_own_keys(in_order)}


def _sentence_object(marking: Marking) -> dict[str, object]:
    label = {
        "index": marking.item.index,
        "faithful": marking.value,
        "evidence": [_without_none(asdict(each)) for each in marking.evidence],
        "error": marking.error,
        "factual": marking.factual,
    }
    return _without_none(label) | dict(marking.own)


def _own_keys(markings: list[Marking]) -> dict[str, object]:
    """The owner's own keys of a pair, which all its markings agree on."""
    values: dict[str, tuple[object, Place]] = {}
    for marking in markings:
        item, is_of_pair = marking.item, marking.item.kind in {*FACETS, "overall"}
        for key, value in marking.own if is_of_pair else ():
            first, place = values.setdefault(key, (value, marking.place))
            if first != value:
                what = f"{key!r} of {item.words} is {brief(value)}"
                raise SuiteError(marking.place, f"{what}, and {brief(first)} at {place}; keep one")
    return {key: value for key, (value, _) in values.items()}


def cut(text: str) -> tuple[str, ...]:
    """The sentences of a text, as every metric counts them."""
    return sentence_texts(normalise(text))


_WORDS: Final = 5


def evidence_label(source: tuple[str, ...], index: int) -> EvidenceLabel:
    """A sentence of this source, by its index and its first words."""
    sentence = source[index]
    rest = sentence.split(None, _WORDS)[_WORDS:]
    starts = sentence.removesuffix(rest[0]).rstrip() if rest else sentence
    return EvidenceLabel(index=index, starts=starts)


def check_summary(label: Label, summary: str) -> None:
    """Refuse a label of another text than people read, by a SuiteError.

    What they said of the old text would be taken for an error of the judge on the new one.
    """
    if label.summary_digest not in {None, digest_of(summary)}:
        raise SuiteError(
            label.place,
            f"the summary of system {label.system!r} on paper {label.paper!r} has changed since"
            " people labelled it; delete the label, then label it again",
        )


def read_label_file(file: Path, suite: Suite) -> Mapping[tuple[str, str], Label]:
    """The labels of a file, whether or not the suite names it, by paper and system."""
    labels = read_labels(TextFile(file, file.as_posix()), suite.roster)
    for label in labels.values():
        if suite.systems[label.system].summaries is not None:
            check_summary(label, suite.pair(label.paper, label.system).summary)
    return labels


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
        line = {**label_object(pairs[pair]), **({"labelled_by": by} if by else {})}
        if suite.systems[pair[1]].summaries is not None:
            line["summary_digest"] = digest_of(suite.pair(*pair).summary)
        lines.append({**line, **about})
    return lines
