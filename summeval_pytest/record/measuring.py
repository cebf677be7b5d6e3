"""Measures what a test or a batch needs, and decides it.

If the judge or an endpoint fails, the result is a pair with a ``fault`` and the outcome error. Only
a `UsageError` is raised.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from summeval_pytest.errors import SummevalError, UsageError
from summeval_pytest.metrics.number import Unscored
from summeval_pytest.metrics.score import findings_of
from summeval_pytest.record.gated_suite import GatedSuite
from summeval_pytest.run.golden import golden_answers
from summeval_pytest.run.measure import Evaluation
from summeval_pytest.run.runner import Runner
from summeval_pytest.suite.suite import paper_digest
from summeval_pytest.verdict.comparison import Baseline
from summeval_pytest.verdict.decide import GoldenAnswers, decide_judge, decide_pair, decide_system
from summeval_pytest.verdict.run import JudgeName, PairResult, PaperRecord, TestResult


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


def faulty_pair(gated: GatedSuite, system: str, paper: str, fault: str) -> PairResult:
    """A pair that the judge, or the endpoint of its system, left unscored as a whole; decided."""
    pair = PairResult(
        paper=paper,
        system=system,
        fault=fault,
        summary="",
        place=gated.suite.place_of(system),
        scores=tuple(
            Unscored(metric=metric, status="unanswered", reason=fault)
            for metric in gated.thresholds.metrics
        ),
        custom=gated.custom,
    )
    return decide_pair(pair, gated.policy)


def as_ordered(result: TestResult, gated: GatedSuite, wanted: Collection[str]) -> TestResult:
    """What a worker sent; a pair that it did not measure as the run does is an error.

    It may have another checkout or package than the controller. ``wanted`` are the signatures of
    the run's metrics.
    """
    pair = result.pair
    if pair is None or pair.fault:
        return result
    others = {*pair.signatures} ^ {*wanted}
    is_recorded = pair.system not in gated.asked
    if others:
        fault = f"a worker measured it otherwise than this run: {min(others)}"
    elif is_recorded and pair.summary != gated.suite.pair(pair.paper, pair.system).summary:
        fault = "a worker measured it on another summary than the run has"
    else:
        return result
    fault += "; give all processes the same suite, judge and package"
    return replace(result, pair=faulty_pair(gated, pair.system, pair.paper, fault))


def measure_pair(
    runner: Runner, gated: GatedSuite, system: str, paper: str, baseline: Baseline | None = None
) -> TestResult:
    """One pair, measured and decided.

    Raises:
        UsageError: for what the user has to mend.
    """
    try:
        evaluation = runner.evaluation(gated.task(paper, system))
    except UsageError:
        raise
    except SummevalError as error:
        pair = faulty_pair(gated, system, paper, str(error))
        return TestResult(suite=gated.suite.shown, pair=pair)
    pair, of_paper = pair_result_of(evaluation)
    return TestResult(
        suite=gated.suite.shown, pair=decide_pair(pair, gated.policy, baseline), paper=of_paper
    )


def measure_system(
    runner: Runner,
    gated: GatedSuite,
    system: str,
    *,
    golden: GoldenAnswers = ((), ""),
    baseline: Baseline | None = None,
) -> TestResult:
    """The means of one system over all its papers, measured and decided.

    ``golden`` are the judge's answers to the golden labels, or why there are none.

    Raises:
        UsageError: for what the user has to mend.
    """
    (skeleton,) = (each for each in gated.record().systems if each.name == system)
    try:
        papers = runner.numbers([gated.task(paper, system) for paper in skeleton.papers])
    except UsageError:
        raise
    except SummevalError as error:
        fault = f"system {system!r} is undecided: {error}"
        decided = replace(skeleton, outcome="error", fault=fault)
    else:
        against = None if baseline is None else gated.against(baseline, system, runner.judge)
        decided = decide_system(skeleton, papers, gated.policy, golden=golden, against=against)
    return TestResult(suite=gated.suite.shown, system=decided)


def measure_golden(runner: Runner, gated: GatedSuite) -> GoldenAnswers:
    """The judge's answers to the golden labels, or why there are none.

    Raises:
        UsageError: for what the user has to mend.
    """
    try:
        return golden_answers(runner, gated.suite), ""
    except UsageError:
        raise
    except SummevalError as error:
        return (), str(error)


def judge_result(gated: GatedSuite, judge: JudgeName, golden: GoldenAnswers) -> TestResult:
    """What the judge's answers to the golden labels say of it."""
    answers, fault = golden
    return TestResult(
        suite=gated.suite.shown,
        trust=decide_judge(golden, gated.labels, judge, gated.policy),
        golden=answers,
        golden_fault=fault,
    )
