"""Pairs, means and the judge as pytest items.

What an item needs is measured and decided in its setup, where an error is the judge's fault. Its
test fails where the verdict does, which is the system's fault, or that of an untrusted judge.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import JudgeError
from summeval_pytest.plugin.config import gate_of, gated_suites, message_alone
from summeval_pytest.reports.cases import pair_case, system_case
from summeval_pytest.reports.judge_section import describe_trust
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.record.gated_suite import GatedSuite
    from summeval_pytest.run.runner import Task
    from summeval_pytest.verdict.run import TestResult


class SuiteFile(pytest.File):
    """A suite file: whether its judge may decide, then its gated systems in order."""

    @cached_property
    def gated(self) -> GatedSuite:
        """The suite, with what this run asks of it."""
        return gated_suites(self.config)[self.path.resolve()]

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """The judge, where labels measure it, then one collector a system."""
        if self.gated.suite.has_labels:
            yield JudgeItem.from_parent(self, name=JUDGE)
        for system in self.gated.systems:
            yield SystemNode.from_parent(self, name=system)


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


def gated_of(node: pytest.Collector | pytest.Item) -> GatedSuite:
    """The suite of the file that a node stands in."""
    file = node.getparent(SuiteFile)
    assert file is not None
    return file.gated


class VerdictItem(pytest.Item):
    """A test whose text is its verdict: no traceback of ours helps a reader."""

    summeval_result: TestResult | None = None
    """What it hands on with its next report."""

    @property
    def gate(self) -> Gate:
        """The gate of this process."""
        return gate_of(self.config)

    @property
    def gated(self) -> GatedSuite:
        """The suite this item belongs to, with what this run asks of it."""
        return gated_of(self)

    @property
    def system(self) -> str:
        """The system that it belongs to."""
        assert self.parent is not None
        return self.parent.name

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pairs that the runner has to evaluate for it."""
        raise NotImplementedError

    def measured(self) -> TestResult:
        """What it measures, decided."""
        raise NotImplementedError

    def failure(self) -> str:
        """Why its verdict fails; empty where it does not."""
        raise NotImplementedError

    def fault(self) -> str:
        """Why the judge's answers decide nothing; empty where they do."""
        raise NotImplementedError

    def setup(self) -> None:
        """Measures and decides; an error where that is left open by the judge's fault."""
        with message_alone(self.config):
            self.summeval_result = self.result = self.measured()
            if fault := self.fault():
                raise JudgeError(fault)

    def runtest(self) -> None:
        """Fails with its verdict."""
        if failure := self.failure():
            pytest.fail(failure, pytrace=False)

    def teardown(self) -> None:
        """Lets go of the texts."""
        self.__dict__.pop("result", None)

    def reportinfo(self) -> tuple[PathLike[str], int | None, str]:
        """The suite file, its first line, and the name."""
        return self.path, 0, self.name


class JudgeItem(VerdictItem):
    """The judge as a test: its agreement with the golden labels against the suite's floors."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The labelled pairs."""
        return tuple(self.gated.labelled)

    def measured(self) -> TestResult:
        """What the golden labels say of the judge."""
        return self.gate.judge_result(self.gated)

    def fault(self) -> str:
        """Why its agreement was not measured, or does not decide."""
        trust = self.result.trust
        if trust is None or trust.outcome != "error":
            return ""
        return trust.fault or trust.undecided

    def failure(self) -> str:
        """Which floors it misses."""
        trust = self.result.trust
        return describe_trust(trust) if trust is not None and trust.is_untrusted else ""


class SystemItem(VerdictItem):
    """A test of one system."""

    def reportinfo(self) -> tuple[PathLike[str], int | None, str]:
        """The suite file, the line of the system in it, and a name."""
        line = self.gated.suite.place_of(self.system).line
        return self.path, line - 1, f"{self.system}::{self.name}"


class PairItem(SystemItem):
    """One pair as a test."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pair itself."""
        return (self.gated.task(self.name, self.system),)

    def measured(self) -> TestResult:
        """The pair, with its numbers as properties of the test."""
        result = self.gate.pair_result(self.gated, self.system, self.name)
        assert result.pair is not None
        values = result.pair.numbers().values
        self.user_properties += [(n, value) for n, value in values.items() if value is not None]
        return result

    def fault(self) -> str:
        """Why the judge left it undecided."""
        pair = self.result.pair
        assert pair is not None
        if pair.outcome != "error" or pair.fault:
            return pair.fault
        why = "; ".join(pair.verdict.undecided)
        return f"paper {self.name!r}, system {self.system!r} is undecided: {why}"

    def failure(self) -> str:
        """What it misses, and every finding that explains it."""
        pair = self.result.pair
        assert pair is not None
        if pair.outcome == "passed":
            return ""
        self.gate.recipes.update(pair.signatures if pair.verdict.shortfalls else ())
        return pair_case(pair).text


class MeansItem(SystemItem):
    """One system over all its papers, also where only some of them are selected."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every pair of the system, and the golden ones where they correct its means."""
        gated = self.gated
        labelled = gated.labelled if gated.thresholds.corrected else ()
        return (*(gated.task(paper, self.system) for paper in gated.papers(self.system)), *labelled)

    def measured(self) -> TestResult:
        """Its means, and its comparison with a baseline."""
        return self.gate.system_result(self.gated, self.system)

    def fault(self) -> str:
        """Why the judge left its means, or its comparison, undecided."""
        system = self.result.system
        assert system is not None
        return system.fault if system.outcome == "error" else ""

    def failure(self) -> str:
        """Which means it misses, and which rules it breaks."""
        system = self.result.system
        assert system is not None
        if system.outcome != "failed":
            return ""
        gate = self.gate
        gate.recipes.update(map(str, self.gated.signatures(gate.judge)))
        return system_case(system).text
