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
        if suite.judges.get(spec.name) != spec:
            raise OptionError(
                f"judge {spec.name!r} is recorded, and {suite.shown} has no records of it; gate the"
                " suites one by one"
            )
        models = {name for name, system in suite.systems.items() if system.summaries is None}
        records = [record for record in suite.recorded if record.system not in models]
        for record in records:
            if record.by == spec.segments_by and record.segments is not None:
                recorded = replace(record.segments, recorded_by=record.by)
                segments.setdefault(_text(suite, record), recorded)
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
                    facet=pair.facet, reason=f"as recorded from {spec.by}", rating=median_low(each)
                )
                for pair, each in ratings.items()
            }
        ),
    )


def _bytes(record: Recorded) -> bytes:
    of = record.segments
    segments = None if of is None else {facet: of.segment(facet) for facet in FACETS}
    values = [record.paper, record.system, dict(record.facets or {}), segments]
    return json.dumps(values, sort_keys=True).encode()


def _text(suite: Suite, record: Recorded) -> str:
    """The text of a record as the metric asks about it."""
    if record.system is None:
        return normalise(suite.paper(record.paper).references[0])
    return normalise(suite.pair(record.paper, record.system).summary)


def _rated(
    suite: Suite, record: Recorded, segments: Mapping[str, FacetSegments]
) -> Iterator[tuple[FacetPair, int]]:
    """The ratings of a record, each with the two segments that the metric asks about.

    A facet that is empty in the recorded segments is absent, even where the metric finds its
    sentences elsewhere in the summary.
    """
    summary = _text(suite, record)
    paper = suite.paper(record.paper)
    reference = _reference_segments(paper, segments)
    if reference is None or summary not in segments:
        return
    recorded = ground(segments[summary], summary)[0]
    candidate = stated_again(reference, recorded, summary)
    for facet in FACETS:
        rating = (record.facets or {}).get(facet)
        if rating is None and not recorded.segment(facet):
            rating = EMPTY_RATING
        pair = FacetPair(
            facet=facet, reference=reference.segment(facet), candidate=candidate.segment(facet)
        )
        if pair.reference and pair.candidate and rating is not None:
            yield pair, rating


def _reference_segments(
    paper: Paper, segments: Mapping[str, FacetSegments]
) -> FacetSegments | None:
    """The reference's segments: the reviewed ones where the suite has frozen them."""
    if paper.reference_facets is not None:
        return paper.reference_facets
    text = normalise(paper.references[0])
    return ground(segments[text], text)[0] if text in segments else None
