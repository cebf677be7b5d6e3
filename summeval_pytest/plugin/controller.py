"""The end of a run on the controller: closing table, run record and reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.endpoints.exchange import DRAIN_SECONDS
from summeval_pytest.options import TABLE
from summeval_pytest.plugin.config import (
    COUNTED,
    GATE,
    MISTAKE,
    RESULT,
    TALLY,
    UNTRUSTED_EXIT,
    collect_suite,
    collected_suites,
    gate_of,
    is_worker,
)
from summeval_pytest.plugin.gate import Gate
from summeval_pytest.plugin.items import VerdictItem
from summeval_pytest.plugin.outputs import tell_github, write_outputs
from summeval_pytest.record.gated_suite import GatedSuite
from summeval_pytest.record.record_file import RecordFile, from_json, with_custom
from summeval_pytest.record.run_counts import RunCounts, counts_of
from summeval_pytest.record.shards import read_shard
from summeval_pytest.reports import terminal
from summeval_pytest.reports.judge_section import blind_lines, judge_lines
from summeval_pytest.reports.terminal import WORST, SystemTally, WorstFindings
from summeval_pytest.reports.wording import signature_lines
from summeval_pytest.run.plan import planned_calls
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE
from summeval_pytest.suite.places import real_place
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.policy import floors_of
from summeval_pytest.verdict.run import (
    PairResult,
    PairRow,
    PaperRecord,
    RunVerdict,
    SuiteRecord,
    SystemResult,
    TestResult,
    suite_alike,
)
from summeval_pytest.verdict.thresholds import all_uses

HURRY_SECONDS: Final = 1.0
"""How long Ctrl-C waits for calls in flight; what was answered before is kept anyway."""
NOTHING_JUDGED: Final = "summeval: nothing was judged, so nothing may be released"
KEPT: Final = "summeval: the replies so far are kept; the next run asks only for the rest"
EMPTY_SHARD: Final = "summeval: this shard has no papers, so it judges nothing; merge its record"
_IN_FULL: Final = {"auto": 3, "short": 0, "line": 0}
"""By the style of `--tb`, how many failing pairs are printed in full."""


class Tally:
    """A pytest plugin of its own: collects what all processes of a run send, and prints its end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.counts = RunCounts()
        self.lines: list[str] = []
        """What is said of files, at the very end."""
        self._annotations: list[str] = []
        self._rows: dict[tuple[str, str, str], PairRow] = {}
        """The judged pairs, by suite, system and paper."""
        self._systems: dict[tuple[str, str], SystemResult] = {}
        self._judges: dict[str, TestResult] = {}
        self._lost: dict[tuple[str, str], str] = {}
        """By suite and system, why its test over all papers left no result: its process died."""
        self._shut: dict[str, str] = {}
        """Tests of suites that keep the gate shut, however pytest counts them, and why."""
        self._verdict: RunVerdict | None = None
        self._drift: list[str] = []
        self._pair_tests: set[str] = set()
        self._folded: list[pytest.TestReport] = []
        """Failed tests of pairs that pytest does not print in full."""
        self._worst = WorstFindings()
        self._alarms = WorstFindings()
        """Of passed pairs, each with its worst one."""
        self._partial: list[str] = []
        """By suite, which of its tests were left out, in a sentence."""

    @property
    def _gate(self) -> Gate:
        return gate_of(self._config)

    @property
    def _gated(self) -> dict[str, GatedSuite]:
        """The suites of the run, which the end speaks of whatever happens to their tests."""
        return {each.suite.shown: each for each in collected_suites(self._config).values()}

    @cached_property
    def _spool(self) -> RecordFile:
        """The pairs so far, in a file that is made with the first of them."""
        begun = self._run(map(self._suite, self._gated.values()))
        name = self._gate.options.run_record
        return RecordFile.begin(begun, self._config.invocation_params.dir / name if name else None)

    def add_process(self, text: str) -> None:
        """Adds the counts and suites of one process, as JSON text."""
        values = json.loads(text)
        for path in values["collected"]:  # of a worker: all tests of it may be deselected
            collect_suite(self._config, Path(path))
        self.counts.add(values["counts"])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the result of one test; of a test that ran again the last one counts."""
        result = report.__dict__.pop(RESULT, None)
        if isinstance(result, str):
            result = from_json(TestResult, result)
            result = with_custom(result, self._gated[result.suite].custom)
        if result is None:
            self._add_failure(report)
            return
        self._shut.pop(report.nodeid, None)
        if result.outcome in {"failed", "error"}:
            decided = result.pair or result.system
            why = f" ({one_line(decided.fault, 400)})" if decided and decided.fault else ""
            self._shut[report.nodeid] = f"has the verdict {result.outcome!r}{why}"
        self._add_result(report.nodeid, result)

    def _add_result(self, node: str, result: TestResult) -> None:
        if (pair := result.pair) is not None:
            self._add_pair(result.suite, pair, result.paper)
            self._pair_tests.add(node)
            self._worst.add(pair, pair.explanation)
            self._alarms.add(pair, pair.alarms[:1])
        elif result.system is not None:
            self._systems[result.suite, result.system.name] = result.system
            self._lost.pop((result.suite, result.system.name), None)  # it ran again
        else:
            self._judges[result.suite] = result

    def _add_pair(self, suite: str, pair: PairResult, paper: PaperRecord | None) -> None:
        """Keeps the row of a pair; its texts go into a file, if a report needs them."""
        is_kept = self._gate.keeps_record
        row = self._spool.add(suite, pair, paper) if is_kept else pair.row(_unkept)
        self._rows[suite, pair.system, pair.paper] = row

    def _add_failure(self, report: pytest.TestReport) -> None:
        """Notes a suite's test that was skipped, or failed without a result of its own.

        Its worker died, or something else of the test failed, as a fixture of a plugin.
        """
        if report.passed:
            return
        names = report.nodeid.split("::")[1:]
        # A node id counts from an argument where that is outside of the root.
        file = real_place(self._config.rootpath / report.location[0])
        gated = collected_suites(self._config).get(file)
        if gated is None:
            return
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        fault = one_line(str(reason or "the test broke down"))
        if report.skipped:
            self._shut.setdefault(report.nodeid, "was skipped")
        if names == [JUDGE]:
            lost = gated.judge_result(self._gate.identity, ((), fault))
            judged = self._judges.setdefault(gated.suite.shown, lost)
            if judged.outcome == "passed" and report.failed:
                self._judges[gated.suite.shown] = lost
        elif names[1:] == [ALL_PAPERS]:
            self._lost.setdefault((gated.suite.shown, names[0]), fault)
        elif names[1:] and not report.skipped:
            self._add_lost_pair(gated, names[0], names[1], fault)

    def _add_lost_pair(self, gated: GatedSuite, system: str, paper: str, fault: str) -> None:
        """Notes a pair whose test left no result, not even in its setup."""
        if system not in gated.systems or paper not in gated.papers(system):
            return
        row = self._rows.get((gated.suite.shown, system, paper))
        if row is None or row.outcome == "passed":
            self._add_pair(gated.suite.shown, gated.faulty_pair(system, paper, fault), None)

    def _suite(self, gated: GatedSuite) -> SuiteRecord:
        """One suite without its pairs, as it is known now."""
        suite = gated.record()
        judge = self._judges.get(suite.shown, TestResult(suite=suite.shown))
        return replace(
            suite,
            systems=tuple(self._system(suite.shown, each) for each in suite.systems),
            trust=judge.trust,
            golden=judge.golden,
            golden_fault=judge.golden_fault,
        )

    def _system(self, suite: str, system: SystemResult) -> SystemResult:
        result = self._systems.get((suite, system.name))
        fault = self._lost.get((suite, system.name))
        if fault is not None and _is_good(result):
            result = replace(system, outcome="error", fault=fault)
        result = result or system
        return replace(result, baseline=self._gate.options.compare or "")

    def _filled(self, gated: GatedSuite) -> SuiteRecord:
        """One suite with its pairs, in its own order, whatever order its results arrived in."""
        full = self._spool.filled(self._suite(gated), gated.suite.paper_ids)
        of_pairs = (row.waivers for row in full.rows)
        of_means = (system.verdict.waivers for system in full.systems)
        return replace(full, waivers=all_uses(gated.suite.waivers, *of_pairs, *of_means))

    def _run(self, suites: Iterable[SuiteRecord]) -> RunVerdict:
        gate = self._gate
        header, shard = self.counts.header(gate.options.record), gate.options.shard
        if gate.recorded is not None:
            old = gate.recorded.header
            header = replace(header, record=old.record, usage=old.usage, models=old.models)
        return RunVerdict(
            header=header,
            judge=gate.identity,
            shard=read_shard(shard) if shard is not None else None,
            partial="; ".join(self._partial),
            suites=tuple(sorted(suites, key=lambda suite: suite.shown)),
        )

    def finish(self, session: pytest.Session) -> None:
        """Makes the verdict of the run and the files of it, and settles the exit code.

        A passing run fails where a file cannot be written, and where a result says so or a test
        was skipped, whatever pytest counts: a mark, an option or a hook may hide it.
        """
        codes = pytest.ExitCode
        is_stopped = session.shouldfail or session.shouldstop
        is_stopped = is_stopped or session.exitstatus == codes.INTERRUPTED
        why = "the run was stopped" if is_stopped else "deselected"
        self._partial = [*self._parts_left_out(why)]
        failures = self._write_outputs() if self._gate.keeps_record else []
        self.lines += [one_line(failure, 400) for failure in failures]
        is_kept = self._gate.is_asking and self._gate.options.record == "new"
        if session.exitstatus == codes.INTERRUPTED and is_kept:
            self.lines.append(KEPT)
        if session.exitstatus == codes.NO_TESTS_COLLECTED and self._is_empty_shard:
            self.lines.append(EMPTY_SHARD)
            session.exitstatus = codes.OK
        trusts = (judge.trust for judge in self._judges.values())
        is_untrusted = any(trust is not None and trust.is_untrusted for trust in trusts)
        if failures and session.exitstatus == codes.OK:
            session.exitstatus = codes.TESTS_FAILED
        if is_untrusted and session.exitstatus in {codes.OK, codes.TESTS_FAILED}:
            session.exitstatus = UNTRUSTED_EXIT
        if session.exitstatus == codes.OK and (hidden := next(self._hidden(), "")):
            self.lines.append(hidden)
            session.exitstatus = codes.TESTS_FAILED

    def _hidden(self) -> Iterator[str]:
        """What keeps a run shut that pytest takes for a success, a line each."""
        if self._shut and not (self._rows or self._systems or self._judges or self._lost):
            yield NOTHING_JUDGED
        for test, outcome in self._shut.items():
            yield (
                f"summeval: {test} {outcome}, so nothing may be released; remove what hides it"
                " (skip, xfail, --setup-only or a hook)"
            )

    def _parts_left_out(self, why: str) -> Iterator[str]:
        """The suites of which tests did not run, with what the run does not decide."""
        if self._gate.options.shard:  # `summeval merge` decides
            return
        for name, gated in sorted(self._gated.items()):
            expected = gated.record().expected
            n_judged = sum((name, *of) in self._rows for of in expected)
            systems = {s: self._systems.get((name, s)) for s in gated.systems}
            lost = [s for s, r in systems.items() if (name, s) in self._lost and _is_good(r)]
            missing = lost or [s for s, result in systems.items() if result is None]
            parts = {
                "the means": missing and gated.policy.decides_systems,
                "the comparison": missing and self._gate.options.compare,
                "the judge": name not in self._judges
                and floors_of(gated.policy.floors, self._gate.judge_name).floors,
            }
            if n_judged < len(expected) or any(parts.values()):
                judged = f"{n_judged:,} of {len(expected):,} pairs were tested"
                open_ = " and ".join(part for part, is_open in parts.items() if is_open)
                undecided = f"; not decided: {open_}" if open_ else ""
                cause = "a test broke down" if lost else why
                yield one_line(f"partial run of {name}: {judged}{undecided} ({cause})", 400)

    @property
    def _is_empty_shard(self) -> bool:
        """Whether the suites have no paper in this shard."""
        suites = self._gated.values()
        pairs = (gated.papers_of_shard(name) for gated in suites for name in gated.systems)
        return bool(suites and self._gate.options.shard) and not any(pairs)

    def fold(self) -> None:
        """Takes the failing pairs after the first few out of what pytest prints in full.

        ``-v`` and ``--tb=long`` print all, ``--tb=short`` and ``--tb=line`` none of them.
        """
        options = self._config.option
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or options.verbose > 0 or options.tbstyle not in _IN_FULL:
            return
        failed = reporter.stats.get("failed", [])
        pairs = [report for report in failed if report.nodeid in self._pair_tests]
        self._folded = pairs[_IN_FULL[options.tbstyle] :]
        reporter.stats["failed"] = [each for each in failed if each not in self._folded]

    def _write_outputs(self) -> list[str]:
        """Makes the verdict and every file that was asked for; the lines say what failed."""
        config, gate, gated = self._config, self._gate, self._gated.values()
        verdict = self._verdict = self._run([self._filled(each) for each in gated])
        self._drift = [line for each in gated for line in _drift(gate, each, verdict)]
        folder, suites = config.invocation_params.dir, [each.suite for each in gated]
        failures = [*write_outputs(gate.options, folder, verdict, suites, self.lines)]
        if gate.options.github:
            failures += tell_github(config, verdict, self._annotations)
        return failures

    def pytest_unconfigure(self) -> None:
        """Closes the file of the pairs: every report has been made of them."""
        if "_spool" in self.__dict__:
            self._spool.close()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints one line a system; one table a suite, since its means are over its own papers."""
        if MISTAKE in self._config.stash:
            return
        if self._folded:  # pytest lists and counts them again
            failed = terminalreporter.stats.get("failed", [])
            terminalreporter.stats["failed"] = [*failed, *self._folded]
            terminalreporter.line(
                f"listed below, not in full: {len(self._folded):,} failing pairs; -v prints all,"
                " --summ-html=FILE writes a page"
            )
        suites = sorted({suite for suite, *_ in self._rows})
        for suite in suites:
            title = "summarization gate" if len(suites) == 1 else f"summarization gate: {suite}"
            terminalreporter.section(title, sep="-")
            for line in self._table(self._gated[suite]):
                terminalreporter.line(line)
        is_verbose = terminalreporter.verbosity > 0
        n_worst = WORST if is_verbose else 0
        worst = terminal.worst_lines(self._worst) if self._folded else ()
        recipes = {each for row in self._rows.values() if is_verbose for each in row.signatures}
        for line in (*signature_lines(sorted(recipes)), *self._end(n_worst), *worst):
            terminalreporter.line(line)

    def _table(self, gated: GatedSuite) -> Iterator[str]:
        """The closing table of a suite."""
        suite, tallies = gated.suite, {}
        for system in {system for of, system, _ in self._rows if of == suite.shown}:
            keys = ((suite.shown, system, paper) for paper in suite.paper_ids)
            tallies[system] = SystemTally(
                rows=[self._rows[key] for key in keys if key in self._rows],
                n_papers=len(gated.papers_of_shard(system)),
                n_skipped=len(suite.systems[system].skip),
            )
        return terminal.summary_lines(tallies)

    def _end(self, n_worst: int) -> Iterator[str]:
        """The lines about the run as a whole.

        Thresholds that a judge cannot measure are named here, too: ``-q`` leaves out the header.
        """
        unmeasured = [(shown, each.unmeasured) for shown, each in self._gated.items()]
        yield from terminal.unmeasured_lines(unmeasured, self._gate.judge_name)
        if given := self._gate.options.min:
            yield f"thresholds by {TABLE['min'].flag}: {one_line(', '.join(given))}"
        yield from self._trust_lines()
        yield from blind_lines(self._gate.judge_name)
        yield from self._drift
        if self._verdict is not None:
            yield from terminal.ending_lines(
                self._verdict, n_worst=n_worst, with_gaps=not self._partial
            )
        yield from terminal.alarm_lines(self._alarms)
        if any(self.counts.calls.values()):
            yield from terminal.calls_lines(self.counts.calls, self.counts.judge)
        yield from terminal.model_lines(self.counts.models)
        for read in self.counts.cassettes_used():
            yield terminal.usage_line(read)
        yield from self.lines
        yield from self._annotations
        yield from self._partial

    def _trust_lines(self) -> Iterator[str]:
        """The trust in the judge of each suite, and what an untrusted one gets wrong."""
        judges = self._judges
        suites = sorted({suite for suite, *_ in self._rows} | set(judges))
        for suite in suites:
            of = f" ({suite})" if len(suites) > 1 else ""
            judge = judges.get(suite, TestResult(suite=suite))
            has_labels = suite in judges or self._gated[suite].suite.has_labels
            yield from judge_lines(judge.trust, judge.golden, has_labels=has_labels, of=of)


def _unkept() -> PairResult:
    """Stands for the texts of a pair that no report needs."""
    raise AssertionError("this run keeps no record")


def _is_good(result: SystemResult | None) -> bool:
    """Whether a system has no verdict, or one that passed."""
    return result is None or result.outcome == "passed"


def tally_of(config: pytest.Config) -> Tally:
    """The plugin that counts a run on its controller; the first call registers it."""
    tally = config.pluginmanager.getplugin(TALLY)
    if not isinstance(tally, Tally):
        tally = Tally(config)
        config.pluginmanager.register(tally, TALLY)
    return tally


def _drift(gate: Gate, gated: GatedSuite, verdict: RunVerdict) -> Iterator[str]:
    """How the judge has changed since the saved run that a suite is compared with."""
    saved = gate.baselines.run_of(gated.suite)
    if saved is None:
        return
    (now,) = (suite for suite in verdict.suites if suite.shown == gated.suite.shown)
    if (old := suite_alike(saved.suites, now)) is not None:
        yield from terminal.drift_lines(old, now)
    yield from terminal.changed_model_lines(saved.header.models, verdict.header.models)


def close_gate(config: pytest.Config, *, is_interrupted: bool) -> None:
    """Ends the runner of a process and sends what it counted."""
    gate = config.stash[GATE]
    gate.close(seconds=HURRY_SECONDS if is_interrupted else DRAIN_SECONDS)
    session = gate.session
    is_asking = session.replies.is_asking  # else there may be no judge
    counts = counts_of(session, gate.judge) if is_asking else None
    suites = [*map(str, collected_suites(config))]
    text = json.dumps({"collected": suites, "counts": counts})
    if is_worker(config):
        config.workeroutput[COUNTED] = text  # type: ignore[attr-defined]  # xdist sets it
        return
    tally_of(config).add_process(text)
    session.replies.forget_run()
    if is_asking and gate.options.record != "all":
        for cassette in session.replies.cassettes.values():
            tally_of(config).counts.add_cassette(cassette)


def show_plan(session: pytest.Session) -> None:
    """Prints what the collected tests would ask, and what that would cost."""
    gate = gate_of(session.config)
    items = [item for item in session.items if isinstance(item, VerdictItem)]
    tasks = dict.fromkeys(task for item in items for task in item.tasks)
    suites = [gated.suite for gated in gate.suites]
    survey, signature = gate.session.survey(gate.judge_name, suites, tasks, imagine=True)
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    rows = planned_calls(survey.missing.values(), survey.reply_share, survey.thoughts)
    for line in terminal.plan_lines(rows, judge=signature, n_stored=len(survey.stored)):
        if reporter is not None:
            reporter.write_line(line)
