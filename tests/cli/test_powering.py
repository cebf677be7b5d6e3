from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli import powering
from summeval_pytest.cli.command import main
from summeval_pytest.stats import papers_needed, power_of_drop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.evaluation import Desk, Numbers
    from summeval_pytest.suite import Suite

GOLDEN: Final = Path(__file__).parents[2] / "golden"


@pytest.fixture(scope="module", autouse=True)
def judged_once() -> Iterator[None]:
    """What the embedded judge says of golden is no matter of these tests, and takes a second."""
    judge = powering._judged
    known: dict[str, Mapping[str, Sequence[Numbers]]] = {}

    def judged(
        suite: Suite, systems: Sequence[str], name: str, desk: Desk
    ) -> Mapping[str, Sequence[Numbers]]:
        key = repr((suite.fingerprint, tuple(systems), name))
        if key not in known:
            known[key] = judge(suite, systems, name, desk)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(powering, "_judged", judged)
        yield


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The lines of a table."""
    assert main(["power", str(GOLDEN), *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_power_says_what_the_papers_show_and_how_many_would_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before a team trusts a green, it learns what thirty papers can see."""
    lines = told(capsys, "--drop=0.1", "--metric=facet,faithfulness")
    rows = {line.split()[0]: line.split()[1:] for line in lines[3:5]}
    deviation, power, seen, needed = rows["facet"]

    assert lines[1] == "level 0.05, Holm's strictest of 7 tests: 0.0071"
    assert set(rows) == {"facet", "faithfulness"}
    assert float(power) == pytest.approx(
        power_of_drop(0.1, float(deviation), 30, level=0.05 / 7), abs=0.02
    )
    assert float(seen) > 0.1
    n_needed = int(needed.replace(",", ""))
    assert n_needed > 30
    assert n_needed == pytest.approx(papers_needed(0.1, float(deviation), level=0.05 / 7), rel=0.02)


def test_a_smaller_drop_needs_more_papers(capsys: pytest.CaptureFixture[str]) -> None:
    """Half the drop takes about four times the papers."""
    large, small = (
        int(told(capsys, f"--drop={drop}", "--metric=eva")[3].split()[-1].replace(",", ""))
        for drop in ("0.04", "0.02")
    )

    assert 3.5 < small / large < 4.5


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--drop=0", "--drop=0 is no drop of facet; write a number between 0 and 0.75"),
        ("--metric=facets", "--metric=facets: unknown metric; did you mean 'facet"),
        ("--level=2", "--level=2 is no share; write a number between 0 and 1"),
        ("--power=0", "--power=0 is no share; write a number between 0 and 1"),
        ("--tests=0", "--tests=0 is no number of tests; write 1 or more"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the words of the option that was typed."""
    arguments = [option] if option.startswith("--drop") else ["--drop=0.1", option]

    assert main(["power", str(GOLDEN), *arguments]) == 4
    assert message in capsys.readouterr().err
