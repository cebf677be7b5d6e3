from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.stats.matrices import fit_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SYSTEMS = (
    "gpt35_fm", "llama2_70b", "longt5", "longt5_block", "bigbird_pegasus", "bigbird_pegasus_block",
)  # fmt: skip

quarter = st.integers(min_value=1, max_value=4).map(lambda rating: rating / 4)
shares_and_overall = st.lists(
    st.tuples(st.tuples(*[st.none() | quarter] * 3), quarter), min_size=4, max_size=12
)


def mean(weights: Sequence[float], shares: Sequence[float | None]) -> float:
    """The weighted mean over the facets that are there."""
    there = [(w, share) for w, share in zip(weights, shares, strict=True) if share is not None]
    return sum(w * share for w, share in there) / sum(w for w, _ in there)


def error_of(
    weights: Sequence[float], rows: Sequence[tuple[Sequence[float | None], float]]
) -> float:
    """The mean squared error by its definition."""
    kept = [(shares, y) for shares, y in rows if any(s is not None for s in shares)]
    return sum((mean(weights, shares) - y) ** 2 for shares, y in kept) / len(kept)


def test_fit_worked_example() -> None:
    """One row a facet says its weight at once: .2 and .8 leave nothing unexplained.

    With the third row, which has only the second facet, the mean is that facet's share whatever it
    weighs: 1/2 against 1/4 leaves (1/4)^2 of one row in three.
    """
    found = fit_weights([(1, 0), (0, 1), (None, 0.5)], [0.2, 0.8, 0.25])
    assert found.weights == pytest.approx((0.2, 0.8), abs=1e-6)
    assert found.error == pytest.approx(1 / 16 / 3, abs=1e-9)
    assert found.n_rows == 3


def test_a_weight_is_not_negative() -> None:
    """Worked example: y falls as the first facet rises; the best that weights can do is 0 and 1.

    Unheld they would be -1 and 2. Left over: (0 - 0)^2, (1 - 2)^2 of y = 2 b - a, (1 - 1)^2.
    """
    found = fit_weights([(0, 0), (0, 1), (1, 1)], [0.0, 2.0, 1.0])
    assert found.weights == pytest.approx((0.0, 1.0), abs=1e-6)
    assert found.error == pytest.approx(1 / 3, abs=1e-6)


def test_a_facet_that_no_row_has_weighs_nothing() -> None:
    """Nothing is known of it; the others share all."""
    found = fit_weights([(1, None, 0), (0, None, 1), (1, None, 1)], [0.25, 0.75, 1.0])
    assert found.weights == pytest.approx((0.25, 0.0, 0.75), abs=1e-6)


def test_rows_without_a_facet_are_left_out() -> None:
    """Their overall rating is about nothing that was rated."""
    rows = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.5)]
    y = [0.2, 0.8, 0.6]
    assert fit_weights([*rows, (None, None)], [*y, 0.9]) == fit_weights(rows, y)


@settings(deadline=None)
@given(
    weights=st.lists(st.integers(min_value=0, max_value=5), min_size=3, max_size=3).filter(
        lambda w: sum(w) > 0
    )
)
def test_weights_that_made_the_ratings_are_found_again(weights: list[int]) -> None:
    """Law: where the overall rating is a weighted mean, the fit is exact, renormalised or not."""
    true = [w / sum(weights) for w in weights]
    every = [0.25, 0.5, 1.0]
    rows: list[tuple[float | None, ...]] = [(a, b, c) for a in every for b in every for c in every]
    rows += [(None, b, c) for b in every for c in every if true[1] + true[2]]
    found = fit_weights(rows, [mean(true, row) for row in rows])
    assert found.weights == pytest.approx(true, abs=1e-5)
    assert found.error == pytest.approx(0, abs=1e-10)


@settings(deadline=None, max_examples=50)
@given(rows=shares_and_overall, data=st.data())
def test_no_weights_in_tenths_are_better(
    rows: list[tuple[tuple[float | None, ...], float]], data: st.DataObject
) -> None:
    """Law: weights are at least 0 and sum to 1, and none of a grid leave less, gaps or not."""
    if sum(any(s is not None for s in shares) for shares, _ in rows) < 3:
        return
    found = fit_weights([shares for shares, _ in rows], [y for _, y in rows])
    assert sum(found.weights) == pytest.approx(1, abs=1e-7)
    assert all(0 <= w <= 1 for w in found.weights)
    first = data.draw(st.integers(1, 8))
    second = data.draw(st.integers(1, 9 - first))
    other = (first / 10, second / 10, (10 - first - second) / 10)
    assert found.error <= error_of(other, rows) + 1e-6


@settings(deadline=None, max_examples=50)
@given(
    rows=st.lists(st.tuples(st.tuples(quarter, quarter, quarter), quarter), min_size=4),
    other=st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
)
def test_no_other_weights_are_better(
    rows: list[tuple[tuple[float, ...], float]], other: list[float]
) -> None:
    """Law: where no facet is removed there is one minimum, and this is it."""
    found = fit_weights([shares for shares, _ in rows], [y for _, y in rows])
    weights = [w / sum(other) for w in other]
    assert found.error <= error_of(weights, rows) + 1e-7


@settings(deadline=None, max_examples=50)
@given(rows=shares_and_overall, data=st.data())
def test_the_order_of_rows_does_not_matter(
    rows: list[tuple[tuple[float | None, ...], float]], data: st.DataObject
) -> None:
    """Law: a file sorted another way has the same weights, to the last digit."""
    if sum(any(s is not None for s in shares) for shares, _ in rows) < 3:
        return
    moved = data.draw(st.permutations(rows))
    one, other = (
        fit_weights([shares for shares, _ in some], [y for _, y in some]) for some in (rows, moved)
    )
    assert one == other


def test_too_few_rows_are_refused_with_what_is_needed() -> None:
    """Three rows fit four weights exactly, and say nothing of a fourth."""
    rows = [(1.0, 0.5, 0.5, 1.0)] * 3
    message = "too few rows to fit 4 weights: 3 with a share and an overall rating; give at least 4"
    with pytest.raises(ValueError, match=f"^{message}$"):
        fit_weights(rows, [0.5] * 3)
    with pytest.raises(
        ValueError, match=r"^too few rows to fit 0 weights: 0 with .*; give at least 1$"
    ):
        fit_weights([], [])


def test_mistakes_are_named() -> None:
    """A row without its rating must not be fitted to another's."""
    with pytest.raises(ValueError, match=r"^shares has 2 rows and overall has 1 ratings; give one"):
        fit_weights([(1.0,), (0.5,)], [1.0])
    with pytest.raises(ValueError, match=r"^row 1 has 1 shares and row 0 has 2; give one a facet"):
        fit_weights([(1.0, 0.5), (0.5,)], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"^row 0 has a number that is not finite; leave the row"):
        fit_weights([(math.inf,), (0.5,)], [1.0, 1.0])


def test_the_weights_of_fm_come_out_of_the_release(release_file: Path) -> None:
    """Oracle: .1, .3, .3, .3 (FM, section 4.2), for the released overall scores are their mean.

    Read from the release itself: a share of 0 says that the reference has no such facet.
    """
    papers = [json.loads(line) for line in release_file.read_text(encoding="utf-8").splitlines()]
    rows = [
        ([share or None for share in paper[f"{system}_human_list"]], paper[f"{system}_human"])
        for paper in papers
        for system in SYSTEMS
    ]
    found = fit_weights([shares for shares, _ in rows], [y for _, y in rows])
    assert found.weights == pytest.approx((0.1, 0.3, 0.3, 0.3), abs=1e-6)
    assert found.error == pytest.approx(0, abs=1e-12)
    assert found.n_rows == 300
