"""Real runs of suites that hold summaries to a metric of an installed package."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Final

import pytest

from summeval_pytest.cli.app import main
from tests.plugin.conftest import Bench

pytestmark = pytest.mark.usefixtures("forget_own_metrics")

METRIC: Final = """\
from summeval_pytest import ENDLESS, Metric, NumberSpec, Problem


class Shouts(Metric):
    version = "3"
    numbers = (
        NumberSpec(
            name="shouts", metric="shouts", meaning="marks", high=ENDLESS, lower_is_better=True
        ),
        NumberSpec(name="shouts.calm", metric="shouts", meaning="calm sentences"),
    )

    def __init__(self, mark="!", words=""):
        self.mark, self.words = mark, words.split()

    def measure(self, texts):
        marks = texts.summary.count(self.mark) + sum(map(texts.summary.count, self.words))
        calm = [self.mark not in sentence for sentence in texts.sentences]
        return {"shouts": marks, "shouts.calm": sum(calm) / len(calm)}

    def problems(self, texts):
        for place, sentence in enumerate(texts.sentences):
            if self.mark in sentence:
                yield Problem(number="shouts", title=f"sentence {place + 1}", summary=sentence,
                              verdict="is loud\\n::error::now", reason="calm down")
"""
LOUD: Final = "Limpets were counted! The count fell by 40 percent! Warm winters harm them."


def install_loud(bench: Bench) -> None:
    """Installs a package that counts shouts."""
    bench.install("loud", "shouts", "loud_metric:Shouts", METRIC)


@pytest.fixture
def loud(bench: Bench) -> Bench:
    """A suite whose good system shouts on one paper, and that package."""
    install_loud(bench)
    bench.good["limpet-01"] = LOUD
    bench.suite(pair="shouts = 1\nfacet = 0.25")
    return bench


GATE: Final = ("summeval.toml", "-rA", "--summ-run-record=run.jsonl")
MARKED: Final = """\
import pytest

@pytest.mark.summ(metrics=["shouts"])
def test_own(summ_pair):
    assert summ_pair.own("shouts").value <= 1
"""


def test_a_number_of_ones_own_fails_the_pair_that_misses_it(loud: Bench) -> None:
    """A team adds what it cares about without a change of this package."""
    loud.write("test_own.py", MARKED)
    reports = ("--summ-junit=junit.xml", "--summ-html=page.html")
    run = loud.inside(*GATE, "test_own.py", *reports)
    assert run.outcomes == {
        "summeval.toml::good::limpet-01": "FAILED",
        "summeval.toml::good::kiln-02": "PASSED",
        "test_own.py::test_own[good-limpet-01]": "FAILED",
        "test_own.py::test_own[good-kiln-02]": "PASSED",
    }
    assert run.block("shouts 2 > 1 allowed", 6) == [
        "shouts 2 > 1 allowed",
        "good.jsonl:1: good on limpet-01",
        "",
        "1. shouts, sentence 1: is loud ::error::now",
        '   summary      "Limpets were counted!"',
        "   reason       calm down",
    ]
    assert 'name="shouts"' in loud.text("junit.xml")
    page = loud.text("page.html")
    assert "shouts 2 &gt; 1 allowed" in page
    assert '<div class="shade-0"><dt>shouts' in page  # of one's own no best is known
    (suite,) = loud.record().suites
    assert [named.name for named in suite.own_numbers] == ["shouts", "shouts.calm"]
    assert f"shouts|norm:5|split:5|suite:{suite.fingerprint}|v:3" in suite.pairs[0].signatures


def test_a_record_is_decided_again_where_the_package_is_not(
    loud: Bench, forget_own_metrics: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """A release manager has the record and not every team's packages."""
    loud.inside(*GATE)
    shutil.rmtree(loud.path / "loud-1.0.dist-info")
    forget_own_metrics()
    capsys.readouterr()
    assert main(["thresholds", str(loud.path / "run.jsonl"), "--number=shouts", "--names"]) == 0
    printed = capsys.readouterr().out
    assert "  at most 1, today                  1 of 2\n    good::limpet-01\n" in printed


def test_the_suites_options_reach_the_metric_and_the_signature(loud: Bench) -> None:
    """Of a file its text: the metric opens none, so a suite cannot make it read elsewhere."""
    loud.write("loud.txt", "\ufeffcounted\r\nfell\r\n")
    loud.extend(
        '[metrics.shouts]\nmark = "?"\nwords_file = "loud.txt"\n[thresholds.mean]\nshouts = 1'
    )
    run = loud.inside(*GATE)
    assert "shouts 2 > 1 allowed" in run.out
    assert "mean" not in run.lines[0]
    (signature,) = [
        text for text in loud.record().suites[0].pairs[0].signatures if "shouts" in text
    ]
    assert "option.mark:%3F|option.words:counted%0Afell%0A|" in signature


def test_options_that_no_metric_takes_or_needs_are_reported_at_their_line(loud: Bench) -> None:
    """The user mends a suite by its messages."""
    for pair, table, message in (
        ("shouts = 1", "[metrics.shouts]\nmarks = 1", "13: metric 'shouts' takes no such options"),
        ("shouts = 1", "[metrics.shouts]\nmark = ['!']", "14: 'mark' of metric 'shouts' is"),
        ("facet = 0.3", "[metrics.shouts]\n", "13: no threshold needs the metric 'shouts', so"),
    ):
        loud.suite(pair=pair)
        loud.extend(table)
        run = loud.inside("summeval.toml")
        assert run.code == pytest.ExitCode.USAGE_ERROR
        assert f"summeval.toml:{message}" in run.err + run.out
