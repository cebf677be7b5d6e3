"""Golden labels: what people found in a pair, each part of it optional; and recorded judgements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.suite.lines import Fields, brief, closest, is_whole, keyed, read_lines
from summeval_pytest.suite.papers import read_segments
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.errors import Place
    from summeval_pytest.questions import FacetSegments
    from summeval_pytest.suite.lines import Readers, TextFile
    from summeval_pytest.suite.toml import TomlText
    from summeval_pytest.suite.values import RecordedSpec, Roster


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleLabel:
    """One sentence of the summary, word for word, and what counts as the facet that it states.

    Several facets are right where the labels do not tell them apart, as a set without conclusions
    has them among the results; none is where the sentence states no facet.
    """

    text: str
    facets: tuple[Facet, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceLabel:
    """A source sentence, 0-based over all sections, and perhaps its first characters."""

    index: int
    starts: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceLabel:
    """Whether one sentence of the summary (0-based) is faithful, and by what evidence.

    ``error`` names the kind of error that makes it unfaithful, in words of the suite's own.
    ``factual`` says of an unfaithful sentence whether it is true all the same (FareBio's factual
    hallucination); None where nobody looked. Its repr leaves that out, as older ones did.
    """

    index: int
    faithful: bool
    evidence: tuple[EvidenceLabel, ...] = ()
    error: str | None = None
    factual: bool | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLabel:
    """A fact, and whether the other text holds it."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLabels:
    """Facts of the reference, covered or not; facts of the summary, supported or not."""

    reference: tuple[FactLabel, ...] = ()
    candidate: tuple[FactLabel, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What people found in one pair; a part that they did not look at is None.

    ``facets`` holds ratings on each facet's own scale; None says that the reference has no such
    facet, and a facet that is not there was not rated. ``roles`` are of sentences of the summary.
    """

    paper: str
    system: str
    facets: Mapping[Facet, int | None] | None = None
    overall: float | None = None
    sentences: tuple[SentenceLabel, ...] | None = None
    facts: FactLabels | None = None
    roles: tuple[RoleLabel, ...] | None = None
    labelled_by: str | None = None
    basis: str | None = None
    provenance: str | None = None
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One judge's record of a pair; of the paper's reference where ``system`` is None.

    ``overall`` is in the judge's own unit.
    """

    paper: str
    system: str | None
    by: str
    facets: Mapping[Facet, int] | None = None
    overall: float | None = None
    segments: FacetSegments | None = None


LabelT = TypeVar("LabelT", FactLabel, RoleLabel)
_MOST_OVERALL: Final = 1_000_000


_ABSENT: Final = ", or null where the reference has none"


def _ratings(label: Fields, key: str, absent: str = _ABSENT) -> dict[Facet, int | None]:
    """Ratings by facet, in the order of facets; null where the reference has no such facet."""
    fields = label.object_at(key, "an object with the facets as keys")
    fields.only(FACETS)
    ratings: dict[Facet, int | None] = {}
    for facet in filter(fields.has, FACETS):
        rating = fields.values[facet]
        if rating is None and absent:
            ratings[facet] = None
        elif is_whole(rating) and 1 <= rating <= SCALES[facet]:
            ratings[facet] = rating
        else:
            raise fields.wrong(facet, rating, f"a whole number from 1 to {SCALES[facet]}{absent}")
    if not ratings:
        raise fields.fault("", f"{fields.owner} is empty, {{}}; rate a facet or leave it out")
    return ratings


def _overall(fields: Fields, key: str) -> float:
    """A score on whatever scale, of a size that sums and squares of it are numbers, too."""
    overall = fields.number(key)
    if abs(overall) > _MOST_OVERALL:
        expected = f"a number from -{_MOST_OVERALL:,} to {_MOST_OVERALL:,}"
        raise fields.wrong(key, overall, expected)
    return overall


def _index(fields: Fields, key: str) -> int:
    return fields.whole(key, 0)


def _evidence(fields: Fields, key: str) -> tuple[EvidenceLabel, ...]:
    if fields.values[key] == []:
        return ()
    labels = []
    expected = "a list of indices or of {'index', 'starts'}"
    for item in fields.items(key, expected):
        owner = f"{key!r} of {fields.owner}"
        if isinstance(item, dict):
            owner = f"evidence of {fields.owner}"
        value = item if isinstance(item, dict) else {"index": item}
        inner = fields.inside(key, value, owner, expected)
        labels.append(inner.read(EvidenceLabel, {"index": _index, "starts": Fields.text}))
    return tuple(labels)


_SENTENCE: Final[Readers] = {
    "index": _index,
    "faithful": Fields.flag,
    "evidence": _evidence,
    "error": Fields.text,
    "factual": Fields.flag,
}


def _sentences(fields: Fields, key: str) -> tuple[SentenceLabel, ...]:
    labels: dict[int, SentenceLabel] = {}
    expected = f"a list of {{{', '.join(map(repr, _SENTENCE))}}}"
    one = "an object with 'index' and 'faithful'"
    for inner in fields.objects_at(key, "sentence label", expected, one):
        label = inner.read(SentenceLabel, _SENTENCE)
        if label.index in labels:
            raise inner.fault(
                "index", f"{inner.owner} labels sentence {label.index} again; delete one"
            )
        labels[label.index] = label
        if label.faithful and label.error:
            raise inner.fault(
                "error", f"{inner.owner} is faithful and names an error; delete one of the two"
            )
        if label.faithful and label.factual is not None:
            raise inner.fault(
                "factual",
                f"{inner.owner} is faithful and has 'factual', which tells unfaithful sentences"
                " apart; delete it",
            )
    return tuple(labels.values())


_SIDES: Final[Readers] = {
    "reference": lambda fields, key: _fact_labels(fields, key, "covered"),
    "candidate": lambda fields, key: _fact_labels(fields, key, "supported"),
}


def _facts(fields: Fields, key: str) -> FactLabels:
    expected = "an object with 'reference' or 'candidate' or both"
    inner = fields.object_at(key, expected)
    inner.only(_SIDES)
    if not any(map(inner.has, _SIDES)):
        raise inner.fault("", f"{inner.owner} is empty; write {expected}")
    return inner.read(FactLabels, _SIDES)


def _fact_labels(fields: Fields, key: str, flag: str) -> tuple[FactLabel, ...]:
    labels: dict[str, FactLabel] = {}
    expected, one = f"a list of {{'text', {flag!r}}}", f"an object with 'text' and {flag!r}"
    readers: Readers = {"text": Fields.text, flag: Fields.flag}
    for inner in fields.objects_at(key, f"{key} fact", expected, one):
        _add(labels, inner, inner.read(FactLabel, readers, renamed={flag: "holds"}))
    return tuple(labels.values())


def _roles(fields: Fields, key: str) -> tuple[RoleLabel, ...]:
    labels: dict[str, RoleLabel] = {}
    one = "an object with 'text' and 'facet'"
    readers: Readers = {"text": Fields.text, "facet": _stated}
    for inner in fields.objects_at(key, "role", "a list of {'text', 'facet'}", one):
        _add(labels, inner, inner.read(RoleLabel, readers, renamed={"facet": "facets"}))
    return tuple(labels.values())


def _stated(fields: Fields, key: str) -> tuple[Facet, ...]:
    """The facets that are right, in reading order."""
    expected = f"one of {', '.join(FACETS)}, a list of those that are right, or null for none"
    value = fields.value(key, expected)
    if value is None:
        return ()
    named = value if isinstance(value, list) else [value]
    known = tuple(facet for facet in FACETS if facet in named)
    if not named or len(known) != len(named):
        raise fields.wrong(key, value, expected)
    return known


def _add(labels: dict[str, LabelT], fields: Fields, label: LabelT) -> None:
    """Add the label of a text that no label before it is of."""
    stated = normalise(label.text)
    if stated in labels:
        raise fields.fault("text", f"{fields.owner} stands there twice, {label.text!r}; delete one")
    labels[stated] = label


_PARTS: Final[Readers] = {
    "facets": _ratings,
    "overall": _overall,
    "sentences": _sentences,
    "facts": _facts,
    "roles": _roles,
}
_NOTES: Final[Readers] = dict.fromkeys(("labelled_by", "basis", "provenance"), Fields.text)
_LABEL: Final = _PARTS | _NOTES
_RECORDED_PARTS: Final[Readers] = {
    "facets": lambda fields, key: _ratings(fields, key, absent=""),
    "overall": _overall,
    "segments": read_segments,
}
_RECORDED: Final[Readers] = {"by": Fields.text, **_RECORDED_PARTS}


def _check_parts(fields: Fields, parts: Readers, *more: str) -> None:
    """Refuse a line that has an unknown key or none of the parts."""
    fields.only(("paper", "system", *parts, *more))
    if not any(map(fields.has, parts)):
        named = ", ".join(map(repr, parts))
        raise fields.fault("", f"{fields.owner} says nothing; write at least one of {named}")


def read_labels(file: TextFile, roster: Roster) -> Mapping[tuple[str, str], Label]:
    """The labels of a file, at least one, by paper and system."""

    def read(fields: Fields) -> tuple[tuple[str, str], Label]:
        _check_parts(fields, _PARTS, *_NOTES)
        paper = roster.paper(fields)
        system = roster.system(fields, paper)
        given = {"paper": paper, "system": system, "place": fields.place}
        return (paper, system), fields.part(_LABEL).read(Label, _LABEL, given=given)

    labels = keyed(
        read_lines(file, "this label"),
        read,
        lambda of: f"paper {of[0]!r} and system {of[1]!r} have a label",
    )
    _check_any(labels, file, "label", "labels")
    return labels


def read_recorded(file: TextFile, roster: Roster) -> tuple[Recorded, ...]:
    """The records of a file, at least one."""

    def read(fields: Fields) -> tuple[tuple[str, str | None, str], Recorded]:
        record = _record(fields, roster)
        return (record.paper, record.system, record.by), record

    records = keyed(
        read_lines(file, "this record"),
        read,
        lambda of: f"{of[2]!r} has a record of paper {of[0]!r} and system {of[1]!r}",
    )
    _check_any(records, file, "record", "recorded")
    return tuple(records.values())


def _check_any(found: object, file: TextFile, what: str, key: str) -> None:
    if not found:
        raise SuiteError(
            file.at(0),
            f"{file.shown!r} has no {what}; write one a line, or delete {key!r} from the suite",
        )


def _record(fields: Fields, roster: Roster) -> Recorded:
    _check_parts(fields, _RECORDED_PARTS, "by")
    paper = roster.paper(fields)
    system = None
    if fields.value("system", "a system's name, or null for the reference") is not None:
        system = roster.system(fields, paper)
    elif fields.has("facets") or fields.has("overall"):
        raise fields.fault(
            "system",
            "this record rates a pair, and its 'system' is null; name the system, or keep only"
            " 'segments' for the reference",
        )
    given = {"paper": paper, "system": system}
    return fields.part(_RECORDED).read(Recorded, _RECORDED, given=given)


def check_judges(
    toml: TomlText, judges: Mapping[str, RecordedSpec], records: tuple[Recorded, ...]
) -> None:
    """Refuse a recorded judge that no record comes from."""
    rating = {record.by for record in records if record.facets is not None}
    segmenting = {record.by for record in records if record.segments is not None}
    for judge in judges.values():
        for key, name, known, what in (
            ("recorded", judge.by, rating, "ratings of facets"),
            ("segments", judge.segments_by, segmenting, "segments"),
        ):
            if name not in known:
                raise SuiteError(
                    toml.place("judges", judge.name, key),
                    f"{key!r} of judge {judge.name!r} is {brief(name)}, and the suite records no"
                    f" {what} of that name; {closest(name, known) if known else 'there are none'}",
                )
