from __future__ import annotations

from summeval_pytest.analysis.columns import ranked, standings
from tests.analysis.study.studied import JUDGE, pair


def test_equal_means_share_a_rank() -> None:
    """Worked example of the docstring, with one that has no value and one that rounding moved."""
    found = ranked({"a": 3.0, "b": 5.0, "c": 5.0 + 1e-12, "d": 1.0, "e": None})
    assert found == {"b": 1, "c": 1, "a": 3, "d": 4}


def test_a_system_that_lacks_papers_is_ranked_by_those_it_has() -> None:
    """And says so: its mean covers 1 of 3 papers, of which one was never asked of it."""
    by_system = {
        "full": [pair(paper, "full", scores={JUDGE: {"facet": 0.5}}) for paper in "abc"],
        "part": [
            pair("a", "part", scores={JUDGE: {"facet": 0.75}}),
            pair("b", "part", scores={JUDGE: {}}),
        ],
    }
    facet = standings(by_system, [JUDGE], 3)[0]
    assert facet.column.name == "facet"
    assert [(p.system, p.rank, p.mean.n, p.mean.n_of) for p in facet.places] == [
        ("full", 2, 3, 3),
        ("part", 1, 1, 3),
    ]
    assert facet.is_uneven


def test_length_has_no_rank() -> None:
    """A longer summary is no better one."""
    by_system = {name: [pair("a", name, numbers={"words": 9.0})] for name in ("one", "other")}
    (words,) = standings(by_system, [], 1)
    assert [place.rank for place in words.places] == [None, None]
    assert [place.mean.value for place in words.places] == [9.0, 9.0]


def test_the_order_of_papers_does_not_matter() -> None:
    """A suite's file may be sorted anew."""
    pairs = [pair(str(n), "one", scores={JUDGE: {"facet": 0.1 * n}}) for n in range(9)]
    assert standings({"one": pairs}, [JUDGE], 9) == standings({"one": pairs[::-1]}, [JUDGE], 9)
