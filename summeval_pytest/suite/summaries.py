"""Summaries: one a line, checked against the papers, then read again one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.fields import Fields
from summeval_pytest.suite.jsonl import Line, Spot, read_again, read_lines
from summeval_pytest.suite.values import Pair

if TYPE_CHECKING:
    from collections.abc import Mapping

    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.roster import Roster
    from summeval_pytest.suite.values import Paper, SystemSpec


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
