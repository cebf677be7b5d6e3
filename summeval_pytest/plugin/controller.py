"""The end of a run on the controller: closing table, run record and reports."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.endpoints.exchange import DRAIN_SECONDS
from summeval_pytest.plugin.config import (
    GATE,
    RESULT,
    TALLY,
    TOLD_BY_GATE,
    UNTRUSTED_EXIT,
    gate_of,
    gated_suites,
    is_worker,
)
from summeval_pytest.plugin.items import VerdictItem
from summeval_pytest.plugin.outputs import tell_github, write_outputs
from summeval_pytest.record.json_text import from_json
from summeval_pytest.record.measuring import unmeasured_pair
from summeval_pytest.record.record_file import Spool
from summeval_pytest.record.run_counts import RunCounts, counts_of
from summeval_pytest.record.shards import read_shard
from summeval_pytest.reports.judge_section import (
    open_floors,
    trust_lines,
    trust_phrase,
    untrusted_lines,
)
from summeval_pytest.reports.terminal import (
    SystemTally,
    TallyRow,
    calls_lines,
    changed_model_lines,
    drift_lines,
    ending_lines,
    model_lines,
    plan_lines,
    summary_lines,
    unmeasured_lines,
    usage_line,
)
from summeval_pytest.reports.wording import corrected_line, signature_lines
from summeval_pytest.run.plan import planned_calls
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.run import RunVerdict, TestResult
from summeval_pytest.verdict.waivers import all_uses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.record.gated_suite import GatedSuite
    from summeval_pytest.verdict.run import SuiteRecord, SystemResult


WORST: Final = 10
"""How many findings are listed where somebody wants to see more."""
HURRY_SECONDS: Final = 1.0
"""How long calls in flight are waited for where somebody has pressed Ctrl-C; what was answered
before is kept anyway."""
NOTHING_JUDGED: Final = "summeval: nothing was judged, so nothing may be released"


class Results:
    """What the tests of a run have handed on so far, by suite as the user named it."""

    def __init__(self) -> None:
        self.open: Callable[[], Spool] | None = None
        """Who opens the spool that pairs are kept in; None where nothing is made of them."""
        self._spool: Spool | None = None
        self.rows: dict[tuple[str, str], dict[str, TallyRow]] = {}
        """By suite and system, what the closing table says of each paper."""
        self.systems: dict[tuple[str, str], SystemResult] = {}
        self.judges: dict[str, TestResult] = {}
        self.lost: dict[tuple[str, str, str], str] = {}
        """Tests that failed without a result, since whoever ran them broke down."""

    def add(self, result: TestResult) -> None:
        """Adds the result of one test; of a test that ran again the last one counts."""
        if (pair := result.pair) is not None:
            rows = self.rows.setdefault((result.suite, pair.system), {})
            rows[pair.paper] = TallyRow.of(pair)
            if self.open is not None:
                self.spool.add(result.suite, pair, result.paper)
        elif result.system is not None:
            self.systems[result.suite, result.system.name] = result.system
        else:
            self.judges[result.suite] = result

    def lose(self, gated: GatedSuite, system: str, paper: str, fault: str) -> None:
        """Notes a test that failed and handed nothing on."""
        shown = gated.suite.shown
        self.lost.setdefault((shown, system, paper), fault)
        if system in gated.systems and paper in gated.papers(system):
            pair = unmeasured_pair(gated, system, paper, fault)
            self.rows.setdefault((shown, system), {}).setdefault(paper, TallyRow.of(pair))

    @property
    def is_empty(self) -> bool:
        """Whether no test handed anything on."""
        return not (self.rows or self.systems or self.judges or self.lost)

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
        """One suite with its pairs, in its own order, whatever order its results arrived in."""
        suite = self.suite(gated, baseline)
        for system in suite.systems:
            for paper in system.papers:
                key = (suite.shown, system.name, paper)
                if key in self.lost and not self.spool.has_pair(*key):
                    pair = unmeasured_pair(gated, system.name, paper, self.lost[key])
                    self.spool.add(suite.shown, pair, None)
        full = self.spool.filled(suite, gated.suite.paper_ids)
        of_pairs = (outline.waivers for outline in full.outlines)
        of_means = (system.waivers for system in full.systems)
        return replace(full, waivers=all_uses(gated.suite.waivers, *of_pairs, *of_means))

    def suite(self, gated: GatedSuite, baseline: str = "") -> SuiteRecord:
        """One suite without its pairs, as it is known now.

        Args:
            gated: The suite.
            baseline: The saved run that its systems were to be compared with.
        """
        suite = gated.record()
        judge = self.judges.get(suite.shown, TestResult(suite=suite.shown))
        return replace(
            suite,
            systems=tuple(self._system(suite.shown, each, baseline) for each in suite.systems),
            trust=judge.trust,
            golden=judge.golden,
            golden_fault=judge.golden_fault,
        )

    def _system(self, shown: str, system: SystemResult, baseline: str) -> SystemResult:
        found = self.systems.get((shown, system.name), system)
        lost = self.lost.get((shown, system.name, ALL_PAPERS))
        if found is system and lost is not None:
            found = replace(system, outcome="error", fault=lost)
        return replace(found, baseline=baseline)


class Tally:
    """A plugin of its own: collects what the processes of a run hand on, and prints its end.

    Args:
        rootpath: What the paths in node ids start from.
    """

    def __init__(self, rootpath: Path) -> None:
        self.rootpath = rootpath
        self.results = Results()
        self.verdict: RunVerdict | None = None
        self.lines: list[str] = []
        self.annotations: list[str] = []
        self.drift: list[str] = []
        self.suites: dict[Path, GatedSuite] = {}
        self.unmeasured: list[str] = []
        self.recipes: set[str] = set()
        self.counts = RunCounts()
        self.n_skipped = 0
        """Tests of suites that were skipped: by a mark, or by what foreign code raises."""

    def know(self, suites: Mapping[Path, GatedSuite], gate: Gate, config: pytest.Config) -> None:
        """Notes what the end has to say of the suites of a run, whatever becomes of their tests.

        Thresholds that a judge cannot measure are named there, too: ``-q`` leaves out the header.
        """
        self.suites = dict(suites)
        if gate.keeps_record:
            self.results.open = partial(open_spool, config)
        once = dict.fromkeys(suites.values())
        names = [(gated.suite.shown, gated.unmeasured) for gated in once]
        self.unmeasured = list(unmeasured_lines(names, gate.judge_name))

    def add_process(self, text: str) -> None:
        """Adds what one process asked, was answered, and has to say at the end, as JSON text."""
        said = json.loads(text)
        self.recipes.update(said["recipes"])
        self.counts.add(said["counts"])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the result of one test."""
        result = report.__dict__.pop(RESULT, None)
        if isinstance(result, str):
            result = from_json(TestResult, result)
        if result is not None:
            self.results.add(result)
        elif report.failed or report.skipped:
            named = report.nodeid.split("::")
            gated = self.suites.get((self.rootpath / named[0]).resolve())
            if gated is not None and report.skipped:
                self.n_skipped += 1
            elif gated is not None:
                self._lose(report, gated, named)

    def _lose(self, report: pytest.TestReport, gated: GatedSuite, named: list[str]) -> None:
        """Notes a suite's test that failed and hands nothing on: a worker died with it."""
        if len(named) != len(("file", "system", "paper")):
            return
        if report.when == "call" and named[2] in self._rows(gated, named[1]):
            return  # its setup has handed on what it came to
        fault = one_line(str(report.longrepr or "the test broke down"))
        self.results.lose(gated, named[1], named[2], fault)

    def _rows(self, gated: GatedSuite, system: str) -> Mapping[str, TallyRow]:
        return self.results.rows.get((gated.suite.shown, system), {})

    def pytest_unconfigure(self) -> None:
        """Lets go of the pairs: every report has been made of them."""
        self.results.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints one line a system; one table a suite, since its means are over its own papers."""
        gated = {each.suite.shown: each for each in self.suites.values()}
        suites = sorted({shown for shown, _ in self.results.rows})
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
        """The closing table of a suite."""
        tallies, corrected = {}, {}
        for (suite, system), rows in self.results.rows.items():
            if suite == gated.suite.shown:
                n_papers, skip = len(gated.own_papers(system)), gated.suite.systems[system].skip
                tallies[system] = SystemTally(
                    rows=rows.values(), n_papers=n_papers, n_skipped=len(skip)
                )
                result = self.results.systems.get((suite, system))
                if result is not None and (line := corrected_line(result.corrected)):
                    corrected[system] = line
        suites = self.verdict.suites if self.verdict is not None else ()
        compared = {suite.shown: suite.comparisons for suite in suites}
        return list(summary_lines(tallies, compared.get(gated.suite.shown, {}), corrected))

    @property
    def is_untrusted(self) -> bool:
        """Whether the judge of any suite misses a floor."""
        trusts = (judge.trust for judge in self.results.judges.values())
        return any(trust is not None and trust.is_untrusted for trust in trusts)

    def _trust_lines(self, gated: Mapping[str, GatedSuite]) -> Iterator[str]:
        """What is known of the judge of each suite, and what an untrusted one gets wrong."""
        judges = self.results.judges
        shown = sorted({suite for suite, _ in self.results.rows} | set(judges))
        for suite in shown:
            of = f" ({suite})" if len(shown) > 1 else ""
            trust = judges[suite].trust if suite in judges else None
            has_labels = suite in judges or gated[suite].suite.has_labels
            phrase = trust_phrase(trust, has_labels=has_labels)
            yield from trust_lines(phrase, of, open_floors(trust))
            if trust is not None and trust.is_untrusted:
                yield from untrusted_lines(trust, judges[suite].golden)

    def _end(self, gated: Mapping[str, GatedSuite], *, n_worst: int) -> Iterator[str]:
        """What there is to say of the run as a whole."""
        yield from self.unmeasured
        yield from self._trust_lines(gated)
        yield from self.drift
        if self.verdict is not None:
            yield from ending_lines(self.verdict, n_worst=n_worst)
        counts = self.counts
        if any(counts.calls.values()):
            yield from calls_lines(counts.calls, counts.judge)
        yield from model_lines(counts.models)
        for read in counts.cassettes_used():
            yield usage_line(read.shown, n_used=read.n_used, n_replies=read.n_replies)
        yield from self.lines
        yield from self.annotations


def tally_of(config: pytest.Config) -> Tally:
    """The plugin that counts a run on its controller, registered at the first look."""
    tally = config.pluginmanager.getplugin(TALLY)
    if not isinstance(tally, Tally):
        tally = Tally(config.rootpath)
        config.pluginmanager.register(tally, TALLY)
    return tally


def make_outputs(session: pytest.Session) -> None:
    """Makes the verdict of the run, and of it every file that was asked for.

    What cannot be written is said at the end, and fails a run that had passed.
    """
    config = session.config
    gate, tally = config.stash[GATE], tally_of(config)
    if not gate.keeps_record:
        return
    options = gate.options
    gated = list(dict.fromkeys(gated_suites(config).values()))
    suites = [tally.results.filled(each, options.compare or "") for each in gated]
    verdict = tally.verdict = _run(gate, tally, suites)
    tally.drift = [line for each in gated for line in _drift(gate, each, verdict)]
    loaded = [each.suite for each in gated]
    folder = config.invocation_params.dir
    faults = [*write_outputs(options, folder, verdict, loaded, tally.lines)]
    if options.github:
        faults += tell_github(config, verdict, tally.annotations)
    tally.lines += [one_line(fault, 400) for fault in faults]
    if faults and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def settle_exit(session: pytest.Session) -> None:
    """Has a run fail whose judge is untrusted, or that judged nothing of what it had to."""
    tally = tally_of(session.config)
    is_decided = session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
    if is_decided and tally.is_untrusted:
        session.exitstatus = UNTRUSTED_EXIT
    is_empty = tally.results.is_empty and tally.n_skipped
    if is_empty and session.exitstatus == pytest.ExitCode.OK:
        tally.lines.append(NOTHING_JUDGED)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _run(gate: Gate, tally: Tally, suites: Iterable[SuiteRecord]) -> RunVerdict:
    header, shard = tally.counts.header(gate.options.record), gate.options.shard
    if gate.recorded is not None:
        old = gate.recorded.header
        header = replace(header, record=old.record, usage=old.usage, models=old.models)
    return RunVerdict(
        header=header,
        judge=gate.identity,
        shard=read_shard(shard) if shard is not None else None,
        suites=tuple(sorted(suites, key=lambda suite: suite.shown)),
    )


def open_spool(config: pytest.Config) -> Spool:
    """The pairs of a run that begins, beside the run record where there is to be one."""
    gate, tally = config.stash[GATE], tally_of(config)
    gated = dict.fromkeys(gated_suites(config).values())
    begun = _run(gate, tally, [tally.results.suite(s, gate.options.compare or "") for s in gated])
    name = gate.options.run_record
    return Spool(begun, config.invocation_params.dir / name if name else None)


def _drift(gate: Gate, gated: GatedSuite, verdict: RunVerdict) -> Iterator[str]:
    """What became of the judge since the saved run that a suite is compared with."""
    saved = gate.saved_run(gated)
    if saved is None:
        return
    (now,) = (suite for suite in verdict.suites if suite.shown == gated.suite.shown)
    for old in saved.suites:
        if old.name == now.name:
            yield from drift_lines(old, now)
    yield from changed_model_lines(saved.header.models, verdict.header.models)


def close_gate(config: pytest.Config, *, is_interrupted: bool) -> None:
    """Ends the runner of a process and hands on what it counted."""
    gate = config.stash[GATE]
    gate.close(seconds=HURRY_SECONDS if is_interrupted else DRAIN_SECONDS)
    replies = gate.session.replies
    # a run that asks nothing may have no judge
    counts = counts_of(gate.session, gate.judge) if replies.is_asking else None
    said = json.dumps({"recipes": sorted(gate.recipes), "counts": counts})
    if is_worker(config):
        config.workeroutput[TOLD_BY_GATE] = said  # type: ignore[attr-defined]  # xdist sets it
        return
    tally_of(config).add_process(said)
    replies.forget_run()
    if replies.is_asking and gate.options.record != "all":
        for cassette in replies.cassettes.values():
            tally_of(config).counts.add_cassette(cassette)


def show_plan(session: pytest.Session) -> None:
    """Prints what the collected tests would ask and cost."""
    gate = gate_of(session.config)
    items = [item for item in session.items if isinstance(item, VerdictItem)]
    tasks = dict.fromkeys(task for item in items for task in item.tasks)
    suites = [gated.suite for gated in gate.suites]
    survey, signature = gate.session.survey(gate.judge_name, suites, tasks, imagine=True)
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    rows = planned_calls(survey.missing.values(), survey.reply_share)
    for line in plan_lines(rows, judge=signature, n_stored=len(survey.stored)):
        if reporter is not None:
            reporter.write_line(line)
