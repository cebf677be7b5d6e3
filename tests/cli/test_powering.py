from __future__ import annotations

from pathlib import Path

import pytest

from summeval_pytest.cli.noise import _row
from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.stats.no_worse import pass_chance
from tests.asked_suite import write_suite
from tests.cli.conftest import Shell


@pytest.fixture(name="kilns")
def make_kilns(tmp_path: Path) -> Path:
    """A suite of two papers and of two systems with recorded summaries."""
    file = write_suite(tmp_path / "kilns", "http://127.0.0.1:9/v1") / "summeval.toml"
    recorded = file.read_text(encoding="utf-8").partition("[systems.writer]")[0]
    file.write_text(recorded, encoding="utf-8")
    return file


def test_power_says_what_passes_and_how_many_papers_would_do(kilns: Path, shell: Shell) -> None:
    """Before a team sets a margin, it learns which ones its papers can decide."""
    lines = shell.lines("power", kilns, "--margin=0.1", "--metric=facet,faithfulness")
    rows = {line.split()[0]: line.split()[1:] for line in lines[3:5]}
    deviation, chance, margin, needed = rows["facet"]
    assert set(rows) == {"facet", "faithfulness"}

    def passes(n_papers: int) -> float:
        return pass_chance(0.1, float(deviation), n_papers, level=0.05, width=0.75)

    assert passes(2) == pytest.approx(float(chance), abs=0.02)
    assert passes(int(needed) - 1) < 0.8 < passes(int(needed))
    assert float(margin) > 0.1


def test_a_smaller_margin_needs_more_papers() -> None:
    """Half the margin takes about four times the papers; a tiny one over 10 million."""
    changes = [0.3, -0.2, 0.1, 0.0, -0.1] * 6
    rows = [_row(CATALOGUE["eva"], changes, margin) for margin in (0.04, 0.02, 0.00001)]
    large, small = (int(row.split()[-1].replace(",", "")) for row in rows[:2])
    assert 3.5 < small / large < 4.5
    assert rows[2].endswith("over 10,000,000")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--margin=0", "--margin: 0 is no margin of facet; write a number above 0 and under 0.75"),
        ("--metric=facets", "--metric=facets: unknown metric; did you mean 'facet"),
    ],
)
def test_what_makes_no_sense_is_refused(
    kilns: Path, shell: Shell, option: str, message: str
) -> None:
    """In the words of the option that was typed."""
    arguments = [option] if option.startswith("--margin") else ["--margin=0.1", option]
    assert message in shell.error(4, "power", kilns, *arguments)
