"""How figures look, and how they become files: the same bytes for the same study.

No state of matplotlib's is read or left behind: neither its configuration file nor a window. Names
are text, never mathematics (a ``$`` stays one), and characters that the font lacks are replaced.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.reports.study.cells import named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
"""Told apart by those who do not see red and green apart (Okabe and Ito 2008)."""
INK: Final = "#333333"
DPI: Final = 150
NAME: Final = 26
ROOM_INCHES: Final = 2.0
_SUFFIXES: Final = ("svg", "png")
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


def save(figure: Figure, folder: Path, name: str) -> list[str]:
    """Writes a figure as SVG and PNG; the names of the files.

    Raises:
        OSError: if a file cannot be written.
    """
    files = []
    for suffix in _SUFFIXES:
        held = BytesIO()
        metadata = {"Date": None, "Creator": None} if suffix == "svg" else {"Software": None}
        figure.savefig(held, format=suffix, dpi=DPI, metadata=metadata)
        file = folder / f"{name}.{suffix}"
        file.unlink(missing_ok=True)  # a link there would be written through
        file.write_bytes(held.getvalue())
        files.append(file.name)
    return files


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
