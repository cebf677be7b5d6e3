"""Worked examples for an LLM judge, made of the labels of its suites."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.examples import TOKENS, Example, Examples
from summeval_pytest.judges.llm.facet_ratings import rating_example
from summeval_pytest.judges.llm.sentence_checks import sentence_example
from summeval_pytest.questions import FACETS, CheckSentences
from summeval_pytest.run.measure import source_of
from summeval_pytest.suite.marking import cut
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair, Paper


Key = Literal["examples", "sentence_examples"]
"""The key of a judge's table that asks for the examples."""
_NEEDED: Final = {
    "examples": f"with ratings of facets, at most {TOKENS:,} tokens each with the reference",
    "sentence_examples": "with both faithful and unfaithful sentences, at most"
    f" {TOKENS:,} tokens each with the source",
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
        for shown, message in (_rated if key == "examples" else _checked)(pair, label)
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
    sides = [[each for each in labels if each.faithful == kind] for kind in (True, False)]
    shown = [each for side in sides for each in side[: min(map(len, sides))]]
    if shown:
        checks = {each.index + 1: (each.faithful, each.error or "") for each in shown}
        paper = " ".join(question.source)
        yield {(paper, 0)}, sentence_example(question, dict(sorted(checks.items())))
