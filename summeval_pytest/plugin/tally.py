"""The end of a run, told on the controller from the reports and the counts of all processes."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from summeval_pytest.evaluation import ModelSeen, models_seen
from summeval_pytest.plugin.recording import Parts
from summeval_pytest.plugin.session import PART
from summeval_pytest.reports import (
    SystemTally,
    calls_lines,
    ending_lines,
    model_lines,
    signature_lines,
    summary_lines,
    trust_lines,
    trust_phrase,
    unheld_lines,
    usage_line,
)
from summeval_pytest.text import one_line
from summeval_pytest.verdict import CassetteRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pytest

    from summeval_pytest.plugin.gated_suite import GatedSuite
    from summeval_pytest.store import Cassette
    from summeval_pytest.verdict import Comparison, RunRecord

JUDGE_PROPERTY: Final = "summeval_judge"
"""The user property that carries what the labels say of the judge, as JSON."""
MEANS_PROPERTY: Final = "summeval_means"
"""The user property that carries a system's corrected means, as JSON."""
PROPERTY: Final = "summeval"
"""The user property that carries a pair's numbers, as JSON, to the controller and into JUnit."""

_SILENT: Final[dict[str, Any]] = {"scores": {}, "note": "", "wrong": {}}
"""What a pair tells whose test broke down."""
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
        self.drift: list[str] = []
        self.suites: dict[Path, GatedSuite] = {}
        self.unheld: list[str] = []
        self.recipes: set[str] = set()
        self._pairs: dict[tuple[str, str], dict[str, tuple[str, dict[str, Any]]]] = {}
        self.trust: dict[str, dict[str, Any]] = {}
        self.corrected: dict[tuple[str, str], str] = {}
        self.calls: Counter[str] = Counter()
        self.judge: Counter[str] = Counter()
        self._replies: dict[str, set[str]] = {}
        self._models: dict[ModelSeen, set[str]] = {}
        self._cassettes: dict[str, Cassette] = {}

    def add_process(self, text: str) -> None:
        """Adds what one process asked, was answered, and has to say at the end, as JSON text."""
        self.recipes.update(json.loads(text)["recipes"])
        told = json.loads(text)["counts"]
        if told is None:
            return
        self.calls.update(told["totals"])
        self.judge.update(told["judge"])
        for origin, keys in told["replies"].items():
            self._replies.setdefault(origin, set()).update(keys)
        for model, keys in told["models"]:
            self._models.setdefault(ModelSeen(**model), set()).update(keys)
        asked, cached, recorded = (self._replies[o] for o in ("asked", "cached", "recorded"))
        self.calls["n_cached"] = len(cached - asked - recorded)  # another worker may have asked
        self.calls["n_recorded"] = len(recorded)

    def add_cassette(self, cassette: Cassette) -> None:
        """Adds a cassette that the run could read from."""
        self._cassettes[cassette.shown] = cassette

    def usage(self) -> dict[str, float]:
        """What the run asked and was answered; empty where nothing was."""
        return dict(self.calls) if any(self.calls.values()) else {}

    def models(self) -> tuple[ModelSeen, ...]:
        """The models that replied; a reply that several processes used counts once."""
        return models_seen(self._models)

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

    def know(self, suites: Mapping[Path, GatedSuite], judge: str) -> None:
        """Notes what the end has to say of the suites of a run, whatever becomes of their tests.

        Thresholds that a judge cannot hold are told there, too: ``-q`` leaves out the header.
        """
        self.suites = dict(suites)
        once = dict.fromkeys(suites.values())
        self.unheld = list(unheld_lines([(g.suite.shown, g.unheld) for g in once], judge))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts one report, if it decides a pair."""
        part = getattr(report, PART, None)
        if part is not None:
            self.parts.add(part)
        elif report.failed:
            self._lose(report)
        decides = report.when == "call" or (report.when == "setup" and report.failed)
        properties = dict(report.user_properties)
        measured = properties.get(JUDGE_PROPERTY)
        if decides and isinstance(measured, str):
            self.trust[report.nodeid.split("::")[0]] = json.loads(measured)
        means = properties.get(MEANS_PROPERTY)
        if decides and isinstance(means, str):
            told = json.loads(means)
            self.corrected[report.nodeid.split("::")[0], told["system"]] = told["line"]
        text = properties.get(PROPERTY)
        if not decides or not isinstance(text, str):
            return
        told = json.loads(text)
        outcome = "error" if report.when == "setup" else report.outcome
        of = (report.nodeid.split("::")[0], told["system"])
        self._pairs.setdefault(of, {})[told["paper"]] = (outcome, told)

    def _system(self, file: str, system: str) -> SystemTally:
        """One system: a pair that ran again counts once, as it came out at last."""
        gated = self._gated(file)
        tally = SystemTally(n_papers=len(gated.papers(system)) if gated else 0)
        for outcome, told in self._pairs[file, system].values():
            tally.add(outcome, told["scores"], note=told["note"], wrong=told["wrong"])
        return tally

    def _gated(self, file: str) -> GatedSuite | None:
        """The suite of a file, as node ids have it."""
        return self.suites.get((self.rootpath / file).resolve())

    def _lose(self, report: pytest.TestReport) -> None:
        """Notes a suite's test that failed and says nothing: a worker died with it."""
        named = report.nodeid.split("::")
        if len(named) == len(("file", "system", "paper")):
            file, system, paper = named
            fault = one_line(str(report.longrepr or "the test broke down"))
            self.parts.add_lost(self.rootpath / file, system, paper, fault)
            gated = self._gated(file)
            if gated and system in gated.systems and paper in gated.papers(system):
                self._pairs.setdefault((file, system), {}).setdefault(paper, ("error", _SILENT))

    def _comparisons(self, shown: str) -> Mapping[str, Comparison]:
        """The comparisons of one suite's systems, as far as there are any."""
        suites = self.record.suites if self.record is not None else ()
        return next((suite.comparisons for suite in suites if suite.shown == shown), {})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints one line a system; one table a suite, since its means are over its own papers."""
        suites = sorted({suite for suite, _ in self._pairs})
        for suite in suites:
            title = "summarization gate" if len(suites) == 1 else f"summarization gate: {suite}"
            terminalreporter.section(title, sep="-")
            corrected = {
                system: line for (of, system), line in self.corrected.items() if of == suite
            }
            tallies = {of[1]: self._system(*of) for of in self._pairs if of[0] == suite}
            for line in summary_lines(tallies, self._comparisons(suite), corrected):
                terminalreporter.line(line)
        if self.recipes and not suites:
            terminalreporter.section("summarization gate", sep="-")
        for line in signature_lines(sorted(self.recipes)):
            terminalreporter.line(line)
        for line in self._end(n_worst=WORST if terminalreporter.verbosity > 0 else 0):
            terminalreporter.line(line)

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge of any suite misses a floor."""
        return any(told["outcome"] == "failed" for told in self.trust.values())

    def _trust_lines(self) -> Iterator[str]:
        """What is known of the judge of each suite, and what an untrusted one gets wrong."""
        shown = sorted({suite for suite, _ in self._pairs} | set(self.trust))
        for suite in shown:
            of = f" ({suite})" if len(shown) > 1 else ""
            told = self.trust.get(suite)
            phrase = trust_phrase(None, has_labels=self.has_labels(suite))
            yield from trust_lines(told["phrase"] if told else phrase, of)
            yield from told["lines"] if told else ()

    def has_labels(self, suite: str) -> bool:
        """Whether a suite, as node ids have it, has golden labels."""
        gated = self._gated(suite)
        return gated is not None and gated.suite.has_labels

    def _end(self, *, n_worst: int) -> Iterator[str]:
        """What there is to say of the run as a whole."""
        yield from self.unheld
        yield from self._trust_lines()
        yield from self.drift
        if self.record is not None:
            yield from ending_lines(self.record, n_worst=n_worst)
        if any(self.calls.values()):
            yield from calls_lines(self.calls, self.judge)
        yield from model_lines(self.models())
        for read in self.cassettes():
            yield usage_line(read.shown, n_used=read.n_used, n_replies=read.n_replies)
        yield from self.told
        yield from self.annotations
