"""The logistic regression by which presence, support and evidence are fitted, and its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.optimize import minimize

from summeval_pytest.study.agreement.coefficients import roc_auc_estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N_FOLDS: Final = 5


def fit_logistic(
    features: Floats,
    labels: Floats,
    *,
    weights: Floats,
    ridge: float,
    starts: Floats | None = None,
) -> tuple[Floats, Floats]:
    """The slopes w and the intercepts b of the chance of 1 in each row.

        chance = 1 / (1 + exp(-(features @ w + starts @ b))),  no w below 0

    They minimise ``sum(weights * log loss) + ridge * |w|^2``. Labels are 0 to 1, a share where
    several people labelled a row; ``starts`` (rows, intercepts) is 1 where an intercept is the
    row's, one of all by default.
    """
    n = features.shape[1]
    rows = np.hstack([features, np.ones((len(features), 1)) if starts is None else starts])

    def loss(values: Floats) -> tuple[float, Floats]:
        logits, kept = rows @ values, np.where(np.arange(len(values)) < n, values, 0.0)
        lost = weights @ (np.logaddexp(0.0, logits) - labels * logits)
        slope = rows.T @ (weights * (chance(logits) - labels))
        return float(lost + ridge * kept @ kept), slope + 2 * ridge * kept

    bounds = [(0.0, None)] * n + [(None, None)] * (rows.shape[1] - n)
    found = minimize(loss, np.zeros(len(bounds)), jac=True, method="L-BFGS-B", bounds=bounds).x
    return found[:n], found[n:]


def chance(logit: Floats) -> Floats:
    """The chances, 0 to 1, of which these are the logits."""
    found: Floats = 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
    return found


def folds(papers: Sequence[str]) -> NDArray[np.intp]:
    """A fold for each row, the same for all rows of a paper; papers are dealt out in order."""
    order = {paper: number for number, paper in enumerate(dict.fromkeys(papers))}
    return np.array([order[paper] % N_FOLDS for paper in papers])


def auc(labels: Floats, numbers: Floats) -> float:
    """The AUC of numbers against labels of 1 and 0; NaN where there is one kind only."""
    right = (labels == 1).tolist()
    every = ["all"] * len(right)
    area = roc_auc_estimate(every, right, numbers.tolist(), n_resamples=1, seed=0).value
    return float("nan") if area is None else area
