"""Suites as pytest sees them: a file of systems, a system of pairs, a pair as one test."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from summeval_pytest.errors import SummevalError, UsageError
from summeval_pytest.evaluation import golden_tasks
from summeval_pytest.plugin.judge_item import JudgeItem
from summeval_pytest.plugin.relation_item import RelationsNode
from summeval_pytest.plugin.session import gate_of, gated_suites, message_alone
from summeval_pytest.plugin.tally import MEANS_PROPERTY, PROPERTY
from summeval_pytest.plugin.verdict_item import VerdictItem
from summeval_pytest.reports import corrected_line
from summeval_pytest.suite import ALL_PAPERS, JUDGE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from summeval_pytest.evaluation import Evaluation, Task
    from summeval_pytest.plugin.gated_suite import GatedSuite
    from summeval_pytest.verdict import (
        Comparison,
        CorrectedMean,
        Covered,
        MeanVerdict,
        PairVerdict,
        Totalled,
    )


class SuiteFile(pytest.File):
    """A suite file: whether its judge may decide, then its gated systems in order."""

    @property
    def gated(self) -> GatedSuite:
        """The suite, with what this run asks of it."""
        return gated_suites(self.config)[self.path.resolve()]

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The judge, where labels measure it and relations try it; one collector a system."""
        gated = self.gated
        if gated.suite.has_labels:
            yield JudgeItem.from_parent(self, name=JUDGE)
        for group, relations in gate_of(self.config).relations.items():
            yield RelationsNode.from_parent(self, name=group, relations=relations)
        for system in gated.systems:
            yield SystemNode.from_parent(self, name=system, gated=gated)


class SystemNode(pytest.Collector):
    """One system: its pairs in the order of the papers, then its means."""

    def __init__(self, *, gated: GatedSuite, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.gated = gated

    def collect(self) -> Iterator[pytest.Item]:
        """One item a pair, and one for all papers where means or a baseline are asked for."""
        for paper in self.gated.papers(self.name):
            yield PairItem.from_parent(self, name=paper)
        thresholds = self.gated.thresholds
        is_compared = gate_of(self.config).options.compare
        if thresholds.mean or thresholds.corrected or is_compared:
            yield MeansItem.from_parent(self, name=ALL_PAPERS)


class SystemItem(VerdictItem):
    """A test of one system."""

    @property
    def node(self) -> SystemNode:
        """The system this item belongs to."""
        assert isinstance(self.parent, SystemNode)
        return self.parent

    def reportinfo(self) -> tuple[PathLike[str], int | None, str]:
        """The suite file, the line of the system in it, and a name."""
        suite = self.node.gated.suite
        return self.path, suite.place_of(self.node.name).line - 1, f"{self.node.name}::{self.name}"


class PairItem(SystemItem):
    """One pair as a test.

    Its metrics are measured in setup, where trouble is the judge's and makes an error; its verdict
    is taken in the test, where trouble is the system's and makes a failure.
    """

    evaluation: Evaluation
    verdict: PairVerdict

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pair itself."""
        return (self.node.gated.task(self.name, self.node.name),)

    def setup(self) -> None:
        """Has the pair evaluated and decided; errs if the judge left it unscored or undecided."""
        from summeval_pytest.verdict import decide

        (task,) = self.tasks
        self.user_properties.append((PROPERTY, _told(task)))
        with message_alone(self.config), self._recorded(task):
            self.evaluation = gate_of(self.config).runner.evaluation(task)
            numbers = self.evaluation.numbers()
            self.user_properties[-1] = (PROPERTY, _told(task, self.evaluation))
            gate, gated = gate_of(self.config), self.gated
            thresholds, waivers = gated.thresholds.pair, gate.waivers(gated)
            self.verdict = decide(numbers, thresholds, waivers)

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
        from summeval_pytest.verdict import judged, pair_change

        gate, gated, verdict = gate_of(self.config), self.node.gated, self.verdict
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
            gate.recipes.update(told.pair.signatures if verdict.shortfalls else ())
            pytest.fail(describe_pair(told.pair), pytrace=False)

    def teardown(self) -> None:
        """Lets go of the texts."""
        self.__dict__.pop("evaluation", None)


class MeansItem(SystemItem):
    """One system over all its papers, also where only some of them are selected."""

    verdict: MeanVerdict
    comparison: Comparison | None = None

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every pair of the system."""
        gated, system = self.node.gated, self.node.name
        labelled = golden_tasks(gated.suite) if gated.thresholds.corrected else ()
        return (*(gated.task(paper, system) for paper in gated.papers(system)), *labelled)

    def setup(self) -> None:
        """Has every pair of the system evaluated that this process has not evaluated yet.

        Errs if the judge left any of them unscored, or so much unanswered that nothing is decided.
        """
        from summeval_pytest.verdict import (
            compare,
            corrected_means,
            decide_means,
            raise_judge_faults,
        )

        gate, gated = gate_of(self.config), self.node.gated
        with message_alone(self.config), self._recorded():
            system, thresholds = self.node.name, gated.thresholds
            tasks = [gated.task(paper, system) for paper in gated.papers(system)]
            papers = gate.runner.numbers(tasks)
            corrected = corrected_means(papers, gate.golden.correcting(gated), thresholds.corrected)
            self.verdict = decide_means(
                system, papers, thresholds.mean, gate.waivers(gated), corrected
            )
            self._tell_corrected(corrected)
            baseline = gate.baseline(gated, self.node.name)
            if baseline is not None:
                for numbers in papers:
                    raise_judge_faults(numbers)
                self.comparison = compare(
                    papers,
                    baseline,
                    signatures=gate.golden.signatures(gated, gate.judge),
                    rules=gate.rules,
                )
                self.comparison.check_decided()

    def _tell_corrected(self, corrected: tuple[CorrectedMean, ...]) -> None:
        """Hands on what the end of the run says of the system's corrected means."""
        told = {"system": self.node.name, "line": corrected_line(corrected)}
        if told["line"]:
            self.user_properties.append((MEANS_PROPERTY, json.dumps(told)))

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
                corrected=verdict.corrected if verdict else (),
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
            gate = gate_of(self.config)
            gate.recipes.update(map(str, gate.golden.signatures(self.node.gated, gate.judge)))
            pytest.fail(
                describe_means(self.node.name, self.verdict, self.comparison), pytrace=False
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
