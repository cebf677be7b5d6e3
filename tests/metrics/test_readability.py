from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.metrics.texts import (
    Readability,
    coleman_liau,
    dale_chall,
    flesch_kincaid,
    is_familiar,
    readability,
)

if TYPE_CHECKING:
    from tests.metrics.conftest import Released

TEXT = "The old pump fills the pond. It rarely stops."


FAMILIAR = frozenset({"the", "old", "pump", "fill", "pond", "it", "stop"})


sentence = st.lists(
    st.sampled_from("the pond pump fills rarely evaporation hydraulic".split()), min_size=1
)


sentences = st.lists(sentence, min_size=1, max_size=4)


def grades(text: str, *, familiar: frozenset[str] | None = None) -> Readability:
    """The grades of a text that has words."""
    found = readability(text, familiar=familiar)
    assert found is not None
    return found


def test_readability_worked_example() -> None:
    """All counts and sums by hand."""
    # 9 words in 2 sentences: 4.5 a sentence; rarely has 2 syllables, the others 1: 10 of 9
    # letters 3 + 3 + 4 + 5 + 3 + 4 + 2 + 6 + 5 = 35; L = 3500/9, S = 200/9
    found = grades(TEXT, familiar=FAMILIAR)
    # .39 * 4.5 + 11.8 * 10/9 - 15.59 = 1.755 + 13.1111 - 15.59
    assert found.fkgl == pytest.approx(-0.7239, abs=1e-4)
    # .0588 * 388.8889 - .296 * 22.2222 - 15.8 = 22.8667 - 6.5778 - 15.8
    assert found.coleman_liau == pytest.approx(0.4889, abs=1e-4)
    # rarely is unfamiliar: D = 100/9; .1579 * 11.1111 + .0496 * 4.5 + 3.6365
    #                                = 1.7544 + .2232 + 3.6365
    assert found.dale_chall == pytest.approx(5.6141, abs=1e-4)


def test_flesch_kincaid_is_its_formula() -> None:
    """A text of 20 words a sentence and 1.5 syllables a word is one for the tenth grade."""
    # .39 * 20 + 11.8 * 1.5 - 15.59 = 7.8 + 17.7 - 15.59
    assert flesch_kincaid(20, 1.5) == pytest.approx(9.91)


def test_coleman_liau_is_its_formula() -> None:
    """Oracle: the example of Wikipedia's article on the index gives 14.5."""
    # .0588 * 537 - .296 * 4.20 - 15.8 = 31.5756 - 1.2432 - 15.8 = 14.5324
    assert coleman_liau(537, 4.20) == pytest.approx(14.5324)


@pytest.mark.parametrize(
    ("unfamiliar", "score"),
    [
        (0.0, 0.496),  # .0496 * 10
        (5.0, 1.2855),  # .1579 * 5 + .496: at 5 the step is not yet taken
        (6.0, 5.0799),  # .1579 * 6 + .496 + 3.6365
    ],
)
def test_dale_chall_steps_above_five_unfamiliar_words(unfamiliar: float, score: float) -> None:
    """The formula's one jump, on its right side."""
    assert dale_chall(unfamiliar, 10) == pytest.approx(score)


def test_without_a_list_there_is_no_dale_chall() -> None:
    """The list is not ours to ship, and no other number may stand in its place."""
    assert grades(TEXT).dale_chall is None


@pytest.mark.parametrize("text", ["", "<s></s><pad>", "12.5 % (3) .", "@xmath1 @xcite"])
def test_a_text_without_words_has_no_grade(text: str) -> None:
    """Numbers and placeholders are no words."""
    assert readability(text, familiar=FAMILIAR) is None


@pytest.mark.parametrize(
    "same",
    [
        f"<s> Abstract: {TEXT}</s><pad>",
        "The old pump fills 12 the pond @xmath3. It rarely stops (5%).",
        "the old pump fills the pond . it rarely stops .",
        TEXT.upper(),
        "12 . " + TEXT,
    ],
)
def test_marks_numbers_and_case_change_no_grade(same: str) -> None:
    """Traces of a system, numerals and lower-casing do not make a text harder."""
    assert grades(same, familiar=FAMILIAR) == grades(TEXT, familiar=FAMILIAR)


def test_a_clitic_in_tokenised_text_is_no_word() -> None:
    """The released texts write "patient 's"; that is one word of two syllables."""
    assert grades("the patient 's pump stops .") == grades("The patient's pump stops.")


@pytest.mark.parametrize(
    "word",
    """
    Pump pumps pump's pumped pumping boxes boxed carries carried carrying stopped stopping used
    using larger largest bigger biggest happier happiest happily slowly pump-box 5-box
    """.split(),
)
def test_an_inflection_of_a_familiar_word_is_familiar(word: str) -> None:
    """One ending a word: -s, -ed, -ing, -er, -est, -ly and what spelling makes of them."""
    assert is_familiar(word, frozenset("pump box carry stop use large big happy slow".split()))


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_without_fault(text: str) -> None:
    """A grade or none, whatever the script."""
    found = readability(text, familiar=FAMILIAR)
    assert found is None or (found.dale_chall or 0) >= 0


def test_abstracts_are_read_at_college_on_scholarsum(released: Released) -> None:
    """Oracle: grades 14 to 20, where abstracts of medicine are placed, for every writer."""
    for texts in released.texts.values():
        found = [grades(text) for text in texts.values()]
        assert 14 < mean(grade.fkgl for grade in found) < 20
        assert 14 < mean(grade.coleman_liau for grade in found) < 20
