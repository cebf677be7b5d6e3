from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scipy import stats

from summeval_pytest.verdict import equal_scores
from summeval_pytest.verdict.equal_scores import score_criteria
from tests.verdict.asked_items import pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.evaluation import PairInWays
    from summeval_pytest.verdict.criteria import Criterion


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals have tests of their own."""
    monkeypatch.setattr(equal_scores, "RESAMPLES", 100)


def criteria(pairs: Sequence[PairInWays]) -> dict[str, Criterion]:
    """The criteria of EVA-Score, by name."""
    return {each.name: each for each in score_criteria("eva", pairs)}


def shifted(*shifts: float, system: str = "good", start: float = 0.5) -> list[PairInWays]:
    """A paper a shift."""
    return [
        pair(f"moss-{n:02}", {"eva": start}, {"eva": start + shift}, system=system)
        for n, shift in enumerate(shifts)
    ]


def test_small_differences_to_both_sides_are_equivalent() -> None:
    """Mean 0 with a spread of .01: SciPy's one-sided tests against -.02 and .02."""
    shifts = [0.01, -0.01] * 6
    found = criteria(shifted(*shifts))
    p_value = stats.ttest_1samp(shifts, -0.02, alternative="greater").pvalue
    assert found["mean difference"].value == pytest.approx(p_value)
    assert found["mean difference"].standing == "met"
    assert found["absolute difference"].value == pytest.approx(0.01)
    assert found["absolute difference"].standing == "met"


def test_large_differences_that_cancel_out_are_refused_pair_by_pair() -> None:
    """The mean is kept, and half of the pairs pass another threshold: .03 is over .02."""
    found = criteria(shifted(*[0.03, -0.03] * 30))
    assert found["mean difference"].standing == "met"
    assert found["absolute difference"].standing == "missed"


def test_few_differences_show_no_equivalence() -> None:
    """Not to find a difference is not to show that there is none."""
    found = criteria(shifted(0.05, -0.05, 0.0))
    assert found["mean difference"].shift == pytest.approx(0.0)
    assert found["mean difference"].standing == "missed"


def test_one_pair_shows_no_mean() -> None:
    """Not measurable, and so not met."""
    found = criteria(shifted(0.0))
    assert found["mean difference"].standing == "open"
    assert found["absolute difference"].standing == "met"


def test_faithfulness_is_held_by_its_mean_only() -> None:
    """One sentence of eight is .125: its sentences are held one by one."""
    pairs = [pair(f"moss-{n}", {"faithfulness": 0.5}, {"faithfulness": 0.5}) for n in range(3)]
    names = [each.name for each in score_criteria("faithfulness", pairs)]
    assert names == ["scored", "mean difference", "order of systems"]


def test_a_pair_without_a_score_together_is_no_agreement() -> None:
    """One of ten is lost: .9 of the pairs is too few, and the others are measured."""
    pairs = [*shifted(*[0.0] * 9), pair("moss-99", {"eva": 0.5}, {"eva": None})]
    found = criteria(pairs)
    assert (found["scored"].n, found["scored"].value) == (10, 0.9)
    assert found["scored"].standing == "missed"
    assert found["mean difference"].n == 9


def test_a_metric_that_alone_is_never_scored_is_refused() -> None:
    """A judge that cannot read the texts has shown nothing."""
    found = criteria([pair(f"moss-{n}", {"eva": None}, {"eva": None}) for n in range(3)])
    assert found["scored"].standing == "missed"
    assert found["mean difference"].standing == "open"


def test_a_metric_with_nothing_to_score_is_left_out() -> None:
    """A refused summary is no fault of the judge."""
    assert criteria([pair("moss-01", {}, {})]) == {}


def test_the_order_of_systems_is_kept() -> None:
    """Tau is 1, and is held to 1."""
    order = criteria([*shifted(0.1, system="a"), *shifted(0.1, system="b", start=0.6)])[
        "order of systems"
    ]
    assert (order.n, order.value, order.bound, order.standing) == (2, 1.0, 1.0, "met")


def test_systems_that_change_places_are_refused_where_papers_agree_on_them() -> None:
    """On all twelve papers a is behind b by .1 alone and before it together: no sample is so."""
    pairs = [
        *shifted(*[0.2] * 12, system="a"),
        *shifted(*[0.0] * 12, system="b", start=0.6),
    ]
    order = criteria(pairs)["order of systems"]
    assert (order.value, order.bound, order.standing) == (-1.0, 1.0, "missed")


def test_systems_may_change_places_as_they_would_on_other_papers() -> None:
    """Alone, b is before a by a hair, on half of the papers: the order is chance."""
    pairs = []
    for number in range(12):
        ahead = 0.3 if number % 2 else -0.28
        pairs += [
            pair(f"moss-{number:02}", {"eva": 0.5}, {"eva": 0.52}, system="a"),
            pair(f"moss-{number:02}", {"eva": 0.5 + ahead}, {"eva": 0.5 + ahead}, system="b"),
        ]
    order = criteria(pairs)["order of systems"]
    assert (order.value, order.bound, order.standing) == (-1.0, -1.0, "met")


@pytest.mark.parametrize("starts", [(0.5,), (0.5, 0.5)], ids=["one system", "all tied"])
def test_without_an_order_there_is_none_to_keep(starts: tuple[float, ...]) -> None:
    """One system, or all tied alone."""
    pairs = [
        each
        for n, start in enumerate(starts)
        for each in shifted(0.01 * n, 0.0, system=f"s{n}", start=start)
    ]
    assert criteria(pairs)["order of systems"].standing == "moot"


def test_an_order_that_is_lost_is_not_kept() -> None:
    """Together, both systems have the same mean: nobody can tell them apart any more."""
    pairs = [*shifted(0.1, 0.1, system="a"), *shifted(0.0, 0.0, system="b", start=0.6)]
    assert criteria(pairs)["order of systems"].standing == "open"
