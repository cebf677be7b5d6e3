from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from summeval_pytest.questions import FACETS
from summeval_pytest.study.systems.analyses import ANALYSES
from summeval_pytest.study.systems.figures import draw
from summeval_pytest.study.systems.studied import Column
from summeval_pytest.study.tables import Mean, Row

JUDGES = ("one", "$\\alpha")
SYSTEMS = ("_under", "x$^{2}$", "\u6f22\u5b57" * 60)
NONE = Mean(value=None, n=0, n_of=4)
HALF = Mean(value=0.5, low=0.4, high=0.6, n=3, n_of=4)
QUARTER = Mean(value=0.25, low=0.2, high=0.3, n=3, n_of=4)
SIDES = (None, *SYSTEMS)


def study() -> dict[str, list[Row]]:
    """A study with every figure, and with whatever is hard to draw: names, gaps, equal values."""
    column = Column(giver="judge", by=JUDGES[1], name="facet")
    shapes: tuple[list[float], ...] = ([*np.linspace(0, 1, 5)], [0.5] * 5, [])
    spread: Row = {"column": column, "n": 3, "n_of": 4}
    heat: Row = {"metric": "faithfulness", "preference": HALF}
    cells = [
        {"judge": j, "system": s, "is_own": j == "one", "mean": NONE if s == SYSTEMS[1] else HALF}
        for j in JUDGES
        for s in SYSTEMS
    ]
    shares = zip(SIDES, (QUARTER, NONE, QUARTER, QUARTER), strict=True)
    rates = zip(SYSTEMS, (HALF, NONE, Mean(value=0, n=4, n_of=4)), strict=True)
    grades = {"FKGL": Mean(value=-1, n=4, n_of=4), "Dale-Chall": NONE}
    tables: dict[str, list[Row]] = {
        "heats": [{**heat, "cells": cells}, {**heat, "metric": "facet", "cells": cells[:3]}],
        "spreads": [
            {**spread, "system": system, "quantiles": shape}
            for system, shape in zip(SYSTEMS, shapes, strict=True)
        ],
        "proportions": [
            {"by": "GPT", "system": side, "shares": dict.fromkeys(FACETS, mean)}
            for side, mean in shares
        ],
        "hallucination": [
            {"by": "", "system": system, "sentences": mean, "summaries": mean}
            for system, mean in rates
        ],
        "novelty": [
            {"system": side, "means": {f"novelty {n}": HALF for n in range(1, 5)}} for side in SIDES
        ],
        "readability": [{"system": side, "means": grades} for side in SIDES],
    }
    return {each.key: [] for each in ANALYSES.values()} | tables


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All figures, once."""
    folder = tmp_path_factory.mktemp("drawn")
    with mpl.rc_context({"font.size": 20, "svg.fonttype": "none", "text.parse_math": True}):
        files = draw(study(), folder)
        assert mpl.rcParams["font.size"] == 20  # what the user has set is left alone
    assert sorted(files) == sorted(file.name for file in folder.iterdir())
    return folder


def test_every_figure_is_drawn_as_svg_and_png(drawn: Path) -> None:
    """A heat map of one judge is left out: one row is no map."""
    kinds = ("hallucination", "judges-faithfulness", "novelty", "proportions", "readability",
             "spread")  # fmt: skip
    assert {file.name for file in drawn.iterdir()} == {
        f"{kind}.{suffix}" for kind in kinds for suffix in ("svg", "png")
    }
    for file in drawn.glob("*.png"):
        assert file.read_bytes().startswith(b"\x89PNG")


def test_neither_a_user_s_settings_nor_who_has_no_number_changes_a_byte(
    drawn: Path, tmp_path: Path
) -> None:
    """The fixture drew with other settings; there is no date in a file either.

    A judge of facets only would fill a page with empty axes; the tables tell of it.
    """
    full, mute = study(), Column(giver="judge", by="mute", name="eva")
    full |= {key: [] for key in ("heats", "proportions", "novelty", "readability")}
    full["spreads"].append({**full["spreads"][0], "column": mute, "n": 0, "quantiles": []})
    full["hallucination"].append(
        {"by": "mute", "system": SYSTEMS[0], "sentences": NONE, "summaries": NONE}
    )
    for name in draw(full, tmp_path):
        assert (tmp_path / name).read_bytes() == (drawn / name).read_bytes(), name
    assert b"<dc:date>" not in (drawn / "spread.svg").read_bytes()
