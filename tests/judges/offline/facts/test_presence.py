from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.facts import PRESENT, Signs, check_facts, look_for, probability
from summeval_pytest.judges.offline.lexicon import learned
from summeval_pytest.judges.offline.number_conflicts import ASKS
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, Settled

if TYPE_CHECKING:
    from collections.abc import Sequence

MILL = (
    "The mill ground 40 sacks of rye a day.",
    "Wind speed fell in August.",
    "The miller kept bees.",
)
NOTHING = Signs(
    found=0.0,
    together=0.0,
    close=0.0,
    numbers_lost=-1.0,
    rarest_lost=-1.0,
    beside=0.0,
    of_summary=0.0,
)
EVERYTHING = NOTHING._replace(
    found=1.0, together=1.0, close=1.0, numbers_lost=0.0, rarest_lost=0.0, beside=1.0
)
KITES = "Kites rose above copper roofs."


def checked(fact: str, premises: Sequence[str], *earlier: Settled) -> FactCheck:
    """The answer about one fact of a summary, which refines ``earlier`` ones."""
    asked = CheckFacts((Fact(text=fact, sentence=0),), tuple(premises), earlier=earlier)
    (check,) = check_facts(asked).checks
    assert isinstance(check, FactCheck)
    return check


def strength(check: FactCheck) -> float:
    """The probability that people say the fact is there."""
    assert check.support is not None
    return check.support


def held(facts: Sequence[str], premises: tuple[str, ...], *, every: bool = True) -> list[float]:
    """The probability of each fact, all asked in one question."""
    listed = tuple(Fact(text=fact, sentence=0) for fact in facts)
    answer = check_facts(CheckFacts(listed, premises, every_premise=every))
    return [
        check.support
        for check in answer.checks
        if isinstance(check, FactCheck) and check.support is not None
    ]


def test_fact_is_weighed_by_what_it_adds() -> None:
    """The subject that it repeats is granted by the fact it refines."""
    fact, known = "The miller: with nine hives.", Settled(text="The miller.", holds=True)

    assert not checked(fact, ("The miller kept bees.",), known).entailed
    assert checked(fact, ("The nine hives stood by the mill.",), known).entailed


def test_fact_in_other_words_is_present() -> None:
    """What carries it comes first among the evidence, and the reason says how probable it is."""
    found = checked("Each day 40 rye sacks were ground.", MILL)

    assert found.entailed
    assert found.premises == (0,)
    assert found.reason == f"100% of its words found, probability {strength(found):.2f}"


def test_fact_on_another_subject_is_not_present() -> None:
    """Without a shared word nothing carries it, though nobody is ever quite sure."""
    found = checked("Penguins swim far.", MILL)

    assert not found.entailed
    assert found.premises == ()
    assert 0.0 < strength(found) < 0.1


def test_conflict_outweighs_shared_words() -> None:
    """However many words are shared it does not hold, and the evidence is what the premise says."""
    found = checked("Wind speed rose in August.", MILL)

    assert not found.entailed
    assert 0.0 < strength(found) < PRESENT
    assert found.premises == (1,)
    assert found.reason.startswith(f"{ASKS}: direction: ")


def test_number_in_the_place_of_another_is_a_conflict() -> None:
    """Every other word is right."""
    changed = "The mill ground 60 sacks of rye a day."

    assert checked(changed, MILL).reason == f"{ASKS}: number: '60' against '40'"


def test_number_that_nothing_replaces_is_a_gap() -> None:
    """It makes the fact less probable; it does not contradict."""
    fact, more = "The miller kept bees.", "The miller kept bees for 60 years."

    plain, gap = (checked(text, ("Bees the miller kept.",)) for text in (fact, more))

    assert 0.0 < strength(gap) < strength(plain)


def test_fact_without_words_is_not_present() -> None:
    """Function words alone say nothing that could be looked for."""
    assert checked("It was so.", MILL).reason == "it has no words to look for"


def test_what_all_facts_say_is_their_topic() -> None:
    """The ferry is in each of three facts, so its being there tells little of any of them."""
    facts = ("The ferry sank.", "The ferry burned.", "The ferry hooted.")
    premises = ("A ferry crossed the lake.",)

    alone, among = held(facts[:1], premises)[0], held(facts, premises)[0]

    assert among < alone


def test_neighbours_count_among_listed_facts_of_a_reference() -> None:
    """A summary leaves out whole passages, so beside a fact that is there stand others."""
    premises = ("Kites rose high above the copper roofs.", "Lifting began.")
    listed = (Fact(text=KITES, sentence=0), Fact(text="Gusts lifted gliders.", sentence=1))
    refined = (listed[0], replace(listed[1], parent=0))

    of_list, of_clauses = (
        check_facts(CheckFacts(facts, premises, every_premise=False)).checks[1]
        for facts in (listed, refined)
    )

    assert isinstance(of_list, FactCheck)
    assert isinstance(of_clauses, FactCheck)
    assert (of_list.support or 0.0) > (of_clauses.support or 0.0)


def test_fact_of_a_summary_is_granted_more_readily() -> None:
    """People who compare two facts forgive more than people who look one up in a text."""
    fact, premises = ("Gusts lifted copper gliders.",), (KITES,)

    assert held(fact, premises, every=True)[0] > held(fact, premises, every=False)[0]


def test_more_signs_never_make_a_fact_less_probable() -> None:
    """No weight is negative, so each probability can be told from its signs."""
    slopes = learned("presence")["slopes"]

    assert len(slopes) == len(NOTHING)
    assert min(slopes.tolist()) >= 0.0
    assert probability(NOTHING) < PRESENT < probability(EVERYTHING)


@pytest.mark.parametrize("sign", ["found", "close", "numbers_lost", "beside"])
def test_each_sign_counts(sign: str) -> None:
    """A fact with all but one sign is less probable than one with all."""
    lacking = EVERYTHING._replace(**{sign: getattr(NOTHING, sign)})

    assert probability(lacking) < probability(EVERYTHING)


def test_signs_are_told_by_hand() -> None:
    """Both words found, next to each other, no number: all signs are full."""
    (sought,) = look_for(
        ("copper roofs",), ("Kites rose above copper roofs.",), of_summary=False, in_order=False
    )

    assert sought is not None
    assert sought.signs == EVERYTHING


def test_premises_that_add_little_are_no_evidence() -> None:
    """The best premise has it all, so the second one, which repeats a word, is not named."""
    found = checked(
        "Kites rose over copper roofs.",
        ("Copper is dear.", "Kites rose slowly over the copper roofs."),
    )

    assert found.premises == (1,)


@settings(deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=6), st.data())
def test_fact_among_the_premises_is_present(premises: Sequence[str], data: st.DataObject) -> None:
    """Whatever a text says, repeating it is present."""
    place = data.draw(st.integers(0, len(premises) - 1))

    found = checked(premises[place], premises)

    assert (found.entailed, strength(found)) == (True, 1.0)
    assert premises[found.premises[0]] == premises[place]


@settings(deadline=None)
@given(st.text(), st.lists(st.text(), max_size=4))
def test_probability_is_bounded_and_evidence_is_offered(fact: str, premises: Sequence[str]) -> None:
    """Strength is a probability and evidence are indices, for any text."""
    found = checked(fact, premises)

    assert 0.0 <= strength(found) <= 1.0
    assert found.entailed == (strength(found) >= PRESENT)
    assert all(0 <= place < len(premises) for place in found.premises)
    assert len(set(found.premises)) == len(found.premises)
