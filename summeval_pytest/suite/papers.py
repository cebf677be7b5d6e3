"""Papers and summaries: one a line of their files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS, FacetSegments, Fact
from summeval_pytest.suite.lines import (
    RESERVED_PAPERS,
    Fields,
    check_name,
    is_visible,
    keyed,
)
from summeval_pytest.suite.rows import (
    PAPER_COLUMNS,
    SUMMARY_COLUMNS,
    UNNAMED,
    read_rows,
    unit_of,
)
from summeval_pytest.suite.values import Pair, Paper, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.suite.lines import Readers, TextFile
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


_SOURCE: Final = "a text or a list of {'heading', 'text'}"
_REFERENCE: Final = "a text or a list of texts"
_FACTS: Final = "a list of texts or of {'text', 'sentence', 'parent'}"


def read_papers(file: TextFile, names: Mapping[str, str] = UNNAMED) -> Mapping[str, Paper]:
    """The papers of a file, at least one, by id; ``names`` is for `read_rows`."""
    papers = keyed(
        read_rows(file, "this paper", PAPER_COLUMNS, names),
        lambda fields: ((paper := read_paper(fields)).id, paper),
        lambda paper: f"paper {paper!r} stands",
        remedy="rename or delete one",
        unit=unit_of(file),
    )
    if not papers:
        raise SuiteError(file.at(0), f"{file.shown!r} has no paper; write one a {unit_of(file)}")
    return papers


def read_paper(fields: Fields) -> Paper:
    """The paper of one line; mistakes are told with its id."""
    paper_id = fields.text("id")
    check_name(paper_id, "paper", fields.place, RESERVED_PAPERS)
    fields = replace(fields, owner=f"paper {paper_id!r}")
    renamed = {"reference": "references"}
    given = {"place": fields.place}
    fields.only((*_PAPER, "provenance"))
    fields.if_any("provenance", Fields.text)
    return fields.part(_PAPER).read(Paper, _PAPER, renamed=renamed, given=given)


def _source(fields: Fields, key: str) -> tuple[Section, ...]:
    if isinstance(fields.value(key, _SOURCE), str):
        return (Section(text=fields.text(key)),)
    sections = fields.objects_at(key, "section", _SOURCE, "an object {'heading', 'text'}")
    readers: Readers = {"text": Fields.text, "heading": Fields.text}
    return tuple(section.read(Section, readers) for section in sections)


def _references(fields: Fields, key: str) -> tuple[str, ...]:
    if isinstance(fields.value(key, _REFERENCE), str):
        return (fields.text(key),)
    return fields.texts(key, _REFERENCE)


def _check_one_reference(fields: Fields, key: str) -> None:
    references = fields.values.get("reference")
    if isinstance(references, list) and len(references) > 1:
        raise fields.fault(
            key,
            f"{key!r} of {fields.owner} goes with one reference, and there are"
            f" {len(references)}; delete it or keep one reference",
        )


def _frozen_facets(fields: Fields, key: str) -> FacetSegments:
    _check_one_reference(fields, key)
    segments = read_segments(fields, key)
    if segments == FacetSegments():
        raise fields.fault(
            key,
            f"{key!r} of {fields.owner} has no text for any facet; write one, or leave the key out",
        )
    return segments


def read_segments(fields: Fields, key: str) -> FacetSegments:
    """The facet segments at a key; a facet that is null or not there has an empty one."""
    inner = fields.object_at(key, "an object with the facets as keys")
    inner.only(FACETS)
    segments: dict[str, str] = {}
    for facet, segment in inner.values.items():
        if isinstance(segment, str) and is_visible(segment):
            segments[facet] = segment
        elif segment is not None and facet in FACETS:
            raise inner.wrong(facet, segment, "a text, or null where there is none")
    return FacetSegments(**segments)


def _frozen_facts(fields: Fields, key: str) -> tuple[Fact, ...]:
    _check_one_reference(fields, key)
    facts: list[Fact] = []
    for index, item in enumerate(fields.items(key, _FACTS)):
        if isinstance(item, str):
            facts.append(Fact(text=fields.visible(key, item), sentence=0))
            continue
        owner = f"reference fact {index} of {fields.owner}"
        fact = fields.inside(key, item, owner, "a text or an object with 'text'")
        fact.only(("text", "sentence", "parent"))
        text = fact.text("text")
        sentence = fact.whole("sentence", 0) if fact.has("sentence") else 0
        facts.append(Fact(text=text, sentence=sentence, parent=_parent(fact, index)))
    return tuple(facts)


def _parent(fact: Fields, index: int) -> int | None:
    if fact.values.get("parent") is None:
        return None
    if not index:
        raise fact.wrong("parent", fact.values["parent"], "null: no fact stands before this one")
    return fact.whole("parent", 0, index - 1)


_PAPER: Final[Readers] = {
    "id": Fields.text,
    "title": Fields.text,
    "source": _source,
    "reference": _references,
    "reference_facets": _frozen_facets,
    "reference_facts": _frozen_facts,
}
_NOTHING_RETURNED: Final = (
    "write what the system returned, or '-' where that was nothing: that fails"
)


def read_summaries(
    file: TextFile,
    spec: SystemSpec,
    papers: Mapping[str, Paper],
    roster: Roster,
    names: Mapping[str, str] = UNNAMED,
) -> Mapping[str, Pair]:
    """The pairs of a system by paper: of all papers but those that it skips."""

    def read(fields: Fields) -> tuple[str, Pair]:
        fields.only(("paper", "summary", "provenance"))
        fields.if_any("provenance", Fields.text)
        paper = roster.paper(fields)
        summary = fields.text("summary", _NOTHING_RETURNED)
        if paper in spec.skip:
            raise fields.fault(
                "",
                f"system {spec.name!r} has a summary for paper {paper!r}, which it lists under"
                " 'skip'; delete one of the two",
            )
        pair = Pair(paper=papers[paper], system=spec.name, summary=summary, place=fields.place)
        return paper, pair

    pairs = keyed(
        read_rows(file, "this summary", SUMMARY_COLUMNS, names),
        read,
        lambda paper: f"system {spec.name!r} has a summary for paper {paper!r}",
        unit=unit_of(file),
    )
    if missing := [paper for paper in papers if paper not in pairs and paper not in spec.skip]:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        them, listed = ("them", "the papers") if more else ("it", "the paper")
        raise SuiteError(
            spec.place,
            f"system {spec.name!r} has no summary for paper {missing[0]!r}{more};"
            f" add {them} to {spec.summaries} or list {listed} under 'skip'",
        )
    return pairs
