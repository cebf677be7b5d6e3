from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.facts import added_by, facts_of
from summeval_pytest.questions import Fact
from summeval_pytest.text.words import content_words

GLOVES = (
    "Forty cyclists were assigned to wool or nylon gloves for six weeks during a cold winter,"
    " and grip strength fell by 3%."
)


def test_sentence_is_cut_at_clauses_and_phrases() -> None:
    """Each fact can be right or wrong by itself and names its subject, its own if it has one."""
    assert facts_of(GLOVES, 2, 5) == [
        Fact(text="Forty cyclists were assigned.", sentence=2),
        Fact(text="Forty cyclists: to wool or nylon gloves.", sentence=2, parent=5),
        Fact(text="Forty cyclists: for six weeks during a cold winter.", sentence=2, parent=5),
        Fact(text="Grip strength fell by 3%.", sentence=2, parent=5),
    ]


def test_clause_that_opens_with_a_verb_continues_its_subject() -> None:
    """It reads as a sentence then."""
    facts = facts_of("The ferry crossed two wide lakes but reached the north pier late.", 0, 0)

    assert [fact.text for fact in facts] == [
        "The ferry crossed two wide lakes.",
        "The ferry reached the north pier late.",
    ]


@pytest.mark.parametrize("opening", ["On day 21 hulls weighed 40 kg", "This kept eight old hulls"])
def test_what_names_nobody_is_not_repeated(opening: str) -> None:
    """A time or a pronoun before the verb says nothing of what a later piece speaks of."""
    facts = facts_of(f"{opening} dry in the small port of Ghent.", 0, 0)

    assert [fact.text for fact in facts] == [f"{opening} dry.", "In the small port of Ghent."]


def test_range_is_not_broken_at_its_to() -> None:
    """Half a range would be another number."""
    (fact,) = facts_of("Looms wove from 14 to 16 metres daily.", 0, 0)[-1:]

    assert "14 to 16 metres" in fact.text


def test_short_sentence_is_one_fact() -> None:
    """Two words can be true or false, though a shorter piece of a sentence is not cut off."""
    assert facts_of("Grip fell.", 0, 0) == [Fact(text="Grip fell.", sentence=0)]


def test_numbers_are_not_broken_at_their_comma_or_point() -> None:
    """A shard of a number would be missing from every text."""
    (fact,) = facts_of("Miners dug 1,204.5 tonnes.", 0, 0)

    assert fact.text == "Miners dug 1,204.5 tonnes."


def test_sentence_with_a_lost_line_break_has_a_root_on_each_side() -> None:
    """What stands under the next label refines nothing that stands before it."""
    facts = facts_of("Old looms wear out.results : new looms won.", 0, 3)

    assert [(fact.text, fact.parent) for fact in facts] == [
        ("Old looms wear out.", None),
        ("Results : new looms won.", None),
    ]


def test_micro_sign_stays_a_micro_sign() -> None:
    """Its capital is a Greek letter, which would turn the unit into another word."""
    (fact,) = facts_of("\u00b5g doses of copper", 0, 0)

    assert fact.text == "\u00b5g doses of copper."


@pytest.mark.parametrize("sentence", ["", ".", "of the", "( )", "\u2603"])
def test_sentence_without_content_states_no_fact(sentence: str) -> None:
    """There is nothing to check."""
    assert facts_of(sentence, 0, 0) == []


def test_refinement_adds_what_follows_its_subject() -> None:
    """A root, and a fact whose parent is not in the list, add all they say."""
    facts = tuple(facts_of(GLOVES, 0, 0))

    assert added_by(facts[0], facts) == facts[0].text
    assert added_by(facts[1], facts) == "to wool or nylon gloves."
    assert added_by(facts[1], ()) == facts[1].text


def test_refinement_that_adds_nothing_is_weighed_whole() -> None:
    """Otherwise it would be weighed by nothing."""
    facts = (Fact(text="Red kites rose.", sentence=0), Fact(text="Kites.", sentence=0, parent=0))

    assert added_by(facts[1], facts) == "Kites."


@settings(deadline=None)
@given(st.text(), st.integers(0, 5), st.integers(0, 5))
def test_facts_keep_every_content_word_and_stand_after_their_parents(
    sentence: str, place: int, offset: int
) -> None:
    """What a summary says must not be lost on the way to being checked."""
    facts = facts_of(sentence, place, offset)

    told = {word for fact in facts for word in content_words(fact.text)}
    assert set(content_words(sentence)) <= told
    for number, fact in enumerate(facts, start=offset):
        assert fact.sentence == place
        assert fact.parent is None or offset <= fact.parent < number
