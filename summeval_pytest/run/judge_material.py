"""What judges take from their suites: worked examples from labels, and recorded answers."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median_low
from types import MappingProxyType
from typing import Final, Literal, TypeVar

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.judge import RecordedJudge
from summeval_pytest.judges.llm.facet_ratings import rating_example
from summeval_pytest.judges.llm.fact_requests import fact_example
from summeval_pytest.judges.llm.prompts import EXAMPLE_TOKENS, Example, Examples
from summeval_pytest.judges.llm.sentence_checks import sentence_example
from summeval_pytest.metrics.facet import EMPTY_RATING, ground, pieces_of, stated_again
from summeval_pytest.questions import FACETS, CheckSentences, FacetPair, FacetRating, FacetSegments
from summeval_pytest.run.measure import source_of
from summeval_pytest.suite.labels import Label, Recorded, cut
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Pair, Paper, RecordedSpec
from summeval_pytest.text.reading import normalise

T = TypeVar("T")
Key = Literal["examples", "sentence_examples", "fact_examples"]
"""The key of a judge's table that asks for the examples."""
_NEEDED: Final = {
    "examples": f"with ratings of facets, at most {EXAMPLE_TOKENS:,} tokens each with the"
    " reference",
    "sentence_examples": "with both faithful and unfaithful sentences, at most"
    f" {EXAMPLE_TOKENS:,} tokens each with the source",
    "fact_examples": "with both facts that follow and facts that do not, at most"
    f" {EXAMPLE_TOKENS:,} tokens each with the premises",
}


def label_examples(key: Key, judge: str, suites: Sequence[Suite]) -> Examples:
    """The examples of one kind, from the labels of all suites that define the judge.

    Papers that share a reference or a source are one paper.

    Raises:
        OptionError: without labels of two papers.
    """
    kin: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for texts in (_texts(suite.paper(paper)) for suite in suites for paper in suite.paper_ids):
        for text in texts:
            kin[text] |= texts
    examples = Examples(
        Example(
            papers=frozenset().union(*(kin[text] for text in _texts(pair.paper))),
            labels=frozenset(shown),
            text=message,
            rank=0 if key == "examples" else len(message),  # short sources first
        )
        for suite in suites
        for pair, label in _labelled(suite, judge)
        for shown, message in _SHOWN[key](pair, label)
    )
    if not examples.are_enough:
        raise OptionError(
            f"judge {judge!r} takes its {key!r} from labels, and {suites[0].shown} has too few: it"
            f" needs recorded summaries of at least two papers {_NEEDED[key]}; label more, or"
            f" delete {key!r}"
        )
    return examples


def _labelled(suite: Suite, judge: str) -> Iterator[tuple[Pair, Label]]:
    """The labelled summaries that stand in the files of a suite that defines the judge."""
    for label in suite.all_labels.values() if judge in suite.judges else ():
        if suite.systems[label.system].summaries is not None:
            yield suite.pair(label.paper, label.system), label


def _texts(paper: Paper) -> frozenset[str]:
    """The texts that tell a paper, as questions have them: its references and its source."""
    return frozenset((*map(normalise, paper.references), " ".join(source_of(paper))))


Shown = tuple[set[tuple[str, int]], str]
"""What an example shows, as `Example` has it, and its text."""


def _rated(pair: Pair, label: Label) -> Iterator[Shown]:
    segments, summary = pair.paper.reference_facets, normalise(pair.summary)
    ratings = {
        facet: rating
        for facet in FACETS
        if (rating := (label.facets or {}).get(facet)) is not None
        and (segments is None or segments.segment(facet))
    }
    if ratings and summary:
        reference = segments or normalise(pair.paper.references[0])
        yield set(ratings.items()), rating_example(reference, summary, ratings)


def _checked(pair: Pair, label: Label) -> Iterator[Shown]:
    """The first sentences of a summary, as many faithful ones as unfaithful ones."""
    question = CheckSentences(cut(pair.summary), source_of(pair.paper))
    labels = [each for each in label.sentences or () if each.index < len(question.sentences)]
    labels.sort(key=lambda each: each.index)
    if shown := _as_many(labels, [each.faithful for each in labels]):
        checks = {each.index + 1: (each.faithful, each.error or "") for each in shown}
        paper = " ".join(question.source)
        yield {(paper, 0)}, sentence_example(question, checks)


def _as_many(items: Sequence[T], sides: Sequence[bool]) -> list[T]:
    """The first items of both sides, in order, as many of one as of the other."""
    left = dict.fromkeys((True, False), min(sides.count(True), sides.count(False)))
    kept = []
    for item, side in zip(items, sides, strict=True):
        if left[side]:
            left[side] -= 1
            kept.append(item)
    return kept


def _decided(pair: Pair, label: Label) -> Iterator[Shown]:
    """The first facts of a reference and of a summary, as many that hold as that do not."""
    if label.facts is None:
        return
    reference = tuple(text for each in pair.paper.references for text in cut(each))
    sides = ((label.facts.reference, cut(pair.summary)), (label.facts.candidate, reference))
    for facts, premises in sides:
        shown = _as_many(facts, [fact.holds for fact in facts])
        if shown and premises:
            message = fact_example(premises, [f.text for f in shown], [f.holds for f in shown])
            yield {(message, 0)}, message


_SHOWN: Final = {"examples": _rated, "sentence_examples": _checked, "fact_examples": _decided}


def recorded_judge(spec: RecordedSpec, suites: Sequence[Suite]) -> RecordedJudge:
    """The judge of that name, over the records of all suites of a run.

    Where two papers or summaries are the same text, the first record of its segments counts, and
    of several ratings of the same two segments the lower median: a question has one answer.

    Raises:
        OptionError: where a suite of the run does not define the judge, or has other texts now.
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
                _check_segments(suite, record, recorded)
                segments.setdefault(_text(suite, record), recorded)
                digest.update(_bytes(record))
        for record in records:
            if record.by == spec.by and record.facets is not None and record.system is not None:
                digest.update(_bytes(record))
                for pair, rating in _recorded_ratings(suite, record, segments):
                    ratings[pair].append(rating)
    return RecordedJudge(
        signature=f"recorded {spec.by} segments={spec.segments_by} data={digest.hexdigest()[:12]}",
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


def _check_segments(suite: Suite, record: Recorded, segments: FacetSegments) -> None:
    """Refuse segments of another text than is there now, whose ratings would go on counting.

    At least half of their sentences must stand in the text.
    """
    text = _text(suite, record)
    letters = _letters(text)
    lost = [piece for piece in ground(segments, text)[1] if _letters(piece) not in letters]
    n_pieces = sum(len(pieces_of(segments.segment(facet))) for facet in FACETS)
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
    segments = None if of is None else {facet: of.segment(facet) for facet in FACETS}
    values = [record.paper, record.system, dict(record.facets or {}), segments]
    return json.dumps(values, sort_keys=True).encode()


def _text(suite: Suite, record: Recorded) -> str:
    """The text of a record as the metric asks about it."""
    if record.system is None:
        return normalise(suite.paper(record.paper).references[0])
    return normalise(suite.pair(record.paper, record.system).summary)


def _recorded_ratings(
    suite: Suite, record: Recorded, segments: Mapping[str, FacetSegments]
) -> Iterator[tuple[FacetPair, int]]:
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
    for facet in FACETS:
        rating = (record.facets or {}).get(facet)
        if rating is None and not recorded.segment(facet):
            rating = EMPTY_RATING
        pair = FacetPair(
            facet=facet, reference=reference.segment(facet), candidate=candidate.segment(facet)
        )
        if pair.reference and pair.candidate and rating is not None:
            yield pair, rating
