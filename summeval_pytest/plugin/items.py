"""Suites as pytest sees them: a file of systems, a system of pairs, a pair as one test."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from summeval_pytest.errors import SummevalError, UsageError
from summeval_pytest.plugin.session import gate_of, gated_suites, message_alone
from summeval_pytest.plugin.tally import PROPERTY
from summeval_pytest.suite import ALL_PAPERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from summeval_pytest.evaluation import Evaluation, Task
    from summeval_pytest.plugin.gate import GatedSuite
    from summeval_pytest.verdict import Comparison, Covered, Judged, MeanVerdict, Totalled


class SuiteFile(pytest.File):
    """A suite file: its gated systems, in the order of the suite."""

    def collect(self) -> Iterator[pytest.Collector]:
        """One collector a system."""
        gated = gated_suites(self.config)[self.path.resolve()]
        for system in gated.systems:
            yield SystemNode.from_parent(self, name=system, gated=gated)


class SystemNode(pytest.Collector):
    """One system: its pairs in the order of the papers, then its means."""

    def __init__(self, *, gated: GatedSuite, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.gated = gated

    def collect(self) -> Iterator[pytest.Item]:
        """One item a pair, and one for all papers where a mean or a baseline is asked for."""
        for paper in self.gated.papers(self.name):
            yield PairItem.from_parent(self, name=paper)
        if self.gated.thresholds.mean or gate_of(self.config).options.compare:
            yield MeansItem.from_parent(self, name=ALL_PAPERS)


class VerdictItem(pytest.Item):
    """A test whose text is its verdict: no traceback of ours helps a reader."""

    @property
    def node(self) -> SystemNode:
        """The system this item belongs to."""
        assert isinstance(self.parent, SystemNode)
        return self.parent

    summeval_part: str | None = None
    """What the run record keeps of it, as JSON text; None before that is known, or unwanted."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pairs that the runner has to evaluate for it."""
        raise NotImplementedError

    def keep(self, part: Callable[[], Judged | Totalled]) -> None:
        """Keeps its part of the run record, where one is wanted."""
        if gate_of(self.config).keeps_record:
            from summeval_pytest.reports import as_json
            from summeval_pytest.verdict import Part

            self.summeval_part = as_json(Part(part()))

    def reportinfo(self) -> tuple[PathLike[str], int | None, str]:
        """The suite file, the line of the system in it, and a name."""
        suite = self.node.gated.suite
        return self.path, suite.place_of(self.node.name).line - 1, f"{self.node.name}::{self.name}"


class PairItem(VerdictItem):
    """One pair as a test.

    Its metrics are measured in setup, where trouble is the judge's and makes an error; its verdict
    is taken in the test, where trouble is the system's and makes a failure.
    """

    evaluation: Evaluation

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pair itself."""
        return (self.node.gated.task(self.name, self.node.name),)

    def setup(self) -> None:
        """Has the pair evaluated; errs if the judge left it unscored."""
        from summeval_pytest.verdict import raise_judge_faults

        (task,) = self.tasks
        self.user_properties.append((PROPERTY, _told(task)))
        with message_alone(self.config), self._recorded(task):
            self.evaluation = gate_of(self.config).runner.evaluation(task)
            numbers = self.evaluation.numbers()
            self.user_properties[-1] = (PROPERTY, _told(task, self.evaluation))
            raise_judge_faults(numbers)

    @contextmanager
    def _recorded(self, task: Task) -> Iterator[None]:
        """Keeps what a judge's fault left of the pair."""
        from summeval_pytest.verdict import broken_down, judged

        gated = self.node.gated
        try:
            yield
        except SummevalError as error:
            fault = str(error)
            if hasattr(self, "evaluation"):
                evaluation = self.evaluation
                self.keep(lambda: judged(gated.suite.shown, evaluation, None, fault=fault))
            elif not isinstance(error, UsageError):
                self.keep(
                    lambda: broken_down(
                        suite=gated.suite.shown,
                        paper=task.paper,
                        system=task.system,
                        metrics=task.metrics,
                        place=gated.suite.place_of(task.system),
                        fault=fault,
                    )
                )
            raise

    def runtest(self) -> None:
        """Holds the pair to the suite's thresholds."""
        from summeval_pytest.reports import describe_pair
        from summeval_pytest.verdict import decide, judged, pair_change

        gate, gated = gate_of(self.config), self.node.gated
        thresholds, waivers = gated.thresholds.pair, gate.waivers(gated)
        verdict = decide(self.evaluation.numbers(), thresholds, waivers)
        if verdict.passes and not gate.keeps_record:
            return
        told = judged(gated.suite.shown, self.evaluation, verdict)
        baseline = gate.baseline(gated, self.node.name)
        if baseline is not None and self.name in baseline.pairs:
            old = baseline.pairs[self.name]
            change = pair_change(old, told.pair, baseline=baseline.told)
            told = replace(told, pair=replace(told.pair, change=change))
        self.keep(lambda: told)
        if not verdict.passes:
            pytest.fail(describe_pair(told.pair), pytrace=False)

    def teardown(self) -> None:
        """Lets go of the texts."""
        self.__dict__.pop("evaluation", None)


class MeansItem(VerdictItem):
    """One system over all its papers, also where only some of them are selected."""

    verdict: MeanVerdict
    comparison: Comparison | None = None

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every pair of the system."""
        gated, system = self.node.gated, self.node.name
        return tuple(gated.task(paper, system) for paper in gated.papers(system))

    def setup(self) -> None:
        """Has every pair of the system evaluated that this process has not evaluated yet.

        Errs if the judge left any of them unscored.
        """
        from summeval_pytest.verdict import compare, decide_means, raise_judge_faults

        gate, gated = gate_of(self.config), self.node.gated
        with message_alone(self.config), self._recorded():
            papers = gate.runner.numbers(self.tasks)
            self.verdict = decide_means(
                self.node.name, papers, gated.thresholds.mean, gate.waivers(gated)
            )
            baseline = gate.baseline(gated, self.node.name)
            if baseline is not None:
                for numbers in papers:
                    raise_judge_faults(numbers)
                self.comparison = compare(
                    papers,
                    baseline,
                    signatures=gated.signatures(gate.judge.signature),
                    rules=gate.rules,
                )

    @contextmanager
    def _recorded(self) -> Iterator[None]:
        """Keeps that the judge left the system without means."""
        try:
            yield
        except SummevalError as error:
            fault = str(error)
            if not isinstance(error, UsageError):
                self.keep(lambda: self._total("error", fault))
            raise

    def _total(self, outcome: Covered, fault: str = "") -> Totalled:
        from summeval_pytest.verdict import SystemRecord, Totalled

        gated, system = self.node.gated, self.node.name
        verdict = getattr(self, "verdict", None)
        return Totalled(
            suite=gated.suite.shown,
            system=SystemRecord(
                name=system,
                place=gated.suite.place_of(system),
                papers=gated.papers(system),
                means=verdict.means if verdict else (),
                waivers=verdict.waivers if verdict else (),
                comparison=self.comparison,
                outcome=outcome,
                fault=fault,
            ),
        )

    def runtest(self) -> None:
        """Holds the means to the suite's thresholds, and to the baseline where there is one."""
        from summeval_pytest.reports import describe_means

        passes = self.verdict.passes and (self.comparison is None or self.comparison.passes)
        self.keep(lambda: self._total("passed" if passes else "failed"))
        if not passes:
            signatures = self.node.gated.signatures(gate_of(self.config).judge.signature)
            pytest.fail(
                describe_means(self.node.name, self.verdict, signatures, self.comparison),
                pytrace=False,
            )


def _told(task: Task, evaluation: Evaluation | None = None) -> str:
    """A pair's numbers and their recipes as JSON text, which every report can carry.

    Without an evaluation, as where the judge breaks down, the pair is told as unanswered.
    """
    told = {
        "paper": task.paper,
        "system": task.system,
        "scores": {},
        "unscored": dict.fromkeys(task.metrics, "unanswered"),
        "signatures": [],
        "note": "",
        "wrong": {},
    }
    if evaluation is not None:
        from summeval_pytest.verdict import wrong_pieces

        numbers = evaluation.numbers()
        told |= {
            "scores": dict(numbers.values),
            "unscored": {lack.metric: lack.status for lack in numbers.unscored},
            "signatures": [str(signature) for signature in evaluation.signatures],
            "note": evaluation.pair.note,
            "wrong": wrong_pieces(evaluation.scores),
        }
    return json.dumps(told, sort_keys=True)
