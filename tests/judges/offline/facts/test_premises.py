from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.judges.offline.facts import PremiseIndex, premises_of, weighed
from summeval_pytest.judges.offline.lexicon import rarity

KITES = ("Kites rose above copper roofs.", "Sixteen ferries crossed the lake.")


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
    traces = premises_of(KITES).trace((("copper", 1.0), ("roof", 2.0), ("lake", 4.0)))

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
    index = premises_of(KITES)

    assert index.closeness(index.trace((("copper", 1.0), ("roof", 1.0)))) == 1.0
    assert index.closeness(index.trace((("roof", 1.0), ("sixteen", 1.0)))) == 0.25
    assert index.closeness(index.trace((("copper", 1.0), ("moon", 1.0), ("roof", 1.0)))) == 0.5


@settings(deadline=None)
@given(st.text(), st.lists(st.text(), max_size=4))
def test_shares_are_bounded_for_any_text(fact: str, premises: list[str]) -> None:
    """No text makes a premise carry more than the fact has."""
    index = PremiseIndex(tuple(premises))
    traces = index.trace(weighed(fact))

    assert 0.0 <= index.closeness(traces) <= 1.0
    assert all(0 <= place < len(premises) for place in traces.carried)
    assert all(words & ~traces.held == 0 for words in traces.carried.values())
