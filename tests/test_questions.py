from __future__ import annotations

from dataclasses import fields
from typing import get_args

import pytest

from summeval_pytest.questions import (
    FACETS,
    SCALES,
    Answer,
    CheckFacts,
    FacetSegments,
    Fact,
    ListFacts,
    Question,
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


@pytest.mark.parametrize("kind", [*get_args(Question), *get_args(Answer)])
def test_questions_and_answers_are_keys_that_cannot_be_changed(kind: type) -> None:
    """Equal questions are asked once, and one answer serves every test: none may spoil it."""
    parameters = kind.__dataclass_params__  # type: ignore[attr-defined]  # of every dataclass
    assert (parameters.frozen, parameters.eq) == (True, True)
    assert "__slots__" in vars(kind)
    assert all(each.compare for each in fields(kind))


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
