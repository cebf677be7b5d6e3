"""A sample that has every stratum in proportion."""

from __future__ import annotations

import operator

from numpy.random import PCG64, Generator


def systematic_sample(n_rows: int, n_wanted: int, *, seed: int) -> tuple[int, ...]:
    """Row numbers, ascending, evenly spaced from a random start; all rows where no more are there.

    Where rows are sorted by their strata, each stratum of k rows has k * n_wanted / n_rows of the
    sample, rounded down or up; in a stratum that is sorted by a size, all sizes have their share.
    Source: Cochran 1977, chapter 8.

    Raises:
        ValueError: n_wanted is below 1, or n_rows or seed is negative.
        TypeError: seed is no integer.
    """
    if n_wanted < 1:
        raise ValueError(f"n_wanted is {n_wanted!r}; draw at least 1")
    if n_rows < 0 or operator.index(seed) < 0:
        raise ValueError(f"n_rows is {n_rows!r} and seed is {seed!r}; neither is negative")
    if n_wanted >= n_rows:
        return tuple(range(n_rows))
    # In whole numbers, so that no rounding takes a row twice: a step is n_rows / n_wanted.
    start = int(Generator(PCG64(operator.index(seed))).integers(n_rows))
    return tuple((start + place * n_rows) // n_wanted for place in range(n_wanted))
