from __future__ import annotations

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from summeval_pytest.endpoints.spending import ModelSeen
from summeval_pytest.errors import OptionError
from summeval_pytest.record.shards import joined
from summeval_pytest.verdict.run import JudgeName, PairResult, RunRecord, SystemResult
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
