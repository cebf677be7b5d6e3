from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest

from summeval_pytest.metrics.facet import HELD
from summeval_pytest.questions import FACETS
from summeval_pytest.study.systems.all_analyses import StudiedJudge, StudiedSystem, Study
from summeval_pytest.study.systems.farebio import HallucinationRate, HeatCell, JudgeHeat
from summeval_pytest.study.systems.figures import density, draw, drawable, inches, label, row_label
from summeval_pytest.study.systems.fm import FacetProportions, Spread
from summeval_pytest.study.systems.studied import Column, Mean
from summeval_pytest.study.systems.text_profiles import Profile

if TYPE_CHECKING:
    from pathlib import Path

JUDGES = ("one", "$\\alpha")
SYSTEMS = ("_under", "x$^{2}$", "\u6f22\u5b57" * 60)
NONE = Mean(value=None, n=0, n_of=4)
HALF = Mean(value=0.5, low=0.4, high=0.6, n=3, n_of=4)
QUARTER = Mean(value=0.25, low=0.2, high=0.3, n=3, n_of=4)
SIDES = (None, *SYSTEMS)


def study() -> Study:
    """A study with every figure, and with whatever is hard to draw: names, gaps, equal values."""
    facet = Column(giver="judge", by=JUDGES[1], name="facet")
    shapes: tuple[tuple[float, ...], ...] = (tuple(np.linspace(0, 1, 41)), (0.5,) * 41, ())
    return Study(
        suite="kilns",
        fingerprint="0" * 12,
        n_papers=4,
        judges=tuple(StudiedJudge(name=name, signature=name, family="f") for name in JUDGES),
        systems=tuple(StudiedSystem(name=name, family="f", n_papers=4) for name in SYSTEMS),
        analyses=(),
        heats=(
            JudgeHeat(
                metric="faithfulness",
                cells=tuple(
                    HeatCell(
                        judge=judge, system=system, is_own=judge == "one",
                        mean=NONE if system == SYSTEMS[1] else HALF,
                    )
                    for judge in JUDGES
                    for system in SYSTEMS
                ),
                difference=None,
                preference=HALF,
            ),
            JudgeHeat(metric="facet", cells=(), difference=None, preference=NONE),
        ),
        spreads=tuple(
            Spread(column=facet, system=system, n=3, n_of=4, quantiles=shape, iqr=None)
            for system, shape in zip(SYSTEMS, shapes, strict=True)
        ),
        proportions=tuple(
            FacetProportions(
                by="GPT",
                system=side,
                shares=dict.fromkeys(FACETS, mean),
                held=dict.fromkeys(HELD, 1),
            )
            for side, mean in zip(SIDES, (QUARTER, NONE, QUARTER, QUARTER), strict=True)
        ),
        hallucination=tuple(
            HallucinationRate(
                giver="label", by="", system=system, n_sentences=4, n_unanswered=0,
                sentences=mean, summaries=mean,
            )
            for system, mean in zip(SYSTEMS, (HALF, NONE, Mean(value=0, n=4, n_of=4)), strict=True)
        ),
        novelty=tuple(
            Profile(system=side, means={f"novelty {n}": HALF for n in range(1, 5)})
            for side in SIDES
        ),
        readability=tuple(
            Profile(system=side, means={"FKGL": Mean(value=-1, n=4, n_of=4), "Dale-Chall": NONE})
            for side in SIDES
        ),
    )  # fmt: skip


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
    """A heat map without any number is left out."""
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
    full = study()
    spread, rate = full.spreads[0], full.hallucination[0]
    mute = Column(giver="judge", by="mute", name="eva")
    silent = replace(rate, giver="judge", by="mute", sentences=NONE, summaries=NONE)
    spreads = (*full.spreads, replace(spread, column=mute, n=0, quantiles=()))
    draw(replace(full, spreads=spreads, hallucination=(*full.hallucination, silent)), tmp_path)
    for file in drawn.iterdir():
        assert file.read_bytes() == (tmp_path / file.name).read_bytes(), file.name
    assert b"<dc:date>" not in (drawn / "spread.svg").read_bytes()


def test_every_svg_is_xml_that_runs_nothing(drawn: Path) -> None:
    """A name is drawn as shapes, and a script has no place."""
    for file in drawn.glob("*.svg"):
        tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(file.read_text())}  # noqa: S314 - our own
        assert "script" not in tags, file.name


def test_names_are_drawable() -> None:
    """Characters that the font lacks would be a warning, and tofu; long names are cut."""
    assert drawable("a\u6f22$\u00e9") == "a\ufffd$\u00e9"
    assert label("b" + "x" * 100 + "e") == f"b{'x' * 12}\u2026{'x' * 11}e"
    assert inches([label("\u6f22" * 300)]) <= 2.0 < inches(["\ufffd" * 26])
    assert label(None) == "(reference)"
    assert row_label("good", 3, 4) == "good\n(3 of 4)"
    assert row_label("good", 4, 4) == "good"


def test_a_violin_ends_where_its_values_do() -> None:
    """A mean rate above 1 cannot be, and must not be drawn."""
    x, y = density(np.linspace(0.2, 1.0, 41))
    assert (x[0], x[-1]) == (0.2, 1.0)
    assert y.max() == 1.0
    assert y.argmax() == pytest.approx(len(y) / 2, abs=len(y) / 4)
