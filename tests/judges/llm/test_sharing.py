from __future__ import annotations

from summeval_pytest.judges.llm.sharing import sharing
from summeval_pytest.questions import (
    CheckFacts,
    FacetPair,
    Fact,
    ListFacts,
    RateFacets,
    SegmentFacets,
)

PREMISES = ("Bricks crack.",)


def test_a_chain_of_facts_shares_one_request() -> None:
    """Fifteen fit: the last fact refines the first and goes with it, so the one before is late."""
    facts = [Fact(text=f"Brick {number} broke.", sentence=number) for number in range(16)]
    facts[15] = Fact(text="Brick 0 broke twice.", sentence=0, parent=0)
    first, second = sharing(CheckFacts(tuple(facts), PREMISES))
    assert first == (0, 15, *range(1, 14))
    assert second == (14,)


def test_more_facts_share_a_request_where_enough_premises_do() -> None:
    """Replies are shorter then: 25 instead of 15."""
    facts = tuple(Fact(text=f"Brick {number} broke.", sentence=number) for number in range(25))
    assert len(sharing(CheckFacts(facts, PREMISES, every_premise=False))) == 1
    assert len(sharing(CheckFacts(facts, PREMISES))) == 2


def test_all_facets_share_a_request() -> None:
    """There are four at most."""
    pair = FacetPair(facet="result", reference="Bricks broke.", candidate="They broke.")
    assert sharing(RateFacets((pair, pair, pair))) == ((0, 1, 2),)


def test_a_text_has_no_items_before_it_is_read() -> None:
    """Its facets and facts are the answer."""
    assert sharing(SegmentFacets("Bricks crack.")) == ()
    assert sharing(ListFacts(("Bricks crack.",))) == ()
