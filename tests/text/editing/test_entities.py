from __future__ import annotations

import pytest

from summeval_pytest.text.editing import exchange_entities


def exchanged(text: str) -> str | None:
    """The text with two things exchanged."""
    edit = exchange_entities(text)
    return edit.text if edit else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "SSI occurred in 11% of the zinc group and 21% of the placebo group.",
            "SSI occurred in 11% of the placebo group and 21% of the zinc group.",
        ),
        (
            "Wear was less frequent in bays than in rooms.",
            "Wear was less frequent in rooms than in bays.",
        ),
        (
            "It was 6.3 h in dry air and 5.1 h in wet air.",
            "It was 6.3 h in wet air and 5.1 h in dry air.",
        ),
        (
            "It was 8 mg in the estuary and 2 mg in open water.",
            "It was 8 mg in open water and 2 mg in the estuary.",
        ),
        (
            "Gamma rose by 28% at 1.4 K and 19% at 1.6 K.",
            "Gamma rose by 28% at 1.6 K and 19% at 1.4 K.",
        ),
        ("On text Biaff surpassed Prompt-8.", "On text Prompt-8 surpassed Biaff."),
        (
            "It wrote 46% less than Coin and 25% less than GBT.",
            "It wrote 46% less than GBT and 25% less than Coin.",
        ),
        ("TOPFA (28%) and PND (36%) were rare.", "PND (28%) and TOPFA (36%) were rare."),
        (
            "They matched the smooth channel within 3% and missed the rough channel by 24%.",
            "They matched the rough channel within 3% and missed the smooth channel by 24%.",
        ),
        (
            "Uptake fell to 5 and 4 in lime and clay, respectively.",
            "Uptake fell to 5 and 4 in clay and lime, respectively.",
        ),
        (
            "Visits fell by 35% in meadows but in gardens nothing changed.",
            "Visits fell by 35% in gardens but in meadows nothing changed.",
        ),
    ],
)
def test_what_is_compared_or_has_its_own_figure_is_exchanged(text: str, expected: str) -> None:
    """With its article, so that the sentence stays one."""
    assert exchanged(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Wear did not differ between 5% of mice and 6% of rats.",
        "Wear was similar in 5% of mice and 6% of rats.",
        "We asked whether it is higher in bays than in rooms.",
        "It was 5% in mice and 5% in rats.",
        "It was 5 mg in mice and 6 h in rats.",
        "It was 5% of mice and 6% in rats.",
        "It was higher in mice than in rats, and mice slept.",
        "They showed it in words rather than in deeds.",
        "It was 5 in January and 6 in March.",
        "Moss is green.",
        "",
    ],
)
def test_what_is_alike_asked_or_named_twice_is_left_alone(text: str) -> None:
    """Where both are said to be alike, the exchange says the same."""
    assert exchanged(text) is None


def test_findings_are_preferred_to_the_design() -> None:
    """What was found is told in the source's results, word for word."""
    text = "We saw 40 in Arl and 30 in Bor. Wear rose by 5% in Arl and 2% in Bor."
    assert (
        exchanged(text) == "We saw 40 in Arl and 30 in Bor. Wear rose by 5% in Bor and 2% in Arl."
    )


def test_both_things_are_told_in_both_orders() -> None:
    """A report shows which were exchanged, and where."""
    edit = exchange_entities("Zinc helps. Wear was higher in bays than in rooms.")
    assert edit is not None
    assert edit.told == '"bays ... rooms" -> "rooms ... bays"'
    assert edit.sentence == 1
