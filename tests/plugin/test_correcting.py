"""Corrected means in real runs.

The judge by rule calls everything good that does not say "alloy": a result of 4 for the good
system, of 1 for the bad one. On three papers people rate the good system 3, 4 and 2, and the bad
one 1 throughout.
"""

from __future__ import annotations

from typing import Final

import pytest

from tests.plugin.conftest import PAPERS, Bench, Run

FAIR: Final = "--summ-judge=rule:Fair"
RESULTS: Final = {"limpet-01": 3, "kiln-02": 4, "moss-03": 2}
"""What people rate the good system's results."""
LABELS: Final = 'labels = "labels.jsonl"'
TABLE: Final = "------------------------------ summarization gate ------------------------------"
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


def labelled(
    bench: Bench, *, head: str = "", pair: str = "facet = 0.3", mean: str = "", upside: bool = False
) -> Bench:
    """The suite of three papers with labels; upside down, people believe the bad system alone."""
    bench.suite(
        head=f'default_systems = ["good"]\nlabels = "labels.jsonl"\n{head}',
        pair=pair,
        mean=mean,
        papers=tuple(PAPERS),
    )
    bench.lines(
        "labels.jsonl",
        *(label(paper, "good", RESULTS[paper], faithful=not upside) for paper in PAPERS),
        *(label(paper, "bad", 1, faithful=upside) for paper in PAPERS),
    )
    return bench


def shown(run: Run) -> list[str]:
    """The lines about corrected means in the table."""
    return [line for line in run.lines if line.startswith("  corrected:")]


def first_line(run: Run) -> str:
    """What the failing test of the system says first."""
    (message,) = [line for line in run.lines if line.startswith("good: ")]
    return message


def test_corrected_means_stand_in_the_table(bench: Bench) -> None:
    """Worked example: the judge's FM is 1 on each paper, and 1/4, 0 and 1/2 too high on labels.

    With three errors of 0 on the bad system that is 1 - 0.75 / 6 = 0.875. Of the two rows of a
    paper, kiln's sum is 0.25 over the mean error and moss's 0.25 under; each over the 4 rows of
    other papers and squared they make 2 / 256. Two degrees of freedom have a t of 4.303:
    0.875 -/+ 4.303 * 0.0884 = 0.875 -/+ 0.380.
    """
    run = labelled(bench, mean="facet = 0.6").inside("summeval.toml", FAIR, "-rA")
    assert run.code == 0
    table = run.block(TABLE, 4)
    assert table[2].split() == ["good", "3", "0", "0", "1.000"]
    assert table[3] == "  corrected: facet 0.875 [0.49, 1.26]"


@pytest.mark.parametrize(
    ("corrected", "message"),
    [
        ("facet = 0.875", ""),
        ("facet = 0.9", "good: corrected mean facet 0.875 < 0.900 (facet 0.875 [0.49, 1.26])"),
        ('"facet.lower" = 0.49', ""),
        (
            '"facet.lower" = 0.5',
            "good: corrected mean facet.lower 0.495 < 0.500 (facet 0.875 [0.49, 1.26])",
        ),
        # 4 on each paper, and (1 + 0 + 2) / 6 = 0.5 too high on labels
        (
            "facet.result = 4",
            "good: corrected mean facet.result 3.500 < 4 (facet.result 3.500 [1.98, 5.02])",
        ),
    ],
)
def test_a_threshold_on_a_corrected_mean_decides(
    bench: Bench, corrected: str, message: str
) -> None:
    """The raw mean of 1 reaches them all: what people would say decides, or how sure that is."""
    labelled(bench, pair=f"facet = 0.3{CORRECTED}{corrected}")
    run = bench.inside("summeval.toml", FAIR, "-rA")
    assert run.code == (1 if message else 0)
    assert run.outcomes["summeval.toml::good::all-papers"] == ("FAILED" if message else "PASSED")
    assert run.last == ("1 failed, 4 passed" if message else "5 passed")
    if message:
        assert first_line(run) == message
        assert not run.shows_code


CHANCE: Final = "the judge calls 0 of the golden true rows true and 1 of the false ones"


def test_a_judge_no_better_than_chance_is_an_error_where_a_threshold_asks(bench: Bench) -> None:
    """The system has done nothing wrong that anybody knows of; else it is only told."""
    labelled(bench, upside=True, pair=f"faithfulness = 0.5{CORRECTED}faithfulness = 0.5")
    run = bench.inside("summeval.toml", FAIR, "-rA")
    assert run.code == 1
    assert run.outcomes["summeval.toml::good::all-papers"] == "ERROR"
    assert run.last == "4 passed, 1 error"
    assert f"the mean of faithfulness cannot be corrected, {CHANCE}; label more, or" in run.out
    assert shown(run) == [f"  corrected: faithfulness unknown ({CHANCE})"]

    labelled(bench, upside=True, pair="faithfulness = 0.5", mean="faithfulness = 0.5")
    run = bench.inside("summeval.toml", FAIR)
    assert run.code == 0
    assert shown(run) == [f"  corrected: faithfulness unknown ({CHANCE})"]


def test_labels_are_asked_about_once_and_for_means_alone_not_at_all(bench: Bench) -> None:
    """By the judge's test and the corrected means together."""
    labelled(bench, pair="faithfulness = 0.5", mean="faithfulness = 0.5")
    run = bench.inside("summeval.toml", FAIR, "-k", "all-papers", "-rA")
    assert run.outcomes == {"summeval.toml::good::all-papers": "PASSED"}
    assert bench.pairs_asked() == {f"good::{paper}" for paper in PAPERS}
    assert not shown(run)

    labelled(bench, pair=f"facet = 0.3{CORRECTED}facet = 0.5")
    assert bench.inside("summeval.toml", FAIR).code == 0
    rated = [a for a in bench.asked() if a.event == "begin" and a.question.startswith("RateFacets")]
    assert len(rated) == 2 * len(PAPERS)


def test_a_correction_that_no_label_allows_stops_the_run(bench: Bench) -> None:
    """Before anything is asked."""
    labelled(bench)
    head = 'default_systems = ["good"]\n'
    bench.suite(head=head, pair=f"facet = 0.3{CORRECTED}facet = 0.5", papers=tuple(PAPERS))
    run = bench.inside("summeval.toml", FAIR)
    assert run.code == 4
    fault = "has a threshold for corrected.facet and no label with 'overall' to correct it by; "
    assert f"summeval.toml {fault}" in run.err
    assert bench.asked() == []
