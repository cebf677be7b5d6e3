"""The judge as a test: whether golden labels say that it may decide."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from summeval_pytest.errors import JudgeError, SummevalError, UsageError
from summeval_pytest.evaluation import golden_tasks
from summeval_pytest.plugin.session import gate_of, message_alone
from summeval_pytest.plugin.tally import JUDGE_PROPERTY
from summeval_pytest.plugin.verdict_item import VerdictItem
from summeval_pytest.verdict import Trust

if TYPE_CHECKING:
    from summeval_pytest.evaluation import GoldenPair, Task


class JudgeItem(VerdictItem):
    """The judge as a test: its agreement with the golden labels, held to the suite's floors.

    It is measured in setup, where a judge that gives no answers makes an error; one that answers
    and misses a floor fails.
    """

    trust: Trust

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The labelled pairs."""
        return tuple(golden_tasks(self.gated.suite))

    def setup(self) -> None:
        """Has every labelled pair answered; errs if the judge leaves too many without."""
        gate, gated = gate_of(self.config), self.gated
        with message_alone(self.config):
            try:
                self.trust, golden = gate.golden.measured(gated)
            except SummevalError as error:
                if not isinstance(error, UsageError):
                    fault = str(error)
                    self._tell(Trust(judge=gate.judge.signature, labels="", fault=fault), ())
                raise
        self._tell(self.trust, golden)
        if self.trust.outcome == "error":
            with message_alone(self.config):
                raise JudgeError(self.trust.undecided)

    def _tell(self, trust: Trust, golden: tuple[GoldenPair, ...]) -> None:
        """Hands on what the end of the run says of the judge, and the part of the record."""
        from summeval_pytest.reports import trust_phrase, untrusted_lines
        from summeval_pytest.verdict import Measured

        told = {
            "outcome": trust.outcome,
            "phrase": trust_phrase(trust, has_labels=True),
            "lines": list(untrusted_lines(trust, golden)) if trust.is_untrusted else [],
        }
        self.user_properties.append((JUDGE_PROPERTY, json.dumps(told)))
        suite = self.gated.suite.shown
        self.keep(lambda: Measured(suite=suite, trust=trust, golden=golden))

    def runtest(self) -> None:
        """Holds the judge to the floors."""
        from summeval_pytest.reports import describe_trust

        if self.trust.is_untrusted:
            pytest.fail(describe_trust(self.trust), pytrace=False)
