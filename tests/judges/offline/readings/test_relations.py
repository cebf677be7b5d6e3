from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.readings.reading import read


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Noise rose with speed.", 1),
        ("Noise fell with speed.", -1),
        ("More gulls meant fewer fish.", -1),
        ("Noise was negatively correlated with sleep.", -1),
        ("Noise rose and prices fell.", 0),
        ("Noise rose.", 0),
    ],
)
def test_how_two_things_go_together_is_one_sign(text: str, relation: int) -> None:
    """More of the one with more of the other is 1, with less of it -1."""
    assert read(text).clauses[0].relation == relation


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("Ferries grew more slowly than barges.", -1),
        ("Ferries were louder than barges.", 1),
        ("Ferries outlasted barges.", 1),
    ],
)
def test_rank_says_which_group_has_more(text: str, rank: int) -> None:
    """A verb and its degree are multiplied: who grows more slowly grows less."""
    assert read(text).clauses[0].rank == rank
