"""Judges and metrics of other people that raise what pytest takes for no failure."""

from __future__ import annotations

from typing import Final

import pytest

from tests.plugin.conftest import Bench

pytestmark = pytest.mark.usefixtures("forget_own_metrics")

JUDGE: Final = """\
import sys
import pytest
from summeval_pytest.judges.offline.embedded import OfflineJudge
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
from summeval_pytest import Metric, Named
{at_import}


class Odd(Metric):
    numbers = (Named(name="odd", metric="odd", meaning="nothing"),)

    def __init__(self):
        {at_make}

    def measure(self, texts):
        {at_answer}
        return {{"odd": 1}}
"""
RAISED: Final = {
    "skip": 'pytest.skip("no gpu", allow_module_level=True)',
    "missing import": 'pytest.importorskip("a_package_that_is_not_there")',
    "expected failure": 'pytest.xfail("later")',
    "failure": 'pytest.fail("no")',
    "end of pytest": 'pytest.exit("enough", 0)',
    "end of Python": "sys.exit(0)",
    "end of a generator": "raise GeneratorExit",
}
ANSWERING: Final = {"judge": "judge 'offline-", "metric": "metric 'odd' broke down: "}


def foreign(bench: Bench, kind: str, place: str, line: str) -> str:
    """Writes a judge or a metric in which this line stands at one place; the option for it."""
    places = {"at_import": "", "at_make": "super().__init__()", "at_answer": "pass", place: line}
    if kind == "judge":
        bench.suite()
        bench.write("odd_judge.py", JUDGE.format(**places))
        return "--summ-judge=odd_judge:Odd"
    bench.suite(pair="odd = 1")
    bench.write("odd_metric.py", METRIC.format(**places))
    bench.write("odd-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    bench.write("odd-1.0.dist-info/entry_points.txt", "[summeval.metrics]\nodd=odd_metric:Odd\n")
    return "--summ-judge=offline"


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("kind", ANSWERING)
def test_whatever_is_raised_in_place_of_an_answer_is_an_error(
    bench: Bench, kind: str, raised: str
) -> None:
    """A skip and an exit of 0 were a green release."""
    option = foreign(bench, kind, "at_answer", RAISED[raised])
    run = bench.inside("summeval.toml", "-rA", "-n0", option)
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert set(run.outcomes.values()) == {"ERROR"}
    assert len(run.outcomes) == 2
    assert ANSWERING[kind] in run.out
    assert "skipped" not in run.last


@pytest.mark.parametrize("kind", ANSWERING)
def test_so_it_is_in_workers(bench: Bench, kind: str) -> None:
    """What a worker skips, the controller never sees."""
    option = foreign(bench, kind, "at_answer", RAISED["skip"])
    run = bench.inside("summeval.toml", "-rA", "-n1", option)
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert set(run.outcomes.values()) == {"ERROR"}


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("place", ["at_import", "at_make"])
@pytest.mark.parametrize("kind", ANSWERING)
def test_whatever_is_raised_before_a_run_is_a_usage_error(
    bench: Bench, kind: str, place: str, raised: str
) -> None:
    """No test can begin with it."""
    option = foreign(bench, kind, place, RAISED[raised])
    run = bench.inside("summeval.toml", "-rA", "-n0", option)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert ("no judge 'odd_judge:Odd': " if kind == "judge" else "metric 'odd' of ") in run.err
    assert "Traceback" not in run.out + run.err


@pytest.mark.parametrize("processes", ["0", "2"])
@pytest.mark.parametrize("kind", ANSWERING)
def test_an_interrupt_in_it_interrupts_the_run(bench: Bench, kind: str, processes: str) -> None:
    """It ended the loop of all tests: 'Event loop is closed', over and over."""
    option = foreign(bench, kind, "at_answer", "raise KeyboardInterrupt")
    run = bench.inside("summeval.toml", "-rA", "-n", processes, option, no_reraise_ctrlc=True)
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "keyboard" in run.out.lower()
    assert "loop" not in run.out + run.err


def test_a_run_that_judges_nothing_is_no_success(bench: Bench) -> None:
    """Whoever has all tests skipped has released nothing."""
    bench.suite()
    bench.write(
        "conftest.py",
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        '        item.add_marker(pytest.mark.skip("later"))\n',
    )
    for processes in ("0", "2"):
        run = bench.inside("summeval.toml", "-n", processes)
        assert run.code == pytest.ExitCode.TESTS_FAILED
        assert "nothing was judged" in run.out
