from __future__ import annotations

from dataclasses import replace
from math import nextafter
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import JudgeError, Place
from summeval_pytest.metrics.score import (
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.run.numbers import numbers_of
from summeval_pytest.suite.values import Waiver
from summeval_pytest.verdict.decide import Shortfall, decide, raise_judge_faults
from summeval_pytest.verdict.thresholds import Threshold, Waivers
from tests.verdict.records import believed

if TYPE_CHECKING:
    from summeval_pytest.metrics.score import Score
    from summeval_pytest.questions import Facet
    from summeval_pytest.run.numbers import Numbers


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


def test_a_summary_that_states_nothing_is_under_every_threshold() -> None:
    """Without facts there is no precision, and absence must not pass for it: not even at 0."""
    verdict = decide(numbers(facts(0.0, None, 0.0)), [Threshold("eva.precision", 0.0)])
    assert verdict.shortfalls == (Shortfall(name="eva.precision", value=None, least=0.0),)
    assert not verdict.passes


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


@pytest.mark.parametrize("status", ["degenerate_candidate", "refused_candidate"])
def test_a_fault_of_the_system_is_no_fault_of_the_judge(status: str) -> None:
    """It is decided, and fails, where a fault of the judge would be an error."""
    lack = Unscored(metric="eva", status=status, reason="refused")  # type: ignore[arg-type]  # parametrized over a literal
    raise_judge_faults(numbers(facets(0.9), lack))


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


def test_a_waiver_does_not_excuse_an_empty_summary() -> None:
    """It allows a low number and not none; whether it is needed then, nobody knows."""
    lack = Unscored(metric="facet", status="degenerate_candidate", reason="the summary is empty")
    verdict = decide(numbers(lack), [Threshold("facet", 0.55)], held(waiver("facet")))
    assert [use.state for use in verdict.waivers] == ["not judged"]
    assert (verdict.lacking, verdict.waiver_faults, verdict.passes) == ((lack,), (), False)


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
