from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.analysis.columns import Mean, mean_of, rate_of


def test_a_mean_says_how_many_of_how_many() -> None:
    """Worked example: 1 and 2 of three papers; the third is unscored and no 0."""
    found = mean_of([("a", 1.0), ("b", None), ("c", 2.0)])
    assert (found.value, found.n, found.n_of) == (1.5, 2, 3)
    assert (found.low, found.high) == (1.0, 2.0)


def test_nothing_has_no_mean() -> None:
    """Not 0, and not an error either."""
    assert mean_of([("a", None)]) == Mean(value=None, n=0, n_of=1)


def test_one_group_has_no_interval() -> None:
    """An interval without width would say that other papers give the same."""
    found = mean_of([("a", 1.0), ("a", 2.0)])
    assert (found.value, found.low, found.high) == (1.5, None, None)


def test_equal_values_have_an_interval_without_width() -> None:
    """Rounding must not make .1 * 10 / 10 something else than .1."""
    found = mean_of([(str(n), 0.1) for n in range(10)])
    assert (found.value, found.low, found.high) == (0.1, 0.1, 0.1)


def test_a_rate_weighs_papers_by_what_they_have_to_count() -> None:
    """Worked example: 3 of 4 and 0 of 1 are 3 of 5; a paper without anything is not counted."""
    found = rate_of([("a", 3, 4), ("b", 0, 1), ("c", 0, 0)], n_of=4)
    assert (found.value, found.n, found.n_of) == (0.6, 2, 4)
    assert (found.low, found.high) == (0.0, 0.75)


@settings(deadline=None, max_examples=30)
@given(values=st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_the_interval_holds_no_more_than_the_values_do(values: list[float]) -> None:
    """A mean of resamples lies between the smallest and the largest value."""
    found = mean_of([(str(place), value) for place, value in enumerate(values)])
    assert found.low is not None
    assert found.high is not None
    assert min(values) - 1e-8 <= found.low <= found.high <= max(values) + 1e-8
    assert found.value == pytest.approx(sum(values) / len(values), abs=1e-8)
