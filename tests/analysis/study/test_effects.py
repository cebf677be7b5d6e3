from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.analysis.effects import cohen_d, effects
from summeval_pytest.stats.paired import power_of_drop
from tests.analysis.study.studied import JUDGE, pair

if TYPE_CHECKING:
    from summeval_pytest.analysis.columns import StudiedPair


def by_system(**scores: list[float | None]) -> dict[str, list[StudiedPair]]:
    """A system a keyword, a paper a place; None is unscored."""
    return {
        system: [
            pair(str(n), system, scores={JUDGE: {} if value is None else {"facet": value}})
            for n, value in enumerate(values)
        ]
        for system, values in scores.items()
    }


def test_cohens_d_is_the_difference_in_pooled_deviations() -> None:
    """Worked example: means 4 and 2, variances 4 and 4, so d = 2 / 2."""
    assert cohen_d([2, 4, 6], [0, 2, 4]) == 1.0
    assert cohen_d([1, 1], [0, 0]) is None
    assert cohen_d([1], [0]) is None


def test_two_systems_are_compared_on_the_papers_that_both_have() -> None:
    """Worked example: of four papers three are shared, with differences .1, .3 and .2."""
    found = effects(by_system(a=[0.5, 0.8, 0.6, 0.9], b=[0.4, 0.5, 0.4, None]), [JUDGE], 4)
    facet = next(each for each in found if each.column.name == "facet")
    assert (facet.first, facet.second) == ("a", "b")
    assert (facet.difference.value, facet.difference.n, facet.difference.n_of) == (0.2, 3, 4)
    assert facet.power == pytest.approx(power_of_drop(0.2, 0.1, 3), abs=1e-6)


def test_equal_scores_have_no_effect() -> None:
    """Neither a deviation to divide by, nor anything to find."""
    facet = effects(by_system(a=[0.5, 0.5], b=[0.5, 0.5]), [JUDGE], 2)[0]
    assert facet.difference.value == 0.0
    assert (facet.cohen_d, facet.power, facet.detectable) == (None, None, None)


def test_systems_without_a_shared_score_are_said_to_have_none() -> None:
    """They must not vanish from the list."""
    facet = effects(by_system(a=[0.5, None], b=[None, 0.5]), [JUDGE], 2)[0]
    assert (facet.difference.value, facet.difference.n, facet.cohen_d) == (None, 0, None)


def test_one_system_has_no_effect_to_tell() -> None:
    """It takes two."""
    assert effects(by_system(a=[0.5, 0.6]), [JUDGE], 2) == ()
