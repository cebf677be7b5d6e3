from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import Place
from summeval_pytest.metrics.score import FacetScore, FaithfulnessScore, JudgedSentence, Unscored
from summeval_pytest.record.record import (
    Header,
    PairRecord,
    PaperRecord,
    RunRecord,
    SuiteRecord,
    SystemRecord,
)
from summeval_pytest.verdict.decide import PairVerdict, Shortfall
from summeval_pytest.verdict.findings import Finding
from summeval_pytest.verdict.thresholds import Thresholds
from tests.reports.records import TRUSTED, UNMEASURED, agreement, measured, trust, untrusted

if TYPE_CHECKING:
    from summeval_pytest.record.record import Covered, Outcome
    from summeval_pytest.verdict.trust import Trust

HERE = Place("golden/summeval.toml", 3)
PAPERS = ("moss-01", "zinc-01")


def pair(
    paper: str = "moss-01", system: str = "careful", outcome: Outcome = "passed"
) -> PairRecord:
    """A judged pair."""
    return PairRecord(
        paper=paper,
        system=system,
        outcome=outcome,
        summary="The moss stayed dry.",
        place=HERE,
        scores=(),
    )


def system(name: str = "careful", *papers: str, outcome: Covered = "passed") -> SystemRecord:
    """A gated system."""
    return SystemRecord(name=name, place=HERE, papers=papers or PAPERS, outcome=outcome)


def suite(
    *pairs: PairRecord,
    systems: tuple[SystemRecord, ...] = (system(),),
    papers: tuple[PaperRecord, ...] = (),
) -> SuiteRecord:
    """A suite of one system and two papers."""
    return SuiteRecord(
        has_labels=False,
        name="golden",
        shown="golden/summeval.toml",
        fingerprint="77be02a1c3d4",
        thresholds=Thresholds(pair=(), mean=()),
        systems=systems,
        papers=papers,
        pairs=pairs,
    )


def run(*suites: SuiteRecord) -> RunRecord:
    """A run over these suites."""
    return RunRecord(header=Header(environment={}, usage={}), judge="fair-1", suites=suites)


BOTH = (pair("moss-01"), pair("zinc-01"))


def finding(number: str, kind: str = "facet") -> Finding:
    """Something wrong."""
    return Finding(
        kind=kind,  # type: ignore[arg-type]  # a literal by its callers
        number=number,
        title=number,
        verdict="",
        reason="",
        reference=None,
        summary="",
        evidence=(),
        severity=1.0,
    )


def test_a_pair_tells_what_explains_its_failure() -> None:
    """The record keeps every finding, so that other thresholds can be tried later."""
    findings = (finding("facet.result"), finding("facet.method"), finding("eva.recall", "fact"))
    low = PairVerdict(shortfalls=(Shortfall(name="facet.method", value=1, least=2),))
    judged = replace(pair(outcome="failed"), findings=findings, verdict=low)
    assert [found.number for found in judged.told] == ["facet.method"]


def test_a_pair_that_passes_tells_nothing() -> None:
    """Also where something is wrong with it, and where that is waived."""
    findings = (finding("facet.result"), finding("faithfulness", "sentence"))
    short = Shortfall(name="facet.result", value=1, least=2)
    for verdict in (PairVerdict(shortfalls=()), PairVerdict(shortfalls=(), waived=(short,))):
        assert replace(pair(), findings=findings, verdict=verdict).told == ()


def test_a_pair_gives_its_numbers_again() -> None:
    """Worked example: another decision needs the values, and a brevity guard the sizes."""
    sentences = tuple(
        JudgedSentence(index=place, text="", supported=supported, reason="")
        for place, supported in enumerate((True, False))
    )
    lack = Unscored(metric="eva", status="refused_candidate", reason="refused")
    scores = (FacetScore(value=0.5), lack, FaithfulnessScore(value=0.5, sentences=sentences))
    numbers = replace(pair(), scores=scores).numbers()
    assert (numbers.paper, numbers.system) == ("moss-01", "careful")
    assert numbers.values == {"facet": 0.5, "faithfulness": 0.5}
    assert numbers.unscored == (lack,)
    assert numbers.sizes == {"words": 4, "faithfulness": 1, "sentences": 2}


def test_the_pairs_of_a_system_are_its_own_and_in_order() -> None:
    """A report has a table of each."""
    mine = (pair("zinc-01"), pair("moss-01"))
    judged = suite(mine[0], pair("zinc-01", "terse"), mine[1])
    assert judged.pairs_of("careful") == mine
    assert [found.paper for found in judged.pairs_of("terse")] == ["zinc-01"]
    assert judged.pairs_of("careless") == ()


def test_a_paper_is_found_by_its_id() -> None:
    """One that no pair was judged of is in no record, and None would hide that."""
    papers = tuple(
        PaperRecord(id=name, title="", place=HERE, references=(), n_sentences=0, cited=())
        for name in PAPERS
    )
    judged = suite(papers=papers)
    assert judged.paper("zinc-01") is papers[1]
    with pytest.raises(KeyError, match="fern-01"):
        judged.paper("fern-01")


def test_a_suite_with_every_pair_scored_is_complete() -> None:
    """A system may skip papers, so each brings its own number of them."""
    systems = (system("careful", *PAPERS), system("terse", "zinc-01"))
    judged = suite(*BOTH, pair("zinc-01", "terse", "failed"), systems=systems)
    assert judged.n_expected == 3
    assert judged.is_complete


@pytest.mark.parametrize(
    "pairs",
    [(), BOTH[:1], BOTH[1:], (BOTH[0], pair("zinc-01", outcome="error"))],
    ids=["none", "the first", "the second", "one in error"],
)
def test_a_suite_that_was_judged_in_part_is_not_complete(pairs: tuple[PairRecord, ...]) -> None:
    """A selection, or a judge that broke down, must never pass for a whole run."""
    assert not suite(*pairs).is_complete


def test_a_suite_whose_pairs_fail_is_complete() -> None:
    """Red is a result; only an error is none."""
    assert suite(pair("moss-01", outcome="failed"), pair("zinc-01", outcome="failed")).is_complete


def test_means_that_were_not_judged_do_not_make_a_suite_incomplete() -> None:
    """They can be taken again from its pairs."""
    assert suite(*BOTH, systems=(system(outcome="not judged"),)).is_complete


def test_a_run_is_complete_where_all_its_suites_are() -> None:
    """One suite in part makes the run one in part."""
    assert run(suite(*BOTH)).is_complete
    assert run(suite(*BOTH), suite(*BOTH)).is_complete
    assert not run(suite(*BOTH), suite(*BOTH[:1])).is_complete
    assert not run(suite(*BOTH[:1]), suite(*BOTH)).is_complete


RANK: tuple[Covered, ...] = ("not judged", "passed", "failed", "error")
"""From what counts least to what counts most."""


@pytest.mark.parametrize(
    ("first", "second", "means"),
    [*product(["passed", "failed", "error"], ["passed", "failed", "error"], RANK)],
)
def test_the_worst_outcome_of_a_run_is_its_outcome(
    first: Outcome, second: Outcome, means: Covered
) -> None:
    """An error is worse than a failure: nobody knows what the pair would have been."""
    worst = max(first, second, means, key=RANK.index)
    pairs = (pair("moss-01", outcome=first), pair("zinc-01", outcome=second))
    assert run(suite(*pairs, systems=(system(outcome=means),))).outcome == worst
    apart = (suite(pairs[0], systems=(system(outcome=means),)), suite(pairs[1], systems=()))
    assert run(*apart).outcome == worst
    assert run(*apart[::-1]).outcome == worst


def test_a_run_that_judged_nothing_says_so() -> None:
    """Neither green nor red: an empty selection proves nothing."""
    assert run().outcome == "not judged"
    assert run(suite(systems=(system(outcome="not judged"),))).outcome == "not judged"


def test_a_run_of_means_alone_has_their_outcome() -> None:
    """`-k all-papers` judges no pair of its own."""
    assert run(suite(systems=(system(outcome="failed"),))).outcome == "failed"


@pytest.mark.parametrize("outcome", ["passed", "failed", "error"])
def test_a_run_of_an_untrusted_judge_is_untrusted_whatever_it_says(outcome: Outcome) -> None:
    """Neither its green nor its red counts, and an error of one pair is none of the judge's."""
    pairs = (pair("moss-01", outcome=outcome), pair("zinc-01"))
    held = untrusted(suite(*pairs))
    assert held.is_untrusted
    assert run(held).is_untrusted
    assert run(held).outcome == "untrusted"
    both = run(measured(suite(*BOTH), TRUSTED), held)
    assert (both.is_untrusted, both.outcome) == (True, "untrusted")
    assert run(suite(), measured(held, UNMEASURED), held).outcome == "untrusted"


def test_the_outcomes_of_what_an_untrusted_judge_decided_are_kept() -> None:
    """They are shown beside the mark."""
    held = untrusted(suite(pair("moss-01", outcome="failed"), pair("zinc-01")))
    assert run(held).outcomes == {"passed", "failed"}


@pytest.mark.parametrize(
    "found",
    [TRUSTED, trust(agreement()), trust(agreement("fact_f1", None, low=None, high=None))],
    ids=["floors held", "no floor", "undefined without a floor"],
)
def test_a_judge_that_misses_no_floor_leaves_the_outcome_alone(found: Trust) -> None:
    """Figures that nobody has set a floor on are for reading."""
    held = measured(suite(*BOTH), found)
    assert not run(held).is_untrusted
    assert run(held).outcome == "passed"
    assert run(measured(suite(pair(outcome="failed")), found)).outcome == "failed"


def test_a_judge_that_was_not_measured_is_an_error_of_the_run() -> None:
    """Its verdicts may be right, and nobody knows; that is no pass, and no failure of a system."""
    held = measured(suite(*BOTH), UNMEASURED)
    assert not held.is_untrusted
    assert run(held).outcomes == {"passed", "error"}
    assert run(held).outcome == "error"
    assert run(measured(suite(systems=()), UNMEASURED)).outcome == "error"


def test_labels_that_were_not_used_change_no_outcome() -> None:
    """A run of one paper does not measure the judge, and says so elsewhere."""
    assert run(replace(suite(*BOTH), has_labels=True)).outcome == "passed"
