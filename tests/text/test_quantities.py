from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.quantities import Quantity, find_quantities


def only(text: str) -> Quantity:
    """The one number of a text."""
    (quantity,) = find_quantities(text)
    return quantity


@pytest.mark.parametrize(
    ("text", "numbers"),
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
        ("1e-5 of them", [(1e-5, "")]),
        ("3.5E-4 M acid", [(3.5e-4, "M")]),
        ("10-20 mg", [(10, ""), (20, "mg")]),
        ("10\u201320 mg", [(10, ""), (20, "mg")]),
        ("95% CI 1.1-4.9", [(95, "%"), (1.1, ""), (4.9, "")]),
        ("at 24 h, 5-mg doses", [(24, "h"), (5, "mg")]),
        ("in the 1990s", [(1990, "")]),
        ("for 1990 s", [(1990, "s")]),
        ("$40, \u00a32.5 and 3 \u20ac", [(40, "$"), (2.5, "\u00a3"), (3, "\u20ac")]),
        ("for $40$ mice, $40\\%$ and $4 \\pm 1$", [(40, ""), (40, "%"), (4, ""), (1, "")]),
        ("USD 40 or 2,500 Swiss francs", [(40, "usd"), (2500, "francs")]),
        ("62 N, 3 MN and 2.4 million tonnes", [(62, "N"), (3, "MN"), (2.4e6, "tonnes")]),
        # IL-6 is a protein, and no six of anything.
        *((name, []) for name in "IL-6 COVID-19 p53 CO2 v2.1.3 HbA1c H2O".split()),
        ("no number", []),
        ("", []),
        # The range "10-20" holds no -20, and an en dash is never a minus.
        ("-5", [(-5, "")]),
        ("fell to -1.4 points", [(-1.4, "")]),
        ("(\u22121.4)", [(-1.4, "")]),
        ("d=-.3", [(-0.3, "")]),
        ("5-3", [(5, ""), (3, "")]),
        ("ages 5\u20138", [(5, ""), (8, "")]),
        ("a \u20135 range", [(5, "")]),
        # A "one" is more often a pronoun than a count.
        ("Two of twelve mice", [(2, ""), (12, "")]),
        ("a twofold and a tenfold rise", [(2, ""), (10, "")]),
        ("doubled, then tripled", [(2, ""), (3, "")]),
        ("a hundred ponds", [(100, "")]),
        ("twenty-five mice", [(25, "")]),
        ("Fifty-one mice", [(51, "")]),
        ("one of them", []),
        ("often, tent, height", []),
        ("two \u017fix mice", [(2, "")]),
    ],
)
def test_numbers_are_read_as_written(text: str, numbers: list[tuple[float, str]]) -> None:
    """Numbers are what a summary gets wrong without sounding wrong."""
    read = find_quantities(text)
    assert [quantity.unit for quantity in read] == [unit for _, unit in numbers]
    assert [quantity.value for quantity in read] == pytest.approx([value for value, _ in numbers])


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
        ("5 MG", "mg", "mass"),
        ("5 m\u00b2", "m\u00b2", "area"),
        ("5 cubic metres", "metres", "volume"),
        ("5 \u00b0 C", "\u00b0c", "temperature"),
        ("5 degrees Celsius", "\u00b0c", "temperature"),
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


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # Each line is one value in the notations of papers and of models.
        (
            "5\u00d710\u2075, 5 x 10^5, 5 \\times 10^{5}, 500,000, half a million, 0.5M cells",
            [5e5] * 6,
        ),
        ("1.2 billion euros, \u20ac1.2bn, 1,200 million euros", [1.2e9] * 3),
        ("68\u00b74% and \uff16\uff18.4%", [68.4] * 2),
        ("120 and one hundred and twenty", [120] * 2),
        ("1200, twelve hundred, $1{,}200$ and 1\u2009200", [1200] * 4),
        ("a 60-million-parameter model, 60M parameters", [6e7] * 2),
        ("5k people, 5 thousand people", [5000] * 2),
        ("the 19th and the nineteenth century", [19] * 2),
        ("10\u2074 and 10^4", [1e4] * 2),
        ("second-year students, one of them, the first", []),
    ],
)
def test_a_number_is_read_by_value(text: str, values: list[float]) -> None:
    """However it is written; strings are never compared."""
    assert [quantity.value for quantity in find_quantities(text)] == pytest.approx(values)


def test_places_point_at_the_digits() -> None:
    """A conflict is shown at the number that conflicts."""
    result = find_quantities("rose by 1,000.5 mg and 2 x 10^3 cells")
    assert [(q.digits, q.text, q.decimals) for q in result] == [
        ("1,000.5", "1,000.5 mg", 1),
        ("2 x 10^3", "2 x 10^3", 0),
    ]


@pytest.mark.parametrize(
    ("mine", "other", "is_same"),
    [
        # A summary may round and convert; that is no error.
        ("24 mice", "24 mice", True),
        ("1 g", "1,000 mg", True),
        ("1,000 mg", "1 g", True),
        ("0.5 h", "30 min", True),
        ("90 min", "1.5 h", True),
        ("24 %", "24.4 %", True),  # rounded to no decimal: 0.4 <= 0.5
        ("24.4 %", "24.36 %", True),  # rounded to one decimal: 0.04 <= 0.05
        ("1 kg", "1,400 g", True),  # told in the larger unit: 0.4 kg <= 0.5 kg
        ("24", "24 mg", True),
        ("24 mg", "24", True),
        ("lost 1.4", "-1.4", True),
        ("twelve", "12", True),
        ("0", "0 mg", True),
        ("5 MeV", "5000 keV", True),
        ("5 mg/kg", "5 mg", True),  # a writer leaves out what everybody knows
        ("5 mg/L", "5 \u00b5g mL\u22121", True),
        ("3.6 km/h", "1 m/s", True),
        ("1 m\u00b3", "1,000 litres", True),
        ("37 \u00b0C", "310 K", True),
        ("\u2212258 \u00b0C", "15.2 K", True),
        ("0.50", "0.5", True),
        # A changed number is the commonest error, and the one that a reader least sees.
        ("24 %", "24 mg", False),
        ("24 %", "24 percentage points", False),
        ("24 mg", "24 g", False),
        ("24", "25", False),
        ("24.4 %", "24 %", False),  # more digits than the source gives
        ("24 %", "24.6 %", False),  # rounds to 25
        ("24.4 %", "24.46 %", False),  # 0.06 > 0.05
        ("1,400 g", "1 kg", False),
        ("0", "1", False),
        ("5 mg/L", "5 \u00b5g/L", False),
        ("20 km/h", "20 m/s", False),
        ("37 \u00b0C", "300 K", False),
        ("5 mM", "5 mm", False),  # a concentration, and a length
        ("5 MeV", "5 meV", False),
    ],
)
def test_a_number_agrees_with_its_other_forms(mine: str, other: str, *, is_same: bool) -> None:
    """It may stand for the other one, and no other number or unit may."""
    assert only(mine).agrees_with(only(other)) == is_same


@given(st.text())
def test_any_text_is_read_without_fault(text: str) -> None:
    """Numbers of any script, and none, come back finite and in their places."""
    last = 0
    for quantity in find_quantities(text):
        assert math.isfinite(quantity.value)
        assert last <= quantity.start < quantity.end <= len(text)
        last = quantity.start
