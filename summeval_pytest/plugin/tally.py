"""The end of a run, told on the controller from the reports and the counts of all processes."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final

from summeval_pytest.plugin.recording import Parts
from summeval_pytest.plugin.session import PART
from summeval_pytest.reports import (
    TRUST_LINE,
    SystemTally,
    calls_lines,
    ending_lines,
    summary_lines,
    usage_line,
)
from summeval_pytest.text import one_line
from summeval_pytest.verdict import CassetteRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pytest

    from summeval_pytest.store import Cassette
    from summeval_pytest.verdict import Comparison, RunRecord

PROPERTY: Final = "summeval"
"""The user property that carries a pair's numbers, as JSON, to the controller and into JUnit."""

WORST: Final = 10
"""How many findings are listed where somebody wants to be told more."""


class Tally:
    """A plugin of its own: counts the pairs of each system and prints a table at the end.

    Args:
        rootpath: What the paths in node ids start from.
    """

    def __init__(self, rootpath: Path) -> None:
        self.rootpath = rootpath
        self.parts = Parts()
        self.record: RunRecord | None = None
        self.told: list[str] = []
        self.annotations: list[str] = []
        self.systems: dict[tuple[str, str], SystemTally] = {}
        self.calls: Counter[str] = Counter()
        self.judge: Counter[str] = Counter()
        self._replies: dict[str, set[str]] = {}
        self._cassettes: dict[str, Cassette] = {}

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

    def add_cassette(self, cassette: Cassette) -> None:
        """Adds a cassette that the run could read from."""
        self._cassettes[cassette.shown] = cassette

    def usage(self) -> dict[str, float]:
        """What the run asked and was answered; empty where nothing was."""
        return dict(self.calls) if any(self.calls.values()) else {}

    def cassettes(self) -> list[CassetteRecord]:
        """The cassettes that the run could read from, and how much of each it used."""
        used = self._replies.get("recorded", set())
        return [
            CassetteRecord(
                shown=shown,
                sha256=cassette.sha256,
                n_used=len(cassette.rows.keys() & used),
                n_replies=len(cassette.rows),
            )
            for shown, cassette in sorted(self._cassettes.items())
        ]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts one report, if it decides a pair."""
        part = getattr(report, PART, None)
        if part is not None:
            self.parts.add(part)
        elif report.failed:
            self._lose(report)
        decides = report.when == "call" or (report.when == "setup" and report.failed)
        text = next((value for name, value in report.user_properties if name == PROPERTY), None)
        if not decides or not isinstance(text, str):
            return
        told = json.loads(text)
        outcome = "error" if report.when == "setup" else report.outcome
        of = (report.nodeid.split("::")[0], told["system"])
        self.systems.setdefault(of, SystemTally()).add(
            outcome, told["scores"], note=told["note"], wrong=told["wrong"]
        )

    def _lose(self, report: pytest.TestReport) -> None:
        """Notes a suite's test that failed and says nothing: a worker died with it."""
        named = report.nodeid.split("::")
        if len(named) == len(("file", "system", "paper")):
            file, system, paper = named
            fault = one_line(str(report.longrepr or "the test broke down"))
            self.parts.add_lost(self.rootpath / file, system, paper, fault)

    def _comparisons(self, shown: str) -> Mapping[str, Comparison]:
        """The comparisons of one suite's systems, as far as there are any."""
        suites = self.record.suites if self.record is not None else ()
        return next((suite.comparisons for suite in suites if suite.shown == shown), {})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints one line a system; one table a suite, since its means are over its own papers."""
        suites = sorted({suite for suite, _ in self.systems})
        for suite in suites:
            title = "summarization gate" if len(suites) == 1 else f"summarization gate: {suite}"
            terminalreporter.section(title, sep="-")
            tallies = {system: t for (of, system), t in self.systems.items() if of == suite}
            for line in summary_lines(tallies, self._comparisons(suite)):
                terminalreporter.line(line)
        for line in self._end(n_worst=WORST if terminalreporter.verbosity > 0 else 0):
            terminalreporter.line(line)

    def _end(self, *, n_worst: int) -> Iterator[str]:
        """What there is to say of the run as a whole."""
        if self.systems:
            yield TRUST_LINE
        if self.record is not None:
            yield from ending_lines(self.record, n_worst=n_worst)
        if any(self.calls.values()):
            yield from calls_lines(self.calls, self.judge)
        for read in self.cassettes():
            yield usage_line(read.shown, n_used=read.n_used, n_replies=read.n_replies)
        yield from self.told
        yield from self.annotations
