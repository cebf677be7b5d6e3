from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.reports.pair import (
    corrected_line,
    corrected_text,
    describe_means,
    missed_lines,
)
from summeval_pytest.reports.run import SystemTally, suite_lines, summary_lines
from summeval_pytest.verdict.decide import CorrectedMean, MeanVerdict, SystemMean
from summeval_pytest.verdict.thresholds import Floor
from tests.verdict.records import eva, pair, rated, suite, system

if TYPE_CHECKING:
    from summeval_pytest.verdict.thresholds import Bound

CHANCE = "the judge calls 0.5 of the golden true rows true and 0.5 of the false ones"


def mean(name: str = "facet", value: float | None = 0.6243, *floors: Floor) -> CorrectedMean:
    """A corrected mean, 0.1 to either side; the judge's own is higher."""
    return CorrectedMean(
        name=name,
        raw=0.9,
        value=value,
        low=None if value is None else value - 0.1,
        high=None if value is None else value + 0.1,
        n_golden=12,
        n_papers=4,
        reason=CHANCE if value is None else "",
        floors=floors,
    )


SINGLE = replace(mean(), low=None, high=None, reason="all golden rows are of one paper")
"""A mean without an interval."""


def floor(least: float, name: str = "facet", bound: Bound = "point") -> Floor:
    """What a corrected mean is held to."""
    return Floor(name=name, least=least, bound=bound)


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (mean(), "facet 0.624 [0.52, 0.72]"),
        (mean("facet.result", 3.0), "facet.result 3 [2.90, 3.10]"),
        (mean("facet.result", 2.25), "facet.result 2.250 [2.15, 2.35]"),
        (mean("faithfulness", None), f"faithfulness unknown ({CHANCE})"),
        (SINGLE, "facet 0.624 (all golden rows are of one paper)"),
    ],
)
def test_a_corrected_mean_is_told_with_its_interval_or_why_there_is_none(
    found: CorrectedMean, text: str
) -> None:
    """A number that twenty labels tell must not look as sure as one that a thousand do."""
    assert corrected_text(found) == text


def test_the_line_of_a_system_has_the_metrics_alone() -> None:
    """The ratings of four facets would push them off the screen; their thresholds tell them."""
    means = (mean(), mean("facet.result", 3.0), mean("faithfulness", 0.9))
    assert corrected_line(means) == "facet 0.624 [0.52, 0.72], faithfulness 0.900 [0.80, 1.00]"
    assert corrected_line(means[1:2]) == ""
    assert corrected_line(()) == ""


def test_every_threshold_that_is_missed_has_a_phrase() -> None:
    """On the mean or on its lower bound, of a metric or of a facet; what is reached has none."""
    limits = (floor(0.65), floor(0.6), floor(0.55, bound="lower"), floor(0.5, bound="lower"))
    told = list(
        missed_lines(
            (mean("facet", 0.6243, *limits), mean("facet.result", 2.0, floor(3, "facet.result")))
        )
    )
    assert told == [
        "corrected mean facet 0.624 < 0.650 (facet 0.624 [0.52, 0.72])",
        "corrected mean facet.lower 0.524 < 0.550 (facet 0.624 [0.52, 0.72])",
        "corrected mean facet.result 2 < 3 (facet.result 2 [1.90, 2.10])",
    ]


def test_a_corrected_mean_just_under_its_threshold_never_reads_as_equal() -> None:
    """Digits are added until it reads as it was decided."""
    (told,) = missed_lines((mean("facet", 0.6239, floor(0.624)),))
    assert told.startswith("corrected mean facet 0.6239 < 0.624 (facet 0.624 ")


def test_what_is_unknown_is_missed_and_told_as_unknown() -> None:
    """A record that a later version reads may hold it."""
    (told,) = missed_lines((mean("faithfulness", None, floor(0.5, "faithfulness")),))
    assert told == (
        f"corrected mean faithfulness unknown < 0.500 (faithfulness unknown ({CHANCE}))"
    )
    (told,) = missed_lines((replace(SINGLE, floors=(floor(0.3, bound="lower"),)),))
    assert told.startswith("corrected mean facet.lower unknown < 0.300 (facet 0.624 (all golden")


RAW = SystemMean(name="facet", value=0.9, least=0.8, n_scored=40, n_papers=40)


def test_a_failing_system_is_told_by_its_corrected_mean_in_the_first_line() -> None:
    """Under it stand the raw mean that passes, and the corrected ones."""
    held = (mean("facet", 0.6243, floor(0.65)), mean("faithfulness", 0.9))
    verdict = MeanVerdict(means=(RAW,), corrected=held)
    assert describe_means("careful", verdict).split("\n") == [
        "careful: corrected mean facet 0.624 < 0.650 (facet 0.624 [0.52, 0.72])",
        "  mean facet 0.900 >= 0.800",
        "  corrected by golden labels: facet 0.624 [0.52, 0.72], faithfulness 0.900 [0.80, 1.00]",
    ]


def test_raw_and_corrected_means_that_are_missed_stand_in_one_line() -> None:
    """All that failed is told at once, the raw mean first."""
    verdict = MeanVerdict(
        means=(replace(RAW, least=0.95),), corrected=(mean("facet", 0.6243, floor(0.65)),)
    )
    assert describe_means("careful", verdict).split("\n")[0] == (
        "careful: mean facet 0.900 < 0.950 (40 of 40 papers);"
        " corrected mean facet 0.624 < 0.650 (facet 0.624 [0.52, 0.72])"
    )


def test_a_failing_system_without_corrected_metrics_has_no_line_of_them() -> None:
    """A heading without anything under it would read as a fault."""
    for held in ((), (mean("facet.result", 3.0),)):
        verdict = MeanVerdict(means=(replace(RAW, least=0.95),), corrected=held)
        assert "corrected" not in describe_means("careful", verdict)


def test_corrected_means_stand_under_the_row_of_their_system() -> None:
    """Beside the raw mean, which the judge alone vouches for."""
    tallies = {"careful": SystemTally(), "terse": SystemTally()}
    for tally in tallies.values():
        tally.add("passed", {"facet": 0.9}, wrong={"facet": 1})
    _, first, second, third, *others = summary_lines(
        tallies, corrected={"careful": corrected_line([mean()]), "terse": ""}
    )
    assert first.split() == ["careful", "1", "0", "0", "0.900"]
    assert second == "  corrected: facet 0.624 [0.52, 0.72]"
    assert third == "  wrong: 1 facet below full rating"
    assert [line.split()[0] for line in others] == ["terse", "wrong:"]


def test_the_table_made_again_from_a_record_has_them_too() -> None:
    """The same line as at the end of the run itself."""
    held = replace(system("careful", "moss-1"), corrected=(mean(), mean("facet.method", 2.0)))
    made = suite(pair("moss-1", rated(), eva(0.5)), systems=(held, system("terse", "moss-1")))
    lines = list(suite_lines(made))
    assert lines[2] == "  corrected: facet 0.624 [0.52, 0.72]"
    assert sum("corrected" in line for line in lines) == 1
