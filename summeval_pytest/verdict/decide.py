"""The verdict on one pair: which thresholds it misses."""

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
    Floor,
    Threshold,
    Waivers,
    WaiverUse,
    covered_by,
    faults_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
    from summeval_pytest.run.numbers import Numbers
    from summeval_pytest.stats.correction import Corrected


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
        return faults_of(self.waivers)


def raise_judge_faults(numbers: Numbers) -> None:
    """Refuses to go on where the judge left a metric without a score.

    Raises:
        JudgeError: naming the metrics and why; an unscored pair is never decided.
    """
    faults = [lack for lack in numbers.unscored if lack.fault == "judge"]
    if faults:
        reasons = "; ".join(f"{f.metric}: {f.status}, {one_line(f.reason)}" for f in faults)
        raise JudgeError(
            f"paper {numbers.paper!r}, system {numbers.system!r} is unscored: {reasons}"
        )


def raise_unsupported(numbers: Numbers, names: Iterable[str]) -> None:
    """Refuses to hold a mean support that the judge did not give.

    Raises:
        JudgeError: if it is among the names, and the pair has a faithfulness without it.
    """
    if SUPPORT in names and lacks_support(numbers.values):
        raise JudgeError(
            f"paper {numbers.paper!r}, system {numbers.system!r} has no {SUPPORT}: the judge did"
            f" not say of every sentence how far it is supported; {SUPPORT_REMEDY}"
        )


def undecided(what: str, bound: Threshold | Floor, value: float | None, worst: float | None) -> str:
    """Why a number that meets its bound decides nothing, in words; empty where it decides.

    A pass must not stand on pieces without an answer, which are left out of every share.

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


def check_decided(
    what: str, bound: Threshold | Floor, value: float | None, worst: float | None
) -> None:
    """Refuses to pass what is `undecided`.

    Raises:
        JudgeError: saying why.
    """
    if told := undecided(what, bound, value, worst):
        raise JudgeError(told)


def check_waived(
    what: str, uses: Iterable[WaiverUse], held: Mapping[str, tuple[float | None, float | None]]
) -> None:
    """Refuses a waiver that covers a number only because of what the judge left unanswered.

    Args:
        what: As for `check_decided`.
        uses: What became of the waivers.
        held: By name, numbers and what they would be at the worst.

    Raises:
        JudgeError: as `check_decided`, for the waiver's own bound.
    """
    for use in uses:
        name, bound = use.waiver.finding, use.waiver.bound
        if use.state == "in use" and bound is not None and name in held:
            check_decided(what, Threshold(name, bound), *held[name])


def decide(
    numbers: Numbers, thresholds: Sequence[Threshold], waivers: Waivers | None = None
) -> PairVerdict:
    """Holds one pair to its thresholds.

    A number that does not apply (a facet that the reference lacks) is not held; one that cannot be
    counted because the summary states nothing (None) is under every threshold.

    Raises:
        JudgeError: if the judge left a metric without a score, gave no support where a threshold
            is on it, or left so much unanswered that a threshold is met only because of it.
        KeyError: for a threshold whose metric was not measured, which must not pass in silence.
    """
    raise_judge_faults(numbers)
    raise_unsupported(numbers, [threshold.name for threshold in thresholds])
    what = f"paper {numbers.paper!r}, system {numbers.system!r} is undecided:"
    shortfalls = []
    for threshold in thresholds:
        if threshold.name not in numbers.values:
            if threshold.metric not in numbers.values and not numbers.lacking(threshold.metric):
                raise KeyError(threshold.metric)
            continue
        value = numbers.values[threshold.name]
        check_decided(what, threshold, value, numbers.worst.get(threshold.name, value))
        if not threshold.is_met_by(value):
            shortfalls.append(Shortfall(name=threshold.name, value=value, least=threshold.least))
    scored = [t.name for t in thresholds if not numbers.lacking(t.metric)]
    uses = (waivers or Waivers()).use(
        numbers.paper,
        numbers.system,
        missed={shortfall.name: shortfall.value for shortfall in shortfalls},
        measured=scored,
    )
    held = {name: (numbers.values[name], worst) for name, worst in numbers.worst.items()}
    check_waived(what, uses, held)
    covered = covered_by(uses)
    return PairVerdict(
        shortfalls=tuple(s for s in shortfalls if s.name not in covered),
        lacking=numbers.unscored,
        waived=tuple(s for s in shortfalls if s.name in covered),
        waivers=uses,
    )


_ROUNDING: Final = 1e-9
MIN_COVERAGE: Final = 0.95
"""A mean over a smaller share of the papers it should cover is a failing verdict."""
SENTENCES: Final = "sentences"
"""Among a pair's sizes, the sentences that the judge has given a verdict on."""


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
    floors: tuple[Floor, ...] = ()
    n_scored: int = 0
    n_of: int = 0
    worst: CorrectedMean | None = field(default=None, metadata=SPARSE)

    @property
    def is_covered(self) -> bool:
        """Whether enough papers have the number, as for a raw mean."""
        return self.n_scored >= MIN_COVERAGE * self.n_of

    def held(self, floor: Floor) -> float | None:
        """What a threshold is held against: the corrected mean, or its lower bound."""
        return self.low if floor.bound == "lower" else self.value

    @property
    def missed(self) -> tuple[Floor, ...]:
        """The thresholds that it does not reach; on too few papers, all of them."""
        if not self.is_covered:
            return self.floors
        return tuple(f for f in self.floors if not f.is_met_by(self.held(f)))


def corrected_means(
    papers: Sequence[Numbers], golden: Sequence[GoldenPair], floors: Sequence[Floor] = ()
) -> tuple[CorrectedMean, ...]:
    """The means of one system over its papers, corrected by golden answers, as far as they tell.

    Args:
        papers: The system's numbers.
        golden: The labelled pairs with the answers of the same judge.
        floors: Thresholds on corrected means.

    Raises:
        JudgeError: where a threshold is on a mean that cannot be corrected, or has no interval.
    """
    supposed = [numbers.supposed(by="judge") for numbers in papers]
    generous = [replace(pair, answers=tuple(map(_generous, pair.answers))) for pair in golden]
    found = []
    for name in CORRECTABLE:
        held = tuple(floor for floor in floors if floor.name == name)
        corrected = _corrected(name, papers, golden)
        if held or (corrected.n_judged and corrected.n_golden):
            worst = _corrected(name, supposed, generous)
            mean = _correcting_mean(
                name, corrected, held, None if worst == corrected else _correcting_mean(name, worst)
            )
            _check_told(mean)
            found.append(mean)
    return tuple(found)


def _correcting_mean(
    name: str,
    corrected: Corrected,
    floors: tuple[Floor, ...] = (),
    worst: CorrectedMean | None = None,
) -> CorrectedMean:
    return CorrectedMean(
        name=name,
        raw=corrected.raw,
        value=corrected.value,
        low=corrected.low,
        high=corrected.high,
        n_golden=corrected.n_golden,
        n_papers=corrected.n_papers,
        reason=corrected.reason,
        floors=floors,
        worst=worst,
    )


def _generous(answer: GoldenAnswer) -> GoldenAnswer:
    """A label's answer; the top of its scale where there is none."""
    if answer.answer is not None:
        return answer
    top = next((SCALES[facet] for facet in FACETS if facet == answer.kind), 1)
    return replace(answer, answer=float(top))


def _check_told(mean: CorrectedMean) -> None:
    for floor in mean.floors:
        if mean.held(floor) is None:
            raise JudgeError(
                f"the mean of {mean.name} cannot be corrected, {mean.reason};"
                f" label more, or set the threshold on [thresholds.mean] {mean.name}"
            )


def _corrected(name: str, papers: Sequence[Numbers], golden: Sequence[GoldenPair]) -> Corrected:
    from summeval_pytest.stats.correction import corrected_mean  # numpy, which no help text needs

    if name == "faithfulness":
        return _rate(papers, golden)
    values = [(numbers.values[name], numbers.paper) for numbers in papers if name in numbers.values]
    scored = [(value, paper) for value, paper in values if value is not None]
    kind = "overall" if name == "facet" else name.partition(".")[2]
    rows = list(_rows(golden, kind))
    if kind == "overall" and any(label > 1 + _ROUNDING for label, _, _ in rows):
        rows = []  # people's overall scores are on a scale of their own
    return corrected_mean(
        [value for value, _ in scored],
        [paper for _, paper in scored],
        golden_judge=[answer for _, answer, _ in rows],
        golden_label=[label for label, _, _ in rows],
        golden_papers=[paper for _, _, paper in rows],
    )


def _rate(papers: Sequence[Numbers], golden: Sequence[GoldenPair]) -> Corrected:
    from summeval_pytest.stats.correction import corrected_rate

    judged: list[bool] = []
    of: list[str] = []
    for numbers in papers:
        n_supported = numbers.sizes.get("faithfulness", 0)
        n_sentences = numbers.sizes.get(SENTENCES, 0)
        judged += [True] * n_supported + [False] * (n_sentences - n_supported)
        of += [numbers.paper] * n_sentences
    rows = list(_rows(golden, "sentence"))
    return corrected_rate(
        judged,
        of,
        golden_judge=[answer == 1 for _, answer, _ in rows],
        golden_label=[label == 1 for label, _, _ in rows],
        golden_papers=[paper for _, _, paper in rows],
    )


def _rows(golden: Sequence[GoldenPair], kind: str) -> Iterator[tuple[float, float, str]]:
    """Of the answered items of one kind: label, answer, paper."""
    for pair in golden:
        for label, answer in pair.answered(kind):
            yield label, answer, pair.paper


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
