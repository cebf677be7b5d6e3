"""A labelled suite.

The judge by rule calls everything good that does not say "alloy": a result of 4 for the good
system, of 1 for the bad one. On three papers people rate the good system 3, 4 and 2, and the bad
one 1 throughout.
"""

from __future__ import annotations

from typing import Final

from tests.plugin.conftest import PAPERS, Bench

RESULTS: Final = {"limpet-01": 3, "kiln-02": 4, "moss-03": 2}
"""What people rate the good system's results."""


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
