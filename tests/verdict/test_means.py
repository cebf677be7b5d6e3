from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import JudgeError, Place
from summeval_pytest.metrics.score import Unscored
from summeval_pytest.run.numbers import Numbers
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import (
    MIN_COVERAGE,
    CorrectedMean,
    SystemMean,
    decide_means,
    mean_of,
)
from summeval_pytest.verdict.thresholds import Threshold, Waivers
from tests.verdict.records import pair, unscored
from tests.verdict.records import supported as supported_of

if TYPE_CHECKING:
    from random import Random

EMPTY = Unscored(metric="facet", status="degenerate_candidate", reason="the summary is empty")
SILENT = Unscored(metric="facet", status="unanswered", reason="the reply was cut off")


def paper(place: int, *unscored: Unscored, **values: float | None) -> Numbers:
    """The numbers of one pair; ``facet_result`` stands for the name with a dot."""
    named = {name.replace("_", ".", 1): value for name, value in values.items()}
    return Numbers(
        paper=f"moss-{place:02}", system="careful", values=named, unscored=unscored, sizes={}
    )


def test_a_mean_is_over_the_papers_that_have_the_number() -> None:
    """Worked example: (0.5 + 1.0) / 2 = 0.75, over 2 of 2 papers."""
    found = mean_of([paper(1, facet=0.5), paper(2, facet=1.0)], Threshold("facet", 0.7))
    assert found == SystemMean(name="facet", value=0.75, least=0.7, n_scored=2, n_papers=2)
    assert found.passes
    assert found.is_covered


def test_a_mean_equal_to_its_threshold_passes_and_one_under_it_does_not() -> None:
    """A threshold is the least that will do."""
    papers = [paper(1, eva=0.5), paper(2, eva=1.0)]
    assert mean_of(papers, Threshold("eva", 0.75)).passes
    assert not mean_of(papers, Threshold("eva", 0.7500001)).passes


@pytest.mark.parametrize("value", [0.7, 0.1, 0.55, 1 / 3])
@pytest.mark.parametrize("n_papers", [3, 7, 10, 49])
def test_papers_that_all_meet_a_threshold_meet_it_on_the_mean(value: float, n_papers: int) -> None:
    """Three times 0.7 is 2.0999999999999996 where a sum is rounded at each step."""
    papers = [paper(n, eva=value) for n in range(n_papers)]
    found = mean_of(papers, Threshold("eva", value))
    assert found.value == value
    assert found.passes


def test_an_unscored_paper_is_neither_zero_nor_left_out_of_the_count() -> None:
    """Zero would blame what was not measured; a mean of fewer papers must say so."""
    found = mean_of([paper(1, facet=0.8), paper(2, EMPTY)], Threshold("facet", 0.5))
    assert found == SystemMean(
        name="facet", value=0.8, least=0.5, n_scored=1, n_papers=2, lowest=0.525
    )
    assert not found.is_covered
    assert not found.passes


def test_a_facet_that_the_reference_lacks_is_not_missing() -> None:
    """The number does not apply to that paper, so the mean need not cover it."""
    papers = [paper(1, facet=0.5, facet_result=3.0), paper(2, facet=0.7)]
    found = mean_of(papers, Threshold("facet.result", 2))
    assert (found.value, found.n_scored, found.n_papers) == (3.0, 1, 1)
    assert found.passes


@pytest.mark.parametrize("n_papers", [0, 1])
def test_a_mean_over_nothing_never_passes(n_papers: int) -> None:
    """A gate that nothing goes through is no gate."""
    papers = [paper(1, EMPTY)] * n_papers
    found = mean_of(papers, Threshold("facet", 0.25))
    assert (found.value, found.n_scored, found.n_papers) == (None, 0, n_papers)
    assert not found.passes


@pytest.mark.parametrize(
    ("n_scored", "n_papers", "is_covered"),
    [(19, 20, True), (18, 20, False), (95, 100, True), (94, 100, False), (18, 19, False)],
)
def test_a_mean_must_cover_95_of_100_papers(n_scored: int, n_papers: int, is_covered: bool) -> None:
    """A system must not reach its mean by failing on the hard papers; 18 / 19 = 0.947."""
    assert MIN_COVERAGE == 0.95
    papers = [paper(n, facet=0.9) for n in range(n_scored)]
    papers += [paper(n, EMPTY) for n in range(n_scored, n_papers)]
    found = mean_of(papers, Threshold("facet", 0.5))
    assert found.is_covered is is_covered
    assert found.passes is is_covered


def test_a_paper_that_the_judge_left_unscored_stops_the_means() -> None:
    """A mean over what a judge happened to answer says more of the judge than of the system."""
    papers = [paper(1, facet=0.9), paper(2, SILENT), paper(3, SILENT, eva=0.5)]
    limits = [Threshold("facet", 0.5), Threshold("facet.result", 2)]
    with pytest.raises(JudgeError) as caught:
        decide_means("careful", papers, limits)
    assert str(caught.value) == (
        "system 'careful' has no means: 2 of 3 papers are unscored, first 'moss-02':"
        " facet: unanswered, the reply was cut off"
    )


@given(
    st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=60),
    st.floats(0, 1),
    st.randoms(use_true_random=False),
)
def test_the_order_of_papers_does_not_matter_and_a_mean_lies_between_its_values(
    values: list[float | None], least: float, random: Random
) -> None:
    """Law: None is a paper without the number; it moves the coverage and never the mean."""
    shuffled = list(values)
    random.shuffle(shuffled)
    one, other = (
        mean_of([paper(n, eva=value) for n, value in enumerate(order)], Threshold("eva", least))
        for order in (values, shuffled)
    )
    counted = [value for value in values if value is not None]
    assert (one.n_scored, one.n_papers) == (len(counted), len(values))
    assert (one.value is None) == (not counted)
    assert one == other
    if one.value is not None:
        assert min(counted) <= one.value <= max(counted)
    if one.passes:
        assert 20 * len(counted) >= 19 * len(values)


def waived(
    finding: str = "facet",
    *,
    paper: str = ALL_PAPERS,
    system: str = "careful",
    least: float | None = None,
    expires: str = "2027-01-31",
) -> Waivers:
    """One waiver on 2027-01-15."""
    waiver = Waiver(
        name="new-papers",
        paper=paper,
        system=system,
        finding=finding,
        least=least,
        owner="ines",
        reason="the new papers are harder",
        expires=expires,
        place=Place("golden/summeval.toml", 30),
    )
    return Waivers(waivers=(waiver,), today="2027-01-15")


LOW = [paper(1, facet=0.5, eva=0.9), paper(2, facet=0.7, eva=0.9)]
"""Means 0.6 and 0.9."""
LIMITS = [Threshold("facet", 0.65), Threshold("eva", 0.4)]


def test_a_waived_mean_is_told_and_misses_nothing() -> None:
    """The mean stands in the verdict as it is; only what follows from it is waived."""
    bare = decide_means("careful", LOW, LIMITS)
    assert ([mean.name for mean in bare.missed], bare.passes) == (["facet"], False)
    verdict = decide_means("careful", LOW, LIMITS, waived())
    assert verdict.means == bare.means
    assert (verdict.missed, verdict.waiver_faults, verdict.passes) == ((), (), True)
    assert [use.state for use in verdict.waivers] == ["in use"]


def test_a_waiver_of_a_mean_does_not_excuse_papers_without_a_score() -> None:
    """It allows a low mean, and not a mean over the papers that went well."""
    papers = [paper(1, facet=0.5), paper(2, EMPTY)]
    verdict = decide_means("careful", papers, [Threshold("facet", 0.65)], waived())
    assert [mean.name for mean in verdict.missed] == ["facet"]
    assert not verdict.passes
    assert [use.state for use in verdict.waivers] == ["not judged"]


def corrected(value: float | None, *floors: Threshold, low: float | None = 0.5) -> CorrectedMean:
    """FM with the judge's error taken out."""
    return CorrectedMean(
        name="facet",
        raw=0.6,
        value=value,
        low=low,
        high=None if low is None else 0.8,
        n_golden=4,
        n_papers=2,
        floors=floors,
    )


FLOOR = Threshold(name="facet", least=0.65, bound="point")


def test_a_corrected_mean_decides_beside_the_raw_one() -> None:
    """The judge is generous: its own mean of 0.6 reaches 0.55, what people would say does not."""
    limits = [Threshold("facet", 0.55)]
    for value, passes in ((0.65, True), (0.64, False)):
        found = corrected(value, FLOOR)
        verdict = decide_means("careful", LOW, limits, corrected=(found,))
        assert verdict.corrected == (found,)
        assert (verdict.missed, verdict.passes) == ((), passes)
    harsh = decide_means("careful", LOW, [Threshold("facet", 0.61)], corrected=(corrected(0.9),))
    assert not harsh.passes


def test_a_corrected_mean_without_a_threshold_decides_nothing() -> None:
    """It is shown, however low it is; also where nobody can tell it."""
    for found in (corrected(0.1), corrected(None, low=None)):
        assert decide_means("careful", LOW, [], corrected=(found,)).passes


def test_a_waiver_of_the_raw_mean_does_not_cover_the_corrected_one() -> None:
    """Whoever allowed a low mean did not say that labels are to be wrong about it."""
    verdict = decide_means("careful", LOW, LIMITS, waived(), (corrected(0.6, FLOOR),))
    assert verdict.missed == ()
    assert not verdict.passes


def test_a_mean_support_that_only_copied_summaries_have_is_none() -> None:
    """One paper of two has it by rule; a mean over that one would cover 1 of 1 papers and pass."""
    papers = [
        paper(1, faithfulness=1.0, faithfulness_support=1.0),
        paper(2, faithfulness=1.0),
    ]
    with pytest.raises(JudgeError, match="paper 'moss-02', system 'careful' has no faithfulness"):
        decide_means("careful", papers, [Threshold("faithfulness.support", 0.5)])
    assert decide_means("careful", papers, [Threshold("faithfulness", 0.5)]).passes
    assert decide_means("careful", papers[:1], [Threshold("faithfulness.support", 0.5)]).passes


def of_25(place: int, *supported: bool | None) -> Numbers:
    """The numbers of a summary of 25 sentences, of which the others are supported."""
    said: dict[str, bool | None] = {f"s{n}": True for n in range(25 - len(supported))}
    said |= {f"odd {n}": holds for n, holds in enumerate(supported)}
    return pair(f"moss-{place:02}", supported_of(said)).numbers()


def test_a_mean_that_only_silence_lifts_is_the_judges_fault() -> None:
    """Worked example: the one unsupported sentence of 25 is never answered: .960 looks like 1."""
    limit = [Threshold("faithfulness", 0.97)]
    assert not decide_means("careful", [of_25(1, False)], limit).passes
    with pytest.raises(JudgeError) as caught:
        decide_means("careful", [of_25(1, None)], limit)
    assert str(caught.value) == (
        "system 'careful' is undecided: mean faithfulness 1.000 meets 0.97, and would be 0.960 if"
        " what the judge left unanswered were wrong"
    )
    assert decide_means("careful", [of_25(1, None)], [Threshold("faithfulness", 0.96)]).passes


def test_a_waiver_that_only_silence_keeps_is_the_judges_fault() -> None:
    """Of 25 one is unsupported and one unanswered: .958 is above the waiver's .95, .92 is not."""
    papers, limit = [of_25(1, None, False)], [Threshold("faithfulness", 0.97)]
    with pytest.raises(JudgeError, match=r"mean faithfulness 0.958 meets 0.95, and would be 0.920"):
        decide_means("careful", papers, limit, waived("faithfulness", least=0.95))
    assert decide_means("careful", papers, limit, waived("faithfulness", least=0.92)).passes


@pytest.mark.parametrize(("least", "passes"), [(0.77, True), (0.79, False)])
def test_a_mean_has_to_pass_with_the_lowest_score_for_a_paper_without_one(
    least: float, *, passes: bool
) -> None:
    """Worked example: 29 papers at .8 and a refused one at .25 make .7817; .8 alone would pass."""
    papers = [*(paper(n, facet=0.8) for n in range(29)), paper(29, EMPTY)]
    (mean,) = decide_means("careful", papers, [Threshold("facet", least)]).means
    assert (mean.value, mean.is_covered, mean.passes) == (0.8, True, passes)
    assert mean.lowest == pytest.approx(23.45 / 30)
    assert mean.held == (mean.lowest if least <= 0.8 else mean.value)


def test_a_mean_that_silence_lifts_beside_a_refused_paper_is_the_judges_fault() -> None:
    """(19 + 24/25) / 21 = .95: neither the refusal nor the silence alone is under .951."""
    full, limit = [of_25(n) for n in range(19)], [Threshold("faithfulness", 0.951)]
    refused = pair("moss-20", unscored("faithfulness")).numbers()
    assert decide_means("careful", [*full, of_25(19), refused], limit).passes
    assert decide_means("careful", [*full, of_25(19, None)], limit).passes
    with pytest.raises(JudgeError, match=r"faithfulness 0.952 meets 0.951, and would be 0.950"):
        decide_means("careful", [*full, of_25(19, None), refused], limit)


def test_a_corrected_mean_that_only_silence_lifts_is_the_judges_fault() -> None:
    """Also where only the bound of its interval is held."""
    worst = corrected(0.6, low=0.4)
    for floor in (FLOOR, Threshold(name="facet", least=0.45, bound="lower")):
        found = replace(corrected(0.65, floor), worst=worst)
        with pytest.raises(JudgeError, match=f"undecided: corrected mean {floor.title} 0.* meets"):
            decide_means("careful", LOW, [], corrected=(found,))
        held = replace(corrected(0.65, replace(floor, least=0.4)), worst=worst)
        assert decide_means("careful", LOW, [], corrected=(held,)).passes


def test_a_mean_of_conflicts_is_held_from_above() -> None:
    """Worked example: (0 + 1) / 2 = .5 is at most .5, and more than .4; a refusal is no zero."""
    papers = [paper(n, faithfulness=1.0, faithfulness_conflicts=float(n)) for n in range(2)]
    for most, passes in ((0.5, True), (0.4, False)):
        (mean,) = decide_means("careful", papers, [Threshold("faithfulness.conflicts", most)]).means
        assert (mean.value, mean.passes) == (0.5, passes)
    many = [paper(n, faithfulness=1.0, faithfulness_conflicts=0.0) for n in range(29)]
    refused = pair("moss-29", unscored("faithfulness")).numbers()
    verdict = decide_means("careful", [*many, refused], [Threshold("faithfulness.conflicts", 0)])
    assert not verdict.passes
