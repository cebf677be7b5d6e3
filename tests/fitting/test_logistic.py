from __future__ import annotations

from math import log

import numpy as np
import pytest

from tests.fitting.logistic import auc, fit_logistic, folds


def test_without_a_ridge_two_points_are_met_exactly() -> None:
    """A quarter at 0 and three quarters at 1: intercept -ln 3, slope 2 ln 3."""
    slopes, starts = fit_logistic(
        np.array([[0.0], [1.0]]), np.array([0.25, 0.75]), weights=np.ones(2), ridge=0.0
    )
    assert slopes == pytest.approx([2 * log(3)], abs=1e-3)
    assert starts == pytest.approx([-log(3)], abs=1e-3)


def test_an_intercept_speaks_for_its_own_rows() -> None:
    """Where a feature tells nothing, it is the logit of the share of 1 among them."""
    slopes, starts = fit_logistic(
        np.full((8, 1), 0.5),
        np.array([1, 1, 1, 0, 1, 0, 0, 0.0]),
        weights=np.ones(8),
        ridge=0.02,
        starts=np.repeat(np.eye(2), 4, axis=0),
    )
    assert slopes == pytest.approx([0.0], abs=1e-3)
    assert starts == pytest.approx([log(3), -log(3)], abs=1e-3)


def test_no_slope_is_negative() -> None:
    """A set in which overlap goes with error must not teach that overlap is bad."""
    features = np.array([[0.0, 1.0], [0.2, 0.8], [0.8, 0.1], [1.0, 0.0]])
    slopes, _ = fit_logistic(
        features, np.array([0.0, 0.0, 1.0, 1.0]), weights=np.ones(4), ridge=0.01
    )
    assert slopes[0] > 1.0
    assert slopes[1] == 0.0


def test_one_kind_of_label_tells_nothing_apart() -> None:
    """Of the pairs (.9, .4), (.9, .5), (.4, .4), (.4, .5): 1 + 1 + 1/2 + 0, out of 4."""
    numbers = np.array([0.9, 0.4, 0.4, 0.5])
    assert auc(np.array([1.0, 1.0, 0.0, 0.0]), numbers) == 2.5 / 4
    assert np.isnan(auc(np.ones(4), numbers))


def test_a_paper_is_in_one_fold() -> None:
    """Sentences of one paper never stand on both sides; the sixth paper joins the first."""
    assert folds(["a", "b", "a", "c", "b", "d", "e", "f"]).tolist() == [0, 1, 0, 2, 1, 3, 4, 0]
