"""Papers and summaries: one a line of their files."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, FacetSegments, Fact
from summeval_pytest.suite.lines import (
    RESERVED_PAPERS,
    check_name,
    is_visible,
    read_lines,
)
from summeval_pytest.suite.values import Pair, Paper, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.suite.lines import Fields, Line, TextFile
    from summeval_pytest.suite.values import Roster, SystemSpec


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


def fingerprint_of(papers: Iterable[Paper]) -> str:
    """12 hex digits of SHA-256 over the SHA-256 of each canonical text, in order of id."""
    total = hashlib.sha256()
    for paper in sorted(papers, key=lambda paper: paper.id):
        total.update(hashlib.sha256(canonical_text(paper).encode()).digest())
    return total.hexdigest()[:12]


_KEYS: Final = (
    "id", "title", "source", "reference", "reference_facets", "reference_facts", "provenance"
)  # fmt: skip
_SOURCE: Final = "a text or a list of {'heading', 'text'}"
_REFERENCE: Final = "a text or a list of texts"
_FACTS: Final = "a list of texts or of {'text', 'sentence', 'parent'}"


def read_papers(file: TextFile) -> Mapping[str, Paper]:
    """The papers of a file by id, in file order.

    Raises:
        SuiteError: At the first mistake, and for a file without any paper.
    """
    papers: dict[str, Paper] = {}
    for line in read_lines(file):
        paper = read_paper(line)
        if first := papers.get(paper.id):
            raise SuiteError(
                paper.place,
                f"paper {paper.id!r} stands on line {first.place.line}, too; rename or delete one",
            )
        papers[paper.id] = paper
    if not papers:
        raise SuiteError(file.at(0), f"{file.shown!r} has no paper; write one a line")
    return papers


def read_paper(line: Line) -> Paper:
    """The paper of one line.

    Raises:
        SuiteError: At the first mistake, with the line.
    """
    fields = line.fields("this paper")
    paper_id = fields.text("id")
    check_name(paper_id, "paper", line.place, RESERVED_PAPERS)
    fields = line.fields(f"paper {paper_id!r}")
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
    for section in fields.objects_at("source", "section", _SOURCE, "an object {'heading', 'text'}"):
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
    inner = fields.object_at(key, "an object with the facets as keys")
    inner.only(FACETS)
    segments: dict[str, str] = {}
    for facet, segment in inner.values.items():
        if isinstance(segment, str) and is_visible(segment):
            segments[facet] = segment
        elif segment is not None and facet in FACETS:
            raise inner.wrong(facet, segment, "a text, or null where there is none")
    return FacetSegments(**segments)


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


def read_summaries(
    file: TextFile, spec: SystemSpec, papers: Mapping[str, Paper], roster: Roster
) -> Mapping[str, Pair]:
    """The pairs of a system by paper.

    Raises:
        SuiteError: At the first mistake, and where a paper has no summary and is not skipped.
    """
    pairs: dict[str, Pair] = {}
    for line in read_lines(file):
        fields = line.fields("this summary")
        fields.only(("paper", "summary", "provenance"))
        fields.text_if_any("provenance")
        paper = roster.paper(fields)
        summary = fields.text("summary", remedy=_NOTHING_RETURNED)
        if first := pairs.get(paper):
            raise SuiteError(
                line.place,
                f"system {spec.name!r} has a summary for paper {paper!r} on line"
                f" {first.place.line}, too; delete one",
            )
        if paper in spec.skip:
            raise SuiteError(
                line.place,
                f"system {spec.name!r} has a summary for paper {paper!r}, which it lists under"
                " 'skip'; delete one of the two",
            )
        pairs[paper] = Pair(
            paper=papers[paper], system=spec.name, summary=summary, place=line.place
        )
    if missing := [paper for paper in papers if paper not in pairs and paper not in spec.skip]:
        raise _missing(spec, missing)
    return pairs


def _missing(spec: SystemSpec, papers: list[str]) -> SuiteError:
    more = f" and {len(papers) - 1} more" if len(papers) > 1 else ""
    them, listed = ("them", "the papers") if more else ("it", "the paper")
    return SuiteError(
        spec.place,
        f"system {spec.name!r} has no summary for paper {papers[0]!r}{more};"
        f" add {them} to {spec.summaries} or list {listed} under 'skip'",
    )
