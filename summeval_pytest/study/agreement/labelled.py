"""What only `summeval agree` reads from labels: evidence of sentences, and their roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.facet import facets_of
from summeval_pytest.metrics.flow import ask, ends_unscored
from summeval_pytest.questions import Facet, FacetSegments, SegmentFacets
from summeval_pytest.run.golden import (
    check_roles,
    group_of,
    label_task,
    labelled_sentences,
    places_of,
)
from summeval_pytest.run.measure import Extra, check_flaw
from summeval_pytest.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.metrics.flow import Dialogue
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.runner import Task
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCase:
    """One sentence that labels give evidence for.

    Attributes:
        group: Papers with the same reference are resampled as one group.
        labelled: The places of its labelled evidence among the source's sentences, at least one.
        named: The places that the judge named; None where it gave no answer.
    """

    group: str
    sentence: str
    source: tuple[str, ...]
    labelled: tuple[int, ...]
    named: tuple[int, ...] | None


def evidence_tasks(suite: Suite, *, every: bool = False) -> dict[Task, Label]:
    """The tasks of pairs with such a sentence, in the order of the labels.

    Sentences that labels do not call faithful count where ``every`` is set.
    """
    return {
        label_task(suite, label, ("faithfulness",)): label
        for label in suite.labels.values()
        if any(s.evidence and (s.faithful or every) for s in label.sentences or ())
    }


def evidence_cases(
    label: Label, evaluation: Evaluation, *, every: bool = False
) -> Iterator[EvidenceCase]:
    """The cases of one labelled pair; none where its summary could not be judged.

    Sentences that labels do not call faithful count where ``every`` is set.
    """
    for each, text, judged in labelled_sentences(label, evaluation):
        places = places_of(each.evidence, evaluation.source) if each.faithful or every else ()
        if places:
            yield EvidenceCase(
                group=group_of(evaluation.pair.paper),
                sentence=text,
                source=evaluation.source,
                labelled=places,
                named=judged.evidence if judged.supported is not None else None,
            )


@ends_unscored("facet")
def segments_flow(pair: Pair) -> Dialogue[FacetSegments]:
    """The conversation about the facets of a summary, to compare labelled roles with."""
    check_flaw(pair)
    (segments,) = yield from ask(FacetSegments, SegmentFacets(normalise(pair.summary)))
    return segments


SEGMENTS: Final = Extra("facet", segments_flow)
"""The facets of the summary, beside the metrics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleAnswer:
    """One sentence with a labelled role: the facets that are right, at least one.

    ``answer`` is the facet in whose segment the judge has the sentence; None for none of them.
    """

    right: tuple[Facet, ...]
    answer: Facet | None


def role_answers(label: Label, evaluation: Evaluation) -> tuple[RoleAnswer, ...]:
    """The labelled sentences of a pair that state a facet; none without the judge's segments."""
    segments = evaluation.extras.get(SEGMENTS.name)
    check_roles(label, evaluation.pair.summary)
    if not isinstance(segments, FacetSegments):
        return ()
    stating = [role for role in label.roles or () if role.facets]
    placed = facets_of((normalise(role.text) for role in stating), segments)
    return tuple(
        RoleAnswer(right=role.facets, answer=answer)
        for role, answer in zip(stating, placed, strict=True)
    )
