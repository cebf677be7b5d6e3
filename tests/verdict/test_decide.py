from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.catalogue import Score
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.metrics.signature import signature_of
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.verdict.comparison import Baseline
from summeval_pytest.verdict.decide import Inputs, decide, decide_judge
from summeval_pytest.verdict.differences import Comparison, Difference, PairChange
from summeval_pytest.verdict.pair import Shortfall, why_missing
from summeval_pytest.verdict.policy import Floors, Policy
from summeval_pytest.verdict.run import Covered, JudgeName, SuiteRecord
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import (
    SIGNATURES,
    SILENT,
    baseline,
    believed,
    eva,
    on_day,
    pair,
    pairs_of,
    rated,
    run,
    suite,
    system,
    unscored,
    waiver,
)

PAIR = Thresholds(pair=(Threshold("faithfulness", 0.5),), mean=())
BOTH = replace(PAIR, mean=(Threshold("faithfulness", 0.6),))
SHOWN = "golden/summeval.toml"


def decided(
    record: SuiteRecord, thresholds: Thresholds | None = None, against: Baseline | None = None
) -> SuiteRecord:
    """The suite by other thresholds or against a baseline; deciding it again changes nothing."""
    policy = replace(record.policy, thresholds=thresholds or record.policy.thresholds)
    policies = {SHOWN: policy} if thresholds is not None else None
    baselines = {(SHOWN, "careful"): against} if against is not None else None
    decision = decide(run(record), policies, baselines=baselines)
    (actual,), (again,) = decision.suites, decide(decision).suites
    assert [*again.pairs] == [*actual.pairs]
    assert against is not None or replace(again, pairs=()) == replace(actual, pairs=())
    return actual


def outcomes(record: SuiteRecord) -> list[Covered]:
    """The outcome of each pair."""
    return [pair.outcome for pair in record.pairs]


# Pairs and means


def test_what_a_record_says_of_its_outcomes_is_never_read() -> None:
    """Whoever edits a failure into a pass changes nothing: the numbers decide.

    Other thresholds decide otherwise, at 0.2 all pass; the texts are what was paid for.
    """
    edited = suite(
        *pairs_of(0.25, 0.5, 0.75),
        systems=(replace(system("careful", "moss-00", "moss-01", "moss-02"), outcome="passed"),),
        thresholds=BOTH,
    )
    actual = decided(edited)
    assert outcomes(edited) == ["passed"] * 3
    assert outcomes(actual) == ["failed", "passed", "passed"]
    assert actual.pairs[0].verdict.shortfalls == (
        Shortfall(name="faithfulness", value=0.25, least=0.5),
    )
    assert [(each.outcome, each.verdict.means[0].value) for each in actual.systems] == [
        ("failed", 0.5)
    ]
    limits = replace(PAIR, pair=(Threshold("faithfulness", 0.2),))
    actual = decided(edited, limits)
    assert outcomes(actual) == ["passed"] * 3
    assert actual.policy == replace(edited.policy, thresholds=limits)
    for old, new in zip(edited.pairs, actual.pairs, strict=True):
        assert new == replace(old, outcome=new.outcome, verdict=new.verdict)


def test_a_system_of_which_not_every_paper_was_judged_has_no_means() -> None:
    """A mean over some papers is another number; the pairs are decided all the same."""
    some = system("careful", "moss-00", "moss-01")
    actual = decided(suite(*pairs_of(0.75), systems=(some,), thresholds=BOTH))
    assert actual.systems == (some,)
    assert outcomes(actual) == ["passed"]
    lost = replace(some, fault="a worker died")
    (kept,) = decided(suite(*pairs_of(0.75), systems=(lost,), thresholds=BOTH)).systems
    assert (kept.outcome, kept.fault) == ("error", "a worker died")


def test_waivers_are_listed_once_with_what_became_of_them() -> None:
    """Of pairs, of means, and of a pair that was not judged."""
    waivers = on_day(
        waiver("faithfulness", paper="moss-00"),
        replace(waiver("faithfulness", paper=ALL_PAPERS), name="mean"),
        replace(waiver("faithfulness", paper="moss-07"), name="later"),
    )
    actual = decided(suite(*pairs_of(0.25), thresholds=BOTH, waivers=waivers))
    assert [(use.waiver.name, use.state) for use in actual.waivers] == [
        ("wet-moss", "in use"), ("mean", "in use"), ("later", "not judged"),
    ]  # fmt: skip
    assert (outcomes(actual), actual.systems[0].outcome) == (["passed"], "passed")


@pytest.mark.parametrize(
    ("name", "n_pairs", "paper"),
    [
        ("eva.recall", 2, "moss-00"),
        # EVA was measured, and this part of it only where a suite asks; no pair could miss it
        ("eva.recall_entailed", 1, "moss-00"),
        # a rule's own support is no judge's, and other answers are needed
        ("faithfulness.support", 1, "moss-01"),
    ],
)
@pytest.mark.parametrize("scope", ["pair", "mean"])
def test_a_policy_on_a_number_that_the_record_does_not_have_is_refused(
    name: str, n_pairs: int, paper: str, scope: str
) -> None:
    """It could not be decided without a call, and deciding nothing would look like a pass."""
    facts: tuple[Score | Unscored, ...] = (replace(eva(0.5), recall_entailed=None), unscored("eva"))
    pairs = [
        pair(f"moss-0{n}", believed(support), *(facts[n : n + 1] if "entailed" in name else ()))
        for n, support in enumerate((1.0, None))
    ]
    limits = Thresholds(**{"pair": (), "mean": (), scope: (Threshold(name, 0.3),)})
    with pytest.raises(OptionError) as caught:
        decided(suite(*pairs), limits)
    assert str(caught.value) == (
        f"the record of {SHOWN} has no {name} on {n_pairs} of 2 pairs, first 'careful' on"
        f" {paper!r}: {why_missing(name)}"
    )
    # as it was required then, it is an error and no pass
    actual = decided(suite(*pairs, thresholds=limits))
    assert "error" in {*outcomes(actual), actual.systems[0].outcome}


def test_a_number_that_does_not_apply_or_was_refused_is_not_missing() -> None:
    """The reference does not state the facet, or the system gave nothing to count."""
    record = suite(pair("moss-00", rated({"result": 4})), pair("moss-01", unscored("facet")))
    limits = Thresholds(pair=(Threshold("facet.method", 4),), mean=())
    assert outcomes(decided(record, limits)) == ["passed", "failed"]


# Comparisons


def test_a_baseline_says_what_changed_and_which_rules_are_broken() -> None:
    """A paper that the judge broke down on has no change; the system's comparison is an error."""
    old, new = pairs_of(*[0.75] * 5), pairs_of(*[0.25] * 5)
    actual = decided(suite(*new), against=baseline(*old))
    assert actual.systems[0].outcome == "failed"
    comparison = actual.systems[0].comparison
    assert comparison is not None
    assert (comparison.baseline, comparison.system) == ("v1.3", "careful")
    assert [pair.change is not None and pair.change.baseline for pair in actual.pairs] == [
        "run v1.3, system careful"
    ] * 5
    broken = [*new[:4], pair("moss-04", unscored("faithfulness", SILENT, "cut"))]
    (judged,) = decided(suite(*broken), against=baseline(*old)).systems
    assert (judged.outcome, judged.comparison) == ("error", None)
    assert judged.fault == (
        "system 'careful' is undecided: moss-04: faithfulness is unscored: unanswered, cut"
    )


DROP = Difference(name="eva", n_papers=1, old=1, new=0, change=-1, broken=("eva drops",))


@pytest.mark.parametrize(
    ("changes", "outcome", "without_means"),
    [
        ({}, "passed", "not judged"),
        ({"differences": (DROP,)}, "failed", "failed"),
        ({"undecided": (("eva", "eva drops by 0.1"),)}, "error", "not judged"),
        ({"differences": (DROP,), "undecided": (("eva", "eva drops by 1"),)}, "error", ""),
        ({"differences": (DROP,), "undecided": (("facet", "facet drops"),)}, "failed", ""),
    ],
)
@pytest.mark.parametrize("thresholds", [PAIR, BOTH])
def test_a_recorded_comparison_still_counts_under_other_thresholds(
    changes: dict[str, object], outcome: str, without_means: str, thresholds: Thresholds
) -> None:
    """Thresholds move no number, so what was a drop is one; without means there is still that."""
    old = Comparison(baseline="v1.3", system="careful", **changes)  # type: ignore[arg-type]  # its fields
    change = PairChange(paper="moss-00", system="careful", baseline="v1.3")
    pairs = [replace(each, change=change) for each in pairs_of(0.75)]
    record = suite(*pairs, systems=(replace(system("careful", "moss-00"), comparison=old),))
    actual = decided(record, thresholds)
    assert (actual.systems[0].outcome, actual.systems[0].comparison) == (outcome, old)
    assert actual.pairs[0].change == change
    if outcome == "error":
        phrase = old.undecided[0][1]
        message = (
            f"system 'careful' is undecided: against run v1.3, system careful, undecided: {phrase}"
        )
        assert actual.systems[0].fault == message
    # also where not every paper is in the run
    some = replace(record.systems[0], papers=("moss-00", "moss-01"))
    actual = decided(replace(record, systems=(some,)), thresholds)
    assert not without_means or actual.systems[0].outcome == without_means


# The judge

LABELLED = (golden(answered("result", 4, 4), answered("sentence", 0, 0)),)
FLOORS = (
    Floors(floors=(Threshold("facet_exact", 0.5, "point"),)),
    Floors(floors=(Threshold("facet_exact", 1.0, "lower"),), judge="offline"),
)
OFFLINE, OTHER = (JudgeName(name=name, signature=f"{name}-1") for name in ("offline", "mod:J"))


def test_floors_go_by_the_judge_that_made_the_record() -> None:
    """Whoever is named today: another judge's floors say nothing of it.

    A judge without answers was not measured by its own fault, an error, or because nobody asked.
    """
    policy = Policy(thresholds=PAIR, floors=FLOORS)
    for judge, table in ((OFFLINE, FLOORS[1]), (OTHER, FLOORS[0])):
        actual = decide_judge((LABELLED, ""), "c3d477be02a1", judge, policy)
        assert actual is not None
        assert (actual.judge, actual.floors_of) == (judge.signature, table.judge)
        assert tuple(f for each in actual.agreements for f in each.floors) == table.floors
    broken = decide_judge(((), "no reply"), "c3d477be02a1", OFFLINE, policy)
    assert broken is not None
    assert (broken.outcome, broken.fault, broken.labels) == ("error", "no reply", "c3d477be02a1")
    assert decide_judge(((), ""), "", OFFLINE, policy) is None


# What it was measured with

RECORD = replace(
    suite(*(pair(f"moss-0{n}", rated(), eva(0.5)) for n in range(2))),
    systems=(replace(system("careful", "moss-00", "moss-01"), summaries="aa"),),
    labels="bb",
)
NOW = Inputs(judge=run().judge, suite=replace(RECORD, pairs=()), recipes=SIGNATURES[:2])
OTHERS = signature_of("facet", judge="fair-2", suite=RECORD.fingerprint)
WEIGHED = signature_of("facet", judge="fair-1", suite=RECORD.fingerprint)
WEIGHED = replace(WEIGHED, recipe=(*WEIGHED.recipe[:-1], ("weights", ".25,.25,.25,.25")))


def summarised(digest: str, of: SuiteRecord = RECORD) -> SuiteRecord:
    """The record, with another digest of its system's summaries."""
    return replace(of, systems=(replace(of.systems[0], summaries=digest),))


def today(**changes: Any) -> Inputs:
    """Inputs of a suite that has changed since."""
    return replace(NOW, suite=replace(NOW.suite, **changes))


def test_a_record_of_something_else_is_refused_by_what_differs(snapshot: SnapshotAssertion) -> None:
    """A green of other summaries, labels or recipes says nothing of these.

    A mean over other papers would pass for the mean; a record without its end may be edited.
    """
    assert decide(run(RECORD), inputs={SHOWN: NOW}).suites[0].systems == RECORD.systems
    more = replace(system("careful", *(f"moss-0{n}" for n in range(6))), summaries="aa")
    asked = summarised("asked-1", NOW.suite)
    cases: list[tuple[SuiteRecord, Inputs]] = [
        (RECORD, replace(NOW, judge=JudgeName(name="fair", signature="fair-2"))),
        (RECORD, today(fingerprint="cc")),
        (RECORD, today(labels="")),
        (RECORD, replace(NOW, suite=summarised("ab", NOW.suite))),
        (RECORD, today(systems=())),
        (summarised(""), replace(NOW, suite=asked)),
        (summarised("asked-2"), replace(NOW, suite=asked)),
        (RECORD, replace(NOW, recipes=(WEIGHED, SIGNATURES[1]))),
        (RECORD, replace(NOW, recipes=(OTHERS, SIGNATURES[1]))),
        (RECORD, today(fingerprint="cc", labels="dd")),
        (RECORD, today(systems=(more,))),
        (replace(RECORD, is_cut=True), NOW),
    ]
    messages = []
    for record, now in cases:
        with pytest.raises(OptionError) as caught:
            decide(run(record), inputs={SHOWN: now})
        messages.append(str(caught.value))
    assert messages == snapshot


def test_a_comparison_that_passes_hides_no_missed_mean() -> None:
    """As good as the last release, and still not good enough."""
    pairs = pairs_of(*[0.5] * 200)
    limits = Thresholds(pair=(), mean=(Threshold("faithfulness", 0.9),))
    (actual,) = decided(suite(*pairs), limits, against=baseline(*pairs)).systems
    assert actual.comparison is not None
    assert (actual.comparison.fails, actual.outcome) == (False, "failed")
