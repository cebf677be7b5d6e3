"""Golden labels: what people found in a pair, each part of it optional."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, SCALES, Facet
from summeval_pytest.suite.fields import Fields, is_whole
from summeval_pytest.suite.jsonl import Line, read_lines
from summeval_pytest.suite.role_labels import RoleLabel, read_roles
from summeval_pytest.text import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.errors import Place
    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.roster import Roster

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
    return MappingProxyType(labels)


def read_overall(fields: Fields) -> float:
    """A score on whatever scale, of a size that sums and squares of it are numbers, too.

    Raises:
        SuiteError: For any other.
    """
    overall = fields.number("overall")
    if abs(overall) > _MOST_OVERALL:
        expected = f"a number from -{_MOST_OVERALL:,} to {_MOST_OVERALL:,}"
        raise fields.wrong("overall", overall, expected)
    return overall


def _label(line: Line, roster: Roster) -> Label:
    fields = Fields(values=line.values, owner="this label", where=lambda _: line.place)
    fields.only(_KEYS)
    if not any(map(fields.has, _PARTS)):
        parts = ", ".join(map(repr, _PARTS))
        raise fields.fault("", f"this label says nothing; write at least one of {parts}")
    paper = roster.paper(fields)
    return Label(
        paper=paper,
        system=roster.system(fields, paper),
        facets=_facets(fields) if fields.has("facets") else None,
        overall=read_overall(fields) if fields.has("overall") else None,
        sentences=_sentences(fields) if fields.has("sentences") else None,
        facts=_facts(fields) if fields.has("facts") else None,
        roles=read_roles(fields) if fields.has("roles") else None,
        labelled_by=fields.text_if_any("labelled_by"),
        basis=fields.text_if_any("basis"),
        provenance=fields.text_if_any("provenance"),
        place=line.place,
    )


def _facets(fields: Fields) -> Mapping[Facet, int | None]:
    expected = "an object with the facets as keys"
    owner = f"'facets' of {fields.owner}"
    inner = fields.inside("facets", fields.value("facets", expected), owner, expected)
    ratings = read_ratings(inner, absent=True)
    return MappingProxyType(ratings)


def read_ratings(fields: Fields, *, absent: bool) -> dict[Facet, int | None]:
    """Ratings by facet, in the order of facets; at least one.

    Raises:
        SuiteError: For an unknown facet, and for a rating off the facet's scale; null is on it
            only where ``absent`` allows it.
    """
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
    expected = "a list of {'index', 'faithful', 'evidence', 'error', 'factual'}"
    for number, item in enumerate(fields.items("sentences", expected), start=1):
        owner = f"sentence label {number} of {fields.owner}"
        inner = fields.inside("sentences", item, owner, "an object with 'index' and 'faithful'")
        inner.only(("index", "faithful", "evidence", "error", "factual"))
        index = inner.whole("index", least=0)
        if index in labels:
            raise inner.fault("index", f"{owner} labels sentence {index} again; delete one")
        labels[index] = SentenceLabel(
            index=index,
            faithful=inner.flag("faithful"),
            evidence=_evidence(inner),
            error=inner.text_if_any("error"),
            factual=inner.flag("factual") if inner.has("factual") else None,
        )
        if labels[index].faithful and labels[index].error:
            raise inner.fault(
                "error", f"{owner} is faithful and names an error; delete one of the two"
            )
        if labels[index].faithful and labels[index].factual is not None:
            raise inner.fault(
                "factual",
                f"{owner} is faithful and has 'factual', which tells unfaithful sentences apart;"
                " delete it",
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
    owner = f"'facts' of {fields.owner}"
    inner = fields.inside("facts", fields.value("facts", expected), owner, expected)
    inner.only(("reference", "candidate"))
    if not inner.has("reference") and not inner.has("candidate"):
        raise inner.fault("", f"{owner} is empty; write {expected}")
    return FactLabels(
        reference=_fact_labels(inner, "reference", "covered"),
        candidate=_fact_labels(inner, "candidate", "supported"),
    )


def _fact_labels(fields: Fields, key: str, flag: str) -> tuple[FactLabel, ...]:
    if not fields.has(key):
        return ()
    labels: dict[str, FactLabel] = {}
    for number, item in enumerate(fields.items(key, f"a list of {{'text', {flag!r}}}"), start=1):
        owner = f"{key} fact {number} of {fields.owner}"
        inner = fields.inside(key, item, owner, f"an object with 'text' and {flag!r}")
        inner.only(("text", flag))
        label = FactLabel(text=inner.text("text"), holds=inner.flag(flag))
        stated = normalise(label.text)
        if stated in labels:
            raise inner.fault("text", f"{owner} stands there twice, {label.text!r}; delete one")
        labels[stated] = label
    return tuple(labels.values())
