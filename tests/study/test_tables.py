from __future__ import annotations

import pytest

from summeval_pytest.study.systems.analyses import column_parts
from summeval_pytest.study.systems.studied import Column
from summeval_pytest.study.tables import Mean, interval_text, mean_cell, named, number, p_cell


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"), (0.0, "0.000"), (0.93149, "0.931"), (-1.06, "-1.060"), (12.345, "12.3"),
        (987.68, "987.7"), (12345.6, "12,346"),
    ],
)  # fmt: skip
def test_a_number_has_the_digits_that_tell_something(value: float | None, shown: str) -> None:
    """Three for a score; a dash is no 0."""
    assert number(value) == shown


def test_bounds_have_the_same_digits() -> None:
    """Or the narrower one would look more exact."""
    assert interval_text(0.9, 0.956) == "[.90, .96]"
    assert interval_text(-0.05, 1.0) == "[-.05, 1.00]"
    assert interval_text(6.71, 12.2) == "[6.7, 12.2]"
    assert interval_text(99.4, 123.4) == "[99, 123]"
    assert interval_text(None, None) == ""


def test_a_mean_says_what_it_does_not_cover() -> None:
    """And nothing where it covers all; a rate is in per cent, as the papers have it."""
    part = Mean(value=0.053, low=0.03, high=0.08, n=3, n_of=4)
    nothing = Mean(value=None, n=0, n_of=4)
    assert mean_cell(part, " (1)") == "0.053 (1)\n[.03, .08]\n3 of 4"
    assert mean_cell(part, is_percent=True) == "5.3 %\n[3, 8]\n3 of 4"
    assert mean_cell(Mean(value=0.5, n=1, n_of=1)) == "0.500"
    assert mean_cell(nothing) == mean_cell(nothing, is_percent=True) == "-\n0 of 4"


@pytest.mark.parametrize(("p", "shown"), [(None, "-"), (0.00004, "<.0001"), (0.05, "0.0500")])
def test_a_small_p_value_is_not_zero(p: float | None, shown: str) -> None:
    """No test has a p value of 0."""
    assert p_cell(p) == shown


def test_a_long_name_keeps_both_ends() -> None:
    """Names of one suite differ at an end: versions, or the class of a judge."""
    assert named("tests.golden.oracle:IgnoresNumbers", 20) == "tests.gold\u2026esNumbers"
    assert len(named("x" * 500, 24)) == 24
    assert named("short") == "short"
    assert named(None) == "(reference)"
    assert named("a\x1b[31m\nb") == "a\\x1b[31m b"


def test_columns_of_one_name_are_distinguished() -> None:
    """A record may have the name of a metric."""
    columns = [
        Column(giver="judge", by="gpt", name="facet"),
        Column(giver="record", by="facet", name="overall"),
        Column(giver="label", name="faithfulness"),
        Column(giver="text", name="words"),
    ]
    assert [column_parts(column) for column in columns] == [
        ("facet", "gpt"), ("facet", "recorded"), ("faithfulness", "labels"), ("words", "texts"),
    ]  # fmt: skip
