"""What can be evaluated: a pair by name, or texts of one's own about a paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from summeval_pytest.evaluation.baselines import BaselineName
    from summeval_pytest.metrics import MetricName
    from summeval_pytest.suite import FactLabels, Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTexts:
    """What a task has measured in place of a system's summary: a summary against a reference."""

    candidate: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One pair to evaluate, by name, in its suite; the texts are read when its turn comes."""

    suite: Suite
    paper: str
    system: str
    metrics: tuple[MetricName, ...]
    facts: FactLabels | None = None
    """Labelled facts that the judge is asked about, too."""
    texts: OwnTexts | None = None
    """What is measured in place of the system's summary; then no rule answers for the judge."""
    baselines: tuple[BaselineName, ...] = ()
    """What else the judge is asked, for numbers that the metrics are compared with."""
    segments: bool = False
    """Whether the judge is asked for the summary's facets for labelled roles' sake, too."""
    is_golden: bool = False
    """Whether it is asked for its labels' sake: nothing is made of the judge's own answers."""


def tasks_of(suite: Suite, systems: Iterable[str], metrics: tuple[MetricName, ...]) -> list[Task]:
    """Every pair of these systems, paper by paper of one system after another."""
    return [
        Task(suite=suite, paper=paper, system=system, metrics=metrics)
        for system in systems
        for paper in suite.paper_ids_of(system)
    ]
