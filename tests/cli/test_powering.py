from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.cli.runs import _row
from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.stats.no_worse import pass_chance

GOLDEN: Final = Path(__file__).parents[2] / "golden"


def text(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The lines of a table."""
    assert main(["power", str(GOLDEN), *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_power_says_what_passes_and_how_many_papers_would_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before a team sets a margin, it learns which ones thirty papers can decide."""
    lines = text(capsys, "--margin=0.1", "--metric=facet,faithfulness")
    rows = {line.split()[0]: line.split()[1:] for line in lines[3:5]}
    deviation, chance, margin, needed = rows["facet"]
    n_needed = int(needed)
    assert set(rows) == {"facet", "faithfulness"}
    for n_papers, expected in ((30, float(chance)), (n_needed, 0.8)):
        result = pass_chance(0.1, float(deviation), n_papers, level=0.05, width=0.75)
        assert result == pytest.approx(expected, abs=0.02)
    assert (float(margin) < 0.1) == (n_needed < 30)


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
def test_what_cannot_be_asked_is_refused(
    option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words of the option that was typed."""
    arguments = [option] if option.startswith("--margin") else ["--margin=0.1", option]

    assert main(["power", str(GOLDEN), *arguments]) == 4
    assert message in capsys.readouterr().err
