from __future__ import annotations

import math

import numpy as np
import pytest

from summeval_pytest.stats.correlation import (
    COEFFICIENTS,
    coefficients_of,
    drawn_coefficients,
    drawn_spearmans,
    kendall,
    pearson,
    spearman,
)

X = np.array([1.0, 2.0, 3.0, 9.0])
Y = np.array([10.0, 20.0, 20.0, 30.0])
SCALAR = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
every_coefficient = pytest.mark.parametrize("name", COEFFICIENTS)


@every_coefficient
def test_two_columns_have_the_coefficient_of_two_columns(name: str) -> None:
    """Worked examples of `correlation` with ties: rho 4.5 / sqrt(22.5), tau 5 / sqrt(30)."""
    every = next(each for each in COEFFICIENTS if each == name)
    values = np.broadcast_to(np.stack([X, Y])[:, np.newaxis], (2, 2, 4))
    found = coefficients_of(every, values, np.ones((2, 2, 4), dtype=bool))
    expected = SCALAR[name](X, Y)
    assert expected is not None
    np.testing.assert_allclose(found, [[1, expected], [expected, 1]], atol=1e-12)


@every_coefficient
def test_what_is_not_valid_does_not_count(name: str) -> None:
    """A row that one column lacks is in neither, whatever number stands in its place."""
    every = next(each for each in COEFFICIENTS if each == name)
    values = np.broadcast_to(np.stack([X, Y])[:, np.newaxis], (2, 2, 4)).copy()
    values[..., 3] = [[1e6, -1e6], [-1e6, 1e6]]
    valid = np.ones((2, 2, 4), dtype=bool)
    valid[..., 3] = False
    expected = SCALAR[name](X[:3], Y[:3])
    assert coefficients_of(every, values, valid)[0, 1] == pytest.approx(expected)
    assert np.isnan(coefficients_of(every, values, np.zeros_like(valid))).all()


@every_coefficient
def test_a_group_drawn_twice_counts_twice(name: str) -> None:
    """Worked example: rows 1, 2 of one group, 3, 4 of another; drawn 1 and 1, 0 and 2, 2 and 1."""
    every = next(each for each in COEFFICIENTS if each == name)
    sizes = np.array([2, 2], dtype=np.intp)
    counts = np.array([[1.0, 1.0], [0.0, 2.0], [2.0, 1.0]])
    rows = [[0, 1, 2, 3], [2, 3, 2, 3], [0, 1, 0, 1, 2, 3]]
    found = drawn_coefficients(every, X, Y, sizes, counts)
    assert found.tolist() == [pytest.approx(SCALAR[name](X[some], Y[some])) for some in rows]


@every_coefficient
def test_a_resample_without_variety_is_undefined(name: str) -> None:
    """A side whose drawn values are all equal has no coefficient, and no row has none."""
    every = next(each for each in COEFFICIENTS if each == name)
    sizes, x = np.array([2, 2], dtype=np.intp), np.array([0.1, 0.1, 0.7, 0.3])
    drawn = drawn_coefficients(every, x, Y, sizes, np.array([[2.0, 0.0], [0.0, 2.0]]))
    assert math.isnan(drawn[0])
    assert drawn[1] == pytest.approx(-1)
    nothing = np.empty(0)
    none = drawn_coefficients(every, nothing, nothing, sizes[:0], np.ones((3, 0)))
    assert np.isnan(none).all()
    assert len(none) == 3


def test_many_columns_are_ranked_as_two() -> None:
    """Each column is ranked once in a resample, which is what makes a matrix quick."""
    columns = np.stack([X, Y, -X], axis=1)
    of_group = np.array([0, 0, 1, 1], dtype=np.intp)
    found = drawn_spearmans(columns, of_group, np.array([[1.0, 1.0], [2.0, 1.0]]))
    assert found.shape == (2, 3, 3)
    np.testing.assert_allclose(found[:, 0, 2], -1)
    assert found[0, 0, 1] == pytest.approx(4.5 / math.sqrt(22.5))
