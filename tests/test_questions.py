from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import TYPE_CHECKING, get_args

import pytest

from summeval_pytest import questions
from summeval_pytest.questions import (
    FACETS,
    SCALES,
    CheckFacts,
    CheckSentences,
    CountFacts,
    FacetPair,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    FactCounts,
    FactList,
    ListFacts,
    ListRelations,
    RateFacets,
    RateSummary,
    Relation,
    RelationList,
    SegmentFacets,
    SentenceCheck,
    SentenceChecks,
    Settled,
    SummaryRating,
    Unanswered,
)

if TYPE_CHECKING:
    from summeval_pytest.questions import Answer, Question

FACT = Fact(text="Ice melts", sentence=0)
RELATION = Relation(head="Ice", relation="becomes", tail="water", statement="Ice becomes water.")
PAIR = FacetPair(facet="result", reference="It melts.", candidate="It thaws.")


def asked() -> list[Question]:
    """One question of every kind, made anew."""
    return [
        SegmentFacets("Ice melts."),
        RateFacets((PAIR,)),
        ListFacts(("Ice melts.",)),
        CheckFacts((FACT,), ("Ice thaws.",)),
        CheckSentences(("Ice melts.",), ("Ice thaws.",)),
        ListRelations("Ice melts. Water runs."),
        CountFacts("Ice melts.", "Ice thaws."),
        RateSummary("Ice melts.", "Ice thaws."),
    ]


def answered() -> list[Answer]:
    """One answer of every kind, made anew."""
    return [
        FacetSegments(result="It melts."),
        FacetRatings((FacetRating(facet="result", reason="same", rating=4),)),
        FactList((FACT,)),
        FactChecks((FactCheck(reason="same", entailed=True, premises=(0,)),)),
        SentenceChecks((SentenceCheck(reason="same", supported=True, evidence=(0,)),)),
        RelationList((RELATION,), 2),
        FactCounts(reason="same", reference=1, candidate=1, matched=1),
        SummaryRating(reason="same", rating=4),
        Unanswered("timed out"),
    ]


def test_facets_and_scales_are_the_papers() -> None:
    """FM, section 3.2: 1 to 3 for background and conclusion, 1 to 4 for method and result."""
    assert FACETS == ("background", "method", "result", "conclusion")
    assert dict(SCALES) == {"background": 3, "method": 4, "result": 4, "conclusion": 3}
    assert tuple(SCALES) == FACETS


def test_scales_are_read_only() -> None:
    """A scale changed by one metric would change the numbers of all."""
    with pytest.raises(TypeError):
        SCALES["method"] = 5  # type: ignore[index]  # the point is that it cannot be set


def test_every_kind_is_made_above() -> None:
    """The laws below hold for all questions and answers, or they say little."""
    assert {type(question) for question in asked()} == set(get_args(questions.Question))
    assert {type(answer) for answer in answered()} == set(get_args(questions.Answer))


def test_segments_have_a_field_for_each_facet() -> None:
    """A facet that segments could not hold would always be empty."""
    assert tuple(field.name for field in fields(FacetSegments)) == FACETS


def test_segment_is_looked_up_by_its_facet() -> None:
    """And is empty unless stated."""
    segments = FacetSegments(**{facet: f"the {facet}" for facet in FACETS})
    assert [segments.segment(facet) for facet in FACETS] == [f"the {facet}" for facet in FACETS]
    assert FacetSegments(result="x").segment("method") == ""


def test_equal_questions_are_one_question() -> None:
    """What is the same is asked once: questions are keys."""
    assert len({*asked(), *asked()}) == len(asked())
    assert len({*answered(), *answered()}) == len(answered())


def test_questions_that_differ_in_order_are_two() -> None:
    """Answers come back in the order asked."""
    assert ListFacts(("a", "b")) != ListFacts(("b", "a"))
    assert CheckSentences(("a",), ("b",)) != CheckSentences(("b",), ("a",))


@pytest.mark.parametrize("value", [*asked(), *answered()], ids=lambda value: type(value).__name__)
def test_questions_and_answers_cannot_be_changed(value: Question | Answer) -> None:
    """One answer serves every test that asks; none may spoil it for the others."""
    name = fields(value)[0].name
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, "spoilt")
    with pytest.raises((AttributeError, TypeError)):
        setattr(value, "note", "spoilt")  # noqa: B010  # no such field, as mypy would say too


def test_facts_and_checks_need_no_more_than_their_meaning() -> None:
    """A root has no parent, and a judge need not state a strength of belief."""
    assert FACT.parent is None
    check = FactCheck(reason="", entailed=False)
    assert (check.premises, check.support) == ((), None)
    sentence = SentenceCheck(reason="", supported=False)
    assert (sentence.evidence, sentence.support, sentence.n_ungrounded) == ((), None, 0)


def test_every_premise_is_wanted_unless_enough_of_them_will_do() -> None:
    """Recall counts premises; where nothing counts them, it is another and cheaper question."""
    asked = CheckFacts((FACT,), ("Ice thaws.",))
    assert asked.every_premise
    assert asked != CheckFacts((FACT,), ("Ice thaws.",), every_premise=False)


def test_a_question_with_earlier_verdicts_is_another_one() -> None:
    """A fact may be entailed for what it adds, and not by itself."""
    asked = CheckFacts((FACT,), ("Ice thaws.",))
    assert asked.earlier == ()
    settled = {
        CheckFacts(asked.facts, asked.premises, earlier=(Settled(text="Ice is.", holds=holds),))
        for holds in (True, False, None)
    }
    assert len(settled | {asked}) == 4
