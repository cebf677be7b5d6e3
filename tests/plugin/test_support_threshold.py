"""Real runs with a threshold on the mean support: met, missed, and judges that give none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench

NAME: Final = '"faithfulness.support"'
SURE: Final = "--summ-judge=rule:Sure"
REMEDY: Final = (
    "use --summ-judge=offline or --summ-votes=3, hold faithfulness in its place, or remove the"
    " threshold"
)


def test_a_missed_one_fails_with_the_sentences_that_lower_it(bench: Bench) -> None:
    """All sentences are supported, so no finding would tell why: the weak one is quoted."""
    bench.suite(pair=f"{NAME} = 0.7", mean=f"{NAME} = 0.81", papers=("kiln-02",))
    run = bench.inside("summeval.toml", SURE, "-rA", "--summ-min=faithfulness.support=0.9")
    assert run.code == 1
    assert run.outcomes == {
        "summeval.toml::good::kiln-02": "FAILED",
        "summeval.toml::good::all-papers": "FAILED",
    }
    assert run.block("faithfulness.support 0.800 < 0.900", 5) == [
        "faithfulness.support 0.800 < 0.900",
        "good.jsonl:1: good on kiln-02",
        "",
        "supported, though by less than 0.900 of 1:",
        '   sentence 1, 0.400: "We fired forty bricks in the kiln with two draughts."',
    ]
    assert "good: mean faithfulness.support 0.800 < 0.810 (1 of 1 papers)" in run.lines


def test_a_judge_without_support_errs_and_never_passes(bench: Bench) -> None:
    """It says yes to everything; the pair is undecided, which is the judge's fault."""
    bench.suite(pair=f"{NAME} = 0.1", mean=f"{NAME} = 0.1", papers=("kiln-02",))
    run = bench.inside("summeval.toml", "--summ-judge=rule:Fair", "-rA")
    assert run.code == 1
    assert set(run.outcomes.values()) == {"ERROR"}
    assert (
        run.out.count("has no faithfulness.support: the judge did not say of every sentence") >= 2
    )
    assert REMEDY in run.out


def test_a_model_with_one_vote_is_refused_before_it_is_asked(bench: Bench) -> None:
    """That it gives no support is known beforehand, and each question would be paid for."""
    bench.suite(mean=f"{NAME} = 0.5")
    run = bench.inside("summeval.toml", "--summ-judge=gpt-5")
    assert run.code == 4
    assert (
        "summeval.toml has a threshold for faithfulness.support, and judge 'gpt-5' with one vote"
        f" says of a sentence only yes or no; {REMEDY}"
    ) in run.out + run.err


def test_a_comparison_shows_the_mean_support_and_tests_it_only_where_a_rule_names_it(
    bench: Bench,
) -> None:
    """A drop of it alone fails nobody who did not ask; who names it is told."""
    bench.suite(pair="faithfulness = 0.8")
    assert bench.inside("summeval.toml", SURE, "--summ-save=v1").code == 0
    bench.spoil("good.jsonl", "Slow firing is worth its fuel.", "Slow firing is worth the fuel.")
    compared = ("summeval.toml", SURE, "--summ-compare=v1", "-rA")
    # kiln-02: from (1 + 1 + .4) / 3 to (1 + .4 + .4) / 3; over both papers from .8 to .7.
    passing = bench.inside(*compared)
    assert passing.code == 0
    failing = bench.inside(*compared, "--summ-compare-fail=faithfulness.support:0.05")
    assert failing.code == 1
    (row,) = (line for line in failing.lines if line.startswith("faithfulness.support "))
    assert row.split()[:4] == ["faithfulness.support", "0.800", "0.700", "-0.100"]
    assert row.endswith("FAILS")
