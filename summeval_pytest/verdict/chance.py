"""Whether two judges differ by more than chance, by the papers that both have judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED: Final = 20246
FLIPS: Final = 99_999
"""With so many random signs, the p value of up to 16 papers that moved is exact."""
LEVEL: Final = 0.05
"""A shift with a p value up to this, after Holm's correction, is significant."""


def two_sided_p_value(differences: Sequence[float]) -> float:
    """The p value of a difference in either direction: twice that of the likelier one, at most 1.

    ``differences`` are new minus old, one a paper; without any, nothing differs and it is 1.
    """
    from summeval_pytest.stats import drop_p_value

    if not differences:
        return 1.0
    sides = (differences, [-difference for difference in differences])
    return min(1.0, 2 * min(drop_p_value(side, n_flips=FLIPS, seed=SEED) for side in sides))
