from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.editing import reverse_direction
from summeval_pytest.text.editing.directions import OPPOSITES


def reversed_(text: str) -> str | None:
    """The text with one direction reversed."""
    edit = reverse_direction(text)
    return edit.text if edit else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Uptake increased by 5%.", "Uptake decreased by 5%."),
        ("Uptake rose by 5%.", "Uptake fell by 5%."),
        ("Falling wear reduced 3 costs.", "Falling wear increased 3 costs."),
        ("An increase of 5 was seen.", "A decrease of 5 was seen."),
        ("A reduction of 5 was seen.", "An increase of 5 was seen."),
        ("Higher doses gave 5 mg.", "Lower doses gave 5 mg."),
        ("FASTER runs took 5 s.", "SLOWER runs took 5 s."),
        ("It may lower risk.", "It may raise risk."),
        ("The lower dose was 5 mg.", "The higher dose was 5 mg."),
        ("They gained 5 kg.", "They lost 5 kg."),
        ("More patients (12) fell ill.", "Fewer patients (12) fell ill."),
        ("Nausea was more frequent (5%).", "Nausea was less frequent (5%)."),
        ("It caused more nausea (5%).", "It caused less nausea (5%)."),
        ("Fewer mice (5) died.", "More mice (5) died."),
        ("It correlated negatively (r = 0.5).", "It correlated positively (r = 0.5)."),
        ("It surpassed Coin by 5 points.", "It trailed Coin by 5 points."),
        ("It exceeded Coin by 5 points.", "It fell short of Coin by 5 points."),
        ("Wear was above the mean of 5.", "Wear was below the mean of 5."),
    ],
)
def test_a_direction_is_reversed_in_its_inflection_and_case(text: str, expected: str) -> None:
    """With the article that the new word needs."""
    assert reversed_(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Uptake did not increase.",
        "We asked whether uptake increased.",
        "The aim was to increase uptake.",
        "More than 5 mice slept.",
        "More or less the same was seen.",
        "More research is needed.",
        "No more mice came.",
        "Falls were recorded in old people.",
        "The lower limbs were measured.",
        "Patients were lost to follow-up.",
        "As described above, moss was dried.",
        "Samples tested positive.",
        "To the best of our knowledge, moss is green.",
        "The gain was absent in pupils.",
        "A well-increased value.",
        "Moss is green.",
        "",
    ],
)
def test_what_is_denied_asked_or_an_idiom_is_left_alone(text: str) -> None:
    """A "did not decrease" is as true of what did not increase."""
    assert reversed_(text) is None


def test_findings_with_figures_are_preferred() -> None:
    """To hopes, to aims, and to where something lies."""
    text = (
        "Moss may grow faster. Dew above the lake was 3 mm. To improve yield, 5 ponds were dug."
        " Wear fell. Wear fell by 5%."
    )
    assert reversed_(text) == text.replace("fell by", "rose by")
    assert reversed_(text.removesuffix(" Wear fell by 5%.")) != text


@given(st.sampled_from(sorted(OPPOSITES)))
def test_no_word_is_its_own_opposite_nor_changes_its_kind(word: str) -> None:
    """An ending in -ing stays one, and so does a superlative."""
    opposite = OPPOSITES[word]
    assert opposite != word
    assert word.endswith("ing") == opposite.split()[0].endswith("ing")
    assert word.endswith(("est", "worst")) == opposite.endswith(("est", "worst"))
