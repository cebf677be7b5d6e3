"""Papers and summaries: one a line of their files."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from summeval_pytest.errors import SuiteError
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.entries import FileEntry, Given, Text, expecting, keyed
from summeval_pytest.suite.lines import RESERVED_PAPERS, check_name, is_visible
from summeval_pytest.suite.rows import PAPER_COLUMNS, SUMMARY_COLUMNS, UNNAMED, read_rows, unit_of
from summeval_pytest.suite.values import Pair, Paper

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.suite.lines import TextFile
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


def read_papers(file: TextFile, names: Mapping[str, str] = UNNAMED) -> Mapping[str, Paper]:
    """The papers of a file, at least one, by id; ``names`` is for `read_rows`."""
    papers = keyed(
        read_rows(file, "this paper", PAPER_COLUMNS, names),
        lambda entry: ((paper := read_paper(entry)).id, paper),
        lambda paper: f"paper {paper!r} stands",
        remedy="rename or delete one",
        unit=unit_of(file),
    )
    if not papers:
        raise SuiteError(file.at(0), f"{file.shown!r} has no paper; write one a {unit_of(file)}")
    return papers


def read_paper(entry: FileEntry) -> Paper:
    """The paper of one line; messages name it by its id."""
    paper_id = entry.values.get("id")
    if isinstance(paper_id, str) and is_visible(paper_id):
        check_name(paper_id, "paper", entry.place, RESERVED_PAPERS)
        entry = replace(entry, owner=f"paper {paper_id!r}")
    paper = entry.read(Paper, place=entry.place)
    if len(paper.references) > 1:
        for key in filter(entry.has, ("reference_facets", "reference_facts")):
            raise entry.fault(
                key,
                f"{key!r} of {entry.owner} goes with one reference, and there are"
                f" {len(paper.references)}; delete it or keep one reference",
            )
    return paper


@dataclass(slots=True, kw_only=True)
class _Summary:
    paper: Text
    summary: Annotated[
        Text, expecting("what the system returned, or '-' where that was nothing, which fails")
    ]
    provenance: Given[Text] = None


def read_summaries(
    file: TextFile,
    spec: SystemSpec,
    papers: Mapping[str, Paper],
    roster: Roster,
    names: Mapping[str, str] = UNNAMED,
) -> Mapping[str, Pair]:
    """The pairs of a system by paper: of all papers but those that it skips."""

    def read(entry: FileEntry) -> tuple[str, Pair]:
        line = entry.read(_Summary)
        roster.check(entry, line.paper)
        if line.paper in spec.skip:
            raise entry.fault(
                "",
                f"system {spec.name!r} has a summary for paper {line.paper!r}, which it lists under"
                " 'skip'; delete one of the two",
            )
        pair = Pair(
            paper=papers[line.paper], system=spec.name, summary=line.summary, place=entry.place
        )
        return line.paper, pair

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
