from __future__ import annotations

from math import nextafter
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import JudgeError, Place
from summeval_pytest.evaluation import Evaluation
from summeval_pytest.metrics import (
    CheckedFact,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
    Unscored,
)
from summeval_pytest.questions import Fact
from summeval_pytest.suite import Pair, Paper, Section
from summeval_pytest.verdict import Shortfall, Threshold, decide

if TYPE_CHECKING:
    from summeval_pytest.metrics import Score
    from summeval_pytest.questions import Facet

MOSS = "The moss stayed dry."


def rated(facet: Facet, rating: int) -> RatedFacet:
    """A facet with its rating."""
    return RatedFacet(facet=facet, rating=rating, reason="", reference="Moss.", candidate="Moss.")


def facets(value: float, *ratings: RatedFacet) -> FacetScore:
    """FM with its ratings."""
    return FacetScore(value=value, ratings=ratings)


def facts(value: float, precision: float | None, recall: float) -> EvaScore:
    """EVA-Score with one unsupported fact and one lost one."""
    fact = CheckedFact(fact=Fact(text=MOSS, sentence=0), holds=False, reason="")
    return EvaScore(
        value=value,
        precision=precision,
        recall=recall,
        recall_entailed=recall,
        candidate=(fact,),
        reference=(fact,),
    )


def sentences(value: float, *supports: float) -> FaithfulnessScore:
    """Faithfulness with unsupported sentences."""
    judged = (
        JudgedSentence(index=place, text=MOSS, supported=False, reason="", support=support)
        for place, support in enumerate(supports)
    )
    return FaithfulnessScore(value=value, sentences=tuple(judged))


def evaluation(*scores: Score | Unscored) -> Evaluation:
    """A pair with these scores."""
    paper = Paper(
        id="moss-01",
        source=(Section(text="Moss was grown on stone."),),
        references=("Moss grew.",),
        place=Place("papers.jsonl", 1),
    )
    pair = Pair(paper=paper, system="careful", summary=MOSS, place=Place("careful.jsonl", 1))
    return Evaluation(pair=pair, scores=scores, signatures=(), source=("Moss was grown on stone.",))


def test_a_pair_that_meets_its_thresholds_passes_without_findings() -> None:
    """A passing test has nothing to say, also where a facet was not perfect."""
    verdict = decide(
        evaluation(facets(0.6, rated("result", 3)), sentences(0.9, 0.1)),
        [Threshold("facet", 0.55), Threshold("facet.result", 3), Threshold("faithfulness", 0.8)],
    )
    assert verdict.passes
    assert (verdict.shortfalls, verdict.findings, verdict.lacking) == ((), (), ())


def test_a_value_equal_to_its_threshold_passes() -> None:
    """A threshold is the least that will do."""
    limit = [Threshold("facet", 0.55)]
    assert decide(evaluation(facets(0.55)), limit).passes
    under = nextafter(0.55, 0)
    verdict = decide(evaluation(facets(under)), limit)
    assert not verdict.passes
    assert verdict.shortfalls == (Shortfall(name="facet", value=under, least=0.55),)


def test_every_number_under_its_threshold_is_listed() -> None:
    """A team that mends the first and runs again learns of the second a day later."""
    verdict = decide(
        evaluation(
            facets(0.4, rated("method", 1), rated("result", 2), rated("conclusion", 3)),
            facts(0.2, 0.5, 0.1),
            sentences(0.5, 0.2),
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
    assert decide(evaluation(facets(0.7, rated("result", 3))), limits).passes


def test_a_summary_that_states_nothing_is_under_every_threshold() -> None:
    """Without facts there is no precision, and absence must not pass for it: not even at 0."""
    verdict = decide(evaluation(facts(0.0, None, 0.0)), [Threshold("eva.precision", 0.0)])
    assert verdict.shortfalls == (Shortfall(name="eva.precision", value=None, least=0.0),)
    assert not verdict.passes


@pytest.mark.parametrize("status", ["degenerate_candidate", "refused_candidate"])
def test_a_summary_that_the_system_left_unscored_fails(status: str) -> None:
    """An empty summary is the system's fault: red, with the reason and without a number."""
    lack = Unscored(metric="eva", status=status, reason="the system refused")  # type: ignore[arg-type]  # parametrized over a literal
    verdict = decide(evaluation(facets(0.9), lack), [Threshold("facet", 0.5), Threshold("eva", 0)])
    assert not verdict.passes
    assert (verdict.shortfalls, verdict.findings, verdict.lacking) == ((), (), (lack,))


def test_a_pair_that_the_judge_left_unscored_is_not_decided() -> None:
    """It neither passes nor fails: the judge has to answer first."""
    scores = (
        Unscored(metric="facet", status="unanswered", reason="the reply was cut off"),
        facts(0.9, 0.9, 0.9),
        Unscored(metric="faithfulness", status="unanswered", reason="2 of 9 sentences unanswered"),
    )
    with pytest.raises(JudgeError) as caught:
        decide(evaluation(*scores), [Threshold("eva", 0.3)])
    assert str(caught.value) == (
        "paper 'moss-01', system 'careful' is unscored: facet: unanswered, the reply was cut off;"
        " faithfulness: unanswered, 2 of 9 sentences unanswered"
    )


def test_the_judges_fault_comes_before_the_systems() -> None:
    """A pair is not called red on half of its scores."""
    scores = (
        Unscored(metric="facet", status="refused_candidate", reason="the system refused"),
        Unscored(metric="eva", status="skipped_no_reference", reason="no fact is stated"),
    )
    with pytest.raises(JudgeError) as caught:
        decide(evaluation(*scores), [])
    assert str(caught.value) == (
        "paper 'moss-01', system 'careful' is unscored:"
        " eva: skipped_no_reference, no fact is stated"
    )


def test_what_a_judge_says_cannot_command_the_terminal() -> None:
    """The message of an error is printed as it is."""
    reason = "no\n::error::\x1b[31m ##[group]\u202e " + "z" * 1_000_000
    lack = Unscored(metric="eva", status="unanswered", reason=reason)
    with pytest.raises(JudgeError) as caught:
        decide(evaluation(lack), [])
    message = str(caught.value)
    assert r"eva: unanswered, no ::error::\x1b[31m #\x23[group]\u202e zzz" in message
    assert "\n" not in message
    assert len(message) < 400


def test_findings_come_from_every_metric_and_the_worst_come_first() -> None:
    """Worked example of the order.

    Facets lost (rating - 1) / (scale - 1): method 1 of 4 is 1, conclusion 2 of 3 is 1/2, result 3
    of 4 is 1/3. Sentences: 1 - support, 0.9 and 0.4. The unsupported fact is 1, the lost one 1/2.
    Equals keep the order of reading.
    """
    verdict = decide(
        evaluation(
            facets(0.4, rated("method", 1), rated("result", 3), rated("conclusion", 2)),
            facts(0.2, 0.2, 0.2),
            sentences(0.5, 0.1, 0.6),
        ),
        [Threshold("facet", 0.55), Threshold("eva", 0.3)],
    )
    assert [(f.title, round(f.severity, 3)) for f in verdict.findings] == [
        ("facet method", 1.0),
        ("fact of the summary", 1.0),
        ("sentence 1", 0.9),
        ("facet conclusion", 0.5),
        ("fact of the reference", 0.5),
        ("sentence 2", 0.4),
        ("facet result", 0.333),
    ]


@pytest.mark.parametrize(
    ("limit", "titles"),
    [
        (Threshold("facet", 0.9), ["facet method", "facet result"]),
        (Threshold("facet.method", 2), ["facet method"]),
        (Threshold("facet.result", 4), ["facet result"]),
    ],
)
def test_a_facet_is_found_where_it_or_fm_is_too_low(limit: Threshold, titles: list[str]) -> None:
    """Where FM is too low every lost point counts; else only what was asked for."""
    score = facets(0.5, rated("method", 1), rated("result", 3), rated("conclusion", 3))
    assert [finding.title for finding in decide(evaluation(score), [limit]).findings] == titles


@pytest.mark.parametrize("name", ["eva", "eva.precision", "eva.recall", "eva.recall_entailed"])
def test_facts_are_found_where_a_number_of_eva_is_too_low(name: str) -> None:
    """Facts are many, so a pair that fails otherwise is not buried in them."""
    scores = evaluation(facets(0.5), facts(0.5, 0.5, 0.5))
    found = decide(scores, [Threshold(name, 0.6)]).findings
    assert [finding.title for finding in found] == ["fact of the summary", "fact of the reference"]
    assert decide(scores, [Threshold("facet", 0.6), Threshold(name, 0.5)]).findings == ()


def test_an_unsupported_sentence_is_found_whatever_fails() -> None:
    """What the paper does not say is the first thing to know of a failing summary."""
    verdict = decide(
        evaluation(facets(0.5), sentences(0.9, 0.2)),
        [Threshold("facet", 0.6), Threshold("faithfulness", 0.8)],
    )
    assert [finding.title for finding in verdict.findings] == ["sentence 1"]


def test_a_threshold_of_a_metric_that_was_not_measured_is_no_pass() -> None:
    """Skipping it in silence would turn a gate green that nobody held."""
    with pytest.raises(KeyError, match="eva"):
        decide(evaluation(facets(1.0)), (Threshold("eva", 0.3),))
