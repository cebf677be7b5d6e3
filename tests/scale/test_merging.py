from __future__ import annotations

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.endpoints.limits import ModelSeen
from summeval_pytest.errors import OptionError
from summeval_pytest.record.shards import find_suite
from summeval_pytest.scale.merging import check_options, joined
from summeval_pytest.verdict.means import Slice
from summeval_pytest.verdict.policy import Policy
from summeval_pytest.verdict.run import JudgeName, PairResult, RunRecord, SystemResult
from summeval_pytest.verdict.thresholds import Threshold, Thresholds
from tests.record.papers import paper
from tests.verdict.golden_answers import answered, golden
from tests.verdict.records import pair, run, suite, system

GATED = (replace(system("careful", "fern", "moss"), summaries="0a"),)


def part(
    *pairs: PairResult, systems: tuple[SystemResult, ...] = GATED, **changes: object
) -> RunRecord:
    """A run of some of the pairs."""
    stored = suite(*pairs, systems=systems)
    return run(replace(stored, **changes))  # type: ignore[arg-type]  # its fields


FERN, MOSS, PLAIN = pair("fern"), pair("moss"), pair("fern", system="plain")
ALSO = (*GATED, replace(system("plain", "fern", "moss"), summaries="0b"))
LABEL = golden(answered("result", 4, 4), paper="fern", system="careful")


def test_runs_are_joined_with_all_that_any_of_them_has() -> None:
    """Pairs, systems, papers, golden answers, and what was asked in all."""
    seen = ModelSeen(endpoint="here", asked="gpt", returned="gpt-1", fingerprint="")
    one = part(FERN, papers=(paper("fern"),), golden=(LABEL,))
    two = part(MOSS, PLAIN, systems=ALSO, papers=(paper("fern"), paper("moss")), golden_fault="cut")
    one, two = (
        replace(each, header=replace(each.header, usage={"n_calls": n}, models=(seen,)))
        for n, each in ((2.0, one), (3.0, two))
    )
    result = joined({"1.json": one, "2.json": two})
    assert (result.header.usage, result.header.models) == ({"n_calls": 5.0}, (seen,))
    (stored,) = result.suites
    assert [*stored.pairs] == [FERN, MOSS, PLAIN]
    assert [each.name for each in stored.systems] == ["careful", "plain"]
    assert stored.papers == (paper("fern"), paper("moss"))
    assert (stored.golden, stored.golden_fault, stored.is_cut) == ((LABEL,), "cut", False)
    cut = joined({"1.json": one, "2.json": part(MOSS, is_cut=True)})
    assert cut.suites[0].is_cut


OTHER_JUDGE = replace(part(MOSS), judge=JudgeName(name="mod:J", signature="fair-1"))


def shard(k: int, n: int) -> RunRecord:
    """One of so many shards."""
    return replace(part(), shard=(k, n))


def test_runs_that_do_not_belong_together_are_refused_by_what_differs(
    snapshot: SnapshotAssertion,
) -> None:
    """What is missing or doubled would be a mean over other papers, and nobody would see it."""
    cases = [
        [part(FERN), replace(OTHER_JUDGE, judge=JudgeName(name="fair", signature="fair-2"))],
        [part(FERN), OTHER_JUDGE],
        [part(labels="aa"), part(labels="bb")],
        [part(), part(systems=(replace(GATED[0], summaries="0c"),))],
        [part(FERN), part(FERN, MOSS)],
        [part(FERN, golden=(LABEL,)), part(MOSS, golden=(replace(LABEL, n_left_out=1),))],
        [shard(1, 2), shard(1, 2)],
        [shard(1, 3)],
        [shard(1, 2), part()],
    ]
    messages = []
    for runs in cases:
        with pytest.raises(OptionError) as caught:
            joined({f"{n}.json": each for n, each in enumerate(runs)})
        messages.append(str(caught.value))
    assert messages == snapshot


def test_suites_of_one_name_and_the_same_papers_are_told_by_their_paths() -> None:
    """Both of a run stay apart, and each is found again; another run may lie elsewhere."""
    (first,), (second,) = part(FERN).suites, part(MOSS).suites
    suites = replace(first, shown="a/gate.toml"), replace(second, shown="b/gate.toml")
    whole = joined({"1.json": run(*suites)})
    assert [[*each.pairs] for each in whole.suites] == [[FERN], [MOSS]]
    assert [find_suite(whole, each) for each in suites] == [*whole.suites]
    with pytest.raises(OptionError) as caught:
        find_suite(whole, first)
    assert str(caught.value) == (
        "--summ-from: 2 suites 'golden' with the same papers were judged, first a/gate.toml, and"
        " none at golden/summeval.toml; name the suites by the same paths"
    )
    (stored,) = joined({"1.json": run(suites[0]), "2.json": run(suites[1])}).suites
    assert [*stored.pairs] == [FERN, MOSS]


STRICT = Thresholds(
    pair=(Threshold("facet", 0.95), Threshold("faithfulness.conflicts", 2.0)),
    mean=(Threshold("eva", 0.5),),
)
SLICE = Slice(name="field=warm", papers=("fern",), thresholds=(Threshold("facet", 0.9),))
POLICY = Policy(thresholds=STRICT, slices=(SLICE,), must_pass=("fern",), share=0.9)
COMPARED = tuple(replace(each, baseline="v1") for each in ALSO)


def required(policy: Policy, systems: tuple[SystemResult, ...] = COMPARED) -> RunRecord:
    """A shard with this policy and these systems, which were compared with v1."""
    return replace(part(systems=systems, policy=policy), shard=(1, 2))


def looser(**changes: object) -> Policy:
    """The policy with these fields changed."""
    return replace(POLICY, **changes)  # type: ignore[arg-type]  # its fields


def at(name: str, least: float) -> Policy:
    """The policy with another threshold on a number of pairs."""
    pair = tuple(replace(each, least=least) if each.name == name else each for each in STRICT.pair)
    return looser(thresholds=replace(STRICT, pair=pair))


def test_shards_that_were_judged_with_more_than_today_are_refused(
    snapshot: SnapshotAssertion,
) -> None:
    """An option that is forgotten would turn what they failed by green."""
    today = [
        *((POLICY, GATED, "v1"), (POLICY, COMPARED, None)),
        *((at("facet", 0.6), COMPARED, "v1"), (at("faithfulness.conflicts", 3), COMPARED, "v1")),
        (looser(thresholds=replace(STRICT, mean=())), COMPARED, "v1"),
        *((looser(slices=()), COMPARED, "v1"), (looser(must_pass=()), COMPARED, "v1")),
        *((looser(share=0.8), COMPARED, "v1"), (looser(rules=()), COMPARED, "v1")),
    ]
    messages = []
    for policy, systems, compare in today:
        (now,) = required(policy, systems).suites
        with pytest.raises(OptionError) as caught:
            check_options({"1.json": required(POLICY)}, now, compare=compare)
        messages.append(str(caught.value))
        whole = replace(required(POLICY), shard=None)
        check_options({"whole.jsonl": whole}, now, compare=compare)
    assert messages == snapshot


def test_shards_may_be_held_to_more_than_they_were_judged_with() -> None:
    """Rules count only for what was compared."""
    (now,) = required(POLICY).suites
    less = replace(at("facet", 0.6), rules=())
    check_options({"1.json": required(less)}, now, compare="v1")
    (plain,) = required(looser(rules=(), share=0.5), ALSO).suites
    check_options({"1.json": required(POLICY, ALSO)}, plain)
