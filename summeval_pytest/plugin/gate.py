"""The gate of one pytest process: its suites, thresholds, judge and runner.

Nothing here is loaded before a suite or a fixture asks for it, so that an installed but unused
plugin costs a foreign test suite next to nothing.
"""

from __future__ import annotations

import datetime as dt
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError
from summeval_pytest.evaluation import (
    Desk,
    Runner,
    Summariser,
    Task,
    Terms,
    check_sentences,
)
from summeval_pytest.plugin.baselines import Baselines, check_saved_file
from summeval_pytest.plugin.gated_suite import GatedSuite
from summeval_pytest.plugin.golden_answers import GoldenAnswers
from summeval_pytest.reports import (
    cassette_lines,
    header_line,
    uncalibrated_lines,
    unheld_lines,
)
from summeval_pytest.suite import load_suite
from summeval_pytest.verdict import (
    Waivers,
    check_supported,
    chosen_relations,
    floors_of,
    read_rules,
    relation_floors,
    thresholds_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.judges import Judge
    from summeval_pytest.plugin.options import Options
    from summeval_pytest.plugin.progress import Progress
    from summeval_pytest.plugin.session import Share
    from summeval_pytest.verdict import Baseline, Rule, RunRecord

EPOCH: Final = "SOURCE_DATE_EPOCH"
"""The variable that says when a run was made, for records that must be equal to the byte; waivers
expire by the calendar."""


class Gate:
    """What all items and fixtures of one process share.

    Args:
        options: What was chosen.
        share: Which part of the run this process is.
        progress: Where a waiting test shows how the run stands; None for nowhere.
    """

    def __init__(self, options: Options, share: Share, *, progress: Progress | None = None) -> None:
        self.options = options
        self.desk = Desk(
            Terms(
                environ=dict(os.environ),
                record=options.record,
                directory=Path(options.store) if options.store else None,
                endpoint=options.endpoint,
                allow_endpoints=options.allow_endpoints,
                votes=options.votes,
                budget=options.budget,
                in_flight=options.in_flight,
                n_processes=share.n_processes,
                run=share.run,
            )
        )
        self._today = dt.datetime.now(dt.UTC).date().isoformat()
        self._share = share
        self._progress = progress
        self._n_pairs = 0
        self._suites: dict[Path, GatedSuite] = {}
        self.golden = GoldenAnswers(lambda: self.runner)
        self._runner: Runner | None = None
        self.recipes: set[str] = set()
        """The signatures of what failed a test, told once at the end of the run."""

    @cached_property
    def judge(self) -> Judge:
        """The chosen judge.

        Raises:
            OptionError: if there is no such judge, or the record mode or the budget forbids it.
        """
        return self.desk.judge(self.options.judge, [gated.suite for gated in self.suites])

    @property
    def _is_judge_asked(self) -> bool:
        """Whether the judge is a model at an endpoint."""
        return self.desk.is_asked(self.options.judge, [gated.suite for gated in self.suites])

    @property
    def suites(self) -> list[GatedSuite]:
        """The suites of this run, each once."""
        return list(dict.fromkeys(self._suites.values()))

    @property
    def keeps_record(self) -> bool:
        """Whether anything is made of the whole run at its end, so that each part is kept."""
        options = self.options
        made_of_it = (
            options.run_record,
            options.save,
            options.compare,
            options.junit,
            options.html,
            options.github,
        )
        has_waivers = any(gated.suite.waivers for gated in self.suites)
        return any(made_of_it) or has_waivers or self._share.is_verbose

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
    def relations(self) -> dict[str, tuple[str, ...]]:
        """By group, the relations that the judge is tried with.

        Raises:
            OptionError: for a name that is no relation.
        """
        return chosen_relations(self.options.metamorphic, "--summ-metamorphic")

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
            summariser = Summariser(self.desk.sender)
            self._runner = Runner(
                judge,
                ahead=self._ahead(),
                find_pair=summariser.pair,
                shares_tests=self._share.n_processes > 1,
                finish=self.desk.finish,
                adjust=self.golden.adjusted,
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
        ahead = self.desk.roles.in_flight - 1 if is_asking else self.judge.in_flight - 1
        return min(1, ahead) if self._share.may_stop else ahead

    def plan(self, tasks: Sequence[Task]) -> None:
        """Begins to read ahead, each process of the run at a place of its own."""
        self._n_pairs = len(tasks)
        self.golden.prepare(self.suites)
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
            suite = load_suite(path, shown, allow_outside=self.options.allow_outside)
            written = thresholds_of(suite, options=self.options.min)
            suite, systems = self.desk.systems(suite, self.options.model, "--summ-model")
            self.desk.add_cassette(suite)
            check_sentences(suite)
            judge = self.options.judge
            gated = GatedSuite(
                suite=suite, systems=systems, thresholds=written, floors=floors_of(suite, judge)
            ).for_metrics(self.desk.metrics_of(judge, [suite]))
            n_votes = self.desk.votes_of(judge, [suite])
            check_supported(gated.thresholds, judge, n_votes, suite.shown)
            self._suites[key] = self._suites[suite.path.resolve()] = gated
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
        self.relations  # noqa: B018 - likewise
        relation_floors(gated.suite.relation_thresholds)
        for system in gated.systems:
            self.baseline(gated, system)
        gated.check(self.options.judge, is_tried=bool(self.options.metamorphic))
        return gated

    def header(self, suites: Sequence[GatedSuite]) -> list[str]:
        """The lines at the top of the run."""
        is_asking = self._is_judge_asked or any(
            gated.suite.systems[system].endpoint for gated in suites for system in gated.systems
        )
        store = "not needed"
        if is_asking:
            store = "cassette" if self.options.record == "none" else str(self.desk.directory)
        first = header_line(
            judge=self.judge.signature,
            store=store,
            record=self.options.record,
            suites=[(g.suite.name, g.suite.fingerprint, g.systems) for g in suites],
        )
        uncalibrated = [gated.suite.shown for gated in suites if not gated.suite.has_labels]
        return [
            first,
            *cassette_lines(self.desk.cassettes.values() if is_asking else ()),
            *uncalibrated_lines(uncalibrated),
            *unheld_lines([(g.suite.shown, g.unheld) for g in suites], self.options.judge),
        ]

    def _show(self, is_waiting: bool) -> None:
        """Shows how the run stands, or wipes that."""
        if self._progress is None or not self.desk.is_asking:
            return
        if is_waiting:
            exchange, is_alone = self.desk.exchange, self._share.n_processes == 1
            self._progress.show(
                exchange.ledger,
                n_judged=self.runner.n_judged,
                n_pairs=self._n_pairs if is_alone else 0,
                troubles=exchange.troubles,
            )
        else:
            self._progress.wipe()
