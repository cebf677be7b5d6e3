"""A chance from a few shares: a logistic function whose weights were learned and ship as integers.

chance = 1 / (1 + exp(-(start + sum of weight * share)))
"""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING, Final

from summeval_pytest.judges.offline.learned import learned

if TYPE_CHECKING:
    from collections.abc import Sequence

STEPS: Final = 1000
"""Weights ship in thousandths, so that they are the same numbers everywhere."""


@lru_cache
def _weights(model: str) -> tuple[tuple[float, ...], float]:
    *weights, start = (int(step) / STEPS for step in learned(model)["weights"])
    return tuple(weights), start


def logit(model: str, shares: Sequence[float]) -> float:
    """The logarithm of the odds; above 0 where the chance is above one half.

    Args:
        model: The name of what was learned; its weights, the start last.
        shares: As many as it has weights.
    """
    weights, start = _weights(model)
    return start + sum(weight * share for weight, share in zip(weights, shares, strict=True))


def chance(odds: float) -> float:
    """The chance, 0 to 1, of which ``odds`` is the logit."""
    return 1.0 / (1.0 + exp(-odds))
