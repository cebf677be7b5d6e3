"""Bootstrap intervals one resample at a time, an oracle for figures that resample papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from summeval_pytest.stats.intervals import Interval
from summeval_pytest.study.agreement.coefficients import (
    Labels,
    Rows,
    draws_of,
    estimate_of_resamples,
    rows_by_group,
)

Statistic = Callable[[Rows], float | None]
"""From the rows of a resample to a number; None if undefined."""


def bootstrap_interval(
    groups: Labels, statistic: Statistic, *, n_resamples: int = 1000, seed: int
) -> Interval:
    """The interval of a statistic over resampled groups.

    ``statistic`` takes the row numbers of the drawn groups, twice for a group drawn twice. The
    order of the rows does not matter. With one group the interval has no width and says nothing
    about other groups. The bounds are None where the statistic is defined in fewer than half of
    the resamples.
    """
    members = rows_by_group(groups)
    draws = draws_of(len(members), n_resamples=n_resamples, seed=seed)
    values = [statistic(np.concatenate([members[group] for group in drawn])) for drawn in draws]
    estimate = estimate_of_resamples(0.0, np.array(values, dtype=np.float64))  # None becomes NaN
    return Interval(estimate.low, estimate.high)


def bootstrap_mean(
    values: Sequence[float | None], *, n_resamples: int = 1000, seed: int
) -> Interval:
    """The interval of the mean of one value a group; a group may have none."""
    known = sorted(value for value in values if value is not None)

    def mean(drawn: Rows) -> float | None:
        taken = np.array(known)[drawn[drawn < len(known)]]
        return float(taken.mean()) if len(taken) else None

    return bootstrap_interval(range(len(values)), mean, n_resamples=n_resamples, seed=seed)
