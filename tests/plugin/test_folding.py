"""A run with many failing pairs prints the first three in full, and names the others."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import PAPERS, Bench

N_PAPERS = 6


@pytest.fixture(name="flood")
def make_flood(bench: Bench) -> Bench:
    """A suite of six papers, on all of which the system fails."""
    names = [f"limpet-{place:02}" for place in range(N_PAPERS)]
    text, summary = " ".join(PAPERS["limpet-01"]), bench.bad["limpet-01"]
    bench.suite(head='default_systems = ["bad"]', mean="facet = 0.9")
    bench.lines("papers.jsonl", *({"id": n, "source": text, "reference": text} for n in names))
    for system in ("good", "bad"):
        bench.lines(f"{system}.jsonl", *({"paper": n, "summary": summary} for n in names))
    return bench


@pytest.mark.parametrize(
    ("option", "n_full"),
    [("--tb=auto", 3), ("--tb=line", 0), ("-v", 6)],
)
def test_three_failing_pairs_are_printed_in_full(flood: Bench, option: str, n_full: int) -> None:
    """Thirty red papers printed 11,000 lines; each is still named, counted and explained."""
    run = flood.inside("summeval.toml", option, "--junitxml=all.xml", "-rf")
    n_headings = sum(line.strip("_ ").startswith("bad::limpet-") for line in run.lines)
    assert n_headings == n_full
    assert run.last == "7 failed"
    assert sum(line.startswith("FAILED summeval.toml::bad::limpet-") for line in run.lines) == 6
    folded = f"listed below, not in full: {N_PAPERS - n_full} failing pairs; -v prints all,"
    assert any(line.startswith(folded) for line in run.lines) == (n_full < N_PAPERS)
    assert any(line.startswith("worst findings (") for line in run.lines) == (
        n_full < N_PAPERS or option == "-v"
    )
    assert flood.text("all.xml").count("1. ") >= N_PAPERS, "JUnit has every finding"
