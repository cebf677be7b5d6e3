from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.conflicts import ASKS
from summeval_pytest.judges.offline.facts import (
    PRESENT,
    PremiseIndex,
    Signs,
    added_to,
    check_facts,
    facts_of,
    premises_of,
    probability,
    weighed,
)
from summeval_pytest.judges.offline.lexicon import learned, rarity
from summeval_pytest.questions import CheckFacts, Fact, FactCheck, Settled
from summeval_pytest.text.words import content_words

if TYPE_CHECKING:
    from collections.abc import Sequence

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


@pytest.mark.parametrize("opening", ["On day 21 hulls weighed 40 kg", "This kept eight old hulls"])
def test_what_names_nobody_is_not_repeated(opening: str) -> None:
    """A time or a pronoun before the verb says nothing of what a later piece speaks of."""
    facts = facts_of(f"{opening} dry in the small port of Ghent.", 0, 0)
    assert [fact.text for fact in facts] == [f"{opening} dry.", "In the small port of Ghent."]


def test_range_is_not_broken_at_its_to() -> None:
    """Half a range would be another number."""
    (fact,) = facts_of("Looms wove from 14 to 16 metres daily.", 0, 0)[-1:]
    assert "14 to 16 metres" in fact.text


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
    """One that adds nothing is weighed whole; otherwise it would be weighed by nothing."""
    root, refined, *_ = facts_of(GLOVES, 0, 0)
    assert added_to(root.text, refined.text) == "to wool or nylon gloves."
    assert added_to("Red kites rose.", "Kites.") == "Kites."


@settings(deadline=None, max_examples=40)
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


ROOFS = ("Kites rose above copper roofs.", "Sixteen ferries crossed the lake.")


def test_a_word_weighs_by_its_rarity_and_its_kind() -> None:
    """A paraphrase keeps numbers and nouns and changes verbs, so these count less."""
    weights = dict(weighed("Kites reported 40 crossed lakes."))
    assert weights == {
        "kite": 0.5 + rarity("kite"),
        "report": 0.4 * 0.5 * (0.5 + rarity("report")),  # light, and an -ed form
        "40": 1.5 * (0.5 + rarity("40")),
        "cross": 0.5 * (0.5 + rarity("cross")),
        "lake": 0.5 + rarity("lake"),
    }


def test_words_are_traced_to_the_premises_that_have_them() -> None:
    """Premise 0 has the first two of three words, premise 1 the last: bits 1, 2 and 4."""
    traces = premises_of(ROOFS).trace((("copper", 1.0), ("roof", 2.0), ("lake", 4.0)))
    assert traces.carried == {0: 0b011, 1: 0b100}
    assert traces.held == 0b111
    assert traces.sums[0b110] == 6.0


@pytest.mark.parametrize(
    ("word", "premise"),
    [("16", "Sixteen ferries."), ("sixteen", "16 ferries."), ("organis", "The organizer spoke.")],
)
def test_a_word_is_found_in_another_form(word: str, premise: str) -> None:
    """Numbers in digits and words are the same, and so are spellings and derivations."""
    assert PremiseIndex((premise,)).stands_for(word) is not None


@pytest.mark.parametrize(
    ("word", "premise"),
    [("intern", "Interstate roads."), ("16", "Six ferries."), ("kite", "Kin met."), ("16", "166")],
)
def test_words_that_only_begin_alike_are_not_taken_for_one(word: str, premise: str) -> None:
    """Four letters in common are little in a long word, and digits are never cut."""
    assert PremiseIndex((premise,)).stands_for(word) is None


def test_words_in_one_phrase_are_closer_than_words_of_two_premises() -> None:
    """Copper and roofs are neighbours: 1 / 1. From roofs to sixteen are 3 more: 1 / 4."""
    index = premises_of(ROOFS)
    assert index.closeness(index.trace((("copper", 1.0), ("roof", 1.0)))) == 1.0
    assert index.closeness(index.trace((("roof", 1.0), ("sixteen", 1.0)))) == 0.25
    assert index.closeness(index.trace((("copper", 1.0), ("moon", 1.0), ("roof", 1.0)))) == 0.5


@settings(deadline=None, max_examples=40)
@given(st.text(), st.lists(st.text(), max_size=4))
def test_shares_are_bounded_for_any_text(fact: str, premises: list[str]) -> None:
    """No text makes a premise carry more than the fact has."""
    index = PremiseIndex(tuple(premises))
    traces = index.trace(weighed(fact))
    assert 0.0 <= index.closeness(traces) <= 1.0
    assert all(0 <= place < len(premises) for place in traces.carried)
    assert all(words & ~traces.held == 0 for words in traces.carried.values())


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


def test_conflict_outweighs_shared_words() -> None:
    """However many words are shared it does not hold, and the evidence is what the premise says."""
    found = checked("Wind speed rose in August.", MILL)
    assert not found.entailed
    assert 0.0 < strength(found) < PRESENT
    assert found.premises == (1,)
    assert found.reason.startswith(f"{ASKS}: direction: ")


def test_number_that_nothing_replaces_is_a_gap() -> None:
    """It makes the fact less probable; it does not contradict."""
    fact, more = "The miller kept bees.", "The miller kept bees for 60 years."
    plain, gap = (checked(text, ("Bees the miller kept.",)) for text in (fact, more))
    assert 0.0 < strength(gap) < strength(plain)


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


def test_premises_that_add_little_are_no_evidence() -> None:
    """The best premise has it all, so the second one, which repeats a word, is not named."""
    found = checked(
        "Kites rose over copper roofs.",
        ("Copper is dear.", "Kites rose slowly over the copper roofs."),
    )
    assert found.premises == (1,)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=6), st.data())
def test_fact_among_the_premises_is_present(premises: Sequence[str], data: st.DataObject) -> None:
    """Whatever a text says, repeating it is present."""
    place = data.draw(st.integers(0, len(premises) - 1))
    found = checked(premises[place], premises)
    assert (found.entailed, strength(found)) == (True, 1.0)
    assert premises[found.premises[0]] == premises[place]


@settings(deadline=None, max_examples=40)
@given(st.text(), st.lists(st.text(), max_size=4))
def test_probability_is_bounded_and_evidence_is_offered(fact: str, premises: Sequence[str]) -> None:
    """Strength is a probability and evidence are indices, for any text."""
    found = checked(fact, premises)
    assert 0.0 <= strength(found) <= 1.0
    assert found.entailed == (strength(found) >= PRESENT)
    assert all(0 <= place < len(premises) for place in found.premises)
    assert len(set(found.premises)) == len(found.premises)
