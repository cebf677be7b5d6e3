"""Corrected means in real runs.

The judge by rule calls everything good that does not say "alloy": a result of 4 for the good
system, of 1 for the bad one. On three papers people rate the good system 3, 4 and 2, and the bad
one 1 throughout.
"""

from __future__ import annotations

from typing import Final

from tests.plugin.conftest import FAIR, PAPERS, Bench

RESULTS: Final = {"limpet-01": 3, "kiln-02": 4, "moss-03": 2}
"""What people rate the good system's results."""
CORRECTED: Final = "\n[thresholds.corrected]\n"


def label(paper: str, system: str, result: int, *, faithful: bool) -> dict[str, object]:
    """A label of the only facet that the judge finds in a reference, and of two sentences."""
    absent = dict.fromkeys(("background", "method", "conclusion"))
    return {
        "paper": paper,
        "system": system,
        "facets": {**absent, "result": result},
        "sentences": [{"index": index, "faithful": faithful} for index in range(2)],
    }


def labelled(bench: Bench, *, pair: str, mean: str = "") -> Bench:
    """The suite of three papers with labels, which people and the judge by rule agree on."""
    bench.suite(
        head='default_systems = ["good"]\nlabels = "labels.jsonl"',
        pair=pair,
        mean=mean,
        papers=tuple(PAPERS),
    )
    bench.lines(
        "labels.jsonl",
        *(label(paper, "good", RESULTS[paper], faithful=True) for paper in PAPERS),
        *(label(paper, "bad", 1, faithful=False) for paper in PAPERS),
    )
    return bench


def test_a_threshold_on_a_corrected_mean_decides(bench: Bench) -> None:
    """The raw mean of 1 reaches both: what people would say decides, or how sure that is."""
    for corrected, missed in (
        ("facet = 0.9", "facet 0.875 < 0.900"),
        ('"facet.lower" = 0.5', "facet.lower 0.250 < 0.500"),
    ):
        labelled(bench, pair=f"facet = 0.3{CORRECTED}{corrected}")
        run = bench.inside("summeval.toml", FAIR)
        assert run.last == "1 failed, 4 passed"
        assert "  corrected: facet 0.875 [0.25, 1.00]" in run.lines
        assert f"good: corrected mean {missed} (facet 0.875 [0.25, 1.00])" in run.lines
        assert not run.shows_code


def test_labels_are_asked_about_once_and_for_means_alone_not_at_all(bench: Bench) -> None:
    """By the judge's test and the corrected means together."""
    labelled(bench, pair="faithfulness = 0.5", mean="faithfulness = 0.5")
    run = bench.inside("summeval.toml", FAIR, "-k", "all-papers", "-rA")
    assert run.outcomes == {"summeval.toml::good::all-papers": "PASSED"}
    assert bench.pairs_asked() == {f"good::{paper}" for paper in PAPERS}

    labelled(bench, pair=f"facet = 0.3{CORRECTED}facet = 0.5")
    assert bench.inside("summeval.toml", FAIR).code == 0
    rated = [a for a in bench.asked() if a.event == "begin" and a.question.startswith("RateFacets")]
    assert len(rated) == 2 * len(PAPERS)
