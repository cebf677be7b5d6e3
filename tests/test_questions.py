from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Final

import pytest

from summeval_pytest.questions import (
    FACETS,
    SCALES,
    CheckFacts,
    FacetRating,
    FacetRatings,
    FacetSegments,
    Fact,
    FactCheck,
    FactChecks,
    ListFacts,
    SentenceCheck,
    SentenceChecks,
    Settled,
)

FACT = Fact(text="Ice melts", sentence=0)


def test_facets_and_scales_are_the_papers() -> None:
    """FM, section 3.2; a scale changed by one metric would change the numbers of all."""
    assert FACETS == ("background", "method", "result", "conclusion")
    assert list(SCALES.items()) == list(zip(FACETS, (3, 4, 4, 3), strict=True))
    with pytest.raises(TypeError):
        SCALES["method"] = 5  # type: ignore[index]  # the point is that it cannot be set
    segments = FacetSegments(**{facet: f"the {facet}" for facet in FACETS})
    assert [segments.segment(facet) for facet in FACETS] == [f"the {facet}" for facet in FACETS]


def test_every_field_of_a_question_counts() -> None:
    """Order counts, too."""
    assert ListFacts(("a", "b")) != ListFacts(("b", "a"))
    plain = CheckFacts((FACT,), ("Ice thaws.",))
    assert (plain.every_premise, plain.earlier) == (True, ())
    different = {
        CheckFacts(plain.facts, plain.premises, earlier=(Settled(text="Ice is.", holds=holds),))
        for holds in (True, False, None)
    }
    different |= {plain, CheckFacts(plain.facts, plain.premises, every_premise=False)}
    assert len(different) == 5


RATING: Final = {"facet": "method", "reason": "", "rating": 4}


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (SentenceCheck, {"reason": "", "supported": 0.1}),
        (SentenceCheck, {"reason": "", "supported": None}),
        (SentenceCheck, {"reason": "", "supported": True, "factual": "no"}),
        (SentenceCheck, {"reason": "", "supported": True, "support": 50.0}),
        (FactCheck, {"reason": "", "entailed": 1}),
        (FactCheck, {"reason": "", "entailed": True, "support": math.nan}),
        (FacetRating, RATING | {"rating": 3.5}),
        (FacetRating, RATING | {"rating": True}),
        (FacetRating, RATING | {"rating": 0}),
        (FacetRating, RATING | {"facet": "background"}),
        (FacetRating, RATING | {"coverage": 101}),
        (FacetRating, RATING | {"confidence": -0.1}),
        (FacetRatings, {"ratings": (SimpleNamespace(rating=4),)}),
        (FactChecks, {"checks": (True,)}),
        (SentenceChecks, {"checks": (FactCheck(reason="", entailed=True),)}),
    ],
)
def test_an_answer_that_only_looks_like_one_is_refused(
    kind: type, values: dict[str, object]
) -> None:
    """A judge of the user's that says 0.1 would be read as "supported", and meet its floors."""
    with pytest.raises((TypeError, ValueError)):
        kind(**values)
