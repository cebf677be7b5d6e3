from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.support import (
    FACT_COVERAGE,
    Support,
    support_fact,
    support_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MILL = (
    "The mill ground 40 sacks of rye a day.",
    "Wind speed fell in August.",
    "The miller kept bees.",
)


def test_paraphrase_with_the_same_numbers_is_supported() -> None:
    """A fifth of a sentence's weight is enough, for other words may say the rest."""
    found = support_sentence("Each day 40 rye sacks were ground.", MILL)

    assert found.holds
    assert found.evidence[0] == 0


def test_sentence_on_another_subject_is_not_supported() -> None:
    """The reason says how much was found and how much is needed."""
    assert support_sentence("Penguins swim far.", MILL) == Support(
        holds=False, strength=0.0, evidence=(), reason="0% of its words found, 20% needed"
    )


def test_conflict_outweighs_shared_words() -> None:
    """Strength is 0 however many words are shared, and the evidence is what the source says."""
    found = support_sentence("Wind speed rose in August.", MILL)

    assert found == Support(
        holds=False,
        strength=0.0,
        evidence=(1,),
        reason="direction: 'Wind speed rose in August.' against 'Wind speed fell in August.'",
    )


def test_changed_number_is_not_supported() -> None:
    """Every other word is right."""
    found = support_sentence("The mill ground 60 sacks of rye a day.", MILL)

    assert found.reason == "number: '60' against '40'"


def test_fact_is_weighed_by_what_it_adds() -> None:
    """The subject that it repeats is granted by the fact it refines."""
    fact, added = "The miller: with nine hives.", "with nine hives."

    assert not support_fact(fact, added, ("The miller kept bees.",)).holds
    assert support_fact(fact, added, ("The nine hives stood by the mill.",)).holds


def test_fact_needs_a_good_third_of_its_words() -> None:
    """One of four words is too little, two are enough."""
    added = "Amber lamps lit harbours."

    assert support_fact(added, added, ("Amber is old.",)).strength == 0.25 < FACT_COVERAGE
    assert support_fact(added, added, ("Amber lamps shine.",)).holds


@settings(deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=6), st.data())
def test_sentence_of_the_source_is_supported_by_itself_first(
    source: Sequence[str], data: st.DataObject
) -> None:
    """Whatever a source says, copying it is faithful."""
    place = data.draw(st.integers(0, len(source) - 1))

    found = support_sentence(source[place], tuple(source))

    assert found.holds
    assert found.strength == 1.0
    assert source[found.evidence[0]] == source[place]


@settings(deadline=None)
@given(st.text(), st.lists(st.text(), max_size=4))
def test_support_is_bounded_and_its_evidence_is_in_the_source(
    sentence: str, source: Sequence[str]
) -> None:
    """Strength is a share and evidence are indices, for any text."""
    found = support_sentence(sentence, tuple(source))

    assert 0.0 <= found.strength <= 1.0
    assert all(0 <= place < len(source) for place in found.evidence)
    assert len(set(found.evidence)) == len(found.evidence)
