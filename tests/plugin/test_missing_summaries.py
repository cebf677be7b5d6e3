"""Real runs over suites of a table that has lost a row: what a release left out is its failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.cli.app import main
from tests.plugin.conftest import GOOD, PAPERS

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench

TABLE: Final = ("import", "table", "runs.csv", "--out=gate")
GATE: Final = ("gate", "-rA")


@pytest.fixture(autouse=True)
def _table(bench: Bench) -> None:
    """A table of three papers and two systems, where ``old`` has no row of kiln-02."""
    rows = [
        f'{paper},{system},"{" ".join(PAPERS[paper])}","{" ".join(PAPERS[paper])}","{GOOD[paper]}"'
        for paper in PAPERS
        for system in ("new", "old")
        if (paper, system) != ("kiln-02", "old")
    ]
    bench.write("runs.csv", "\n".join(["id,system,source,reference,summary", *rows, ""]))


def test_a_lost_row_fails_as_an_empty_cell_does(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """A release that lost an output would else be gated on fewer papers, and pass."""
    assert main([*TABLE]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "gate: 3 papers, 2 systems, 6 pairs",
        (
            "missing summaries, written as '-', which fails: 1, first paper 'kiln-02' of system"
            " 'old'; --skip-missing lists these papers under 'skip'"
        ),
        "next: pytest gate",
    ]
    assert "skip" not in bench.text("gate/summeval.toml")
    run = bench.inside(*GATE)
    assert run.outcomes["gate/summeval.toml::old::kiln-02"] == "FAILED"
    assert "the summary is empty" in run.out
    others = {node: each for node, each in run.outcomes.items() if "::old::" not in node}
    assert set(others.values()) == {"PASSED"}
    assert not [line for line in run.lines if "skipped" in line]


def test_a_paper_is_skipped_where_the_user_says_so(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each run says how many pairs it leaves out."""
    assert main([*TABLE, "--skip-missing"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == [
        "gate: 3 papers, 2 systems, 5 pairs",
        "missing summaries, listed under 'skip': 1, first paper 'kiln-02' of system 'old'",
    ]
    assert 'skip = ["kiln-02"]' in bench.text("gate/summeval.toml")
    run = bench.inside(*GATE, "-q")
    assert run.code == 0
    assert "gate/summeval.toml::old::kiln-02" not in run.outcomes
    table = [line for line in run.lines if line.startswith(("new ", "old ", "  skipped"))]
    assert [line.split()[0] for line in table] == ["new", "old", "skipped:"]
    assert table[2] == "  skipped: 1 paper, which the suite lists under 'skip'"
