"""Decisions between systems: worked examples and laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.study.agreement.decisions import decisions
from summeval_pytest.study.tables import Estimate


def scores_of(**systems: list[float]) -> dict[str, dict[str, float]]:
    """By system, a number for each paper."""
    return {
        system: {f"p{place:02}": value for place, value in enumerate(values)}
        for system, values in systems.items()
    }


def test_within_papers_worked_example() -> None:
    """Of three papers people rank two: one is in their order, one is a tie that counts half."""
    human = scores_of(a=[3.0, 2.0, 1.0], b=[1.0, 1.0, 1.0])
    number = scores_of(a=[0.9, 0.5, 0.1], b=[0.2, 0.5, 0.9])
    found = decisions(human, number)
    assert (found["within"].value, found["n_ranked"]) == (0.75, 2)


def test_a_number_that_decides_the_other_way_is_wrong() -> None:
    """People prefer a to b and b to c on every paper; the number exchanges b and c."""
    human = scores_of(a=[3.0, 3.1] * 8, b=[2.0, 2.2] * 8, c=[1.0, 1.1] * 8)
    number = scores_of(a=[0.9, 0.8] * 8, b=[0.1, 0.2] * 8, c=[0.5, 0.6] * 8)
    found = decisions(human, number)
    assert (found["n_pairs"], found["n_decided"], found["n_same"], found["n_wrong"]) == (3, 3, 2, 1)


def test_a_number_that_varies_more_than_it_differs_is_undecided() -> None:
    """Its mean has people's sign, and its interval holds 0."""
    human = scores_of(a=[3.0] * 16, b=[1.0] * 16)
    number = scores_of(a=[0.9, 0.2] * 8, b=[0.1, 0.9] * 8)
    found = decisions(human, number)
    assert (found["n_same"], found["n_undecided"], found["n_wrong"]) == (1, 1, 0)


def test_a_number_may_decide_where_people_do_not() -> None:
    """Such a decision is neither right nor wrong, and it is counted."""
    human = scores_of(a=[2.0, 1.0] * 8, b=[1.0, 2.0] * 8)
    number = scores_of(a=[0.9] * 16, b=[0.1] * 16)
    found = decisions(human, number)
    assert (found["n_decided"], found["n_alone"]) == (0, 1)


def test_papers_without_the_number_are_left_out() -> None:
    """A pair of systems on fewer than two papers with both numbers is no pair."""
    human = scores_of(a=[3.0] * 4, b=[1.0] * 4)
    number = scores_of(a=[0.9], b=[0.1, 0.2])
    assert decisions(human, number)["n_pairs"] == 0
    assert decisions(human, number)["n_ranked"] == 1


def test_fewer_papers_decide_less_often() -> None:
    """With all papers the share is that of the decisions; too large a size is left out."""
    human = scores_of(a=[3.0] * 30, b=[1.0] * 30)
    number = scores_of(a=[0.9, 0.6, 0.2] * 10, b=[0.5, 0.5, 0.4] * 10)
    found = decisions(human, number, [5, 30, 31])
    few, every = found["subsets"]
    assert every["as_people"] == float(found["n_undecided"] == 0)
    assert few["as_people"] < every["as_people"]
    assert few["wrong"] <= few["as_people"]


def test_nobody_to_agree_with() -> None:
    """Without a pair that people rank there is no accuracy and no decision."""
    same = scores_of(a=[1.0, 1.0], b=[1.0, 1.0])
    found = decisions(same, same, [2])
    assert (found["within"], found["subsets"]) == (Estimate(), [])


values = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=6, max_size=6)


@given(values, values, values, values)
def test_exchanging_systems_changes_no_count(
    a: list[float], b: list[float], x: list[float], y: list[float]
) -> None:
    """Names say nothing about systems, and a reversed number is wrong where it was right."""
    human, number = scores_of(a=a, b=b), scores_of(a=x, b=y)
    found = decisions(human, number)
    assert found == decisions(scores_of(a=b, b=a), scores_of(a=y, b=x))
    reversed_number = scores_of(a=[-each for each in x], b=[-each for each in y])
    other = decisions(human, reversed_number)["within"].value
    accuracy = found["within"].value
    assert accuracy is None or other == pytest.approx(1 - accuracy)
    alike = decisions(human, human)
    assert alike["n_same"] == alike["n_decided"]
