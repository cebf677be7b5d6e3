from __future__ import annotations

from dataclasses import replace

import pytest

from summeval_pytest.questions import FACETS
from summeval_pytest.study.systems.fm import (
    facet_means,
    facet_proportions,
    ranked,
    spreads,
    standings,
)
from summeval_pytest.study.systems.studied import Cut, Given
from tests.study.systems.study_pairs import JUDGE, pair, scored, studied


def test_equal_means_share_a_rank() -> None:
    """Worked example of the docstring, with one that has no value and one that rounding moved."""
    found = ranked({"a": 3.0, "b": 5.0, "c": 5.0 + 1e-12, "d": 1.0, "e": None})
    assert found == {"b": 1, "c": 1, "a": 3, "d": 4}


def test_a_system_that_lacks_papers_is_ranked_by_those_it_has() -> None:
    """And says so: its mean covers 1 of 3 papers, of which one was never asked of it."""
    full = [scored(paper, "full", facet=0.5) for paper in "abc"]
    facet = standings(
        studied(*full, scored("a", "part", facet=0.75), scored("b", "part"), n_papers=3)
    )[0]
    assert facet.column.name == "facet"
    assert [(p.system, p.rank, p.mean.n, p.mean.n_of) for p in facet.places] == [
        ("full", 2, 3, 3),
        ("part", 1, 1, 3),
    ]
    assert facet.is_uneven


def test_length_has_no_rank() -> None:
    """A longer summary is no better one."""
    both = [pair("a", name, numbers={"words": 9.0}) for name in ("one", "other")]
    (words,) = standings(studied(*both, judges=()))
    assert [(place.rank, place.mean.value) for place in words.places] == [(None, 9.0)] * 2


def test_the_order_of_papers_does_not_matter() -> None:
    """A suite's file may be sorted anew."""
    pairs = [scored(str(n), facet=0.1 * n) for n in range(9)]
    assert standings(studied(*pairs, n_papers=9)) == standings(studied(*pairs[::-1], n_papers=9))


def test_the_distribution_is_told_by_its_quantiles() -> None:
    """Worked example: of two papers with 0 and 1 a resample has 0, .5 or 1, .5 half the time.

    Equal values have no width; one paper has no distribution, as its resamples would look certain.
    """
    pairs = [scored(str(n), facet=float(n)) for n in range(2)]
    facet, eva, faithfulness = spreads(studied(*pairs, n_papers=3))
    assert len(facet.quantiles) == 41
    assert (facet.quantiles[0], facet.quantiles[20], facet.quantiles[40]) == (0.0, 0.5, 1.0)
    assert facet.quantiles[30] - facet.quantiles[10] == pytest.approx(facet.iqr)
    assert (facet.n, facet.n_of) == (2, 3)
    assert (eva.quantiles, eva.iqr, eva.n) == ((), None, 0)
    assert faithfulness.column.name == "faithfulness"
    equal = spreads(studied(*(scored(str(n), facet=0.3) for n in range(4))))[0]
    assert (set(equal.quantiles), equal.iqr) == ({0.3}, 0.0)
    alone = spreads(studied(scored("a", facet=0.3)))[0]
    assert (alone.quantiles, alone.iqr, alone.n) == ((), None, 1)


def test_proportions_are_shares_of_all_words_together() -> None:
    """Worked example: 10 of 20 words and 0 of 80 are .1 of all, and not .25.

    A reviewed cut has no segment to count; a writer whom nobody has cut is said to have none.
    """
    pairs = [
        pair(
            "a", cuts={"GPT": Cut(words={"background": 10, "method": 10}, held=("whole", "parts"))}
        ),
        pair("b", cuts={"GPT": Cut(words={"background": 0, "method": 80})}),
        pair("c"),
        pair("a", "bad"),
    ]
    references, found, bad = facet_proportions(studied(*pairs, n_papers=3))
    assert (references.system, found.by, found.system, bad.system) == (None, "GPT", "good", "bad")
    assert (found.shares["background"].value, found.shares["method"].value) == (0.1, 0.9)
    assert found.shares["result"].value == 0.0
    assert (found.shares["method"].n, found.shares["method"].n_of) == (2, 3)
    assert found.held == {"whole": 1, "parts": 1, "absent": 0}
    assert bad.shares["method"].value is None


def test_ratings_of_people_judges_and_records_are_shares_of_their_scales() -> None:
    """Worked example: 3 of 4 by the judge; a facet that the reference lacks counts for no paper."""
    rated = {
        name: Given(values={"facet.method": rating})
        for name, rating in (("judge", 3.0), ("label", 2.0), ("GPT", 1.0))
    }
    one = pair(
        "a",
        judged=rated["judge"],
        label=rated["label"],
        given={("record", "GPT"): rated["GPT"], ("record", "x"): Given(values={"overall": 1})},
    )
    found = facet_means(studied(one, n_papers=2))
    assert [(each.giver, each.by, each.means["method"].value) for each in found] == [
        ("judge", JUDGE, 0.75),
        ("label", "", 0.5),
        ("record", "GPT", 0.25),
    ]
    assert all(each.means["result"].n == 0 for each in found)
    assert set(found[0].means) == set(FACETS)
    assert facet_means(replace(studied(pair("a")), judges=())) == ()
