"""Pairs, means and the judge as pytest items.

Setup measures (or reads a recorded run) and decides. It raises an error if the judge left the
verdict open. The test fails if the verdict is failed: the system's fault, or, in the judge's own
test, an untrusted judge. `plugin.config` finds the suite files, `plugin.hooks` puts each result
into pytest's report, and `plugin.controller` collects the results and may change the exit code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from os import PathLike

import pytest

from summeval_pytest.errors import JudgeError
from summeval_pytest.plugin.config import collect_suite, gate_of, without_traceback
from summeval_pytest.plugin.gate import Gate
from summeval_pytest.record.gated_suite import GatedSuite
from summeval_pytest.reports.cases import pair_case, system_case
from summeval_pytest.reports.judge_section import describe_trust
from summeval_pytest.run.runner import Task
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE
from summeval_pytest.verdict.run import TestResult


def tests_of(file: pytest.File, gated: GatedSuite) -> Iterator[pytest.Item | pytest.Collector]:
    """The test of a suite's judge, if it has labels; then its gated systems in order."""
    if gated.suite.has_labels:
        yield JudgeItem.from_parent(file, name=JUDGE)
    for system in gated.systems:
        yield SystemNode.from_parent(file, name=system)


class SystemNode(pytest.Collector):
    """One system: its pairs in the order of the papers, then its means."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a pair, and one for all papers where means or a baseline are asked for.

        A shard has no such item: `summeval merge` decides the means.
        """
        gated = gated_of(self)
        for paper in gated.papers_of_shard(self.name):
            yield PairItem.from_parent(self, name=paper)
        if gated.shard is None and (
            gated.policy.decides_systems or gate_of(self.config).options.compare
        ):
            yield MeansItem.from_parent(self, name=ALL_PAPERS)


def gated_of(node: pytest.Collector | pytest.Item) -> GatedSuite:
    """The suite of the file that a node stands in."""
    gated = collect_suite(node.config, node.path)
    assert gated is not None
    return gated


class VerdictItem(pytest.Item):
    """A test that fails with its verdict as text; a traceback would not help a reader."""

    summeval_result: TestResult | None = None
    """What it hands on with its next report (`plugin.hooks`)."""
    failure = ""
    findings = ""

    @property
    def gate(self) -> Gate:
        """The gate of this process."""
        return gate_of(self.config)

    @property
    def gated(self) -> GatedSuite:
        """The gated suite that this item belongs to."""
        return gated_of(self)

    @property
    def system(self) -> str:
        """The system that it belongs to."""
        assert self.parent is not None
        return self.parent.name

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pairs that the runner has to evaluate for it; the gate plans them ahead."""
        return ()

    def decide(self) -> None:
        """Measure and decide, which may wait for the judge.

        Raises:
            JudgeError: where the verdict is left open.
        """
        raise NotImplementedError

    def setup(self) -> None:
        """Measures and decides; an error where that is left open by the judge's fault.

        A `UsageError` ends the run with exit code 4.
        """
        with without_traceback(self.config):
            self.decide()

    def runtest(self) -> None:
        """Fails with its verdict."""
        if self.failure:
            pytest.fail(self.failure, pytrace=False)

    def teardown(self) -> None:
        """Frees the texts."""
        self.failure = self.findings = ""

    def reportinfo(self) -> tuple[PathLike[str], int | None, str]:
        """The suite file, the line of the system in it, or the first one, and a name."""
        if isinstance(self.parent, pytest.File):
            return self.path, 0, self.name
        line = self.gated.suite.place_of(self.system).line
        return self.path, line - 1, f"{self.system}::{self.name}"


class JudgeItem(VerdictItem):
    """The judge as a test: its agreement with the golden labels against the suite's floors."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The labelled pairs."""
        return tuple(self.gated.labelled)

    def decide(self) -> None:
        """What the golden labels say of the judge, and which floors it misses."""
        result = self.summeval_result = self.gate.judge_result(self.gated)
        trust = result.trust
        if trust is None or trust.outcome == "passed":  # None: no label has a golden answer
            return
        if trust.outcome == "error":
            raise JudgeError(trust.fault or trust.undecided)
        self.failure = describe_trust(trust)


class PairItem(VerdictItem):
    """One pair as a test."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pair itself."""
        return (self.gated.task(self.name, self.system),)

    def decide(self) -> None:
        """What the pair misses, with every finding; its numbers become the test's properties.

        `Gate.pair_result` measures the pair, or takes a recorded one and decides it again.
        """
        result = self.summeval_result = self.gate.pair_result(self.gated, self.system, self.name)
        pair = result.pair
        assert pair is not None
        values = pair.numbers().values
        self.user_properties += [(n, value) for n, value in values.items() if value is not None]
        if pair.outcome == "error":
            why = "; ".join(pair.verdict.undecided)
            where = f"paper {self.name!r}, system {self.system!r}"
            raise JudgeError(pair.fault or f"{where} is undecided: {why}")
        if pair.outcome == "failed":
            case = pair_case(pair)
            self.failure = case.text if self.config.get_verbosity() > 0 else case.brief
        elif pair.findings and self.gate.shows_passed:
            self.findings = replace(pair_case(pair), findings=pair.findings).text.lstrip()


class MeansItem(VerdictItem):
    """One system over all its papers; it measures all of them even under ``-k``."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Every pair of the system."""
        gated = self.gated
        return tuple(gated.task(paper, self.system) for paper in gated.papers(self.system))

    def decide(self) -> None:
        """Which means the system misses, and which rules its comparison breaks."""
        gate = self.gate
        result = self.summeval_result = gate.system_result(self.gated, self.system)
        system = result.system
        assert system is not None
        if system.outcome == "error":
            raise JudgeError(system.fault)
        if system.outcome == "failed":
            self.failure = system_case(system).text
