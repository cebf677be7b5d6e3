from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from summeval_pytest.stats.bootstrap import bootstrap_interval, bootstrap_mean
from summeval_pytest.stats.correlation import pearson, spearman
from summeval_pytest.study.agreement.correlations import COEFFICIENTS
from summeval_pytest.study.agreement.matrices import (
    Matrix,
    Resamples,
    fit_weights,
    matrix_of_means,
    matrix_over_rows,
    matrix_within,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Rows, Statistic
    from summeval_pytest.stats.correlation import Numbers
    from summeval_pytest.study.agreement.correlations import CoefficientName

Row = tuple[str, str, tuple[float, ...]]
"""A paper, a system, and a number a column."""


every_name = pytest.mark.parametrize("name", COEFFICIENTS)
few_examples = settings(deadline=None, max_examples=15)


def kendall(x: Numbers, y: Numbers) -> float | None:
    """SciPy's tau-b, None where it is undefined."""
    is_defined = len(set(x)) > 1 and len(set(y)) > 1
    return float(stats.kendalltau(x, y).statistic) if is_defined else None


SCALAR = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
FEW = Resamples(12, 7)

number = st.integers(min_value=1, max_value=4).map(float)
gap = number | st.just(math.nan)


def rows_of(*values: st.SearchStrategy[float]) -> st.SearchStrategy[list[Row]]:
    """Tables of three columns."""
    papers, systems = st.sampled_from("abc"), st.sampled_from("xyz")
    return st.lists(st.tuples(papers, systems, st.tuples(*values)), max_size=14)


full_rows = rows_of(number, number, number)
gappy_rows = rows_of(gap, gap, st.floats(-1000, 1000, width=16))
rated_rows = rows_of(gap, gap, gap)


def split(rows: Sequence[Row]) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """The table, the paper of each row and its system."""
    table = np.array([values for _, _, values in rows], dtype=np.float64).reshape(len(rows), 3)
    return table, [paper for paper, _, _ in rows], [system for _, system, _ in rows]


def shared(table: NDArray[np.float64], a: int, b: int) -> Rows:
    """The rows that two columns share."""
    return np.flatnonzero(~np.isnan(table[:, a] + table[:, b]))


def of_rows(name: CoefficientName, x: NDArray[np.float64], y: NDArray[np.float64]) -> Statistic:
    """The coefficient over the rows of a resample."""
    return lambda rows: SCALAR[name](x[rows], y[rows])


def cell(found: Matrix, a: int, b: int) -> tuple[float | None, ...]:
    """One value with its bounds, None where undefined."""
    every = (found.values[a, b], found.lows[a, b], found.highs[a, b])
    return tuple(None if math.isnan(value) else float(value) for value in every)


def close(expected: tuple[float | None, ...]) -> object:
    """What equals these but for rounding."""
    return tuple(None if v is None else pytest.approx(v, abs=1e-9) for v in expected)


@every_name
@few_examples
@given(rows=full_rows | gappy_rows)
def test_over_rows_is_the_coefficient_and_its_bootstrap(
    name: CoefficientName, rows: list[Row]
) -> None:
    """Law: all resamples at once come to what one resample after the other does, gaps and ties."""
    table, papers, _ = split(rows)
    found = matrix_over_rows(table, papers, name, FEW)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        rows_of_both = shared(table, a, b)
        x, y = table[rows_of_both, a], table[rows_of_both, b]
        interval = bootstrap_interval(
            [papers[row] for row in rows_of_both],
            of_rows(name, x, y),
            n_resamples=FEW.n,
            seed=FEW.seed,
        )
        assert cell(found, a, b) == close((SCALAR[name](x, y), interval.low, interval.high))
        assert found.n[a, b] == len(x)


@every_name
@few_examples
@given(rows=full_rows | gappy_rows)
def test_within_is_the_mean_over_papers_and_its_bootstrap(
    name: CoefficientName, rows: list[Row]
) -> None:
    """Law: each paper weighs the same, and one without a coefficient is drawn and left out."""
    table, papers, _ = split(rows)
    found = matrix_within(table, papers, name, FEW)
    for a, b in ((0, 1), (1, 2), (0, 0)):
        its: dict[str, list[int]] = {}
        for row in shared(table, a, b):
            its.setdefault(papers[row], []).append(int(row))
        every = [SCALAR[name](table[its[paper], a], table[its[paper], b]) for paper in sorted(its)]
        known = [value for value in every if value is not None]
        mean = math.fsum(known) / len(known) if known else None
        interval = bootstrap_mean(every, n_resamples=FEW.n, seed=FEW.seed)
        assert cell(found, a, b) == close((mean, interval.low, interval.high))
        assert found.n[a, b] == len(known)


@every_name
@few_examples
@given(rows=full_rows | rated_rows)
def test_of_means_is_the_coefficient_of_the_systems_means(
    name: CoefficientName, rows: list[Row]
) -> None:
    """Law: a resample of papers takes every system's mean again, and leaves absent systems out."""
    table, papers, systems = split(rows)
    found = matrix_of_means(table, papers, systems, name, FEW)
    for a, b in ((0, 1), (1, 2)):
        of_both = shared(table, a, b)

        def of_means(taken: Rows, a: int = a, b: int = b, of_both: Rows = of_both) -> float | None:
            x, y = [], []
            for system in sorted(set(systems)):
                its = [row for row in of_both[taken] if systems[row] == system]
                if its:
                    x.append(round(float(table[its, a].mean()), 12))
                    y.append(round(float(table[its, b].mean()), 12))
            return SCALAR[name](x, y)

        its = [papers[row] for row in of_both]
        interval = bootstrap_interval(its, of_means, n_resamples=FEW.n, seed=FEW.seed)
        everything = np.arange(len(of_both), dtype=np.intp)
        value = of_means(everything)
        assert cell(found, a, b) == close((value, interval.low, interval.high))
        assert found.n[a, b] == len({systems[row] for row in of_both})


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


@every_name
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
        papers, of_rows("pearson", x, y), n_resamples=FEW.n, seed=FEW.seed
    )
    assert cell(found, 0, 1) == close((pearson(x, y), interval.low, interval.high))


quarter = st.integers(min_value=1, max_value=4).map(lambda rating: rating / 4)


@pytest.mark.parametrize(
    ("rows", "overall", "weights", "error"),
    [
        # One row a facet says its weight at once. The third row, which has only the second facet,
        # has that facet's share whatever it weighs: 1/2 against 1/4 leaves (1/4)^2 of one in three.
        ([(1, 0), (0, 1), (None, 0.5)], [0.2, 0.8, 0.25], (0.2, 0.8), 1 / 16 / 3),
        # y falls as the first facet rises; unheld the weights of y = 2 b - a would be -1 and 2.
        # Left over: (0 - 0)^2, (1 - 2)^2, (1 - 1)^2.
        ([(0, 0), (0, 1), (1, 1)], [0.0, 2.0, 1.0], (0.0, 1.0), 1 / 3),
        # Nothing is known of a facet that no row has; the others share all.
        ([(1, None, 0), (0, None, 1), (1, None, 1)], [0.25, 0.75, 1.0], (0.25, 0.0, 0.75), 0.0),
    ],
)
def test_fit_worked_examples(
    rows: list[tuple[float | None, ...]],
    overall: list[float],
    weights: tuple[float, ...],
    error: float,
) -> None:
    """Weights are not negative, sum to 1, and what they leave is told; an empty row is left out."""
    found = fit_weights(rows, overall)
    assert found.weights == pytest.approx(weights, abs=1e-6)
    assert found.error == pytest.approx(error, abs=1e-6)
    assert found.n_rows == 3
    nothing = (None,) * len(weights)
    assert fit_weights([*rows, nothing], [*overall, 0.9]) == found


@few_examples
@given(
    rows=st.lists(st.tuples(st.tuples(quarter, quarter, quarter), quarter), min_size=4),
    other=st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
)
def test_no_other_weights_are_better(
    rows: list[tuple[tuple[float, ...], float]], other: list[float]
) -> None:
    """Law: where no facet is removed there is one minimum, and this is it."""
    found = fit_weights([shares for shares, _ in rows], [y for _, y in rows])
    shares, overall = np.array([shares for shares, _ in rows]), np.array([y for _, y in rows])
    left = shares @ other / sum(other) - overall
    assert found.error <= float(np.mean(left**2)) + 1e-7


def test_too_few_rows_are_refused_with_what_is_needed() -> None:
    """Three rows fit four weights exactly, and say nothing of a fourth."""
    rows = [(1.0, 0.5, 0.5, 1.0)] * 3
    message = "too few rows to fit 4 weights: 3 with a share and an overall rating; give at least 4"
    with pytest.raises(ValueError, match=f"^{message}$"):
        fit_weights(rows, [0.5] * 3)


def test_the_weights_of_fm_come_out_of_the_release(release_file: Path) -> None:
    """Oracle: .1, .3, .3, .3 (FM, section 4.2), for the released overall scores are their mean.

    Read from the release itself: a share of 0 says that the reference has no such facet.
    """
    papers = [json.loads(line) for line in release_file.read_text(encoding="utf-8").splitlines()]
    rows = [
        ([share or None for share in paper[f"{key}_list"]], paper[key])
        for paper in papers
        for key in paper
        if key.endswith("_human")
    ]
    found = fit_weights([shares for shares, _ in rows], [y for _, y in rows])
    assert found.weights == pytest.approx((0.1, 0.3, 0.3, 0.3), abs=1e-6)
    assert found.error == pytest.approx(0, abs=1e-12)
    assert found.n_rows == 300
