from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.stats.sampling import systematic_sample


def test_all_rows_are_taken_where_no_more_are_there() -> None:
    """The default of a command is everything."""
    assert systematic_sample(3, 3, seed=1) == (0, 1, 2)
    assert systematic_sample(3, 9, seed=1) == (0, 1, 2)
    assert systematic_sample(0, 1, seed=1) == ()


@given(st.integers(1, 400), st.integers(1, 400), st.integers(0, 9))
def test_a_sample_has_as_many_rows_as_wanted_and_none_twice(
    n_rows: int, n_wanted: int, seed: int
) -> None:
    """Ascending numbers of rows that are there."""
    taken = systematic_sample(n_rows, n_wanted, seed=seed)
    assert len(taken) == min(n_rows, n_wanted)
    assert list(taken) == sorted(set(taken))
    assert all(0 <= row < n_rows for row in taken)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 60), st.integers(0, 9))
def test_each_stratum_has_its_share(sizes: list[int], n_wanted: int, seed: int) -> None:
    """Size * wanted / all, rounded down or up, for strata that lie side by side."""
    strata = [name for name, size in enumerate(sizes) for _ in range(size)]
    taken = systematic_sample(len(strata), n_wanted, seed=seed)
    counts = Counter(strata[row] for row in taken)
    for name, size in enumerate(sizes):
        share = size * len(taken) / len(strata)
        assert share - 1 < counts[name] < share + 1


def test_a_seed_is_a_sample() -> None:
    """The same every time; another seed may take others."""
    assert systematic_sample(100, 7, seed=3) == systematic_sample(100, 7, seed=3)
    assert len({systematic_sample(100, 7, seed=seed) for seed in range(20)}) > 5


@pytest.mark.parametrize(
    ("n_rows", "n_wanted", "seed", "message"),
    [
        (5, 0, 1, "n_wanted is 0; draw at least 1"),
        (-1, 2, 1, "n_rows is -1 and seed is 1; neither is negative"),
        (5, 2, -1, "n_rows is 5 and seed is -1; neither is negative"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    n_rows: int, n_wanted: int, seed: int, message: str
) -> None:
    """The message says what is wrong."""
    with pytest.raises(ValueError, match=message):
        systematic_sample(n_rows, n_wanted, seed=seed)
