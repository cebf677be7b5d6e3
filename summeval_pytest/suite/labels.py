"""Golden labels: what people found in a pair, each part of it optional."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.suite.lines import Fields, Line, brief, closest, is_whole, read_lines
from summeval_pytest.suite.papers import read_segments
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.errors import Place
    from summeval_pytest.questions import FacetSegments
    from summeval_pytest.suite.lines import TextFile
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


LabelT = TypeVar("LabelT", "FactLabel", "RoleLabel")

_PARTS: Final = ("facets", "overall", "sentences", "facts", "roles")
_MOST_OVERALL: Final = 1_000_000
_KEYS: Final = ("paper", "system", *_PARTS, "labelled_by", "basis", "provenance")


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


def read_labels(file: TextFile, roster: Roster) -> Mapping[tuple[str, str], Label]:
    """All labels of a file by paper and system, in file order.

    Raises:
        SuiteError: At the first mistake, and for a file without any label.
    """
    labels: dict[tuple[str, str], Label] = {}
    for line in read_lines(file):
        label = _label(line, roster)
        if first := labels.get((label.paper, label.system)):
            raise SuiteError(
                label.place,
                f"paper {label.paper!r} and system {label.system!r} have a label on line"
                f" {first.place.line}, too; delete one",
            )
        labels[label.paper, label.system] = label
    if not labels:
        raise SuiteError(
            file.at(0),
            f"{file.shown!r} has no label; write one a line, or delete 'labels' from the suite",
        )
    return labels


def _overall(fields: Fields) -> float:
    """A score on whatever scale, of a size that sums and squares of it are numbers, too."""
    overall = fields.number("overall")
    if abs(overall) > _MOST_OVERALL:
        expected = f"a number from -{_MOST_OVERALL:,} to {_MOST_OVERALL:,}"
        raise fields.wrong("overall", overall, expected)
    return overall


def _label(line: Line, roster: Roster) -> Label:
    fields = line.fields("this label")
    fields.only(_KEYS)
    if not any(map(fields.has, _PARTS)):
        parts = ", ".join(map(repr, _PARTS))
        raise fields.fault("", f"this label says nothing; write at least one of {parts}")
    paper = roster.paper(fields)
    return Label(
        paper=paper,
        system=roster.system(fields, paper),
        facets=_ratings(fields, absent=True) if fields.has("facets") else None,
        overall=_overall(fields) if fields.has("overall") else None,
        sentences=_sentences(fields) if fields.has("sentences") else None,
        facts=_facts(fields) if fields.has("facts") else None,
        roles=_roles(fields) if fields.has("roles") else None,
        labelled_by=fields.text_if_any("labelled_by"),
        basis=fields.text_if_any("basis"),
        provenance=fields.text_if_any("provenance"),
        place=line.place,
    )


def _ratings(label: Fields, *, absent: bool) -> dict[Facet, int | None]:
    """Ratings by facet, in the order of facets; null is on the scale where ``absent`` says so."""
    fields = label.object_at("facets", "an object with the facets as keys")
    fields.only(FACETS)
    ratings: dict[Facet, int | None] = {}
    for facet in FACETS:
        if not fields.has(facet):
            continue
        rating = fields.values[facet]
        if rating is None and absent:
            ratings[facet] = None
        elif is_whole(rating) and 1 <= rating <= SCALES[facet]:
            ratings[facet] = rating
        else:
            null = ", or null where the reference has none" if absent else ""
            scale = f"a whole number from 1 to {SCALES[facet]}{null}"
            raise fields.wrong(facet, rating, scale)
    if not ratings:
        raise fields.fault("", f"{fields.owner} is empty, {{}}; rate a facet or leave it out")
    return ratings


def _sentences(fields: Fields) -> tuple[SentenceLabel, ...]:
    labels: dict[int, SentenceLabel] = {}
    keys = ("index", "faithful", "evidence", "error", "factual")
    expected = f"a list of {{{', '.join(map(repr, keys))}}}"
    one = "an object with 'index' and 'faithful'"
    for inner in fields.objects_at("sentences", "sentence label", expected, one):
        inner.only(keys)
        index = inner.whole("index", least=0)
        if index in labels:
            raise inner.fault("index", f"{inner.owner} labels sentence {index} again; delete one")
        labels[index] = label = SentenceLabel(
            index=index,
            faithful=inner.flag("faithful"),
            evidence=_evidence(inner),
            error=inner.text_if_any("error"),
            factual=inner.flag("factual") if inner.has("factual") else None,
        )
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


def _evidence(fields: Fields) -> tuple[EvidenceLabel, ...]:
    if fields.values.get("evidence", []) == []:
        return ()
    labels = []
    expected = "a list of indices or of {'index', 'starts'}"
    for item in fields.items("evidence", expected):
        if isinstance(item, dict):
            inner = fields.inside("evidence", item, f"evidence of {fields.owner}", expected)
        else:
            owner = f"'evidence' of {fields.owner}"
            inner = Fields(values={"index": item}, owner=owner, where=fields.where)
        inner.only(("index", "starts"))
        labels.append(
            EvidenceLabel(index=inner.whole("index", least=0), starts=inner.text_if_any("starts"))
        )
    return tuple(labels)


def _facts(fields: Fields) -> FactLabels:
    expected = "an object with 'reference' or 'candidate' or both"
    inner = fields.object_at("facts", expected)
    inner.only(("reference", "candidate"))
    if not inner.has("reference") and not inner.has("candidate"):
        raise inner.fault("", f"{inner.owner} is empty; write {expected}")
    return FactLabels(
        reference=_fact_labels(inner, "reference", "covered"),
        candidate=_fact_labels(inner, "candidate", "supported"),
    )


def _fact_labels(fields: Fields, key: str, flag: str) -> tuple[FactLabel, ...]:
    if not fields.has(key):
        return ()
    labels: dict[str, FactLabel] = {}
    expected, one = f"a list of {{'text', {flag!r}}}", f"an object with 'text' and {flag!r}"
    for inner in fields.objects_at(key, f"{key} fact", expected, one):
        inner.only(("text", flag))
        _add(labels, inner, FactLabel(text=inner.text("text"), holds=inner.flag(flag)))
    return tuple(labels.values())


def _roles(fields: Fields) -> tuple[RoleLabel, ...]:
    labels: dict[str, RoleLabel] = {}
    one = "an object with 'text' and 'facet'"
    for inner in fields.objects_at("roles", "role", "a list of {'text', 'facet'}", one):
        inner.only(("text", "facet"))
        _add(labels, inner, RoleLabel(text=inner.text("text"), facets=_stated(inner)))
    return tuple(labels.values())


def _stated(fields: Fields) -> tuple[Facet, ...]:
    """The facets that are right, in reading order."""
    expected = f"one of {', '.join(FACETS)}, a list of those that are right, or null for none"
    value = fields.value("facet", expected)
    if value is None:
        return ()
    named = value if isinstance(value, list) else [value]
    known = tuple(facet for facet in FACETS if facet in named)
    if not named or len(known) != len(named):
        raise fields.wrong("facet", value, expected)
    return known


def _add(labels: dict[str, LabelT], fields: Fields, label: LabelT) -> None:
    """Adds the label of a text that no label before it is of."""
    stated = normalise(label.text)
    if stated in labels:
        raise fields.fault("text", f"{fields.owner} stands there twice, {label.text!r}; delete one")
    labels[stated] = label


_RECORDED_PARTS: Final = ("facets", "overall", "segments")
_RECORDED_KEYS: Final = ("paper", "system", "by", *_RECORDED_PARTS)


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


def read_recorded(file: TextFile, roster: Roster) -> tuple[Recorded, ...]:
    """The records of a file.

    Raises:
        SuiteError: At the first mistake, and for a file without any record.
    """
    records: list[Recorded] = []
    seen: dict[tuple[str, str | None, str], int] = {}
    for line in read_lines(file):
        record = _record(line, roster)
        first = seen.setdefault((record.paper, record.system, record.by), line.place.line)
        if first != line.place.line:
            raise SuiteError(
                line.place,
                f"{record.by!r} has a record of paper {record.paper!r} and system"
                f" {record.system!r} on line {first}, too; delete one",
            )
        records.append(record)
    if not records:
        raise SuiteError(
            file.at(0),
            f"{file.shown!r} has no record; write one a line, or delete 'recorded' from the suite",
        )
    return tuple(records)


def check_judges(
    toml: TomlText, judges: Mapping[str, RecordedSpec], records: tuple[Recorded, ...]
) -> None:
    """Refuse a recorded judge that no record comes from.

    Raises:
        SuiteError: At the judge's line.
    """
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


def _record(line: Line, roster: Roster) -> Recorded:
    fields = line.fields("this record")
    fields.only(_RECORDED_KEYS)
    if not any(map(fields.has, _RECORDED_PARTS)):
        parts = ", ".join(map(repr, _RECORDED_PARTS))
        raise fields.fault("", f"this record says nothing; write at least one of {parts}")
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
    ratings = None
    if fields.has("facets"):
        rated = _ratings(fields, absent=False)
        ratings = {facet: rating for facet, rating in rated.items() if rating}
    return Recorded(
        paper=paper,
        system=system,
        by=fields.text("by"),
        facets=ratings,
        overall=_overall(fields) if fields.has("overall") else None,
        segments=read_segments(fields, "segments") if fields.has("segments") else None,
    )
