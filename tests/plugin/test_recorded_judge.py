"""Real pytest runs with a recorded judge: other people's ratings decide, and nobody is asked."""

from __future__ import annotations

from tests.plugin.conftest import PAPERS, Bench

OLD = "--summ-judge=old"
HEAD = """\
default_systems = ["good", "bad"]
[judges.old]
use = "summeval_pytest.study.recorded_judge:RecordedJudge"
file = "recorded.jsonl"
by = "GPT"
segments = "GPT segments"
"""
PARTS = ("method", "result", "conclusion")


def recorded(bench: Bench) -> None:
    """A suite whose good system was rated 4 and its bad one 1."""
    bench.suite(head=HEAD, mean="facet = 0.6")
    rows: list[dict[str, object]] = []
    for paper in ("limpet-01", "kiln-02"):
        stated = dict(zip(PARTS, PAPERS[paper], strict=True))
        method, _, rest = bench.good[paper].partition(". ")
        written = {"method": f"{method}.", "result": rest}
        rows += [
            {"paper": paper, "system": None, "by": "GPT segments", "segments": stated},
            {"paper": paper, "system": "good", "by": "GPT segments", "segments": written},
            {"paper": paper, "system": "good", "by": "GPT", "facets": {"method": 4, "result": 4}},
            {
                "paper": paper,
                "system": "bad",
                "by": "GPT segments",
                "segments": {"result": bench.bad[paper]},
            },
            {"paper": paper, "system": "bad", "by": "GPT", "facets": {"result": 1}},
        ]
    bench.lines("recorded.jsonl", *rows)


def test_recorded_ratings_decide(bench: Bench) -> None:
    """Three facets: 4 of 4, 4 of 4 and 1 of 3 by rule is .778, and the bad one has .278."""
    recorded(bench)
    run = bench.inside("summeval.toml", OLD, "-rA", "--summ-record=none")
    assert run.code == 1
    assert run.outcomes == {
        f"summeval.toml::{system}::{name}": outcome
        for system, outcome in (("good", "PASSED"), ("bad", "FAILED"))
        for name in ("limpet-01", "kiln-02", "all-papers")
    }
    assert "facet 0.278 < 0.600" in run.out
    assert not bench.store.exists()
    left = "summeval: judge old rates facets only; not measured in summeval.toml: faithfulness"
    assert left in run.lines, "else it would look as if it had been met"


def test_thresholds_that_the_judge_cannot_measure_are_a_usage_error(bench: Bench) -> None:
    """Nothing could fail, and not for want of thresholds."""
    recorded(bench)
    bench.spoil("summeval.toml", "facet = 0.6\nfaithfulness = 0.8", "eva = 0.3\nfaithfulness = 0.8")
    bench.spoil("summeval.toml", "[thresholds.mean]\nfacet = 0.6\n", "")
    run = bench.inside("summeval.toml", OLD)
    assert run.code == 4
    assert (
        "summeval.toml has no threshold, so nothing could fail: judge 'old' rates facets only and"
        " does not measure eva, faithfulness; add [thresholds]"
    ) in run.out + run.err
