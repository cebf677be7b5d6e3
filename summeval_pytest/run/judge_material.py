"""Worked examples for an LLM judge, from the labels of its suites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.facet_ratings import rating_example
from summeval_pytest.judges.llm.fact_requests import fact_example
from summeval_pytest.judges.llm.prompts import EXAMPLE_TOKENS, NO_EXAMPLES, Example, Examples
from summeval_pytest.judges.llm.sentence_checks import sentence_example
from summeval_pytest.questions import FACETS, CheckSentences
from summeval_pytest.run.measure import source_of
from summeval_pytest.suite.labels import Label, cut
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Pair, Paper
from summeval_pytest.text.reading import normalise

T = TypeVar("T")


class LabelExamples(NamedTuple):
    """The examples of each kind; those of a kind that too few labels have are left out."""

    ratings: Examples
    sentences: Examples
    facts: Examples


def label_examples(judge: str, suites: Sequence[Suite]) -> LabelExamples:
    """The examples from the labels of all suites that define the judge.

    Papers that share a reference or a source are one paper.

    Raises:
        OptionError: where no kind has labels of two papers.
    """
    kin: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for texts in (_texts(suite.paper(paper)) for suite in suites for paper in suite.paper_ids):
        for text in texts:
            kin[text] |= texts
    found: list[Examples] = []
    for shows in (_rated, _checked, _decided):
        examples = Examples(
            Example(
                papers=frozenset().union(*(kin[text] for text in _texts(pair.paper))),
                labels=frozenset(shown),
                text=message,
                rank=0 if shows is _rated else len(message),  # short sources first
            )
            for suite in suites
            for pair, label in _labelled(suite, judge)
            for shown, message in shows(pair, label)
        )
        found.append(examples if examples.are_enough else NO_EXAMPLES)
    if not any(found):
        raise OptionError(
            f"judge {judge!r} takes its examples from labels, and {suites[0].shown} has too few: it"
            " needs recorded summaries of at least two papers with ratings of facets, or with"
            " sentences or facts of both kinds, at most"
            f" {EXAMPLE_TOKENS:,} tokens each with their texts; label more, or delete 'examples'"
        )
    return LabelExamples(*found)


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
