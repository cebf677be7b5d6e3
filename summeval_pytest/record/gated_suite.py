"""A suite with what a run asks of it: systems, thresholds and floors, all of them checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.score import METRICS, own_numbers
from summeval_pytest.record.recalled import is_in_shard
from summeval_pytest.record.record import SuiteRecord, SystemRecord, broken_down
from summeval_pytest.run.golden import check_sentences
from summeval_pytest.run.measure import recipe_of
from summeval_pytest.run.runner import Task
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.verdict.thresholds import (
    Floors,
    check_supported,
    floors_of,
    thresholds_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.metrics.score import MetricName
    from summeval_pytest.metrics.signature import Signature
    from summeval_pytest.record.recalled import Shard
    from summeval_pytest.record.record import Judged
    from summeval_pytest.run.session import Session
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.verdict.thresholds import Thresholds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GatedSuite:
    """A suite with what this run asks of it: which systems, and which thresholds."""

    suite: Suite
    systems: tuple[str, ...]
    thresholds: Thresholds
    floors: Floors
    unheld: tuple[str, ...] = ()
    """The thresholds and floors on numbers that the judge has no answers for."""
    shard: Shard | None = None
    """Which papers are judged here; None for all."""

    def for_metrics(self, metrics: Collection[MetricName]) -> GatedSuite:
        """What a judge of these metrics can be held to, and measured on; FM is always among them.

        What it has no answers for holds nothing: it would be an error on every pair and label.
        """
        if set(metrics) >= set(METRICS):
            return self
        thresholds, floors = self.thresholds.only(metrics), self.floors.only(metrics)
        lost = [name for name in self.thresholds.names if name not in thresholds.names]
        lost += [f"judge.{each.title}" for each in self.floors.floors if each not in floors.floors]
        return replace(
            self,
            suite=self.suite.labelled_by_facets(),
            thresholds=thresholds,
            floors=floors,
            unheld=tuple(lost),
        )

    def check(self, judge: str) -> None:
        """Refuses what could never fail, and what the judge could never answer.

        Args:
            judge: The judge as the user named it.

        Raises:
            OptionError: for a suite that holds nothing to anything.
        """
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

    def own_papers(self, system: str) -> tuple[str, ...]:
        """Those that are judged in this run."""
        papers = self.papers(system)
        if self.shard is None:
            return papers
        return tuple(paper for paper in papers if is_in_shard(paper, self.shard))

    def sharded(self, shard: Shard) -> GatedSuite:
        """What one shard judges: its papers, and the labels of these, which decide nothing yet.
        """
        suite = self.suite.labelled_where(lambda paper: is_in_shard(paper, shard))
        return replace(self, suite=suite, floors=Floors(judge=self.floors.judge), shard=shard)

    def record(self) -> SuiteRecord:
        """What a run record says of the suite before anything is judged."""
        suite = self.suite
        return SuiteRecord(
            name=suite.name,
            shown=suite.shown,
            fingerprint=suite.fingerprint,
            thresholds=self.thresholds,
            systems=tuple(map(self._system, self.systems)),
            papers=(),
            pairs=(),
            has_labels=suite.has_labels,
            own_numbers=own_numbers(self.thresholds.metrics),
        )

    def _system(self, name: str) -> SystemRecord:
        return SystemRecord(name=name, place=self.suite.place_of(name), papers=self.papers(name))

    def broken_down(self, system: str, paper: str, fault: str) -> Judged:
        """A pair that the judge left unscored as a whole."""
        return broken_down(
            suite=self.suite.shown,
            paper=paper,
            system=system,
            metrics=self.thresholds.metrics,
            place=self.suite.place_of(system),
            fault=fault,
        )


def gated_suite(  # noqa: PLR0913 - by keyword, each an option of its own
    path: Path,
    shown: str | None,
    session: Session,
    *,
    judge: str,
    models: Iterable[str] = (),
    least: Sequence[str] = (),
    allow_outside: bool = False,
) -> GatedSuite:
    """The suite of a file or folder, loaded and checked with what a run asks of it.

    Args:
        path: The file or folder.
        shown: How the user named it; None for relative to the current folder.
        session: Who knows judges and systems by name; it reads the suite's cassette.
        judge: The judge by name.
        models: The systems to gate; none for the suite's own choice.
        least: Thresholds as ``--summ-min`` has them.
        allow_outside: Whether the suite may name files outside of its folder.

    Raises:
        UsageError: for any mistake in the suite, or in an option that speaks of it.
    """
    suite = load_suite(path, shown, allow_outside=allow_outside)
    thresholds = thresholds_of(suite, options=least)
    suite, systems = session.systems(suite, models, "--summ-model")
    session.add_cassette(suite)
    check_sentences(suite)
    gated = GatedSuite(
        suite=suite, systems=systems, thresholds=thresholds, floors=floors_of(suite, judge)
    ).for_metrics(session.metrics_of(judge, [suite]))
    n_votes = session.votes_of(judge, [suite])
    check_supported(gated.thresholds, judge, n_votes, suite.shown)
    return gated
