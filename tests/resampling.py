"""The bootstrap interval of a mean, an oracle for figures that resample papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from summeval_pytest.stats.intervals import Interval
from summeval_pytest.study.agreement.coefficients import Rows, bootstrap_interval


def bootstrap_mean(
    values: Sequence[float | None], *, n_resamples: int = 1000, seed: int
) -> Interval:
    """The interval of the mean of one value a group; a group may have none."""
    known = sorted(value for value in values if value is not None)

    def mean(drawn: Rows) -> float | None:
        taken = np.array(known)[drawn[drawn < len(known)]]
        return float(taken.mean()) if len(taken) else None

    return bootstrap_interval(range(len(values)), mean, n_resamples=n_resamples, seed=seed)
