"""The gate of one pytest process: its suites, thresholds, judge and runner.

Nothing here is loaded before a suite or a fixture asks for it, so that an installed but unused
plugin costs a foreign test suite next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.evaluation import Runner, Task
from summeval_pytest.judges import OFFLINE, find_judge
from summeval_pytest.metrics import signature_of
from summeval_pytest.reports import header_line
from summeval_pytest.suite import load_suite
from summeval_pytest.verdict import read_thresholds
from summeval_pytest.verdict.thresholds import check_judge_floor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from summeval_pytest.judges import Judge
    from summeval_pytest.metrics import Signature
    from summeval_pytest.plugin.options import Options
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict import Thresholds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GatedSuite:
    """A suite with what this run asks of it: which systems, and which thresholds."""

    suite: Suite
    systems: tuple[str, ...]
    thresholds: Thresholds

    def task(self, paper: str, system: str) -> Task:
        """The task of evaluating one pair."""
        metrics = self.thresholds.metrics
        return Task(suite=self.suite, paper=paper, system=system, metrics=metrics)

    def signatures(self, judge: str) -> tuple[Signature, ...]:
        """The recipe of each metric that a threshold needs, under a judge of this signature."""
        return tuple(
            signature_of(metric, judge=judge, suite=self.suite.fingerprint)
            for metric in self.thresholds.metrics
        )

    def papers(self, system: str) -> tuple[str, ...]:
        """The papers that a system has summaries for."""
        return self.suite.paper_ids_of(system)


class Gate:
    """What all items and fixtures of one process share."""

    def __init__(self, options: Options, *, ahead: int | None = None) -> None:
        self.options = options
        self._ahead = ahead
        self._suites: dict[Path, GatedSuite] = {}
        self._runner: Runner | None = None

    @cached_property
    def judge(self) -> Judge:
        """The chosen judge.

        Raises:
            OptionError: if there is no such judge, or the record mode forbids it.
        """
        name = self.options.judge
        defined = {judge for gated in self._suites.values() for judge in gated.suite.judges}
        judge = find_judge(name, defined)
        if self.options.record == "none" and name != OFFLINE:
            raise OptionError(
                f"--summ-record=none replays recorded answers, and judge {name!r} has none;"
                f" use --summ-judge={OFFLINE} or --summ-record=new"
            )
        return judge

    @property
    def runner(self) -> Runner:
        """The runner, made when it is first needed."""
        if self._runner is None:
            self._runner = Runner(self.judge, ahead=self._ahead)
        return self._runner

    def close(self) -> None:
        """Ends the runner's thread, if it ever began."""
        if self._runner is not None:
            self._runner.close()

    def gated(self, path: Path, shown: str | None = None) -> GatedSuite:
        """The suite of a file or folder, loaded and checked once.

        Raises:
            UsageError: for any mistake in the suite, or in an option that speaks of it.
        """
        key = path.resolve()
        if key not in self._suites:
            suite = load_suite(path, shown)
            gated = GatedSuite(
                suite=suite,
                systems=_systems(suite, self.options.model),
                thresholds=_thresholds(suite, self.options.min),
            )
            self._suites[key] = self._suites[suite.path.resolve()] = gated
        return self._suites[key]

    def unheld(self, suites: Sequence[GatedSuite]) -> str:
        """What a suite asks for and this version does not do yet, so that nobody relies on it."""
        asking = [gated.suite.shown for gated in suites if gated.suite.judge_thresholds]
        return f"not held yet: [thresholds.judge] of {', '.join(asking)}" if asking else ""

    def gated_as_tests(self, path: Path, shown: str) -> GatedSuite:
        """The suite of a file whose pairs become tests, which need something to hold them to.

        Raises:
            UsageError: for any mistake, and for a suite without a threshold.
        """
        gated = self.gated(path, shown)
        if not gated.thresholds.metrics:
            raise OptionError(
                f"{gated.suite.shown} has no threshold, so nothing could fail; add [thresholds]"
                " with for example facet = 0.55, or --summ-min facet=0.55"
            )
        return gated

    def header(self, suites: Sequence[GatedSuite]) -> str:
        """The line at the top of the run."""
        return header_line(
            judge=self.judge.signature,
            store="not needed" if self.options.judge == OFFLINE else "none",
            record=self.options.record,
            suites=[(g.suite.name, g.suite.fingerprint, g.systems) for g in suites],
        )


def _systems(suite: Suite, asked: tuple[str, ...]) -> tuple[str, ...]:
    """The systems to gate; all are checked for recorded summaries before anything is judged."""
    for name in asked:
        if name not in suite.systems:
            raise OptionError(
                f"--summ-model={name}: {suite.shown} has no system {name!r};"
                f" {nearest(name, suite.systems)} (this version gates recorded summaries only:"
                f" write them to a file and name it under [systems.{name}])"
            )
    systems = asked or suite.default_systems
    for name in systems:
        suite.paper_ids_of(name)
    return systems


def _thresholds(suite: Suite, options: tuple[str, ...]) -> Thresholds:
    check_judge_floor(suite.judge_thresholds)
    return read_thresholds(suite.thresholds, suite.mean_thresholds, options=options)
