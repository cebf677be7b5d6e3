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


def label(paper: str, system: str, *, agrees: bool) -> dict[str, object]:
    """A label of the only facet that the judge finds in a reference, of two sentences, of a fact.

    Where it does not agree with the judge by rule, it calls true what is not, and false what is.
    """
    absent = dict.fromkeys(("background", "method", "conclusion"))
    holds = (system == "good") is agrees
    return {
        "paper": paper,
        "system": system,
        "facets": {**absent, "result": RESULTS[paper] if system == "good" else 1},
        "sentences": [{"index": index, "faithful": holds} for index in range(2)],
        "facts": {"candidate": [{"text": PAPERS[paper][1], "supported": holds}]},
    }


def labelled(
    bench: Bench,
    *,
    pair: str = "facet = 0.6\nfaithfulness = 0.8",
    mean: str = "",
    floors: str = "",
    agrees: bool = True,
) -> Bench:
    """The suite of three papers with labels of both systems."""
    bench.suite(
        head='default_systems = ["good"]\nlabels = "labels.jsonl"',
        pair=pair,
        mean=mean,
        papers=tuple(PAPERS),
    )
    if floors:
        bench.extend(f"[thresholds.judge]\n{floors}")
    systems = ("good", "bad")
    bench.lines("labels.jsonl", *(label(p, s, agrees=agrees) for s in systems for p in PAPERS))
    return bench
