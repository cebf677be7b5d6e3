"""Real runs with an upper bound: one wrong figure is red, whatever the rate and the reports say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench

NAME: Final = '"faithfulness.conflicts"'
JUDGE: Final = "--summ-judge=rule:Numerate"
MISSED: Final = "faithfulness.conflicts 1 > 0 at most"


@pytest.fixture(name="wrong")
def _wrong(bench: Bench) -> Bench:
    """A suite whose one pair of two has a wrong figure, called supported."""
    bench.good["kiln-02"] = "We fired forty bricks in the kiln. The slow ones had 777 MPa."
    bench.suite(pair=f"faithfulness = 0.9\n{NAME} = 0", mean=f"{NAME} = 0.5")
    return bench


def test_one_wrong_figure_is_red_whatever_the_rate(wrong: Bench) -> None:
    """The rate is 1, the mean of conflicts .5, which is at most .5."""
    run = wrong.inside("summeval.toml", JUDGE, "-rA")
    assert run.outcomes == {
        "summeval.toml::good::limpet-01": "PASSED",
        "summeval.toml::good::kiln-02": "FAILED",
        "summeval.toml::good::all-papers": "PASSED",
    }
    start = run.lines.index(MISSED)
    assert run.lines[start + 3] == "1. sentence 2: conflict in a number, supported"


def test_an_option_loosens_and_tightens_an_upper_bound(wrong: Bench) -> None:
    """As the suite's own key does, for pairs and for means."""
    loose = wrong.inside("summeval.toml", JUDGE, "--summ-min=faithfulness.conflicts=1")
    assert loose.code == 0
    tight = wrong.inside(
        "summeval.toml", JUDGE, "-rA", "--summ-min=mean.faithfulness.conflicts=0.4"
    )
    assert tight.outcomes["summeval.toml::good::all-papers"] == "FAILED"
    assert "good: mean faithfulness.conflicts 0.500 > 0.400 at most (2 of 2 papers)" in tight.lines
    fault = wrong.inside("summeval.toml", JUDGE, "--summ-min=faithfulness.conflicts=-1")
    assert fault.code == 4
    assert "ranges from 0 up; write a value in that range" in fault.out + fault.err


def test_every_report_says_at_most(wrong: Bench) -> None:
    """JUnit, annotations, the step summary, the page and the record have the same words."""
    reports = ("--summ-junit=j.xml", "--summ-github", "--summ-html=p.html")
    run = wrong.run(
        "summeval.toml", JUDGE, *reports, "--summ-run-record=run.json",
        GITHUB_STEP_SUMMARY=str(wrong.path / "steps.md"),
    )  # fmt: skip
    assert f"title=conflict in sentence 2%3A good on kiln-02::{MISSED}%0A" in run.out
    texts = {name: (wrong.path / name).read_text(encoding="utf-8") for name in
             ("j.xml", "p.html", "steps.md")}  # fmt: skip
    assert "faithfulness.conflicts 1 &gt; 0 at most" in texts["j.xml"]
    assert "mean faithfulness.conflicts 0.500 &lt;= 0.500 at most" in texts["j.xml"]
    assert "faithfulness.conflicts ≤ 0" in texts["p.html"]
    assert "conflict in a number, supported" in texts["p.html"]
    assert "faithfulness.conflicts 1 &gt; 0 at most" in texts["steps.md"].replace(">", "&gt;")
    (_, score) = json.loads((wrong.path / "run.json").read_text())["suites"][0]["pairs"]
    (faithfulness,) = (s for s in score["scores"] if s["metric"] == "faithfulness")
    assert faithfulness["conflicts"] == 1
    assert [s.get("number_conflict", False) for s in faithfulness["sentences"]] == [False, True]


def test_a_waiver_lets_one_conflict_through_and_no_second(wrong: Bench) -> None:
    """`most` is the bound where less is better."""
    waiver = """
[waivers.bricks]
paper = "kiln-02"
system = "good"
finding = "faithfulness.conflicts"
most = 1
owner = "ines"
reason = "the paper has a misprint"
expires = 2999-01-31
"""
    text = (wrong.path / "summeval.toml").read_text(encoding="utf-8")
    wrong.write("summeval.toml", text + waiver)
    run = wrong.run("summeval.toml", JUDGE)
    assert run.code == 0
    assert "good on kiln-02, faithfulness.conflicts up to 1" in " ".join(run.out.split())
    wrong.write("summeval.toml", text + waiver.replace("most = 1", "most = 0"))
    assert "allows no more than 0" in wrong.run("summeval.toml", JUDGE).out
