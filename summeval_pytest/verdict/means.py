"""The verdict on one system: its means over papers, and how many papers they cover."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.suite import ALL_PAPERS
from summeval_pytest.text import one_line
from summeval_pytest.verdict.correcting import MIN_COVERAGE, CorrectedMean
from summeval_pytest.verdict.deciding import raise_unsupported
from summeval_pytest.verdict.waivers import Waivers, WaiverUse, covered_by, faults_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.evaluation import Numbers
    from summeval_pytest.verdict.thresholds import Threshold


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
    """The means of one system, each held to its threshold, and what became of its waivers.

    ``corrected`` has its means with the judge's error taken out, where labels tell it.
    """

    means: tuple[SystemMean, ...]
    waivers: tuple[WaiverUse, ...] = ()
    corrected: tuple[CorrectedMean, ...] = ()

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
        falls_short = any(mean.missed for mean in self.corrected)
        return not self.missed and not falls_short and not self.waiver_faults


def decide_means(
    system: str,
    papers: Sequence[Numbers],
    thresholds: Sequence[Threshold],
    waivers: Waivers | None = None,
    corrected: tuple[CorrectedMean, ...] = (),
) -> MeanVerdict:
    """Holds the means of one system over its papers to their thresholds.

    Args:
        system: The system.
        papers: Its numbers.
        thresholds: What its means are held to.
        waivers: What may fall short.
        corrected: Its means with the judge's error taken out.

    Raises:
        JudgeError: if the judge left any of the papers without a score or support that a threshold
            needs.
    """
    names = [t.name for t in thresholds] + [mean.name for mean in corrected if mean.floors]
    faults = [
        (numbers.paper, lack)
        for metric in dict.fromkeys(CATALOGUE[name].metric for name in names)
        for numbers in papers
        if (lack := numbers.lacking(metric)) is not None and lack.fault == "judge"
    ]
    if faults:
        paper, lack = faults[0]
        unscored = len({paper for paper, _ in faults})
        raise JudgeError(
            f"system {system!r} has no means: {unscored} of {len(papers)} papers are unscored,"
            f" first {paper!r}: {lack.metric}: {lack.status}, {one_line(lack.reason)}"
        )
    for numbers in papers:
        raise_unsupported(numbers, names)
    means = tuple(mean_of(papers, threshold) for threshold in thresholds)
    uses = (waivers or Waivers()).use(
        ALL_PAPERS,
        system,
        missed={mean.name: mean.value for mean in means if not mean.passes},
        measured=[mean.name for mean in means if mean.is_covered],
    )
    return MeanVerdict(
        means=means,
        waivers=uses,
        corrected=tuple(_covering(mean, papers) for mean in corrected),
    )


def _covering(mean: CorrectedMean, papers: Sequence[Numbers]) -> CorrectedMean:
    """A corrected mean that says how many papers it covers."""
    n_scored, n_of = coverage_of(papers, mean.name)
    return replace(mean, n_scored=n_scored, n_of=n_of)


def mean_of(papers: Sequence[Numbers], threshold: Threshold) -> SystemMean:
    """The mean of one number over the papers that have it; a paper without it is no zero.

    Its sum is exact: papers that all have 0.7 have a mean of 0.7, in whatever order they stand.
    """
    values = [p.values.get(threshold.name) for p in papers]
    counted = [value for value in values if value is not None]
    n_scored, n_papers = coverage_of(papers, threshold.name)
    return SystemMean(
        name=threshold.name,
        value=statistics.mean(counted) if counted else None,
        least=threshold.least,
        n_scored=n_scored,
        n_papers=n_papers,
    )


def coverage_of(papers: Sequence[Numbers], name: str) -> tuple[int, int]:
    """On how many papers a number is scored, and on how many it should be: where it applies."""
    n_scored = sum(p.values.get(name) is not None for p in papers)
    n_stated = sum(name in p.values for p in papers)
    n_lacking = sum(p.lacking(CATALOGUE[name].metric) is not None for p in papers)
    return n_scored, n_stated + n_lacking
