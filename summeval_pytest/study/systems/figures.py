"""The figures of a study, as SVG and PNG files (matplotlib, the extra `report`)."""

from __future__ import annotations

import math
from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from summeval_pytest.questions import FACETS
from summeval_pytest.study.systems.study_tables import column_words, named
from summeval_pytest.study.systems.texts import NOVELTIES, READABILITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from summeval_pytest.study.systems.analyses import Row, Study
    from summeval_pytest.study.tables import Mean

    Rows = Sequence[Row]


COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Told apart by those who do not see red and green apart (Okabe and Ito 2008)."""
INK: Final = "#333333"
DPI: Final = 150
NAME: Final = 26
ROOM_INCHES: Final = 2.0
_INSTEAD: Final = "\ufffd"
_LOOK: Final[dict[Any, Any]] = {
    "svg.hashsalt": "summeval",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "text.usetex": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "figure.facecolor": "white",
}


@contextmanager
def look() -> Iterator[None]:
    """Figures made inside look as ours do, whatever the user has configured."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_LOOK)
        yield


def new_figure(width: float, height: float, n_rows: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure of so many inches, and its axes from top to bottom."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(n_rows, 1, squeeze=False)
    return figure, [row[0] for row in axes]


def save(figure: Figure, file: Path) -> None:
    """Writes a figure as the ending of the file says, without a date.

    Raises:
        OSError: if the file cannot be written.
    """
    stream, suffix = BytesIO(), file.suffix[1:]
    metadata = {"Date": None, "Creator": None} if suffix == "svg" else {"Software": None}
    figure.savefig(stream, format=suffix, dpi=DPI, metadata=metadata)
    file.unlink(missing_ok=True)  # a link there would be written through
    file.write_bytes(stream.getvalue())


def label(name: str | None) -> str:
    """A name as a figure can show it: on one line of 2 inches, in characters that the font has.

    Of characters as wide as they are high fewer fit than of others.
    """
    width = NAME
    while inches((shown := drawable(named(name, width)),)) > ROOM_INCHES:
        width -= 2
    return shown


def drawable(text: str) -> str:
    """The text in characters that the font has."""
    known = _characters()
    return "".join(c if ord(c) in known else _INSTEAD for c in text)


def inches(names: Iterable[str]) -> float:
    """How wide the widest of these texts is drawn."""
    from matplotlib.textpath import TextPath

    return max((TextPath((0, 0), name, size=9).get_extents().x1 / 72 for name in names), default=0)


def row_label(name: str | None, n: int, n_of: int) -> str:
    """A row's name, and of how many of how many papers it tells, where these are not all."""
    return label(name) if n == n_of else f"{label(name)}\n({n:,} of {n_of:,})"


@cache
def _characters() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def rows_axis(axes: Axes, names: list[str]) -> None:
    """Names the rows of a figure, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")


_GROUP: Final = 0.8
"""How much of a row its bars fill."""
_NARROW: Final = 0.07
"""A share that has no room for its number."""


def draw_groups(
    axes: Axes, names: list[str], groups: Mapping[str, Sequence[Mean]], factor: float = 1.0
) -> None:
    """Bars side by side: a row a name, a colour a group, intervals as whiskers.

    A mean without a value is no bar, and no 0; values are drawn ``factor`` times.
    """
    thickness = _GROUP / len(groups)
    for place, (group, bars) in enumerate(groups.items()):
        shift = (place - (len(groups) - 1) / 2) * thickness
        rows = [row + shift for row in range(len(names))]
        values = [factor * (bar.value or 0.0) for bar in bars]
        colour = COLOURS[place % len(COLOURS)]
        axes.barh(rows, values, thickness * 0.92, color=colour, label=group)
        for row, bar in zip(rows, bars, strict=True):
            if not bar.value:  # no bar to see: whether there is a 0 or nothing has to be said
                note = " none" if bar.value is None else " 0"
                axes.text(0, row, note, va="center", fontsize=7)
            elif bar.low is not None and bar.high is not None:
                bounds = [factor * bar.low, factor * bar.high]
                axes.plot(bounds, [row, row], color=INK, linewidth=0.9)
    rows_axis(axes, names)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))


def draw_stacks(axes: Axes, names: list[str], parts: Mapping[str, Sequence[float]]) -> None:
    """One bar a row from 0 to 1, a colour a part, the shares written into them."""
    behind = [0.0] * len(names)
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "clip_on": True}
    for place, (part, shares) in enumerate(parts.items()):
        colour, ink = COLOURS[place % len(COLOURS)], "black" if place in {1, 3} else "white"
        axes.barh(range(len(names)), shares, _GROUP, left=behind, color=colour, label=part)
        for row, share in enumerate(shares):
            if share >= _NARROW:
                axes.text(behind[row] + share / 2, row, f"{share:.2f}", color=ink, **style)
        behind = [start + share for start, share in zip(behind, shares, strict=True)]
    rows_axis(axes, names)
    axes.grid(visible=False)
    axes.set_xlim(0, 1)


_CELL: Final = 0.75
_LEAST: Final = 5.0
_SLOPE: Final = math.radians(35)
_DARK: Final = 0.55
"""From so far along the colours on, writing is white."""


def draw_heat(heat: Row, title: str) -> Figure:
    """The heat map of one metric, with the interval of self-preference below it."""
    from matplotlib.patches import Rectangle

    judges = list(dict.fromkeys(cell["judge"] for cell in heat["cells"]))
    systems = list(dict.fromkeys(cell["system"] for cell in heat["cells"]))
    shown = [label(system) for system in systems], [label(judge) for judge in judges]
    below, beside = map(inches, shown)
    figure, (axes,) = new_figure(
        max(_LEAST, 1.2 + beside + _CELL * len(systems) + math.cos(_SLOPE) * below / 2),
        1.2 + 0.5 * len(judges) + math.sin(_SLOPE) * below,
    )
    factor = 100 if heat["metric"] == "faithfulness" else 1
    values = np.full((len(judges), len(systems)), np.nan)
    for cell in heat["cells"]:
        if cell["mean"].value is not None:
            place = judges.index(cell["judge"]), systems.index(cell["system"])
            values[place] = factor * cell["mean"].value
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    image = axes.imshow(values, cmap="Blues", aspect="auto", vmin=low, vmax=high)
    for cell in heat["cells"]:
        row, column = judges.index(cell["judge"]), systems.index(cell["system"])
        value = float(values[row, column])
        text = "-" if math.isnan(value) else f"{value:.1f}" if factor > 1 else f"{value:.2f}"
        colour = "white" if value - low > _DARK * (high - low) else INK
        axes.text(column, row, text, ha="center", va="center", color=colour)
    for cell in heat["cells"]:
        if cell["is_own"]:
            corner = systems.index(cell["system"]) - 0.47, judges.index(cell["judge"]) - 0.47
            frame: dict[str, Any] = {"fill": False, "edgecolor": "#d55e00", "linewidth": 2}
            axes.add_patch(Rectangle(corner, 0.94, 0.94, **frame))
    slope: dict[str, Any] = {
        "rotation": math.degrees(_SLOPE),
        "ha": "right",
        "rotation_mode": "anchor",
    }
    axes.set_xticks(range(len(systems)), shown[0], **slope)
    axes.set_yticks(range(len(judges)), shown[1])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(f"{title}: judge by system")
    figure.colorbar(image, ax=axes, shrink=0.9)
    figure.supxlabel(_preference(heat["preference"]), fontsize=8, x=0.02, ha="left")
    return figure


def _preference(mean: Mean) -> str:
    if mean.value is None:
        return "self-preference: cannot be told of these judges and systems"
    bounds = ""
    if mean.low is not None and mean.high is not None:
        bounds = f" [{mean.low:+.3f}, {mean.high:+.3f}]"
    return (
        f"framed: one family; self-preference {mean.value:+.3f}{bounds}"
        f" on {mean.n:,} of {mean.n_of:,} papers"
    )


_POINTS: Final = 200
_HALF: Final = 0.42
"""How far a violin reaches from the middle of its row."""


def draw_violins(axes: Axes, spreads: Rows) -> None:
    """A violin a system, from 2.5 % to 97.5 % as a line, the middle half thick, the median a dot.

    A distribution without width is its dot; a system without one is said to have none.
    """
    for row, spread in enumerate(spreads):
        if not spread["quantiles"]:
            place = axes.get_yaxis_transform()
            axes.text(0.01, row, "too few papers", va="center", fontsize=7, transform=place)
            continue
        quantiles = np.array(spread["quantiles"])
        last = len(quantiles) - 1
        if quantiles[-1] > quantiles[0]:
            x, y = density(quantiles)
            colour = COLOURS[row % len(COLOURS)]
            axes.fill_between(x, row - _HALF * y, row + _HALF * y, color=colour, alpha=0.55, lw=0)
        outer, inner = [1, last - 1], [last // 4, 3 * last // 4]
        axes.plot(quantiles[outer], [row, row], color=INK, linewidth=0.9)
        axes.plot(quantiles[inner], [row, row], color=INK, linewidth=3.5, solid_capstyle="butt")
        axes.plot(quantiles[last // 2], row, "o", color="white", markersize=4, mec=INK, mew=0.9)
    rows_axis(axes, [row_label(row["system"], row["n"], row["n_of"]) for row in spreads])


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


WIDTH: Final = 7.0
_ROW: Final = 0.34
_HEAD: Final = 0.85
_HEATS: Final = {"faithfulness": "Supported sentences, %", "facet": "FM"}


def draw(study: Study, folder: Path) -> list[str]:
    """Draws every figure that the study has something for; the names of the files.

    Raises:
        OSError: if a file cannot be written.
    """
    files = []
    with look():
        for name, figure in _figures(study):
            for suffix in ("svg", "png"):
                save(figure, folder / f"{name}.{suffix}")
                files.append(f"{name}.{suffix}")
    return files


def _figures(study: Study) -> Iterator[tuple[str, Figure]]:
    """The figures by name; a panel for which nobody has a number is left to the tables."""
    of = study.tables
    for heat in of["heats"] if len(study.judges) > 1 else ():  # one row is no map
        if any(cell["mean"].n for cell in heat["cells"]):
            yield f"judges-{heat['metric']}", draw_heat(heat, _HEATS[heat["metric"]])
    if spreads := _grouped([row for row in of["spreads"] if row["n"]], of["spreads"], "column"):
        yield "spread", _spreads(spreads)
    if of["proportions"]:
        yield "proportions", _proportions(_grouped(of["proportions"], of["proportions"], "by"))
    rates = of["hallucination"]
    if known := _grouped([row for row in rates if row["summaries"].n], rates, "by"):
        yield "hallucination", _hallucination(known)
    for name, names, title in (
        ("novelty", NOVELTIES, "Share of n-grams not in the source"),
        ("readability", READABILITY, "Grade, higher is harder"),
    ):
        rows = of[name]
        known_names = [
            n for n in names if any(n in row["means"] and row["means"][n].n for row in rows)
        ]
        if known_names:
            yield name, _profiles(rows, names if name == "novelty" else known_names, title)


def _grouped(known: Rows, rows: Rows, key: str) -> dict[Any, Rows]:
    """The rows of each value of a key that a row with something to show has."""
    return {
        value: [row for row in rows if row[key] == value]
        for value in dict.fromkeys(row[key] for row in known)
    }


def _spreads(spreads: Mapping[Any, Rows]) -> Figure:
    n_systems = max(map(len, spreads.values()))
    height = 0.3 + len(spreads) * (_HEAD + _ROW * 1.2 * n_systems)
    figure, panels = new_figure(WIDTH, height, len(spreads))
    for (column, rows), axes in zip(spreads.items(), panels, strict=True):
        draw_violins(axes, rows)
        axes.set_title(drawable(column_words(column)))
    figure.suptitle("Mean over papers, resampled", x=0.02, ha="left", fontsize=10)
    return figure


def _proportions(proportions: Mapping[Any, Rows]) -> Figure:
    height = 0.6 + _HEAD * len(proportions) + _ROW * sum(map(len, proportions.values()))
    figure, panels = new_figure(WIDTH, height, len(proportions))
    for (by, rows), axes in zip(proportions.items(), panels, strict=True):
        draw_stacks(
            axes,
            [_covered(row["system"], list(row["shares"].values())) for row in rows],
            {facet: [row["shares"][facet].value or 0.0 for row in rows] for facet in FACETS},
        )
        axes.set_title(f"Share of words, cut by {label(by)}")
    _legend_below(figure, panels[0], len(FACETS))
    return figure


def _hallucination(rates: Mapping[Any, Rows]) -> Figure:
    height = 0.6 + _HEAD * len(rates) + _ROW * 1.5 * sum(map(len, rates.values()))
    figure, panels = new_figure(WIDTH, height, len(rates))
    for (by, rows), axes in zip(rates.items(), panels, strict=True):
        names = [_covered(row["system"], [row["summaries"]]) for row in rows]
        bars = {f"of {kind}": [row[kind] for row in rows] for kind in ("sentences", "summaries")}
        draw_groups(axes, names, bars, factor=100)
        axes.set_xlim(0, 100)
        axes.set_title(f"Unsupported, %, by {label(by) if by else 'labels'}")
    _legend_below(figure, panels[0], 2)
    return figure


def _profiles(rows: Rows, names: Sequence[str], title: str) -> Figure:
    figure, (axes,) = new_figure(WIDTH, 0.6 + _HEAD + _ROW * 0.7 * len(names) * len(rows))
    draw_groups(
        axes,
        [_covered(row["system"], [row["means"][name] for name in names]) for row in rows],
        {name: [row["means"][name] for row in rows] for name in names},
    )
    axes.set_title(title)
    _legend_below(figure, axes, len(names))
    return figure


def _covered(system: str | None, means: Sequence[Mean]) -> str:
    """The row's name, with the fewest papers that one of its bars covers."""
    fewest = min(means, key=lambda mean: mean.n)
    return row_label(system, fewest.n, fewest.n_of)


def _legend_below(figure: Figure, axes: Axes, n_columns: int) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=n_columns)
