"""What the embedded judge takes for a conflict, and what it must not."""

from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.conflicts import find_conflict, missing_number, replaced_number

PIER = "The old pier was painted by 14 volunteers in the warmer months."


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        (PIER.replace("14", "19"), "number: '19' against '14'"),
        (PIER.replace("warmer", "colder"), "direction: 'colder' against 'warmer'"),
        (
            PIER.replace("was painted", "was not painted"),
            "negation: 'not painted' against 'painted'",
        ),
        (PIER.replace("14 ", ""), None),
        (PIER.replace("old", "grand"), None),
        (PIER, None),
        ("In the colder months gulls nested on the old pier.", None),
    ],
)
def test_a_telling_word_changed_in_a_copy_is_seen(claim: str, told: str | None) -> None:
    """Leaving out and rewording contradict nothing; both sentences stand beside the reason."""
    found = find_conflict(claim, [PIER])
    assert (str(found) if found else None) == told


@pytest.mark.parametrize(
    ("claim", "evidence", "told"),
    [
        (
            "Oak plots held 14 species and pine plots held 9 species.",
            "Oak plots held 9 species and pine plots held 14 species.",
            "swap: '14' and '9' have changed places",
        ),
        (
            "Kiln temperature fell from 810 to 640 degrees.",
            "Kiln temperature went from 640 to 810 degrees.",
            "swap: '810' and '640' have changed places",
        ),
        (
            "Pine plots held 9 species and oak plots held 14 species.",
            "Oak plots held 14 species and pine plots held 9 species.",
            None,
        ),
        (
            "Yield with the slot was 3.4 kg, below the 3.6 kg with the minimum length.",
            "Yield was lower with the slot than with the minimum length (3.4 against 3.6 kg).",
            None,
        ),
    ],
)
def test_exchanged_numbers_are_seen(claim: str, evidence: str, told: str | None) -> None:
    """Numbers that stand side by side are told in the order of what stands before them."""
    found = find_conflict(claim, [evidence])
    assert (str(found) if found else None) == told


def test_the_number_of_the_source_is_shown_beside_the_wrong_one() -> None:
    """The reader sees both; what has no counterpart is nowhere."""
    said = missing_number(
        "The mill ground 60 sacks.", ["The mill ground 40 sacks."], ("The mill ground 40 sacks.",)
    )
    unit = missing_number("The dose was 2 g.", ["The dose was 2 mg."], ("The dose was 2 mg.",))
    alone = missing_number("The ferry has 75 seats.", ["It is old."], ("It is old.",))
    assert str(said) == "number: '60' against '40'"
    assert str(unit) == "unit: '2 g' against '2 mg'"
    assert str(alone) == "number: '75' is nowhere in the evidence"


def test_quantities_of_different_dimensions_never_stand_for_each_other() -> None:
    """'83.1 years' against '5.1 h' was a conflict once."""
    found = missing_number(
        "They slept 83.1 years.", ["They slept 5.1 kg."], ("They slept 5.1 kg.",)
    )
    assert found is not None
    assert found.instead == "nowhere in the evidence"
    assert (
        replaced_number(("It weighed 7 kg.",), ("It weighed 7.5 m.",), ("It weighed 7 kg.",))
        is None
    )


def test_a_number_that_the_summary_states_anywhere_is_replaced_by_none() -> None:
    """A summary may state it in another sentence, and other numbers beside it."""
    reference = ("The bridge carried 84 trucks.",)
    assert replaced_number(reference, ("The bridge carried 48 trucks.",), reference) is not None
    assert (
        replaced_number(
            reference, ("The bridge carried 48 trucks.", "In all 84 trucks came."), reference
        )
        is None
    )
