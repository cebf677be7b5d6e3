from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.analysis.effects import JudgeHeat, judge_heats
from tests.analysis.study.studied import pair

if TYPE_CHECKING:
    from summeval_pytest.analysis.columns import StudiedPair

Table = dict[str, dict[str, float]]


def heat_of(
    tables: list[Table], families: tuple[dict[str, str], dict[str, str]], metric: str = "facet"
) -> JudgeHeat:
    """The heat of one metric; a table a paper, by judge and system."""
    judges, systems = list(families[0]), list(families[1])
    by_system: dict[str, list[StudiedPair]] = {
        system: [
            pair(
                str(place),
                system,
                scores={
                    judge: {metric: table[judge][system]} if system in table[judge] else {}
                    for judge in judges
                },
            )
            for place, table in enumerate(tables)
        ]
        for system in systems
    }
    found = judge_heats(by_system, judges, families, len(tables))
    return next(heat for heat in found if heat.metric == metric)


SQUARE = ({"A": "a", "B": "b"}, {"sa": "a", "sb": "b"})


def test_the_diagonal_minus_the_rest() -> None:
    """Worked example, two judges with a system each.

    Both judges find B's system better by .2, judge B is milder by .1, and each adds .05 to its own:
    A gives .55 and .70, B gives .60 and .85. Without the levels the own cells are .55 and .85, the
    others .70 and .60: the difference is .05. With the means of rows and columns taken out, all
    cells are +-.025, so it is .05, too, and b is .05.
    """
    heat = heat_of(
        [{"A": {"sa": 0.55, "sb": 0.70}, "B": {"sa": 0.60, "sb": 0.85}}] * 2,
        SQUARE,
    )
    assert heat.difference == pytest.approx(0.05)
    assert heat.preference.value == pytest.approx(0.05)
    assert [(cell.judge, cell.system, cell.is_own) for cell in heat.cells] == [
        ("A", "sa", True),
        ("A", "sb", False),
        ("B", "sa", False),
        ("B", "sb", True),
    ]


def test_a_good_system_is_no_self_preference() -> None:
    """Worked example: only A has a system, the best of all, and both judges say so.

    With nothing taken out, .9 against the mean of .9 and four times .5, the difference is .32;
    nobody prefers anything.
    """
    families = ({"A": "a", "B": "b"}, {"sa": "a", "x": "x", "y": "y"})
    row = {"sa": 0.9, "x": 0.5, "y": 0.5}
    heat = heat_of([{"A": row, "B": row}] * 2, families)
    assert heat.difference == pytest.approx(0.32)
    assert heat.preference.value == 0.0


@settings(deadline=None, max_examples=40)
@given(
    levels=st.lists(st.floats(-1, 1), min_size=5, max_size=5),
    bias=st.floats(-1, 1),
    own=st.sampled_from([(0, 1), (0, 2), (1, 1), (2, 0)]),
)
def test_a_bias_is_found_whatever_the_levels(
    levels: list[float], bias: float, own: tuple[int, int]
) -> None:
    """Law: judge's level + system's level + b for own gives b, in tables that are not square, too.

    Two judges and three systems; ``own`` says of which family the first two systems are.
    """
    judges, systems = {"A": "f0", "B": "f1"}, {"x": f"f{own[0]}", "y": f"f{own[1]}", "z": "none"}
    table = {
        judge: {
            system: levels[row] + levels[2 + column] + bias * (judges[judge] == systems[system])
            for column, system in enumerate(systems)
        }
        for row, judge in enumerate(judges)
    }
    heat = heat_of([table, table], (judges, systems))
    assert heat.preference.value == pytest.approx(bias, abs=1e-6)


def test_only_papers_without_a_gap_count() -> None:
    """An easy paper that one judge left out would speak for the other."""
    whole = {"A": {"sa": 0.6, "sb": 0.5}, "B": {"sa": 0.5, "sb": 0.6}}
    torn = {"A": {"sa": 1.0}, "B": {"sa": 0.0, "sb": 0.0}}
    heat = heat_of([whole, torn, whole], SQUARE)
    assert (heat.preference.value, heat.preference.n, heat.preference.n_of) == (0.1, 2, 3)
    missing = next(cell for cell in heat.cells if (cell.judge, cell.system) == ("A", "sb"))
    assert (missing.mean.value, missing.mean.n, missing.mean.n_of) == (0.5, 2, 3)


@pytest.mark.parametrize(
    "families",
    [
        ({"A": "a"}, {"sa": "a", "sb": "b"}),  # one judge
        ({"A": "a", "B": "a"}, {"sa": "a", "sb": "a"}),  # all of one family
        ({"A": "a", "B": "b"}, {"sa": "x", "sb": "y"}),  # none of any
        ({"A": "a", "B": "a"}, {"sa": "a", "sb": "b"}),  # judges that own the same
    ],
)
def test_where_nothing_can_be_told_apart_nothing_is_told(
    families: tuple[dict[str, str], dict[str, str]],
) -> None:
    """A preference of 0 would be a finding."""
    row = {"sa": 0.6, "sb": 0.5}
    heat = heat_of([dict.fromkeys(families[0], row)] * 2, families)
    assert heat.preference.value is None


def test_no_system_and_no_judge_is_no_fault() -> None:
    """Analyses of texts alone have no judge."""
    assert [heat.cells for heat in judge_heats({}, [], ({}, {}), 3)] == [(), ()]
