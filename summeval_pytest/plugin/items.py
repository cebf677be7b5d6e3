"""Split."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import pytest

from summeval_pytest.errors import JudgeError, SummevalError, UsageError
from summeval_pytest.plugin.session import gate_of, gated_suites, message_alone
from summeval_pytest.reports.pair import corrected_line
from summeval_pytest.reports.trust import trust_phrase
from summeval_pytest.run.golden import golden_tasks
from summeval_pytest.suite.lines import ALL_PAPERS, JUDGE
from summeval_pytest.verdict.relations import (
    GROUPS,
    check,
    decide_relation,
    probes_of,
    relation_floors,
)
from summeval_pytest.verdict.trust import Trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from summeval_pytest.plugin.gate import GatedSuite
    from summeval_pytest.record.record import Comparison, Covered, Judged, Measured, Totalled, Tried
    from summeval_pytest.run.golden import GoldenPair
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.runner import Task
    from summeval_pytest.verdict.decide import CorrectedMean, MeanVerdict, PairVerdict
    from summeval_pytest.verdict.relations import Probe, RelationVerdict


JUDGE_PROPERTY: Final = "summeval_judge"
"""The user property that carries what the labels say of the judge, as JSON."""


MEANS_PROPERTY: Final = "summeval_means"
"""The user property that carries a system's corrected means, as JSON."""


PROPERTY: Final = "summeval"
"""The user property that carries a pair's numbers, as JSON, to the controller and into JUnit."""


class VerdictItem(pytest.Item):
    """A test whose text is its verdict: no traceback of ours helps a reader."""

    @property
    def gated(self) -> GatedSuite:
        """The suite this item belongs to, with what this run asks of it."""
        return gated_suites(self.config)[self.path.resolve()]

    summeval_part: str | None = None
    """What the run record keeps of it, as JSON text; None before that is known, or unwanted."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pairs that the runner has to evaluate for it."""
        raise NotImplementedError

    def keep(self, part: Callable[[], Judged | Measured | Totalled | Tried]) -> None:
        """Keeps its part of the run record, where one is wanted."""
        if gate_of(self.config).keeps_record:
            from summeval_pytest.record.record import Part, as_json

            self.summeval_part = as_json(Part(part()))

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
        gate, gated = gate_of(self.config), self.gated
        with message_alone(self.config):
            try:
                self.trust, golden = gate.golden.measured(gated)
            except SummevalError as error:
                if not isinstance(error, UsageError):
                    fault = str(error)
                    self._tell(Trust(judge=gate.judge.signature, labels="", fault=fault), ())
                raise
        self._tell(self.trust, golden)
        if self.trust.outcome == "error":
            with message_alone(self.config):
                raise JudgeError(self.trust.undecided)

    def _tell(self, trust: Trust, golden: tuple[GoldenPair, ...]) -> None:
        """Hands on what the end of the run says of the judge, and the part of the record."""
        from summeval_pytest.record.record import Measured
        from summeval_pytest.reports.trust import untrusted_lines

        told = {
            "outcome": trust.outcome,
            "phrase": trust_phrase(trust, has_labels=True),
            "lines": list(untrusted_lines(trust, golden)) if trust.is_untrusted else [],
        }
        self.user_properties.append((JUDGE_PROPERTY, json.dumps(told)))
        suite = self.gated.suite.shown
        self.keep(lambda: Measured(suite=suite, trust=trust, golden=golden))

    def runtest(self) -> None:
        """Holds the judge to the floors."""
        from summeval_pytest.reports.trust import describe_trust

        if self.trust.is_untrusted:
            pytest.fail(describe_trust(self.trust), pytrace=False)


class RelationsNode(pytest.Collector):
    """One group of relations: ``metamorphic`` or ``hostile``."""

    def __init__(self, *, relations: tuple[str, ...], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.relations = relations

    def collect(self) -> Iterator[pytest.Item]:
        """One item a relation, in the order of the catalogue."""
        for name in self.relations:
            yield RelationItem.from_parent(self, name=name)


class RelationItem(VerdictItem):
    """One relation over the papers of a suite.

    Both texts of every paper are measured in setup, where a judge that gives no answers makes an
    error; a judge whose numbers do not move as they must fails.
    """

    verdict: RelationVerdict

    @property
    def group(self) -> str:
        """The group it belongs to."""
        assert self.parent is not None
        return self.parent.name

    @cached_property
    def probes(self) -> tuple[Probe, ...]:
        """What has to be measured, paper by paper."""
        return tuple(probes_of(self.gated.suite, self.group, self.name))

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Both texts of every paper that offers the edit."""
        return tuple(task for probe in self.probes for task in (probe.before, probe.after))

    def setup(self) -> None:
        """Has both texts of every paper measured; errs if the judge leaves too many undecided."""
        from summeval_pytest.record.record import Tried

        relation = GROUPS[self.group][self.name]
        suite = self.gated.suite
        with message_alone(self.config):
            found = gate_of(self.config).runner.numbers(self.tasks)
            pairs = zip(self.probes, found[::2], found[1::2], strict=True)
            checks = [check(relation, before=b, after=a, edit=p.edit) for p, b, a in pairs]
            floors = relation_floors(suite.relation_thresholds)
            self.verdict = decide_relation(relation, checks, floors=floors)
            self.keep(lambda: Tried(suite=suite.shown, verdict=self.verdict))
            if self.verdict.state == "unanswered":
                owed = next(each for check in checks for each in check.unanswered)
                raise JudgeError(
                    f"{self.name} was not decided: the judge left {self.verdict.n_unanswered} of"
                    f" {len(checks)} papers without a number, first {owed}"
                )

    def runtest(self) -> None:
        """Holds the judge to the relation."""
        from summeval_pytest.reports.pair import describe_relation

        if self.verdict.state == "nothing to check":
            pytest.skip("no paper of this suite offers the edit")
        if self.verdict.state == "fails":
            meaning = GROUPS[self.group][self.name].meaning
            pytest.fail(describe_relation(self.verdict, meaning), pytrace=False)


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
        from summeval_pytest.verdict.decide import decide

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
        from summeval_pytest.record.record import broken_down, judged

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
        from summeval_pytest.record.changes import pair_change
        from summeval_pytest.record.record import judged
        from summeval_pytest.reports.pair import describe_pair

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
        from summeval_pytest.record.regression import compare
        from summeval_pytest.verdict.decide import corrected_means, decide_means, raise_judge_faults

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
        from summeval_pytest.record.record import SystemRecord, Totalled

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
        from summeval_pytest.reports.pair import describe_means

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
        from summeval_pytest.verdict.findings import wrong_pieces

        numbers = evaluation.numbers()
        told |= {
            "scores": dict(numbers.values),
            "unscored": {lack.metric: lack.status for lack in numbers.unscored},
            "signatures": [str(signature) for signature in evaluation.signatures],
            "note": evaluation.pair.note,
            "wrong": wrong_pieces(evaluation.scores),
        }
    return json.dumps(told, sort_keys=True)
