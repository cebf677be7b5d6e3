from __future__ import annotations

from dataclasses import replace
from math import nextafter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summeval_pytest.errors import JudgeError, Place
from summeval_pytest.metrics.score import (
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.run.pair_numbers import MIN_COVERAGE, Numbers, numbers_of
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.corrected import CorrectedMean
from summeval_pytest.verdict.decide import Shortfall, SystemMean, decide, decide_means, mean_of
from summeval_pytest.verdict.thresholds import Threshold, Waivers
from tests.verdict.records import believed, faithful, pair, supported, unscored

if TYPE_CHECKING:
    from random import Random

    from summeval_pytest.metrics.score import Score


def facets(value: float, **ratings: int) -> FacetScore:
    """FM with its ratings."""
    rated = (
        RatedFacet(facet=facet, rating=rating, reason="", reference="Moss.", candidate="Moss.")  # type: ignore[arg-type]  # the tests name facets
        for facet, rating in ratings.items()
    )
    return FacetScore(value=value, ratings=tuple(rated))


def facts(value: float, precision: float | None, recall: float) -> EvaScore:
    """EVA-Score."""
    return EvaScore(value=value, precision=precision, recall=recall, recall_entailed=recall)


def numbers(*scores: Score | Unscored) -> Numbers:
    """The numbers of a pair with these scores."""
    return numbers_of("moss-01", "careful", "The moss stayed dry.", scores)


def waiver(
    finding: str = "facet",
    *,
    paper: str = "moss-01",
    least: float | None = None,
    expires: str = "2027-01-31",
) -> Waiver:
    """A waiver of one number; today is 2027-01-15."""
    return Waiver(
        name=f"{finding}-of-{paper}",
        paper=paper,
        system="careful",
        finding=finding,
        least=least,
        owner="ines",
        reason="the reference is being mended",
        expires=expires,
        place=Place("golden/summeval.toml", 30),
    )


def held(*waivers: Waiver) -> Waivers:
    """These waivers on 2027-01-15."""
    return Waivers(waivers=waivers, today="2027-01-15")


def waived(
    finding: str = "facet", *, least: float | None = None, expires: str = "2027-01-31"
) -> Waivers:
    """A waiver of a mean."""
    return held(waiver(finding, paper=ALL_PAPERS, least=least, expires=expires))


# Pairs


def test_a_value_equal_to_its_threshold_passes() -> None:
    """A threshold is the least that will do."""
    limit = [Threshold("facet", 0.55)]
    assert decide(numbers(facets(0.55)), limit).passes
    under = nextafter(0.55, 0)
    verdict = decide(numbers(facets(under)), limit)
    assert not verdict.passes
    assert verdict.shortfalls == (Shortfall(name="facet", value=under, least=0.55),)


def test_every_number_under_its_threshold_is_listed() -> None:
    """A team that mends the first and runs again learns of the second a day later.

    A facet that the reference lacks is not held: nobody could be blamed for leaving it out.
    """
    verdict = decide(
        numbers(facets(0.4, method=1, result=2, conclusion=3), facts(0.2, 0.5, 0.1), faithful(0.5)),
        [
            Threshold("facet", 0.55),
            Threshold("facet.background", 2),
            Threshold("facet.method", 2),
            Threshold("facet.result", 2),
            Threshold("facet.conclusion", 3),
            Threshold("eva.precision", 0.3),
            Threshold("eva.recall", 0.3),
            Threshold("faithfulness", 0.9),
        ],
    )
    assert verdict.shortfalls == (
        Shortfall(name="facet", value=0.4, least=0.55),
        Shortfall(name="facet.method", value=1, least=2),
        Shortfall(name="eva.recall", value=0.1, least=0.3),
        Shortfall(name="faithfulness", value=0.5, least=0.9),
    )


def test_a_summary_that_states_nothing_is_under_every_threshold() -> None:
    """Without facts there is no precision, and absence must not pass for it: not even at 0."""
    verdict = decide(numbers(facts(0.0, None, 0.0)), [Threshold("eva.precision", 0.0)])
    assert verdict.shortfalls == (Shortfall(name="eva.precision", value=None, least=0.0),)
    assert not verdict.passes


@pytest.mark.parametrize("status", ["degenerate_candidate", "refused_candidate"])
def test_a_summary_that_the_system_left_unscored_fails(status: str) -> None:
    """An empty summary is the system's fault: red, with the reason and without a number.

    A waiver allows a low number and not none; whether it is needed then, nobody knows.
    """
    lack = unscored("eva", status)
    limits = [Threshold("facet", 0.5), Threshold("eva", 0)]
    verdict = decide(numbers(facets(0.9), lack), limits, held(waiver("eva")))
    assert (verdict.shortfalls, verdict.lacking, verdict.missed) == ((), (lack,), frozenset())
    assert ([use.state for use in verdict.waivers], verdict.waiver_faults) == (["not judged"], ())
    assert not verdict.passes


@pytest.mark.parametrize(
    ("scores", "told"),
    [
        (
            (
                Unscored(metric="facet", status="unanswered", reason="the reply was cut off"),
                facts(0.9, 0.9, 0.9),
                Unscored(metric="faithfulness", status="unanswered", reason="2 of 9 sentences"),
            ),
            "facet: unanswered, the reply was cut off; faithfulness: unanswered, 2 of 9 sentences",
        ),
        (
            (
                unscored("facet"),
                Unscored(metric="eva", status="skipped_no_reference", reason="no fact is stated"),
            ),
            "eva: skipped_no_reference, no fact is stated",
        ),
    ],
    ids=["silent", "silent beside a refusal"],
)
def test_a_pair_that_the_judge_left_unscored_is_not_decided(
    scores: tuple[Score | Unscored, ...], told: str
) -> None:
    """It neither passes nor fails nor is waived: the judge has to answer first."""
    with pytest.raises(JudgeError) as caught:
        decide(numbers(*scores), [Threshold("eva", 0.3)], held(waiver("eva")))
    assert str(caught.value) == f"paper 'moss-01', system 'careful' is unscored: {told}"


@pytest.mark.parametrize("name", ["eva", "eva.recall"])
def test_a_threshold_of_a_metric_that_was_not_measured_is_no_pass(name: str) -> None:
    """Skipping it in silence would turn a gate green that nobody held."""
    with pytest.raises(KeyError, match="eva"):
        decide(numbers(facets(1.0)), (Threshold(name, 0.3),))


def test_a_missing_mean_support_is_the_judges_fault() -> None:
    """Not a pass, as a facet that does not apply is, and not under the threshold either."""
    limit = [Threshold("faithfulness.support", 0.0)]
    with pytest.raises(JudgeError) as caught:
        decide(numbers(faithful(1.0)), limit)
    assert str(caught.value) == (
        "paper 'moss-01', system 'careful' has no faithfulness.support: the judge did not say of"
        " every sentence how far it is supported; use --summ-judge=offline or --summ-votes=3, hold"
        " faithfulness in its place, or remove the threshold"
    )
    refused = unscored("faithfulness")
    assert decide(numbers(refused), limit).lacking == (refused,)


def conflicting(n: int, *, n_open: int = 0) -> FaithfulnessScore:
    """Twenty supported sentences, of which so many state a wrong number, and so many open ones."""
    sentences = tuple(
        JudgedSentence(
            index=place,
            text=f"s{place}",
            supported=None if place < n_open else True,
            reason="",
            number_conflict=place >= 20 - n,
        )
        for place in range(20)
    )
    return FaithfulnessScore(value=1.0, sentences=sentences, conflicts=n)


def test_what_only_silence_meets_is_the_judges_fault() -> None:
    """Worked examples: an open sentence may be a conflict; .8 of one is .4 if the other has 0."""
    at_most = Threshold("faithfulness.conflicts", 0)
    told = "faithfulness.conflicts 0.000 meets 0 at most, and would be 1.000 if what the judge left"
    with pytest.raises(JudgeError, match=told):
        decide(numbers(conflicting(0, n_open=1)), [at_most])
    assert not decide(numbers(conflicting(1, n_open=1)), [at_most]).passes

    score = believed(0.8)
    silent = replace(score.sentences[0], supported=None, support=None)
    found = numbers(replace(score, sentences=(*score.sentences, silent)))
    told = r"faithfulness\.support 0\.800 meets 0\.5, and would be 0\.4"
    with pytest.raises(JudgeError, match=told):
        decide(found, [Threshold("faithfulness.support", 0.5)])
    assert decide(found, [Threshold("faithfulness.support", 0.4)]).passes
    assert decide(found, [Threshold("faithfulness.support", 0.9)]).shortfalls


# Waivers of pairs

LIMIT = [Threshold("facet", 0.55)]
SHORT = facets(0.5, result=2)
FACET = Shortfall(name="facet", value=0.5, least=0.55)
RESULT = Shortfall(name="facet.result", value=2, least=3)


def test_a_pair_passes_only_through_a_waiver_of_all_that_it_misses() -> None:
    """A waiver is for one number; what else falls short is still seen."""
    scored, limits = numbers(SHORT, facts(0.9, 0.9, 0.9)), [*LIMIT, Threshold("facet.result", 3)]
    bare = decide(scored, limits)
    assert (bare.passes, bare.shortfalls, bare.waived) == (False, (FACET, RESULT), ())
    half = decide(scored, limits, held(waiver("facet.result")))
    assert (half.passes, half.shortfalls, half.waived) == (False, (FACET,), (RESULT,))
    assert half.missed == {"facet"}
    whole = decide(scored, limits, held(waiver("facet.result"), waiver("facet")))
    assert (whole.passes, whole.shortfalls, whole.waived) == (True, (), (FACET, RESULT))
    assert [(use.waiver.finding, use.state) for use in whole.waivers] == [
        ("facet.result", "in use"),
        ("facet", "in use"),
    ]


@pytest.mark.parametrize("expires", ["2027-01-31", "2027-01-14"])
def test_a_waiver_that_nothing_needs_fails_a_pair_that_meets_everything(expires: str) -> None:
    """Left in the suite it would cover the next drop; expired or not, it has to go."""
    verdict = decide(numbers(facets(0.9)), LIMIT, held(waiver(expires=expires)))
    assert (verdict.shortfalls, verdict.lacking, verdict.waived) == ((), (), ())
    assert (len(verdict.waiver_faults), verdict.passes) == (1, False)


# Means

EMPTY = Unscored(metric="facet", status="degenerate_candidate", reason="the summary is empty")
SILENT = Unscored(metric="facet", status="unanswered", reason="the reply was cut off")


def paper(place: int, *unscored: Unscored, **values: float | None) -> Numbers:
    """The numbers of one pair; ``facet_result`` stands for the name with a dot."""
    named = {name.replace("_", ".", 1): value for name, value in values.items()}
    return Numbers(
        paper=f"moss-{place:02}", system="careful", values=named, unscored=unscored, sizes={}
    )


@pytest.mark.parametrize(
    ("papers", "expected"),
    [
        (  # (0.5 + 1.0) / 2 = 0.75
            [paper(1, facet=0.5), paper(2, facet=1.0)],
            SystemMean(name="facet", value=0.75, least=0.5, n_scored=2, n_papers=2),
        ),
        (  # (0.8 + 0.25) / 2 = 0.525 at the lowest
            [paper(1, facet=0.8), paper(2, EMPTY)],
            SystemMean(name="facet", value=0.8, least=0.5, n_scored=1, n_papers=2, lowest=0.525),
        ),
        ([], SystemMean(name="facet", value=None, least=0.5, n_scored=0, n_papers=0)),
        (
            [paper(1, EMPTY)],
            SystemMean(name="facet", value=None, least=0.5, n_scored=0, n_papers=1, lowest=0.25),
        ),
    ],
    ids=["two", "one of two", "no paper", "none of one"],
)
def test_a_mean_is_over_the_papers_that_have_the_number(
    papers: list[Numbers], expected: SystemMean
) -> None:
    """An unscored paper is neither zero nor left out of the count; a mean over nothing fails."""
    found = mean_of(papers, Threshold("facet", 0.5))
    assert found == expected
    assert found.passes is (found.n_scored == 2)


@pytest.mark.parametrize(
    ("n_scored", "n_papers", "is_covered"),
    [(19, 20, True), (18, 20, False), (95, 100, True), (94, 100, False), (18, 19, False)],
)
def test_a_mean_must_cover_95_of_100_papers(n_scored: int, n_papers: int, is_covered: bool) -> None:
    """A system must not reach its mean by failing on the hard papers; 18 / 19 = 0.947."""
    assert MIN_COVERAGE == 0.95
    papers = [paper(n, facet=0.9) for n in range(n_scored)]
    papers += [paper(n, EMPTY) for n in range(n_scored, n_papers)]
    verdict = decide_means("careful", papers, [Threshold("facet", 0.5)])
    assert [mean.is_covered for mean in verdict.means] == [is_covered]
    assert (verdict.passes, bool(verdict.missed)) == (is_covered, not is_covered)


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


@pytest.mark.parametrize(("least", "passes"), [(0.77, True), (0.79, False)])
def test_a_mean_has_to_pass_with_the_lowest_score_for_a_paper_without_one(
    least: float, *, passes: bool
) -> None:
    """Worked example: 29 papers at .8 and a refused one at .25 make .7817; .8 alone would pass."""
    papers = [*(paper(n, facet=0.8) for n in range(29)), paper(29, EMPTY)]
    (mean,) = decide_means("careful", papers, [Threshold("facet", least)]).means
    assert (mean.value, mean.is_covered, mean.passes) == (0.8, True, passes)
    assert mean.lowest == pytest.approx(23.45 / 30)
    assert mean.held == mean.lowest


def test_the_mean_of_a_count_has_to_cover_every_paper() -> None:
    """A count has no worst value to stand for a paper without one, and a waiver is for a number."""
    counted = [paper(n, faithfulness_conflicts=0.0) for n in range(29)]
    limits = [Threshold("faithfulness.conflicts", 0)]
    assert decide_means("careful", counted, limits).passes
    for lack in (paper(29, unscored("faithfulness")), paper(29, faithfulness_conflicts=None)):
        verdict = decide_means(
            "careful", [*counted, lack], limits, waived("faithfulness.conflicts")
        )
        (mean,) = verdict.missed
        assert (mean.value, mean.lowest, mean.n_scored, mean.n_papers) == (0.0, None, 29, 30)
        assert [use.state for use in verdict.waivers] == ["not judged"]
    elsewhere = [*counted, paper(29, faithfulness=1.0)]  # does not apply there
    assert decide_means("careful", elsewhere, limits).passes


def test_a_mean_support_that_only_copied_summaries_have_is_none() -> None:
    """One paper of two has it by rule; a mean over that one would cover 1 of 1 papers and pass."""
    papers = [paper(1, faithfulness=1.0, faithfulness_support=1.0), paper(2, faithfulness=1.0)]
    with pytest.raises(JudgeError, match="paper 'moss-02', system 'careful' has no faithfulness"):
        decide_means("careful", papers, [Threshold("faithfulness.support", 0.5)])
    assert decide_means("careful", papers, [Threshold("faithfulness", 0.5)]).passes
    assert decide_means("careful", papers[:1], [Threshold("faithfulness.support", 0.5)]).passes


def of_25(place: int, *odd: bool | None) -> Numbers:
    """The numbers of a summary of 25 sentences, of which the others are supported."""
    said: dict[str, bool | None] = {f"s{n}": True for n in range(25 - len(odd))}
    said |= {f"odd {n}": holds for n, holds in enumerate(odd)}
    return pair(f"moss-{place:02}", supported(said)).numbers()


FULL = [of_25(n) for n in range(19)]
NO_SENTENCES = pair("moss-20", unscored("faithfulness")).numbers()


@pytest.mark.parametrize(
    ("papers", "least", "told"),
    [
        ([of_25(1, False)], 0.97, "missed"),
        ([of_25(1, None)], 0.97, "mean faithfulness 1.000 meets 0.97, and would be 0.960 if what"),
        ([of_25(1, None)], 0.96, ""),
        ([of_25(1, None, False)], 0.97, "missed"),
        ([*FULL, of_25(19), NO_SENTENCES], 0.951, ""),
        ([*FULL, of_25(19, None)], 0.951, ""),
        (
            [*FULL, of_25(19, None), NO_SENTENCES],
            0.951,
            "mean faithfulness 0.952 meets 0.951, and would be 0.950 if what the judge left",
        ),
    ],
)
def test_a_mean_that_only_silence_lifts_is_the_judges_fault(
    papers: list[Numbers], least: float, told: str
) -> None:
    """Worked examples: one unsupported sentence of 25 is .960; (19 + 24/25) / 21 = .95.

    What falls short in any case is the system's fault: silence does not excuse it.
    """
    limit = [Threshold("faithfulness", least)]
    if told in {"", "missed"}:
        verdict = decide_means("careful", papers, limit)
        assert [mean.name for mean in verdict.missed] == (["faithfulness"] if told else [])
        return
    with pytest.raises(JudgeError) as caught:
        decide_means("careful", papers, limit)
    assert str(caught.value).startswith(f"system 'careful' is undecided: {told}")


# Waivers of means

LOW = [paper(1, facet=0.5, eva=0.9), paper(2, facet=0.7, eva=0.9)]
"""Means 0.6 and 0.9."""
MEAN_LIMITS = [Threshold("facet", 0.65), Threshold("eva", 0.4)]


@pytest.mark.parametrize(
    ("waivers", "state"),
    [
        (waived(), "in use"),
        (waived(least=0.6), "in use"),
        (waived(least=0.61), "exceeded"),
        (waived(expires="2027-01-14"), "expired"),
    ],
)
def test_a_waived_mean_is_told_and_misses_nothing(waivers: Waivers, state: str) -> None:
    """The mean stands in the verdict as it is; only what follows from it is waived."""
    bare = decide_means("careful", LOW, MEAN_LIMITS)
    assert ([mean.name for mean in bare.missed], bare.passes) == (["facet"], False)
    verdict = decide_means("careful", LOW, MEAN_LIMITS, waivers)
    assert verdict.means == bare.means
    assert [use.state for use in verdict.waivers] == [state]
    is_covered = state == "in use"
    assert (not verdict.missed, not verdict.waiver_faults) == (is_covered, is_covered)
    assert verdict.passes is is_covered


def test_a_waiver_of_a_mean_that_is_reached_fails_the_means() -> None:
    """Left in the suite it would cover the next drop; it leaves the other means as they are."""
    verdict = decide_means("careful", LOW, MEAN_LIMITS, waived("eva"))
    assert [use.state for use in verdict.waivers] == ["not needed"]
    assert [mean.name for mean in verdict.missed] == ["facet"]
    verdict = decide_means("careful", LOW, MEAN_LIMITS[1:], waived("eva"))
    assert (verdict.missed, len(verdict.waiver_faults), verdict.passes) == ((), 1, False)


def test_a_waiver_of_a_mean_does_not_excuse_papers_without_a_score() -> None:
    """It allows a low mean, and not a mean over the papers that went well."""
    papers = [paper(1, facet=0.5), paper(2, EMPTY)]
    verdict = decide_means("careful", papers, [Threshold("facet", 0.65)], waived())
    assert [mean.name for mean in verdict.missed] == ["facet"]
    assert not verdict.passes
    assert [use.state for use in verdict.waivers] == ["not judged"]


def test_a_waiver_that_only_silence_keeps_is_the_judges_fault() -> None:
    """Of 25 one is unsupported and one unanswered: .958 is above the waiver's .95, .92 is not."""
    papers, limit = [of_25(1, None, False)], [Threshold("faithfulness", 0.97)]
    with pytest.raises(JudgeError, match=r"mean faithfulness 0.958 meets 0.95, and would be 0.920"):
        decide_means("careful", papers, limit, waived("faithfulness", least=0.95))
    assert decide_means("careful", papers, limit, waived("faithfulness", least=0.92)).passes


# Corrected means beside the others


def corrected(value: float, *floors: Threshold, low: float = 0.5) -> CorrectedMean:
    """FM with the judge's error taken out, on both papers of two."""
    return CorrectedMean(
        name="facet",
        raw=0.6,
        value=value,
        low=low,
        high=0.8,
        n_golden=4,
        n_papers=2,
        floors=floors,
        n_scored=2,
        n_of=2,
    )


FLOOR = Threshold(name="facet", least=0.65, bound="point")


def test_a_corrected_mean_decides_beside_the_raw_one() -> None:
    """The judge is generous: its own mean of 0.6 reaches 0.55, what people would say does not.

    Whoever waived a low mean did not say that labels are to be wrong about it.
    """
    for value, passes in ((0.65, True), (0.64, False)):
        found = corrected(value, FLOOR)
        verdict = decide_means("careful", LOW, LIMIT, corrected=(found,))
        assert verdict.corrected == (found,)
        assert (verdict.missed, verdict.passes) == ((), passes)
    raw = [Threshold("facet", 0.61)]
    assert not decide_means("careful", LOW, raw, corrected=(corrected(0.9),)).passes
    covered = decide_means("careful", LOW, MEAN_LIMITS, waived(), (corrected(0.6, FLOOR),))
    assert (covered.missed, covered.passes) == ((), False)


def test_a_corrected_mean_that_only_silence_lifts_is_the_judges_fault() -> None:
    """Also where only the bound of its interval is held."""
    worst = corrected(0.6, low=0.4)
    for floor in (FLOOR, Threshold(name="facet", least=0.45, bound="lower")):
        found = replace(corrected(0.65, floor), worst=worst)
        with pytest.raises(JudgeError, match=f"undecided: corrected mean {floor.title} 0.* meets"):
            decide_means("careful", LOW, [], corrected=(found,))
        held = replace(corrected(0.65, replace(floor, least=0.4)), worst=worst)
        assert decide_means("careful", LOW, [], corrected=(held,)).passes
