"""Recorded judgements: what other judges and metrics once said of a pair or a reference."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import SuiteError
from summeval_pytest.suite.fields import Fields, brief
from summeval_pytest.suite.jsonl import Line, read_lines
from summeval_pytest.suite.labels import read_overall, read_ratings
from summeval_pytest.suite.names import closest
from summeval_pytest.suite.papers import read_segments
from summeval_pytest.suite.values import RecordedSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from summeval_pytest.questions import Facet, FacetSegments
    from summeval_pytest.suite.lines import TextFile
    from summeval_pytest.suite.roster import Roster
    from summeval_pytest.suite.toml_text import TomlText
    from summeval_pytest.suite.values import JudgeSpec

_PARTS: Final = ("facets", "overall", "segments")
_KEYS: Final = ("paper", "system", "by", *_PARTS)


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


def read_recorded(file: TextFile, roster: Roster) -> Iterator[Recorded]:
    """The records of a file, one at a time.

    Raises:
        SuiteError: At the first mistake, and for a file without any record.
    """
    seen: dict[tuple[str, str | None, str], int] = {}
    for line in read_lines(file):
        record = _record(line, roster)
        key = (record.paper, record.system, record.by)
        if first := seen.get(key):
            raise SuiteError(
                line.place,
                f"{record.by!r} has a record of paper {record.paper!r} and system"
                f" {record.system!r} on line {first}, too; delete one",
            )
        seen[key] = line.spot.line
        yield record
    if not seen:
        raise SuiteError(
            file.at(0),
            f"{file.shown!r} has no record; write one a line, or delete 'recorded' from the suite",
        )


def check_judges(
    toml: TomlText, judges: Mapping[str, JudgeSpec | RecordedSpec], records: Iterable[Recorded]
) -> None:
    """Reads all records, and refuses a recorded judge that none of them comes from.

    Raises:
        SuiteError: At the judge's line, and at the first mistake in the records.
    """
    rating, segmenting = set(), set()
    for record in records:
        if record.facets is not None:
            rating.add(record.by)
        if record.segments is not None:
            segmenting.add(record.by)
    for judge in judges.values():
        if not isinstance(judge, RecordedSpec):
            continue
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
    fields = Fields(values=line.values, owner="this record", where=lambda _: line.place)
    fields.only(_KEYS)
    if not any(map(fields.has, _PARTS)):
        parts = ", ".join(map(repr, _PARTS))
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
    return Recorded(
        paper=paper,
        system=system,
        by=fields.text("by"),
        facets=_facets(fields) if fields.has("facets") else None,
        overall=read_overall(fields) if fields.has("overall") else None,
        segments=read_segments(fields, "segments") if fields.has("segments") else None,
    )


def _facets(fields: Fields) -> Mapping[Facet, int]:
    expected = "an object with the facets as keys"
    owner = f"'facets' of {fields.owner}"
    inner = fields.inside("facets", fields.value("facets", expected), owner, expected)
    ratings = read_ratings(inner, absent=False)
    return MappingProxyType({facet: rating for facet, rating in ratings.items() if rating})
