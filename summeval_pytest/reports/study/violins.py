"""Distributions as violins, drawn from their quantiles: shape, middle half, median."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.reports.study.drawing import COLOURS, INK, row_label, rows_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from summeval_pytest.verdict.study.spread import Spread

_POINTS: Final = 200
_HALF: Final = 0.42
"""How far a violin reaches from the middle of its row."""


def draw_violins(axes: Axes, spreads: Sequence[Spread]) -> None:
    """A violin a system, from 2.5 % to 97.5 % as a line, the middle half thick, the median a dot.

    A distribution without width is its dot; a system without one is said to have none.
    """
    for row, spread in enumerate(spreads):
        if not spread.quantiles:
            axes.text(
                0.01,
                row,
                "too few papers",
                va="center",
                fontsize=7,
                transform=axes.get_yaxis_transform(),
            )
            continue
        quantiles = np.array(spread.quantiles)
        last = len(quantiles) - 1
        if quantiles[-1] > quantiles[0]:
            x, y = density(quantiles)
            colour = COLOURS[row % len(COLOURS)]
            axes.fill_between(x, row - _HALF * y, row + _HALF * y, color=colour, alpha=0.55, lw=0)
        outer, inner = [1, last - 1], [last // 4, 3 * last // 4]
        axes.plot(quantiles[outer], [row, row], color=INK, linewidth=0.9)
        axes.plot(quantiles[inner], [row, row], color=INK, linewidth=3.5, solid_capstyle="butt")
        axes.plot(quantiles[last // 2], row, "o", color="white", markersize=4, mec=INK, mew=0.9)
    rows_axis(axes, [row_label(spread.system, spread.n, spread.n_of) for spread in spreads])


def density(
    quantiles: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where, and how dense from 0 to 1: Gaussian kernels over the quantiles (Scott 1992).

    It ends where the quantiles do: no mean is beyond what papers can score.
    """
    width = float(quantiles.std()) * len(quantiles) ** -0.2
    x = np.linspace(quantiles[0], quantiles[-1], _POINTS)
    y = np.exp(-0.5 * ((x[:, None] - quantiles[None, :]) / width) ** 2).sum(axis=1)
    return x, y / y.max()
