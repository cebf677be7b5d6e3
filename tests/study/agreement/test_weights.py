from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summeval_pytest.questions import FACETS
from summeval_pytest.study.agreement.weights import fit_weights, fitted_weights
from summeval_pytest.study.scholarsum import import_scholarsum
from summeval_pytest.suite.suite import load_suite
from tests.study.agreement.agreements import label

if TYPE_CHECKING:
    from pathlib import Path


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
    """Weights are not negative, sum to 1, and what they leave is told."""
    fitted, left = fit_weights(rows, overall)
    assert fitted == pytest.approx(weights, abs=1e-6)
    assert left == pytest.approx(error, abs=1e-6)


@settings(deadline=None, max_examples=15)
@given(
    rows=st.lists(st.tuples(st.tuples(quarter, quarter, quarter), quarter), min_size=4),
    other=st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
)
def test_no_other_weights_are_better(
    rows: list[tuple[tuple[float, ...], float]], other: list[float]
) -> None:
    """Law: where no facet is removed there is one minimum, and this is it."""
    _, error = fit_weights([shares for shares, _ in rows], [y for _, y in rows])
    shares, overall = np.array([shares for shares, _ in rows]), np.array([y for _, y in rows])
    left = shares @ other / sum(other) - overall
    assert error <= float(np.mean(left**2)) + 1e-7


def test_weights_are_fitted_to_stated_overall_scores_only() -> None:
    """Worked example: background alone says .2, method alone .8 of what is asked.

    A label without an overall score would be fitted to the formula that made it; one that rates
    nothing explains nothing. Where labels are too few, the reason stands in place of the weights.
    """
    labels = [
        label(1 / 3 * 0.2 + 0.8, background=1, method=4),
        label(0.2 + 0.25 * 0.8, background=3, method=1),
        label(2 / 3 * 0.2 + 0.5 * 0.8, background=2, method=2),
        label(1.0, background=3, method=4, conclusion=None),
        label(None, background=1, method=1, result=1, conclusion=1),
        label(0.5),
    ]
    found = fitted_weights(labels)
    assert [found[facet] for facet in FACETS] == pytest.approx([0.2, 0.8, 0.0, 0.0], abs=1e-6)
    assert (found["pairs"], round(found["error"], 9)) == (4, 0.0)
    assert fitted_weights([label(0.5, background=1, method=1)])["reason"] == (
        "too few labels with facets and an overall score: 1; 4 weights need at least 4"
    )


def test_the_weights_of_fm_come_out_of_the_labels(tmp_path: Path, release_file: Path) -> None:
    """Oracle: .1, .3, .3, .3 and no error: the released overall scores are their mean (FM12)."""
    import_scholarsum(release_file, tmp_path / "suite")
    labels = load_suite(tmp_path / "suite").labels
    found = fitted_weights(labels.values())
    assert [found[facet] for facet in FACETS] == pytest.approx([0.1, 0.3, 0.3, 0.3], abs=1e-6)
    assert (found["pairs"], round(found["error"], 9)) == (300, 0.0)
