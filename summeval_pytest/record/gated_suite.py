"""A suite with what a run asks of it: systems, thresholds and floors, all of them checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from summeval_pytest.errors import OptionError
from summeval_pytest.metrics.catalogue import METRICS, own_numbers
from summeval_pytest.record.shards import FROM, is_in_shard
from summeval_pytest.run.golden import check_sentences, golden_tasks, labels_fingerprint
from summeval_pytest.run.measure import recipe_of
from summeval_pytest.run.runner import Task
from summeval_pytest.suite.suite import load_suite
from summeval_pytest.suite.values import summaries_digest
from summeval_pytest.verdict.decide import Inputs
from summeval_pytest.verdict.floors import floors_of, read_floors
from summeval_pytest.verdict.policy import DEFAULT_RULES, Policy
from summeval_pytest.verdict.run import SuiteRecord, SystemResult
from summeval_pytest.verdict.thresholds import check_supported, thresholds_of
from summeval_pytest.verdict.waivers import Waivers, check_waivers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from summeval_pytest.judges.judge import Judge
    from summeval_pytest.metrics.number import MetricName
    from summeval_pytest.metrics.signature import Signature
    from summeval_pytest.record.shards import Shard
    from summeval_pytest.run.session import Session
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.verdict.policy import Rule
    from summeval_pytest.verdict.run import JudgeName, RunRecord
    from summeval_pytest.verdict.thresholds import Thresholds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GatedSuite:
    """A suite with what this run asks of it.

    Attributes:
        systems: The systems that are gated.
        policy: What they have to meet.
        labels: The fingerprint of all golden labels; empty without any.
        unmeasured: The thresholds and floors on numbers that the judge has no answers for.
        shard: Which papers are judged here; None for all.
    """

    suite: Suite
    systems: tuple[str, ...]
    policy: Policy
    labels: str
    unmeasured: tuple[str, ...] = ()
    shard: Shard | None = None

    @property
    def thresholds(self) -> Thresholds:
        """What pairs and means have to reach."""
        return self.policy.thresholds

    def for_metrics(self, metrics: Collection[MetricName], judge: str) -> GatedSuite:
        """What a judge of these metrics can be asked for; FM is always among them.

        A threshold on anything else would be an error on every pair and label.
        """
        if set(metrics) >= set(METRICS):
            return self
        policy = self.policy
        thresholds = policy.thresholds.only(metrics)
        floors = tuple(table.only(metrics) for table in policy.floors)
        lost = [name for name in policy.thresholds.names if name not in thresholds.names]
        kept = floors_of(floors, judge).floors
        all_floors = floors_of(policy.floors, judge).floors
        lost += [f"judge.{each.title}" for each in all_floors if each not in kept]
        suite = self.suite.labelled_by_facets()
        return replace(
            self,
            suite=suite,
            policy=replace(policy, thresholds=thresholds, floors=floors),
            labels=labels_fingerprint(suite) if suite.has_labels else "",
            unmeasured=tuple(lost),
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
        if self.unmeasured:
            raise OptionError(
                f"{self.suite.shown} has thresholds, and judge {judge!r} rates facets only, so"
                f" nothing could fail: it does not measure {', '.join(self.unmeasured)}; add"
                " --summ-min facet=0.55, or name another judge"
            )
        raise OptionError(
            f"{self.suite.shown} has no threshold, so nothing could fail; add [thresholds] with for"
            " example facet = 0.55, or --summ-min facet=0.55"
        )

    def task(self, paper: str, system: str) -> Task:
        """The task of evaluating one pair; without thresholds it asks for all three metrics."""
        metrics = self.thresholds.metrics or METRICS
        return Task(suite=self.suite, paper=paper, system=system, metrics=metrics)

    @property
    def labelled(self) -> dict[Task, Label]:
        """The tasks of the item ``judge``, each with its label."""
        return golden_tasks(self.suite)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Everything that a run asks: its labelled pairs, then the pairs of its systems.

        Plans, cassettes and batch files ask for these, so that a replay has all that it needs.
        """
        pairs = [self.task(p, system) for system in self.systems for p in self.own_papers(system)]
        return (*self.labelled, *pairs)

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
        """What one shard judges: its papers, and the labels of these, which decide nothing yet."""
        suite = self.suite.labelled_where(lambda paper: is_in_shard(paper, shard))
        return replace(self, suite=suite, policy=replace(self.policy, floors=()), shard=shard)

    def digests(self) -> dict[str, str]:
        """By gated system, a digest of its recorded summaries; empty where a model is asked."""
        return {name: self._digest(name) for name in self.systems}

    def _digest(self, system: str) -> str:
        if self.suite.systems[system].endpoint is not None:
            return ""
        papers = self.papers(system)
        return summaries_digest({p: self.suite.pair(p, system).summary for p in papers})

    def inputs(self, judge: JudgeName, signatures: Iterable[Signature]) -> Inputs:
        """What the suite's numbers have to be measured with, as it is now."""
        return Inputs(
            judge=judge,
            papers=self.suite.fingerprint,
            labels=self.labels,
            summaries={name: digest for name, digest in self.digests().items() if digest},
            pairs=tuple((name, paper) for name in self.systems for paper in self.papers(name)),
            recipes={each.metric: each for each in signatures},
        )

    def record(self) -> SuiteRecord:
        """What a run record says of the suite before anything is judged."""
        suite, digests = self.suite, self.digests()
        return SuiteRecord(
            name=suite.name,
            shown=suite.shown,
            fingerprint=suite.fingerprint,
            labels=self.labels,
            policy=self.policy,
            systems=tuple(
                SystemResult(
                    name=name,
                    place=suite.place_of(name),
                    papers=self.papers(name),
                    summaries=digests[name],
                )
                for name in self.systems
            ),
            own_numbers=own_numbers(self.thresholds.metrics),
        )


def gated_suite(  # noqa: PLR0913 - by keyword, each an option of its own
    path: Path,
    shown: str | None,
    session: Session,
    *,
    judge: str,
    models: Iterable[str] = (),
    least: Sequence[str] = (),
    rules: tuple[Rule, ...] = DEFAULT_RULES,
    today: str = "",
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
        rules: Which drops against a baseline fail.
        today: The day on which waivers are checked.
        allow_outside: Whether the suite may name files outside of its folder.

    Raises:
        UsageError: for any mistake in the suite, or in an option that speaks of it.
    """
    suite = load_suite(path, shown, allow_outside=allow_outside)
    thresholds = thresholds_of(suite, options=least)
    suite, systems = session.systems(suite, models, "--summ-model")
    session.replies.add_cassette(suite)
    check_sentences(suite)
    check_waivers(suite.waivers, thresholds)
    gated = GatedSuite(
        suite=suite,
        systems=systems,
        policy=Policy(
            thresholds=thresholds,
            floors=read_floors(suite, judge),
            waivers=Waivers(waivers=suite.waivers, today=today),
            rules=rules,
        ),
        labels=labels_fingerprint(suite) if suite.has_labels else "",
    ).for_metrics(session.metrics_of(judge, [suite]), judge)
    n_votes = session.votes_of(judge, [suite])
    check_supported(gated.thresholds, judge, n_votes, suite.shown)
    return gated


def narrowed(record: RunRecord, gated: Sequence[GatedSuite]) -> RunRecord:
    """The part of a record that is of these suites and their systems, in their order.

    Raises:
        OptionError: for a suite that the record does not have.
    """
    return replace(record, suites=tuple(_narrowed(record, each) for each in gated))


def _narrowed(record: RunRecord, gated: GatedSuite) -> SuiteRecord:
    skeleton = gated.record()
    alike = [suite for suite in record.suites if suite.name == skeleton.name]
    same = [suite for suite in alike if suite.fingerprint == skeleton.fingerprint]
    if not (same or alike):
        names = ", ".join(sorted({repr(suite.name) for suite in record.suites}))
        raise OptionError(
            f"{FROM}: these runs are of suite {names}, and not of {skeleton.name!r}; name runs of"
            f" {skeleton.shown}"
        )
    found = (same or alike)[0]
    summaries = {system.name: system.summaries for system in found.systems}
    systems = tuple(
        replace(each, summaries=summaries.get(each.name, each.summaries))
        for each in skeleton.systems
    )
    places = {(each.system, each.paper): place for place, each in enumerate(found.outlines)}
    order = [(each.name, paper) for each in systems for paper in each.papers]
    papers = {paper.id: paper for paper in found.papers}
    answers = {(each.system, each.paper): each for each in found.golden}
    labelled = [(task.system, task.paper) for task in gated.labelled]
    fault = found.golden_fault
    if missing := [each for each in labelled if each not in answers]:
        fault = fault or (
            f"{len(missing):,} of {len(labelled):,} labelled pairs are in no record, first"
            f" {' on '.join(missing[0])}; run {skeleton.shown}::judge in each of the recorded runs"
        )
    return replace(
        found,
        name=skeleton.name,
        shown=skeleton.shown,
        systems=systems,
        papers=tuple(papers[name] for name in gated.suite.paper_ids if name in papers),
        golden=() if fault else tuple(answers[of] for of in labelled),
        golden_fault=fault,
        pairs=found.pairs_at(places[of] for of in order if of in places),
    )
