"""A suite with what a run asks of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError
from summeval_pytest.evaluation import Task, recipe_of
from summeval_pytest.metrics import METRICS

if TYPE_CHECKING:
    from collections.abc import Collection

    from summeval_pytest.judges import Judge
    from summeval_pytest.metrics import MetricName, Signature
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict import Floors, Thresholds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GatedSuite:
    """A suite with what this run asks of it: which systems, and which thresholds."""

    suite: Suite
    systems: tuple[str, ...]
    thresholds: Thresholds
    floors: Floors
    unheld: tuple[str, ...] = ()
    """The thresholds and floors on numbers that the judge has no answers for."""
    is_partial: bool = False
    """Whether the judge answers for some metrics only."""

    def for_metrics(self, metrics: Collection[MetricName]) -> GatedSuite:
        """What a judge of these metrics can be held to, and measured on; FM is always among them.

        What it has no answers for holds nothing: it would be an error on every pair and label.
        """
        if set(metrics) >= set(METRICS):
            return self
        thresholds, floors = self.thresholds.only(metrics), self.floors.of_facets()
        lost = [name for name in self.thresholds.names if name not in thresholds.names]
        lost += [f"judge.{each.title}" for each in self.floors.floors if each not in floors.floors]
        return replace(
            self,
            suite=self.suite.labelled_by_facets(),
            thresholds=thresholds,
            floors=floors,
            unheld=tuple(lost),
            is_partial=True,
        )

    def check(self, judge: str, *, is_tried: bool) -> None:
        """Refuses what could never fail, and what the judge could never answer.

        Args:
            judge: The judge as the user named it.
            is_tried: Whether it is to be tried with edited texts.

        Raises:
            OptionError: for a suite that holds nothing to anything, and for edited texts that
                nobody has recorded a judgement of.
        """
        if self.is_partial and is_tried:
            raise OptionError(
                f"--summ-metamorphic edits texts, and judge {judge!r} knows recorded ones only;"
                " leave it out, or name another judge"
            )
        if self.thresholds.metrics:
            return
        if self.unheld:
            raise OptionError(
                f"{self.suite.shown} has thresholds, and judge {judge!r} rates facets only, so"
                f" nothing could fail: not held are {', '.join(self.unheld)}; add"
                " --summ-min facet=0.55, or name another judge"
            )
        raise OptionError(
            f"{self.suite.shown} has no threshold, so nothing could fail; add [thresholds] with for"
            " example facet = 0.55, or --summ-min facet=0.55"
        )

    def task(self, paper: str, system: str) -> Task:
        """The task of evaluating one pair."""
        metrics = self.thresholds.metrics
        return Task(suite=self.suite, paper=paper, system=system, metrics=metrics)

    def signatures(self, judge: Judge) -> tuple[Signature, ...]:
        """The recipe of each metric that a threshold needs, under this judge."""
        suite = self.suite
        return tuple(
            recipe_of(metric, judge=judge, suite=suite.fingerprint, variants=suite.variants)
            for metric in self.thresholds.metrics
        )

    def papers(self, system: str) -> tuple[str, ...]:
        """The papers that a system has summaries for."""
        return self.suite.paper_ids_of(system)
