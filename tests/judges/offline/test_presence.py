from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.judges.offline.learned import rarity
from summeval_pytest.judges.offline.presence import (
    PRESENT,
    check_facts,
    facts_of,
    is_heading,
    weighed,
)
from summeval_pytest.questions import CheckFacts, Fact, FactCheck
from summeval_pytest.text.words import content_words
from tests.judges.offline.test_support import MILL

GLOVES = (
    "Forty cyclists were assigned to wool or nylon gloves for six weeks during a cold winter,"
    " and grip strength fell by 3%."
)
ROOFS = ("Kites rose above copper roofs.", "Sixteen ferries crossed the lake.")


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        # Each fact can be right or wrong by itself and names its subject, its own if it has one.
        (GLOVES, ["Forty cyclists were assigned.", "Forty cyclists: to wool or nylon gloves.",
                  "Forty cyclists: for six weeks during a cold winter.",
                  "Grip strength fell by 3%."]),
        # A time or a pronoun before the verb says nothing of what a later piece speaks of.
        ("On day 21 hulls weighed 40 kg dry in the small port of Ghent.",
         ["On day 21 hulls weighed 40 kg dry.", "In the small port of Ghent."]),
        ("This kept eight old hulls dry in the small port of Ghent.",
         ["This kept eight old hulls dry.", "In the small port of Ghent."]),
        # Half a range would be another number.
        ("Looms wove from 14 to 16 metres daily.", ["Looms wove from 14 to 16 metres daily."]),
        # The capital of a micro sign is a Greek letter, which would make another word of the unit.
        ("\u00b5g doses of copper", ["\u00b5g doses of copper."]),
        *((sentence, []) for sentence in ("", ".", "of the", "( )", "\u2603")),
    ],
)  # fmt: skip
def test_a_sentence_is_cut_at_clauses_and_phrases(sentence: str, texts: list[str]) -> None:
    """The later facts of a sentence refine its first one; without content there is none."""
    facts = facts_of(sentence, 2, 5)
    assert [fact.text for fact in facts] == texts
    assert [fact.parent for fact in facts] == [None, 5, 5, 5][: len(facts)]


def test_a_sentence_with_a_lost_line_break_has_a_root_on_each_side() -> None:
    """What stands under the next label refines nothing that stands before it."""
    assert facts_of("Old looms wear out.results : new looms won.", 0, 3) == [
        Fact(text="Old looms wear out.", sentence=0),
        Fact(text="Results : new looms won.", sentence=0),
    ]


@pytest.mark.parametrize(
    ("sentence", "states"),
    [
        ("Speed and uptime:", False),
        ("What did they find?", False),
        ("Why did mortality rise by 30 %?", True),
        ("No deaths", True),
        ("Kites rose.", True),
        ("Doses: 5 mg.", True),
        ("Zinc shortened hospital stay.", True),
    ],
)
def test_a_heading_states_no_fact(sentence: str, states: bool) -> None:
    """A model's own headings must not lower its precision; what has a verb or a number is kept."""
    assert bool(facts_of(sentence, 0, 0)) == states


@given(st.text(), st.integers(0, 5), st.integers(0, 5))
def test_facts_keep_words_and_stand_after_their_parents(
    sentence: str, place: int, offset: int
) -> None:
    """What a summary says must not be lost on the way to being checked; a heading says nothing."""
    facts = facts_of(sentence, place, offset)
    message = {word for fact in facts for word in content_words(fact.text)}
    assert is_heading(sentence) or set(content_words(sentence)) <= message
    for number, fact in enumerate(facts, start=offset):
        assert fact.sentence == place
        assert fact.parent is None or offset <= fact.parent < number


def test_a_word_weighs_by_its_rarity_and_its_kind() -> None:
    """A paraphrase keeps numbers and nouns and changes verbs, so these count less."""
    assert weighed("Kites reported 40 crossed lakes.") == {
        "kite": 0.5 + rarity("kite"),
        "report": 0.4 * 0.5 * (0.5 + rarity("report")),  # light, and an -ed form
        "40": 1.5 * (0.5 + rarity("40")),
        "cross": 0.5 * (0.5 + rarity("cross")),
        "lake": 0.5 + rarity("lake"),
    }


def checked(fact: str, premises: Sequence[str], before: str = "") -> FactCheck:
    """The answer about one fact of a summary, which refines the one ``before``."""
    requested = CheckFacts((Fact(text=fact, sentence=0),), tuple(premises))
    (check,) = check_facts(requested, before).checks
    assert isinstance(check, FactCheck)
    return check


def kept(facts: tuple[Fact, ...], premises: tuple[str, ...], *, every: bool = True) -> list[float]:
    """The probability of each fact, all asked in one question."""
    answer = check_facts(CheckFacts(facts, premises, every_premise=every))
    return [check.support or 0.0 for check in answer.checks if isinstance(check, FactCheck)]


def listed(*texts: str) -> tuple[Fact, ...]:
    """Facts that refine none."""
    return tuple(Fact(text=text, sentence=place) for place, text in enumerate(texts))


def test_a_fact_is_weighed_by_what_it_adds() -> None:
    """The subject that it repeats is granted by the fact it refines."""
    fact, known = "The miller: with nine hives.", "The miller."
    assert not checked(fact, ("The miller kept bees.",), known).entailed
    assert checked(fact, ("The nine hives stood by the mill.",), known).entailed


def test_a_fact_in_other_words_is_present() -> None:
    """What carries it comes first among the evidence, and the reason says how probable it is.

    A premise that only repeats a word of a better one is not named.
    """
    check = checked("Each day 40 rye sacks were ground.", MILL)
    assert check.entailed
    assert check.premises == (0,)
    assert check.reason == f"all words found; {check.support:.0%} likely to be there, 35% needed"
    premises = ("Copper is dear.", "Kites rose slowly over the copper roofs.")
    assert checked("Kites rose over copper roofs.", premises).premises == (1,)
    nothing = FactCheck(reason="it has no words to look for", entailed=False, support=0.0)
    assert checked("\u2603", MILL) == nothing


def test_a_conflict_outweighs_shared_words() -> None:
    """However many words are shared it does not hold, and the evidence is what the premise says."""
    result = checked("Wind speed rose in August.", MILL)
    assert not result.entailed
    assert result.undecided
    assert 0.0 < (result.support or 0.0) < PRESENT
    assert result.premises == (1,)
    assert result.reason.startswith("direction: ")


def test_what_makes_a_fact_more_probable() -> None:
    """A number that nothing replaces is a gap and no conflict.

    What all facts say is their topic, which tells little of any. Beside a fact that is there stand
    others: a summary leaves out whole passages; clauses of a sentence share their subject anyway.
    People who compare two facts forgive more than people who look one up in a text.
    """
    bees = ("Bees the miller kept.",)
    (gap,), (plain,) = (
        kept(listed(text), bees)
        for text in ("The miller kept bees for 60 years.", "The miller kept bees.")
    )
    assert 0.0 < gap < plain
    ferry, lake = (
        listed("The ferry sank.", "It burned; the ferry.", "The ferry hooted."),
        "A ferry.",
    )
    assert kept(ferry, (lake,))[0] < kept(ferry[:1], (lake,))[0]
    premises = ("Kites rose high above the copper roofs.", "Lifting began.")
    apart = listed(ROOFS[0], "Gusts lifted gliders.")
    refined = (apart[0], replace(apart[1], parent=0))
    assert kept(refined, premises, every=False)[1] < kept(apart, premises, every=False)[1]
    copper = listed("Gusts lifted copper gliders.")
    assert kept(copper, ROOFS[:1], every=False)[0] < kept(copper, ROOFS[:1], every=True)[0]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6), st.data())
def test_a_fact_among_the_premises_is_present(premises: Sequence[str], data: st.DataObject) -> None:
    """Whatever a text says, repeating it is present."""
    place = data.draw(st.integers(0, len(premises) - 1))
    result = checked(premises[place], premises)
    assert (result.entailed, result.support) == (True, 1.0)
    assert premises[result.premises[0]] == premises[place]
