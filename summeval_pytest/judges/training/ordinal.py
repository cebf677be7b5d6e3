"""Fits the proportional-odds model of ratings (McCullagh, JRSS B 42, 1980).

    P(rating of row i in group g <= k) = 1 / (1 + exp(x_i . w - t_gk))

Rows of all groups share the coefficients w; every group has its own ascending thresholds, as many
as its scale has steps. The fit minimises the negative log-likelihood plus penalty / 2 * |w|^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

_LEAST: float = 1e-12
"""A probability is at least this, so that its logarithm is finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdinalModel:
    """Coefficients of the numbers, and the ascending thresholds of each group."""

    coefficients: Floats
    thresholds: tuple[Floats, ...]

    def scores(self, numbers: Floats) -> Floats:
        """One score a row of numbers."""
        scores: Floats = numbers @ self.coefficients
        return scores

    def probabilities(self, group: int, scores: Floats) -> Floats:
        """How probable each rating of a group's scale is, (scores, scale)."""
        return _probabilities(self.thresholds[group], scores)


def _probabilities(thresholds: Floats, scores: Floats) -> Floats:
    below = 1.0 / (1.0 + np.exp(scores[:, None] - thresholds))
    ends = np.ones((len(scores), 1))
    differences: Floats = np.diff(np.hstack([0.0 * ends, below, ends]), axis=1)
    return differences


def _ascending(free: Floats) -> Floats:
    """Thresholds from free numbers: the first, then the logarithm of each step up."""
    return np.cumsum(np.concatenate([free[:1], np.exp(free[1:])]))


def fit_ordinal(
    numbers: Floats, groups: Ints, ratings: Ints, *, scales: Sequence[int], penalty: float
) -> OrdinalModel:
    """The model of the greatest penalised likelihood; the numbers are scaled on the way.

    Args:
        numbers: Shape (rows, features).
        groups: The group of each row.
        ratings: The rating of each row, 1 to its group's scale.
        scales: The highest rating of each group.
        penalty: How strongly coefficients of scaled numbers are drawn to 0.
    """
    middle, spread = numbers.mean(axis=0), numbers.std(axis=0) + _LEAST
    scaled = (numbers - middle) / spread
    n_features = numbers.shape[1]
    cuts = np.cumsum([n_features, *(scale - 1 for scale in scales)])
    rows = [np.flatnonzero(groups == group) for group in range(len(scales))]

    def loss(free: Floats) -> tuple[float, Floats]:
        w = free[:n_features]
        total, gradient = penalty / 2 * float(w @ w), np.zeros_like(free)
        gradient[:n_features] = penalty * w
        for place, chosen in zip(range(len(scales)), rows, strict=True):
            part = slice(cuts[place], cuts[place + 1])
            thresholds = _ascending(free[part])
            table = _probabilities(thresholds, scaled[chosen] @ w)
            given = np.arange(len(chosen)), ratings[chosen] - 1
            chance = np.maximum(table[given], _LEAST)
            total -= float(np.log(chance).sum())
            below = np.cumsum(table, axis=1)[:, :-1]
            slope = below * (1.0 - below)
            taken = np.zeros_like(table)
            taken[given] = -1.0 / chance
            by_threshold = (taken[:, :-1] - taken[:, 1:]) * slope
            gradient[:n_features] -= scaled[chosen].T @ by_threshold.sum(axis=1)
            rest = np.cumsum(by_threshold.sum(axis=0)[::-1])[::-1]
            gradient[part] = rest * np.concatenate([[1.0], np.exp(free[part][1:])])
        return total, gradient

    start = np.concatenate([np.zeros(n_features), *(_start(scale) for scale in scales)])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    coefficients = found[:n_features] / spread
    moved = float(middle @ coefficients)
    return OrdinalModel(
        coefficients=coefficients,
        thresholds=tuple(
            _ascending(found[cuts[place] : cuts[place + 1]]) + moved for place in range(len(scales))
        ),
    )


def _start(scale: int) -> Floats:
    return np.concatenate([[-2.0], np.zeros(scale - 2)])


def cut_points(scores: Floats, ratings: Ints, scale: int) -> Floats:
    """The scores from which 2, 3, ... are given: as many scores pass as ratings do."""
    shares = [float((ratings <= level).mean()) for level in range(1, scale)]
    return np.quantile(scores, shares)
