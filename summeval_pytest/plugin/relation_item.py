"""Metamorphic relations and hostile summaries as tests of the judge, which need no label."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from summeval_pytest.errors import JudgeError
from summeval_pytest.plugin.session import gate_of, message_alone
from summeval_pytest.plugin.verdict_item import VerdictItem
from summeval_pytest.verdict import GROUPS, check, decide_relation, probes_of, relation_floors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.evaluation import Task
    from summeval_pytest.verdict import Probe, RelationVerdict


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
        from summeval_pytest.verdict import Tried

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
        from summeval_pytest.reports import describe_relation

        if self.verdict.state == "nothing to check":
            pytest.skip("no paper of this suite offers the edit")
        if self.verdict.state == "fails":
            meaning = GROUPS[self.group][self.name].meaning
            pytest.fail(describe_relation(self.verdict, meaning), pytrace=False)
