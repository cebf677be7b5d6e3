from __future__ import annotations

from dataclasses import replace
from math import nextafter, sqrt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from summeval_pytest.errors import JudgeError, Place
from summeval_pytest.metrics.score import (
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.run.numbers import MIN_COVERAGE, Numbers, numbers_of
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.corrected import CorrectedMean, corrected_means
from summeval_pytest.verdict.decide import Shortfall, SystemMean, decide, decide_means, mean_of
from summeval_pytest.verdict.thresholds import Threshold, Waivers
from tests.verdict.golden_answers import answered, filled, golden, pairs
from tests.verdict.records import believed, pair, unscored
from tests.verdict.records import supported as supported_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from summeval_pytest.metrics.score import Score
    from summeval_pytest.questions import Facet
    from summeval_pytest.run.golden import GoldenPair, Kind
    from summeval_pytest.verdict.thresholds import Bound


def rated(facet: Facet, rating: int) -> RatedFacet:
    """A facet with its rating."""
    return RatedFacet(facet=facet, rating=rating, reason="", reference="Moss.", candidate="Moss.")


def facets(value: float, *ratings: RatedFacet) -> FacetScore:
    """FM with its ratings."""
    return FacetScore(value=value, ratings=ratings)


def facts(value: float, precision: float | None, recall: float) -> EvaScore:
    """EVA-Score."""
    return EvaScore(value=value, precision=precision, recall=recall, recall_entailed=recall)


def faithful(value: float) -> FaithfulnessScore:
    """Faithfulness."""
    return FaithfulnessScore(value=value, sentences=())


def numbers(*scores: Score | Unscored) -> Numbers:
    """The numbers of a pair with these scores."""
    return numbers_of("moss-01", "careful", "The moss stayed dry.", scores)


def waiver(
    finding: str,
    *,
    paper: str = "moss-01",
    system: str = "careful",
    least: float | None = None,
    expires: str = "2027-01-31",
) -> Waiver:
    """A waiver of one number; today is 2027-01-15."""
    return Waiver(
        name=f"{finding}-of-{paper}",
        paper=paper,
        system=system,
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


def test_a_value_equal_to_its_threshold_passes() -> None:
    """A threshold is the least that will do."""
    limit = [Threshold("facet", 0.55)]
    assert decide(numbers(facets(0.55)), limit).passes
    under = nextafter(0.55, 0)
    verdict = decide(numbers(facets(under)), limit)
    assert not verdict.passes
    assert verdict.shortfalls == (Shortfall(name="facet", value=under, least=0.55),)


def test_every_number_under_its_threshold_is_listed() -> None:
    """A team that mends the first and runs again learns of the second a day later."""
    verdict = decide(
        numbers(
            facets(0.4, rated("method", 1), rated("result", 2), rated("conclusion", 3)),
            facts(0.2, 0.5, 0.1),
            faithful(0.5),
        ),
        [
            Threshold("facet", 0.55),
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


def test_a_facet_that_the_reference_lacks_is_not_held() -> None:
    """No summary could be blamed for leaving out what the reference does not say."""
    limits = [Threshold("facet.conclusion", 2), Threshold("facet.result", 2)]
    assert decide(numbers(facets(0.7, rated("result", 3))), limits).passes


@pytest.mark.parametrize("status", ["degenerate_candidate", "refused_candidate"])
def test_a_summary_that_the_system_left_unscored_fails(status: str) -> None:
    """An empty summary is the system's fault: red, with the reason and without a number."""
    lack = Unscored(metric="eva", status=status, reason="the system refused")  # type: ignore[arg-type]  # parametrized over a literal
    verdict = decide(numbers(facets(0.9), lack), [Threshold("facet", 0.5), Threshold("eva", 0)])
    assert not verdict.passes
    assert (verdict.shortfalls, verdict.lacking, verdict.missed) == ((), (lack,), frozenset())


def test_a_pair_that_the_judge_left_unscored_is_not_decided() -> None:
    """It neither passes nor fails: the judge has to answer first."""
    scores = (
        Unscored(metric="facet", status="unanswered", reason="the reply was cut off"),
        facts(0.9, 0.9, 0.9),
        Unscored(metric="faithfulness", status="unanswered", reason="2 of 9 sentences unanswered"),
    )
    with pytest.raises(JudgeError) as caught:
        decide(numbers(*scores), [Threshold("eva", 0.3)])
    assert str(caught.value) == (
        "paper 'moss-01', system 'careful' is unscored: facet: unanswered, the reply was cut off;"
        " faithfulness: unanswered, 2 of 9 sentences unanswered"
    )


def test_a_threshold_of_a_metric_that_was_not_measured_is_no_pass() -> None:
    """Skipping it in silence would turn a gate green that nobody held."""
    with pytest.raises(KeyError, match="eva"):
        decide(numbers(facets(1.0)), (Threshold("eva", 0.3),))
    with pytest.raises(KeyError, match="eva"):
        decide(numbers(facets(1.0)), (Threshold("eva.recall", 0.3),))


LIMITS = [Threshold("facet", 0.55), Threshold("facet.result", 3), Threshold("eva", 0.3)]
SHORT = facets(0.5, rated("result", 2))
FACET = Shortfall(name="facet", value=0.5, least=0.55)
RESULT = Shortfall(name="facet.result", value=2, least=3)


def test_a_pair_passes_only_through_a_waiver_of_all_that_it_misses() -> None:
    """A waiver is for one number; what else falls short is still seen."""
    scored = numbers(SHORT, facts(0.9, 0.9, 0.9))
    bare = decide(scored, LIMITS)
    assert (bare.passes, bare.shortfalls, bare.waived) == (False, (FACET, RESULT), ())
    half = decide(scored, LIMITS, held(waiver("facet.result")))
    assert (half.passes, half.shortfalls, half.waived) == (False, (FACET,), (RESULT,))
    assert half.missed == {"facet"}
    whole = decide(scored, LIMITS, held(waiver("facet.result"), waiver("facet")))
    assert (whole.passes, whole.shortfalls, whole.waived) == (True, (), (FACET, RESULT))
    assert whole.missed == frozenset()
    assert [(use.waiver.finding, use.state) for use in whole.waivers] == [
        ("facet.result", "in use"),
        ("facet", "in use"),
    ]


@pytest.mark.parametrize("expires", ["2027-01-31", "2027-01-14"])
def test_a_waiver_that_nothing_needs_fails_a_pair_that_meets_everything(expires: str) -> None:
    """Left in the suite it would cover the next drop; expired or not, it has to go."""
    verdict = decide(
        numbers(facets(0.9)), [Threshold("facet", 0.55)], held(waiver("facet", expires=expires))
    )
    assert (verdict.shortfalls, verdict.lacking, verdict.waived) == ((), (), ())
    assert len(verdict.waiver_faults) == 1
    assert not verdict.passes


def test_a_missing_mean_support_is_the_judges_fault() -> None:
    """Not a pass, as a facet that does not apply is, and not under the threshold either."""
    held = [Threshold("faithfulness.support", 0.0)]
    with pytest.raises(JudgeError) as caught:
        decide(numbers(faithful(1.0)), held)
    assert str(caught.value) == (
        "paper 'moss-01', system 'careful' has no faithfulness.support: the judge did not say of"
        " every sentence how far it is supported; use --summ-judge=offline or --summ-votes=3, hold"
        " faithfulness in its place, or remove the threshold"
    )
    refused = Unscored(metric="faithfulness", status="refused_candidate", reason="it declined")
    assert decide(numbers(refused), held).lacking == (refused,)


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


AT_MOST = Threshold("faithfulness.conflicts", 0)


def test_an_unanswered_sentence_may_be_the_conflict() -> None:
    """Nobody knows whether its figures are right: the judge's fault."""
    told = "faithfulness.conflicts 0.000 meets 0 at most, and would be 1.000 if what the judge left"
    with pytest.raises(JudgeError, match=told):
        decide(numbers(conflicting(0, n_open=1)), [AT_MOST])
    assert not decide(numbers(conflicting(1, n_open=1)), [AT_MOST]).passes


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


def test_an_unscored_paper_is_neither_zero_nor_left_out_of_the_count() -> None:
    """Zero would blame what was not measured; a mean of fewer papers must say so."""
    found = mean_of([paper(1, facet=0.8), paper(2, EMPTY)], Threshold("facet", 0.5))
    assert found == SystemMean(
        name="facet", value=0.8, least=0.5, n_scored=1, n_papers=2, lowest=0.525
    )
    assert not found.is_covered
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
MEAN_LIMITS = [Threshold("facet", 0.65), Threshold("eva", 0.4)]


def test_a_waived_mean_is_told_and_misses_nothing() -> None:
    """The mean stands in the verdict as it is; only what follows from it is waived."""
    bare = decide_means("careful", LOW, MEAN_LIMITS)
    assert ([mean.name for mean in bare.missed], bare.passes) == (["facet"], False)
    verdict = decide_means("careful", LOW, MEAN_LIMITS, waived())
    assert verdict.means == bare.means
    assert (verdict.missed, verdict.waiver_faults, verdict.passes) == ((), (), True)
    assert [use.state for use in verdict.waivers] == ["in use"]


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


def test_a_waiver_of_the_raw_mean_does_not_cover_the_corrected_one() -> None:
    """Whoever allowed a low mean did not say that labels are to be wrong about it."""
    verdict = decide_means("careful", LOW, MEAN_LIMITS, waived(), (corrected(0.6, FLOOR),))
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


LACKING = Unscored(metric="facet", status="refused_candidate", reason="it declined")


def judged_paper(
    place: int, *, right: int = 0, n_sentences: int = 0, **values: float | None
) -> Numbers:
    """The numbers of one pair; ``facet_result`` stands for the name with a dot."""
    return Numbers(
        paper=f"moss-{place}",
        system="careful",
        values={name.replace("_", ".", 1): value for name, value in values.items()},
        unscored=(),
        sizes={"words": 9} | ({"faithfulness": right, "sentences": n_sentences} if values else {}),
    )


def sentences(*counts: tuple[int, int]) -> list[Numbers]:
    """Papers with so many supported sentences of so many."""
    return [
        judged_paper(n, faithfulness=right / of, right=right, n_sentences=of)
        for n, (right, of) in enumerate(counts)
    ]


def floor(least: float, name: str = "facet", bound: Bound = "point") -> Threshold:
    """What a corrected mean is held to."""
    return Threshold(name=name, least=least, bound=bound)


def overall(*rows: tuple[float, float | None], kind: Kind = "overall") -> list[GoldenPair]:
    """Golden pairs on papers fern-0, fern-1 and so on: what the label says, and what the judge."""
    return [
        golden(answered(kind, label, answer), paper=f"fern-{n}", group=f"{n % 2}")
        for n, (label, answer) in enumerate(rows)
    ]


TWO = [judged_paper(0, facet=0.8), judged_paper(1, facet=0.6)]
"""A mean of 0.7."""
GENEROUS = overall((0.5, 0.6), (0.7, 0.7))
"""A mean error of (-0.1 + 0) / 2 = -0.05."""


def only(
    papers: Sequence[Numbers], pairs: Sequence[GoldenPair], *floors: Threshold
) -> CorrectedMean:
    """The one corrected mean that there is."""
    (found,) = corrected_means(papers, pairs, floors)
    return found


def test_fm_is_corrected_by_the_judges_mean_error_on_labels() -> None:
    """Worked example: 0.7 - 0.05 = 0.65; its interval is held to SciPy's Student t (1.17.1).

    The judged papers move the mean by 0.1 / (2 - 1) each way and the golden ones by 0.05, so that
    the variances over papers are 0.02 and 0.005. Welch's degrees of freedom are
    0.025^2 / (0.02^2 + 0.005^2) = 1.47, under the 3 that four papers have.
    """
    found = only(TWO, GENEROUS)
    assert (found.name, found.reason, found.floors) == ("facet", "", ())
    assert found.raw == pytest.approx(0.7)
    assert found.value == pytest.approx(0.65)
    assert (found.n_golden, found.n_papers) == (2, 2)
    margin = student.ppf(0.975, 0.025**2 / (0.02**2 + 0.005**2)) * sqrt(0.025)
    assert found.low == pytest.approx(0.65 - margin)
    assert found.high == pytest.approx(0.65 + margin)


def test_a_facet_is_corrected_by_its_own_labels() -> None:
    """Worked example: (4 + 2) / 2 = 3 and an error of ((2 - 4) + (3 - 3)) / 2 = -1 make 2."""
    judged = [
        judged_paper(0, facet=0.9, facet_result=4.0),
        judged_paper(1, facet=0.5, facet_result=2.0),
    ]
    found = only(judged, [*overall((2, 4), (3, 3), kind="result")])
    assert (found.name, found.raw, found.value, found.n_golden) == ("facet.result", 3.0, 2.0, 2)


def test_faithfulness_is_corrected_as_a_rate_over_sentences() -> None:
    """Worked example: the judge supports (1 + 5) / 10 = 0.6 of the sentences.

    It supports 3 of 4 faithful ones and 1 of 4 unfaithful ones, so that the rate is
    (0.6 - 0.25) / (0.75 - 0.25) = 0.7. The mean over papers, (0.25 + 5 / 6) / 2, plays no part.
    """
    rows = list(filled("sentence", [[3, 1], [1, 3]], least=0))
    pairs = [golden(*rows[n::2], paper=f"fern-{n}") for n in range(2)]
    found = only(sentences((1, 4), (5, 6)), pairs)
    assert found.name == "faithfulness"
    assert found.raw == pytest.approx(0.6)
    assert found.value == pytest.approx(0.7)
    assert (found.n_golden, found.n_papers) == (8, 2)
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < 0.7 < found.high <= 1


def mean(value: float | None = 0.65, low: float | None = 0.5, *floors: Threshold) -> CorrectedMean:
    """A corrected FM made by hand."""
    return CorrectedMean(
        name="facet",
        raw=0.7,
        value=value,
        low=low,
        high=None if low is None else 0.8,
        n_golden=2,
        n_papers=2,
        reason="" if low is not None else "all golden rows are of one paper",
        floors=floors,
    )


@pytest.mark.parametrize(
    ("least", "bound", "is_missed"),
    [
        (0.65, "point", False),
        (0.651, "point", True),
        (0.5, "lower", False),
        (0.501, "lower", True),
        (0.65, "lower", True),
    ],
)
def test_a_floor_is_held_against_the_mean_or_its_lower_bound(
    least: float, bound: Bound, *, is_missed: bool
) -> None:
    """As for every threshold, equal passes."""
    limit = floor(least, bound=bound)
    assert mean(0.65, 0.5, limit).missed == ((limit,) if is_missed else ())


def refused(papers: Sequence[Numbers], pairs: Sequence[GoldenPair], *floors: Threshold) -> str:
    """The judge's fault that leaves a threshold undecided."""
    with pytest.raises(JudgeError) as caught:
        corrected_means(papers, pairs, floors)
    return str(caught.value)


def test_a_threshold_on_a_mean_that_cannot_be_corrected_is_the_judges_fault() -> None:
    """A judge no better than chance says nothing of the system, so the system does not fail."""
    chance = [
        golden(*filled("sentence", [[1, 1], [1, 1]], least=0), paper=f"fern-{n}") for n in range(2)
    ]
    assert refused(sentences((1, 2), (2, 2)), chance, floor(0.5, "faithfulness")) == (
        "the mean of faithfulness cannot be corrected, the judge calls 0.5 of the golden true rows"
        " true and 0.5 of the false ones; label more, or set the threshold on [thresholds.mean]"
        " faithfulness"
    )


def test_an_unanswered_sentence_is_wrong_in_the_worst_case() -> None:
    """Worked example: 5 of 5 answered and one open are 5 of 6; the judge of labels is perfect."""
    open_one = replace(
        judged_paper(1, faithfulness=1.0, right=5, n_sentences=5),
        sizes={"faithfulness": 5, "sentences": 5, "unanswered": 1},
    )
    labels = [
        golden(*filled("sentence", [[4, 0], [0, 4]], least=0), paper=f"fern-{n}") for n in range(2)
    ]
    found = only([*sentences((6, 6)), open_one], labels)
    assert found.value == 1.0
    assert found.worst is not None
    assert found.worst.raw == pytest.approx(11 / 12)
    assert found.worst.value == pytest.approx(11 / 12)
    assert only(sentences((6, 6), (5, 5)), labels).worst is None


def test_an_unanswered_label_is_answered_at_the_top_in_the_worst_case() -> None:
    """Worked example: of three labels of .5 the third may be rated 1: the mean error is -.2."""
    silent = overall((0.5, 0.55), (0.5, 0.55), (0.5, None))
    found = only(TWO, silent)
    assert found.value == pytest.approx(0.65)
    assert found.worst is not None
    assert found.worst.value == pytest.approx(0.5)
    ratings = [judged_paper(n, facet=0.5, facet_result=2.0) for n in range(2)]
    rated = only(ratings, overall((2, 2), (2, 2), (2, None), kind="result"))
    assert rated.worst is not None
    assert rated.worst.value == pytest.approx(2 - 2 / 3)


scores = st.lists(st.floats(0.25, 1), min_size=2, max_size=6)


@given(pairs(), scores)
def test_every_number_has_a_value_or_the_reason_for_none(
    labelled: list[GoldenPair], values: list[float]
) -> None:
    """Law: whatever a judge answers, nothing is dropped in silence, and bounds hold their value."""
    judged = [
        judged_paper(n, facet=value, facet_result=2.0, faithfulness=0.5, right=1, n_sentences=2)
        for n, value in enumerate(values)
    ]
    for found in corrected_means(judged, labelled):
        assert (found.low is None) == bool(found.reason)
        if found.low is not None:
            assert found.value is not None
            assert found.high is not None
            assert found.low <= found.value <= found.high
        assert found.n_golden >= found.n_papers > 0


def test_a_corrected_mean_must_cover_as_many_papers_as_the_raw_one() -> None:
    """A system must not reach it by refusing the hard papers: 1 of 2 is too few."""
    refused_one = replace(judged_paper(2), unscored=(LACKING,))
    found = only([TWO[0], refused_one], GENEROUS, floor(0.1))
    assert (found.n_scored, found.n_of, found.missed) == (1, 2, (floor(0.1),))


def test_a_value_under_the_bound_of_its_waiver_is_not_covered() -> None:
    """Somebody has allowed 0.52, and not whatever comes."""
    limits = [Threshold("facet", 0.55)]
    verdict = decide(numbers(SHORT), limits, held(waiver("facet", least=0.52)))
    assert (verdict.shortfalls, verdict.waived, verdict.passes) == ((FACET,), (), False)
    assert [use.state for use in verdict.waivers] == ["exceeded"]
    assert decide(numbers(SHORT), limits, held(waiver("facet", least=0.5))).passes


def test_a_waiver_does_not_excuse_an_empty_summary() -> None:
    """It allows a low number and not none; whether it is needed then, nobody knows."""
    lack = Unscored(metric="facet", status="degenerate_candidate", reason="the summary is empty")
    verdict = decide(numbers(lack), [Threshold("facet", 0.55)], held(waiver("facet")))
    assert [use.state for use in verdict.waivers] == ["not judged"]
    assert (verdict.lacking, verdict.waiver_faults, verdict.passes) == ((lack,), (), False)


def test_an_expired_waiver_covers_nothing_and_says_so() -> None:
    """The number fails again, and the waiver has to go or to be renewed."""
    expired = waiver("facet", expires="2027-01-14")
    verdict = decide(numbers(SHORT), [Threshold("facet", 0.55)], held(expired))
    assert (verdict.shortfalls, verdict.waived) == ((FACET,), ())
    assert verdict.waiver_faults == (
        (
            "golden/summeval.toml:30: waiver 'facet-of-moss-01' of facet (owner 'ines') expired on"
            " 2027-01-14; mend, renew or delete it"
        ),
    )
    assert not verdict.passes


def test_a_pair_that_the_judge_left_unscored_is_not_waived() -> None:
    """Nobody may wave through what nobody has measured."""
    lack = Unscored(metric="facet", status="unanswered", reason="cut off")
    with pytest.raises(JudgeError):
        decide(numbers(lack), [Threshold("facet", 0.55)], held(waiver("facet")))


def test_the_judges_fault_comes_before_the_systems() -> None:
    """A pair is not called red on half of its scores."""
    scores = (
        Unscored(metric="facet", status="refused_candidate", reason="the system refused"),
        Unscored(metric="eva", status="skipped_no_reference", reason="no fact is stated"),
    )
    with pytest.raises(JudgeError) as caught:
        decide(numbers(*scores), [])
    assert str(caught.value) == (
        "paper 'moss-01', system 'careful' is unscored:"
        " eva: skipped_no_reference, no fact is stated"
    )


def test_support_that_stands_on_unanswered_sentences_is_undecided() -> None:
    """Worked example: .8 of one answered sentence is .4 if the other has no support at all."""
    score = believed(0.8)
    silent = replace(score.sentences[0], supported=None, support=None)
    found = numbers(replace(score, sentences=(*score.sentences, silent)))
    with pytest.raises(
        JudgeError, match=r"faithfulness\.support 0\.800 meets 0\.5, and would be 0\.4"
    ):
        decide(found, [Threshold("faithfulness.support", 0.5)])
    assert decide(found, [Threshold("faithfulness.support", 0.4)]).passes
    assert decide(found, [Threshold("faithfulness.support", 0.9)]).shortfalls


def test_a_summary_that_states_nothing_is_under_every_threshold() -> None:
    """Without facts there is no precision, and absence must not pass for it: not even at 0."""
    verdict = decide(numbers(facts(0.0, None, 0.0)), [Threshold("eva.precision", 0.0)])
    assert verdict.shortfalls == (Shortfall(name="eva.precision", value=None, least=0.0),)
    assert not verdict.passes


@pytest.mark.parametrize("n_papers", [0, 1])
def test_a_mean_over_nothing_never_passes(n_papers: int) -> None:
    """A gate that nothing goes through is no gate."""
    papers = [paper(1, EMPTY)] * n_papers
    found = mean_of(papers, Threshold("facet", 0.25))
    assert (found.value, found.n_scored, found.n_papers) == (None, 0, n_papers)
    assert not found.passes


def test_a_mean_that_falls_short_in_any_case_is_the_systems_fault() -> None:
    """Silence does not excuse what fails without it."""
    verdict = decide_means("careful", [of_25(1, None, False)], [Threshold("faithfulness", 0.97)])
    assert [mean.name for mean in verdict.missed] == ["faithfulness"]


def test_a_waiver_of_a_mean_does_not_excuse_papers_without_a_score() -> None:
    """It allows a low mean, and not a mean over the papers that went well."""
    papers = [paper(1, facet=0.5), paper(2, EMPTY)]
    verdict = decide_means("careful", papers, [Threshold("facet", 0.65)], waived())
    assert [mean.name for mean in verdict.missed] == ["facet"]
    assert not verdict.passes
    assert [use.state for use in verdict.waivers] == ["not judged"]


def test_an_expired_waiver_of_a_mean_covers_nothing() -> None:
    """The last day is the last day."""
    verdict = decide_means("careful", LOW, MEAN_LIMITS, waived(expires="2027-01-14"))
    assert ([mean.name for mean in verdict.missed], len(verdict.waiver_faults)) == (["facet"], 1)
    assert decide_means("careful", LOW, MEAN_LIMITS, waived(expires="2027-01-15")).passes


@pytest.mark.parametrize(
    ("least", "passes"), [(0.55, True), (0.6, True), (0.61, False), (None, True)]
)
def test_a_waiver_of_a_mean_holds_down_to_its_bound(least: float | None, passes: bool) -> None:
    """The mean is (0.5 + 0.7) / 2 = 0.6."""
    verdict = decide_means("careful", LOW, MEAN_LIMITS, waived(least=least))
    assert verdict.passes is passes
    assert bool(verdict.missed) is not passes


def test_a_paper_that_the_system_left_unscored_fails_the_means() -> None:
    """An empty summary is the system's fault: red, and no error of the judge."""
    verdict = decide_means(
        "careful", [paper(1, facet=0.9), paper(2, EMPTY)], [Threshold("facet", 0.5)]
    )
    (missed,) = verdict.missed
    assert (missed.value, missed.n_scored, missed.n_papers) == (0.9, 1, 2)


def test_what_is_unknown_reaches_no_floor() -> None:
    """A record read from a file may hold it; it must not pass."""
    point, lower = floor(0.3), floor(0.3, bound="lower")
    assert mean(None, None, point, lower).missed == (point, lower)
    assert mean(0.65, None, point, lower).missed == (lower,)


def test_a_threshold_on_a_number_that_no_paper_has_does_not_pass() -> None:
    """A gate that nothing goes through is no gate; it must not vanish with the papers."""
    labels = overall((1, 2), (2, 2), kind="method")
    told = refused(TWO, labels, floor(2, "facet.method"))
    assert told.startswith("the mean of facet.method cannot be corrected, there are no judged rows")


def test_a_threshold_without_an_answered_label_is_the_judges_fault() -> None:
    """The labels are there, else the threshold would have been refused; nobody answered them."""
    silent = overall((0.5, None), (0.7, None))
    assert refused(TWO, silent, floor(0.5)).startswith(
        "the mean of facet cannot be corrected, there are no golden rows; "
    )
