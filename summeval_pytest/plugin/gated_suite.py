"""A suite with what a run asks of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.evaluation import Task, recipe_of

if TYPE_CHECKING:
    from summeval_pytest.judges import Judge
    from summeval_pytest.metrics import Signature
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
    """The thresholds on numbers that the judge has no answers for."""

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
