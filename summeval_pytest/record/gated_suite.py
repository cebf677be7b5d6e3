"""A suite with the systems and the policy of a run, all of them checked; it measures and decides.

If the judge or an endpoint fails, the result has a ``fault`` and the outcome error. Only a
`UsageError` is raised.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from summeval_pytest.errors import OptionError, SummevalError, UsageError
from summeval_pytest.judges.judge import Judge
from summeval_pytest.metrics.catalogue import METRICS, custom_numbers, findings_of
from summeval_pytest.metrics.number import CustomNumbers, MetricName, Unscored
from summeval_pytest.metrics.signature import Signature
from summeval_pytest.record.record_file import as_json
from summeval_pytest.record.shards import FROM, Shard, find_suite, is_in_shard
from summeval_pytest.run.golden import (
    check_sentences,
    check_stated,
    golden_answers,
    golden_tasks,
    labels_fingerprint,
)
from summeval_pytest.run.measure import Evaluation, metric_signature
from summeval_pytest.run.runner import Runner, Task
from summeval_pytest.run.session import Session
from summeval_pytest.run.summaries import asked_digest
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.suite import Suite, load_suite, paper_digest
from summeval_pytest.suite.values import summaries_digest
from summeval_pytest.verdict.comparison import Against, Baseline
from summeval_pytest.verdict.decide import (
    GoldenAnswers,
    decide_judge,
    decide_pair,
    decide_system,
)
from summeval_pytest.verdict.means import slices_of
from summeval_pytest.verdict.policy import Policy, Rule, floors_of, read_floors, suite_rules
from summeval_pytest.verdict.run import (
    JudgeName,
    PairResult,
    Pairs,
    PaperRecord,
    RunRecord,
    SuiteRecord,
    SystemResult,
    TestResult,
)
from summeval_pytest.verdict.thresholds import (
    Thresholds,
    Waivers,
    check_supported,
    check_waivers,
    thresholds_of,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GatedSuite:
    """A suite with the systems and the policy of this run.

    Attributes:
        systems: The systems that are gated.
        policy: What they have to meet.
        labels: The fingerprint of all golden labels; empty without any.
        unmeasured: The thresholds and floors on numbers that the judge has no answers for.
        shard: Which papers are judged here; None for all.
        asked: A digest of how each system with an endpoint is asked.
    """

    suite: Suite
    systems: tuple[str, ...]
    policy: Policy
    labels: str
    unmeasured: tuple[str, ...] = ()
    shard: Shard | None = None
    asked: Mapping[str, str] = field(default_factory=dict)

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds of pairs and means."""
        return self.policy.thresholds

    @property
    def custom(self) -> CustomNumbers:
        """The numbers of the custom metrics that it measures."""
        return custom_numbers(self.thresholds.metrics)

    def for_metrics(self, metrics: Collection[MetricName], judge: str) -> GatedSuite:
        """The part that a judge of these metrics, FM always among them, can measure.

        A threshold on anything else would be an error on every pair and label.
        """
        if set(metrics) >= set(METRICS):
            return self
        policy, thresholds = self.policy, self.policy.thresholds.only(metrics)
        floors = tuple(table.only(metrics) for table in policy.floors)
        slices = tuple(
            replace(each, thresholds=Thresholds(pair=(), mean=each.thresholds).only(metrics).mean)
            for each in policy.slices
        )
        unmeasured = [name for name in policy.thresholds.names if name not in thresholds.names]
        kept, every = floors_of(floors, judge).floors, floors_of(policy.floors, judge).floors
        unmeasured += [f"judge.{each.title}" for each in every if each not in kept]
        suite = self.suite.labelled_by_facets()
        return replace(
            self,
            suite=suite,
            policy=replace(policy, thresholds=thresholds, floors=floors, slices=slices),
            labels=labels_fingerprint(suite) if suite.has_labels else "",
            unmeasured=tuple(unmeasured),
        )

    def check(self, judge: str) -> None:
        """Refuses a suite without a threshold that this judge, by its name, can measure.

        Raises:
            OptionError: where nothing could ever fail.
        """
        if self.thresholds.metrics:
            return
        missing = ", ".join(self.unmeasured)
        why = f": judge {judge!r} rates facets only and does not measure {missing}"
        raise OptionError(
            f"{self.suite.shown} has no threshold, so nothing could fail{why if missing else ''};"
            " add [thresholds] with for example facet = 0.55, or --summ-min facet=0.55"
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
        pairs = [
            self.task(p, system) for system in self.systems for p in self.papers_of_shard(system)
        ]
        return (*self.labelled, *pairs)

    def signatures(self, judge: Judge) -> tuple[Signature, ...]:
        """The recipe of each metric that a threshold needs, under this judge."""
        suite = self.suite
        return tuple(
            metric_signature(metric, judge=judge, suite=suite.fingerprint, variants=suite.variants)
            for metric in self.thresholds.metrics
        )

    def order(self, judge: Judge) -> str:
        """Hex digits of all that results are measured and decided by, under this judge."""
        recipes = " ".join(map(str, self.signatures(judge)))
        return hashlib.sha256(f"{as_json(self.record())} {recipes}".encode()).hexdigest()

    def papers(self, system: str) -> tuple[str, ...]:
        """The papers that a system has summaries for."""
        return self.suite.paper_ids_of(system)

    def papers_of_shard(self, system: str) -> tuple[str, ...]:
        """The papers of a system that this run judges."""
        papers = self.papers(system)
        if self.shard is None:
            return papers
        return tuple(paper for paper in papers if is_in_shard(paper, self.shard))

    def sharded(self, shard: Shard) -> GatedSuite:
        """The suite of one shard: its papers and their labels. Floors decide over all shards."""
        suite = self.suite.labelled_where(lambda paper: is_in_shard(paper, shard))
        return replace(self, suite=suite, policy=replace(self.policy, floors=()), shard=shard)

    def _digest(self, system: str) -> str:
        """A digest of a system's recorded summaries, or of how it is asked for them."""
        if system in self.asked:
            return self.asked[system]
        papers = self.papers(system)
        return summaries_digest({p: self.suite.pair(p, system).summary for p in papers})

    def record(self) -> SuiteRecord:
        """The record of the suite before anything is judged."""
        suite = self.suite
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
                    summaries=self._digest(name),
                )
                for name in self.systems
            ),
            own_numbers=self.custom,
            unmeasured=self.unmeasured,
        )

    def faulty_pair(self, system: str, paper: str, fault: str) -> PairResult:
        """A pair that the judge, or the endpoint of its system, left unscored; decided."""
        scores = (
            Unscored(metric=metric, status="unanswered", reason=fault)
            for metric in self.thresholds.metrics
        )
        pair = PairResult(
            paper=paper,
            system=system,
            fault=fault,
            summary="",
            place=self.suite.place_of(system),
            scores=tuple(scores),
            custom=self.custom,
        )
        return decide_pair(pair, self.policy)

    def as_ordered(self, result: TestResult, wanted: Collection[str]) -> TestResult:
        """What a worker sent; a pair that it did not measure as the run does is an error.

        It may have another checkout or package than the controller. ``wanted`` are the signatures
        of the run's metrics; a recorded pair may have been measured by more.
        """
        pair = result.pair
        if pair is None or pair.fault:
            return result
        is_recorded = pair.system not in self.asked
        if missing := {*wanted} - {*pair.signatures}:
            fault = f"a worker did not measure it as this run does, by {min(missing)}"
        elif is_recorded and pair.summary != self.suite.pair(pair.paper, pair.system).summary:
            fault = "a worker measured it on another summary than the run has"
        else:
            return result
        return self.refused(result, fault)

    def refused(self, result: TestResult, fault: str, judge: JudgeName | None = None) -> TestResult:
        """What a worker sent as an error; of the ``judge``, where it is about nothing else."""
        fault += "; give all processes the same suite, judge and package"
        if (pair := result.pair) is not None:
            return replace(result, pair=self.faulty_pair(pair.system, pair.paper, fault))
        if (system := result.system) is not None:
            return replace(result, system=replace(system, outcome="error", fault=fault))
        if result.stick is not None or judge is None:
            return replace(result, stick=result.stick or fault)
        return self.judge_result(judge, ((), fault))

    def measure_pair(
        self, runner: Runner, system: str, paper: str, baseline: Baseline | None = None
    ) -> TestResult:
        """One pair, measured and decided."""
        try:
            evaluation = runner.evaluation(self.task(paper, system))
        except UsageError:
            raise
        except SummevalError as error:
            pair = self.faulty_pair(system, paper, str(error))
            return TestResult(suite=self.suite.shown, pair=pair)
        pair, of_paper = pair_result_of(evaluation)
        decided = decide_pair(pair, self.policy, baseline)
        return TestResult(suite=self.suite.shown, pair=decided, paper=of_paper)

    def measure_system(
        self,
        runner: Runner,
        system: str,
        *,
        golden: GoldenAnswers = ((), ""),
        baseline: Baseline | None = None,
    ) -> TestResult:
        """The means of one system over all its papers, measured and decided.

        ``golden`` are the judge's answers to the golden labels, or why there are none.
        """
        (skeleton,) = (each for each in self.record().systems if each.name == system)
        try:
            papers = runner.numbers([self.task(paper, system) for paper in skeleton.papers])
        except UsageError:
            raise
        except SummevalError as error:
            fault = f"system {system!r} is undecided: {error}"
            decided = replace(skeleton, outcome="error", fault=fault)
        else:
            against = None if baseline is None else self.against(baseline, system, runner.judge)
            decided = decide_system(skeleton, papers, self.policy, golden=golden, against=against)
        return TestResult(suite=self.suite.shown, system=decided)

    def against(self, baseline: Baseline, system: str, judge: Judge) -> Against:
        """What a system is compared with, measured by this judge."""
        papers = map(self.suite.paper, self.papers(system))
        return Against(
            baseline=baseline,
            signatures=self.signatures(judge),
            digests={paper.id: paper_digest(paper) for paper in papers},
        )

    def measure_golden(self, runner: Runner) -> GoldenAnswers:
        """The judge's answers to the golden labels, or why there are none."""
        try:
            return golden_answers(runner, self.suite), ""
        except UsageError:
            raise
        except SummevalError as error:
            return (), str(error)

    def judge_result(self, judge: JudgeName, golden: GoldenAnswers) -> TestResult:
        """What the judge's answers to the golden labels say of it."""
        answers, fault = golden
        return TestResult(
            suite=self.suite.shown,
            trust=decide_judge(golden, self.labels, judge, self.policy),
            golden=answers,
            golden_fault=fault,
        )


def pair_result_of(evaluation: Evaluation) -> tuple[PairResult, PaperRecord]:
    """What was measured on one pair, not decided yet, and its paper."""
    pair = PairResult(
        paper=evaluation.paper,
        system=evaluation.system,
        summary=evaluation.pair.summary,
        place=evaluation.pair.place,
        note=evaluation.pair.note,
        scores=evaluation.scores,
        signatures=tuple(map(str, evaluation.signatures)),
        findings=findings_of(evaluation.scores, evaluation.source),
        custom=evaluation.custom,
    )
    paper = evaluation.pair.paper
    return pair, PaperRecord(
        id=paper.id,
        title=paper.title,
        place=paper.place,
        references=paper.references,
        digest=paper_digest(paper),
        source=evaluation.source,
    )


def gated_suite(  # noqa: PLR0913 - by keyword, each an option of its own
    path: Path,
    shown: str | None,
    session: Session,
    *,
    judge: str,
    models: Iterable[str] = (),
    least: Sequence[str] = (),
    rules: tuple[Rule, ...] = (),
    today: str = "",
    allow_outside: bool = False,
) -> GatedSuite:
    """Loads the suite of a file or folder, and checks it with the options of a run.

    ``shown`` is the path as the user named it, None for relative to the current folder; ``least``
    has thresholds as ``--summ-min``; ``rules`` say what fails against a baseline, in place of the
    suite's margins; waivers are checked on ``today``.

    Raises:
        UsageError: for any mistake in the suite, or in an option that speaks of it.
    """
    suite = load_suite(path, shown, allow_outside=allow_outside)
    thresholds = thresholds_of(suite, options=least)
    suite, systems = session.systems(suite, models, "--summ-model")
    session.replies.add_cassette(suite)
    check_sentences(suite)
    check_stated(suite)
    check_waivers(suite.waivers, thresholds)
    custom = custom_numbers(thresholds.metrics)
    specs = {name: suite.systems[name] for name in systems}
    gated = GatedSuite(
        suite=suite,
        systems=systems,
        policy=Policy(
            thresholds=thresholds,
            floors=read_floors(suite, judge),
            waivers=Waivers(waivers=suite.waivers, today=today, custom=custom),
            rules=rules or suite_rules(suite.compare),
            share=suite.compare.share,
            slices=slices_of(suite, thresholds),
            must_pass=suite.must_pass,
        ),
        labels=labels_fingerprint(suite) if suite.has_labels else "",
        asked={
            name: asked_digest(
                spec,
                session.endpoints.key_name(spec.endpoint, suite.endpoints),
                map(suite.paper, sorted(suite.paper_ids)),
            )
            for name, spec in specs.items()
            if spec.endpoint is not None
        },
    ).for_metrics(session.metrics_of(judge, [suite]), judge)
    check_supported(gated.thresholds, judge, session.votes_of(judge, [suite]), suite.shown)
    return gated


def narrowed(record: RunRecord, gated: Sequence[GatedSuite]) -> RunRecord:
    """The part of a record that belongs to these suites and systems, in their order.

    Raises:
        OptionError: for a suite that the record does not have.
    """
    return replace(record, suites=tuple(_narrowed(record, each) for each in gated))


def _narrowed(record: RunRecord, gated: GatedSuite) -> SuiteRecord:
    skeleton = gated.record()
    recorded = find_suite(record, skeleton)
    if recorded is None:
        names = ", ".join(sorted({repr(suite.name) for suite in record.suites}))
        raise OptionError(
            f"{FROM}: these runs are of suite {names}, and not of {skeleton.name!r}; name runs of"
            f" {skeleton.shown}"
        )
    then = {system.name: system for system in recorded.systems}
    systems = tuple(
        replace(now, summaries=then.get(now.name, now).summaries) for now in skeleton.systems
    )
    pairs = {(each.system, each.paper): each for each in recorded.outlines}
    papers = {paper.id: paper for paper in recorded.papers}
    answers = {(each.system, each.paper): each for each in recorded.golden}
    labelled = [(task.system, task.paper) for task in gated.labelled]
    fault = recorded.golden_fault
    if missing := [each for each in labelled if each not in answers]:
        fault = fault or (
            f"{len(missing):,} of {len(labelled):,} labelled pairs are in no record, first"
            f" {' on '.join(missing[0])}; run {skeleton.shown}::judge in each of the recorded runs"
        )
    return replace(
        recorded,
        name=skeleton.name,
        shown=skeleton.shown,
        unmeasured=skeleton.unmeasured,
        systems=systems,
        papers=tuple(papers[name] for name in gated.suite.paper_ids if name in papers),
        golden=() if fault else tuple(answers[of] for of in labelled),
        golden_fault=fault,
        pairs=Pairs([pairs[of] for of in skeleton.expected if of in pairs]),
    )
