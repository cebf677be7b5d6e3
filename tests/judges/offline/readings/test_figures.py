from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.judges.offline.readings.reading import read

if TYPE_CHECKING:
    from summeval_pytest.judges.offline.readings.figures import Placed


def only(text: str) -> Placed:
    """The first number of a sentence."""
    return read(text).quantities[0]


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("Repairs took 9 to 6 days.", "time"),
        ("On day 90 the kiln cooled.", "time"),
        ("Rowers aged 70 won.", "time"),
        ("The kiln held 90 bricks.", ""),
        ("Gulls numbered 9 and the storm took 6 days.", ""),
    ],
)
def test_bare_number_takes_the_unit_it_is_joined_to(text: str, dimension: str) -> None:
    """Repairs of "9 to 6 days" are two times, and a summary may tell either."""
    assert only(text).quantity.dimension == dimension


@pytest.mark.parametrize(
    ("text", "slack"),
    [
        ("It took nearly 6 minutes.", 0.12),
        ("It took 6 minutes or so.", 0.12),
        ("It took fifty minutes.", 0.06),
        ("It took 6 minutes.", 0.0),
        ("It took at least 6 minutes.", 0.0),
    ],
)
def test_number_told_as_rounded_may_be_off(text: str, slack: float) -> None:
    """A bound is no rounding: "at least 50 m" is false of 150 m."""
    assert only(text).slack == slack


@pytest.mark.parametrize(
    ("text", "is_soft"),
    [
        ("In one in seven races an oar broke.", True),
        ("Two-thirds of the oars broke.", True),
        ("Traffic doubled.", True),
        ("See Fig. 4 for the pier.", True),
        ("Seven oars broke.", False),
        ("Of oars, 22 in 100 broke.", False),
    ],
)
def test_freely_worded_number_is_soft(text: str, is_soft: bool) -> None:
    """Nothing follows from the absence of what the writer has worked out."""
    assert only(text).is_soft is is_soft


def test_scale_is_part_of_the_number() -> None:
    """3.4 million is no 3.4 billion."""
    assert only("The harbour moved 3.4 million crates.").size == pytest.approx(3.4e6)
    assert only("The harbour moved 3.4 billion crates.").size == pytest.approx(3.4e9)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("The barge made 14 trips per week.", 604800.0),
        ("It grew 3 mm a day.", 86400.0),
        ("It grew 3 mm/day.", 86400.0),
        ("The barge made 14 trips.", 0.0),
    ],
)
def test_what_a_rate_is_told_per_is_read(text: str, seconds: float) -> None:
    """A rate per night is another than the same one per hour."""
    assert only(text).per == seconds
