from __future__ import annotations

from dataclasses import replace

from summeval_pytest.reports.wording import SystemRow
from summeval_pytest.verdict.run import SystemResult
from tests.reports.records import (
    COMPARISON,
    corrected,
    failing,
    floor,
    mean,
    moss_scores,
    pair,
    refused,
    suite,
    system,
    undecided,
    waived,
)


def row(gated: SystemResult) -> SystemRow:
    """A system with two pairs, of which one has no score."""
    pairs = pair(scores=moss_scores()), refused(paper="ward-02")
    result = suite(*pairs, systems=(gated,))
    return SystemRow(suite=result, system=gated, papers=[each.numbers() for each in pairs])


def test_a_system_is_as_bad_as_the_worst_of_its_pairs_and_its_means() -> None:
    """A green mean beside a red pair is no green system."""
    passed = system(means=(mean(value=0.9),))
    for pairs, outcome in (
        ((pair(),), "passed"),
        ((pair(), failing("ward-02")), "failed"),
        ((failing(), undecided()), "error"),
    ):
        result = SystemRow(suite=suite(*pairs), system=passed, papers=())
        assert result.outcome == outcome
    assert SystemRow(suite=suite(), system=system(), papers=()).outcome == "failed"
    assert SystemRow(suite=suite(), system=system(means=()), papers=()).outcome == "not judged"


def test_a_mean_stands_to_its_threshold_as_it_was_decided() -> None:
    """A waived mean is no failure, nor an open one; one that was never decided has no state."""
    opened = replace(mean("eva", 0.5, 0.4), is_open=True)
    result = row(system(means=(mean(), opened), waivers=(waived("in use", finding="facet"),)))
    assert (result.mean("facet").state, result.mean("eva").state) == ("waived", "undecided")
    assert row(system()).mean("facet").state == "failed"
    low = corrected("faithfulness", 0.5, floor(0.9, "faithfulness"))
    unknown = corrected("facet", None, floor(0.9, "facet"))
    result = row(system(means=(mean(value=0.9),), corrected=(low, unknown)))
    assert (result.mean("faithfulness").state, result.mean("facet").state) == ("failed", "")
    result = row(system(means=()))
    assert (result.mean("facet").state, result.mean("facet").least) == ("", 0.75)
    # one that fails at the worst of the others shows that value: 0.9 would read as a bug
    assert row(system(means=(replace(mean(value=0.9), lowest=0.5),))).mean("facet").value == 0.5


def test_a_mean_without_a_verdict_is_of_the_judged_pairs() -> None:
    """It says how many of those that should have the number it covers, and how it has changed."""
    result = row(system(means=(), comparison=COMPARISON))
    facet = result.mean("facet")
    assert (facet.value, facet.coverage, facet.change) == (0.5, "1 of 2", -0.4)
    eva = result.mean("eva")
    assert (eva.value, eva.coverage, eva.least) == (0.4, "", 0.4)
    assert result.mean("facet.coverage").value is None
