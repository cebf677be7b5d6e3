"""The gate of one pytest process: suites, thresholds, judge, runner and baselines.

Nothing here is loaded before a suite or a fixture asks for it, so that an installed but unused
plugin costs a foreign test suite next to nothing.
"""

from __future__ import annotations

import datetime as dt
import os
from functools import cached_property
from typing import TYPE_CHECKING

from summeval_pytest.errors import (
    JudgeError,
    NoReplyError,
    OptionError,
)
from summeval_pytest.judges.recorded import RecordedJudge
from summeval_pytest.plugin.outputs import Baselines, check_saved_file, report_files
from summeval_pytest.record.gated_suite import gated_suite
from summeval_pytest.record.recalled import FROM, RecalledRuns, read_shard
from summeval_pytest.record.stream import read_record
from summeval_pytest.reports.run import (
    cassette_lines,
    header_line,
    uncalibrated_lines,
    unheld_lines,
)
from summeval_pytest.run.golden import golden_tasks, labels_fingerprint
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.session import Session
from summeval_pytest.run.summaries import Summariser
from summeval_pytest.verdict.thresholds import (
    Waivers,
    read_rules,
)
from summeval_pytest.verdict.trust import measure_trust, measured_judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.plugin.options import Options, Share
    from summeval_pytest.plugin.progress import Progress
    from summeval_pytest.record.gated_suite import GatedSuite
    from summeval_pytest.record.record import RunRecord
    from summeval_pytest.record.regression import Baseline
    from summeval_pytest.run.golden import GoldenPair
    from summeval_pytest.verdict.thresholds import Rule
    from summeval_pytest.verdict.trust import Trust


class GoldenAnswers:
    """The judge's answers to golden labels, asked for once where something needs them.

    Args:
        runner: Who asks the judge.
        recalled: Recorded runs that answer in its place; None for none.
    """

    def __init__(self, runner: Callable[[], Runner], recalled: RecalledRuns | None) -> None:
        self._runner = runner
        self._recalled = recalled
        self._measured: dict[GatedSuite, tuple[Trust, tuple[GoldenPair, ...]]] = {}
        self.items: frozenset[GatedSuite] = frozenset()
        """The suites whose judge this run measures in a test of its own."""

    def measured(self, gated: GatedSuite) -> tuple[Trust, tuple[GoldenPair, ...]]:
        """What the suite's golden labels say of the judge, and its answers.

        Raises:
            JudgeError: where it leaves too many of them unanswered, or breaks its contract.
        """
        if gated not in self._measured:
            recalled, suite = self._recalled, gated.suite
            if recalled is None:
                self._measured[gated] = measured_judge(self._runner(), suite, gated.floors)
            else:
                asked = [(task.system, task.paper) for task in golden_tasks(suite)]
                golden, labels = recalled.golden(suite, asked), labels_fingerprint(suite)
                judge = recalled.signature
                trust = measure_trust(golden, gated.floors, judge=judge, labels=labels)
                self._measured[gated] = trust, golden
        return self._measured[gated]

    def correcting(self, gated: GatedSuite) -> tuple[GoldenPair, ...]:
        """The golden answers that correct means, as far as this run asks for them at all.

        Raises:
            JudgeError: where a threshold on corrected means needs them and the judge gives none.
        """
        if not gated.thresholds.corrected and gated not in self.items:
            return ()
        try:
            return self.measured(gated)[1]
        except (JudgeError, NoReplyError):
            if gated.thresholds.corrected:
                raise
            return ()  # the item of the judge says why


class Gate:
    """What all items and fixtures of one process share.

    Args:
        options: What was chosen.
        share: Which part of the run this process is.
        progress: Where a waiting test shows how the run stands; None for nowhere.
    """

    def __init__(self, options: Options, share: Share, *, progress: Progress | None = None) -> None:
        self.options = options
        self.session = Session(
            environ=dict(os.environ),
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
        self._today = dt.datetime.now(dt.UTC).date().isoformat()
        self._share = share
        self._progress = progress
        self._n_pairs = 0
        self._suites: dict[Path, GatedSuite] = {}
        self.recalled = self._recall(share.folder)
        self.golden = GoldenAnswers(lambda: self.runner, self.recalled)
        self._runner: Runner | None = None
        self.recipes: set[str] = set()
        """The signatures of what failed a test, told once at the end of the run."""

    def _recall(self, folder: Path) -> RecalledRuns | None:
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
        return RecalledRuns({name: read_record(folder / name, FROM) for name in options.from_})

    @property
    def pairs(self) -> Runner | RecalledRuns:
        """Who knows what was measured on a pair."""
        return self.recalled or self.runner

    @cached_property
    def judge(self) -> Judge:
        """The chosen judge; of recorded runs one that is never asked.

        Raises:
            OptionError: if there is no such judge, or the record mode or the budget forbids it.
        """
        if self.recalled is not None:
            return RecordedJudge(signature=self.recalled.signature, segments={}, ratings={})
        return self.session.judge(self.options.judge, [gated.suite for gated in self.suites])

    @property
    def _is_judge_asked(self) -> bool:
        """Whether the judge is a model at an endpoint."""
        return self.recalled is None and self.session.is_asked(
            self.options.judge, [gated.suite for gated in self.suites]
        )

    @property
    def suites(self) -> list[GatedSuite]:
        """The suites of this run, each once."""
        return list(dict.fromkeys(self._suites.values()))

    @property
    def keeps_record(self) -> bool:
        """Whether anything is made of the whole run at its end, so that each part is kept."""
        options = self.options
        return bool(
            report_files(options)
            or options.save
            or options.compare
            or options.github
            or any(gated.suite.waivers for gated in self.suites)
            or self._share.is_verbose
        )

    def waivers(self, gated: GatedSuite) -> Waivers:
        """The waivers of a suite, as they stand today."""
        return Waivers(waivers=gated.suite.waivers, today=self._today)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """Which drops against the baseline fail.

        Raises:
            OptionError: for a rule that could never decide, and for one where nothing is compared.
        """
        rules = read_rules(self.options.compare_fail)
        if self.options.compare_fail and self.options.compare is None:
            raise OptionError(
                "--summ-compare-fail says what fails and nothing is compared; add"
                " --summ-compare=NAME, or leave it out"
            )
        return rules

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
                finish=self.session.finish,
                while_waiting=self._show if self._progress is not None else None,
            )
        return self._runner

    def _ahead(self) -> int:
        """How many pairs to read ahead, where that is not the judge's to say.

        As many as requests may be open where models under test are asked; one where the first
        failure may end the run; none where other processes would ask the same of a judge whose
        answers nobody remembers.
        """
        is_asking = any(
            gated.suite.systems[system].endpoint is not None
            for gated in self.suites
            for system in gated.systems
        )
        if not self._is_judge_asked and not is_asking and self._share.n_processes > 1:
            return 0
        ahead = self.session.own_in_flight - 1 if is_asking else self.judge.in_flight - 1
        return min(1, ahead) if self._share.may_stop else ahead

    def plan(self, tasks: Sequence[Task]) -> None:
        """Begins to read ahead, each process of the run at a place of its own."""
        self._n_pairs = len(tasks)
        if self.recalled is not None:
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
                judge=options.judge,
                models=options.model,
                least=options.min,
                allow_outside=options.allow_outside,
            )
            if self.options.shard is not None:
                gated = gated.sharded(read_shard(self.options.shard))
            if self.recalled is not None:
                self.recalled.check(gated.suite, gated.systems)
            self._suites[key] = self._suites[gated.suite.path.resolve()] = gated
        return self._suites[key]

    def gated_as_tests(self, path: Path, shown: str) -> GatedSuite:
        """The suite of a file whose pairs become tests, which need something to hold them to.

        Raises:
            UsageError: for any mistake, and for a suite without a threshold.
        """
        gated = self.gated(path, shown)
        if self.options.save is not None:
            check_saved_file(gated.suite, self.options.save)
        self.rules  # noqa: B018 - a rule that cannot be is a usage error now, not later
        for system in gated.systems:
            self.baseline(gated, system)
        gated.check(self.options.judge)
        return gated

    def header(self, suites: Sequence[GatedSuite]) -> list[str]:
        """The lines at the top of the run."""
        is_asking = self._is_judge_asked or any(
            gated.suite.systems[system].endpoint for gated in suites for system in gated.systems
        )
        is_asking = is_asking and self.recalled is None
        store = "not needed"
        if is_asking:
            store = "cassette" if self.options.record == "none" else str(self.session.store)
        first = header_line(
            judge=self.judge.signature,
            store=store,
            record=self.options.record,
            suites=[(g.suite.name, g.suite.fingerprint, g.systems) for g in suites],
        )
        uncalibrated = [gated.suite.shown for gated in suites if not gated.suite.has_labels]
        return [
            first,
            *cassette_lines(self.session.cassettes.values() if is_asking else ()),
            *uncalibrated_lines(uncalibrated),
            *unheld_lines([(g.suite.shown, g.unheld) for g in suites], self.options.judge),
        ]

    def _show(self, is_waiting: bool) -> None:
        """Shows how the run stands, or wipes that."""
        if self._progress is None or not self.session.is_asking:
            return
        if is_waiting:
            exchange, is_alone = self.session.exchange, self._share.n_processes == 1
            self._progress.show(
                exchange.ledger,
                n_judged=self.runner.n_judged,
                n_pairs=self._n_pairs if is_alone else 0,
                troubles=exchange.troubles,
            )
        else:
            self._progress.wipe()
