"""Judges by systems as a heat map, what is of one family framed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.study.drawing import INK, inches, label, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from summeval_pytest.verdict.study.preference import HeatCell, JudgeHeat

_CELL: Final = 0.75
_LEAST: Final = 5.0
_SLOPE: Final = math.radians(35)
_DARK: Final = 0.55
"""From so far along the colours on, writing is white."""


def draw_heat(heat: JudgeHeat, title: str) -> Figure:
    """The heat map of one metric, with the interval of self-preference below it."""
    judges = list(dict.fromkeys(cell.judge for cell in heat.cells))
    systems = list(dict.fromkeys(cell.system for cell in heat.cells))
    shown = [label(system) for system in systems], [label(judge) for judge in judges]
    below, beside = map(inches, shown)
    figure, (axes,) = new_figure(
        max(_LEAST, 1.2 + beside + _CELL * len(systems) + math.cos(_SLOPE) * below / 2),
        1.2 + 0.5 * len(judges) + math.sin(_SLOPE) * below,
    )
    factor = 100 if heat.metric == "faithfulness" else 1
    values = [
        [_value(cell, factor) for cell in heat.cells if cell.judge == judge] for judge in judges
    ]
    known = [value for row in values for value in row if not math.isnan(value)]
    low, high = min(known), max(known)
    image = axes.imshow(values, cmap="Blues", aspect="auto", vmin=low, vmax=high)
    for row, cells in enumerate(values):
        for column, value in enumerate(cells):
            is_dark = value - low > _DARK * (high - low)
            told = "-" if math.isnan(value) else f"{value:.1f}" if factor > 1 else f"{value:.2f}"
            colour = "white" if is_dark else INK
            axes.text(column, row, told, ha="center", va="center", color=colour)
    _frame(axes, heat, judges, systems)
    axes.set_xticks(
        range(len(systems)),
        shown[0],
        rotation=math.degrees(_SLOPE),
        ha="right",
        rotation_mode="anchor",
    )
    axes.set_yticks(range(len(judges)), shown[1])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(f"{title}: judge by system")
    figure.colorbar(image, ax=axes, shrink=0.9)
    figure.supxlabel(_preference(heat), fontsize=8, x=0.02, ha="left")
    return figure


def _value(cell: HeatCell, factor: float) -> float:
    return math.nan if cell.mean.value is None else factor * cell.mean.value


def _frame(axes: Axes, heat: JudgeHeat, judges: list[str], systems: list[str]) -> None:
    from matplotlib.patches import Rectangle

    for cell in heat.cells:
        if cell.is_own:
            corner = systems.index(cell.system) - 0.47, judges.index(cell.judge) - 0.47
            axes.add_patch(
                Rectangle(corner, 0.94, 0.94, fill=False, edgecolor="#d55e00", linewidth=2)
            )


def _preference(heat: JudgeHeat) -> str:
    found = heat.preference
    if found.value is None:
        return "self-preference: cannot be told of these judges and systems"
    bounds = ""
    if found.low is not None and found.high is not None:
        bounds = f" [{found.low:+.3f}, {found.high:+.3f}]"
    return (
        f"framed: one family; self-preference {found.value:+.3f}{bounds}"
        f" on {found.n:,} of {found.n_of:,} papers"
    )
