from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.differences import Comparison
from summeval_pytest.verdict.policy import Floors
from summeval_pytest.verdict.run import Covered, Outcome, PairResult, SuiteRecord
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from summeval_pytest.verdict.trust import Agreement, JudgeAgreement
from tests.verdict.records import eva, pair, rated, run, suite, system

BOTH = (pair("moss-01"), pair("zinc-01"))
RANK: tuple[Covered, ...] = ("not judged", "passed", "failed", "error")
"""From what counts least to what counts most."""
MISSED = Agreement(
    name="facet_kappa",
    value=0.3,
    n_items=9,
    n_papers=3,
    floors=(Threshold("facet_kappa", 0.9, "point"),),
)
UNTRUSTED = JudgeAgreement(judge="fair-1", labels="0a", agreements=(MISSED,))
UNMEASURED = JudgeAgreement(judge="fair-1", labels="0a", fault="it timed out")


def gated(*pairs: PairResult, outcome: Covered = "passed") -> SuiteRecord:
    """A suite of one system and two papers."""
    return suite(
        *pairs, systems=(replace(system("careful", "moss-01", "zinc-01"), outcome=outcome),)
    )


@pytest.mark.parametrize(
    ("pairs", "gaps"),
    [
        ((), ("only 0 of 2 pairs are in this run",)),
        (BOTH[:1], ("only 1 of 2 pairs are in this run",)),
        ((BOTH[0], pair("zinc-01", outcome="error")), ()),
    ],
    ids=["none", "one", "one in error"],
)
def test_a_suite_that_was_judged_in_part_is_not_complete(
    pairs: tuple[PairResult, ...], gaps: tuple[str, ...]
) -> None:
    """A selection, or a judge that broke down, must never pass for a whole run."""
    assert not gated(*pairs).is_complete
    assert tuple(run(gated(*pairs)).gaps(gated(*pairs))) == gaps
    assert not run(gated(*pairs)).may_release
    assert run(gated(*BOTH)).is_complete
    assert run(gated(*BOTH)).may_release


def test_a_run_that_was_cut_or_not_compared_releases_nothing() -> None:
    """Whatever its pairs say: what was asked for is not known."""
    cut = replace(gated(*BOTH), is_cut=True)
    assert cut.missing == "not complete: 2 of 2 pairs, the run was cut"
    (careful,) = gated(*BOTH).systems
    requests = replace(gated(*BOTH), systems=(replace(careful, baseline="v1.3"),))
    assert run(requests).gaps(requests) == ["careful was not compared with v1.3"]
    table = Floors(floors=(Threshold("facet_exact", 0.5, "point"),))
    policy = gated(*BOTH).policy
    floors = replace(gated(*BOTH), policy=replace(policy, floors=(table,)))
    assert run(floors).gaps(floors) == ["the floors of the judge were not tested"]
    other = replace(gated(*BOTH), policy=replace(policy, floors=(replace(table, judge="gpt"),)))
    assert run(other).gaps(other) == [
        "the suite has floors for gpt, and none for fair (add [thresholds.judge])"
    ]
    of_means = replace(policy, thresholds=Thresholds(pair=(), mean=(Threshold("facet", 0.5),)))
    means = replace(gated(*BOTH, outcome="not judged"), policy=of_means)
    assert run(means).gaps(means) == ["the means of careful were not tested"]
    lenient = replace(gated(*BOTH), unmeasured=("eva", "judge.facet_exact"))
    assert run(lenient).gaps(lenient) == ["the judge does not measure eva, judge.facet_exact"]
    shard = replace(run(gated(*BOTH)), shard=(1, 1))
    assert (shard.shown, shard.may_release) == ("partial", False)
    for stored in (cut, requests, floors, means, lenient):
        assert run(stored).shown == "partial"
        assert (run(stored).outcome, run(stored).may_release) == ("passed", False)
    comparison = Comparison(baseline="v1.3", system="careful")
    made = replace(careful, baseline="v1.3", comparison=comparison)
    assert run(replace(requests, systems=(made,))).may_release


def test_the_worst_outcome_of_a_run_is_its_outcome() -> None:
    """An error is worse than a failure: nobody knows what the pair would have been."""
    judged: tuple[Outcome, ...] = ("passed", "failed", "error")
    for first, second, means in product(judged, judged, RANK):
        worst = max(first, second, means, key=RANK.index)
        pairs = (pair("moss-01", outcome=first), pair("zinc-01", outcome=second))
        assert run(gated(*pairs, outcome=means)).outcome == worst
        apart = (gated(pairs[0], outcome=means), suite(pairs[1]))
        assert run(*apart).outcome == run(*apart[::-1]).outcome == worst
    assert (run(suite()).outcome, run(suite()).may_release) == ("not judged", False)


@pytest.mark.parametrize("outcome", ["passed", "failed", "error"])
def test_a_run_of_an_untrusted_judge_is_untrusted_whatever_it_says(outcome: Outcome) -> None:
    """Neither its green nor its red counts, and an error of one pair is none of the judge's.

    Of a judge that was not measured nobody knows; that is no pass, and no failure of a system.
    """
    stored = replace(gated(pair("moss-01", outcome=outcome), BOTH[1]), trust=UNTRUSTED)
    trusted, unmeasured = (
        replace(gated(*BOTH), trust=trust)
        for trust in (replace(UNTRUSTED, agreements=()), UNMEASURED)
    )
    for suites in ((stored,), (trusted, stored), (unmeasured, stored)):
        assert run(*suites).outcome == "untrusted"
    assert run(unmeasured).outcomes == {"passed", "error"}
    assert run(unmeasured).outcome == "error"


def test_pairs_are_found_by_system_and_paper_however_they_are_kept() -> None:
    """In memory, and decided anew whenever one is asked for."""
    other = pair("moss-01", system="plain", summary="Rats ran.")
    record = suite(*BOTH, other)
    for stored in (record, decide(run(record)).suites[0]):
        assert [pair.paper for pair in stored.pairs_of("careful")] == ["moss-01", "zinc-01"]
        (actual,) = stored.pairs_in({("plain", "moss-01"), ("plain", "zinc-01")})
        assert actual.summary == "Rats ran."
        changed = stored.with_pairs(lambda each: replace(each, note="seen"))
        assert {pair.note for pair in changed.pairs} == {"seen"}
    record = suite(pair("moss-01", eva(0.5)), pair("moss-01", rated(), system="plain"))
    assert [each.metric for each in record.signatures()] == ["eva", "facet"]
    assert [each.metric for each in record.signatures("plain")] == ["facet"]
