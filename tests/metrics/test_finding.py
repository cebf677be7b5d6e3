from __future__ import annotations

from dataclasses import astuple, replace

import pytest

from summeval_pytest.metrics.catalogue import findings_of, wrong_pieces
from summeval_pytest.metrics.eva import EvaScore
from summeval_pytest.metrics.facet import FacetScore, RatedFacet
from summeval_pytest.metrics.facts import CheckedFact
from summeval_pytest.metrics.faithfulness import FaithfulnessScore, JudgedSentence
from summeval_pytest.metrics.number import closest_sentence
from summeval_pytest.questions import Fact
from summeval_pytest.verdict.pair import explaining

SOURCE = (
    "Moss was grown on stone.",
    "Rain fell on half of the stones.",
    "Wet moss grew twice as fast.",
)
REASON, NO_FACT, NOT = "half of them only", "no fact says so", "not in the"
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


def checked(text: str, **values: object) -> CheckedFact:
    """A fact and what became of it."""
    checked = {"holds": False, "reason": NO_FACT, **values}
    return CheckedFact(fact=Fact(text=text, sentence=0), **checked)  # type: ignore[arg-type]  # the tests name its fields


def eva(*, candidate: tuple[CheckedFact, ...] = (), **values: object) -> EvaScore:
    """EVA-Score with these facts."""
    numbers = {"value": 0.5, "precision": 0.5, "recall": 0.5, "recall_entailed": 0.5}
    return EvaScore(candidate=candidate, **{**numbers, **values})  # type: ignore[arg-type]  # the tests name its fields


def sentence(index: int, *, supported: bool | None = False, **values: object) -> JudgedSentence:
    """A judged sentence of a summary."""
    values = {"text": "Rain fell.", "reason": REASON, **values}
    return JudgedSentence(index=index, supported=supported, **values)  # type: ignore[arg-type]  # the tests name its fields


def faithful(*sentences: JudgedSentence) -> FaithfulnessScore:
    """Faithfulness with these sentences."""
    return FaithfulnessScore(value=0.5, sentences=sentences)


DIED = checked("Moss grew.", evidence=("Moss died.", "All of it."), support=0.25, reason="died")


@pytest.mark.parametrize(
    ("score", "what", "texts", "place", "severity"),
    [
        # 1 of 4 loses all three steps; "moss" and "grown" are in sentence 0
        (
            FacetScore(value=0.5, ratings=(LOST, FULL)),
            ("facet", "facet.method", "facet method", "rated 1 of 4", LOST.reason),
            ("Moss was grown on stones.", ""),
            *(0, 1.0),
        ),
        # people count sentences from 1; the judge's first evidence is shown
        (
            faithful(sentence(4, evidence=(2, 1), support=0.375)),
            ("sentence", "faithfulness", "sentence 5", "unsupported, support 0.38 of 1", REASON),
            (None, "Rain fell."),
            *(2, 0.625),
        ),
        # the premises that a judge names are the reference's words about it
        (
            eva(candidate=(DIED,)),
            ("fact", "eva.precision", "fact of the summary", f"{NOT} reference", "died"),
            ("Moss died. All of it.", "Moss grew."),
            *(2, 0.75),
        ),
        # the summary's own fact carries the first, whatever it is the other way round
        (
            eva(reference=(DIED, checked("Rain fell on half.")), matched=frozenset({0})),
            ("fact", "eva.recall", "fact of the reference", f"{NOT} summary", NO_FACT),
            ("Rain fell on half.", ""),
            *(1, 0.5),
        ),
    ],
    ids=["facet", "sentence", "wrong fact", "lost fact"],
)
def test_what_is_wrong_is_reported_with_its_place_in_the_source(
    score: FacetScore | EvaScore | FaithfulnessScore,
    what: tuple[str, ...],
    texts: tuple[str | None, str],
    place: int,
    severity: float,
) -> None:
    """Worked examples, one of each kind; what is right is no finding."""
    (finding,) = findings_of([score], SOURCE)
    evidence = ((place, SOURCE[place]),)
    assert astuple(finding) == (*what, *texts, evidence, severity, False, (), "")


def test_what_the_judge_could_not_decide_is_counted_among_what_is_wrong() -> None:
    """A conflict that rules can see is one for an LLM or a person, and the run says how many."""
    facets = FacetScore(value=0.5, ratings=(replace(PARTIAL, undecided=True), LOST))
    facts = eva(candidate=(checked("It shrank.", undecided=True), checked("It grew.")))
    one = faithful(sentence(0), sentence(1, supported=True), sentence(2, supported=None))
    counts = {"facet": 2, "fact": 2, "sentence": 1, "undecided": 2}
    assert wrong_pieces((facets, facts, one)) == counts
    # what only the paper says is not in the abstract and is no problem; a conflict with it is one
    true = replace(one, sentences=(sentence(0, supported=True),))
    assert wrong_pieces((facets, facts, true)) == {**counts, "fact": 1, "sentence": 0}


METHOD_1_RESULT_3_CONCLUSION_2 = FacetScore(
    value=0.4, ratings=(LOST, replace(FULL, rating=3), PARTIAL)
)
"""One facet lost, two that lost a point."""
ONE_WRONG_ONE_LOST = eva(candidate=(checked("Moss died."),), reference=(checked("Rain fell."),))
TWO_UNSUPPORTED = faithful(sentence(0, support=0.1), sentence(1, support=0.6))


def test_findings_come_from_every_metric_and_the_worst_come_first() -> None:
    """Worked example of the order: sentences, facets, facts; of each the severest first.

    Sentences: 1 - support, 0.9 and 0.4. Facets lost (rating - 1) / (scale - 1): method 1 of 4 is 1,
    conclusion 2 of 3 is 1/2, result 3 of 4 is 1/3. The unsupported fact is 1, the lost one 1/2.
    """
    scores = (METHOD_1_RESULT_3_CONCLUSION_2, ONE_WRONG_ONE_LOST, TWO_UNSUPPORTED)
    assert [(f.title, round(f.severity, 3)) for f in findings_of(scores, SOURCE)] == [
        ("sentence 1", 0.9),
        ("sentence 2", 0.4),
        ("facet method", 1.0),
        ("facet conclusion", 0.5),
        ("facet result", 0.333),
        ("fact of the summary", 1.0),
        ("fact of the reference", 0.5),
    ]


EVERYTHING = findings_of(
    (METHOD_1_RESULT_3_CONCLUSION_2, ONE_WRONG_ONE_LOST, TWO_UNSUPPORTED), SOURCE
)


@pytest.mark.parametrize(
    ("missed", "expected"),
    [
        (["facet"], ["facet method", "facet conclusion", "facet result"]),
        (["facet.coverage"], ["facet method", "facet conclusion", "facet result"]),
        (["facet.method"], ["facet method"]),
        (["facet.result"], ["facet result"]),
        (["facet.method", "facet.result"], ["facet method", "facet result"]),
        (["facet", "facet.result"], ["facet method", "facet conclusion", "facet result"]),
        (["eva", "faithfulness"], []),
    ],
)
def test_a_facet_explains_where_it_or_fm_is_too_low(missed: list[str], expected: list[str]) -> None:
    """Where FM is too low every lost point counts; else only what was asked for."""
    found = explaining(EVERYTHING, missed)
    assert [finding.title for finding in found if finding.kind == "facet"] == expected


def test_a_conflict_in_a_number_is_reported_though_the_sentence_is_called_supported() -> None:
    """It stands before sentences without any, and the judge's own verdict is left as it is."""
    sentences = (
        sentence(0, support=0.1),
        sentence(1, supported=True, evidence=(2,), support=0.9, conflict=True),
        sentence(2, conflict=True),
        sentence(3, supported=True, support=0.4),
        sentence(4, supported=None, conflict=True),
    )
    score = FaithfulnessScore(value=0.5, sentences=sentences, conflicts=3)
    actual = findings_of([score], SOURCE)
    assert [(each.title, each.verdict, each.number, each.conflict) for each in actual] == [
        (
            "sentence 2",
            "conflict (number), supported, support 0.90 of 1",
            "faithfulness.conflicts",
            True,
        ),
        ("sentence 3", "conflict (number), unsupported", "faithfulness.conflicts", True),
        ("sentence 5", "conflict (number), unanswered", "faithfulness.conflicts", True),
        ("sentence 1", "unsupported, support 0.10 of 1", "faithfulness", False),
    ]
    assert actual[0].evidence == ((2, SOURCE[2]),)
    assert explaining(actual, {"faithfulness.conflicts"}) == actual


SENTENCES = (
    "Zinc was given to forty mice.",
    "The mice slept on dry moss.",
    "Sleep was counted in hours by a camera.",
    "The mice with zinc slept longer.",
)


def test_a_rare_word_counts_for_more_than_a_common_one() -> None:
    """Worked example: "mice" is in three sentences (1/3 each), "moss" in one (1).

    Sentence 3 shares mice and longer, 1/3 + 1; sentence 1 shares mice, moss and dry, 1/3 + 2.
    """
    actual = closest_sentence("Mice longer on dry moss.", SENTENCES)
    assert actual == ((1, SENTENCES[1]),)
    # mice 1/3 and zinc 1/2 make 5/6 in sentence 0, and less than the 1 of camera in sentence 2
    assert closest_sentence("Zinc, mice, camera.", SENTENCES) == ((2, SENTENCES[2]),)
    assert closest_sentence("Kiln", SENTENCES) == closest_sentence("", SENTENCES) == ()
