"""Verdicts: which thresholds a pair misses, and which the means of a system.

A judge that leaves something unanswered never helps a system to pass: what is met only because of
that is undecided, which is the judge's error.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics.score import CATALOGUE, OPTIONAL, SPARSE, Unscored, lacks
from summeval_pytest.run.pair_numbers import coverage, is_covered
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import (
    NO_WAIVERS,
    NOT_SAID,
    REMEDIES,
    Threshold,
    WaiverUse,
    faults_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from summeval_pytest.run.pair_numbers import Numbers
    from summeval_pytest.verdict.corrected import CorrectedMean
    from summeval_pytest.verdict.thresholds import Waivers


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """One number that misses its threshold; ``value`` None where a summary has nothing to count."""

    name: str
    value: float | None
    least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """What one pair misses.

    Attributes:
        shortfalls: The numbers that miss their thresholds, waived ones left out.
        lacking: The metrics that the system left without a score: an empty or refused summary.
        waived: The numbers that miss their thresholds and that a waiver covers.
    """

    shortfalls: tuple[Shortfall, ...]
    lacking: tuple[Unscored, ...] = ()
    waived: tuple[Shortfall, ...] = ()
    waivers: tuple[WaiverUse, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether everything is scored, each threshold met or waived, and each waiver in order."""
        return not self.shortfalls and not self.lacking and not self.waiver_faults

    @property
    def missed(self) -> frozenset[str]:
        """The names of the numbers that fail the pair."""
        return frozenset(shortfall.name for shortfall in self.shortfalls)

    @property
    def waiver_faults(self) -> tuple[str, ...]:
        """What is wrong with waivers that have to be mended or deleted."""
        return faults_of(self.waivers)


def decide(
    numbers: Numbers, thresholds: Sequence[Threshold], waivers: Waivers = NO_WAIVERS
) -> PairVerdict:
    """Hold one pair to its thresholds.

    A number that does not apply (a facet that the reference lacks) is not held; one that cannot be
    counted because the summary states nothing (None) is under every threshold.

    Raises:
        JudgeError: if the judge left a metric without a score, did not give an optional number
            that is held, or left so much unanswered that a threshold is met only because of it.
        KeyError: for a threshold whose metric was not measured, which must not pass in silence.
    """
    raise_judge_faults(numbers)
    _raise_lacking(numbers, [t.name for t in thresholds])
    what = f"paper {numbers.paper!r}, system {numbers.system!r} is undecided:"
    missed = {}
    for threshold in thresholds:
        name = threshold.name
        if name not in numbers.values:
            if threshold.metric not in numbers.values and not numbers.lacking(threshold.metric):
                raise KeyError(threshold.metric)
            continue
        value = numbers.values[name]
        _check_decided(what, threshold, value, numbers.worst.get(name, value))
        if not threshold.is_met_by(value):
            missed[name] = Shortfall(name=name, value=value, least=threshold.least)
    uses = waivers.use(
        numbers.paper,
        numbers.system,
        missed={name: shortfall.value for name, shortfall in missed.items()},
        measured=[t.name for t in thresholds if not numbers.lacking(t.metric)],
    )
    open_ = {name: (numbers.values[name], worst) for name, worst in numbers.worst.items()}
    _check_waived(what, uses, open_)
    covered = _covered_by(uses)
    return PairVerdict(
        shortfalls=tuple(short for name, short in missed.items() if name not in covered),
        lacking=numbers.unscored,
        waived=tuple(short for name, short in missed.items() if name in covered),
        waivers=uses,
    )


def raise_judge_faults(numbers: Numbers) -> None:
    """Raise a JudgeError where the judge left a metric unscored: such a pair is never decided."""
    faults = [lack for lack in numbers.unscored if lack.fault == "judge"]
    if faults:
        reasons = "; ".join(f"{f.metric}: {f.status}, {one_line(f.reason)}" for f in faults)
        raise JudgeError(
            f"paper {numbers.paper!r}, system {numbers.system!r} is unscored: {reasons}"
        )


def _raise_lacking(numbers: Numbers, names: Collection[str]) -> None:
    """Refuse to hold an optional number that the judge did not give."""
    for name in OPTIONAL:
        if name in names and lacks(numbers.values, name):
            raise JudgeError(
                f"paper {numbers.paper!r}, system {numbers.system!r} has no {name}: the judge did"
                f" not {NOT_SAID[name]}; {REMEDIES[name]}"
            )


def undecided(what: str, bound: Threshold, value: float | None, worst: float | None) -> str:
    """Why a number that meets its bound decides nothing, in words; empty where it decides.

    ``worst`` is what it would be if every unanswered piece were wrong, None if it had no value.
    """
    if not bound.is_met_by(value) or bound.is_met_by(worst):
        return ""
    now, then = ("unknown" if each is None else f"{each:.3f}" for each in (value, worst))
    return (
        f"{what} {bound.title} {now} meets {bound.limit}, and would be {then} if what the judge"
        " left unanswered were wrong"
    )


def _check_decided(what: str, bound: Threshold, value: float | None, worst: float | None) -> None:
    if told := undecided(what, bound, value, worst):
        raise JudgeError(told)


def _check_waived(
    what: str, uses: Iterable[WaiverUse], held: Mapping[str, tuple[float | None, float | None]]
) -> None:
    """Refuse a waiver whose own bound is met only because of what the judge left unanswered."""
    for use in uses:
        name, bound = use.waiver.finding, use.waiver.bound
        if use.state == "in use" and bound is not None and name in held:
            _check_decided(what, Threshold(name, bound), *held[name])


def _covered_by(uses: Iterable[WaiverUse]) -> frozenset[str]:
    """The names of the numbers that may fall short."""
    return frozenset(use.waiver.finding for use in uses if use.state == "in use")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMean:
    """The mean of one number over the papers that have it; None where none has.

    Attributes:
        least: Its threshold; the most that it may be where lower is better.
        n_papers: Papers that should have it: all, but for those to which the number does not apply
            because their reference lacks the facet.
        lowest: The mean with the worst of the number's range for each paper that the system left
            without it; None where there is none, and of a count, which has no worst.
    """

    name: str
    value: float | None
    least: float
    n_scored: int
    n_papers: int
    lowest: float | None = field(default=None, metadata=SPARSE)

    @property
    def threshold(self) -> Threshold:
        """What it is held to."""
        return Threshold(self.name, self.least)

    @property
    def held(self) -> float | None:
        """What its threshold is held against: the mean, or ``lowest`` where only that is short."""
        is_met = self.threshold.is_met_by(self.value)
        return self.lowest if is_met and self.lowest is not None else self.value

    @property
    def passes(self) -> bool:
        """Whether the mean reaches its threshold on enough papers, whatever the others are."""
        return self.is_covered and self.threshold.is_met_by(self.held)

    @property
    def is_covered(self) -> bool:
        """Whether enough papers have the number."""
        return is_covered(self.name, self.n_scored, self.n_papers)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanVerdict:
    """The means of one system, raw and corrected by labels, and what became of its waivers."""

    means: tuple[SystemMean, ...]
    waivers: tuple[WaiverUse, ...] = ()
    corrected: tuple[CorrectedMean, ...] = ()

    @property
    def missed(self) -> tuple[SystemMean, ...]:
        """The means that neither pass nor are waived, in order of the thresholds."""
        covered = _covered_by(self.waivers)
        failing = (mean for mean in self.means if not mean.passes)
        return tuple(m for m in failing if not (m.is_covered and m.name in covered))

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
    waivers: Waivers = NO_WAIVERS,
    corrected: tuple[CorrectedMean, ...] = (),
) -> MeanVerdict:
    """Hold the means of one system over its papers to their thresholds.

    Raises:
        JudgeError: if the judge left any of the papers without a score or support that a threshold
            needs, or so much unanswered that a threshold is met only because of it.
    """
    names = [t.name for t in thresholds] + [mean.name for mean in corrected if mean.floors]
    _raise_unscored(system, papers, names)
    for numbers in papers:
        _raise_lacking(numbers, names)
    means = tuple(mean_of(papers, threshold) for threshold in thresholds)
    uses = waivers.use(
        ALL_PAPERS,
        system,
        missed={mean.name: mean.held for mean in means if not mean.passes},
        measured=[mean.name for mean in means if mean.is_covered],
    )
    what = f"system {system!r} is undecided:"
    supposed = [numbers.supposed() for numbers in papers]
    held = {mean.name: (mean.held, _mean(supposed, mean.name)) for mean in means}
    for mean in means:
        if mean.is_covered:
            _check_decided(f"{what} mean", mean.threshold, *held[mean.name])
    _check_waived(f"{what} mean", uses, held)
    for each in corrected:
        if each.worst is None or not each.is_covered:
            continue
        for floor in each.floors:
            value = floor.held(each.value, each.low)
            worst = floor.held(each.worst.value, each.worst.low)
            _check_decided(f"{what} corrected mean", floor, value, worst)
    return MeanVerdict(means=means, waivers=uses, corrected=corrected)


def _raise_unscored(system: str, papers: Sequence[Numbers], names: Iterable[str]) -> None:
    """Refuse means of numbers that the judge left without a score on any paper."""
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


def mean_of(papers: Sequence[Numbers], threshold: Threshold) -> SystemMean:
    """The mean of one number over the papers that have it; a paper without it is no zero.

    Its sum is exact: papers that all have 0.7 have a mean of 0.7, whatever their order.
    """
    name = threshold.name
    n_scored, n_papers = coverage(papers, name)
    supposed = [numbers.supposed(by="system") for numbers in papers]
    is_short = coverage(supposed, name)[0] > n_scored
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
