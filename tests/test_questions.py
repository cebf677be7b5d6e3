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


def asked() -> list[Question]:
    """One question of every kind, made anew."""
    return [
        SegmentFacets("Ice melts."),
        RateFacets((FacetPair(facet="result", reference="It melts.", candidate="It thaws."),)),
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
        RelationList((Relation(head="a", relation="b", tail="c", statement="Ice runs."),), 2),
        FactCounts(reason="same", reference=1, candidate=1, matched=1),
        SummaryRating(reason="same", rating=4),
        Unanswered("timed out"),
    ]


def test_facets_and_scales_are_the_papers() -> None:
    """FM, section 3.2; a scale changed by one metric would change the numbers of all."""
    assert FACETS == ("background", "method", "result", "conclusion")
    assert list(SCALES.items()) == list(zip(FACETS, (3, 4, 4, 3), strict=True))
    with pytest.raises(TypeError):
        SCALES["method"] = 5  # type: ignore[index]  # the point is that it cannot be set


def test_every_kind_is_made_above() -> None:
    """The laws below hold for all questions and answers, or they say little."""
    assert {type(question) for question in asked()} == set(get_args(questions.Question))
    assert {type(answer) for answer in answered()} == set(get_args(questions.Answer))


def test_segments_have_a_field_for_each_facet() -> None:
    """A facet that segments could not hold would always be empty."""
    names = tuple(field.name for field in fields(FacetSegments))
    assert names == (*FACETS, "recorded_by")
    segments = FacetSegments(**{facet: f"the {facet}" for facet in FACETS})
    assert [segments.segment(facet) for facet in FACETS] == [f"the {facet}" for facet in FACETS]
    assert FacetSegments(result="x").segment("method") == ""


def test_equal_questions_are_one_question_and_others_are_not() -> None:
    """What is the same is asked once: questions are keys. Order and every field count."""
    assert len({*asked(), *asked()}) == len(asked())
    assert len({*answered(), *answered()}) == len(answered())
    assert ListFacts(("a", "b")) != ListFacts(("b", "a"))
    plain = CheckFacts((FACT,), ("Ice thaws.",))
    assert (plain.every_premise, plain.earlier) == (True, ())
    different = {
        CheckFacts(plain.facts, plain.premises, earlier=(Settled(text="Ice is.", holds=holds),))
        for holds in (True, False, None)
    }
    different |= {plain, CheckFacts(plain.facts, plain.premises, every_premise=False)}
    assert len(different) == 5


@pytest.mark.parametrize("value", [*asked(), *answered()], ids=lambda value: type(value).__name__)
def test_questions_and_answers_cannot_be_changed(value: Question | Answer) -> None:
    """One answer serves every test that asks; none may spoil it for the others."""
    with pytest.raises(FrozenInstanceError):
        setattr(value, fields(value)[0].name, "spoilt")
    with pytest.raises((AttributeError, TypeError)):
        setattr(value, "note", "spoilt")  # noqa: B010  # no such field, as mypy would say too
