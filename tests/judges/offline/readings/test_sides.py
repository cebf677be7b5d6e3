from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.readings.reading import read
from summeval_pytest.judges.offline.readings.sides import are_crossed, is_of_second, sides_of


def test_two_groups_are_crossed_where_each_stands_for_the_other() -> None:
    """What "A slower than B" and "B faster than A" say is the same."""
    (one,) = read("Barges were slower than ferries.").clauses
    (other,) = read("Ferries were faster than barges.").clauses

    assert are_crossed(one.sides, other.sides)
    assert not are_crossed(one.sides, one.sides)


@pytest.mark.parametrize(
    "text",
    [
        "ferries were louder than barges",
        "ferries outlasted barges",
        "sailors preferred ferries to barges",
        "ferries lay far above barges",
        "ferries were louder compared with barges",
    ],
)
def test_groups_stand_on_either_side_of_what_compares_them(text: str) -> None:
    """English compares by "than", by verbs, and by a few prepositions."""
    sides = sides_of(text.split())

    assert sides is not None
    assert any(word.startswith("ferr") for word in sides[0])
    assert any(word.startswith("barg") for word in sides[1])


@pytest.mark.parametrize(
    "text",
    [
        "the trip lasted more than 40 hours",
        "noise more than doubled",
        "ferries were compared with barges",
    ],
)
def test_bound_and_bare_comparison_name_no_groups(text: str) -> None:
    """A number behind a "than" is no second group, and "were compared" ranks nothing."""
    assert sides_of(text.split()) is None


def test_clause_is_of_the_second_group_when_it_names_more_of_it() -> None:
    """A clause about barges alone speaks of the second of "ferries than barges"."""
    sides = (frozenset({"ferr", "pier"}), frozenset({"barg"}))

    assert is_of_second(("barg",), sides)
    assert not is_of_second(("ferr", "pier"), sides)
    assert not is_of_second(("gull",), sides)
