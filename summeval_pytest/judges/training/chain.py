"""Fits a chain of states to texts whose labels allow one state or several.

Conditional random field with partial labels: what is made great is the probability of all paths
through allowed states,

    sum over texts of weight * (ln Z(allowed paths) - ln Z(all paths)) - penalties,

by L-BFGS. The texts run side by side through the forward and backward sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.optimize import minimize

if TYPE_CHECKING:
    from collections.abc import Sequence

    import scipy.sparse as sp
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_TINY: Final = 1e-300
_ROUNDS: Final = 40
_ORDER_PENALTY: Final = 1.0
_SPREAD: Final = 1e-3
"""Weights start at random numbers of this spread: states that share a label must come apart."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What was fitted: ``weights`` (names, states), ``order`` (states + 2, states).

    The last two rows of ``order`` speak for a state at the first and at the last place.
    """

    weights: Floats
    order: Floats


class Batch:
    """Texts side by side, the longest first, so that those still running are a leading slice."""

    def __init__(self, lengths: Sequence[int], weights: Floats) -> None:
        sizes = np.asarray(lengths)
        self.order = np.argsort(-sizes, kind="stable")
        self.sizes = sizes[self.order]
        self.weights = weights[self.order]
        self.running = [int((sizes > place).sum()) for place in range(int(sizes.max()))]
        firsts = (np.cumsum(sizes) - sizes)[self.order]
        self.rows = [firsts[:count] + place for place, count in enumerate(self.running)]
        self.lasts = firsts + self.sizes - 1
        self.row_weights = np.repeat(weights, sizes)[:, None]

    def sums(self, evidence: Floats, order: Floats) -> tuple[float, Floats, Floats]:
        """The weighted sum of ln Z, and what it expects of states and of order.

        Args:
            evidence: (sentences, states).
            order: (states + 2, states).

        Returns:
            ln Z; posteriors (sentences, states), weighted; and pairs of states as ``order``.
        """
        top = evidence.max(axis=1)
        odds = np.exp(evidence - top[:, None])
        steps, ends = np.exp(order[:-2]), np.exp(order[-1])
        forward, scale = self._forward(odds, steps, np.exp(order[-2]))
        at_end = forward[self.lasts] @ ends + _TINY
        ln_z = (np.log(scale) + top)[:, None] * self.row_weights
        backward = np.empty_like(odds)
        backward[self.lasts] = ends / at_end[:, None]
        pairs = np.zeros_like(order)
        for place in range(len(self.rows) - 1, 0, -1):
            rows = self.rows[place]
            coming = odds[rows] * backward[rows] / scale[rows, None]
            before = rows - 1
            backward[before] = coming @ steps.T
            pairs[:-2] += (forward[before].T @ (coming * self.row_weights[rows])) * steps
        posteriors = forward * backward * self.row_weights
        pairs[-2] = posteriors[self.rows[0]].sum(axis=0)
        pairs[-1] = posteriors[self.lasts].sum(axis=0)
        return float(ln_z.sum() + (np.log(at_end) * self.weights).sum()), posteriors, pairs

    def _forward(self, odds: Floats, steps: Floats, starts: Floats) -> tuple[Floats, Floats]:
        forward, scale = np.empty_like(odds), np.empty(len(odds))
        for place, rows in enumerate(self.rows):
            reached = (forward[rows - 1] @ steps if place else starts[None]) * odds[rows]
            scale[rows] = reached.sum(axis=1) + _TINY
            forward[rows] = reached / scale[rows, None]
        return forward, scale


def fit(
    names: sp.csr_matrix[np.float32],
    batch: Batch,
    allowed: Floats,
    penalties: Floats,
    *,
    seed: int = 0,
) -> Chain:
    """The chain that makes the allowed paths likely.

    Args:
        names: (sentences, names), the names that each sentence has.
        batch: The texts.
        allowed: (sentences, states): 0 where the label allows the state, else what speaks against.
        penalties: (names,): half of each, times the squared weight, is taken off.
        seed: Of the weights it starts from.
    """
    n_states = allowed.shape[1]
    across = names.T.tocsr()
    shape = (names.shape[1] + n_states + 2, n_states)
    pull = np.concatenate([penalties, np.full(n_states + 2, _ORDER_PENALTY)])[:, None]

    def loss(flat: Floats) -> tuple[float, Floats]:
        table = flat.reshape(shape)
        order = table[-n_states - 2 :]
        evidence = np.asarray(names @ table[: -n_states - 2].astype(np.float32), dtype=np.float64)
        all_z, all_states, all_pairs = batch.sums(evidence, order)
        z, states, pairs = batch.sums(evidence + allowed, order)
        steep = across @ (all_states - states).astype(np.float32)
        slope = np.concatenate([steep, all_pairs - pairs]) + pull * table
        return all_z - z + 0.5 * float((pull * table**2).sum()), slope.ravel()

    start = np.random.default_rng(seed).normal(0.0, _SPREAD, shape).ravel()
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS})
    table = np.asarray(found.x).reshape(shape)
    return Chain(weights=table[: -n_states - 2], order=table[-n_states - 2 :])
