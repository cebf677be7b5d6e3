"""The verdict on one system: its means over papers, and how many papers they cover."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import JudgeError
from summeval_pytest.suite import ALL_PAPERS
from summeval_pytest.text import one_line
from summeval_pytest.verdict.waivers import Waivers, WaiverUse, covered_by, faults_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.evaluation import Numbers
    from summeval_pytest.verdict.thresholds import Threshold

MIN_COVERAGE: Final = 0.95
"""A mean over a smaller share of the papers it should cover is a failing verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMean:
    """The mean of one number over papers.

    Attributes:
        name: The number.
        value: Its mean over the papers that have it; None where none has.
        least: Its threshold.
        n_scored: Papers that the mean covers.
        n_papers: Papers that it should cover: all, but for those to which the number does not
            apply because their reference lacks the facet.
    """

    name: str
    value: float | None
    least: float
    n_scored: int
    n_papers: int

    @property
    def passes(self) -> bool:
        """Whether the mean reaches its threshold on enough papers."""
        return self.is_covered and self.value is not None and self.value >= self.least

    @property
    def is_covered(self) -> bool:
        """Whether enough papers have the number."""
        return self.n_scored >= MIN_COVERAGE * self.n_papers


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanVerdict:
    """The means of one system, each held to its threshold, and what became of its waivers."""

    means: tuple[SystemMean, ...]
    waivers: tuple[WaiverUse, ...] = ()

    @property
    def missed(self) -> tuple[SystemMean, ...]:
        """The means that neither pass nor are waived, in order of the thresholds."""
        covered = covered_by(self.waivers)
        return tuple(
            mean
            for mean in self.means
            if not mean.passes and not (mean.is_covered and mean.name in covered)
        )

    @property
    def waiver_faults(self) -> tuple[str, ...]:
        """What is wrong with waivers that have to be mended or deleted."""
        return faults_of(self.waivers)

    @property
    def passes(self) -> bool:
        """Whether every mean is reached or waived, and each waiver in order."""
        return not self.missed and not self.waiver_faults


def decide_means(
    system: str,
    papers: Sequence[Numbers],
    thresholds: Sequence[Threshold],
    waivers: Waivers | None = None,
) -> MeanVerdict:
    """Holds the means of one system over its papers to their thresholds.

    Raises:
        JudgeError: if the judge left any of the papers without a score that a threshold needs.
    """
    faults = [
        (numbers.paper, lack)
        for threshold in thresholds
        for numbers in papers
        if (lack := numbers.lacking(threshold.metric)) is not None and lack.fault == "judge"
    ]
    if faults:
        paper, lack = faults[0]
        unscored = len({paper for paper, _ in faults})
        raise JudgeError(
            f"system {system!r} has no means: {unscored} of {len(papers)} papers are unscored,"
            f" first {paper!r}: {lack.metric}: {lack.status}, {one_line(lack.reason)}"
        )
    means = tuple(mean_of(papers, threshold) for threshold in thresholds)
    uses = (waivers or Waivers()).use(
        ALL_PAPERS,
        system,
        missed={mean.name: mean.value for mean in means if not mean.passes},
        measured=[mean.name for mean in means if mean.is_covered],
    )
    return MeanVerdict(means=means, waivers=uses)


def mean_of(papers: Sequence[Numbers], threshold: Threshold) -> SystemMean:
    """The mean of one number over the papers that have it; a paper without it is no zero.

    Its sum is exact: papers that all have 0.7 have a mean of 0.7, in whatever order they stand.
    """
    values = [p.values[threshold.name] for p in papers if threshold.name in p.values]
    counted = [value for value in values if value is not None]
    unscored = sum(p.lacking(threshold.metric) is not None for p in papers)
    return SystemMean(
        name=threshold.name,
        value=statistics.mean(counted) if counted else None,
        least=threshold.least,
        n_scored=len(counted),
        n_papers=len(values) + unscored,
    )
