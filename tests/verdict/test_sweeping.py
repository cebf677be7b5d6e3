from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.verdict import Separation, separations
from tests.verdict.records import (
    believed,
    carried,
    eva,
    faithful,
    marks,
    pair,
    rated,
    unscored,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.evaluation import Numbers


def faithfulness(*values: float) -> list[Numbers]:
    """Pairs with this faithfulness and nothing else."""
    return [pair(f"moss-{n}", faithful(value)).numbers() for n, value in enumerate(values)]


def results(*ratings: int) -> list[Numbers]:
    """Pairs whose references state a result and nothing else, rated so."""
    return [pair(f"moss-{n}", rated({"result": r})).numbers() for n, r in enumerate(ratings)]


def best(better: Sequence[Numbers], worse: Sequence[Numbers], name: str) -> Separation:
    """The threshold of one number."""
    (found,) = (each for each in separations(better, worse) if each.name == name)
    return found


def test_two_runs_that_do_not_overlap_are_told_apart_by_the_middle_between_them() -> None:
    """Worked example: (0.625 + 0.375) / 2 = 0.5 passes 3 of 3 and 0 of 2 pairs."""
    assert best(faithfulness(0.625, 0.75, 1), faithfulness(0.25, 0.375), "faithfulness") == (
        Separation(
            name="faithfulness",
            better=2.375 / 3,
            worse=0.3125,
            threshold=0.5,
            n_better=3,
            of_better=3,
            n_worse=0,
            of_worse=2,
        )
    )
    assert best(faithfulness(0.625), faithfulness(0.25), "faithfulness").separated == 1.0


def test_runs_that_overlap_are_told_apart_as_well_as_can_be() -> None:
    """Worked example: at 0.4 pass 3/4 and 1/4; no other threshold has shares further apart.

    0.2 | 0.3: 4/4 - 3/4. 0.3 | 0.5: 3/4 - 1/4, which is 0.5. 0.5 | 0.7: 2/4 - 1/4, and so on.
    """
    better = faithfulness(0.2, 0.5, 0.7, 0.9)
    found = best(better, faithfulness(0.1, 0.3, 0.3, 0.8), "faithfulness")
    assert (found.n_better, found.n_worse, found.separated) == (3, 1, 0.5)
    assert 0.3 < found.threshold < 0.5


def test_a_threshold_of_a_rating_is_a_rating() -> None:
    """Worked example: 4, 4, 2 against 2, 2, 1: at 4, as at 3, pass 2/3 and 0/3; at 2, 3/3 and 2/3.

    Between 2 and 4 a threshold of 3.5 would do the same, and nobody would write it.
    """
    found = best(results(4, 4, 2), results(2, 2, 1), "facet.result")
    assert (found.n_better, found.n_worse) == (2, 0)
    assert found.threshold == 4.0


def test_of_several_thresholds_that_do_the_one_in_the_middle_is_taken() -> None:
    """It is as far as can be from pairs that might fall on its other side next time."""
    found = best(results(4, 4), results(1, 1), "facet.result")
    assert (found.separated, found.threshold) == (1.0, 3.0)


def test_shares_that_are_equal_are_tied_whatever_their_floats_say() -> None:
    """Worked example: 0, 2, 4 against 1, 3, 5 eighths; 1/3 apart are 3/3 and 2/3, 2/3 and 1/3, 1/3.

    As floats 3/3 - 2/3 is the largest of them by 6e-17, and its threshold of 1/16 would be taken
    for that. The middle of the three is between 2/8 and 3/8.
    """
    assert 3 / 3 - 2 / 3 > 2 / 3 - 1 / 3
    better, worse = faithfulness(1 / 8, 3 / 8, 5 / 8), faithfulness(0, 2 / 8, 4 / 8)
    found = best(better, worse, "faithfulness")
    assert (found.n_better, found.n_worse, found.threshold) == (2, 1, 5 / 16)


def test_a_worse_run_that_is_better_is_not_told_apart() -> None:
    """No threshold passes the one and fails the other; 0 says so, and nothing less."""
    for better, worse in ((0.25, 0.75), (0.5, 0.5)):
        found = best(faithfulness(better), faithfulness(worse), "faithfulness")
        assert found.separated == 0.0
        assert found.n_better == found.n_worse


def test_fewer_conflicts_are_better() -> None:
    """Worked example: 0, 0 and 1 against 1 and 3: at most 0 passes 2 of 3 and none."""
    better, worse = (
        [
            pair(f"moss-{n}", replace(faithful(0.5), conflicts=count)).numbers()
            for n, count in enumerate(counts)
        ]
        for counts in ((0, 0, 1), (1, 3))
    )
    found = best(better, worse, "faithfulness.conflicts")
    assert (found.threshold, found.n_better, found.n_worse) == (0.0, 2, 0)


def test_every_number_that_both_runs_have_is_swept_in_the_order_of_the_catalogue() -> None:
    """A facet that one side's references lack, or a metric, cannot part the two."""
    one = pair("moss-1", rated(), eva(0.5), replace(believed(0.5), conflicts=0)).numbers()
    assert [found.name for found in separations([one], [one])] == list(CATALOGUE)
    other = pair("moss-1", rated({"method": 2}), faithful(0.5)).numbers()
    for sides in (([one], [other]), ([other], [one])):
        names = [found.name for found in separations(*sides)]
        assert names == ["facet", "facet.method", "faithfulness"]
    assert separations([one], []) == separations([], [one]) == ()


def test_support_that_only_copied_summaries_have_is_not_swept() -> None:
    """A rule gave it, and it would part copied summaries from others by any threshold."""
    copied = pair("moss-1", believed(1.0)).numbers()
    judged = pair("moss-2", believed(1.0, None)).numbers()
    names = [found.name for found in separations([copied], [copied, judged])]
    assert names == ["faithfulness"]


def test_pairs_without_the_number_are_not_counted() -> None:
    """Not as failing ones either: a refusal and a summary without facts have no value to hold."""
    refusal = pair("moss-8", unscored("eva")).numbers()
    silent = pair("moss-9", carried({"a": False}, {})).numbers()
    found = best([pair("moss-1", eva(0.5)).numbers(), refusal, silent], [silent], "eva")
    assert (found.of_better, found.of_worse) == (2, 1)
    better = [pair("moss-1", eva(0.75)).numbers(), refusal, silent]
    found = best(better, [pair("moss-1", eva(0.25)).numbers(), silent], "eva.precision")
    assert (found.of_better, found.of_worse, found.better, found.worse) == (1, 1, 0.75, 0.25)


values = st.lists(st.integers(0, 60).map(lambda sixtieths: sixtieths / 60), min_size=1, max_size=9)
whole = st.lists(st.integers(1, 4), min_size=1, max_size=9)


def apart(better: Sequence[float], worse: Sequence[float], least: float) -> Fraction:
    """The exact difference of the shares that pass a threshold."""
    passing, others = sum(v >= least for v in better), sum(v >= least for v in worse)
    return Fraction(passing, len(better)) - Fraction(others, len(worse))


def furthest(better: Sequence[float], worse: Sequence[float]) -> Fraction:
    """The largest difference of passing shares over every threshold there is."""
    return max(apart(better, worse, least) for least in [*better, *worse, 2.0])


@given(values, values)
def test_no_threshold_of_a_score_does_better(better: list[float], worse: list[float]) -> None:
    """Oracle: every threshold tried by brute force; a score passes where it is at least that."""
    found = best(faithfulness(*better), faithfulness(*worse), "faithfulness")
    seen = sorted({*better, *worse})
    middles = [(one + other) / 2 for one, other in pairwise(seen)]
    held(found, better, worse, candidates=[seen[0], *middles])


@given(whole, whole)
def test_no_threshold_of_a_rating_does_better(better: list[int], worse: list[int]) -> None:
    """Oracle: the same for the four ratings of a result."""
    found = best(results(*better), results(*worse), "facet.result")
    held(found, better, worse, candidates=[1.0, 2.0, 3.0, 4.0])


def held(
    found: Separation,
    better: Sequence[float],
    worse: Sequence[float],
    *,
    candidates: Sequence[float],
) -> None:
    """Checks one separation against all thresholds, and its counts against its threshold."""
    assert (found.of_better, found.of_worse) == (len(better), len(worse))
    assert found.n_better == sum(value >= found.threshold for value in better)
    assert found.n_worse == sum(value >= found.threshold for value in worse)
    exact = Fraction(found.n_better, len(better)) - Fraction(found.n_worse, len(worse))
    assert exact == furthest(better, worse) >= 0
    tied = [least for least in candidates if apart(better, worse, least) == exact]
    assert found.threshold == tied[len(tied) // 2]


@given(values)
def test_equal_runs_are_not_told_apart(same: list[float]) -> None:
    """Law: whatever the threshold, as many pass on either side."""
    found = separations(faithfulness(*same), faithfulness(*same))
    assert [each.separated for each in found] == [0.0]


def test_a_reading_of_full_marks_everywhere_leaves_a_threshold_that_all_pass() -> None:
    """The lowest candidate lets every pair pass, so a sweep never has to fail anybody."""
    best_marks = [pair("moss-1", rated(marks())).numbers()]
    for found in separations(best_marks, best_marks):
        assert found.n_better == found.n_worse
