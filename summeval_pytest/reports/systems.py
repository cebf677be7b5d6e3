"""The rows of the reports' tables: a gated system's outcome, its pairs and its means."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.verdict.means import CorrectedMean, SystemMean, mean_of
from summeval_pytest.verdict.thresholds import Threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.verdict.run import Covered, Outcome, SuiteRecord, SystemResult


WORST_FIRST: Final[tuple[Outcome, ...]] = ("error", "failed", "passed")
"""Outcomes of pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMean:
    """One mean of a system over its judged pairs.

    ``least`` is its threshold, ``change`` its change against the baseline. ``state`` is that of the
    mean or of the corrected mean; empty where it passes, and where nothing was decided.
    """

    mean: SystemMean
    least: float | None
    state: Literal["", "failed", "waived", "undecided"]
    corrected: CorrectedMean | None
    change: float | None

    @property
    def value(self) -> float | None:
        """The mean, or the value that misses the threshold: that of all papers at their worst."""
        return self.mean.compared if self.state == "failed" else self.mean.value

    @property
    def coverage(self) -> str:
        """How many papers it covers; empty where it covers all that should have the number."""
        mean = self.mean
        is_whole = mean.n_scored == mean.n_papers
        return "" if is_whole else f"{mean.n_scored:,} of {mean.n_papers:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRow:
    """A gated system with the numbers of its judged pairs."""

    suite: SuiteRecord
    system: SystemResult
    papers: Sequence[Numbers]

    @property
    def outcomes(self) -> Counter[Outcome]:
        """How many of its pairs ended how."""
        name = self.system.name
        return Counter(each.outcome for each in self.suite.outlines if each.system == name)

    @property
    def outcome(self) -> Covered:
        """The worst of its pairs and of its item over all papers."""
        outcomes = {self.system.outcome, *self.outcomes}
        return next((outcome for outcome in WORST_FIRST if outcome in outcomes), "not judged")

    def mean(self, name: str) -> ShownMean:
        """One of its means, whether it has a threshold or not."""
        system, thresholds = self.system, self.suite.policy.thresholds
        least = next((t.least for t in thresholds.mean if t.name == name), None)
        decided = next((mean for mean in system.verdict.means if mean.name == name), None)
        corrected = next((mean for mean in system.verdict.corrected if mean.name == name), None)
        difference = system.comparison and system.comparison.difference(name)
        state: Literal["", "failed", "waived", "undecided"] = ""
        if decided in system.verdict.missed or (corrected is not None and corrected.missed):
            state = "failed"
        elif decided is not None and not decided.passes:
            state = "undecided" if decided.is_open else "waived"
        return ShownMean(
            mean=decided
            or mean_of(self.papers, Threshold(name, least or 0.0, custom=self.suite.own_numbers)),
            least=least if decided is None else decided.least,
            state=state,
            corrected=corrected,
            change=difference.change if difference else None,
        )
