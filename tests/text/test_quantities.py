from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.quantities import Quantity, find_quantities


def read(text: str) -> list[tuple[float, str]]:
    """The numbers of a text with their units."""
    return [(quantity.value, quantity.unit) for quantity in find_quantities(text)]


def only(text: str) -> Quantity:
    """The one number of a text."""
    (quantity,) = find_quantities(text)
    return quantity


def agree(mine: str, theirs: str) -> bool:
    """Whether the number of one text may stand for that of another."""
    return only(mine).agrees_with(only(theirs))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("24 mice", [(24, "")]),
        ("p < .05", [(0.05, "")]),
        ("p = 0.001.", [(0.001, "")]),
        ("1,000 mg", [(1000, "mg")]),
        ("12,345,678.5 cells", [(12345678.5, "")]),
        ("1 000 ml", [(1000, "ml")]),
        ("1\u202f000 ml", [(1000, "ml")]),
        ("1, 2 and 3", [(1, ""), (2, ""), (3, "")]),
        ("1,50", [(1, ""), (50, "")]),
        ("12 of 20 (60%)", [(12, ""), (20, ""), (60, "%")]),
        ("2 x 10^5 cells", [(200000, "")]),
        ("1.5 \u00d7 10\u22123", [(0.0015, "")]),
        ("4 times 10 3 cells", [(4000, "")]),
        ("10-20 mg", [(10, ""), (20, "mg")]),
        ("10\u201320 mg", [(10, ""), (20, "mg")]),
        ("95% CI 1.1-4.9", [(95, "%"), (1.1, ""), (4.9, "")]),
        ("at 24 h, 5-mg doses", [(24, "h"), (5, "mg")]),
        ("no number", []),
        ("", []),
    ],
)
def test_numbers_are_read_as_written(text: str, found: list[tuple[float, str]]) -> None:
    """Numbers are what a summary gets wrong without sounding wrong."""
    assert [unit for _, unit in read(text)] == [unit for _, unit in found]
    assert [value for value, _ in read(text)] == pytest.approx([value for value, _ in found])


@pytest.mark.parametrize("text", ["IL-6", "COVID-19", "p53", "CO2", "v2.1.3", "HbA1c", "H2O"])
def test_a_number_within_a_name_is_none(text: str) -> None:
    """IL-6 is a protein, and no six of anything."""
    assert find_quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-5", -5),
        ("fell to -1.4 points", -1.4),
        ("(\u22121.4)", -1.4),
        ("d=-.3", -0.3),
        ("5-3", 5),
        ("ages 5\u20138", 5),
        ("a \u20135 range", 5),
    ],
)
def test_a_minus_sign_is_no_hyphen_and_no_range(text: str, value: float) -> None:
    """The range "10-20" holds no -20, and an en dash is never a minus."""
    assert find_quantities(text)[0].value == value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Two of twelve mice", [2, 12]),
        ("a twofold and a tenfold rise", [2, 10]),
        ("doubled, then tripled", [2, 3]),
        ("a hundred ponds", [100]),
        ("one of them", []),
        ("often, tent, height", []),
    ],
)
def test_numbers_in_words_are_read_from_two_on(text: str, values: list[float]) -> None:
    """A "one" is more often a pronoun than a count."""
    assert [quantity.value for quantity in find_quantities(text)] == values


@pytest.mark.parametrize(
    ("text", "unit", "dimension"),
    [
        ("24%", "%", "share"),
        ("24 percent", "%", "share"),
        ("24 per cent", "%", "share"),
        ("24 percentage points", "pp", "points"),
        ("a 1 percentage point drop", "pp", "points"),
        ("5 \u00b5g", "\u00b5g", "mass"),
        ("5 \u03bcg", "\u03bcg", "mass"),
        ("5 mg/kg", "mg/kg", "dose"),
        ("5 MG/KG", "mg/kg", "dose"),
        ("5 mg/kg/day", "mg/kg", "dose"),
        ("5 g/day", "g", "mass"),
        ("5 m/s", "m/s", "speed"),
        ("5-day course", "day", "time"),
        ("twelve weeks", "weeks", "time"),
        ("5 mice", "", ""),
        ("5 per mouse", "", ""),
        ("5.", "", ""),
    ],
)
def test_a_known_unit_is_read_with_what_it_measures(text: str, unit: str, dimension: str) -> None:
    """24 % is not 24 mg, and a noun is no unit."""
    quantity = only(text)
    assert (quantity.unit, quantity.dimension) == (unit, dimension)


def test_places_point_at_the_digits() -> None:
    """A conflict is shown at the number that conflicts."""
    text = "rose by 1,000.5 mg and 2 x 10^3 cells"
    assert [text[q.start : q.end] for q in find_quantities(text)] == ["1,000.5", "2 x 10^3"]
    assert [q.decimals for q in find_quantities(text)] == [1, 0]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("24 mice", "24 mice"),
        ("1 g", "1,000 mg"),
        ("1,000 mg", "1 g"),
        ("0.5 h", "30 min"),
        ("90 min", "1.5 h"),
        ("24 %", "24.4 %"),  # rounded to no decimal: 0.4 <= 0.5
        ("24.4 %", "24.36 %"),  # rounded to one decimal: 0.04 <= 0.05
        ("1 kg", "1,400 g"),  # told in the larger unit: 0.4 kg <= 0.5 kg
        ("24", "24 mg"),
        ("24 mg", "24"),
        ("lost 1.4", "-1.4"),
        ("twelve", "12"),
        ("0", "0 mg"),
    ],
)
def test_the_same_converted_or_rounded_number_agrees(mine: str, theirs: str) -> None:
    """A summary may round and convert; that is no error."""
    assert agree(mine, theirs)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("24 %", "24 mg"),
        ("24 %", "24 percentage points"),
        ("24 mg", "24 g"),
        ("24", "25"),
        ("24.4 %", "24 %"),  # more digits than the source gives
        ("24 %", "24.6 %"),  # rounds to 25
        ("24.4 %", "24.46 %"),  # 0.06 > 0.05
        ("1,400 g", "1 kg"),
        ("5 mg/kg", "5 mg"),
        ("0", "1"),
    ],
)
def test_another_number_or_another_unit_does_not_agree(mine: str, theirs: str) -> None:
    """A changed number is the commonest error, and the one that a reader least sees."""
    assert not agree(mine, theirs)


@given(st.text())
def test_any_text_is_read_without_fault(text: str) -> None:
    """Numbers of any script, and none, come back finite and in their places."""
    last = 0
    for quantity in find_quantities(text):
        assert math.isfinite(quantity.value)
        assert last <= quantity.start < quantity.end <= len(text)
        last = quantity.start


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1e-5 of them", 1e-5, ""),
        ("3.5E-4 M acid", 3.5e-4, "M"),
        ("twenty-five mice", 25.0, ""),
        ("Fifty-one mice", 51.0, ""),
        ("in the 1990s", 1990.0, ""),
        ("for 1990 s", 1990.0, "s"),
    ],
)
def test_other_ways_to_write_a_number(text: str, value: float, unit: str) -> None:
    """Exponents, compound words and decades are numbers like any other."""
    (found,) = find_quantities(text)

    assert found.value == pytest.approx(value)
    assert found.unit == unit


def test_a_capital_tells_units_apart() -> None:
    """5 mM is a concentration and 5 mm a length; 5 MeV is 5,000 keV and not 5 meV."""
    (molar,) = find_quantities("5 mM")
    (metres,) = find_quantities("5 mm")
    assert not molar.agrees_with(metres)
    (mega,) = find_quantities("5 MeV")
    (kilo,) = find_quantities("5000 keV")
    (milli,) = find_quantities("5 meV")
    assert mega.agrees_with(kilo)
    assert not mega.agrees_with(milli)
