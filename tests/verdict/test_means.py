from __future__ import annotations

from collections.abc import Sequence

import pytest

from summeval_pytest.metrics.number import Unscored
from summeval_pytest.run.pair_numbers import MIN_COVERAGE, Numbers
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.verdict.means import (
    SystemMean,
    SystemVerdict,
    mean_of,
    system_verdict,
)
from summeval_pytest.verdict.pair import why_missing
from summeval_pytest.verdict.thresholds import Threshold, Thresholds, Waivers
from tests.verdict.records import on_day, pair, supported, unscored, waiver

EMPTY = Unscored(metric="facet", status="degenerate_candidate", reason="the summary is empty")
SILENT = Unscored(metric="facet", status="unanswered", reason="the reply was cut off")


def paper(place: int, *unscored: Unscored, **values: float | None) -> Numbers:
    """The numbers of one pair; ``facet_result`` stands for the name with a dot."""
    return Numbers(
        paper=f"moss-{place:02}",
        system="careful",
        values={name.replace("_", ".", 1): value for name, value in values.items()},
        unscored=unscored,
    )


def verdict(
    papers: Sequence[Numbers], *limits: tuple[str, float], waivers: Waivers | None = None
) -> SystemVerdict:
    """The verdict on the means of these papers, by these thresholds."""
    thresholds = Thresholds(pair=(), mean=tuple(Threshold(*limit) for limit in limits))
    return system_verdict(papers, thresholds, waivers or on_day())


def outcome(actual: SystemVerdict) -> str:
    """What a verdict comes to."""
    return "failed" if actual.fails else "error" if actual.undecided else "passed"


@pytest.mark.parametrize(
    ("papers", "value", "lowest", "n_scored"),
    [
        ([paper(1, facet=0.5), paper(2, facet=1.0)], 0.75, None, 2),  # (0.5 + 1.0) / 2
        ([paper(1, facet=0.8), paper(2, EMPTY)], 0.8, 0.525, 1),  # (0.8 + 0.25) / 2 at the lowest
        ([paper(1, facet=0.94), paper(2, facet=0.38)], 0.66, None, 2),  # no last bit less
        ([], None, None, 0),
        ([paper(1, EMPTY)], None, 0.25, 0),
    ],
)
def test_a_mean_is_over_the_papers_that_have_the_number(
    papers: list[Numbers], value: float | None, lowest: float | None, n_scored: int
) -> None:
    """An unscored paper is neither zero nor left out of the count; a mean over nothing fails."""
    actual = mean_of(papers, Threshold("facet", 0.5))
    assert actual == SystemMean(
        name="facet", value=value, least=0.5, n_scored=n_scored, n_papers=len(papers), lowest=lowest
    )
    assert actual.passes is (n_scored == 2)


@pytest.mark.parametrize(("n_scored", "n_papers"), [(19, 20), (18, 20), (95, 100), (94, 100)])
def test_a_mean_must_cover_95_of_100_papers(n_scored: int, n_papers: int) -> None:
    """A system must not reach its mean by failing on the hard papers."""
    is_covered = n_scored / n_papers >= MIN_COVERAGE == 0.95
    papers = [paper(n, facet=0.9) for n in range(n_scored)]
    papers += [paper(n, EMPTY) for n in range(n_scored, n_papers)]
    actual = verdict(papers, ("facet", 0.5))
    assert [mean.is_covered for mean in actual.means] == [is_covered]
    assert outcome(actual) == ("passed" if is_covered else "failed")


@pytest.mark.parametrize(("least", "passes"), [(0.77, True), (0.79, False)])
def test_a_mean_has_to_pass_with_the_lowest_score_for_a_refusal(
    least: float, *, passes: bool
) -> None:
    """Worked example: 29 papers at .8 and a refused one at .25 make .7817; .8 alone would pass."""
    papers = [*(paper(n, facet=0.8) for n in range(29)), paper(29, EMPTY)]
    (mean,) = verdict(papers, ("facet", least)).means
    assert (mean.value, mean.is_covered, mean.passes) == (0.8, True, passes)
    assert mean.compared == mean.lowest == pytest.approx(23.45 / 30)


def test_the_mean_of_a_count_has_to_cover_every_paper() -> None:
    """A count has no worst value to stand for a paper without one, and a waiver is for a number."""
    counted = [paper(n, faithfulness_conflicts=0.0) for n in range(29)]
    limit = ("faithfulness.conflicts", 0.0)
    assert outcome(verdict(counted, limit)) == "passed"
    waivers = on_day(waiver(limit[0], paper=ALL_PAPERS))
    for without in (paper(29, unscored("faithfulness")), paper(29, faithfulness_conflicts=None)):
        actual = verdict([*counted, without], limit, waivers=waivers)
        (mean,) = actual.missed
        assert (mean.value, mean.lowest, mean.n_scored, mean.n_papers) == (0.0, None, 29, 30)
        assert [use.state for use in actual.waivers] == ["not judged"]


# What the judge left open


def of_25(place: int, *odd: bool | None) -> Numbers:
    """The numbers of a summary of 25 sentences, of which the others are supported."""
    said: dict[str, bool | None] = {f"s{n}": True for n in range(25 - len(odd))}
    said |= {f"odd {n}": holds for n, holds in enumerate(odd)}
    return pair(f"moss-{place:02}", supported(said)).numbers()


FULL = [of_25(n) for n in range(19)]
NO_SENTENCES = pair("moss-20", unscored("faithfulness")).numbers()
COUNTED = "with 1 unanswered sentence counted as wrong"
UNSCORED = "facet is unscored on 1 of 2 papers, first 'moss-02': unanswered, the reply was cut off"
OF_20 = f"facet is unscored on 1 of 20 papers, {UNSCORED.partition(', ')[2]}"
TENTHS = [paper(n, facet=0.9) for n in (1, *range(3, 21))]


@pytest.mark.parametrize(
    ("papers", "name", "least", "message"),
    [
        ([of_25(1, False)], "faithfulness", 0.97, "failed"),
        ([of_25(1, None)], "faithfulness", 0.97, f"mean faithfulness 0.960 < 0.97, {COUNTED}"),
        ([of_25(1, None)], "faithfulness", 0.96, ""),
        ([*FULL, of_25(19), NO_SENTENCES], "faithfulness", 0.951, ""),
        (
            [*FULL, of_25(19, None), NO_SENTENCES],
            "faithfulness",
            0.951,
            f"mean faithfulness 0.950 < 0.951, {COUNTED}",
        ),
        # so many papers by the system's fault miss, whatever an answer would be
        ([of_25(1, None), NO_SENTENCES], "faithfulness", 0.1, "failed"),
        # a paper without any answer has the worst value: (19 * .9 + .25) / 20 = .8675
        ([*TENTHS, paper(2, SILENT)], "facet", 0.86, ""),
        ([*TENTHS, paper(2, SILENT)], "facet", 0.87, OF_20),
        ([*TENTHS, paper(2, SILENT)], "facet", 0.95, OF_20),
        # and too many of them are no mean
        ([paper(1, facet=0.9), paper(2, SILENT)], "facet", 0.5, UNSCORED),
        # one paper of two has it by rule; a mean over that one would cover 1 of 1 papers
        (
            [
                paper(1, faithfulness=1.0, faithfulness_support=1.0),
                pair("moss-02", supported({"Mice slept.": True})).numbers(),
            ],
            "faithfulness.support",
            0.5,
            why_missing("faithfulness.support"),
        ),
    ],
)
def test_a_mean_that_misses_with_answers_missing_is_undecided(
    papers: list[Numbers], name: str, least: float, message: str
) -> None:
    """Worked examples: one unsupported sentence of 25 is .960; (19 + 24/25) / 21 = .95."""
    actual = verdict(papers, (name, least))
    assert outcome(actual) == (
        "failed" if message == "failed" else "error" if message else "passed"
    )
    assert [mean.name for mean in actual.missed] == ([name] if message == "failed" else [])
    assert actual.undecided == (() if message in {"failed", ""} else (message,))


def test_a_mean_that_surely_fails_is_a_failure_beside_one_that_is_open() -> None:
    """What silence leaves open is told all the same."""
    papers = [paper(1, facet=0.9, eva=0.2), paper(2, SILENT, eva=0.2)]
    actual = verdict(papers, ("facet", 0.5), ("eva", 0.3))
    assert ([mean.name for mean in actual.missed], actual.undecided) == (["eva"], (UNSCORED,))
    assert outcome(actual) == "failed"


# Waivers of means

LOW = [paper(1, facet=0.5, eva=0.9), paper(2, facet=0.7, eva=0.9)]
"""Means 0.6 and 0.9."""
LIMITS = (("facet", 0.65), ("eva", 0.4))


def test_a_waiver_of_a_mean_that_is_reached_fails_the_means() -> None:
    """Left in the suite it would cover the next drop; it leaves the other means as they are."""
    waivers = on_day(waiver("eva", paper=ALL_PAPERS))
    actual = verdict(LOW, *LIMITS, waivers=waivers)
    assert [use.state for use in actual.waivers] == ["not needed"]
    assert ([mean.name for mean in actual.missed], len(actual.waiver_faults)) == (["facet"], 1)


def test_a_waiver_of_a_mean_does_not_excuse_papers_without_a_score() -> None:
    """It allows a low mean, and not a mean over the papers that went well."""
    papers = [paper(1, facet=0.5), paper(2, EMPTY)]
    actual = verdict(papers, ("facet", 0.65), waivers=on_day(waiver(paper=ALL_PAPERS)))
    assert ([mean.name for mean in actual.missed], outcome(actual)) == (["facet"], "failed")
    assert [use.state for use in actual.waivers] == ["not judged"]
    # and its bound is for what has to reach the threshold: 29 of .6 and one of .25 are .588
    papers = [*(paper(n, facet=0.6) for n in range(29)), paper(29, EMPTY)]
    for least, state in ((0.588, "in use"), (0.6, "exceeded")):
        waivers = on_day(waiver(paper=ALL_PAPERS, least=least))
        (use,) = verdict(papers, ("facet", 0.65), waivers=waivers).waivers
        assert use.state == state


def test_a_waiver_of_a_mean_that_is_undecided_is_not_judged() -> None:
    """Of 25 one is unsupported and one unanswered: nobody knows whether the waiver is needed."""
    papers, limit = [of_25(1, None, False)], ("faithfulness", 0.93)
    waivers = on_day(waiver("faithfulness", paper=ALL_PAPERS))
    actual = verdict(papers, limit, waivers=waivers)
    assert (outcome(actual), [use.state for use in actual.waivers]) == ("error", ["not judged"])
