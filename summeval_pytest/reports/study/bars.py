"""Bars in rows: side by side with their intervals, or one behind the other to a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.study.drawing import COLOURS, INK, rows_axis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

_GROUP: Final = 0.8
"""How much of a row its bars fill."""
_NARROW: Final = 0.07
"""A share that has no room for its number."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval; a value of None is no bar, and no 0."""

    value: float | None
    low: float | None = None
    high: float | None = None


def draw_groups(axes: Axes, names: list[str], groups: Mapping[str, Sequence[Bar]]) -> None:
    """Bars side by side: a row a name, a colour a group, intervals as whiskers."""
    thickness = _GROUP / len(groups)
    for place, (group, bars) in enumerate(groups.items()):
        shift = (place - (len(groups) - 1) / 2) * thickness
        rows = [row + shift for row in range(len(names))]
        axes.barh(
            rows,
            [bar.value or 0.0 for bar in bars],
            thickness * 0.92,
            color=COLOURS[place % len(COLOURS)],
            label=group,
        )
        for row, bar in zip(rows, bars, strict=True):
            if not bar.value:  # no bar to see: whether there is a 0 or nothing has to be said
                told = " none" if bar.value is None else " 0"
                axes.text(0, row, told, va="center", fontsize=7)
            elif bar.low is not None and bar.high is not None:
                axes.plot([bar.low, bar.high], [row, row], color=INK, linewidth=0.9)
    rows_axis(axes, names)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))


def draw_stacks(axes: Axes, names: list[str], parts: Mapping[str, Sequence[float]]) -> None:
    """One bar a row from 0 to 1, a colour a part, the shares written into them."""
    behind = [0.0] * len(names)
    for place, (part, shares) in enumerate(parts.items()):
        colour = COLOURS[place % len(COLOURS)]
        axes.barh(range(len(names)), shares, _GROUP, left=behind, color=colour, label=part)
        for row, share in enumerate(shares):
            if share >= _NARROW:
                axes.text(
                    behind[row] + share / 2,
                    row,
                    f"{share:.2f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="black" if place in {1, 3} else "white",
                    clip_on=True,
                )
        behind = [start + share for start, share in zip(behind, shares, strict=True)]
    rows_axis(axes, names)
    axes.grid(visible=False)
    axes.set_xlim(0, 1)
