"""How ratings are fitted and measured; all summaries here are our own."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fitting.ratings import (
    cut_points,
    fit_ordinal,
    probabilities,
)

RISE = "Red kites rose 40 m."
FALL = "Blue kites fell 15 m."


def test_without_numbers_the_thresholds_are_the_log_odds_of_shares() -> None:
    """Of 10 ratings 2 are 1 and 5 are at most 2: ln(2 / 8) and ln(5 / 5)."""
    ratings = np.array([1] * 2 + [2] * 3 + [3] * 5)
    model = fit_ordinal(
        np.zeros((10, 1)), np.zeros(10, dtype=int), ratings, scales=(3,), penalty=1.0
    )
    assert model.coefficients == pytest.approx([0.0], abs=1e-9)
    assert model.thresholds[0] == pytest.approx([np.log(2 / 8), 0.0], abs=1e-4)


def test_known_model_is_found_again() -> None:
    """4,000 ratings drawn from two groups with the coefficients 2 and -1, unscaled numbers."""
    rng = np.random.default_rng(5)
    numbers = rng.normal([3.0, -1.0], [1.0, 2.0], size=(4000, 2))
    groups = np.arange(4000) % 2
    thresholds = (np.array([5.0, 7.0, 9.0]), np.array([4.0, 8.0]))
    latent = numbers @ np.array([2.0, -1.0]) + rng.logistic(size=4000)
    ratings = np.array(
        [1 + int((value > thresholds[g]).sum()) for value, g in zip(latent, groups, strict=True)]
    )

    model = fit_ordinal(numbers, groups, ratings, scales=(4, 3), penalty=1.0)

    assert model.coefficients == pytest.approx([2.0, -1.0], rel=0.1)
    for found, true in zip(model.thresholds, thresholds, strict=True):
        assert found == pytest.approx(true, rel=0.1)
    chances = probabilities(model.thresholds[0], np.array([4.0, 8.0]))
    assert chances.shape == (2, 4)
    assert chances.sum(axis=1) == pytest.approx([1.0, 1.0], rel=1e-12)


def test_as_many_scores_pass_a_cut_point_as_people_gave_such_ratings() -> None:
    """Of 8 ratings 2 are 1 and 4 are 3: 6 scores pass the first cut and 4 the last."""
    scores = np.array([0.1, 0.9, 0.3, 0.5, 0.7, 0.2, 0.8, 0.6])
    ratings = np.array([3, 1, 3, 1, 2, 3, 2, 3])
    cuts = cut_points(scores, ratings, 3)
    assert [int((scores >= cut).sum()) for cut in cuts] == [6, 4]
