"""The end of a run, told on the controller from the reports of all workers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports import SystemTally, summary_lines

if TYPE_CHECKING:
    import pytest

PROPERTY: Final = "summeval"
"""The user property that carries a pair's numbers, as JSON, to the controller and into JUnit."""


class Tally:
    """A plugin of its own: counts the pairs of each system and prints a table at the end."""

    def __init__(self) -> None:
        self.systems: dict[tuple[str, str], SystemTally] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts one report, if it decides a pair."""
        decides = report.when == "call" or (report.when == "setup" and report.failed)
        text = next((value for name, value in report.user_properties if name == PROPERTY), None)
        if not decides or not isinstance(text, str):
            return
        told = json.loads(text)
        outcome = "error" if report.when == "setup" else report.outcome
        of = (report.nodeid.split("::")[0], told["system"])
        self.systems.setdefault(of, SystemTally()).add(outcome, told["scores"])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints one line a system; one table a suite, since its means are over its own papers."""
        suites = sorted({suite for suite, _ in self.systems})
        for suite in suites:
            title = "summarization gate" if len(suites) == 1 else f"summarization gate: {suite}"
            terminalreporter.section(title, sep="-")
            tallies = {system: t for (of, system), t in self.systems.items() if of == suite}
            for line in summary_lines(tallies):
                terminalreporter.line(line)
