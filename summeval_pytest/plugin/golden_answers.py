"""What the judge says of golden labels, in one process: for trust, correction and calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.errors import JudgeError, NoReplyError, SummevalError, UsageError
from summeval_pytest.verdict import calibration_of
from summeval_pytest.verdict.measuring import measured_judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from summeval_pytest.evaluation import Evaluation, GoldenPair, Runner, Task
    from summeval_pytest.judges import Judge
    from summeval_pytest.metrics import Signature
    from summeval_pytest.plugin.gated_suite import GatedSuite
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict import Calibration, Trust


class GoldenAnswers:
    """The judge's answers to golden labels, asked for once where something needs them.

    Args:
        runner: Who asks the judge.
    """

    def __init__(self, runner: Callable[[], Runner]) -> None:
        self._runner = runner
        self._measured: dict[GatedSuite, tuple[Trust, tuple[GoldenPair, ...]]] = {}
        self._calibrations: dict[Suite, Calibration | SummevalError] = {}
        self.items: frozenset[GatedSuite] = frozenset()
        """The suites whose judge this run measures in a test of its own."""

    def measured(self, gated: GatedSuite) -> tuple[Trust, tuple[GoldenPair, ...]]:
        """What the suite's golden labels say of the judge, and its answers.

        Raises:
            JudgeError: where it leaves too many of them unanswered, or breaks its contract.
        """
        if gated not in self._measured:
            self._measured[gated] = measured_judge(self._runner(), gated.suite, gated.floors)
        return self._measured[gated]

    def correcting(self, gated: GatedSuite) -> tuple[GoldenPair, ...]:
        """The golden answers that correct means, as far as this run asks for them at all.

        Where ratings are calibrated, so are these.

        Raises:
            JudgeError: where a threshold on corrected means needs them and the judge gives none.
        """
        if not gated.thresholds.corrected and gated not in self.items:
            return ()
        try:
            golden = self.measured(gated)[1]
            calibration = self.calibration(gated.suite)
        except (JudgeError, NoReplyError):
            if gated.thresholds.corrected:
                raise
            return ()  # the item of the judge says why
        return golden if calibration is None else calibration.applied_to(golden)

    def prepare(self, suites: Iterable[GatedSuite]) -> None:
        """Learns the calibration of each suite that wants one, before its pairs are evaluated.

        A fault is kept for the tests that need it: no other place of the run could tell it.
        """
        for gated in suites:
            if gated.suite.calibrate and gated.suite not in self._calibrations:
                try:
                    found: Calibration | SummevalError = calibration_of(self.measured(gated)[1])
                except UsageError as mistake:
                    found = mistake
                except SummevalError as fault:
                    found = JudgeError(f"ratings cannot be calibrated: {fault}")
                self._calibrations[gated.suite] = found

    def calibration(self, suite: Suite) -> Calibration | None:
        """The calibration of a suite that wants one.

        Raises:
            JudgeError: where the judge has not given the answers to learn it from.
            UsageError: where the user has to mend something before it can.
        """
        found = self._calibrations.get(suite)
        if isinstance(found, SummevalError):
            raise found
        return found

    def adjusted(self, task: Task, evaluation: Evaluation) -> Evaluation:
        """An evaluation with calibrated ratings, where its suite wants them.

        Raises:
            JudgeError: as `calibration` does.
        """
        calibration = self.calibration(task.suite)
        return evaluation if calibration is None else calibration.applied(evaluation)

    def signatures(self, gated: GatedSuite, judge: Judge) -> tuple[Signature, ...]:
        """The recipes of a suite's numbers under this judge.

        Raises:
            JudgeError: as `calibration` does.
        """
        calibration = self.calibration(gated.suite)
        recipes = gated.signatures(judge)
        return recipes if calibration is None else tuple(map(calibration.signed, recipes))
