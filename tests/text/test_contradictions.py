"""What a text says of a claim's numbers."""

from __future__ import annotations

import pytest

from summeval_pytest.text.contradictions import check_numbers

SOURCE = (
    "The mill at the weir ground 40 sacks of rye a day in spring.",
    "Each sack held 52.5 kg, and the price of a sack was 18 euros in 1931.",
    "Visits fell by 12% in the north and by 31% in the south.",
    "The cart broke after 340 trips to town.",
)


@pytest.mark.parametrize(
    ("claim", "contradicted", "missing"),
    [
        ("The mill ground 40 sacks of rye a day.", [], []),
        # the same quantity, named by its neighbours, has another value or unit
        ("The mill ground 60 sacks of rye a day.", [("60", "40")], []),
        ("A sack held 52.5 g.", [("52.5 g", "52.5 kg")], []),
        ("In 1913 the price of a sack was 18 euros.", [("1913", "1931")], []),
        ("Visits fell by 21% in the north.", [("21", "12")], []),
        # one number, miscopied: a point moved, two digits exchanged
        ("A sack held 5.25 kg.", [("5.25 kg", "52.5 kg")], []),
        ("After 430 trips to town the cart broke.", [("430", "340")], []),
        # another time, kind or thing
        ("The mill ground 280 sacks of rye a week.", [], []),
        ("The mill ground a sack of rye in 36 minutes.", [], ["36 minutes"]),
        ("Nine gulls nested at the pier.", [], ["Nine"]),
        ("Visits in the south were 19 percentage points fewer than in the north.", [], []),
        ("No number here.", [], []),
    ],
)
def test_a_number_is_stated_contradicted_or_not_found(
    claim: str, contradicted: list[tuple[str, str]], missing: list[str]
) -> None:
    """Only a contradiction can be shown, beside the number in whose place it stands."""
    check = check_numbers(claim, SOURCE)
    pairs = [(each.number.digits, each.partner.digits) for each in check.contradicted]
    assert pairs == [(one.split()[0], other.split()[0]) for one, other in contradicted]
    assert [figure.text for figure in check.missing] == missing


def test_a_number_in_another_unit_is_told_apart() -> None:
    """The value is the same, so the unit is what is wrong."""
    (unit,) = check_numbers("A sack held 52.5 g.", SOURCE).contradicted
    (value,) = check_numbers("The mill ground 60 sacks of rye a day.", SOURCE).contradicted
    assert (unit.kind, value.kind) == ("unit", "number")
    flares = ("In all, 112 flares exceeded 10^33 erg.",)
    (unit,) = check_numbers("Flares above 10^33 joules numbered 112.", flares).contradicted
    assert (unit.kind, unit.partner.text) == ("unit", "10^33 erg")


def test_a_table_of_unknown_numbers_is_compared_in_bounded_time() -> None:
    """With more than a dozen it is a table, or hostile: the others are not found."""
    claim = "The mill ground " + ", ".join(str(n) for n in range(50, 110)) + " sacks of rye a day."
    check = check_numbers(claim, SOURCE)
    assert len(check.contradicted) <= 12 < len(check.missing)
