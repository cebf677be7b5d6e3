"""Pairs, means and the judge as pytest items, each with its part of the record."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import pytest

from summeval_pytest.errors import JudgeError, SummevalError, UsageError
from summeval_pytest.plugin.config import gate_of, gated_suites, message_alone
from summeval_pytest.record.changes import pair_change
from summeval_pytest.record.record import (
    Judged,
    Measured,
    Part,
    SystemRecord,
    Totalled,
    as_json,
    judged,
)
from summeval_pytest.record.regression import compare
from summeval_pytest.reports.judge_section import describe_trust
from summeval_pytest.reports.pair import (
    describe_means,
    describe_pair,
)
from summeval_pytest.run.golden import golden_tasks
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE
from summeval_pytest.verdict.corrected import corrected_means
from summeval_pytest.verdict.decide import decide, decide_means, raise_judge_faults
from summeval_pytest.verdict.findings import wrong_pieces
from summeval_pytest.verdict.trust import Trust

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.record.gated_suite import GatedSuite
    from summeval_pytest.record.record import Comparison, Covered
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.run.runner import Task
    from summeval_pytest.verdict.decide import MeanVerdict, PairVerdict


PROPERTY: Final = "summeval"
"""The user property that carries a pair's numbers, as JSON, to the controller and into JUnit."""


class SuiteFile(pytest.File):
    """A suite file: whether its judge may decide, then its gated systems in order."""

    @cached_property
    def gated(self) -> GatedSuite:
        """The suite, with what this run asks of it."""
        return gated_suites(self.config)[self.path.resolve()]

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The judge, where labels measure it, then one collector a system."""
        gated = self.gated
        if gated.suite.has_labels:
            yield JudgeItem.from_parent(self, name=JUDGE)
        for system in gated.systems:
            yield SystemNode.from_parent(self, name=system)


def gated_of(node: pytest.Collector | pytest.Item) -> GatedSuite:
    """The suite of the file that a node stands in."""
    file = node.getparent(SuiteFile)
    assert file is not None
    return file.gated


class SystemNode(pytest.Collector):
    """One system: its pairs in the order of the papers, then its means."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a pair, and one for all papers where means or a baseline are asked for."""
        gated = gated_of(self)
        for paper in gated.own_papers(self.name):
            yield PairItem.from_parent(self, name=paper)
        is_compared = gate_of(self.config).options.compare
        if gated.shard is not None:
            return
        if gated.thresholds.mean or gated.thresholds.corrected or is_compared:
            yield MeansItem.from_parent(self, name=ALL_PAPERS)


class VerdictItem(pytest.Item):
    """A test whose text is its verdict: no traceback of ours helps a reader."""

    summeval_part: str | None = None
    """What it hands to the controller, as JSON text; None before that is known, or unwanted."""

    @property
    def gate(self) -> Gate:
        """The gate of this process."""
        return gate_of(self.config)

    @property
    def gated(self) -> GatedSuite:
        """The suite this item belongs to, with what this run asks of it."""
        return gated_of(self)

    @property
    def group(self) -> str:
        """The system that it belongs to."""
        assert self.parent is not None
        return self.parent.name

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pairs that the runner has to evaluate for it."""
        raise NotImplementedError

    def keep(self, part: Judged | Measured | Totalled) -> None:
        """Hands its part of the run to the controller, with the next report of the test."""
        self.summeval_part = as_json(Part(part))

    def reportinfo(self) -> tuple[PathLike[str], int | None, str]:
        """The suite file, its first line, and the name."""
        return self.path, 0, self.name


class JudgeItem(VerdictItem):
    """The judge as a test: its agreement with the golden labels, held to the suite's floors.

    It is measured in setup, where a judge that gives no answers makes an error; one that answers
    and misses a floor fails.
    """

    trust: Trust

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The labelled pairs."""
        return tuple(golden_tasks(self.gated.suite))

    def setup(self) -> None:
        """Has every labelled pair answered; errs if the judge leaves too many without."""
        suite = self.gated.suite.shown
        with message_alone(self.config):
            try:
                self.trust, golden = self.gate.golden.measured(self.gated)
            except UsageError:
                raise
            except SummevalError as error:
                trust = Trust(judge=self.gate.judge.signature, labels="", fault=str(error))
                self.keep(Measured(suite=suite, trust=trust))
                raise
            self.keep(Measured(suite=suite, trust=self.trust, golden=golden))
            if self.trust.outcome == "error":
                raise JudgeError(self.trust.undecided)

    def runtest(self) -> None:
        """Holds the judge to the floors."""
        if self.trust.is_untrusted:
            pytest.fail(describe_trust(self.trust), pytrace=False)


class SystemItem(VerdictItem):
    """A test of one system."""

    def reportinfo(self) -> tuple[PathLike[str], int | None, str]:
        """The suite file, the line of the system in it, and a name."""
        line = self.gated.suite.place_of(self.group).line
        return self.path, line - 1, f"{self.group}::{self.name}"


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
        return (self.gated.task(self.name, self.group),)

    def setup(self) -> None:
        """Has the pair evaluated and decided; errs if the judge left it unscored or undecided."""
        gate, gated, (task,) = self.gate, self.gated, self.tasks
        self.user_properties.append((PROPERTY, _told(task)))
        with message_alone(self.config), self._recorded(task):
            self.evaluation = gate.pairs.evaluation(task)
            numbers = self.evaluation.numbers()
            self.user_properties[-1] = (PROPERTY, _told(task, (self.evaluation, numbers)))
            self.verdict = decide(numbers, gated.thresholds.pair, gate.waivers(gated))

    @contextmanager
    def _recorded(self, task: Task) -> Iterator[None]:
        """Keeps what a judge's fault left of the pair."""
        try:
            yield
        except SummevalError as error:
            fault = str(error)
            if hasattr(self, "evaluation"):
                self.keep(judged(self.gated.suite.shown, self.evaluation, None, fault=fault))
            elif not isinstance(error, UsageError):
                self.keep(self.gated.broken_down(task.system, task.paper, fault))
            raise

    def runtest(self) -> None:
        """Holds the pair to the suite's thresholds."""
        gate, gated, verdict = self.gate, self.gated, self.verdict
        if verdict.passes and not gate.keeps_record:
            return
        told = judged(gated.suite.shown, self.evaluation, verdict)
        baseline = gate.baseline(gated, self.group)
        if baseline is not None and self.name in baseline.pairs:
            old = baseline.pairs[self.name]
            change = pair_change(old, told.pair, baseline=baseline.told)
            told = replace(told, pair=replace(told.pair, change=change))
        self.keep(told)
        if not verdict.passes:
            gate.recipes.update(told.pair.signatures if verdict.shortfalls else ())
            pytest.fail(describe_pair(told.pair), pytrace=False)

    def teardown(self) -> None:
        """Lets go of the texts."""
        self.__dict__.pop("evaluation", None)


class MeansItem(SystemItem):
    """One system over all its papers, also where only some of them are selected."""

    verdict: MeanVerdict | None = None
    comparison: Comparison | None = None

    @property
    def _pairs(self) -> list[Task]:
        """Every pair of the system."""
        return [self.gated.task(paper, self.group) for paper in self.gated.papers(self.group)]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every pair of the system, and the golden ones where they correct its means."""
        labelled = golden_tasks(self.gated.suite) if self.gated.thresholds.corrected else ()
        return (*self._pairs, *labelled)

    def setup(self) -> None:
        """Has every pair of the system evaluated that this process has not evaluated yet.

        Errs if the judge left any of them unscored, or so much unanswered that nothing is decided.
        """
        with message_alone(self.config):
            try:
                self._decide()
            except UsageError:
                raise
            except SummevalError as error:
                self.keep(self._total("error", str(error)))
                raise

    def _decide(self) -> None:
        gate, gated, thresholds = self.gate, self.gated, self.gated.thresholds
        papers = gate.pairs.numbers(self._pairs)
        corrected = corrected_means(papers, gate.golden.correcting(gated), thresholds.corrected)
        self.verdict = decide_means(
            self.group, papers, thresholds.mean, gate.waivers(gated), corrected
        )
        baseline = gate.baseline(gated, self.group)
        if baseline is not None:
            for numbers in papers:
                raise_judge_faults(numbers)
            signatures = gated.signatures(gate.judge)
            self.comparison = compare(papers, baseline, signatures=signatures, rules=gate.rules)
            self.comparison.check_decided()

    def _total(self, outcome: Covered, fault: str = "") -> Totalled:
        suite, verdict = self.gated.suite, self.verdict
        return Totalled(
            suite=suite.shown,
            system=SystemRecord(
                name=self.group,
                place=suite.place_of(self.group),
                papers=self.gated.papers(self.group),
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
        assert self.verdict is not None
        passes = self.verdict.passes and (self.comparison is None or self.comparison.passes)
        self.keep(self._total("passed" if passes else "failed"))
        if not passes:
            gate = self.gate
            gate.recipes.update(map(str, self.gated.signatures(gate.judge)))
            pytest.fail(describe_means(self.group, self.verdict, self.comparison), pytrace=False)


def _told(task: Task, measured: tuple[Evaluation, Numbers] | None = None) -> str:
    """A pair's numbers and their recipes as JSON text, which every report can carry.

    Without any, as where the judge breaks down, the pair is told as unanswered.
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
    if measured is not None:
        evaluation, numbers = measured
        told |= {
            "scores": dict(numbers.values),
            "unscored": {lack.metric: lack.status for lack in numbers.unscored},
            "signatures": [str(signature) for signature in evaluation.signatures],
            "note": evaluation.pair.note,
            "wrong": wrong_pieces(evaluation.scores),
        }
    return json.dumps(told, sort_keys=True)
