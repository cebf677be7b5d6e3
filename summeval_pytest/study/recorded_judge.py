"""A judge of facets whose ratings stand in a file of records, which its table names."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import median_low
from types import MappingProxyType
from typing import Annotated, ClassVar, Final

from pydantic.functional_validators import ValidateAs

from summeval_pytest import questions as q
from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.facet import EMPTY_RATING, ground, stated_again
from summeval_pytest.run.judge_inputs import JudgeInputs
from summeval_pytest.suite.entries import FileEntry, Given, Text, expecting, keyed, mistake
from summeval_pytest.suite.file import existing_file
from summeval_pytest.suite.labels import Overall, Ratings, check_says, ratings_of, some_of
from summeval_pytest.suite.lines import TextFile, brief, closest, read_lines
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import JudgeKeys, Roster, Segments, UsedSpec
from summeval_pytest.text.excerpts import pieces_of
from summeval_pytest.text.reading import normalise


def _all_rated(line: Ratings) -> dict[q.Facet, int | None]:
    ratings = ratings_of(line)
    if absent := [facet for facet, rating in ratings.items() if rating is None]:
        raise mistake(f"has null for {absent[0]!r}; write a rating, or leave the facet out")
    return ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One judge's record of a pair; of the paper's reference where ``system`` is None.

    ``overall`` is in the judge's own unit.
    """

    paper: Text
    system: Annotated[Text | None, expecting("a system's name, or null for the reference")]
    by: Text
    facets: Given[Annotated[Mapping[q.Facet, int], ValidateAs(Ratings, _all_rated)]] = None
    overall: Given[Overall] = None
    segments: Given[Segments] = None


def read_records(file: TextFile, roster: Roster) -> tuple[Recorded, ...]:
    """The records of a file, at least one."""

    def read(entry: FileEntry) -> tuple[tuple[str, str | None, str], Recorded]:
        record = entry.read(Recorded)
        check_says(entry, ("facets", "overall", "segments"))
        roster.check(entry, record.paper, record.system)
        if record.system is None and (entry.has("facets") or entry.has("overall")):
            what = "this record rates a pair, and its 'system' is null"
            raise entry.fault("system", f"{what}; name the system, or keep only 'segments'")
        return (record.paper, record.system, record.by), record

    records = keyed(
        (FileEntry.at(file.at(line), values, "this record") for line, values in read_lines(file)),
        read,
        lambda of: f"{of[2]!r} has a record of paper {of[0]!r} and system {of[1]!r}",
    )
    return tuple(some_of(records, file, "record", "write one a line").values())


USE: Final = f"{__name__}:RecordedJudge"
"""How a suite names the class of recorded judges."""


def records_of(suite: Suite) -> tuple[Recorded, ...]:
    """The records in the files that the suite's recorded judges name, each file once."""
    tables = [s for s in suite.judges.values() if isinstance(s, UsedSpec) and s.use == USE]
    files = {file.path: file for file in (existing_file(t.table, "file", t.file) for t in tables)}
    return tuple(each for file in files.values() for each in read_records(file, suite.roster))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedJudge(JudgeKeys):
    """A judge whose ratings of facets stand in a file.

    Attributes:
        file: The file of records. `summeval agree` and `study` show all of them.
        by: Whose ratings to use: a `by` of the file.
        segments: Whose segments were rated, likewise. A segment is what a text says on one facet.
    """

    facets_only: ClassVar[bool] = True
    file: Text
    by: Text
    segments: Text

    def judge(self, given: JudgeInputs) -> RecordedAnswers:
        """The judge over the records of all suites of a run."""
        return recorded_answers(self, given)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswers:
    """Answers `SegmentFacets` and `RateFacets` from records; anything else stays unanswered.

    ``signature`` says whose records they are, with a hash of them. Segments are by normalised text,
    ratings by the pair of facets that the metric asks about. It looks up and does not wait, so one
    pair at a time is enough.
    """

    signature: str
    segments: Mapping[str, q.FacetSegments]
    ratings: Mapping[q.FacetPair, q.FacetRating]
    in_flight: int = 1

    async def answer(self, questions: tuple[q.Question, ...]) -> tuple[q.Answer, ...]:
        """One answer for each question, in the order asked."""
        return tuple(map(self._answer, questions))

    def _answer(self, question: q.Question) -> q.Answer:
        match question:
            case q.SegmentFacets(text):
                unknown = q.Unanswered("no facets of this text are recorded")
                return self.segments.get(text, unknown)
            case q.RateFacets(pairs):
                none = q.Unanswered("no rating of this facet is recorded")
                return q.FacetRatings(tuple(self.ratings.get(pair, none) for pair in pairs))
            case _:
                return q.Unanswered("a recorded judge rates facets, and was asked something else")


def recorded_answers(keys: RecordedJudge, given: JudgeInputs) -> RecordedAnswers:
    """The judge of these keys, over the records of all suites of a run.

    Where two papers or summaries are the same text, the first record of its segments counts, and
    of several ratings of the same two segments the lower median: a question has one answer.

    Raises:
        OptionError: where a suite of the run does not define the judge, or has other texts now.
        SuiteError: for a file of records that cannot be read, and a name that is not in it.
    """
    segments: dict[str, q.FacetSegments] = {}
    ratings: defaultdict[q.FacetPair, list[int]] = defaultdict(list)
    digest = hashlib.sha256()
    for suite in given.suites:
        every = read_records(given.file(suite, "file"), suite.roster)
        _check_named(keys, given.table(suite).table, every)
        models = {name for name, system in suite.systems.items() if system.summaries is None}
        records = [record for record in every if record.system not in models]
        for record in records:
            if record.by == keys.segments and record.segments is not None:
                recorded = replace(record.segments, recorded_by=record.by)
                _check_segments(suite, record, recorded)
                segments.setdefault(_text(suite, record), recorded)
                digest.update(_bytes(record))
        for record in records:
            if record.by == keys.by and record.facets is not None and record.system is not None:
                digest.update(_bytes(record))
                for pair, rating in _recorded_ratings(suite, record, segments):
                    ratings[pair].append(rating)
    return RecordedAnswers(
        signature=f"recorded {keys.by} segments={keys.segments} data={digest.hexdigest()[:12]}",
        segments=MappingProxyType(segments),
        ratings=MappingProxyType(
            {
                pair: q.FacetRating(
                    facet=pair.facet, reason=f"as recorded from {keys.by}", rating=median_low(each)
                )
                for pair, each in ratings.items()
            }
        ),
    )


def _check_named(keys: RecordedJudge, table: FileEntry, records: tuple[Recorded, ...]) -> None:
    """Refuse a judge that no record comes from."""
    rating = {record.by for record in records if record.facets is not None}
    segmenting = {record.by for record in records if record.segments is not None}
    for key, name, known, what in (
        ("by", keys.by, rating, "ratings of facets"),
        ("segments", keys.segments, segmenting, "segments"),
    ):
        if name not in known:
            fault = f"is {brief(name)}, and no record has {what} of that name"
            raise table.key_fault(key, f"{fault}; {closest(name, known)}")


def _check_segments(suite: Suite, record: Recorded, segments: q.FacetSegments) -> None:
    """Refuse segments of another text than is there now, whose ratings would go on counting.

    At least half of their sentences must stand in the text.
    """
    text = _text(suite, record)
    letters = _letters(text)
    lost = [piece for piece in ground(segments, text)[1] if _letters(piece) not in letters]
    n_pieces = sum(len(pieces_of(segments.segment(facet))) for facet in q.FACETS)
    if 2 * len(lost) > n_pieces:
        whose = f"system {record.system!r}" if record.system else "the reference"
        raise OptionError(
            f"{suite.shown}: the segments that {record.by!r} recorded of {whose} on paper"
            f" {record.paper!r} are of another text than is there now; record them again, or choose"
            " another judge"
        )


def _letters(text: str) -> str:
    """A text without what may differ in a quotation, also where words have no spaces."""
    return "".join(filter(str.isalnum, text.casefold()))


def _bytes(record: Recorded) -> bytes:
    of = record.segments
    segments = None if of is None else {facet: of.segment(facet) for facet in q.FACETS}
    values = [record.paper, record.system, dict(record.facets or {}), segments]
    return json.dumps(values, sort_keys=True).encode()


def _text(suite: Suite, record: Recorded) -> str:
    """The text of a record as the metric asks about it."""
    if record.system is None:
        return normalise(suite.paper(record.paper).references[0])
    return normalise(suite.pair(record.paper, record.system).summary)


def _recorded_ratings(
    suite: Suite, record: Recorded, segments: Mapping[str, q.FacetSegments]
) -> Iterator[tuple[q.FacetPair, int]]:
    """The ratings of a record, each with the two segments that the metric asks about.

    A facet that is empty in the recorded segments is absent, even where the metric finds its
    sentences elsewhere in the summary.
    """
    paper, summary = suite.paper(record.paper), _text(suite, record)
    text, reference = normalise(paper.references[0]), paper.reference_facets
    if reference is None and text in segments:
        reference = ground(segments[text], text)[0]
    if reference is None or summary not in segments:
        return
    recorded = ground(segments[summary], summary)[0]
    candidate = stated_again(reference, recorded, summary)
    for facet in q.FACETS:
        rating = (record.facets or {}).get(facet)
        if rating is None and not recorded.segment(facet):
            rating = EMPTY_RATING
        pair = q.FacetPair(
            facet=facet, reference=reference.segment(facet), candidate=candidate.segment(facet)
        )
        if pair.reference and pair.candidate and rating is not None:
            yield pair, rating
