from __future__ import annotations

from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.reports.pair import shown

RATES = st.floats(0, 1, allow_subnormal=False).filter(lambda rate: rate == 0 or rate > 1e-6)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("facet", 0.5, "0.500"),
        ("facet", 1.0, "1.000"),
        ("eva", 0.0, "0.000"),
        ("eva", 2 / 3, "0.667"),
        ("faithfulness", 0.9, "0.900"),
    ],
)
def test_a_score_has_three_digits(name: str, value: float, text: str) -> None:
    """As the papers' tables do; a score of 1 is no rating of 1."""
    assert shown(name, value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (4.0, "4"), (2.5, "2.500"), (2.9996, "3.000")]
)
def test_a_rating_is_whole_and_a_mean_of_ratings_is_not(value: float, text: str) -> None:
    """A rating is a level of a scale, and "3.000" would pretend to a measurement."""
    assert shown("facet.result", value) == text


def test_no_number_is_a_dash() -> None:
    """Never 0, which is the worst score there is."""
    assert shown("eva.precision", None) == "-"
    assert shown("eva.precision", None, 0.5) == "-"


@pytest.mark.parametrize(
    ("value", "least", "text"),
    [
        (0.5, 0.55, "0.500"),
        (0.5499, 0.55, "0.5499"),
        (0.54996, 0.55, "0.54996"),
        (0.5499999, 0.55, "0.5499999"),
        (nextafter(0.55, 0), 0.55, "0.5499999999999999"),
        (nextafter(1.0, 0), 1.0, "0.9999999999999999"),
        (0.55, 0.55, "0.550"),
        (0.5501, 0.55, "0.550"),
    ],
)
def test_digits_are_added_until_a_shortfall_can_be_seen(
    value: float, least: float, text: str
) -> None:
    """Told "0.550 < 0.550", a reader would take it for a bug of ours."""
    assert shown("facet", value, least) == text


def test_a_mean_of_ratings_just_under_its_threshold_shows_that_too() -> None:
    """The threshold of a rating is shown whole, "2"."""
    assert shown("facet.conclusion", 1.99998, 2) == "1.99998"


@pytest.mark.parametrize(
    ("value", "least", "texts"),
    [
        # to three digits each of these would read 0.555 against 0.555, or 0.500 against 0.500
        (0.555, 0.5554, ("0.555", "0.5554")),
        (0.5552, 0.5554, ("0.555", "0.5554")),
        (0.5, 0.5004, ("0.500", "0.5004")),
        (0.55554, 0.5556, ("0.5555", "0.556")),
    ],
)
def test_a_threshold_of_many_digits_is_not_rounded_down_to_the_value(
    value: float, least: float, texts: tuple[str, str]
) -> None:
    """The digits that make the difference may be the threshold's."""
    assert (shown("facet", value, least), shown("facet", least, least)) == texts


@given(value=RATES, least=RATES)
def test_what_is_printed_decides_as_the_numbers_do(value: float, least: float) -> None:
    """Law: of a value and a threshold, the one that is less is the one that reads as less."""
    printed = float(shown("eva", value, least)), float(shown("eva", least, least))
    assert (printed[0] < printed[1]) == (value < least)


@given(value=RATES, least=st.none() | RATES)
def test_what_is_printed_is_the_value_to_three_digits_or_more(
    value: float, least: float | None
) -> None:
    """Law: digits may be added and are never wrong."""
    text = shown("faithfulness", value, least)
    whole, _, digits = text.partition(".")
    assert whole in {"0", "1"}
    assert len(digits) >= 3
    assert abs(float(text) - value) <= 0.5 * 10.0 ** -len(digits) + 1e-16


def test_a_number_that_no_threshold_can_name_is_a_mistake_of_ours() -> None:
    """Its range says how to show it."""
    with pytest.raises(KeyError, match="rouge"):
        shown("rouge", inf)
