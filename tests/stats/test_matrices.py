from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats.bootstrap import bootstrap_interval, bootstrap_mean
from summeval_pytest.stats.correlation import COEFFICIENTS, kendall, pearson, spearman
from summeval_pytest.stats.matrices import (
    Matrix,
    Resamples,
    matrix_of_means,
    matrix_over_rows,
    matrix_within,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Rows
    from summeval_pytest.stats.correlation import CoefficientName

Row = tuple[str, str, tuple[float, ...]]
"""A paper, a system, and a number a column."""

every_coefficient = pytest.mark.parametrize("name", COEFFICIENTS)
SCALAR = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
FEW = Resamples(12, 7)

number = st.integers(min_value=1, max_value=4).map(float)
gap = st.just(math.nan)
full_rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.tuples(number, number, number)),
    max_size=14,
)
gappy_rows = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from("xyz"),
        st.tuples(number | gap, number | gap, st.floats(-1000, 1000, width=16)),
    ),
    max_size=14,
)
rated_rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.tuples(*[number | gap] * 3)),
    max_size=14,
)


def split(rows: Sequence[Row]) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """The table, the paper of each row and its system."""
    table = np.array([values for _, _, values in rows], dtype=np.float64).reshape(len(rows), 3)
    return table, [paper for paper, _, _ in rows], [system for _, system, _ in rows]


def cell(found: Matrix, a: int, b: int) -> tuple[float | None, ...]:
    """One value with its bounds, None where undefined."""
    every = (found.values[a, b], found.lows[a, b], found.highs[a, b])
    return tuple(None if math.isnan(value) else float(value) for value in every)


def close(expected: tuple[float | None, ...]) -> object:
    """What equals these but for rounding."""
    return tuple(None if v is None else pytest.approx(v, abs=1e-9) for v in expected)


@every_coefficient
@settings(deadline=None, max_examples=50)
@given(rows=full_rows | gappy_rows)
def test_over_rows_is_the_coefficient_and_its_bootstrap(
    name: CoefficientName, rows: list[Row]
) -> None:
    """Law: all resamples at once come to what one resample after the other does, gaps and ties."""
    table, papers, _ = split(rows)
    found = matrix_over_rows(table, papers, name, FEW)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        both = ~np.isnan(table[:, a]) & ~np.isnan(table[:, b])
        x, y = table[both, a], table[both, b]
        groups = [paper for paper, there in zip(papers, both, strict=True) if there]

        def drawn(
            taken: Rows, _: Rows, x: NDArray[np.float64] = x, y: NDArray[np.float64] = y
        ) -> float | None:
            return SCALAR[name](x[taken], y[taken])

        interval = bootstrap_interval(groups, drawn, n_resamples=FEW.n, seed=FEW.seed)
        assert cell(found, a, b) == close((SCALAR[name](x, y), interval.low, interval.high))
        assert found.n[a, b] == len(x)


@every_coefficient
@settings(deadline=None, max_examples=50)
@given(rows=full_rows | gappy_rows)
def test_within_is_the_mean_over_papers_and_its_bootstrap(
    name: CoefficientName, rows: list[Row]
) -> None:
    """Law: each paper weighs the same, and one without a coefficient is drawn and left out."""
    table, papers, _ = split(rows)
    found = matrix_within(table, papers, name, FEW)
    for a, b in ((0, 1), (1, 2), (0, 0)):
        both = ~np.isnan(table[:, a]) & ~np.isnan(table[:, b])
        every: list[float | None] = []
        for paper in sorted({p for p, there in zip(papers, both, strict=True) if there}):
            of = both & np.array([p == paper for p in papers])
            every.append(SCALAR[name](table[of, a], table[of, b]))
        known = [value for value in every if value is not None]
        mean = math.fsum(known) / len(known) if known else None
        interval = bootstrap_mean(every, n_resamples=FEW.n, seed=FEW.seed)
        assert cell(found, a, b) == close((mean, interval.low, interval.high))
        assert found.n[a, b] == len(known)


@every_coefficient
@settings(deadline=None, max_examples=50)
@given(rows=full_rows | rated_rows)
def test_of_means_is_the_coefficient_of_the_systems_means(
    name: CoefficientName, rows: list[Row]
) -> None:
    """Law: a resample of papers takes every system's mean again, and leaves absent systems out."""
    table, papers, systems = split(rows)
    found = matrix_of_means(table, papers, systems, name, FEW)
    for a, b in ((0, 1), (1, 2)):
        both = ~np.isnan(table[:, a]) & ~np.isnan(table[:, b])

        shared = np.flatnonzero(both)

        def of_means(
            taken: Rows, _: Rows, a: int = a, b: int = b, shared: NDArray[np.intp] = shared
        ) -> float | None:
            x, y = [], []
            for system in sorted(set(systems)):
                its = [row for row in shared[taken] if systems[row] == system]
                if its:
                    x.append(round(float(table[its, a].mean()), 12))
                    y.append(round(float(table[its, b].mean()), 12))
            return SCALAR[name](x, y)

        its = [papers[row] for row in shared]
        interval = bootstrap_interval(its, of_means, n_resamples=FEW.n, seed=FEW.seed)
        everything = np.arange(len(shared), dtype=np.intp)
        value = of_means(everything, everything)
        assert cell(found, a, b) == close((value, interval.low, interval.high))
        assert found.n[a, b] == len({s for s, there in zip(systems, both, strict=True) if there})


def test_three_levels_worked_example() -> None:
    """Two papers of two systems: the same numbers say 0.8, 1 and 1.

    Over rows: 1, 2, 3, 4 against 1, 3, 2, 4 makes 4/5. Within each paper the order is right. The
    systems' means are 2 and 3 against 1.5 and 3.5: right, too, as any two points in order are.
    """
    table = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0], [4.0, 4.0]])
    papers, systems = ["moss", "moss", "zinc", "zinc"], ["plain", "bold", "plain", "bold"]
    over = matrix_over_rows(table, papers, "spearman", FEW)
    within = matrix_within(table, papers, "kendall", FEW)
    means = matrix_of_means(table, papers, systems, "pearson", FEW)
    assert cell(over, 0, 1) == pytest.approx((0.8, 0.8, 1.0))
    assert cell(within, 0, 1) == (1.0, 1.0, 1.0)
    assert cell(means, 0, 1) == pytest.approx((1.0, 1.0, 1.0))
    assert (over.n[0, 1], within.n[0, 1], means.n[0, 1]) == (4, 2, 2)


@every_coefficient
def test_a_matrix_is_symmetric_with_ones_where_a_column_varies(name: CoefficientName) -> None:
    """A constant column goes with nothing, not even with itself."""
    table = np.array([[1.0, 4.0, 2.0], [2.0, 3.0, 2.0], [2.0, 1.0, 2.0], [5.0, 1.5, 2.0]])
    papers, systems = list("aabb"), list("xyxy")
    for found in (
        matrix_over_rows(table, papers, name, FEW),
        matrix_within(table, papers, name, FEW),
        matrix_of_means(table, papers, systems, name, FEW),
    ):
        for array in (found.values, found.lows, found.highs, found.n):
            np.testing.assert_array_equal(array, array.T)
        assert found.values[0, 0] == pytest.approx(1)
        assert np.isnan(found.values[2]).all()


def test_pearson_survives_an_outlier_that_a_resample_leaves_out() -> None:
    """Sums of squares would cancel where the one huge value is not drawn."""
    x = np.array([1e9, 1.0, 2.0, 3.0, 4.0, 1e9 + 1])
    y = np.array([1.0, 2.0, 1.0, 4.0, 3.0, 2.0])
    papers = list("abbbbc")
    found = matrix_over_rows(np.stack([x, y], axis=1), papers, "pearson", FEW)
    interval = bootstrap_interval(
        papers, lambda rows, _: pearson(x[rows], y[rows]), n_resamples=FEW.n, seed=FEW.seed
    )
    assert cell(found, 0, 1) == close((pearson(x, y), interval.low, interval.high))


@every_coefficient
@settings(deadline=None, max_examples=50)
@given(rows=gappy_rows, data=st.data())
def test_the_order_of_rows_does_not_matter(
    name: CoefficientName, rows: list[Row], data: st.DataObject
) -> None:
    """Law: a file sorted another way holds the same numbers, intervals included."""
    table, papers, _ = split(rows)
    moved, moved_papers, _ = split(data.draw(st.permutations(rows)))
    one = matrix_over_rows(table, papers, name, FEW)
    other = matrix_over_rows(moved, moved_papers, name, FEW)
    assert cell(other, 0, 1) == close(cell(one, 0, 1))


@every_coefficient
@settings(deadline=None, max_examples=50)
@given(rows=full_rows | gappy_rows)
def test_every_value_and_bound_lies_in_its_range(name: CoefficientName, rows: list[Row]) -> None:
    """Law: -1 to 1, bounds in order and there only together; one paper has none but its value."""
    table, papers, systems = split(rows)
    for groups in (papers, ["only"] * len(papers)):
        for found in (
            matrix_over_rows(table, groups, name, FEW),
            matrix_within(table, groups, name, FEW),
            matrix_of_means(table, groups, systems, name, FEW),
        ):
            known = found.values[~np.isnan(found.values)]
            assert ((known >= -1) & (known <= 1)).all()
            bounded = ~np.isnan(found.lows)
            np.testing.assert_array_equal(bounded, ~np.isnan(found.highs))
            assert (found.lows[bounded] <= found.highs[bounded]).all()
            if groups != papers:
                np.testing.assert_allclose(found.lows, found.values, atol=1e-9)
                np.testing.assert_allclose(found.highs, found.values, atol=1e-9)


def test_resamples_are_checked() -> None:
    """None at all would make every interval None without a word."""
    with pytest.raises(ValueError, match=r"^Resamples\(n=0, seed=1\): give n of at least 1 and a"):
        Resamples(0, 1)
    with pytest.raises(ValueError, match=r"^Resamples\(n=1, seed=-1\): give n of"):
        Resamples(1, -1)
