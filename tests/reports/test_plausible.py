from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.evaluation import EvidenceCount, GoldenAnswer, GoldenPair
from summeval_pytest.metrics import FacetScore, RatedFacet
from summeval_pytest.reports.plausible import implausible
from summeval_pytest.verdict import (
    PairVerdict,
    Shortfall,
    SystemMean,
    Threshold,
    Thresholds,
)
from tests.reports.trust_records import (
    HOLDS,
    MISSED,
    UNMEASURED,
    agreement,
    floor,
    golden,
    measured,
    trust,
    untrusted,
)
from tests.verdict.records import eva, faithful, marks, pair, rated, run, suite, system

if TYPE_CHECKING:
    from summeval_pytest.verdict import Agreement, PairRecord, RunRecord, SuiteRecord, Trust

GOOD = pair("moss-01", rated(marks(result=2)), eva(0.5), faithful(0.5))
ODD = RatedFacet(facet="result", rating=99, reason="", reference="a", candidate="b")


def of(*pairs: PairRecord) -> RunRecord:
    """A run of the careful system on moss-01, with these pairs."""
    return run(suite(*pairs, systems=(system("careful", "moss-01"),)))


def test_what_a_run_has_written_is_plausible() -> None:
    """Also where nothing was judged."""
    assert implausible(of(GOOD)) == ""
    assert implausible(of()) == ""


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (run(), "it holds no suite"),
        (run(suite()), "suite 'golden' has no system"),
        (
            run(
                suite(
                    GOOD,
                    systems=(
                        replace(
                            system("careful", "moss-01"),
                            means=(
                                SystemMean(
                                    name="eva", value=0.5, least=0.4, n_scored=1, n_papers=10**400
                                ),
                            ),
                        ),
                    ),
                )
            ),
            "mean eva of 'careful' is over more papers than it has",
        ),
        (of(GOOD, GOOD), "'careful' on 'moss-01' is in it 2 times"),
        (of(replace(GOOD, system="x")), "'x' on 'moss-01' is no pair of suite 'golden'"),
        (of(replace(GOOD, paper="x")), "'careful' on 'x' is no pair of suite 'golden'"),
        (of(pair("moss-01")), "'careful' on 'moss-01' has no score, and no reason for none"),
        (
            of(pair("moss-01", eva(7.0))),
            "'careful' on 'moss-01': eva = 7 is out of its range, 0 to 1",
        ),
        (
            of(pair("moss-01", FacetScore(value=0.5, ratings=(ODD,)))),
            "'careful' on 'moss-01': result is rated 99 of 4",
        ),
        (
            of(
                pair(
                    "moss-01",
                    FacetScore(value=0.5, by_reference=(FacetScore(value=0.5, ratings=(ODD,)),)),
                )
            ),
            "'careful' on 'moss-01': result is rated 99 of 4",
        ),
        (
            of(replace(GOOD, signatures=("eva|nonsense",))),
            (
                "'careful' on 'moss-01': 'nonsense' in signature 'eva|nonsense' has no value;"
                " it reads key:value"
            ),
        ),
        (
            of(
                replace(
                    GOOD,
                    verdict=PairVerdict(shortfalls=(Shortfall(name="x", value=0.1, least=0.2),)),
                )
            ),
            "unknown number 'x'",
        ),
        (
            run(
                suite(
                    GOOD,
                    systems=(
                        replace(
                            system("careful", "moss-01"),
                            means=(
                                SystemMean(name="y", value=0.5, least=0.4, n_scored=1, n_papers=1),
                            ),
                        ),
                    ),
                )
            ),
            "unknown number 'y'",
        ),
        (
            run(suite(GOOD, thresholds=Thresholds(pair=(Threshold("z", 0.5),), mean=()))),
            "unknown number 'z'",
        ),
    ],
)
def test_what_no_run_could_have_written_is_told(record: RunRecord, fault: str) -> None:
    """A record that somebody has edited would be decided by what is not in it."""
    assert implausible(record) == fault


SUITE = of(GOOD).suites[0]
FIRST, SECOND = golden()


@pytest.mark.parametrize(
    "suite",
    [
        untrusted(SUITE),
        untrusted(SUITE, "any\ntext"),
        measured(SUITE, UNMEASURED),
        measured(SUITE, trust(agreements=(), n_pairs=1, n_papers=1), (replace(FIRST, answers=()),)),
        replace(SUITE, has_labels=True),
    ],
    ids=["untrusted", "hostile", "in error", "refusals alone", "not run"],
)
def test_what_a_run_has_written_of_its_judge_is_plausible(suite: SuiteRecord) -> None:
    """Labels of refused summaries have no answer, and then there is no figure."""
    assert implausible(run(suite)) == ""


def judged(found: Trust | None, *pairs: GoldenPair, has_labels: bool = True) -> RunRecord:
    """A run whose judge was measured so."""
    return run(replace(SUITE, has_labels=has_labels, trust=found, golden=pairs))


def answered(*answers: GoldenAnswer) -> RunRecord:
    """A run with these golden answers to one pair."""
    pair = GoldenPair(paper="a", system="b", group="0a", answers=answers)
    n_unanswered = sum(answer.answer is None for answer in answers)
    return judged(trust(HOLDS_ONE, n_pairs=1, n_papers=1, n_unanswered=n_unanswered), pair)


HOLDS_ONE = replace(HOLDS, n_papers=1)
SENTENCE = GoldenAnswer(kind="sentence", label=1.0, answer=1.0)
UNFAITHFUL = GoldenAnswer(kind="sentence", label=0.0, answer=1.0, error="number")
RESULT = GoldenAnswer(kind="result", label=4, answer=4)
FACT = GoldenAnswer(kind="reference fact", label=1.0, answer=1.0)
OVERALL = GoldenAnswer(kind="overall", label=-7.5, answer=0.5)
EVIDENCE = EvidenceCount(named=2, labelled=3, both=2)


@pytest.mark.parametrize(
    "answer",
    [
        RESULT,
        replace(RESULT, kind="background", label=1, answer=3),
        replace(RESULT, answer=None, reason="none"),
        SENTENCE,
        UNFAITHFUL,
        replace(SENTENCE, evidence=EVIDENCE),
        FACT,
        replace(FACT, kind="candidate fact", answer=0.0),
        OVERALL,
        replace(OVERALL, answer=1.0),
    ],
)
def test_an_answer_on_its_scale_is_plausible(answer: GoldenAnswer) -> None:
    """At both ends of it; the labels' overall score is in a unit of its own."""
    assert implausible(answered(answer)) == ""


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (replace(RESULT, answer=5), "result is answered 5 of 1 to 4"),
        (replace(RESULT, answer=0), "result is answered 0 of 1 to 4"),
        (replace(RESULT, label=0), "result is labelled 0 of 1 to 4"),
        (replace(RESULT, answer=2.5), "result is answered 2.5 of 1 to 4"),
        (
            replace(RESULT, kind="background", label=1, answer=4),
            "background is answered 4 of 1 to 3",
        ),
        (replace(SENTENCE, answer=0.5), "sentence is answered 0.5 of 0 to 1"),
        (replace(SENTENCE, label=2.0), "sentence is labelled 2 of 0 to 1"),
        (replace(SENTENCE, answer=-1.0), "sentence is answered -1 of 0 to 1"),
        (replace(FACT, answer=2.0), "reference fact is answered 2 of 0 to 1"),
        (replace(FACT, kind="candidate fact", label=7), "candidate fact is labelled 7 of 0 to 1"),
        (replace(OVERALL, answer=1.25), "overall is answered 1.25 of 0.25 to 1"),
        (replace(OVERALL, answer=0.0), "overall is answered 0 of 0.25 to 1"),
        (replace(SENTENCE, index=-1), "sentence -1 is none"),
        (
            replace(SENTENCE, error="unit"),
            "sentence with the error 'unit' is no unfaithful sentence",
        ),
        (
            replace(FACT, label=0, error="unit"),
            "reference fact with the error 'unit' is no unfaithful sentence",
        ),
        (
            replace(FACT, evidence=EVIDENCE),
            "reference fact has evidence 2 of 2 named and 3 labelled",
        ),
        (
            replace(SENTENCE, evidence=replace(EVIDENCE, both=3)),
            "sentence has evidence 3 of 2 named and 3 labelled",
        ),
        (
            replace(SENTENCE, evidence=replace(EVIDENCE, both=-1)),
            "sentence has evidence -1 of 2 named and 3 labelled",
        ),
        (
            replace(SENTENCE, evidence=replace(EVIDENCE, named=10**19)),
            (
                "sentence has evidence 2 of 10000000000000000000 named and 3 labelled,"
                " more than a source has sentences"
            ),
        ),
    ],
)
def test_a_golden_answer_off_its_scale_is_told(answer: GoldenAnswer, fault: str) -> None:
    """Confusion matrices are counted from it again, and have no row for a rating of 99."""
    assert implausible(answered(answer)) == (
        f"suite 'golden': golden answers on 'b' on 'a': {fault}"
    )


def test_an_item_that_is_answered_twice_is_told() -> None:
    """It would count twice; the second sentence is another item than the first."""
    assert implausible(answered(SENTENCE, replace(SENTENCE, index=1), FACT)) == ""
    assert implausible(answered(SENTENCE, UNFAITHFUL)) == (
        "suite 'golden': golden answers on 'b' on 'a': sentence 0: 2 times"
    )


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (agreement("mood", 0.5), "unknown agreement 'mood'"),
        (agreement("facet_exact", 1.5), "facet_exact = 1.5 is out of its range, 0 to 1"),
        (agreement("facet_exact", -0.5), "facet_exact = -0.5 is out of its range, 0 to 1"),
        (agreement("facet_kappa", -1.5), "facet_kappa = -1.5 is out of its range, -1 to 1"),
        (agreement("facet_exact", low=-0.1), "facet_exact = -0.1 is out of its range, 0 to 1"),
        (agreement("facet_exact", high=1.1), "facet_exact = 1.1 is out of its range, 0 to 1"),
        (
            agreement("unfaithful_recall.unit", -0.5),
            "unfaithful_recall.unit = -0.5 is out of its range, 0 to 1",
        ),
        (
            agreement("fact_f1", 0.5, floor(1.5, "fact_f1")),
            "fact_f1 = 1.5 is out of its range, 0 to 1",
        ),
        (agreement("fact_f1", 0.5, floor(0.5)), "floor 'facet_kappa' is set on 'fact_f1'"),
        (
            agreement("fact_f1", 0.5, n_items=-1),
            "fact_f1 stands on -1 items of 2 papers",
        ),
        (
            agreement("fact_f1", 0.5, n_papers=3),
            "fact_f1 stands on 3 items of 3 papers",
        ),
    ],
)
def test_a_figure_that_no_labels_give_is_told(found: Agreement, fault: str) -> None:
    """A floor is held against it."""
    assert implausible(judged(trust(found), FIRST, SECOND)) == f"suite 'golden': {fault}"


def test_a_figure_at_the_end_of_its_range_is_plausible() -> None:
    """A kappa may be negative, and a figure may be undefined."""
    ends = (
        agreement("facet_kappa", -1.0, low=-1.0, high=1.0),
        agreement("fact_f1", None, floor(0.0, "fact_f1"), low=None, high=None, n_items=0),
    )
    assert implausible(judged(trust(*ends), FIRST, SECOND)) == ""


ALIKE = replace(SECOND, group=FIRST.group)
NOT_MEASURED = "its judge is not measured, and it has figures or golden answers"


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        (judged(trust()), "its judge is measured on 2 labelled pairs, and 0 are in it"),
        (judged(None, FIRST), NOT_MEASURED),
        (judged(UNMEASURED, FIRST), NOT_MEASURED),
        (judged(replace(UNMEASURED, agreements=(MISSED,))), NOT_MEASURED),
        (
            judged(trust(), FIRST, SECOND, has_labels=False),
            "its judge is measured, and it has no labels",
        ),
        (judged(UNMEASURED, has_labels=False), "its judge is measured, and it has no labels"),
        (
            judged(trust(agreements=(), n_pairs=0, n_papers=0)),
            "its judge is measured, and there is no golden answer in it",
        ),
        (
            judged(trust(n_pairs=3), FIRST, SECOND),
            "its judge is measured on 3 labelled pairs, and 2 are in it",
        ),
        (
            judged(trust(), FIRST, ALIKE),
            "its judge is measured on 2 labelled papers, and 1 are in it",
        ),
        (
            judged(trust(n_unanswered=1), FIRST, SECOND),
            "its judge is measured on 1 unanswered labels, and 0 are in it",
        ),
        (
            judged(trust(HOLDS_ONE, n_papers=1), FIRST, FIRST),
            "golden answers on 'careless' on 'zinc-01': 2 times",
        ),
        (judged(trust(MISSED, MISSED), FIRST, SECOND), "agreement 'facet_kappa': 2 times"),
    ],
)
def test_a_judge_and_its_golden_answers_belong_together(record: RunRecord, fault: str) -> None:
    """A record with the one and without the other was written by no run."""
    assert implausible(record) == f"suite 'golden': {fault}"


def test_conflicts_that_no_sentence_has_are_implausible() -> None:
    """An editor that lowers the count to pass a threshold has to find the sentences, too."""
    assert not implausible(of(pair("moss-01", replace(faithful(0.5), conflicts=0))))
    told = implausible(of(pair("moss-01", replace(faithful(0.5), conflicts=2))))
    assert told.endswith("2 conflicts are counted, and 0 sentences have one")
