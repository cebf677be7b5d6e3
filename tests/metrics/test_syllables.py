from __future__ import annotations

import pytest

from summeval_pytest.metrics.texts import syllables

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


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1, "the dose whole caused lines lathes guide league year clear cream friend people's2"),
        (2, "treated doses branches muscle safely techniques layer beyond surgeon people science"),
        (2, "special create poem fluid seeing measure million circuit ocean patients"),
        (3, "enabled initial infectious opinion dementia quality period barrier studying embryo"),
        (3, "area nausea gradient nutrient aorta museum nucleus linear nuclear pancreas reinforce"),
        (3, "measurement medium video actual increases coincide scientist religious previous"),
        (4, "bacteria radiation variety experience coefficient organism algorithm continuous"),
        (5, "evaluation association coagulation simultaneous myocardial peritoneal"),
    ],
)
def test_each_part_of_the_rule(n: int, words: str) -> None:
    """Silent letters, vowels heard apart, and the words that look alike and are not."""
    for word in words.split():
        counted = int(word[-1]) if word[-1].isdigit() else n
        assert (word, syllables(word)) == (word, counted)


@pytest.mark.parametrize(
    ("word", "n"),
    [
        ("double-blind", 3),
        ("IL-6", 1),
        ("mm", 1),
        ("patient\u2019s", 2),
        ("Sj\u00f6gren", 2),
        ("\u03b2", 1),
        ("12", 1),
        ("", 1),
    ],
)
def test_whatever_is_read_has_a_syllable(word: str, n: int) -> None:
    """Compounds are counted by part; what has no Latin letter is said somehow."""
    assert syllables(word) == n
