from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.cli.runs import _row
from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.stats.paired import power_of_drop

GOLDEN: Final = Path(__file__).parents[2] / "golden"


def text(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The lines of a table."""
    assert main(["power", str(GOLDEN), *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_power_says_what_the_papers_show_and_how_many_would_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before a team trusts a green, it learns what thirty papers can see."""
    lines = text(capsys, "--drop=0.1", "--metric=facet,faithfulness")
    rows = {line.split()[0]: line.split()[1:] for line in lines[3:5]}
    deviation, power, seen, needed = rows["facet"]
    n_needed = int(needed.replace(",", ""))

    assert lines[1] == "level 0.05, Holm's strictest of 7 tests: 0.0071"
    assert set(rows) == {"facet", "faithfulness"}
    for n_papers, expected in ((30, float(power)), (n_needed, 0.8)):
        result = power_of_drop(0.1, float(deviation), n_papers, level=0.05 / 7)
        assert result == pytest.approx(expected, abs=0.03)
    assert float(seen) > 0.1
    assert n_needed > 30


def test_a_smaller_drop_needs_more_papers() -> None:
    """Half the drop takes about four times the papers, one that no suite shows over 10 million."""
    changes = [0.3, -0.2, 0.1, 0.0, -0.1] * 6
    rows = [_row(CATALOGUE["eva"], changes, drop, 0.05 / 7) for drop in (0.04, 0.02, 0.00001)]
    large, small = (int(row.split()[-1].replace(",", "")) for row in rows[:2])
    assert 3.5 < small / large < 4.5
    assert rows[2].endswith("over 10,000,000")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--drop=0", "--drop=0 is not a drop of facet; write a number between 0 and 0.75"),
        ("--metric=facets", "--metric=facets: unknown metric; did you mean 'facet"),
        ("--tests=0", "--tests=0 is not a number of tests; write 1 or more"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words of the option that was typed."""
    arguments = [option] if option.startswith("--drop") else ["--drop=0.1", option]

    assert main(["power", str(GOLDEN), *arguments]) == 4
    assert message in capsys.readouterr().err
