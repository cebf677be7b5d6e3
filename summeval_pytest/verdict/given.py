"""What a column still says of the labels where another is known: partial correlations.

A metric that goes with people only because it sees whether a facet is there at all has nothing left
once that is given (metrics.md, section 2, the mandatory controls).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from summeval_pytest.stats import bootstrap_interval, partial_pearson
from summeval_pytest.verdict.agreement import Estimate, resamples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.verdict.labelled import LabelledPair


def partial_correlations(
    pairs: Sequence[LabelledPair], columns: Sequence[str], given: str
) -> Mapping[str, Estimate]:
    """By column, its partial Pearson correlation with the human overall score, over all pairs."""
    return {column: _partial(pairs, column, given) for column in columns if column != given}


def _partial(pairs: Sequence[LabelledPair], column: str, given: str) -> Estimate:
    both = [pair for pair in pairs if pair.human is not None and {column, given} <= {*pair.columns}]
    x = np.array([pair.columns[column] for pair in both])
    z = np.array([pair.columns[given] for pair in both])
    y = np.array([pair.human for pair in both], dtype=np.float64)
    drawn = resamples()
    interval = bootstrap_interval(
        [pair.group for pair in both],
        lambda rows, _: partial_pearson(x[rows], y[rows], z[rows]),
        n_resamples=drawn.n,
        seed=drawn.seed,
    )
    return Estimate(partial_pearson(x, y, z), interval.low, interval.high)
