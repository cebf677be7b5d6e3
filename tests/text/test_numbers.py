"""Whether a source states a number, and which numbers it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.text.numbers import find_figures, kind_of, unstated_figures
from summeval_pytest.text.quantities import find_quantities


def unstated(claim: str, source: tuple[str, ...]) -> tuple[str, ...]:
    """The unstated numbers of a claim, as written."""
    return tuple(figure.digits for figure in unstated_figures(claim, source))


SOURCE = (
    "We watched 14 ferries from Oct. 2020 to Dec. 2021 on the north pier.",
    "Delays fell from 12.4% to 8.6% (p = 0.003, 95% CI 2.1 to 5.5).",
    "Of 150 crews, 18 were late.",
    "Each crew drank 1.5 L of tea per day, and the cook used 250 mg of salt.",
    "The harbour moved 61,380 crates in 240 trips.",
    "Gulls numbered 40 in spring and 25 in autumn.",
    "It took a decade and 2.4 million bricks, and one in five, 0.21 of all, broke.",
    "Crews rowed 12 miles a week, 9 to 6 x 10^3 strokes, and slept 7, 8 and 9 hours.",
    "Of 200 lamps, 150 burned and 30% were new.",
    "Each of 12 keepers got 80 euros and trained twice a week for 11 weeks; 2 of 12 dropped out.",
    "Caught were 235, 000 herrings, 98. 7 per cent by boats whose masters sailed at thirteen.",
    "Boats bought 14 pounds of bait.",
    "Half a year of storms cost the town 6,300 N of rope and 3.6 million crowns for 4 piers.",
)
STATED = """
    Delays fell from 12.4% to 8.6%.
    Delays fell to roughly 9%.
    Delays fell by 3.8 points.
    Late were 12% of the crews.
    Crews drank 1,500 ml of tea a day.
    The cook used 0.25 g of salt.
    About 61,000 crates were moved.
    Crates numbered 61 thousand.
    Some 2,400,000 bricks were used.
    Broken were 21% of the bricks.
    Ferries were watched for 14 months.
    The works lasted 10 years.
    Fourteen ferries were watched.
    There were 15 fewer gulls in autumn.
    There were 1.6 times as many gulls in spring.
    Gulls fell by 37.5%.
    Gulls rose by 60% from autumn.
    Gulls numbered 65 altogether.
    Crews slept 24 hours in all.
    Of the lamps, 70% were not new.
    The other 50 lamps failed.
    They rowed 19.3 km a week.
    Crews rowed about 52 miles a month.
    They slept for 8.
    Two gulls in three were shy.
    Two-thirds of the 150 lamps burned.
    See Fig. 7 for gulls.
    The 3rd run failed, as [14] says.
    Delays fell (95% CI 2.1 to 5.5), p < 0.05.
    Ferries of the 2020s were watched with v1.2.3 of a tool.
    Delays were 8.6 per 100 crossings.
    Keepers got 960 euros and trained 22 times.
    Ten keepers finished.
    Storms lasted six months.
    The rope of the town held 6.3 kN.
    Each of the 4 piers cost 900,000 crowns.
    Boats caught 98.7% of the 235,000 herrings.
    The catch was significant with a p-value less than 0.05.
    Boats bought 14 lb of bait.
"""


def test_what_is_converted_rounded_or_worked_out_is_stated() -> None:
    """A good writer changes the form of a number; that is no error."""
    claims = STATED.strip().splitlines()
    assert [claim for claim in claims if unstated(claim.strip(), SOURCE)] == []


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("Delays fell from 12.4% to 3.6%.", ("3.6 %",)),
        ("Delays fell from 12.4% to 8.60%.", ()),
        ("The survey ended in Dec. 2031.", ("2031",)),
        ("Of 550 crews, 18 were late.", ("550",)),
        ("Each crew drank 1.5 mL of tea per day.", ("1.5 ml",)),
        ("The harbour moved 81,380 crates.", ("81,380",)),
        ("Sixteen ferries were watched.", ("Sixteen",)),
        ("Delays fell (p = 0.009).", ("0.009",)),
        ("Delays fell by 7.7 points.", ("7.7 pp",)),
        ("On day 90 it rained in the 2010s.", ("90", "2010")),
        ("They rowed 4 x 10^3 strokes.", ("4",)),
        ("It lasted 3 decades.", ("3",)),
        ("Keepers got 80 dollars.", ("80",)),
        ("Keepers got 970 euros.", ("970",)),
        ("Boats caught 97.7% of the 245,000 herrings.", ("97.7", "245,000")),
        ("The catch was 0.05 tons and significant.", ("0.05",)),
        ("Eleven keepers finished.", ("Eleven",)),
        ("The rope of the town held 6.3 MN.", ("6.3",)),
        ("About 60 gulls were counted.", ("60",)),
    ],
)
def test_number_that_stands_nowhere_is_named(claim: str, missing: tuple[str, ...]) -> None:
    """In no form that we know how to convert or work out."""
    result = unstated(claim, SOURCE)
    assert tuple(text.split()[0] for text in result) == tuple(text.split()[0] for text in missing)


@pytest.mark.parametrize("number", ["1e999", "1" * 5000, "1x10^999", "0." + "3" * 1000, "9" * 400])
def test_any_number_string_is_read_or_left_alone(number: str) -> None:
    """A text may hold any digits; none may break the judge."""
    text = f"The bill came to {number} crowns, {number} % of all."
    assert all(quantity.value < float("inf") for quantity in find_quantities(text))
    assert isinstance(unstated(text, SOURCE), tuple)
    assert isinstance(unstated("It was 3.5 crowns.", (text,)), tuple)


@pytest.mark.parametrize("zero", ["0", "0.0", "zero", "no", "nought"])
@pytest.mark.parametrize("hedge", ["", "about ", "almost ", "at most "])
def test_zero_of_anything_is_a_number(hedge: str, zero: str) -> None:
    """Its last digit that is not 0 was once looked for without end: "about 0%", "zero percent"."""
    claims = [f"The boats took {hedge}{zero} {unit} of it." for unit in ("%", "percent", "mg", "L")]
    assert all({*unstated_figures(claim, SOURCE)} <= {*find_figures(claim)} for claim in claims)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_a_source_states_the_numbers_of_its_own_sentences(source: list[str]) -> None:
    """What is copied is stated, whatever it is."""
    assert unstated(source[0], tuple(source)) == ()


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("It took from 9 to 6 days.", ["days", "days"]),
        ("It fell from 5% to 7 of them.", ["%", ""]),
        ("Each day 40 sacks came.", [""]),
        ("On day 40 a girl aged 7 came.", ["", ""]),
    ],
)
def test_a_bare_number_takes_the_unit_it_is_joined_to(text: str, units: list[str]) -> None:
    """From 9 to 6 days are two times; 40 sacks each day are a count."""
    assert [figure.unit for figure in find_figures(text)] == units


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("In 2014 we saw 2014 gulls.", ["year", "amount"]),
        ("It fell by 3.1% (95% CI 1 to 5; p = 0.02).", ["change", "level", "amount", "amount"]),
        ("Twice as many, 3 times as many.", ["multiple", "multiple"]),
        ("It was 4 mm longer.", ["change"]),
    ],
)
def test_a_number_tells_an_amount_or_something_else(text: str, kinds: list[str]) -> None:
    """Only numbers of one kind can contradict each other."""
    assert [kind_of(figure) for figure in find_figures(text)][: len(kinds)] == kinds


def test_a_table_of_numbers_is_read_in_bounded_time() -> None:
    """Of a sentence with thousands of numbers the first are read; the rest is a table."""
    table = " ".join(map(str, range(10, 20_000, 7)))
    assert len(find_figures(table)) == 60
    assert isinstance(unstated(table, (table[:40_000] + ".",)), tuple)
