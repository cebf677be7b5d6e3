from __future__ import annotations

import pytest

from summeval_pytest.metrics import (
    CheckedFact,
    EvaScore,
    FacetScore,
    FaithfulnessScore,
    JudgedSentence,
    RatedFacet,
)
from summeval_pytest.questions import Fact
from summeval_pytest.verdict import Finding
from summeval_pytest.verdict.findings import facet_findings, fact_findings, sentence_findings

SOURCE = (
    "Moss was grown on stone.",
    "Rain fell on half of the stones.",
    "Wet moss grew twice as fast.",
)
LOST = RatedFacet(
    facet="method",
    rating=1,
    reason="the summary does not state it",
    reference="Moss was grown on stones.",
    candidate="",
    by_rule=True,
)
PARTIAL = RatedFacet(
    facet="conclusion",
    rating=2,
    reason="the rain is missing",
    reference="Rain makes moss grow.",
    candidate="Moss grows.",
)
FULL = RatedFacet(
    facet="result", rating=4, reason="all there", reference="It grew.", candidate="It grew."
)
FACETS = FacetScore(value=0.5, ratings=(LOST, FULL, PARTIAL))


def checked(text: str, **values: object) -> CheckedFact:
    """A fact and what became of it."""
    checked = {"holds": False, "reason": "no fact says so", **values}
    return CheckedFact(fact=Fact(text=text, sentence=0), **checked)  # type: ignore[arg-type]  # the tests name its fields


def eva(*, candidate: tuple[CheckedFact, ...] = (), **values: object) -> EvaScore:
    """EVA-Score with these facts."""
    numbers = {"value": 0.5, "precision": 0.5, "recall": 0.5, "recall_entailed": 0.5}
    return EvaScore(candidate=candidate, **{**numbers, **values})  # type: ignore[arg-type]  # the tests name its fields


def test_a_facet_under_its_own_threshold_is_told_with_what_was_wanted() -> None:
    """Worked example: 1 of 4 loses all three steps; "moss" and "grown" are in sentence 0."""
    found = list(facet_findings(FACETS, {"facet.method": 3}, SOURCE, all_partial=False))
    assert found == [
        Finding(
            kind="facet",
            title="facet method",
            verdict="rated 1 of 4, at least 3 wanted",
            reason="the summary does not state it",
            reference="Moss was grown on stones.",
            summary="",
            evidence=((0, SOURCE[0]),),
            severity=1.0,
        )
    ]


def test_a_facet_that_lost_points_is_told_where_fm_is_too_low() -> None:
    """Worked example: 2 of 3 loses one of two steps; nothing was asked of the facet itself."""
    _, found = facet_findings(FACETS, {}, SOURCE, all_partial=True)
    assert found == Finding(
        kind="facet",
        title="facet conclusion",
        verdict="rated 2 of 3",
        reason="the rain is missing",
        reference="Rain makes moss grow.",
        summary="Moss grows.",
        evidence=((1, SOURCE[1]),),
        severity=0.5,
    )


def test_a_facet_with_all_its_points_is_never_found() -> None:
    """There is nothing wrong with it that a reader could look for."""
    found = facet_findings(FACETS, {"facet.result": 4}, SOURCE, all_partial=True)
    assert "facet result" not in [finding.title for finding in found]


def test_a_facet_that_meets_its_threshold_names_no_wish() -> None:
    """With FM too low it is listed for its lost point, and not for a threshold that it meets."""
    found = facet_findings(FACETS, {"facet.conclusion": 2}, SOURCE, all_partial=True)
    assert [finding.verdict for finding in found] == ["rated 1 of 4", "rated 2 of 3"]


def test_a_threshold_between_two_ratings_is_shown_as_it_was_written() -> None:
    """2.5 is not 2."""
    (found,) = facet_findings(FACETS, {"facet.conclusion": 2.5}, SOURCE, all_partial=False)
    assert found.verdict == "rated 2 of 3, at least 2.5 wanted"


def test_facets_far_from_the_source_have_no_evidence() -> None:
    """No sentence is better than a wrong one."""
    (found,) = facet_findings(FACETS, {"facet.method": 3}, ("Ferns.",), all_partial=False)
    assert found.evidence == ()


def sentence(index: int, *, supported: bool | None = False, **values: object) -> JudgedSentence:
    """A judged sentence of a summary."""
    values = {"text": "Rain fell.", "reason": "half of them only", **values}
    return JudgedSentence(index=index, supported=supported, **values)  # type: ignore[arg-type]  # the tests name its fields


def faithful(*sentences: JudgedSentence) -> FaithfulnessScore:
    """Faithfulness with these sentences."""
    return FaithfulnessScore(value=0.5, sentences=sentences)


def test_an_unsupported_sentence_is_told_with_what_the_source_says() -> None:
    """Worked example: people count sentences from 1; the judge's first evidence is shown."""
    score = faithful(sentence(4, evidence=(2, 1), support=0.375))
    assert list(sentence_findings(score, SOURCE)) == [
        Finding(
            kind="sentence",
            title="sentence 5",
            verdict="unsupported, support 0.38 of 1",
            reason="half of them only",
            reference=None,
            summary="Rain fell.",
            evidence=((2, SOURCE[2]),),
            severity=0.625,
        )
    ]


def test_a_judge_without_evidence_leaves_the_closest_sentence() -> None:
    """The reader needs a place to start, and a judge without a strength of belief has none."""
    (found,) = sentence_findings(faithful(sentence(0)), SOURCE)
    assert (found.verdict, found.severity) == ("unsupported", 1.0)
    assert found.evidence == ((1, SOURCE[1]),)


def test_only_what_was_judged_unsupported_is_found() -> None:
    """A sentence without an answer is no accusation."""
    score = faithful(sentence(0, supported=True), sentence(1), sentence(2, supported=None))
    assert [finding.title for finding in sentence_findings(score, SOURCE)] == ["sentence 2"]


def test_a_fact_that_does_not_follow_is_told() -> None:
    """Worked example: the premises that a judge names are the reference's words about it."""
    wrong = checked(
        "Moss grew.", evidence=("Moss died.", "All of it."), support=0.25, reason="died"
    )
    assert list(fact_findings(eva(candidate=(wrong,)), SOURCE)) == [
        Finding(
            kind="fact",
            title="fact of the summary",
            verdict="does not follow from the reference",
            reason="died",
            reference="Moss died. All of it.",
            summary="Moss grew.",
            evidence=((2, SOURCE[2]),),
            severity=0.75,
        )
    ]


def test_a_fact_that_is_lost_is_told() -> None:
    """It has the reference's words, and an empty place where the summary's would be."""
    lost = checked("Rain fell on half.")
    assert list(fact_findings(eva(reference=(lost,)), SOURCE)) == [
        Finding(
            kind="fact",
            title="fact of the reference",
            verdict="does not follow from the summary",
            reason="no fact says so",
            reference="Rain fell on half.",
            summary="",
            evidence=((1, SOURCE[1]),),
            severity=0.5,
        )
    ]


def test_a_fact_that_the_reference_says_nothing_about_has_an_empty_reference() -> None:
    """Empty says "the reference has nothing", where None would say "it plays no part"."""
    (found,) = fact_findings(eva(candidate=(checked("Ferns grew."),)), SOURCE)
    assert (found.reference, found.severity) == ("", 1.0)


@pytest.mark.parametrize("holds", [True, None])
def test_a_fact_that_holds_or_has_no_answer_is_not_found(holds: bool | None) -> None:
    """Neither is wrong as far as anyone knows."""
    fact = checked("Moss grew.", holds=holds)
    assert list(fact_findings(eva(candidate=(fact,), reference=(fact,)), SOURCE)) == []


def test_a_matched_fact_of_the_reference_is_not_lost() -> None:
    """The summary's own fact carries it, also where asked the other way round it does not hold."""
    first, second = checked("Moss grew."), checked("Rain fell.")
    score = eva(reference=(first, second), matched=frozenset({0}))
    assert [finding.reference for finding in fact_findings(score, SOURCE)] == ["Rain fell."]
