"""Suites as pytest sees them: a file of systems, a system of pairs, a pair as one test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from summeval_pytest.plugin.session import gate_of, gated_suites, message_alone
from summeval_pytest.plugin.tally import PROPERTY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from summeval_pytest.evaluation import Evaluation, Task
    from summeval_pytest.plugin.gate import GatedSuite
    from summeval_pytest.verdict import MeanVerdict

MEANS: Final = "all-papers"


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
        """One item a pair, and one for the means where a threshold asks for them."""
        for paper in self.gated.papers(self.name):
            yield PairItem.from_parent(self, name=paper)
        if self.gated.thresholds.mean:
            yield MeansItem.from_parent(self, name=MEANS)


class VerdictItem(pytest.Item):
    """A test whose text is its verdict: no traceback of ours helps a reader."""

    @property
    def node(self) -> SystemNode:
        """The system this item belongs to."""
        assert isinstance(self.parent, SystemNode)
        return self.parent

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pairs that the runner has to evaluate for it."""
        raise NotImplementedError

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
        from summeval_pytest.verdict.deciding import raise_judge_faults

        (task,) = self.tasks
        self.user_properties.append((PROPERTY, _told(task)))
        with message_alone(self.config):
            self.evaluation = gate_of(self.config).runner.evaluation(task)
            self.user_properties[-1] = (PROPERTY, _told(task, self.evaluation))
            raise_judge_faults(self.evaluation)

    def runtest(self) -> None:
        """Holds the pair to the suite's thresholds."""
        from summeval_pytest.reports import describe_pair
        from summeval_pytest.verdict import decide

        verdict = decide(self.evaluation, self.node.gated.thresholds.pair)
        if not verdict.passes:
            pytest.fail(describe_pair(self.evaluation, verdict), pytrace=False)

    def teardown(self) -> None:
        """Lets go of the texts."""
        self.__dict__.pop("evaluation", None)


class MeansItem(VerdictItem):
    """The means of one system over all its papers, also where only some of them are selected."""

    verdict: MeanVerdict

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every pair of the system."""
        gated, system = self.node.gated, self.node.name
        return tuple(gated.task(paper, system) for paper in gated.papers(system))

    def setup(self) -> None:
        """Has every pair of the system evaluated that this process has not evaluated yet.

        Errs if the judge left any of them unscored.
        """
        from summeval_pytest.verdict import decide_means

        runner = gate_of(self.config).runner
        with message_alone(self.config):
            papers = runner.numbers(self.tasks)
            self.verdict = decide_means(self.node.name, papers, self.node.gated.thresholds.mean)

    def runtest(self) -> None:
        """Holds the means to the suite's thresholds."""
        from summeval_pytest.reports import describe_means

        if self.verdict.missed:
            signatures = self.node.gated.signatures(gate_of(self.config).judge.signature)
            text = describe_means(self.node.name, self.verdict, signatures)
            pytest.fail(text, pytrace=False)


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
    }
    if evaluation is not None:
        numbers = evaluation.numbers()
        told |= {
            "scores": dict(numbers.values),
            "unscored": {lack.metric: lack.status for lack in numbers.unscored},
            "signatures": [str(signature) for signature in evaluation.signatures],
            "note": evaluation.pair.note,
        }
    return json.dumps(told, sort_keys=True)
