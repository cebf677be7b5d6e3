"""Papers: one a line, read whole once to be checked, then again one by one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, FacetSegments, Fact
from summeval_pytest.suite.lines import (
    RESERVED_PAPERS,
    Fields,
    Line,
    Spot,
    check_name,
    is_visible,
    read_again,
    read_lines,
)
from summeval_pytest.suite.values import Pair, Paper, Section

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.values import Roster, SystemSpec


_LENGTH: Final = 12


def canonical_text(paper: Paper) -> str:
    """The paper as one line of JSON without its title: equal papers have equal texts.

    Reading the line as a paper gives the paper back, its title aside.
    """
    values: dict[str, object] = {
        "id": paper.id,
        "source": [
            {"heading": s.heading, "text": s.text} if s.heading else {"text": s.text}
            for s in paper.source
        ],
        "reference": list(paper.references),
    }
    if paper.reference_facets is not None:
        segments = paper.reference_facets
        values["reference_facets"] = {facet: segments.segment(facet) or None for facet in FACETS}
    if paper.reference_facts is not None:
        values["reference_facts"] = [
            {"text": fact.text, "sentence": fact.sentence, "parent": fact.parent}
            for fact in paper.reference_facts
        ]
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(text: str) -> bytes:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).digest()


def fingerprint_of(digests: Mapping[str, bytes]) -> str:
    """12 hex digits over the digest of each paper's canonical text, in order of id."""
    total = hashlib.sha256()
    for paper_id in sorted(digests):
        total.update(digests[paper_id])
    return total.hexdigest()[:_LENGTH]


_KEYS: Final = (
    "id", "title", "source", "reference", "reference_facets", "reference_facts", "provenance"
)  # fmt: skip
_SOURCE: Final = "a text or a list of {'heading', 'text'}"
_REFERENCE: Final = "a text or a list of texts"
_FACTS: Final = "a list of texts or of {'text', 'sentence', 'parent'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperShelf:
    """Where each paper of a file lies, in file order, and the fingerprint of all of them."""

    file: TextFile
    spots: Mapping[str, Spot]
    fingerprint: str

    def paper(self, paper_id: str) -> Paper:
        """One paper, read from its file.

        Raises:
            SuiteError: Where the file has changed since it was scanned.
        """
        return read_paper(read_again(self.file, self.spots[paper_id]))


def scan_papers(file: TextFile) -> PaperShelf:
    """Every paper of a file checked; what stays in memory is where each of them lies.

    Raises:
        SuiteError: At the first mistake, and for a file without any paper.
    """
    spots: dict[str, Spot] = {}
    digests: dict[str, bytes] = {}
    for line in read_lines(file):
        paper = read_paper(line)
        if first := spots.get(paper.id):
            raise SuiteError(
                paper.place,
                f"paper {paper.id!r} stands on line {first.line}, too; rename or delete one",
            )
        spots[paper.id] = line.spot
        digests[paper.id] = digest(canonical_text(paper))
    if not spots:
        raise SuiteError(file.at(0), f"{file.shown!r} has no paper; write one a line")
    return PaperShelf(file=file, spots=spots, fingerprint=fingerprint_of(digests))


def read_paper(line: Line) -> Paper:
    """The paper of one line.

    Raises:
        SuiteError: At the first mistake, with the line.
    """
    fields = Fields(values=line.values, owner="this paper", where=lambda _: line.place)
    paper_id = fields.text("id")
    check_name(paper_id, "paper", line.place, RESERVED_PAPERS)
    fields = Fields(values=line.values, owner=f"paper {paper_id!r}", where=lambda _: line.place)
    fields.only(_KEYS)
    fields.text_if_any("provenance")
    references = _references(fields)
    for key in ("reference_facets", "reference_facts"):
        if fields.has(key) and len(references) > 1:
            raise fields.fault(
                key,
                f"{key!r} of {fields.owner} goes with one reference, and there are"
                f" {len(references)}; delete it or keep one reference",
            )
    return Paper(
        id=paper_id,
        title=fields.text_if_any("title") or "",
        source=_source(fields),
        references=references,
        reference_facets=_frozen_facets(fields) if fields.has("reference_facets") else None,
        reference_facts=_frozen_facts(fields) if fields.has("reference_facts") else None,
        place=line.place,
    )


def _source(fields: Fields) -> tuple[Section, ...]:
    if isinstance(fields.value("source", _SOURCE), str):
        return (Section(text=fields.text("source")),)
    sections = []
    for number, item in enumerate(fields.items("source", _SOURCE), start=1):
        owner = f"section {number} of {fields.owner}"
        section = fields.inside("source", item, owner, "an object {'heading', 'text'}")
        section.only(("heading", "text"))
        text = section.text("text")
        sections.append(Section(heading=section.text_if_any("heading") or "", text=text))
    return tuple(sections)


def _references(fields: Fields) -> tuple[str, ...]:
    if isinstance(fields.value("reference", _REFERENCE), str):
        return (fields.text("reference"),)
    return fields.texts("reference", _REFERENCE)


def _frozen_facets(fields: Fields) -> FacetSegments:
    segments = read_segments(fields, "reference_facets")
    if segments == FacetSegments():
        raise fields.fault(
            "reference_facets",
            f"'reference_facets' of {fields.owner} has no text for any facet; write one, or"
            " leave the key out",
        )
    return segments


def read_segments(fields: Fields, key: str) -> FacetSegments:
    """The facet segments at a key; a facet that is null or not there has an empty one.

    Raises:
        SuiteError: For an unknown facet, and for what is neither a visible text nor null.
    """
    expected = "an object with the facets as keys"
    inner = fields.inside(key, fields.value(key, expected), f"{key!r} of {fields.owner}", expected)
    inner.only(FACETS)
    segments = {facet: inner.values.get(facet) for facet in FACETS}
    for facet, segment in segments.items():
        if segment is None:
            segments[facet] = ""
        elif not isinstance(segment, str) or not is_visible(segment):
            raise inner.wrong(facet, segment, "a text, or null where there is none")
    return FacetSegments(**{facet: str(segment) for facet, segment in segments.items()})


def _frozen_facts(fields: Fields) -> tuple[Fact, ...]:
    facts: list[Fact] = []
    for index, item in enumerate(fields.items("reference_facts", _FACTS)):
        if isinstance(item, str):
            facts.append(Fact(text=fields.visible("reference_facts", item), sentence=0))
            continue
        owner = f"reference fact {index} of {fields.owner}"
        fact = fields.inside("reference_facts", item, owner, "a text or an object with 'text'")
        fact.only(("text", "sentence", "parent"))
        facts.append(
            Fact(
                text=fact.text("text"),
                sentence=fact.whole("sentence", least=0) if fact.has("sentence") else 0,
                parent=_parent(fact, index),
            )
        )
    return tuple(facts)


def _parent(fact: Fields, index: int) -> int | None:
    if fact.values.get("parent") is None:
        return None
    if not index:
        raise fact.wrong("parent", fact.values["parent"], "null: no fact stands before this one")
    return fact.whole("parent", least=0, most=index - 1)


_NOTHING_RETURNED: Final = (
    "write what the system returned, or '-' where that was nothing: that fails"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryShelf:
    """Where each summary of one system lies, by paper."""

    system: str
    file: TextFile
    spots: Mapping[str, Spot]

    def pair(self, paper: Paper) -> Pair:
        """The paper with this system's summary, read from its file.

        Raises:
            SuiteError: Where the file has changed since it was scanned.
        """
        line = read_again(self.file, self.spots[paper.id])
        summary = _fields(line).text("summary")
        return Pair(paper=paper, system=self.system, summary=summary, place=line.place)


def scan_summaries(file: TextFile, spec: SystemSpec, roster: Roster) -> SummaryShelf:
    """Every summary of a system checked; what stays in memory is where each of them lies.

    Raises:
        SuiteError: At the first mistake, and where a paper has no summary and is not skipped.
    """
    spots: dict[str, Spot] = {}
    skipped = frozenset(spec.skip)
    for line in read_lines(file):
        paper = _check(line, roster)
        if first := spots.get(paper):
            raise SuiteError(
                line.place,
                f"system {spec.name!r} has a summary for paper {paper!r} on line {first.line},"
                " too; delete one",
            )
        if paper in skipped:
            raise SuiteError(
                line.place,
                f"system {spec.name!r} has a summary for paper {paper!r}, which it lists under"
                " 'skip'; delete one of the two",
            )
        spots[paper] = line.spot
    missing = [paper for paper in roster.papers if paper not in spots and paper not in skipped]
    if missing:
        raise _missing(spec, missing)
    return SummaryShelf(system=spec.name, file=file, spots=spots)


def _fields(line: Line) -> Fields:
    return Fields(values=line.values, owner="this summary", where=lambda _: line.place)


def _check(line: Line, roster: Roster) -> str:
    fields = _fields(line)
    fields.only(("paper", "summary", "provenance"))
    fields.text_if_any("provenance")
    paper = roster.paper(fields)
    fields.text("summary", remedy=_NOTHING_RETURNED)
    return paper


def _missing(spec: SystemSpec, papers: list[str]) -> SuiteError:
    more = f" and {len(papers) - 1} more" if len(papers) > 1 else ""
    them, listed = ("them", "the papers") if more else ("it", "the paper")
    return SuiteError(
        spec.place,
        f"system {spec.name!r} has no summary for paper {papers[0]!r}{more};"
        f" add {them} to {spec.summaries} or list {listed} under 'skip'",
    )
