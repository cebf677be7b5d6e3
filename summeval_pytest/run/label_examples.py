"""Worked examples for an LLM judge, made of the labels of a suite."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError
from summeval_pytest.judges.llm.examples import TOKENS, Example, Examples
from summeval_pytest.judges.llm.facet_ratings import rating_example
from summeval_pytest.questions import FACETS
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import JudgeSpec, Paper


def label_examples(spec: JudgeSpec, suites: Sequence[Suite]) -> Examples:
    """The examples for a judge, from the labels of all suites of the run that define it.

    Raises:
        OptionError: without rated summaries of two papers.
    """
    own = [suite for suite in suites if spec.name in suite.judges]
    kin = _kin(own)
    examples = Examples(each for suite in own for each in _rated(suite, kin))
    if not examples.are_enough:
        raise OptionError(
            f"judge {spec.name!r} takes its examples from labels, so {own[0].shown} needs recorded"
            " summaries of at least two papers with labelled ratings, each at most"
            f" {TOKENS:,} tokens with its reference; label more pairs, or write examples = true"
        )
    return examples


def _texts(paper: Paper) -> frozenset[str]:
    """The texts that tell a paper: its references, as a question has them, and its source."""
    source = "\n\n".join(section.text for section in paper.source)
    return frozenset(map(normalise, (*paper.references, source)))


def _kin(suites: Sequence[Suite]) -> Mapping[str, frozenset[str]]:
    """By text, all texts of the papers that share it."""
    kin: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for suite in suites:
        for texts in (_texts(suite.paper(paper)) for paper in suite.paper_ids):
            for text in texts:
                kin[text] |= texts
    return kin


def _rated(suite: Suite, kin: Mapping[str, frozenset[str]]) -> Iterator[Example]:
    """The rated summaries that stand in the suite's files."""
    for label in suite.all_labels.values():
        if suite.systems[label.system].summaries is None:
            continue
        pair = suite.pair(label.paper, label.system)
        segments, summary = pair.paper.reference_facets, normalise(pair.summary)
        ratings = {
            facet: rating
            for facet in FACETS
            if (rating := (label.facets or {}).get(facet)) is not None
            and (segments is None or segments.segment(facet))
        }
        if ratings and summary:
            reference = segments or normalise(pair.paper.references[0])
            yield Example(
                papers=frozenset().union(*(kin[text] for text in _texts(pair.paper))),
                labels=frozenset(ratings.items()),
                text=rating_example(reference, summary, ratings),
            )
