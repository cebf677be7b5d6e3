"""How well a number tells two kinds of items apart: the area under the ROC curve.

    AUC = (pairs of a right and a wrong item in which the right one has more
           + half of those in which both have the same) / all such pairs

0 to 1, higher is better, 0.5 is chance. It is the Mann-Whitney statistic over its maximum (Hanley
and McNeil 1982): no threshold is chosen, and any growing function of the numbers has the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.stats.groups import rows_by_group
from summeval_pytest.stats.resampling import drawn_groups, percentile_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats.groups import Labels

    Floats = NDArray[np.float64]

_CELLS: Final = 2_000_000
"""So many weights of rows are held at once."""


def roc_auc(right: Sequence[bool], numbers: Sequence[float]) -> float | None:
    """The area under the ROC curve; None where no item is right, or none is wrong.

    Raises:
        ValueError: the lengths differ, or a number is not finite.
    """
    of_right, numbers_sorted, starts = _in_order(right, numbers)
    area = _areas(np.ones((1, len(numbers_sorted))), of_right, starts)[0]
    return None if np.isnan(area) else float(area)


def roc_auc_bounds(
    groups: Labels,
    right: Sequence[bool],
    numbers: Sequence[float],
    *,
    n_resamples: int = 1000,
    seed: int,
) -> tuple[float | None, float | None]:
    """Both bounds of its 95 % interval over resampled groups, as `bootstrap_interval` draws them.

    None and None where it is undefined in more than half of the resamples.

    Raises:
        ValueError: the lengths differ, a number is not finite, or seed is negative.
        TypeError: seed is no integer.
    """
    if len(groups) != len(right):
        raise ValueError(
            f"there are {len(groups)} groups and {len(right)} items; give one group an item"
        )
    of_right, numbers_sorted, starts = _in_order(right, numbers)
    members = rows_by_group(groups)
    of_group = np.zeros(len(right), dtype=np.intp)
    for number, rows in enumerate(members):
        of_group[rows] = number
    of_group = of_group[np.argsort(np.asarray(numbers, dtype=np.float64), kind="stable")]
    drawn = drawn_groups(len(members), n_resamples=n_resamples, seed=seed)
    if not len(drawn):
        return None, None
    times = np.stack([np.bincount(row, minlength=len(members)) for row in drawn])
    step = max(1, _CELLS // max(1, len(numbers_sorted)))
    areas = np.concatenate(
        [
            _areas(times[at : at + step][:, of_group].astype(np.float64), of_right, starts)
            for at in range(0, len(times), step)
        ]
    )
    lows, highs = percentile_bounds(areas[:, np.newaxis], n_resamples=n_resamples)
    if np.isnan(lows[0]):
        return None, None
    return float(lows[0]), float(highs[0])


def _in_order(
    right: Sequence[bool], numbers: Sequence[float]
) -> tuple[NDArray[np.bool_], Floats, NDArray[np.intp]]:
    """Who is right, and the numbers, from the smallest on; and where each new number begins."""
    if len(right) != len(numbers):
        raise ValueError(f"there are {len(right)} items and {len(numbers)} numbers; give each one")
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number is not finite; leave its item out")
    values = np.asarray(numbers, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    changes = np.ones(len(values), dtype=np.bool_)
    changes[1:] = sorted_values[1:] != sorted_values[:-1]
    starts = np.flatnonzero(changes)
    return np.asarray(right, dtype=np.bool_)[order], sorted_values, starts


def _areas(weights: Floats, right: NDArray[np.bool_], starts: NDArray[np.intp]) -> Floats:
    """The area for each row of weights, whole numbers: how often each item stands."""
    if not len(starts):
        return np.full(len(weights), np.nan)
    of_right = np.add.reduceat(weights * right, starts, axis=1)
    of_wrong = np.add.reduceat(weights * ~right, starts, axis=1)
    below = np.cumsum(of_wrong, axis=1) - of_wrong / 2
    won = (of_right * below).sum(axis=1)
    pairs = of_right.sum(axis=1) * of_wrong.sum(axis=1)
    areas: Floats = np.full(len(weights), np.nan)
    np.divide(won, pairs, out=areas, where=pairs > 0)
    return areas
