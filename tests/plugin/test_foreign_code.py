"""Judges and metrics of other people that raise what pytest takes for no failure."""

from __future__ import annotations

import re
from typing import Final

import pytest

from summeval_pytest.plugin.controller import HURRY_SECONDS
from summeval_pytest.plugin.gate import Gate
from tests.plugin.conftest import BOTH, FAIR, Bench

pytestmark = pytest.mark.usefixtures("forget_own_metrics")

JUDGE: Final = """\
import sys
import pytest
from summeval_pytest.judges.offline import OfflineJudge
{at_import}


class Odd(OfflineJudge):
    def __init__(self):
        {at_make}

    async def answer(self, questions):
        {at_answer}
        return await super().answer(questions)
"""
METRIC: Final = """\
import sys
import pytest
from summeval_pytest import Metric, NumberSpec
{at_import}


class Odd(Metric):
    numbers = (NumberSpec(name="odd", metric="odd", meaning="nothing"),)

    def __init__(self):
        {at_make}

    def measure(self, texts):
        {at_answer}
        return {{"odd": 1}}
"""
SKIP: Final = 'pytest.skip("no gpu", allow_module_level=True)'
ANSWERING: Final = {"judge": "judge 'offline-", "metric": "metric 'odd' broke down: "}


def foreign(bench: Bench, kind: str, place: str, line: str) -> str:
    """Writes a judge or a metric in which this line stands at one place; the option for it."""
    places = {"at_import": "", "at_make": "super().__init__()", "at_answer": "pass", place: line}
    if kind == "judge":
        bench.suite()
        bench.write("odd_judge.py", JUDGE.format(**places))
        return "--summ-judge=odd_judge:Odd"
    bench.suite(pair="odd = 1")
    bench.install("odd", "odd", "odd_metric:Odd", METRIC.format(**places))
    return "--summ-judge=offline"


@pytest.mark.parametrize("kind", ANSWERING)
def test_a_skip_in_place_of_an_answer_is_an_error(bench: Bench, kind: str) -> None:
    """A skip was a green release."""
    run = bench.inside("summeval.toml", "-rA", foreign(bench, kind, "at_answer", SKIP))
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert run.last == "2 errors"
    assert ANSWERING[kind] in run.out


@pytest.mark.parametrize(("kind", "place"), [("judge", "at_import"), ("metric", "at_make")])
def test_a_skip_before_a_run_is_a_usage_error(bench: Bench, kind: str, place: str) -> None:
    """No test can begin with it."""
    run = bench.inside("summeval.toml", foreign(bench, kind, place, SKIP))
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert ("no judge 'odd_judge:Odd': " if kind == "judge" else "metric 'odd' of ") in run.err
    assert "Traceback" not in run.out + run.err


@pytest.mark.parametrize("kind", ANSWERING)
def test_an_interrupt_in_it_interrupts_the_run(
    bench: Bench, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ended the loop of all tests: 'Event loop is closed', over and over.

    Ctrl-C waits a second for calls in flight, and not a minute.
    """
    waits: list[float] = []
    close = Gate.close

    def closing(gate: Gate, *, seconds: float) -> None:
        waits.append(seconds)
        close(gate, seconds=seconds)

    monkeypatch.setattr(Gate, "close", closing)
    option = foreign(bench, kind, "at_answer", "raise KeyboardInterrupt")
    run = bench.inside("summeval.toml", option, no_reraise_ctrlc=True)
    assert (run.code, waits) == (pytest.ExitCode.INTERRUPTED, [HURRY_SECONDS])
    assert "keyboard" in run.out.lower()
    assert "loop" not in run.out + run.err


def test_a_run_that_judges_nothing_is_no_success(bench: Bench) -> None:
    """Whoever has all tests skipped has released nothing."""
    bench.write(
        "conftest.py",
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        '        item.add_marker(pytest.mark.skip("later"))\n',
    )
    inside = bench.inside("summeval.toml")
    (bench.path / "elsewhere").mkdir()  # so node ids count from the argument
    outside = bench.inside("--rootdir=elsewhere", "--confcutdir=.", ".")
    for run in (inside, outside):
        assert run.code == pytest.ExitCode.TESTS_FAILED
        assert "nothing was judged" in run.out


MARKED: Final = """\
import pytest
def pytest_collection_modifyitems(items):
    for item in items:
        if item.nodeid.endswith("{test}"):
            item.add_marker(pytest.mark.{mark})
"""


@pytest.mark.parametrize(
    ("test", "mark", "option", "why"),
    [
        ("bad::kiln-02", "skip", "-n0", "was skipped"),
        ("bad::all-papers", "skip", "-n1", "was skipped"),
        ("bad::kiln-02", "xfail", "-n0", "has the verdict 'failed'"),
        ("bad::kiln-02", 'filterwarnings("default")', "--setup-only", "has the verdict 'failed'"),
    ],
)
def test_no_mark_and_no_option_hides_a_verdict(
    bench: Bench, test: str, mark: str, option: str, why: str
) -> None:
    """Pytest counts such tests as a success, and the run was a release."""
    bench.bad["limpet-01"] = bench.good["limpet-01"]
    if test == "bad::kiln-02":
        bench.suite()
    else:
        bench.suite(pair="", mean="facet = 0.9")
    bench.write("conftest.py", MARKED.format(test=test, mark=mark))
    run = bench.inside("summeval.toml", FAIR, BOTH, option, "--summ-junit=run.xml")
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert f"summeval: summeval.toml::{test} {why}, so nothing may be released" in run.out
    assert " failed" not in run.last, "pytest itself counts no failure"
    is_left_out = (test, mark) == ("bad::kiln-02", "skip")
    (counts, *_) = re.findall(r'failures="\d" errors="\d"', bench.text("run.xml"))
    assert is_left_out == (counts == 'failures="0" errors="0"')
