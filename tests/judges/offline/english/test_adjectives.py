from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.english.adjectives import STATES, adverb, compared, degrees


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("sparse", ("sparser", "sparsest")),
        ("happy", ("happier", "happiest")),
        ("big", ("bigger", "biggest")),
        ("cold", ("colder", "coldest")),
        ("good", ("better", "best")),
        ("dangerous", ()),
        ("slowly", ()),
    ],
)
def test_degrees_are_formed_by_rule(word: str, expected: tuple[str, ...]) -> None:
    """Only long adjectives and adverbs are compared by "more"."""
    assert degrees(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"), [("warm", "warmly"), ("easy", "easily"), ("reliable", "reliably")]
)
def test_adverbs_are_formed_by_rule(word: str, expected: str) -> None:
    """Adverbs stand at the end of the scale where their adjectives stand."""
    assert adverb(word) == expected


def test_degree_stands_where_its_adjective_stands() -> None:
    """What is colder is at the lower end, as what is cold."""
    assert compared()["colder"] == STATES["cold"]
    assert set(STATES["cold"]).isdisjoint(STATES["hot"])
