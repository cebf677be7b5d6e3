"""Verdicts: which thresholds a pair misses, and a system's means, corrected by labels or not.

A judge that leaves something unanswered never helps a system to pass: what is met only because of
that is undecided, which is the judge's error.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics.score import CATALOGUE, SPARSE, SUPPORT, Unscored, lacks_support
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import (
    CORRECTABLE,
    SUPPORT_REMEDY,
    Threshold,
    Waivers,
    WaiverUse,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
    from summeval_pytest.run.numbers import Numbers
    from summeval_pytest.stats.correction import Corrected

MIN_COVERAGE: Final = 0.95
"""A mean over a smaller share of the papers it should cover is a failing verdict."""
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """One number that misses its threshold; ``value`` None where a summary has nothing to count.

    ``least`` is the most that it may be where the threshold is an upper bound.
    """

    name: str
    value: float | None
    least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """What one pair misses.

    Attributes:
        shortfalls: The numbers under their thresholds, waived ones left out.
        lacking: The metrics that the system left without a score: an empty or refused summary.
        waived: The numbers under their thresholds that a waiver covers.
        waivers: What became of the pair's waivers.
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
        return tuple(use.fault for use in self.waivers if use.fault)


def decide(
    numbers: Numbers, thresholds: Sequence[Threshold], waivers: Waivers | None = None
) -> PairVerdict:
    """Hold one pair to its thresholds.

    A number that does not apply (a facet that the reference lacks) is not held; one that cannot be
    counted because the summary states nothing (None) is under every threshold.

    Raises:
        JudgeError: if the judge left a metric without a score, gave no support where a threshold
            is on it, or left so much unanswered that a threshold is met only because of it.
        KeyError: for a threshold whose metric was not measured, which must not pass in silence.
    """
    raise_judge_faults(numbers)
    _raise_unsupported(numbers, [threshold.name for threshold in thresholds])
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
    uses = (waivers or Waivers()).use(
        numbers.paper,
        numbers.system,
        missed={name: shortfall.value for name, shortfall in missed.items()},
        measured=[t.name for t in thresholds if not numbers.lacking(t.metric)],
    )
    worst = {name: (numbers.values[name], worst) for name, worst in numbers.worst.items()}
    _check_waived(what, uses, worst)
    covered = _covered_by(uses)
    return PairVerdict(
        shortfalls=tuple(short for name, short in missed.items() if name not in covered),
        lacking=numbers.unscored,
        waived=tuple(short for name, short in missed.items() if name in covered),
        waivers=uses,
    )


def raise_judge_faults(numbers: Numbers) -> None:
    """Refuse to go on where the judge left a metric without a score.

    Raises:
        JudgeError: naming the metrics and why; an unscored pair is never decided.
    """
    faults = [lack for lack in numbers.unscored if lack.fault == "judge"]
    if faults:
        reasons = "; ".join(f"{f.metric}: {f.status}, {one_line(f.reason)}" for f in faults)
        raise JudgeError(
            f"paper {numbers.paper!r}, system {numbers.system!r} is unscored: {reasons}"
        )


def _raise_unsupported(numbers: Numbers, names: Iterable[str]) -> None:
    """Refuse to hold a mean support that the judge did not give."""
    if SUPPORT in names and lacks_support(numbers.values):
        raise JudgeError(
            f"paper {numbers.paper!r}, system {numbers.system!r} has no {SUPPORT}: the judge did"
            f" not say of every sentence how far it is supported; {SUPPORT_REMEDY}"
        )


def undecided(what: str, bound: Threshold, value: float | None, worst: float | None) -> str:
    """Why a number that meets its bound decides nothing, in words; empty where it decides.

    Args:
        what: What is undecided; the name of the number follows.
        bound: What is held.
        value: The number.
        worst: What it would be if every unanswered piece were wrong; None where it has no value.
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
class CorrectedMean:
    """The mean of one number as people would have given it, and the judge's own beside it.

    Attributes:
        name: The number.
        raw: The mean of what the judge says; of faithfulness, over sentences and not over papers.
        value: Corrected, in the labels' unit; None where the labels do not tell, or the judge is no
            better than chance.
        low: The lower bound of its 95 % interval over papers.
        high: The upper bound.
        n_golden: How many labelled pairs, or sentences, correct it.
        n_papers: On how many papers.
        reason: Why there is no value or no interval; else empty.
        floors: What it, or its lower bound, is held to.
        n_scored: Papers of the system that have the number.
        n_of: Papers that should have it.
        worst: The same with each piece wrong that the judge left unanswered, and each label that it
            left unanswered at the top of its scale; None where everything was answered.
    """

    name: str
    raw: float | None
    value: float | None
    low: float | None
    high: float | None
    n_golden: int
    n_papers: int
    reason: str = ""
    floors: tuple[Threshold, ...] = ()
    n_scored: int = 0
    n_of: int = 0
    worst: CorrectedMean | None = field(default=None, metadata=SPARSE)

    @property
    def is_covered(self) -> bool:
        """Whether enough papers have the number, as for a raw mean."""
        return self.n_scored >= MIN_COVERAGE * self.n_of

    def held(self, floor: Threshold) -> float | None:
        """What a threshold is held against: the corrected mean, or its lower bound."""
        return self.low if floor.bound == "lower" else self.value

    @property
    def missed(self) -> tuple[Threshold, ...]:
        """The thresholds that it does not reach; on too few papers, all of them."""
        if not self.is_covered:
            return self.floors
        return tuple(f for f in self.floors if not f.is_met_by(self.held(f)))


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
        covered = _covered_by(self.waivers)
        return tuple(
            mean
            for mean in self.means
            if not mean.passes and not (mean.is_covered and mean.name in covered)
        )

    @property
    def waiver_faults(self) -> tuple[str, ...]:
        """What is wrong with waivers that have to be mended or deleted."""
        return tuple(use.fault for use in self.waivers if use.fault)

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
    """Hold the means of one system over its papers to their thresholds.

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
        _raise_unsupported(numbers, names)
    means = tuple(mean_of(papers, threshold) for threshold in thresholds)
    uses = (waivers or Waivers()).use(
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
            _check_decided(f"{what} mean", Threshold(mean.name, mean.least), *held[mean.name])
    _check_waived(f"{what} mean", uses, held)
    for each in corrected:
        for floor in each.floors if each.worst is not None and each.is_covered else ():
            worst = None if each.worst is None else each.worst.held(floor)
            _check_decided(f"{what} corrected mean", floor, each.held(floor), worst)
    return MeanVerdict(means=means, waivers=uses, corrected=corrected)


def mean_of(papers: Sequence[Numbers], threshold: Threshold) -> SystemMean:
    """The mean of one number over the papers that have it; a paper without it is no zero.

    Its sum is exact: papers that all have 0.7 have a mean of 0.7, in whatever order they stand.
    """
    name = threshold.name
    n_scored, n_papers = _coverage(papers, name)
    supposed = [numbers.supposed(by="system") for numbers in papers]
    is_short = _coverage(supposed, name)[0] > n_scored
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


def _coverage(papers: Sequence[Numbers], name: str) -> tuple[int, int]:
    """On how many papers a number is scored, and on how many it should be: where it applies."""
    n_scored = sum(p.values.get(name) is not None for p in papers)
    n_stated = sum(name in p.values for p in papers)
    n_lacking = sum(p.lacking(CATALOGUE[name].metric) is not None for p in papers)
    return n_scored, n_stated + n_lacking


def corrected_means(
    papers: Sequence[Numbers], golden: Sequence[GoldenPair], thresholds: Sequence[Threshold] = ()
) -> tuple[CorrectedMean, ...]:
    """The means of one system over its papers, corrected by golden answers, as far as they tell.

    Args:
        papers: The system's numbers.
        golden: The labelled pairs with the answers of the same judge.
        thresholds: What corrected means are held to.

    Raises:
        JudgeError: where a threshold is on a mean that cannot be corrected, or has no interval.
    """
    supposed = [numbers.supposed(by="judge") for numbers in papers]
    generous = [replace(pair, answers=tuple(map(_generous, pair.answers))) for pair in golden]
    means = []
    for name in CORRECTABLE:
        floors = tuple(threshold for threshold in thresholds if threshold.name == name)
        corrected = _corrected(name, papers, golden)
        if not floors and not (corrected.n_judged and corrected.n_golden):
            continue
        worst = _corrected(name, supposed, generous)
        n_scored, n_of = _coverage(papers, name)
        mean = replace(
            _named(name, corrected),
            floors=floors,
            n_scored=n_scored,
            n_of=n_of,
            worst=None if worst == corrected else _named(name, worst),
        )
        if any(mean.held(floor) is None for floor in floors):
            raise JudgeError(
                f"the mean of {name} cannot be corrected, {mean.reason};"
                f" label more, or set the threshold on [thresholds.mean] {name}"
            )
        means.append(mean)
    return tuple(means)


def _generous(answer: GoldenAnswer) -> GoldenAnswer:
    """A label's answer; the top of its scale where there is none."""
    if answer.answer is not None:
        return answer
    return replace(answer, answer=float(SCALES[answer.kind] if answer.kind in FACETS else 1))


def _named(name: str, corrected: Corrected) -> CorrectedMean:
    return CorrectedMean(
        name=name,
        raw=corrected.raw,
        value=corrected.value,
        low=corrected.low,
        high=corrected.high,
        n_golden=corrected.n_golden,
        n_papers=corrected.n_papers,
        reason=corrected.reason,
    )


def _corrected(name: str, papers: Sequence[Numbers], golden: Sequence[GoldenPair]) -> Corrected:
    """The mean of a number corrected by what labels say; faithfulness is a rate of sentences."""
    from summeval_pytest.stats.correction import corrected_mean, corrected_rate  # load numpy

    kind = {"facet": "overall", "faithfulness": "sentence"}.get(name, name.partition(".")[2])
    rows = [(pair.paper, answer, label) for pair in golden for label, answer in pair.answered(kind)]
    if kind == "overall" and any(label > 1 + _ROUNDING for *_, label in rows):
        rows = []  # people's overall scores are on a scale of their own
    if name != "faithfulness":
        scored = [(n.paper, v) for n in papers if (v := n.values.get(name)) is not None]
        return corrected_mean(scored, rows)
    judged: list[tuple[str, bool]] = []
    for numbers in papers:
        n_supported = numbers.sizes.get("faithfulness", 0)
        n_others = numbers.sizes.get("sentences", 0) - n_supported
        judged += [(numbers.paper, True)] * n_supported + [(numbers.paper, False)] * n_others
    return corrected_rate(judged, [(paper, a == 1, label == 1) for paper, a, label in rows])
