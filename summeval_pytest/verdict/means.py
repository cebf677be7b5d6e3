"""The verdict on one system: its means over papers, and how many papers they cover."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.metrics.recorded import SPARSE
from summeval_pytest.suite import ALL_PAPERS
from summeval_pytest.text import one_line
from summeval_pytest.verdict.correcting import MIN_COVERAGE, CorrectedMean
from summeval_pytest.verdict.deciding import check_decided, check_waived, raise_unsupported
from summeval_pytest.verdict.thresholds import Threshold
from summeval_pytest.verdict.waivers import Waivers, WaiverUse, covered_by, faults_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from summeval_pytest.evaluation import Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMean:
    """The mean of one number over papers.

    Attributes:
        name: The number.
        value: Its mean over the papers that have it; None where none has.
        least: Its threshold; the most that it may be where lower is better.
        n_scored: Papers that the mean covers.
        n_papers: Papers that it should cover: all, but for those to which the number does not
            apply because their reference lacks the facet.
        lowest: The mean with the worst of the number's range for each paper that the system left
            without it; None where there is none.
    """

    name: str
    value: float | None
    least: float
    n_scored: int
    n_papers: int
    lowest: float | None = field(default=None, metadata=SPARSE)

    @property
    def held(self) -> float | None:
        """What its threshold is held against: the mean, or ``lowest`` where only that is short."""
        is_met = CATALOGUE[self.name].meets(self.value, self.least)
        return self.lowest if is_met and self.lowest is not None else self.value

    @property
    def passes(self) -> bool:
        """Whether the mean reaches its threshold on enough papers, whatever the others are."""
        return self.is_covered and CATALOGUE[self.name].meets(self.held, self.least)

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
            needs, or so much unanswered that a threshold is met only because of it.
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
        missed={mean.name: mean.held for mean in means if not mean.passes},
        measured=[mean.name for mean in means if mean.is_covered],
    )
    verdict = MeanVerdict(
        means=means,
        waivers=uses,
        corrected=tuple(_covering(mean, papers) for mean in corrected),
    )
    _check_decided(f"system {system!r} is undecided:", verdict, papers)
    return verdict


def _check_decided(what: str, verdict: MeanVerdict, papers: Sequence[Numbers]) -> None:
    """Refuses means that are enough only because of what the judge left unanswered."""
    supposed = [numbers.supposed() for numbers in papers]
    held = {mean.name: (mean.held, _mean(supposed, mean.name)) for mean in verdict.means}
    for mean in verdict.means:
        if mean.is_covered:
            check_decided(f"{what} mean", Threshold(mean.name, mean.least), *held[mean.name])
    check_waived(f"{what} mean", verdict.waivers, held)
    for corrected in verdict.corrected:
        worst = corrected.worst
        for floor in corrected.floors if worst is not None and corrected.is_covered else ():
            value = corrected.held(floor)
            check_decided(
                f"{what} corrected mean", floor, value, worst.held(floor) if worst else None
            )


def _covering(mean: CorrectedMean, papers: Sequence[Numbers]) -> CorrectedMean:
    """A corrected mean that says how many papers it covers."""
    n_scored, n_of = coverage_of(papers, mean.name)
    return replace(mean, n_scored=n_scored, n_of=n_of)


def mean_of(papers: Sequence[Numbers], threshold: Threshold) -> SystemMean:
    """The mean of one number over the papers that have it; a paper without it is no zero.

    Its sum is exact: papers that all have 0.7 have a mean of 0.7, in whatever order they stand.
    """
    name = threshold.name
    n_scored, n_papers = coverage_of(papers, name)
    supposed = [numbers.supposed(by="system") for numbers in papers]
    is_short = coverage_of(supposed, name)[0] > n_scored
    return SystemMean(
        name=name,
        value=_mean(papers, name),
        least=threshold.least,
        n_scored=n_scored,
        n_papers=n_papers,
        lowest=_mean(supposed, name) if is_short else None,
    )


def _mean(papers: Sequence[Numbers], name: str) -> float | None:
    values = [numbers.values.get(name) for numbers in papers]
    counted = [value for value in values if value is not None]
    return statistics.mean(counted) if counted else None


def coverage_of(papers: Sequence[Numbers], name: str) -> tuple[int, int]:
    """On how many papers a number is scored, and on how many it should be: where it applies."""
    n_scored = sum(p.values.get(name) is not None for p in papers)
    n_stated = sum(name in p.values for p in papers)
    n_lacking = sum(p.lacking(CATALOGUE[name].metric) is not None for p in papers)
    return n_scored, n_stated + n_lacking
