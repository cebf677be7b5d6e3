"""The gate of one pytest process: suites, policies, judge, and what its tests ask for.

Nothing here is loaded before a suite or a fixture asks for it, so that an installed but unused
plugin costs a foreign test suite next to nothing.
"""

from __future__ import annotations

import datetime as dt
import os
from functools import cached_property
from typing import TYPE_CHECKING

from summeval_pytest.errors import JudgeError, OptionError
from summeval_pytest.plugin.outputs import Baselines, check_saved_file, report_files
from summeval_pytest.questions import OFFLINE
from summeval_pytest.record.gated_suite import gated_suite, narrowed
from summeval_pytest.record.measuring import (
    judged_by,
    measure_golden,
    measure_pair,
    measure_system,
)
from summeval_pytest.record.record_file import read_record
from summeval_pytest.record.shards import FROM, joined, read_shard
from summeval_pytest.reports.terminal import (
    cassette_lines,
    header_line,
    unlabelled_lines,
    unmeasured_lines,
)
from summeval_pytest.run.measure import Evaluation, source_of
from summeval_pytest.run.runner import Runner
from summeval_pytest.run.session import Session, Terms
from summeval_pytest.run.summaries import Summariser
from summeval_pytest.suite.values import Pair
from summeval_pytest.verdict.decide import decide
from summeval_pytest.verdict.policy import read_rules
from summeval_pytest.verdict.run import JudgeName, TestResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.plugin.options import Options, Share
    from summeval_pytest.plugin.progress import Progress
    from summeval_pytest.record.gated_suite import GatedSuite
    from summeval_pytest.run.golden import GoldenPair
    from summeval_pytest.run.runner import Task
    from summeval_pytest.verdict.comparison import Baseline
    from summeval_pytest.verdict.policy import Rule
    from summeval_pytest.verdict.run import RunRecord, RunVerdict, SuiteRecord


class Gate:
    """What all items and fixtures of one process share.

    Args:
        options: What was chosen.
        share: Which part of the run this process is.
        progress: Where a waiting test shows how the run stands; None for nowhere.
    """

    def __init__(self, options: Options, share: Share, *, progress: Progress | None = None) -> None:
        self.options = options
        terms = Terms(
            record=options.record,
            place=options.store,
            endpoint=options.endpoint,
            allow_endpoints=options.allow_endpoints,
            votes=options.votes,
            budget=options.budget,
            in_flight=options.in_flight,
            n_processes=share.n_processes,
            run=share.run,
        )
        self.session = Session(dict(os.environ), terms)
        self._today = dt.datetime.now(dt.UTC).date().isoformat()
        self._share = share
        self._progress = progress
        self._n_pairs = 0
        self._suites: dict[Path, GatedSuite] = {}
        self.recorded = self._read_records(share.folder)
        self._golden: dict[GatedSuite, tuple[tuple[GoldenPair, ...], str]] = {}
        self._runner: Runner | None = None
        self.judged: frozenset[GatedSuite] = frozenset()
        """The suites whose judge this run measures in a test of its own."""
        self.recipes: set[str] = set()
        """The signatures of what failed a test, shown once at the end of the run."""

    def _read_records(self, folder: Path) -> RunRecord | None:
        """The recorded runs that decide in place of a judge; None where one is asked."""
        options = self.options
        for flag, given, unfit in (
            ("--summ-shard", options.shard, ("plan", "save")),
            (FROM, options.from_, ("plan",)),
        ):
            taken = [name for name in unfit if given and getattr(options, name)]
            if taken:
                raise OptionError(f"--summ-{taken[0]} has no use for {flag}; leave one of them out")
        if options.shard and options.from_:
            raise OptionError(f"{FROM} decides over all shards; leave out --summ-shard")
        if not options.from_:
            return None
        return joined({name: read_record(folder / name, FROM) for name in options.from_})

    @cached_property
    def judge_name(self) -> str:
        """Who judges, by name; of recorded runs whoever judged them.

        Raises:
            OptionError: for another judge than that of the recorded runs.
        """
        asked = self.options.judge
        if self.recorded is None:
            return asked or OFFLINE
        name = self.recorded.judge.name
        if name is None:
            raise OptionError(
                f"{FROM}: the record of judge {self.recorded.judge.signature!r} is of a version"
                " that did not keep the judge's name; judge again"
            )
        if asked not in {None, name}:
            raise OptionError(
                f"{FROM}: the runs were judged by {name!r}, and --summ-judge={asked} names another;"
                " leave it out"
            )
        return name

    @cached_property
    def judge(self) -> Judge:
        """The judge.

        Raises:
            OptionError: if there is no such judge, or the record mode or the budget forbids it.
        """
        return self.session.judge(self.judge_name, [gated.suite for gated in self.suites])

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
        """Whether anything is made of the whole run at its end, so that each pair is kept."""
        options = self.options
        return bool(
            report_files(options)
            or options.save
            or options.compare
            or options.github
            or any(gated.suite.waivers for gated in self.suites)
            or self._share.is_verbose
        )

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """Which drops against the baseline fail.

        Raises:
            OptionError: for a rule that could never decide.
        """
        return read_rules(self.options.compare_fail)

    @cached_property
    def _baselines(self) -> Baselines | None:
        named = self.options.compare
        return Baselines(named, self._share.folder) if named is not None else None

    def saved_run(self, gated: GatedSuite) -> RunRecord | None:
        """The saved run that a suite is compared with; None where nothing is compared."""
        return self._baselines.run_of(gated.suite) if self._baselines is not None else None

    def baseline(self, gated: GatedSuite, system: str) -> Baseline | None:
        """What a system is compared with; None where nothing is compared.

        Raises:
            OptionError: where the saved run has no system that could be meant.
        """
        return self._baselines.of(gated.suite, system) if self._baselines is not None else None

    @cached_property
    def decided(self) -> RunVerdict | None:
        """The recorded runs, decided by the suites as they are now; None where a judge is asked.

        Raises:
            OptionError: for runs that were measured with something else, or are not complete.
        """
        if self.recorded is None:
            return None
        policies, inputs, baselines = {}, {}, {}
        for gated in self.suites:
            shown = gated.suite.shown
            policies[shown] = gated.policy
            inputs[shown] = gated.inputs(self.identity, gated.signatures(self.judge))
            for system in gated.systems:
                if (baseline := self.baseline(gated, system)) is not None:
                    baselines[shown, system] = baseline
        try:
            return decide(
                narrowed(self.recorded, self.suites),
                policies,
                inputs=inputs,
                baselines=baselines,
            )
        except OptionError as error:
            raise OptionError(f"{FROM}: {str(error).removeprefix(f'{FROM}: ')}") from None

    def _decided(self, gated: GatedSuite) -> SuiteRecord | None:
        suites = self.decided.suites if self.decided is not None else ()
        return next((suite for suite in suites if suite.shown == gated.suite.shown), None)

    def pair_result(self, gated: GatedSuite, system: str, paper: str) -> TestResult:
        """One pair, decided.

        Raises:
            UsageError: for what the user has to mend.
        """
        if (suite := self._decided(gated)) is None:
            baseline = self.baseline(gated, system)
            return measure_pair(self.runner, gated, system, paper, baseline)
        (pair,) = suite.pairs_in({(system, paper)})
        of_paper = next((each for each in suite.papers if each.id == paper), None)
        return TestResult(suite=suite.shown, pair=pair, paper=of_paper)

    def system_result(self, gated: GatedSuite, system: str) -> TestResult:
        """One system over all its papers, decided.

        Raises:
            UsageError: for what the user has to mend.
        """
        if (suite := self._decided(gated)) is not None:
            (found,) = (each for each in suite.systems if each.name == system)
            return TestResult(suite=suite.shown, system=found)
        is_needed = gated.thresholds.corrected or gated in self.judged
        return measure_system(
            self.runner,
            gated,
            system,
            golden=self._answers(gated) if is_needed else ((), ""),
            baseline=self.baseline(gated, system),
        )

    def judge_result(self, gated: GatedSuite) -> TestResult:
        """What the golden labels say of the judge.

        Raises:
            UsageError: for what the user has to mend.
        """
        if (suite := self._decided(gated)) is None:
            return judged_by(gated, self.identity, self._answers(gated))
        return judged_by(gated, self.identity, (suite.golden, suite.golden_fault))

    def _answers(self, gated: GatedSuite) -> tuple[tuple[GoldenPair, ...], str]:
        """The judge's answers to the golden labels, asked for once; else why there are none."""
        if gated not in self._golden:
            self._golden[gated] = measure_golden(self.runner, gated)
        return self._golden[gated]

    def evaluation(self, task: Task) -> Evaluation:
        """What was measured on one pair, for a hand-written test.

        Raises:
            JudgeError: where nothing was, by the judge's fault.
            NoReplyError: where a system's endpoint gave no summary.
            UsageError: for what the user has to mend.
        """
        (gated,) = (each for each in self.suites if each.suite is task.suite)
        if (suite := self._decided(gated)) is None:
            return self.runner.evaluation(task)
        (pair,) = suite.pairs_in({(task.system, task.paper)})
        if pair.fault:
            raise JudgeError(pair.fault)
        paper = task.suite.paper(task.paper)
        recipes = gated.signatures(self.judge)
        return Evaluation(
            pair=Pair(
                paper=paper,
                system=task.system,
                summary=pair.summary,
                place=pair.place,
                note=pair.note,
            ),
            scores=tuple(each for each in pair.scores if each.metric in task.metrics),
            signatures=tuple(each for each in recipes if each.metric in task.metrics),
            source=source_of(paper),
        )

    @property
    def runner(self) -> Runner:
        """The runner, made when it is first needed."""
        if self._runner is None:
            judge = self.judge
            summariser = Summariser(self.session.sender)
            self._runner = Runner(
                judge,
                ahead=self._ahead(),
                find_pair=summariser.pair,
                shares_tests=self._share.n_processes > 1,
                finish=self.session.replies.finish,
                while_waiting=self._show if self._progress is not None else None,
            )
        return self._runner

    def _ahead(self) -> int:
        """How many pairs to read ahead, where that is not the judge's to say.

        As many as requests may be open where models under test are asked; one where the first
        failure may end the run; none where other processes would ask the same of a judge whose
        answers nobody remembers.
        """
        is_asking = self._is_system_asked(self.suites)
        if not self._is_judge_asked and not is_asking and self._share.n_processes > 1:
            return 0
        ahead = self.session.terms.own_in_flight - 1 if is_asking else self.judge.in_flight - 1
        return min(1, ahead) if self._share.may_stop else ahead

    def _is_system_asked(self, suites: Sequence[GatedSuite]) -> bool:
        """Whether a model under test is asked for summaries."""
        return any(
            gated.suite.systems[system].endpoint is not None
            for gated in suites
            for system in gated.systems
        )

    def plan(self, tasks: Sequence[Task]) -> None:
        """Begins to read ahead, each process of the run at a place of its own."""
        self._n_pairs = len(tasks)
        if self.recorded is not None:
            return
        index, n_processes = self._share.index, self._share.n_processes
        start, end = (len(tasks) * place // n_processes for place in (index, index + 1))
        self.runner.plan([*tasks[start:], *tasks[:start]], n_own=end - start)

    def close(self, *, seconds: float) -> None:
        """Ends the runner's thread, if it ever began; calls in flight may take so many seconds."""
        if self._runner is not None:
            self._runner.close(seconds=seconds)
        if self._progress is not None:
            self._progress.close()

    def gated(self, path: Path, shown: str | None = None) -> GatedSuite:
        """The suite of a file or folder, loaded and checked once.

        Raises:
            UsageError: for any mistake in the suite, or in an option that speaks of it.
        """
        key = path.resolve()
        if key not in self._suites:
            options = self.options
            gated = gated_suite(
                path,
                shown,
                self.session,
                judge=self.judge_name,
                models=options.model,
                least=options.min,
                rules=self.rules,
                today=self._today,
                allow_outside=options.allow_outside,
            )
            if self.options.shard is not None:
                gated = gated.sharded(read_shard(self.options.shard))
            self._suites[key] = self._suites[gated.suite.path.resolve()] = gated
        return self._suites[key]

    def gated_as_tests(self, path: Path, shown: str) -> GatedSuite:
        """The suite of a file whose pairs become tests, which need thresholds to meet.

        Raises:
            UsageError: for any mistake, and for a suite without a threshold.
        """
        gated = self.gated(path, shown)
        if self.options.compare_fail and self.options.compare is None:
            raise OptionError(
                "--summ-compare-fail says what fails and nothing is compared; add"
                " --summ-compare=NAME, or leave it out"
            )
        if self.options.save is not None:
            check_saved_file(gated.suite, self.options.save)
        for system in gated.systems:
            self.baseline(gated, system)
        gated.check(self.judge_name)
        return gated

    def header(self, suites: Sequence[GatedSuite]) -> list[str]:
        """The lines at the top of the run."""
        is_asking = self._is_judge_asked or self._is_system_asked(suites)
        is_asking = is_asking and self.recorded is None
        store = "not needed"
        if is_asking:
            store = "cassette" if self.options.record == "none" else str(self.session.replies.place)
        first = header_line(
            judge=self.judge.signature,
            store=store,
            record=self.options.record,
            suites=[(g.suite.name, g.suite.fingerprint, g.systems) for g in suites],
        )
        unlabelled = [gated.suite.shown for gated in suites if not gated.suite.has_labels]
        return [
            first,
            *cassette_lines(self.session.replies.cassettes.values() if is_asking else ()),
            *unlabelled_lines(unlabelled),
            *unmeasured_lines([(g.suite.shown, g.unmeasured) for g in suites], self.judge_name),
        ]

    def _show(self, is_waiting: bool) -> None:
        """Shows how the run stands, or wipes that."""
        if self._progress is None or not self.session.replies.is_asking:
            return
        if is_waiting:
            exchange, is_alone = self.session.replies.exchange, self._share.n_processes == 1
            self._progress.show(
                exchange.ledger,
                n_judged=self.runner.n_judged,
                n_pairs=self._n_pairs if is_alone else 0,
                troubles=exchange.troubles,
            )
        else:
            self._progress.wipe()
