"""Real runs with an upper bound, a threshold on support, and a judge that leaves items unanswered.

One wrong figure is red whatever the rate; silence of the judge is never green.
"""

from __future__ import annotations

from typing import Final

import pytest

from summeval_pytest.cli.app import main
from summeval_pytest.metrics.faithfulness import FaithfulnessScore
from tests.plugin.conftest import Bench

CONFLICTS: Final = '"faithfulness.conflicts"'
MISSED: Final = "faithfulness.conflicts 1 > 0 at most"
SUPPORT: Final = '"faithfulness.support"'
FAIR, MUTE = "--summ-judge=rule:Fair", "--summ-judge=rule:Mute"
NUMERATE, SURE = "--summ-judge=rule:Numerate", "--summ-judge=rule:Sure"
MEANS: Final = "summeval.toml::good::all-papers"
RIGHT: Final = [f"The kiln of brick {n} was hot." for n in range(25)]
WRONG: Final = [*RIGHT[:24], "The kiln was an alloy."]
RECORD: Final = "--summ-run-record=run.json"
WAIVER: Final = """
[waivers.bricks]
paper = "kiln-02"
system = "good"
finding = "faithfulness.conflicts"
most = 1
owner = "ines"
reason = "the paper has a misprint"
expires = 2999-01-31
"""


@pytest.fixture(name="wrong")
def _wrong(bench: Bench) -> Bench:
    """A suite whose one pair of two has a wrong figure, in one sentence of two."""
    bench.good["kiln-02"] = "We fired forty bricks in the kiln. The slow ones had 777 MPa."
    bench.suite(pair=f"faithfulness = 0.5\n{CONFLICTS} = 0", mean=f"{CONFLICTS} = 0.5")
    return bench


def test_one_wrong_figure_is_red_whatever_the_rate(
    wrong: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rate is met, the mean of conflicts is .5 at most; every report has the words."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(wrong.path / "steps.md"))
    reports = ("--summ-junit=j.xml", "--summ-github", "--summ-html=p.html", RECORD)
    run = wrong.inside("summeval.toml", NUMERATE, *reports, "-rA")
    assert run.outcomes == {
        "summeval.toml::good::limpet-01": "PASSED",
        "summeval.toml::good::kiln-02": "FAILED",
        MEANS: "PASSED",
    }
    start = run.lines.index(MISSED)
    assert run.lines[start + 3] == "1. sentence 2: conflict in a number, unsupported"
    assert f"title=conflict in sentence 2%3A good on kiln-02::{MISSED}%0A" in run.out
    junit, page = wrong.text("j.xml"), wrong.text("p.html")
    assert "faithfulness.conflicts 1 &gt; 0 at most" in junit
    assert "mean faithfulness.conflicts 0.500 &lt;= 0.500 at most" in junit
    assert "faithfulness.conflicts ≤ 0" in page
    assert "conflict in a number, unsupported" in page
    assert MISSED in wrong.text("steps.md").replace("&gt;", ">")
    (_, pair) = wrong.record().suites[0].pairs
    (score,) = (each for each in pair.scores if isinstance(each, FaithfulnessScore))
    assert score.values()["faithfulness.conflicts"] == 1
    assert [each.number_conflict for each in score.sentences] == [False, True]


def test_an_option_or_a_waiver_loosens_and_tightens_an_upper_bound(wrong: Bench) -> None:
    """As the suite's own key does, for pairs and for means; `most` lets no second one through."""
    loose = wrong.inside("summeval.toml", NUMERATE, "--summ-min=faithfulness.conflicts=1")
    assert loose.code == 0
    minimum = "--summ-min=mean.faithfulness.conflicts=0.4"
    tight = wrong.inside("summeval.toml", NUMERATE, "-rA", minimum)
    assert tight.outcomes[MEANS] == "FAILED"
    assert "good: mean faithfulness.conflicts 0.500 > 0.400 at most (2 of 2 papers)" in tight.lines
    fault = wrong.inside("summeval.toml", NUMERATE, "--summ-min=faithfulness.conflicts=-1")
    assert fault.code == 4
    assert "ranges from 0 up; write a value in that range" in fault.err

    wrong.extend(WAIVER)
    waived = wrong.inside("summeval.toml", NUMERATE)
    assert waived.code == 0
    assert "good on kiln-02, faithfulness.conflicts up to 1" in " ".join(waived.out.split())
    wrong.spoil("summeval.toml", "most = 1", "most = 0")
    assert "allows no more than 0" in wrong.inside("summeval.toml", NUMERATE).out


REMEDY: Final = (
    "use --summ-judge=offline or --summ-votes=3, hold faithfulness in its place, or remove the"
    " threshold"
)


def test_missed_support_fails_with_the_sentences_that_lower_it(bench: Bench) -> None:
    """All sentences are supported, so no finding would tell why: the weak one is quoted."""
    bench.suite(pair=f"{SUPPORT} = 0.7", mean=f"{SUPPORT} = 0.81", papers=("kiln-02",))
    met = bench.inside("summeval.toml", SURE, "--summ-min=mean.faithfulness.support=0.8")
    assert met.code == 0
    run = bench.inside("summeval.toml", SURE, "-rA", "--summ-min=faithfulness.support=0.9")
    assert run.code == 1
    assert run.outcomes == {"summeval.toml::good::kiln-02": "FAILED", MEANS: "FAILED"}
    assert run.block("faithfulness.support 0.800 < 0.900", 5) == [
        "faithfulness.support 0.800 < 0.900",
        "good.jsonl:1: good on kiln-02",
        "",
        "supported, though by less than 0.900 of 1:",
        '   sentence 1, 0.400: "We fired forty bricks in the kiln with two draughts."',
    ]
    assert "good: mean faithfulness.support 0.800 < 0.810 (1 of 1 papers)" in run.lines


def test_a_judge_without_support_errs_and_never_passes(bench: Bench) -> None:
    """It says yes to everything; a model with one vote is refused before it is asked and paid."""
    bench.suite(pair=f"{SUPPORT} = 0.1", mean=f"{SUPPORT} = 0.1", papers=("kiln-02",))
    run = bench.inside("summeval.toml", FAIR, "-rA")
    assert run.code == 1
    assert set(run.outcomes.values()) == {"ERROR"}
    message = "faithfulness.support is missing: the judge did not say of every sentence"
    assert run.out.count(message) >= 2
    assert REMEDY in run.out
    run = bench.inside("summeval.toml", "--summ-judge=gpt-5")
    assert run.code == 4
    assert (
        "summeval.toml has a threshold for faithfulness.support, and judge 'gpt-5' with one vote"
        f" says of a sentence only yes or no; {REMEDY}"
    ) in run.err


def test_a_comparison_tests_the_mean_support_only_where_a_rule_names_it(bench: Bench) -> None:
    """A drop of it alone fails nobody who did not ask; who names it is told."""
    bench.suite(pair="faithfulness = 0.8")
    assert bench.inside("summeval.toml", SURE, "--summ-save=v1").code == 0
    bench.spoil("good.jsonl", "Slow firing is worth its fuel.", "Slow firing is worth the fuel.")
    compared = ("summeval.toml", SURE, "--summ-compare=v1", "-rA")
    # kiln-02: from (1 + 1 + .4) / 3 to (1 + .4 + .4) / 3; over both papers from .8 to .7.
    assert bench.inside(*compared, "--summ-compare-fail=p0.05").code == 0
    failing = bench.inside(*compared, "--summ-compare-fail=faithfulness.support:0.05")
    assert failing.code == 1
    (row,) = (line for line in failing.lines if line.startswith("faithfulness.support "))
    assert row.split()[:4] == ["faithfulness.support", "0.800", "0.700", "-0.100"]
    assert row.endswith("FAILS")


def long_suite(bench: Bench, sentences: list[str], *, mean: str = "") -> None:
    """A suite of one paper and a summary of these sentences."""
    bench.good["kiln-02"] = " ".join(sentences)
    bench.suite(pair="faithfulness = 0.9", mean=mean, papers=("kiln-02",))


def rescored(bench: Bench, minimum: str) -> int:
    """The exit code of deciding the record again."""
    return main(["rescore", str(bench.path / "run.json"), f"--min={minimum}"])


def test_a_number_that_silence_lifts_is_an_error_and_so_it_is_from_its_record(bench: Bench) -> None:
    """The issue's own example: .960 fails, and 1.000 by silence passed; pairs as means."""
    long_suite(bench, WRONG, mean="faithfulness = 0.97")
    arguments = ("summeval.toml", "-rA", "--summ-min=faithfulness=0.97", RECORD)
    fair = bench.inside(*arguments, FAIR)
    mute = bench.inside(*arguments, MUTE)
    assert set(fair.outcomes.values()) == {"FAILED"}
    assert set(mute.outcomes.values()) == {"ERROR"}
    assert len(fair.outcomes) == len(mute.outcomes) == 2
    message = "mean faithfulness 1.000 meets 0.97, and would be 0.960"
    assert message in " ".join(mute.out.split())
    assert mute.code == 1
    bench.inside("summeval.toml", MUTE, RECORD)
    (system,) = bench.record().suites[0].systems
    assert system.outcome == "error"
    assert rescored(bench, "faithfulness=0.9") == 1
    assert rescored(bench, "mean.faithfulness=0.96") == 0


def test_a_drop_that_silence_hides_or_makes_is_an_error(bench: Bench) -> None:
    """A drop of .04 was hidden from a rule of .02; so is one from a baseline of silence."""
    long_suite(bench, RIGHT)
    bench.inside("summeval.toml", FAIR, "--summ-save=v1")
    long_suite(bench, WRONG)
    rule = "--summ-compare-fail=faithfulness:0.02"
    rules = ("summeval.toml", "--summ-compare=v1", rule, "-rA", RECORD)
    assert bench.inside(*rules, FAIR).outcomes[MEANS] == "FAILED"
    mute = bench.inside(*rules, MUTE)
    assert mute.outcomes[MEANS] == "ERROR"
    assert "good against v1 (good): undecided, by the judge's fault" in mute.lines
    assert "faithfulness drops by 0.040, more than 0.02, if what the judge left" in mute.out
    assert rescored(bench, "faithfulness=0.5") == 1

    bench.inside("summeval.toml", MUTE, "--summ-save=v2")
    run = bench.inside("summeval.toml", FAIR, "--summ-compare=v2", rule, "-rA")
    assert run.outcomes[MEANS] == "ERROR"
    assert "save it again" in run.out


def test_a_floor_that_silence_holds_is_an_error_of_the_judge(bench: Bench) -> None:
    """Of 22 labelled sentences 21 have an answer and its evidence; 21 of 22 is under .97."""
    long_suite(bench, [*RIGHT[:21], "The kiln was an alloy."])
    labels = [{"index": n, "faithful": True, "evidence": [0]} for n in range(22)]
    bench.lines("labels.jsonl", {"paper": "kiln-02", "system": "good", "sentences": labels})
    bench.write("summeval.toml", f'labels = "labels.jsonl"\n{bench.text("summeval.toml")}')
    bench.extend("[thresholds.judge]\nevidence_recall = 0.97")
    run = bench.inside("summeval.toml", MUTE, "-rA", RECORD)
    assert run.outcomes["summeval.toml::judge"] == "ERROR"
    assert run.code == 1
    message = "judge is undecided: evidence_recall 1.000 meets 0.97, and would be 0.955 if what the"
    assert message in " ".join(run.out.split())
    trust = bench.record().suites[0].trust
    assert trust
    assert message in trust.undecided
    assert rescored(bench, "faithfulness=0.5") == 1
