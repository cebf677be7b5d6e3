from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench, Run

BOTH = "--summ-model=good,bad"
FAIR = "--summ-judge=rule:Fair"
HEADING = "system            passed failed errors         facet  faithfulness"


def table(run: Run) -> list[str]:
    """The closing table, up to what is said of the judge."""
    start = run.lines.index(HEADING) + 1
    end = next(n for n, line in enumerate(run.lines) if line.startswith("judge: "))
    return [line for line in run.lines[start:end] if not line.startswith("signature  ")]


def test_tests_that_are_run_again_leave_the_table_as_it_is(bench: Bench) -> None:
    """With pytest-rerunfailures, which teams have installed for their flaky tests."""
    pytest.importorskip("pytest_rerunfailures")
    once = bench.inside("summeval.toml", BOTH, FAIR)
    again = bench.run("summeval.toml", BOTH, FAIR, "-p", "rerunfailures", "--reruns=2")

    assert again.last == "2 failed, 2 passed, 4 rerun"
    assert table(again) == table(once)


@pytest.mark.parametrize("select", [("-k", "kiln"), ("--lf",)], ids=["-k", "--lf"])
def test_means_over_some_of_the_papers_are_marked_as_partial(
    bench: Bench, select: tuple[str, ...]
) -> None:
    """The last failed papers have the worst numbers, which nobody should read as the system's."""
    bench.good["kiln-02"] = bench.bad["kiln-02"]
    bench.suite()
    assert "  partial" not in bench.inside("summeval.toml", FAIR).out
    run = bench.inside("summeval.toml", FAIR, *select)

    assert run.last == "1 failed, 1 deselected"
    assert table(run)[:2] == [
        "good                   0      1      0         0.250         0.000",
        "  partial: 1 of 2 papers",
    ]


@pytest.mark.parametrize("runs", ["pairs and means", "hand-written"])
def test_signatures_are_printed_once_a_run(bench: Bench, runs: str) -> None:
    """They are long, and the same for every pair of a suite: repeated, they bury the findings."""
    bench.suite(mean="facet = 0.9\nfaithfulness = 0.9")
    bench.write("test_own.py", "def test_own(summ_pair):\n    summ_pair.check()\n")
    tests = "summeval.toml" if runs == "pairs and means" else "test_own.py"
    run = bench.inside(tests, "--summ-model=bad", FAIR)

    found = [line for line in run.lines if line.startswith("signature  ")]
    assert sorted(line.split("|")[0].split()[-1] for line in found) == sorted(
        {"facet", "faithfulness"} | ({"eva"} if runs == "hand-written" else set())
    )
