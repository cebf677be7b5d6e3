"""How well named source sentences match the labelled ones, from counts that add up.

Precision, recall and F1 are micro: over all sentences that were named or labelled, not over the
instances (FareBio, Table 3, whose figures only come out so: metrics.md FB1). Each function takes
rows of counts and gives one number a row, 0 to 1, higher is better; NaN where nothing is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from summeval_pytest.stats.ratios import shares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Figures = NDArray[np.float64]

NAMED: Final = 0
LABELLED: Final = 1
BOTH: Final = 2
HITS: Final = 3
INSTANCES: Final = 4
"""The columns of counts: source sentences named, labelled and both; instances with at least one
labelled sentence named, and all instances. The last two are needed by `any_hit` alone."""


def evidence_precision(counts: Counts) -> Figures:
    """Named and labelled / named."""
    return shares(counts[:, BOTH], counts[:, NAMED])


def evidence_recall(counts: Counts) -> Figures:
    """Named and labelled / labelled."""
    return shares(counts[:, BOTH], counts[:, LABELLED])


def evidence_f1(counts: Counts) -> Figures:
    """2 x named and labelled / (named + labelled): the harmonic mean of the other two."""
    return shares(2 * counts[:, BOTH], counts[:, NAMED] + counts[:, LABELLED])


def any_hit(counts: Counts) -> Figures:
    """Instances with at least one labelled sentence named / instances.

    Annotators stop at the first sentence that suffices, so finding one of theirs may be all that
    can be asked (metrics.md FB4).
    """
    return shares(counts[:, HITS], counts[:, INSTANCES])


def named_per_instance(counts: Counts) -> Figures:
    """Named sentences / instances, 0 or more: how much a judge points at (metrics.md FB2)."""
    return shares(counts[:, NAMED], counts[:, INSTANCES])
