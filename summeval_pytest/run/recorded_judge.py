"""A judge that answers with the judgements that a suite has recorded."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import replace
from statistics import median_low
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.recorded import RecordedJudge
from summeval_pytest.metrics.facet import EMPTY_RATING, ground, stated_again
from summeval_pytest.questions import FACETS, FacetPair, FacetRating
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.questions import FacetSegments
    from summeval_pytest.suite.labels import Recorded
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Paper, RecordedSpec


_DIGITS: Final = 12


def recorded_judge(spec: RecordedSpec, suites: Sequence[Suite]) -> RecordedJudge:
    """The judge of that name, over the records of all suites of a run.

    Where two papers or summaries are the same text, the first record of its segments counts, and
    of several ratings of the same two segments the lower median: a question has one answer.

    Raises:
        OptionError: where a suite of the run does not define the judge.
    """
    segments: dict[str, FacetSegments] = {}
    ratings: defaultdict[FacetPair, list[int]] = defaultdict(list)
    digest = hashlib.sha256()
    for suite in suites:
        if suite.recorded_judges.get(spec.name) != spec:
            raise OptionError(
                f"judge {spec.name!r} is recorded, and {suite.shown} has no records of it; gate the"
                " suites one by one"
            )
        records = [record for record in suite.recorded if _is_text_known(suite, record)]
        for record in records:
            if record.by == spec.segments_by and record.segments is not None:
                found = replace(record.segments, recorded_by=record.by)
                segments.setdefault(_text(suite, record), found)
                digest.update(_bytes(record))
        for record in records:
            if record.by == spec.by and record.facets is not None and record.system is not None:
                digest.update(_bytes(record))
                for pair, rating in _rated(suite, record, segments):
                    ratings[pair].append(rating)
    return RecordedJudge(
        signature=f"recorded {spec.by} segments={spec.segments_by} "
        f"data={digest.hexdigest()[:_DIGITS]}",
        segments=MappingProxyType(segments),
        ratings=MappingProxyType(
            {
                pair: FacetRating(
                    facet=pair.facet,
                    reason=f"as recorded from {spec.by}",
                    rating=median_low(found),
                )
                for pair, found in ratings.items()
            }
        ),
    )


def _bytes(record: Recorded) -> bytes:
    found = record.segments
    segments = None if found is None else {facet: found.segment(facet) for facet in FACETS}
    told = [record.paper, record.system, dict(record.facets or {}), segments]
    return json.dumps(told, sort_keys=True).encode()


def _is_text_known(suite: Suite, record: Recorded) -> bool:
    """Whether the text that a record is about stands in the suite, and need not be asked for."""
    return record.system is None or suite.systems[record.system].summaries is not None


def _text(suite: Suite, record: Recorded) -> str:
    """The text that a record is about, as the metric asks about it."""
    if record.system is None:
        return normalise(suite.paper(record.paper).references[0])
    return normalise(suite.pair(record.paper, record.system).summary)


def _rated(
    suite: Suite, record: Recorded, segments: Mapping[str, FacetSegments]
) -> Iterator[tuple[FacetPair, int]]:
    """The ratings of a record, each with the two segments that the metric asks about.

    A facet that the recorded segments leave empty is absent, also where the metric finds its
    sentences elsewhere in the summary and asks about them.
    """
    summary = _text(suite, record)
    paper = suite.paper(record.paper)
    theirs = _reference_segments(paper, segments)
    if theirs is None or summary not in segments:
        return
    ours = ground(segments[summary], summary).segments
    asked = stated_again(theirs, ours, summary)
    for facet in FACETS:
        rating = (record.facets or {}).get(facet)
        if rating is None and not ours.segment(facet):
            rating = EMPTY_RATING
        if theirs.segment(facet) and asked.segment(facet) and rating is not None:
            pair = FacetPair(
                facet=facet, reference=theirs.segment(facet), candidate=asked.segment(facet)
            )
            yield pair, rating


def _reference_segments(
    paper: Paper, segments: Mapping[str, FacetSegments]
) -> FacetSegments | None:
    """The reference's segments: the reviewed ones where the suite has frozen them."""
    if paper.reference_facets is not None:
        return paper.reference_facets
    text = normalise(paper.references[0])
    return ground(segments[text], text).segments if text in segments else None
