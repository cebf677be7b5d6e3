"""The figures of a study, as SVG and PNG files (matplotlib, the extra `report`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from summeval_pytest.questions import FACETS
from summeval_pytest.study.systems.analyses import HEATED, column_parts, preference_notes
from summeval_pytest.study.systems.texts import NOVELTIES, READABILITY
from summeval_pytest.study.tables import Mean, Row, named, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = Sequence[Row]

COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Told apart by those who do not see red and green apart (Okabe and Ito 2008)."""
_LOOK: Final[dict[Any, Any]] = {
    "svg.hashsalt": "summeval",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "legend.frameon": False,
}
_METADATA: Final[dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
_WIDTH: Final = 7.0
_HEAD: Final = 1.2
_ROW: Final = 0.34
"""Inches: of a figure, of what a panel has beside its rows, and of a row."""


def draw(tables: Mapping[str, Rows], folder: Path) -> list[str]:
    """Draws every figure that these rows have something for; the names of the files.

    Figures look alike whatever the user has configured, and have no date.

    Raises:
        OSError: if a file cannot be written.
    """
    import matplotlib as mpl

    files = []
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)  # names in any script
        mpl.rcdefaults()
        mpl.rcParams.update(_LOOK)
        for name, figure in _figures(tables):
            for suffix, metadata in _METADATA.items():
                stream, file = BytesIO(), folder / f"{name}.{suffix}"
                figure.savefig(stream, format=suffix, dpi=150, metadata=metadata)
                file.unlink(missing_ok=True)  # a link there would be written through
                file.write_bytes(stream.getvalue())
                files.append(file.name)
    return files


def _figures(tables: Mapping[str, Rows]) -> Iterator[tuple[str, Figure]]:
    """The figures by name; a panel for which nobody has a number is left to the tables."""
    for heat in tables["heats"]:
        n_judges = len({cell["judge"] for cell in heat["cells"]})
        if n_judges > 1 and any(cell["mean"].n for cell in heat["cells"]):  # one row is no map
            yield f"judges-{heat['metric']}", _heat(heat)
    if spreads := _grouped(tables["spreads"], "column", lambda row: row["n"]):
        yield "spread", _panels(spreads, lambda c: ", ".join(column_parts(c)), _boxes)
    if cuts := _grouped(tables["proportions"], "by", lambda _: True):
        yield (
            "proportions",
            _panels(cuts, lambda by: f"Share of words, cut by {named(by)}", _stacks),
        )
    if rates := _grouped(tables["hallucination"], "by", lambda row: row["summaries"].n):
        bars = _bars({"of sentences": "sentences", "of summaries": "summaries"})
        yield (
            "hallucination",
            _panels(rates, lambda by: f"Unsupported, share, by {named(by) or 'labels'}", bars),
        )
    for name, names, title in (
        ("novelty", NOVELTIES, "Share of n-grams not in the source"),
        ("readability", READABILITY, "Grade, higher is harder"),
    ):
        rows = [{**row, **row["means"]} for row in tables[name]]
        known = {each: each for each in names if any(each in r and r[each].n for r in rows)}
        if known:
            yield name, _panels({title: rows}, str, _bars(known), len(known) * 0.7)


def _grouped(rows: Rows, key: str, is_known: Callable[[Row], Any]) -> dict[Any, Rows]:
    """The rows of each value of a key that a row with something to show has."""
    values = dict.fromkeys(row[key] for row in rows if is_known(row))
    return {value: [row for row in rows if row[key] == value] for value in values}


def _panels(
    groups: Mapping[Any, Rows],
    title: Callable[[Any], str],
    draw: Callable[[Axes, Rows], None],
    height: float = 1.0,
) -> Figure:
    """A panel a group, from top to bottom, with one legend below."""
    from matplotlib.figure import Figure

    n_rows = sum(map(len, groups.values()))
    size = (_WIDTH, _HEAD * len(groups) + _ROW * height * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(groups), 1, squeeze=False)[:, 0]
    for (key, rows), axes in zip(groups.items(), panels, strict=True):
        draw(axes, rows)
        axes.set_title(title(key))
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=len(handles))
    return figure


def _name_rows(axes: Axes, rows: Rows, covered: Iterable[tuple[int, int]]) -> None:
    """Names the rows, with how many papers of how many each covers."""
    names = [
        named(row["system"]) + ("" if n == n_of else f"\n({n:,} of {n_of:,})")
        for row, (n, n_of) in zip(rows, covered, strict=True)
    ]
    axes.set_yticks(range(len(rows)), names)


def _fewest(means: Iterable[Mean]) -> tuple[int, int]:
    return min((mean.n, mean.n_of) for mean in means)


def _bars(groups: Mapping[str, str]) -> Callable[[Axes, Rows], None]:
    """Bars side by side: a row a system, a colour a group, intervals as whiskers.

    A mean without a value is no bar, and no 0.
    """
    thickness = 0.8 / len(groups)

    def draw(axes: Axes, rows: Rows) -> None:
        for place, (label, key) in enumerate(groups.items()):
            means = [row[key] for row in rows]
            at = np.arange(len(rows)) + (place - (len(groups) - 1) / 2) * thickness
            values = [mean.value or 0.0 for mean in means]
            bounds = [
                [0.0 if mean.low is None else mean.value - mean.low for mean in means],
                [0.0 if mean.high is None else mean.high - mean.value for mean in means],
            ]
            style: dict[str, Any] = {"color": COLOURS[place], "label": label}
            axes.barh(at, values, thickness * 0.92, xerr=np.clip(bounds, 0, None), **style)
            for y, mean in zip(at, means, strict=True):
                if not mean.value:  # no bar to see: whether there is a 0 or nothing has to be said
                    note = " none" if mean.value is None else " 0"
                    axes.text(0, float(y), note, va="center", fontsize=7)
        _name_rows(axes, rows, (_fewest(row[key] for key in groups.values()) for row in rows))
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))

    return draw


def _stacks(axes: Axes, rows: Rows) -> None:
    """One bar a row from 0 to 1, a colour a facet, the shares written into them."""
    behind = np.zeros(len(rows))
    for facet, colour in zip(FACETS, COLOURS, strict=False):
        shares = np.array([row["shares"][facet].value or 0.0 for row in rows])
        bars = axes.barh(range(len(rows)), shares, 0.8, left=behind, color=colour, label=facet)
        texts = [f"{share:.2f}" if share >= 0.07 else "" for share in shares]  # noqa: PLR2004 - room
        axes.bar_label(bars, texts, label_type="center", fontsize=8)
        behind += shares
    _name_rows(axes, rows, (_fewest(row["shares"].values()) for row in rows))
    axes.set_xlim(0, 1)


def _boxes(axes: Axes, rows: Rows) -> None:
    """A box a system: from 2.5 % to 97.5 % as whiskers, the middle half, the median."""
    keys = ("whislo", "q1", "med", "q3", "whishi")
    known = [place for place, row in enumerate(rows) if row["quantiles"]]
    boxes = [dict(zip(keys, rows[place]["quantiles"], strict=True)) for place in known]
    axes.bxp(boxes, positions=known, orientation="horizontal", showfliers=False, widths=0.6)
    _name_rows(axes, rows, ((row["n"], row["n_of"]) for row in rows))


def _heat(heat: Row) -> Figure:
    """The heat map of one metric, with self-preference below it."""
    from matplotlib.figure import Figure

    judges, systems = (
        list(dict.fromkeys(cell[key] for cell in heat["cells"])) for key in ("judge", "system")
    )
    size = (max(5.0, 3 + 0.75 * len(systems)), 2.5 + 0.5 * len(judges))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    values = np.array([cell["mean"].value for cell in heat["cells"]], dtype=np.float64)
    values = values.reshape(len(judges), len(systems))
    image = axes.imshow(values, cmap="Blues", aspect="auto", alpha=0.7)
    for place, cell in enumerate(heat["cells"]):
        row, column = divmod(place, len(systems))
        text = short(cell["mean"].value) + " *" * cell["is_own"]
        axes.text(column, row, text, ha="center", va="center", color="#333333")
    slope: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(systems)), list(map(named, systems)), **slope)
    axes.set_yticks(range(len(judges)), list(map(named, judges)))
    axes.set_title(f"{HEATED[heat['metric']]}: judge by system")
    figure.colorbar(image, ax=axes, shrink=0.9)
    notes = fill("; ".join(preference_notes(heat)), 70)
    figure.supxlabel(notes, fontsize=8, x=0.02, ha="left")
    return figure
