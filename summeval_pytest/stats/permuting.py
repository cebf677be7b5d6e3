"""How often chance alone orders few points as well: a permutation test of a correlation.

A handful of systems can be in perfect order by luck: with four, any of 24 orders is as likely, and
two of them are perfect (p = .083). So a correlation over systems is shown with this p value.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.correlation import kendall, pearson, spearman

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from summeval_pytest.stats.coefficients import CoefficientName
    from summeval_pytest.stats.correlation import Numbers

MOST_EXACT: Final = 8
"""Up to so many points every order is tried: 40,320."""
N_ORDERS: Final = 9999
"""So many random orders are tried for more."""
SEED: Final = 20247
_TIE: Final = 1e-9
_COEFFICIENTS: Final = {"pearson": pearson, "spearman": spearman, "kendall": kendall}


def correlation_p_value(x: Numbers, y: Numbers, name: CoefficientName) -> float | None:
    """The two-sided p value of a coefficient: the share of orders of y that are as far from 0.

    Up to eight points every order is counted, so that p is exact and at least 1 / n!. For more,
    p = (count + 1) / (9,999 + 1) over random orders (Phipson and Smyth 2010). None where the
    coefficient is undefined.

    Raises:
        ValueError: the lengths differ, or a value is not finite.
    """
    observed = _COEFFICIENTS[name](x, y)
    if observed is None:
        return None
    left, right = (np.asarray(side, dtype=np.float64) for side in (x, y))
    orders = _orders(len(left))
    if name == "kendall":
        sums, most = _concordance(left, right, orders), 1.0
    else:
        a, b = (_ranks(side) if name == "spearman" else _unit(side) for side in (left, right))
        sums, most = b[orders] @ a, float(np.sqrt((a @ a) * (b @ b)))
    # The first order is the one observed; what scales the sums is the same for all orders.
    far = np.abs(sums) >= abs(sums[0]) - _TIE * most
    return float(np.mean(far))


def _unit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The deviations from the mean, of about 1."""
    scaled = values / np.abs(values).max()
    return np.asarray(scaled - scaled.mean())


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sign(values[:, np.newaxis] - values).sum(axis=1))


def _concordance(
    x: NDArray[np.float64], y: NDArray[np.float64], orders: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Pairs of rows ordered alike less those ordered oppositely, for each order of y."""
    sums = np.zeros(len(orders))
    for i in range(len(x)):
        for j in range(i):
            sign = np.sign(x[i] - x[j])
            if sign:
                sums += sign * np.sign(y[orders[:, i]] - y[orders[:, j]])
    return sums


@lru_cache(maxsize=8)
def _orders(n_points: int) -> NDArray[np.intp]:
    """The orders that are tried, the given one first."""
    if math.factorial(n_points) <= math.factorial(MOST_EXACT):
        found = np.array(list(permutations(range(n_points))), dtype=np.intp)
    else:
        generator = Generator(PCG64(SEED))
        drawn = generator.permuted(np.tile(np.arange(n_points), (N_ORDERS, 1)), axis=1)
        found = np.vstack([np.arange(n_points), drawn]).astype(np.intp)
    found.flags.writeable = False
    return found
