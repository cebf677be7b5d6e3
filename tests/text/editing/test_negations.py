from __future__ import annotations

import pytest

from summeval_pytest.text.editing import negate


def negated(text: str) -> str | None:
    """The text with one claim denied, or affirmed."""
    edit = negate(text)
    return edit.text if edit else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Delirium did not differ.", "Delirium differed."),
        ("Uptake did not significantly change.", "Uptake significantly changed."),
        ("The cells did not undergo repair.", "The cells underwent repair."),
        ("Zinc does not apply here.", "Zinc applies here."),
        ("The results do not hold.", "The results hold."),
        ("Zinc didn't help.", "Zinc helped."),
        ("C282S was not affected.", "C282S was affected."),
        ("Shocks cannot be excluded.", "Shocks can be excluded."),
        ("Mice had not slept.", "Mice had slept."),
        ("Lime had no reliable effect.", "Lime had a reliable effect."),
        ("There was no effect of lime.", "There was an effect of lime."),
        ("We found no differences.", "We found differences."),
    ],
)
def test_a_denial_is_taken_back(text: str, expected: str) -> None:
    """With the verb in the form that it takes without "did not"."""
    assert negated(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Efficiency rose from 3 to 4%.", "Efficiency did not rise from 3 to 4%."),
        ("Zinc reduced the risk.", "Zinc did not reduce the risk."),
        ("Zinc reduces the risk.", "Zinc does not reduce the risk."),
        ("Biaff outperformed Coin.", "Biaff did not outperform Coin."),
        ("Survival increased by 5%.", "Survival did not increase by 5%."),
        ("Uptake varied with depth.", "Uptake did not vary with depth."),
        ("Ponds were drained.", "Ponds were not drained."),
        ("Wear was higher in dry air.", "Wear was not higher in dry air."),
        ("Moss has been grown.", "Moss has not been grown."),
        ("Moss can grow here.", "Moss cannot grow here."),
        ("There was a rise in wear.", "There was no rise in wear."),
        ("Moss is green.", "Moss is not green."),
    ],
)
def test_a_claim_is_denied(text: str, expected: str) -> None:
    """Before its verb, with "did" where the verb needs it."""
    assert negated(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We asked whether moss was green.",
        "The aim was to find moss.",
        "Was moss green?",
        "It was not only cheap.",
        "It was not cheap but by far the best.",
        "It did not show any effect.",
        "It did not rise or fall.",
        "Neither was green, nor was it old.",
        "The reduced risk of the many.",
        "Plots with increased wear.",
        "Moss, which was green.",
        "All were mostly green.",
        "None were green.",
        "Moss grew.",
        "",
    ],
)
def test_what_would_be_ungrammatical_half_true_or_was_only_asked_is_left_alone(text: str) -> None:
    """The opposite of "whether moss was green" is the same question."""
    assert negated(text) is None


def test_findings_are_preferred_to_knowledge_and_advice() -> None:
    """A source rarely says that its background holds, and "may not" denies no "may"."""
    text = "Moss is old. Moss should not be cut. Moss was cut. Moss rose to 3 mm. Dew was not seen."
    assert negated(text) == text.replace("was not seen", "was seen")
    text = text.removesuffix(" Dew was not seen.")
    assert negated(text) == text.replace("rose", "did not rise")
    text = text.removesuffix(" Moss rose to 3 mm.")
    assert negated(text) == text.replace("was cut", "was not cut")


def test_the_words_that_were_changed_are_told() -> None:
    """A report says what was done in one glance."""
    edit = negate("Zinc helps. Sleep did not differ.")
    assert edit is not None
    assert (edit.told, edit.sentence) == ('"did not differ" -> "differed"', 1)
