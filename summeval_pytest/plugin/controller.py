"""The end of a run on the controller: closing table, run record and reports."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.endpoints.exchange import DRAIN_SECONDS
from summeval_pytest.metrics.score import measured_metrics
from summeval_pytest.plugin.config import (
    GATE,
    PART,
    TALLY,
    TOLD_BY_GATE,
    gate_of,
    gated_suites,
    is_worker,
)
from summeval_pytest.plugin.items import PROPERTY, VerdictItem
from summeval_pytest.plugin.outputs import tell_github, write_outputs
from summeval_pytest.record.recalled import read_shard
from summeval_pytest.record.record import (
    Judged,
    Measured,
    Part,
    RunRecord,
    SuiteRecord,
    SystemRecord,
    Totalled,
    from_json,
)
from summeval_pytest.record.run_counts import RunCounts, counts_of
from summeval_pytest.record.stream import STREAM, Spool
from summeval_pytest.reports.judge_section import (
    open_floors,
    trust_lines,
    trust_phrase,
    untrusted_lines,
)
from summeval_pytest.reports.pair import corrected_line, signature_lines
from summeval_pytest.reports.run import (
    SystemTally,
    calls_lines,
    changed_model_lines,
    drift_lines,
    ending_lines,
    model_lines,
    plan_lines,
    summary_lines,
    unheld_lines,
    usage_line,
)
from summeval_pytest.run.plan import planned_calls
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import all_uses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.record.gated_suite import GatedSuite


_SILENT: Final = json.dumps({"scores": {}, "note": "", "wrong": {}})
"""What is told of a pair whose process broke down."""
WORST: Final = 10
"""How many findings are listed where somebody wants to be told more."""
HURRY_SECONDS: Final = 1.0
"""How long calls in flight are waited for where somebody has pressed Ctrl-C; what was answered
before is kept anyway."""


class Parts:
    """What the tests of a run have handed on so far, by suite as the user named it."""

    def __init__(self) -> None:
        self.open: Callable[[], Spool] | None = None
        """Who opens the spool that pairs are kept in; None where nothing is made of them."""
        self._spool: Spool | None = None
        self.totalled: dict[tuple[str, str], SystemRecord] = {}
        self.measured: dict[str, Measured] = {}
        self.lost: dict[tuple[str, str, str], str] = {}
        """Tests that failed without a part, since whoever ran them broke down."""

    def add(self, part: Judged | Totalled | Measured) -> None:
        """Adds the part of one test."""
        match part:
            case Judged():
                if self.open is not None:
                    self.spool.add(part)
            case Totalled():
                self.totalled[part.suite, part.system.name] = part.system
            case Measured():
                self.measured[part.suite] = part

    @property
    def spool(self) -> Spool:
        """The pairs so far, in a file that is made with the first of them."""
        if self._spool is None:
            assert self.open is not None
            self._spool = self.open()
        return self._spool

    def close(self) -> None:
        """Lets go of the pairs."""
        if self._spool is not None:
            self._spool.close()

    def filled(self, gated: GatedSuite, baseline: str = "") -> SuiteRecord:
        """One suite with its pairs, in its own order, whatever order its parts arrived in."""
        suite = self.suite(gated, baseline)
        for system in suite.systems:
            for paper in system.papers:
                self._lose(gated, system.name, paper)
        full = self.spool.filled(suite, gated.suite.paper_ids)
        waivers = (outline.waivers for outline in full.outlines)
        used = (system.waivers for system in full.systems)
        return replace(full, waivers=all_uses(gated.suite.waivers, *waivers, *used))

    def suite(self, gated: GatedSuite, baseline: str = "") -> SuiteRecord:
        """One suite without its pairs, as it is known now.

        Args:
            gated: The suite.
            baseline: The saved run that its systems were to be compared with.
        """
        suite = gated.record()
        measured = self.measured.get(suite.shown)
        return replace(
            suite,
            systems=tuple(self._system(suite.shown, each, baseline) for each in suite.systems),
            trust=measured.trust if measured is not None else None,
            golden=measured.golden if measured is not None else (),
        )

    def _lose(self, gated: GatedSuite, system: str, paper: str) -> None:
        """Adds a pair whose test broke down before it could hand anything on."""
        key = (gated.suite.shown, system, paper)
        if key in self.lost and not self.spool.has_pair(*key):
            self.spool.add(gated.broken_down(system, paper, self.lost[key]))

    def _system(self, shown: str, system: SystemRecord, baseline: str) -> SystemRecord:
        found = self.totalled.get((shown, system.name), system)
        lost = self.lost.get((shown, system.name, ALL_PAPERS))
        if found is system and lost is not None:
            found = replace(system, outcome="error", fault=lost)
        return replace(found, baseline=baseline)


class Tally:
    """A plugin of its own: collects what the processes of a run tell, and prints its end.

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
        self.counts = RunCounts()
        self._pairs: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
        """By suite and system, each paper's outcome, and what the table tells of it as JSON."""

    def know(self, suites: Mapping[Path, GatedSuite], gate: Gate, config: pytest.Config) -> None:
        """Notes what the end has to say of the suites of a run, whatever becomes of their tests.

        Thresholds that a judge cannot hold are told there, too: ``-q`` leaves out the header.
        """
        self.suites = dict(suites)
        judge = gate.options.judge
        if gate.keeps_record:
            self.parts.open = partial(open_spool, config)
        once = dict.fromkeys(suites.values())
        self.unheld = list(unheld_lines([(g.suite.shown, g.unheld) for g in once], judge))

    def add_process(self, text: str) -> None:
        """Adds what one process asked, was answered, and has to say at the end, as JSON text."""
        told = json.loads(text)
        self.recipes.update(told["recipes"])
        self.counts.add(told["counts"])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the part of one test, and its numbers if it decides a pair."""
        part = report.__dict__.pop(PART, None)
        if part is not None:
            self.parts.add(from_json(Part, part).value)
        elif report.failed:
            self._lose(report)
        decides = report.when == "call" or (report.when == "setup" and report.failed)
        text = dict(report.user_properties).get(PROPERTY) if decides else None
        if isinstance(text, str) and (gated := self._gated(report)) is not None:
            told = json.loads(text)
            outcome = "error" if report.when == "setup" else report.outcome
            pairs = self._pairs.setdefault((gated.suite.shown, told["system"]), {})
            scores = {name: told["scores"][name] for name in measured_metrics(told["scores"])}
            tabled = {"scores": scores, "note": told["note"], "wrong": told["wrong"]}
            pairs[told["paper"]] = (outcome, json.dumps(tabled))

    def _gated(self, report: pytest.TestReport) -> GatedSuite | None:
        """The suite that a test is of."""
        return self.suites.get((self.rootpath / report.nodeid.split("::")[0]).resolve())

    def _lose(self, report: pytest.TestReport) -> None:
        """Notes a suite's test that failed and says nothing: a worker died with it."""
        gated, named = self._gated(report), report.nodeid.split("::")
        if gated is None or len(named) != len(("file", "system", "paper")):
            return
        shown, (_, system, paper) = gated.suite.shown, named
        fault = one_line(str(report.longrepr or "the test broke down"))
        self.parts.lost.setdefault((shown, system, paper), fault)
        if system in gated.systems and paper in gated.papers(system):
            self._pairs.setdefault((shown, system), {}).setdefault(paper, ("error", _SILENT))

    def pytest_unconfigure(self) -> None:
        """Lets go of the pairs: every report has been made of them."""
        self.parts.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints one line a system; one table a suite, since its means are over its own papers."""
        gated = {each.suite.shown: each for each in self.suites.values()}
        suites = sorted({shown for shown, _ in self._pairs})
        for shown in suites:
            title = "summarization gate" if len(suites) == 1 else f"summarization gate: {shown}"
            terminalreporter.section(title, sep="-")
            for line in self._table(gated[shown]):
                terminalreporter.line(line)
        if self.recipes and not suites:
            terminalreporter.section("summarization gate", sep="-")
        for line in signature_lines(sorted(self.recipes)):
            terminalreporter.line(line)
        for line in self._end(gated, n_worst=WORST if terminalreporter.verbosity > 0 else 0):
            terminalreporter.line(line)

    def _table(self, gated: GatedSuite) -> list[str]:
        """The closing table of a suite; a pair that ran again counts as it came out at last."""
        tallies, corrected = {}, {}
        for (suite, system), pairs in self._pairs.items():
            if suite != gated.suite.shown:
                continue
            tallies[system] = tally = SystemTally(n_papers=len(gated.own_papers(system)))
            for outcome, tabled in pairs.values():
                told = json.loads(tabled)
                tally.add(outcome, told["scores"], note=told["note"], wrong=told["wrong"])
            total = self.parts.totalled.get((suite, system))
            if total is not None and (line := corrected_line(total.corrected)):
                corrected[system] = line
        recorded = self.record.suites if self.record is not None else ()
        compared = {suite.shown: suite.comparisons for suite in recorded}
        return list(summary_lines(tallies, compared.get(gated.suite.shown, {}), corrected))

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge of any suite misses a floor."""
        return any(part.trust.is_untrusted for part in self.parts.measured.values())

    def _trust_lines(self, gated: Mapping[str, GatedSuite]) -> Iterator[str]:
        """What is known of the judge of each suite, and what an untrusted one gets wrong."""
        shown = sorted({suite for suite, _ in self._pairs} | set(self.parts.measured))
        for suite in shown:
            of = f" ({suite})" if len(shown) > 1 else ""
            part = self.parts.measured.get(suite)
            trust = part.trust if part is not None else None
            has_labels = part is not None or gated[suite].suite.has_labels
            phrase = trust_phrase(trust, has_labels=has_labels)
            yield from trust_lines(phrase, of, open_floors(trust))
            if part is not None and part.trust.is_untrusted:
                yield from untrusted_lines(part.trust, part.golden)

    def _end(self, gated: Mapping[str, GatedSuite], *, n_worst: int) -> Iterator[str]:
        """What there is to say of the run as a whole."""
        yield from self.unheld
        yield from self._trust_lines(gated)
        yield from self.drift
        if self.record is not None:
            yield from ending_lines(self.record, n_worst=n_worst)
        counts = self.counts
        if any(counts.calls.values()):
            yield from calls_lines(counts.calls, counts.judge)
        yield from model_lines(counts.models)
        for read in counts.cassettes_used():
            yield usage_line(read.shown, n_used=read.n_used, n_replies=read.n_replies)
        yield from self.told
        yield from self.annotations


def tally_of(config: pytest.Config) -> Tally:
    """The plugin that counts a run on its controller, registered at the first look."""
    tally = config.pluginmanager.getplugin(TALLY)
    if not isinstance(tally, Tally):
        tally = Tally(config.rootpath)
        config.pluginmanager.register(tally, TALLY)
    return tally


def make_outputs(session: pytest.Session) -> None:
    """Makes the record of the run, and of it every file that was asked for.

    Its parts have been JSON on their way here, so the record holds nothing that a file could not.
    What cannot be written is said at the end, and fails a run that had passed.
    """
    config = session.config
    gate, tally = config.stash[GATE], tally_of(config)
    if not gate.keeps_record:
        return
    options = gate.options
    gated = list(dict.fromkeys(gated_suites(config).values()))
    suites = [tally.parts.filled(each, options.compare or "") for each in gated]
    record = tally.record = _run(gate, tally, suites)
    tally.drift = [line for each in gated for line in _drift(gate, each, record)]
    loaded = [each.suite for each in gated]
    folder = config.invocation_params.dir
    faults = [*write_outputs(options, folder, record, loaded, tally.told)]
    if options.github:
        faults += tell_github(config, record, tally.annotations)
    tally.told += [one_line(fault, 400) for fault in faults]
    if faults and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _run(gate: Gate, tally: Tally, suites: Iterable[SuiteRecord]) -> RunRecord:
    header, shard = tally.counts.header(gate.options.record), gate.options.shard
    return RunRecord(
        header=header if gate.recalled is None else gate.recalled.header(header),
        judge=gate.judge.signature,
        shard=read_shard(shard) if shard is not None else None,
        suites=tuple(sorted(suites, key=lambda suite: suite.shown)),
    )


def open_spool(config: pytest.Config) -> Spool:
    """The pairs of a run that begins, beside the run record where that is to be a stream."""
    gate, tally = config.stash[GATE], tally_of(config)
    gated = dict.fromkeys(gated_suites(config).values())
    begun = _run(gate, tally, [tally.parts.suite(s, gate.options.compare or "") for s in gated])
    name = gate.options.run_record or ""
    file = config.invocation_params.dir / name if name.endswith(STREAM) else None
    return Spool(begun, file)


def _drift(gate: Gate, gated: GatedSuite, record: RunRecord) -> Iterator[str]:
    """What became of the judge since the saved run that a suite is compared with."""
    saved = gate.saved_run(gated)
    if saved is None:
        return
    (held,) = (suite for suite in record.suites if suite.shown == gated.suite.shown)
    for old in saved.suites:
        if old.name == held.name:
            yield from drift_lines(old, held)
    yield from changed_model_lines(saved.header.models, record.header.models)


def close_gate(config: pytest.Config, *, is_interrupted: bool) -> None:
    """Ends the runner of a process and hands on what it counted."""
    gate = config.stash[GATE]
    gate.close(seconds=HURRY_SECONDS if is_interrupted else DRAIN_SECONDS)
    session = gate.session
    counts = counts_of(session, gate.judge) if session.is_asking else None  # there may be no judge
    told = json.dumps({"recipes": sorted(gate.recipes), "counts": counts})
    if is_worker(config):
        config.workeroutput[TOLD_BY_GATE] = told  # type: ignore[attr-defined]  # xdist sets it
        return
    tally_of(config).add_process(told)
    session.forget_run()
    if session.is_asking and gate.options.record != "all":
        for cassette in session.cassettes.values():
            tally_of(config).counts.add_cassette(cassette)


def show_plan(session: pytest.Session) -> None:
    """Prints what the collected pairs would ask and cost."""
    gate = gate_of(session.config)
    items = [item for item in session.items if isinstance(item, VerdictItem)]
    tasks = dict.fromkeys(task for item in items for task in item.tasks)
    suites = [gated.suite for gated in gate.suites]
    survey, signature = gate.session.survey(gate.options.judge, suites, tasks, imagine=True)
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    rows = planned_calls(survey.missing.values(), survey.reply_share)
    for line in plan_lines(rows, judge=signature, n_stored=len(survey.found)):
        if reporter is not None:
            reporter.write_line(line)
