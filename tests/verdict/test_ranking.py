from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.verdict.ranking import system_orders
from tests.verdict.judged_twice import twice

if TYPE_CHECKING:
    from summeval_pytest.verdict.ranking import SystemOrder
    from summeval_pytest.verdict.swapping import TwiceJudged


def scored(system: str, *scores: tuple[float, float]) -> list[TwiceJudged]:
    """The EVA-Scores of one system under both judges, a paper each."""
    return [
        twice(f"moss-{i:02}", {"eva": old}, {"eva": new}, system=system)
        for i, (old, new) in enumerate(scores)
    ]


def order(*pairs: list[TwiceJudged]) -> SystemOrder:
    """The order of the systems by EVA-Score, the one metric here."""
    (found,) = system_orders([each for of in pairs for each in of])
    return found


def test_systems_are_ranked_under_both_judges() -> None:
    """Means .8, .5 and .5 under the old judge, .2, .4 and .3 under the new one."""
    found = order(
        scored("tied", (0.5, 0.3)),
        scored("best", (0.9, 0.1), (0.7, 0.3)),
        scored("even", (0.5, 0.4)),
    )
    assert [each.system for each in found.means] == ["best", "even", "tied"]
    assert [found.rank(name, "old") for name in ("best", "even", "tied")] == [1, 2, 2]
    assert [found.rank(name, "new") for name in ("best", "even", "tied")] == [3, 1, 2]
    assert [each.n_papers for each in found.means] == [2, 1, 1]


def test_rounding_makes_no_rank() -> None:
    """.1 + .2 is more than .3 by the last digit only, and shares its place."""
    found = order(scored("sum", (0.1 + 0.2, 0.5)), scored("plain", (0.3, 0.5)))
    assert [found.rank(name, "old") for name in ("sum", "plain")] == [1, 1]


def test_systems_that_change_places_are_told_with_both_differences() -> None:
    """On 8 papers one is ahead by .2 and falls behind by .1: 2 / 2 ** 8 each, one pair."""
    found = order(scored("one", *[(0.6, 0.4)] * 8), scored("two", *[(0.4, 0.5)] * 8))
    (change,) = found.changes

    assert (change.better, change.worse, change.n_papers) == ("one", "two", 8)
    assert (change.old, change.new) == pytest.approx((0.2, -0.1))
    assert change.p_old == change.p_new == pytest.approx(2 / 2**8)


def test_all_pairs_of_systems_are_tested_together() -> None:
    """Holm over three pairs: of the two that are alike in p, the smallest is 3 * 2 / 2 ** 8."""
    found = order(
        scored("one", *[(0.6, 0.4)] * 8),
        scored("two", *[(0.4, 0.5)] * 8),
        scored("last", *[(0.1, 0.1)] * 8),
    )
    (change,) = found.changes
    assert change.p_old == change.p_new == pytest.approx(3 * 2 / 2**8)


def test_a_tie_is_no_change_of_places() -> None:
    """Who was ahead and is level now was not overtaken; nor is rounding a lead."""
    assert not order(scored("one", (0.6, 0.5)), scored("two", (0.4, 0.5))).changes
    assert not order(scored("one", (0.6, 0.3)), scored("two", (0.4, 0.1 + 0.2))).changes


def test_systems_are_compared_on_papers_that_both_have() -> None:
    """A system that skips the hard papers gains no place by it."""
    easy = scored("easy", (0.6, 0.6))
    whole = scored("whole", (0.7, 0.7), (0.1, 0.1))
    found = order(easy, whole)
    assert found.rank("easy", "old") == 1
    assert not found.changes

    apart = [twice("kiln", {"eva": 0.9}, {"eva": 0.1}, system="apart")]
    assert not order(easy, apart).changes


def test_a_metric_without_scores_has_no_order() -> None:
    """Two judges that share no score rank nothing."""
    assert system_orders([twice("moss", {"eva": 0.5}, {})]) == ()
