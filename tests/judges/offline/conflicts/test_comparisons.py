from __future__ import annotations

import pytest

from summeval_pytest.judges.offline.conflicts.comparisons import (
    opposite_comparison,
    opposite_ratio,
)
from summeval_pytest.judges.offline.readings.reading import read

COUNTS = "Thefts numbered 14 in lit streets and 31 in dark streets."


@pytest.mark.parametrize(
    ("claim", "is_conflict"),
    [
        ("Thefts were more frequent in lit streets than in dark streets.", True),
        ("Thefts were less frequent in dark streets than in lit streets.", True),
        ("Thefts were less frequent in lit streets than in dark streets.", False),
        ("Thefts were more frequent in dark streets than in lit streets.", False),
        ("Thefts were more frequent than fires.", False),
        ("Thefts were frequent in lit streets.", False),
    ],
)
def test_which_group_has_more_is_read_off_the_numbers(claim: str, is_conflict: bool) -> None:
    """14 in lit and 31 in dark streets: there are more in the dark ones."""
    assert bool(opposite_comparison(read(claim), [read(COUNTS)])) is is_conflict


@pytest.mark.parametrize(
    ("claim", "is_conflict"),
    [
        ("Oiling was associated with more breakdowns (hazard ratio 0.62).", True),
        ("Oiling was associated with fewer breakdowns (hazard ratio 0.62).", False),
        ("Oiling was associated with more breakdowns (hazard ratio 1.62).", False),
        ("Oiling was associated with breakdowns (hazard ratio 0.62).", False),
    ],
)
def test_ratio_under_one_means_less(claim: str, is_conflict: bool) -> None:
    """A hazard ratio of 0.62 is a reduction."""
    evidence = read("For oiling and breakdowns the hazard ratio was 0.62.")

    assert bool(opposite_ratio(read(claim), [evidence])) is is_conflict
