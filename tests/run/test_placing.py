from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place, SuiteError
from summeval_pytest.metrics.score import Unscored
from summeval_pytest.questions import FacetSegments, SegmentFacets, Unanswered
from summeval_pytest.run.golden import RoleAnswer, role_answers
from summeval_pytest.run.measure import Evaluation, segments_flow
from summeval_pytest.suite.labels import Label, RoleLabel
from summeval_pytest.suite.values import Flaw, Pair, Paper, Section

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer

HERE = Place("golden/labels.jsonl", 7)
SUMMARY = "Abstract: Zinc was  given. Growth rose. We thank all."
ROLES = (
    RoleLabel(text="Abstract: Zinc was given.", facets=("method",)),
    RoleLabel(text="Growth rose.", facets=("result", "conclusion")),
    RoleLabel(text="We thank all.", facets=()),
)
SEGMENTS = FacetSegments(method="Zinc was given.", conclusion="Growth rose.")


def pair(flaw: Flaw | None = None) -> Pair:
    """A pair of the summary."""
    paper = Paper(
        id="zinc", source=(Section(text="Zinc."),), references=("Zinc helps.",), place=HERE
    )
    return Pair(paper=paper, system="careful", summary=SUMMARY, place=HERE, flaw=flaw)


def label(*roles: RoleLabel) -> Label:
    """A label of these roles."""
    return Label(paper="zinc", system="careful", roles=roles or None, place=HERE)


def evaluation(segments: FacetSegments | Unscored | None) -> Evaluation:
    """What became of the question for facets."""
    return Evaluation(pair=pair(), scores=(), signatures=(), source=(), segments=segments)


def ended(answer: Answer) -> FacetSegments | Unscored:
    """What the conversation ends in."""
    flow = segments_flow(pair())
    assert next(flow) == (SegmentFacets("Zinc was given. Growth rose. We thank all."),)
    with pytest.raises(StopIteration) as end:
        flow.send((answer,))
    found: FacetSegments | Unscored = end.value.value
    return found


def test_the_judge_is_asked_for_the_facets_of_the_summary() -> None:
    """The metric asks nothing of a summary that is its reference, as that of the authors is."""
    assert ended(SEGMENTS) == SEGMENTS
    assert ended(Unanswered("cut off")) == Unscored(
        metric="facet", status="unanswered", reason="cut off"
    )


def test_a_summary_that_is_none_is_not_asked_about() -> None:
    """An apology has no facets."""
    flow = segments_flow(pair(Flaw(status="refused_candidate", reason="it apologised")))
    with pytest.raises(StopIteration) as end:
        next(flow)
    assert end.value.value == Unscored(
        metric="facet", status="refused_candidate", reason="it apologised"
    )


def test_sentences_with_a_facet_are_held_against_the_segments() -> None:
    """What states no facet is nobody's, and labels are normalised as the summary is."""
    assert role_answers(label(*ROLES), evaluation(SEGMENTS)) == (
        RoleAnswer(right=("method",), answer="method"),
        RoleAnswer(right=("result", "conclusion"), answer="conclusion"),
    )


def test_a_sentence_that_the_summary_lacks_is_a_mistake_of_the_label() -> None:
    """It would be wrong for ever, whoever judges."""
    strange = RoleLabel(text="Growth fell.", facets=("result",))
    with pytest.raises(SuiteError) as caught:
        role_answers(label(strange), evaluation(SEGMENTS))
    assert str(caught.value) == (
        "golden/labels.jsonl:7: a role of system 'careful' on paper 'zinc' is of the sentence"
        " 'Growth fell.', which the summary does not have; copy it word for word"
    )
