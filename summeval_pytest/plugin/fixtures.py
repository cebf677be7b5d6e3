"""Fixtures for hand-written tests: `summ_pair`, one pair a test, and `summ_judge`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from summeval_pytest.errors import JudgeError, UsageError
from summeval_pytest.plugin.config import gate_of, marked_metrics, without_traceback

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.metrics.catalogue import Score
    from summeval_pytest.metrics.eva import EvaScore
    from summeval_pytest.metrics.facet import FacetScore
    from summeval_pytest.metrics.faithfulness import FaithfulnessScore
    from summeval_pytest.metrics.flow import Flow, ScoreT
    from summeval_pytest.metrics.number import MetricName, Unscored
    from summeval_pytest.metrics.own import OwnScore
    from summeval_pytest.plugin.gate import Gate
    from summeval_pytest.record.gated_suite import GatedSuite
    from summeval_pytest.run.measure import Evaluation
    from summeval_pytest.run.runner import Runner
    from summeval_pytest.suite.values import Pair, Section


class SummPair:
    """One measured pair of the suite, which the fixture `summ_pair` gives to a test.

    Attributes:
        pair: The paper and the system's summary of it.
        evaluation: Every score with its evidence and signature.
    """

    def __init__(self, evaluation: Evaluation, gated: GatedSuite, gate: Gate) -> None:
        self.pair: Pair = evaluation.pair
        self.evaluation = evaluation
        self._gated = gated
        self._gate = gate

    @property
    def paper(self) -> str:
        """The paper's id."""
        return self.pair.paper.id

    @property
    def system(self) -> str:
        """The system's name."""
        return self.pair.system

    @property
    def summary(self) -> str:
        """The system's summary of the paper."""
        return self.pair.summary

    @property
    def facet(self) -> FacetScore:
        """The Facet-aware Metric; the test fails if the system left it unscored."""
        return cast("FacetScore", self._score("facet"))

    @property
    def eva(self) -> EvaScore:
        """EVA-Score; the test fails if the system left it unscored."""
        return cast("EvaScore", self._score("eva"))

    @property
    def faithfulness(self) -> FaithfulnessScore:
        """Sentence faithfulness; the test fails if the system left it unscored."""
        return cast("FaithfulnessScore", self._score("faithfulness"))

    def own(self, metric: str) -> OwnScore:
        """The score of a custom metric, as `facet`; a KeyError if it was not measured."""
        return cast("OwnScore", self._score(metric))

    def check(self) -> None:
        """Fails the test, with every finding, unless the pair meets the suite's thresholds."""
        from summeval_pytest.record.gated_suite import pair_result_of
        from summeval_pytest.reports.cases import pair_case
        from summeval_pytest.verdict.decide import decide_pair

        measured = {score.metric for score in self.evaluation.scores}
        policy = self._gated.policy
        limits = tuple(each for each in policy.thresholds_of(self.paper) if each.metric in measured)
        if not limits:
            raise UsageError(
                f"{self._gated.suite.shown} has no threshold for {', '.join(sorted(measured))};"
                " add one under [thresholds], or assert on the scores yourself"
            )
        thresholds = replace(policy.thresholds, pair=limits)
        pair, _ = pair_result_of(self.evaluation)
        pair = decide_pair(pair, replace(policy, thresholds=thresholds, must_pass=()))
        if pair.outcome != "passed":
            pytest.fail(pair_case(pair).text, pytrace=False)

    def _score(self, metric: MetricName) -> Score:
        from summeval_pytest.metrics.number import Unscored

        score = self.evaluation.score(metric)
        if isinstance(score, Unscored):
            pytest.fail(f"{self.system} on {self.paper}: {metric}: {score.reason}", pytrace=False)
        return score

    def __repr__(self) -> str:
        return f"<summ_pair {self.system} on {self.paper}>"


class SummJudge:
    """The run's judge, for texts outside a suite."""

    def __init__(self, runner: Runner, config: pytest.Config) -> None:
        self._runner = runner
        self._config = config

    @property
    def signature(self) -> str:
        """All that can change this judge's answers."""
        return self._runner.judge.signature

    def facet(self, *, summary: str, reference: str) -> FacetScore | Unscored:
        """The Facet-aware Metric of a summary against its reference."""
        from summeval_pytest.metrics import facet

        return self._measure(facet.measure(reference, summary))

    def eva(self, *, summary: str, reference: str) -> EvaScore | Unscored:
        """EVA-Score of a summary against its reference."""
        from summeval_pytest.metrics import eva

        return self._measure(eva.measure(reference, summary))

    def faithfulness(
        self, *, summary: str, source: str | Sequence[str | Mapping[str, str] | Section]
    ) -> FaithfulnessScore | Unscored:
        """Sentence faithfulness of a summary to its source.

        The source is a text, or its sections: texts, or ``{"heading", "text"}`` as in a suite.
        """
        from summeval_pytest.metrics import faithfulness
        from summeval_pytest.suite.values import section_of
        from summeval_pytest.text.printing import one_line

        texts = []
        with without_traceback(self._config):
            for value in [source] if isinstance(source, str) else source:
                if (section := section_of(value)) is None:
                    raise UsageError(
                        f"summ_judge.faithfulness: {one_line(repr(value), 60)} is no section of a"
                        " source; write a text or {'heading', 'text'}"
                    )
                texts.append(section.text)
        return self._measure(faithfulness.measure(summary, faithfulness.source_sentences(texts)))

    def _measure(self, flow: Flow[ScoreT]) -> ScoreT | Unscored:
        with without_traceback(self._config):
            return self._runner.converse(flow)


@pytest.fixture
def summ_judge(request: pytest.FixtureRequest) -> SummJudge:
    """The run's judge (`--summ-judge`), to be asked about any texts."""
    return SummJudge(gate_of(request.config).runner, request.config)


@pytest.fixture
def summ_pair(request: pytest.FixtureRequest) -> SummPair:
    """One measured pair; the test runs once for every pair of the suite's gated systems.

    A pair that the judge leaves unscored is an error of the test, before it begins.
    """
    from summeval_pytest.run.runner import Task
    from summeval_pytest.verdict.pair import judge_faults

    path, paper, system = request.param
    gate = gate_of(request.config)
    gated = gate.gated(Path(path))
    task = Task(suite=gated.suite, paper=paper, system=system, metrics=marked_metrics(request.node))
    with without_traceback(request.config):
        evaluation = gate.evaluation(task)
        if faults := [*judge_faults(evaluation.numbers())]:
            raise JudgeError(f"paper {paper!r}, system {system!r}: {'; '.join(faults)}")
    return SummPair(evaluation, gated, gate)
