"""Partial correlation: how two columns go together where a third is held still."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from summeval_pytest.stats.correlation import pearson

if TYPE_CHECKING:
    from summeval_pytest.stats.correlation import Numbers

_NOTHING_LEFT: Final = 1e-12
"""Below this share of its variance, what the third column leaves of a side is rounding."""


def partial_pearson(x: Numbers, y: Numbers, given: Numbers) -> float | None:
    """Pearson's r of what ``given`` leaves of x and of y, -1 to 1.

        r_xy.z = (r_xy - r_xz * r_yz) / sqrt((1 - r_xz^2) * (1 - r_yz^2))

    Where ``given`` is all equal it explains nothing, and this is Pearson's r. None where that is
    undefined, and where ``given`` explains one side wholly.

    Raises:
        ValueError: the lengths differ, or a value is not finite.
    """
    r = pearson(x, y)
    r_x, r_y = pearson(x, given), pearson(y, given)
    if r is None:
        return None
    if r_x is None or r_y is None:
        return r
    left_of_x, left_of_y = 1 - r_x**2, 1 - r_y**2
    if min(left_of_x, left_of_y) < _NOTHING_LEFT:
        return None
    return max(-1.0, min(1.0, (r - r_x * r_y) / math.sqrt(left_of_x * left_of_y)))
