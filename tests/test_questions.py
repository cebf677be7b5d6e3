from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Final

import pytest

from summeval_pytest import questions

FACT = questions.Fact(text="Ice melts", sentence=0)


def test_facets_and_scales_are_the_papers() -> None:
    """FM, section 3.2; a scale changed by one metric would change the numbers of all."""
    assert questions.FACETS == ("background", "method", "result", "conclusion")
    assert list(questions.SCALES.items()) == list(zip(questions.FACETS, (3, 4, 4, 3), strict=True))
    with pytest.raises(TypeError):
        questions.SCALES["method"] = 5  # type: ignore[index]  # the point is that it cannot be set
    segments = questions.FacetSegments(**{facet: f"the {facet}" for facet in questions.FACETS})
    assert [segments.segment(facet) for facet in questions.FACETS] == [
        f"the {facet}" for facet in questions.FACETS
    ]


def test_every_field_of_a_question_counts() -> None:
    """Order counts, too."""
    assert questions.ListFacts(("a", "b")) != questions.ListFacts(("b", "a"))
    plain = questions.CheckFacts((FACT,), ("Ice thaws.",))
    assert plain.every_premise
    assert plain != questions.CheckFacts(plain.facts, plain.premises, every_premise=False)


RATING: Final = {"facet": "method", "reason": "", "rating": 4}


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (questions.SentenceCheck, {"reason": "", "supported": 0.1}),
        (questions.SentenceCheck, {"reason": "", "supported": None}),
        (questions.SentenceCheck, {"reason": "", "supported": True, "factual": "no"}),
        (questions.SentenceCheck, {"reason": "", "supported": True, "support": 50.0}),
        (questions.FactCheck, {"reason": "", "entailed": 1}),
        (questions.FactCheck, {"reason": "", "entailed": True, "support": math.nan}),
        (questions.FacetRating, RATING | {"rating": 3.5}),
        (questions.FacetRating, RATING | {"rating": True}),
        (questions.FacetRating, RATING | {"rating": 0}),
        (questions.FacetRating, RATING | {"facet": "background"}),
        (questions.FacetRating, RATING | {"coverage": 101}),
        (questions.FacetRating, RATING | {"confidence": -0.1}),
        (questions.FacetRatings, {"ratings": (SimpleNamespace(rating=4),)}),
        (questions.FactChecks, {"checks": (True,)}),
        (questions.SentenceChecks, {"checks": (questions.FactCheck(reason="", entailed=True),)}),
    ],
)
def test_what_only_looks_like_an_answer_is_refused(kind: type, values: dict[str, object]) -> None:
    """A judge of the user's that says 0.1 would be read as "supported", and meet its floors."""
    with pytest.raises((TypeError, ValueError)):
        kind(**values)
