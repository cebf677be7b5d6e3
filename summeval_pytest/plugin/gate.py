"""The gate of one pytest process: suites, policies, judge, and what its tests ask for.

Nothing here is loaded before a suite or a fixture asks for it, so that an installed but unused
plugin costs a foreign test suite next to nothing.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
from collections.abc import Collection, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import pytest

from summeval_pytest.annex import part
from summeval_pytest.errors import JudgeError, OptionError, StoreError
from summeval_pytest.judges.judge import Judge
from summeval_pytest.options import TABLE, Options
from summeval_pytest.plugin.outputs import Baselines, check_saved_file
from summeval_pytest.questions import OFFLINE
from summeval_pytest.record.gated_suite import GatedSuite, gated_suite
from summeval_pytest.record.narrowing import narrowed
from summeval_pytest.record.record_file import read_record
from summeval_pytest.record.shards import FROM, read_shard
from summeval_pytest.reports import terminal
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.run.measure import Evaluation, source_of
from summeval_pytest.run.progress import Progress
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.session import Session, Terms
from summeval_pytest.suite.places import real_place
from summeval_pytest.suite.values import Pair
from summeval_pytest.verdict.decide import Inputs, decide
from summeval_pytest.verdict.run import JudgeName, RunRecord, RunVerdict, SuiteRecord, TestResult

_APART: Final = (
    *(("shard", "plan"), ("shard", "save"), ("from_", "plan")),
    ("plan", "save"),
    *(("plan", option.name) for option in TABLE.values() if option.is_report),
)
"""Options that do not go together: an old report beside a plan would still say that it passed."""
TERMINAL: Final = "/dev/tty"
REPEATED: Final = (
    "summeval: failed pairs run again (reruns), and their verdicts stay the same, since replies are"
    " stored; leave reruns out"
)


class Gate:
    """The state that all items and fixtures of one process share.

    Its methods raise a UsageError for what the user has to mend.
    """

    def __init__(self, options: Options, config: pytest.Config, run: str) -> None:
        worker = getattr(config, "workerinput", {})
        self._index = int(str(worker.get("workerid", "gw0")).removeprefix("gw"))
        self._n_processes: int = worker.get("workercount", 1)
        self._may_stop = bool(config.getoption("maxfail", 0))
        """Whether a failure may end the run, so that what was read far ahead is in vain."""
        self._is_repeating = _repeats_failures(config)
        self.shows_passed = not {*"PA"}.isdisjoint(config.getoption("reportchars", ""))  # -rP, -rA
        self._is_verbose = self.shows_passed or config.getoption("verbose", 0) > 0
        self.options = options
        self._today = dt.datetime.now(dt.UTC).date().isoformat()
        self._progress = _open_progress(config)
        self._n_pairs = 0
        self._suites: dict[Path, GatedSuite] = {}
        folder = config.invocation_params.dir
        flags = {str(each).partition("=")[0] for each in config.invocation_params.args}
        typed = {option.name for option in TABLE.values() if option.flag in flags}
        self.recorded = self._read_records(folder, typed)
        terms = Terms(**asdict(options), n_processes=self._n_processes, run=run)
        self.session = Session(dict(os.environ), replace(terms, judge=self.judge_name))
        self.baselines = Baselines(options.compare, folder)
        self._golden: dict[GatedSuite, tuple[tuple[GoldenPair, ...], str]] = {}
        self.judged: frozenset[GatedSuite] = frozenset()
        """The suites whose judge this run measures in a test of its own."""
        self._papers: set[tuple[str, str]] = set()
        """The papers, by suite, that went with a result: a record has each of them once."""

    def _read_records(self, folder: Path, typed: Collection[str]) -> RunRecord | None:
        """The recorded runs that decide in place of a judge; None where one is asked.

        A plan, a shard or recorded runs have to be ``typed``; a plan leaves out reports that were
        not.
        """
        options = self.options
        for first, second in _APART:
            is_left_out = first == "plan" and second not in typed
            if getattr(options, first) and getattr(options, second) and not is_left_out:
                flags = f"{TABLE[second].flag} does not go with {TABLE[first].flag}"
                raise OptionError(f"{flags}; leave one of them out")
        for name in ("plan", "shard", "from_"):
            if getattr(options, name) and name not in typed:
                option = TABLE[name]
                raise OptionError(
                    f"{option.flag} must be typed, since the judge is not asked about the whole"
                    f" suite; take it out of {option.ini}, {option.variable} and addopts"
                )
        if options.shard and options.from_:
            raise OptionError(f"{FROM} decides over all shards; leave out --summ-shard")
        self._runs = {name: read_record(folder / name, FROM) for name in options.from_}
        return part("joined")(self._runs) if self._runs else None

    @cached_property
    def judge_name(self) -> str:
        """The judge's name; that of the recorded runs, where these decide."""
        chosen = self.options.judge
        if self.recorded is None:
            return chosen or OFFLINE
        name = self.recorded.judge.name
        if chosen not in {None, name}:
            raise OptionError(
                f"{FROM}: the runs were judged by {name!r}, and --summ-judge={chosen} names"
                " another; leave it out"
            )
        return name

    @cached_property
    def judge(self) -> Judge:
        """The judge of this run. A record alone never chooses code of this machine."""
        name, suites = self.judge_name, [gated.suite for gated in self.suites]
        is_code = ":" in name and not any(name in suite.judges for suite in suites)
        if is_code and self.options.judge is None:
            raise OptionError(
                f"{FROM}: the runs name the judge {name!r}, which is code that would be run; add"
                f" --summ-judge={name} if you trust it"
            )
        return self.session.judge(name, suites)

    @property
    def identity(self) -> JudgeName:
        """The judge's name and signature."""
        return JudgeName(name=self.judge_name, signature=self.judge.signature)

    @property
    def _is_judge_asked(self) -> bool:
        """Whether the judge is a model at an endpoint."""
        suites = [gated.suite for gated in self.suites]
        return self.recorded is None and self.session.is_asked(self.judge_name, suites)

    @property
    def suites(self) -> list[GatedSuite]:
        """The suites of this run, each once."""
        return list(dict.fromkeys(self._suites.values()))

    @property
    def keeps_record(self) -> bool:
        """Whether a report needs every pair at the end of the run."""
        options = self.options
        return bool(
            options.reports
            or options.save
            or options.compare
            or options.github
            or any(gated.suite.waivers or gated.policy.slices for gated in self.suites)
            or self._is_verbose
        )

    @cached_property
    def decided(self) -> RunVerdict | None:
        """The recorded runs, decided by the suites as they are now; None where a judge is asked."""
        if self.recorded is None:
            return None
        inputs, baselines = {}, {}
        for gated in self.suites:
            now, recipes = gated.record(), gated.signatures(self.judge)
            inputs[now.shown] = Inputs(judge=self.identity, suite=now, recipes=recipes)
            for system in gated.systems:
                if (baseline := self.baselines.of(gated.suite, system)) is not None:
                    baselines[now.shown, system] = baseline
        try:
            for each in inputs.values():
                part("same options")(self._runs, each.suite, compare=self.options.compare)
            return decide(narrowed(self.recorded, self.suites), inputs=inputs, baselines=baselines)
        except OptionError as error:
            raise OptionError(f"{FROM}: {str(error).removeprefix(f'{FROM}: ')}") from None

    def _decided(self, gated: GatedSuite) -> SuiteRecord | None:
        suites = self.decided.suites if self.decided is not None else ()
        return next((suite for suite in suites if suite.shown == gated.suite.shown), None)

    def pair_result(self, gated: GatedSuite, system: str, paper: str) -> TestResult:
        """One pair, decided; the first result on a paper in this process has the paper, too."""
        if (suite := self._decided(gated)) is None:
            baseline = self.baselines.of(gated.suite, system)
            result = gated.measure_pair(
                self.runner, system, paper, baseline, is_shown=self.keeps_record
            )
        else:
            (pair,) = suite.pairs_in({(system, paper)})
            of_paper = next((each for each in suite.papers if each.id == paper), None)
            result = TestResult(suite=suite.shown, pair=pair, paper=of_paper)
        if (gated.suite.shown, paper) in self._papers:
            return replace(result, paper=None)
        if result.paper is not None:
            self._papers.add((gated.suite.shown, paper))
        return result

    def system_result(self, gated: GatedSuite, system: str) -> TestResult:
        """One system over all its papers, decided."""
        if (suite := self._decided(gated)) is not None:
            (result,) = (each for each in suite.systems if each.name == system)
            return TestResult(suite=suite.shown, system=result)
        baseline = self.baselines.of(gated.suite, system)
        return gated.measure_system(self.runner, system, baseline)

    def judge_result(self, gated: GatedSuite) -> TestResult:
        """What the golden labels say of the judge."""
        suite = self._decided(gated)
        answers = (suite.golden, suite.golden_fault) if suite else self._answers(gated)
        return gated.judge_result(self.identity, answers)

    def _answers(self, gated: GatedSuite) -> tuple[tuple[GoldenPair, ...], str]:
        """The judge's answers to the golden labels, asked for once; or why there are none."""
        if gated not in self._golden:
            self._golden[gated] = gated.measure_golden(self.runner)
        return self._golden[gated]

    def evaluation(self, task: Task) -> Evaluation:
        """What was measured on one pair, for a hand-written test.

        Raises:
            JudgeError: where nothing was, by the judge's fault.
            NoReplyError: where a system's endpoint gave no summary.
        """
        (gated,) = (each for each in self.suites if each.suite is task.suite)
        if (suite := self._decided(gated)) is None:
            return self.runner.evaluation(task)
        (pair,) = suite.pairs_in({(task.system, task.paper)})
        if pair.fault:
            raise JudgeError(pair.fault)
        paper = task.suite.paper(task.paper)
        recipes = gated.signatures(self.judge)
        texts = Pair(paper=paper, system=task.system, summary=pair.summary, place=pair.place)
        return Evaluation(
            pair=replace(texts, note=pair.note),
            scores=tuple(each for each in pair.scores if each.metric in task.metrics),
            signatures=tuple(each for each in recipes if each.metric in task.metrics),
            source=source_of(paper),
        )

    @cached_property
    def runner(self) -> Runner:
        """The runner, made when it is first needed."""
        return Runner(
            self.judge,
            ahead=self._ahead(),
            find_pair=self.session.pair,
            shares_tests=self._n_processes > 1,
            finish=self.session.replies.finish,
            while_waiting=self._show,
        )

    def _ahead(self) -> int:
        """How many pairs to read ahead.

        As many as requests may be open where models under test are asked; one where the first
        failure may end the run; none where other processes would ask the same of a judge whose
        answers nobody remembers.
        """
        is_asking = self._is_system_asked
        if not self._is_judge_asked and not is_asking and self._n_processes > 1:
            return 0
        ahead = self.session.terms.own_in_flight - 1 if is_asking else self.judge.in_flight - 1
        return min(1, ahead) if self._may_stop else ahead

    @property
    def _is_system_asked(self) -> bool:
        """Whether a model under test is asked for summaries."""
        systems = (gated.suite.systems[name] for gated in self.suites for name in gated.systems)
        return any(system.endpoint is not None for system in systems)

    @property
    def is_asking(self) -> bool:
        """Whether a model at an endpoint is asked, as the judge or for summaries."""
        return self._is_judge_asked or (self._is_system_asked and self.recorded is None)

    def plan(self, tasks: Sequence[Task]) -> None:
        """Begins to read ahead, each process of the run at a place of its own."""
        self._n_pairs = len(tasks)
        if self.recorded is not None:
            return
        places = (self._index, self._index + 1)
        start, end = (len(tasks) * place // self._n_processes for place in places)
        self.runner.plan([*tasks[start:], *tasks[:start]], n_share=end - start)

    def remember(self) -> None:
        """Notes what was asked for `summeval cassette export`; no verdict depends on the note."""
        if self.is_asking:
            with suppress(StoreError):
                self.session.remember([gated.suite for gated in self.suites])

    def ending_models(self) -> list[str]:
        """What to say of models of the judge that end soon; nothing if that cannot be asked."""
        if not self._is_judge_asked:
            return []
        suites = [gated.suite for gated in self.suites]
        with suppress(StoreError, OptionError):
            today = dt.date.fromisoformat(self._today)
            return self.session.ending_models(self.judge_name, suites, today)
        return []

    def close(self, *, seconds: float) -> None:
        """Ends the runner's thread, if it ever began; calls in flight may take so many seconds."""
        if "runner" in vars(self):
            self.runner.close(seconds=seconds)
        self._progress.close()

    def gated(self, path: Path, shown: str | None = None) -> GatedSuite:
        """The suite of a file or folder, loaded and checked once."""
        key = real_place(path)
        if key not in self._suites:
            gated = gated_suite(path, self.session, shown=shown, today=self._today)
            if self.options.shard is not None:
                gated = gated.sharded(read_shard(self.options.shard))
            self._suites[key] = self._suites[real_place(gated.suite.path)] = gated
        return self._suites[key]

    def gated_as_tests(self, path: Path, shown: str) -> GatedSuite:
        """The suite of a file whose pairs become tests, which need thresholds to meet."""
        gated = self.gated(path, shown)
        if self.options.save is not None:
            check_saved_file(gated.suite, self.options.save)
        for system in gated.systems:
            self.baselines.of(gated.suite, system)
        gated.check(self.judge_name)
        return gated

    def header(self) -> list[str]:
        """The lines at the top of the run."""
        suites, is_asking = self.suites, self.is_asking
        replies = ""
        if is_asking:
            is_replay = self.options.record == "none"
            place = "cassette" if is_replay else str(self.session.terms.place)
            replies = f"{place}, --summ-record={self.options.record}"
        first = terminal.header_line(
            judge=self.judge.signature,
            replies=replies,
            suites=[(g.suite.name, g.suite.fingerprint, g.systems) for g in suites],
        )
        return [
            first,
            *((REPEATED,) if self._is_repeating else ()),
            *terminal.cassette_lines(self.session.replies.cassettes.values() if is_asking else ()),
            *terminal.unlabelled_lines([g.suite.shown for g in suites if not g.suite.has_labels]),
            *terminal.unmeasured_lines(
                [(g.suite.shown, g.unmeasured) for g in suites], self.judge_name
            ),
        ]

    def _show(self, is_waiting: bool) -> None:
        """Shows the progress of the run, or wipes it."""
        if not self.session.replies.is_asking:
            return
        if not is_waiting:
            self._progress.wipe()
            return
        exchange = self.session.replies.exchange
        self._progress.show(
            exchange.ledger,
            n_judged=self.runner.n_judged,
            n_pairs=self._n_pairs if self._n_processes == 1 else 0,
            troubles=exchange.troubles,
        )


def _repeats_failures(config: pytest.Config) -> bool:
    """Whether pytest-rerunfailures runs failed tests again."""
    if any(config.getoption(name, None) for name in ("reruns", "force_reruns")):
        return True
    with suppress(KeyError, ValueError):
        return bool(config.getini("reruns"))
    return False


def _open_progress(config: pytest.Config) -> Progress:
    """The progress display of this process: on the terminal, else in the log."""
    terminal = None
    if getattr(config.pluginmanager.getplugin("terminalreporter"), "isatty", False):
        with suppress(OSError):
            terminal = open(TERMINAL, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - a device
    return Progress(terminal, lambda line: _write_line(config, line))


def _write_line(config: pytest.Config, line: str) -> None:
    """Writes past pytest's capture; a worker writes to the stderr of its controller."""
    capture = config.pluginmanager.getplugin("capturemanager")
    reporter = config.pluginmanager.getplugin("terminalreporter")
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        if reporter is not None and not hasattr(config, "workerinput"):
            reporter.ensure_newline()
            reporter.write_line(line)
            reporter.flush()
        else:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
