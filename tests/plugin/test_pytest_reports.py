"""What is held of a suite's tests to the end of a run, and what pytest can still show of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Bench

BOTH = "--summ-model=good,bad"
PAPERS = ("limpet-01", "kiln-02", "moss-03")
WITNESS = """
import gc
from collections import Counter
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    item.seen = call.excinfo
    return (yield)

def pytest_sessionfinish(session):
    gc.collect()
    held = Counter(type(each).__name__ for each in gc.get_objects())
    kinds = "Evaluation", "PairRecord", "PairVerdict", "ReprEntry"
    with open("held", "w") as file:
        file.write(str(max(held[kind] for kind in kinds)))
"""
READER = """
def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.stats["failed"]:
        crash = report.longrepr.reprcrash.message
        texts = [crash, *dict(report.user_properties), report.location[2]]
        print("longrepr" in vars(report), *(text.splitlines()[0] for text in texts), sep="; ")
    print("setups and teardowns:", len(terminalreporter.stats.get("", ())))
"""


def test_no_text_of_a_failing_pair_outlives_its_test(bench: Bench) -> None:
    """A plugin that keeps tracebacks on tests would keep every evaluation: gigabytes of them."""
    bench.suite(papers=PAPERS)
    bench.write("conftest.py", WITNESS)
    bench.run("summeval.toml", BOTH, "--summ-run-record=run.jsonl")

    assert int(bench.text("held")) <= 2, "a class's default, and the last, by sys.last_value"


@pytest.mark.parametrize("processes", ["0", "2"])
def test_texts_of_a_report_are_read_when_asked_for(bench: Bench, processes: str) -> None:
    """Other plugins read reports at the end of a run, as pytest itself does."""
    bench.write("conftest.py", READER)
    run = bench.inside("summeval.toml", BOTH, "-n", processes)

    told = [line for line in run.lines if line.startswith("False; ")]
    assert sorted(told) == [
        "False; Failed: facet 0.433 < 0.600; faithfulness 0.000 < 0.800; summeval; bad::kiln-02",
        "False; Failed: facet 0.452 < 0.600; faithfulness 0.000 < 0.800; summeval; bad::limpet-01",
    ]
    assert "setups and teardowns: 0" in run.lines


def test_durations_are_still_told_of_setups(bench: Bench) -> None:
    """A pair is measured in its setup, which is where the time goes."""
    run = bench.inside("summeval.toml", "--durations=0", "-vv")

    timed = {tuple(line.split()[1:]) for line in run.lines if "s setup" in line}
    assert timed == {
        ("setup", "summeval.toml::good::limpet-01"),
        ("setup", "summeval.toml::good::kiln-02"),
    }
