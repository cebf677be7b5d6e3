from __future__ import annotations

import pytest

from summeval_pytest.study.systems.texts import count_numbers, novelty, readability, syllables

# Readability
TEXT = "The old pump fills the pond. It rarely stops."
FAMILIAR = frozenset({"the", "old", "PUMP", "fill", "pond", "it", "stop"})


def test_readability_worked_example() -> None:
    """All counts and sums by hand; without a list of familiar words nothing stands in its place."""
    # 9 words in 2 sentences: 4.5 a sentence; rarely has 2 syllables, the others 1: 10 of 9
    # letters 3 + 3 + 4 + 5 + 3 + 4 + 2 + 6 + 5 = 35; L = 3500/9, S = 200/9
    found = readability(TEXT, familiar=FAMILIAR)
    # .39 * 4.5 + 11.8 * 10/9 - 15.59 = 1.755 + 13.1111 - 15.59
    assert found["FKGL"] == pytest.approx(-0.7239, abs=1e-4)
    # .0588 * 388.8889 - .296 * 22.2222 - 15.8 = 22.8667 - 6.5778 - 15.8
    assert found["Coleman-Liau"] == pytest.approx(0.4889, abs=1e-4)
    # rarely is unfamiliar: D = 100/9; .1579 * 11.1111 + .0496 * 4.5 + 3.6365
    #                                = 1.7544 + .2232 + 3.6365
    assert found["Dale-Chall"] == pytest.approx(5.6141, abs=1e-4)
    assert "Dale-Chall" not in readability(TEXT)
    easy = readability(TEXT, familiar=FAMILIAR | {"rarely"})["Dale-Chall"]
    assert easy == pytest.approx(0.0496 * 4.5)  # D = 0: without the jump above 5


# Novelty and repetition
SOURCE = "The old pump fills the north pond at night. The south pond is dry."


@pytest.mark.parametrize(
    ("summary", "shares"),
    [
        # the old pump fills the south pond: 7, 6, 5, 4 n-grams for n = 1 to 4
        # n = 2: "the south" and "south pond" stand in the source's second sentence: none is new
        # n = 3: "pump fills the" stands, "fills the south" does not; "the south pond" does: 1 of 5
        # n = 4: "pump fills the south", "fills the south pond": 2 of 4
        ("The old pump fills the south pond.", [0.0, 0.0, 0.2, 0.5]),
        # saying one new thing twice is twice as much that the source does not say
        ("Lake lake pond.", [2 / 3, 1.0, 1.0, None]),
        # two source sentences in another order are copied, not new
        ("The south pond is dry. The old pump fills the north pond at night.", [0.0] * 4),
        # an n-gram ends with its sentence
        ("One two. Three four.", [1.0, 1.0, None, None]),
        # special tokens and placeholders are traces of a system or a data set, and say nothing
        ("<s> Abstract: The old pump @xmath3 fills the north pond.</s><pad>", [0.0] * 4),
        ("<pad>", [None] * 4),
    ],
)
def test_novelty_worked_examples(summary: str, shares: list[float | None]) -> None:
    """The summary's n-grams of each size, counted by hand; nothing said is not new or copied."""
    assert [novelty(summary, SOURCE, n) for n in (1, 2, 3, 4)] == shares


# Numbers
def test_a_number_is_a_run_of_digits_with_its_decimals() -> None:
    """Each kind that the definition decides, the odd ones included."""
    counted = {
        "24 ponds": 1, "p < 0.05": 1, "fell from 10-20 to 5%": 3, "1,000 litres": 2,
        "IL-6 and p53": 2, "three ponds": 0, "version 2.1.3": 2,
        "a field @xmath12 of 3 tesla @xcite": 1, "of 3 @xmath1@xmath2 4 @xmath3.": 2,
        "ask x7@example.org at 5 @ 3": 3, "": 0,
    }  # fmt: skip
    assert {text: count_numbers(text) for text in counted} == counted


COUNTED = {
    1: "past rash sound date start back show these guide",
    2: """report outlays scoring distinct discharge discussed humans subjects alters normal driving
          projects version female impairs altered having beauty adverse able assess""",
    3: """prescription previous strategies caspian convenience services measurements specially
          syncope adoption otitis selected hemorrhage accounted orally genetic metformin regulate
          evasion probable resilience medicines energies emergence""",
    4: """unsuccessful antitumor technically pulmonary autogenous anemia distributed expenditures
          indicating summarizes calculated temperature chronically malaria palliation""",
    5: "observational examination",
    6: "beneficiaries",
    7: "oligomerization cardiometabolic postinstitutionalized",
}
"""75 words drawn by lot from abstracts, and counted by hand before the rule had seen them."""


def test_the_error_of_the_rule_on_words_counted_by_hand() -> None:
    """Measured: 3 of 75 words are wrong, each by one, and the sum by 1 of 220."""
    found = {word: (n, syllables(word)) for n, line in COUNTED.items() for word in line.split()}
    assert len(found) == 75
    wrong = {word: pair for word, pair in found.items() if pair[0] != pair[1]}
    assert wrong == {"convenience": (3, 4), "resilience": (3, 4), "syncope": (3, 2)}
    assert sum(by_hand for by_hand, _ in found.values()) == 220
    assert sum(by_rule for _, by_rule in found.values()) == 221
