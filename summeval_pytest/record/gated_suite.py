"""A suite with the systems and the policy of a run, all of them checked; it measures and decides.

If the judge or an endpoint fails, the result has a ``fault`` and the outcome error. Only a
`UsageError` is raised.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from summeval_pytest.errors import OptionError, SummevalError, UsageError
from summeval_pytest.judges.judge import Judge
from summeval_pytest.metrics.catalogue import METRICS, custom_numbers
from summeval_pytest.metrics.number import CustomNumbers, MetricName, Unscored
from summeval_pytest.metrics.signature import Signature
from summeval_pytest.record.shards import Shard, is_in_shard
from summeval_pytest.run.golden import (
    check_sentences,
    check_stated,
    golden_answers,
    golden_tasks,
    labels_fingerprint,
)
from summeval_pytest.run.measure import Evaluation, metric_signature
from summeval_pytest.run.pair_numbers import Numbers
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
from summeval_pytest.verdict.policy import (
    Policy,
    floors_of,
    named_agreement,
    read_floors,
    suite_rules,
)
from summeval_pytest.verdict.run import (
    JudgeName,
    PairResult,
    PaperRecord,
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
        checked: The metrics that thresholds and floors need, in which the judge is checked.
        shard: Which papers are judged here; None for all.
        asked: A digest of how each system with an endpoint is asked.
    """

    suite: Suite
    systems: tuple[str, ...]
    policy: Policy
    labels: str
    unmeasured: tuple[str, ...] = ()
    checked: frozenset[MetricName] = frozenset()
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
        """What is left for a judge that measures only these metrics; FM has to be among them.

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
        return golden_tasks(self.suite, self.checked or METRICS)

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

    def measure_pair(
        self,
        runner: Runner,
        system: str,
        paper: str,
        baseline: Baseline | None = None,
        *,
        is_shown: bool = True,
    ) -> TestResult:
        """One pair, measured and decided; where it passes and is not shown, without evidence."""
        try:
            evaluation = runner.evaluation(self.task(paper, system))
        except UsageError:
            raise
        except SummevalError as error:
            pair = self.faulty_pair(system, paper, str(error))
            return TestResult(suite=self.suite.shown, pair=pair)
        pair, of_paper = pair_result_of(evaluation, with_evidence=is_shown)
        decided = decide_pair(pair, self.policy, baseline)
        if decided.outcome != "passed" and not is_shown:
            decided = replace(decided, findings=evaluation.findings())
        return TestResult(suite=self.suite.shown, pair=decided, paper=of_paper)

    def measure_system(
        self,
        runner: Runner,
        system: str,
        baseline: Baseline | None = None,
    ) -> TestResult:
        """The means of one system over all its papers, measured and decided."""
        (skeleton,) = (each for each in self.record().systems if each.name == system)

        def broken(task: Task, error: SummevalError) -> Numbers:
            return self.faulty_pair(system, task.paper, str(error)).numbers()

        papers = runner.numbers([self.task(paper, system) for paper in skeleton.papers], broken)
        against = None if baseline is None else self.against(baseline, system, runner.judge)
        decided = decide_system(skeleton, papers, self.policy, against=against)
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
            return golden_answers(runner, self.labelled), ""
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


def pair_result_of(
    evaluation: Evaluation, *, with_evidence: bool = True
) -> tuple[PairResult, PaperRecord]:
    """What was measured on one pair, not decided yet, and its paper."""
    pair = PairResult(
        paper=evaluation.paper,
        system=evaluation.system,
        summary=evaluation.pair.summary,
        place=evaluation.pair.place,
        note=evaluation.pair.note,
        scores=evaluation.scores,
        signatures=tuple(map(str, evaluation.signatures)),
        findings=evaluation.findings(with_evidence=with_evidence),
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


def gated_suite(
    path: Path, session: Session, *, shown: str | None = None, today: str = ""
) -> GatedSuite:
    """Loads the suite of a file or folder, and checks it with the options of the session.

    ``shown`` is the path as the user named it, None for relative to the current folder; waivers are
    checked on ``today``.

    Raises:
        UsageError: for any mistake in the suite, or in an option that speaks of it.
    """
    options, judge = session.terms, session.terms.judge_name
    suite = load_suite(path, shown, allow_outside=options.allow_outside)
    thresholds = thresholds_of(suite, options=options.min)
    suite, systems = session.systems(suite, options.model, "--summ-model")
    session.replies.add_cassette(suite)
    check_sentences(suite)
    check_stated(suite)
    check_waivers(suite.waivers, thresholds)
    custom = custom_numbers(thresholds.metrics)
    specs = {name: suite.systems[name] for name in systems}
    floors = read_floors(suite, judge)
    figures = {named_agreement(floor.name).metric for table in floors for floor in table.floors}
    gated = GatedSuite(
        suite=suite,
        systems=systems,
        checked=frozenset({*thresholds.metrics, *figures}),
        policy=Policy(
            thresholds=thresholds,
            floors=floors,
            waivers=Waivers(waivers=suite.waivers, today=today, custom=custom),
            rules=suite_rules(suite.compare),
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
