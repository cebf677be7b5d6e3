"""The end of a run, told on the controller from the reports and the counts of all processes."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports import SystemTally, calls_lines, summary_lines, usage_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

PROPERTY: Final = "summeval"
"""The user property that carries a pair's numbers, as JSON, to the controller and into JUnit."""


class Tally:
    """A plugin of its own: counts the pairs of each system and prints a table at the end."""

    def __init__(self) -> None:
        self.systems: dict[tuple[str, str], SystemTally] = {}
        self.calls: Counter[str] = Counter()
        self.judge: Counter[str] = Counter()
        self._replies: dict[str, set[str]] = {}
        self._cassettes: dict[str, frozenset[str]] = {}

    def add_counts(self, text: str) -> None:
        """Adds what one process asked and was answered, as JSON text."""
        told = json.loads(text)
        self.calls.update(told["totals"])
        self.judge.update(told["judge"])
        for origin, keys in told["replies"].items():
            self._replies.setdefault(origin, set()).update(keys)
        asked, cached, recorded = (self._replies[o] for o in ("asked", "cached", "recorded"))
        self.calls["n_cached"] = len(cached - asked - recorded)  # another worker may have asked
        self.calls["n_recorded"] = len(recorded)

    def add_cassette(self, shown: str, keys: Iterable[str]) -> None:
        """Adds a cassette that the run could read from."""
        self._cassettes[shown] = frozenset(keys)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts one report, if it decides a pair."""
        decides = report.when == "call" or (report.when == "setup" and report.failed)
        text = next((value for name, value in report.user_properties if name == PROPERTY), None)
        if not decides or not isinstance(text, str):
            return
        told = json.loads(text)
        outcome = "error" if report.when == "setup" else report.outcome
        of = (report.nodeid.split("::")[0], told["system"])
        self.systems.setdefault(of, SystemTally()).add(outcome, told["scores"], told["note"])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints one line a system; one table a suite, since its means are over its own papers."""
        suites = sorted({suite for suite, _ in self.systems})
        for suite in suites:
            title = "summarization gate" if len(suites) == 1 else f"summarization gate: {suite}"
            terminalreporter.section(title, sep="-")
            tallies = {system: t for (of, system), t in self.systems.items() if of == suite}
            for line in summary_lines(tallies):
                terminalreporter.line(line)
        if any(self.calls.values()):
            for line in calls_lines(self.calls, self.judge):
                terminalreporter.line(line)
        used = self._replies.get("recorded", set())
        for shown, keys in self._cassettes.items():
            terminalreporter.line(usage_line(shown, n_used=len(keys & used), n_replies=len(keys)))
