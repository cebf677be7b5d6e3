"""Golden labels, as the lines of a file and item by item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.functional_validators import ValidateAs

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.suite.entries import (
    FileEntry,
    Flag,
    Given,
    Index,
    ManyT,
    Number,
    Text,
    each_once,
    expecting,
    keyed,
    mistake,
)
from summeval_pytest.suite.lines import OWN_KEYS, TextFile, brief, read_lines
from summeval_pytest.suite.values import Roster
from summeval_pytest.text.reading import normalise
from summeval_pytest.text.sentences import sentence_texts

_EACH_TEXT: Final = each_once(lambda labelled: normalise(labelled.text))


def _as_facets(value: object) -> object:
    if value == []:
        raise ValueError("no facet")
    return value if isinstance(value, list) else [] if value is None else [value]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLabel:
    """One sentence of the summary, word for word, and the facets that are right for it.

    Several facets are right where the labels do not tell them apart: a set without conclusions
    counts them as results. No facet is right where the sentence states none.
    """

    text: Text
    facets: Annotated[
        tuple[Facet, ...],
        BeforeValidator(_as_facets),
        each_once(),
        AfterValidator(lambda facets: tuple(facet for facet in FACETS if facet in facets)),
        expecting(f"one of {', '.join(FACETS)}, a list of those that are right, or null for none"),
        Field(validation_alias="facet"),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceLabel:
    """A source sentence, 0-based over all sections, and perhaps its first characters."""

    index: Index
    starts: Given[Text] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceLabel:
    """Whether one sentence of the summary (0-based) is faithful, and by what evidence.

    ``error`` names the kind of error that makes it unfaithful, in the suite's own words.
    ``factual`` says whether an unfaithful sentence is true all the same (FareBio's factual
    hallucination); None where nobody looked. The repr leaves it out, as older ones did.
    """

    index: Index
    faithful: Flag
    evidence: tuple[
        Annotated[
            EvidenceLabel,
            BeforeValidator(lambda value: {"index": value} if isinstance(value, int) else value),
            expecting("an index, or an object with 'index' and 'starts'"),
        ],
        ...,
    ] = ()
    error: Given[Text] = None
    factual: Given[Flag] = field(default=None, repr=False)


def _consistent(label: SentenceLabel) -> SentenceLabel:
    if label.faithful and label.error:
        raise mistake("is faithful and names an error; delete one of the two")
    if (label.error or "").startswith(OWN_KEYS):  # its floor would be ignored
        raise mistake(f"names an error that starts with {OWN_KEYS}; choose another name")
    if label.faithful and label.factual is not None:
        raise mistake("is faithful and has 'factual', which is for unfaithful sentences; delete it")
    return label


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLabel:
    """A fact, and whether the other text holds it."""

    text: str
    holds: bool


@dataclass(slots=True)
class _Covered:
    text: Text
    covered: Flag


@dataclass(slots=True)
class _Supported:
    text: Text
    supported: Flag


def _facts(flag: str, kind: type[object]) -> Any:
    """The facts of a side, whose file has the flag under another name."""

    def labels(lines: Any) -> tuple[FactLabel, ...]:
        return tuple(FactLabel(text=line.text, holds=getattr(line, flag)) for line in lines)

    return ValidateAs(tuple[kind, ...], labels)  # type: ignore[valid-type]  # one of the two above


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLabels:
    """Facts of the reference, covered or not; facts of the summary, supported or not."""

    reference: Annotated[
        tuple[FactLabel, ...], _facts("covered", _Covered), Field(min_length=1), _EACH_TEXT
    ] = ()
    candidate: Annotated[
        tuple[FactLabel, ...], _facts("supported", _Supported), Field(min_length=1), _EACH_TEXT
    ] = ()


def _some_fact(facts: FactLabels) -> FactLabels:
    if not facts.reference and not facts.candidate:
        raise mistake("is empty; write an object with 'reference' or 'candidate' or both")
    return facts


UNRATED: Final = 0
"""The mark of a facet without a rating; no rating is 0."""

_OrNull: Final = ", or null where the reference has none"
UpTo3 = Annotated[
    int | None, Field(strict=True, ge=1, le=3), expecting(f"a whole number from 1 to 3{_OrNull}")
]
UpTo4 = Annotated[
    int | None, Field(strict=True, ge=1, le=4), expecting(f"a whole number from 1 to 4{_OrNull}")
]


@dataclass(slots=True)
class Ratings:
    """The ratings of a line; `UNRATED` where it leaves a facet out."""

    background: UpTo3 = UNRATED
    method: UpTo4 = UNRATED
    result: UpTo4 = UNRATED
    conclusion: UpTo3 = UNRATED


def ratings_of(line: Ratings) -> dict[Facet, int | None]:
    """The facets that a line rates, at least one."""
    ratings = {facet: getattr(line, facet) for facet in FACETS}
    ratings = {facet: rating for facet, rating in ratings.items() if rating != UNRATED}
    if not ratings:
        raise mistake("is empty, {}; rate a facet or leave it out")
    return ratings


Overall = Annotated[Number, Field(ge=-1_000_000, le=1_000_000)]
"""A score on any scale, small enough that sums and squares of it stay finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What people say of one pair; a part that they did not look at is None.

    ``facets`` holds ratings on each facet's own scale; None says that the reference has no such
    facet, and a facet that is not there was not rated. ``roles`` are of sentences of the summary.
    ``summary_digest`` and ``paper_digest`` tell the texts that they read.
    """

    paper: Text
    system: Text
    facets: Given[Annotated[Mapping[Facet, int | None], ValidateAs(Ratings, ratings_of)]] = None
    overall: Given[Overall] = None
    sentences: Given[
        Annotated[
            tuple[Annotated[SentenceLabel, AfterValidator(_consistent)], ...],
            Field(min_length=1),
            each_once(lambda sentence: sentence.index),
        ]
    ] = None
    facts: Given[Annotated[FactLabels, AfterValidator(_some_fact)]] = None
    roles: Given[Annotated[tuple[RoleLabel, ...], Field(min_length=1), _EACH_TEXT]] = None
    labelled_by: Given[Text] = None
    basis: Given[Text] = None
    provenance: Given[Text] = None
    summary_digest: Given[Text] = None
    paper_digest: Given[Text] = None
    place: Place


def digest_of(summary: str) -> str:
    """12 hex digits that tell a summary from any other text."""
    return sha256(normalise(summary).encode()).hexdigest()[:12]


def check_says(entry: FileEntry, parts: tuple[str, ...]) -> None:
    """Refuse an entry without any of these keys."""
    if not any(map(entry.has, parts)):
        named = ", ".join(map(repr, parts))
        raise entry.fault("", f"{entry.owner} says nothing; write at least one of {named}")


def labels_of(
    lines: Iterable[tuple[int, Mapping[str, object]]], file: TextFile, roster: Roster
) -> dict[tuple[str, str], Label]:
    """The labels in numbered lines of a file, by paper and system."""

    def read(entry: FileEntry) -> tuple[tuple[str, str], Label]:
        label = entry.read(Label, place=entry.place)
        check_says(entry, ("facets", "overall", "sentences", "facts", "roles"))
        roster.check(entry, label.paper, label.system)
        return (label.paper, label.system), label

    return keyed(
        (FileEntry.at(file.at(line), values, "this label") for line, values in lines),
        read,
        lambda of: f"paper {of[0]!r} and system {of[1]!r} have a label",
    )


def read_labels(file: TextFile, roster: Roster) -> Mapping[tuple[str, str], Label]:
    """The labels of a file, at least one, by paper and system."""
    labels = labels_of(read_lines(file), file, roster)
    return some_of(labels, file, "label", "write one a line, or delete 'labels' from the suite")


def some_of(values: ManyT, file: TextFile, what: str, remedy: str) -> ManyT:
    """The values of a file, of which there has to be one."""
    if not values:
        raise SuiteError(file.at(0), f"{file.shown!r} has no {what}; {remedy}")
    return values


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
