from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from summeval_pytest.stats.correlation import partial_pearson, pearson

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS = st.lists(st.integers(-20, 20), min_size=5, max_size=12)


def residuals(values: NDArray[np.float64], on: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a straight line through ``on`` leaves of the values, by NumPy's least squares."""
    design = np.column_stack([np.ones(len(on)), on])
    fitted, *_ = np.linalg.lstsq(design, values, rcond=None)
    left: NDArray[np.float64] = values - design @ fitted
    return left


@given(st.lists(st.tuples(*[st.integers(-20, 20)] * 3), min_size=5, max_size=12))
def test_it_is_the_correlation_of_what_a_line_leaves(rows: list[tuple[int, int, int]]) -> None:
    """Oracle: residuals of two least-squares lines, which is what the formula stands for."""
    x, y, z = np.array(rows, dtype=np.float64).T
    found = partial_pearson(x, y, z)
    left_x, left_y = residuals(x, z), residuals(y, z)
    assume(found is not None and min(left_x.std(), left_y.std()) > 1e-6)
    assert found == pytest.approx(pearson(left_x, left_y), abs=1e-9)


def test_a_published_example_comes_out() -> None:
    """Worked example: r = .5 throughout gives (.5 - .25) / (1 - .25) = 1/3.

    The three columns are made of one shared part and a part of their own, as long as it.
    """
    shared, own = [1, 1, 1, 1, -1, -1, -1, -1], [1, 1, -1, -1, 1, 1, -1, -1]
    other, last = [1, -1, 1, -1, 1, -1, 1, -1], [1, -1, -1, 1, 1, -1, -1, 1]
    x, y, z = (np.array(shared) + np.array(part) for part in (own, other, last))
    assert pearson(x, y) == pytest.approx(0.5)
    assert partial_pearson(x, y, z) == pytest.approx(1 / 3)


@given(NUMBERS)
def test_a_column_that_does_not_move_explains_nothing(values: list[int]) -> None:
    """Law: it leaves Pearson's r as it is."""
    others = list(reversed(values))
    assert partial_pearson(values, others, [7] * len(values)) == pearson(values, others)


@given(NUMBERS)
def test_a_side_that_is_explained_wholly_has_no_correlation_left(values: list[int]) -> None:
    """Law: what is left of it is rounding, and no number."""
    assume(len(set(values)) > 1)
    assert partial_pearson(values, list(reversed(values)), [2 * v + 1 for v in values]) is None


def test_no_rows_have_no_correlation() -> None:
    """Nor has one."""
    assert partial_pearson([], [], []) is None
    assert partial_pearson([1], [2], [3]) is None
