"""The verdict on one system's means over its papers, and by slice.

The table of outcomes is in `verdict.decide`. A slice is a group of papers whose means must not
hide behind the mean of all papers. One of fewer than `MIN_SLICE` papers is named and never decides;
it can have no threshold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final

from summeval_pytest.errors import SuiteError, nearest
from summeval_pytest.metrics.catalogue import METRICS, custom_numbers, metric_of
from summeval_pytest.metrics.number import (
    ENDLESS,
    SPARSE,
    UNRECORDED,
    CustomNumbers,
    NumberSpec,
    rounded_mean,
)
from summeval_pytest.run.pair_numbers import Numbers, coverage, is_covered
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.suite import Suite
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.pair import covered_by, why_missing, why_open
from summeval_pytest.verdict.thresholds import (
    MEAN,
    Threshold,
    Thresholds,
    Waivers,
    WaiverUse,
    read_thresholds,
)

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemMean:
    """The mean of one number over the papers that have it; None if none has.

    Attributes:
        least: Its threshold; an upper bound if lower is better.
        n_papers: Papers that should have it: all, except those whose reference does not state the
            facet.
        lowest: The mean if papers that have no number get the worst value of the range; None
            without such papers, and for a count, which has no worst value.
        is_open: Whether it misses its threshold with answers of the judge missing.
    """

    name: str
    value: float | None
    least: float
    n_scored: int
    n_papers: int
    lowest: float | None = field(default=None, metadata=SPARSE)
    is_open: bool = field(default=False, metadata=SPARSE)
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    @property
    def named(self) -> NumberSpec:
        """The number."""
        return self.threshold.named

    @property
    def threshold(self) -> Threshold:
        """What it has to reach."""
        return Threshold(self.name, self.least, custom=self.custom)

    @property
    def compared(self) -> float | None:
        """What the threshold judges: the mean, or ``lowest`` where only that misses."""
        is_met = self.threshold.is_met_by(self.value)
        return self.lowest if is_met and self.lowest is not None else self.value

    @property
    def passes(self) -> bool:
        """Whether the mean reaches its threshold on enough papers, whatever the others have."""
        return self.is_covered and self.threshold.is_met_by(self.compared) and not self.is_open

    @property
    def is_covered(self) -> bool:
        """Whether enough papers have the number."""
        return is_covered(self.named, self.n_scored, self.n_papers)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemVerdict:
    """The means of one system, and the state of its waivers.

    Attributes:
        undecided: Decisions that are open because the judge gave no answer, a phrase each.
    """

    means: tuple[SystemMean, ...] = ()
    waivers: tuple[WaiverUse, ...] = ()
    undecided: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def missed(self) -> tuple[SystemMean, ...]:
        """The means that surely fail and are not waived, in order of the thresholds."""
        covered = covered_by(self.waivers)
        failing = (mean for mean in self.means if not mean.passes and not mean.is_open)
        return tuple(m for m in failing if not (m.is_covered and m.name in covered))

    @property
    def waiver_faults(self) -> tuple[str, ...]:
        """What is wrong with waivers that have to be mended or deleted."""
        return tuple(use.fault for use in self.waivers if use.fault)

    @property
    def fails(self) -> bool:
        """Whether a mean is surely missed and not waived, or a waiver is not in order."""
        return bool(self.missed or self.waiver_faults)


def system_verdict(
    papers: Sequence[Numbers],
    thresholds: Thresholds,
    waivers: Waivers,
) -> SystemVerdict:
    """Compare the means of one system over its papers with their thresholds."""
    means, unsure = [], []
    for threshold in thresholds.mean:
        mean = mean_of(papers, threshold)
        phrase = _why_open(papers, mean)
        unsure += [phrase] if phrase else []
        means.append(replace(mean, is_open=bool(phrase)))
    missed = [mean for mean in means if not mean.passes and not mean.is_open]
    uses = waivers.use(
        ALL_PAPERS,
        papers[0].system if papers else "",
        missed={m.name: m.value if m.lowest is None else m.lowest for m in missed},
        measured=[mean.name for mean in means if mean.is_covered and not mean.is_open],
    )
    return SystemVerdict(means=tuple(means), waivers=uses, undecided=tuple(unsure))


def _why_open(papers: Sequence[Numbers], mean: SystemMean) -> str:
    """Why the judge leaves a mean undecided, in words; empty where it meets or surely misses."""
    name, metric = mean.name, metric_of(mean.name)
    if any(numbers.is_missing(name) for numbers in papers):
        return why_missing(name)
    unscored = ((n.paper, why) for n in papers if (why := n.why_unscored(metric)) is not None)
    silent = [(paper, why) for paper, why in unscored if why.fault == "judge"]
    if mean.passes or not is_covered(mean.named, mean.n_scored + len(silent), mean.n_papers):
        return ""
    if silent:
        paper, why = silent[0]
        return (
            f"{metric} is unscored on {len(silent)} of {len(papers)} papers, first {paper!r}:"
            f" {why.status}, {one_line(why.reason)}"
        )
    n_unanswered = sum(numbers.unanswered.get(name, 0) for numbers in papers)
    phrase = why_open(mean.threshold, mean.compared, n_unanswered)
    return f"mean {phrase}" if n_unanswered else ""


def mean_of(papers: Sequence[Numbers], threshold: Threshold) -> SystemMean:
    """The mean of one number over the papers that have it; a paper without it is no zero."""
    name = threshold.name
    n_scored, n_papers = coverage(papers, name)
    at_worst = [numbers.at_worst() for numbers in papers]
    is_short = coverage(at_worst, name)[0] > n_scored
    return SystemMean(
        name=name,
        value=mean_value(papers, name),
        least=threshold.least,
        n_scored=n_scored,
        n_papers=n_papers,
        lowest=mean_value(at_worst, name) if is_short else None,
        custom=threshold.custom,
    )


def mean_value(papers: Sequence[Numbers], name: str) -> float | None:
    """The mean of a number over the papers that have it; None if none has."""
    values = [numbers.values.get(name) for numbers in papers]
    counted = [value for value in values if value is not None]
    return rounded_mean(counted) if counted else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore:
    """The mean of a number over the papers of a system.

    An empty summary and a refusal count as the worst of the number's range, as in a gated run. A
    paper that the judge left unscored is left out.

    Attributes:
        value: The mean; None where a count, which has no worst value, is missing on a paper.
        low: The lower bound of the 95 % interval over resampled papers; None where there is none.
        n_scored: The papers with the number.
        n_papers: The papers that the number applies to.
    """

    system: str
    name: str
    value: float | None
    low: float | None
    high: float | None
    n_scored: int
    n_papers: int

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Name, mean, interval and papers, as a table shows them."""
        value = "unknown" if self.value is None else f"{self.value:.3f}"
        bounds = "" if self.low is None else f"[{self.low:.3f}, {self.high:.3f}]"
        return self.name, value, bounds, f"n={self.n_scored}/{self.n_papers}"

    def __str__(self) -> str:
        return " ".join(filter(None, self.cells))


def mean_scores(
    system: str, papers: Sequence[Numbers], names: Iterable[NumberSpec]
) -> Iterator[MeanScore]:
    """The means of one system over its papers, of the numbers that any paper has or should have.

    A metric that the judge left without any score has a mean of None.
    """
    from summeval_pytest.stats.intervals import mean_interval  # loads numpy

    at_worst = [paper.at_worst(["system"]) for paper in papers]
    for named in names:
        name, metric = named.name, metric_of(named.name)
        lacks = [each for each in (p.why_unscored(metric) for p in papers) if each is not None]
        is_owed = name == metric and any(not each.lacks_text for each in lacks)
        if not is_owed and not any(name in paper.values for paper in papers):
            continue
        applies = (p for p in at_worst if name in p.values or p.why_unscored(metric) is not None)
        values = [paper.values.get(name) for paper in applies]
        known = [v for v in values if v is not None]
        is_known = all(paper.values.get(name, 0.0) is not None for paper in at_worst)
        high = named.high if named.high < ENDLESS else math.inf
        interval = mean_interval(known if is_known else (), low=named.low, high=high)
        n_scored, n_papers = coverage(papers, name)
        yield MeanScore(
            system=system,
            name=name,
            value=mean_value(at_worst, name) if is_known else None,
            low=interval.low,
            high=interval.high,
            n_scored=n_scored,
            n_papers=n_papers,
        )


MIN_SLICE: Final = 5
"""The least papers of a slice that decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The papers with one value of a field, and what their means have to reach.

    Attributes:
        name: The field and its value, as in ``field=cs``.
    """

    name: str
    papers: tuple[str, ...]
    thresholds: tuple[Threshold, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceVerdict:
    """The means of one system over one slice.

    Attributes:
        n_papers: How many papers of the slice the system has.
        gaps: By metric, the mean of the slice, and how far it is below the mean of all papers.
        means: The means with thresholds, over the system's papers of the slice; none if the slice
            is too small.
        undecided: Decisions that are open because the judge gave no answer, a phrase each.
    """

    name: str
    n_papers: int
    gaps: tuple[tuple[str, float, float], ...] = ()
    means: tuple[SystemMean, ...] = ()
    undecided: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def is_small(self) -> bool:
        """Whether it has too few papers to decide anything."""
        return self.n_papers < MIN_SLICE and not self.means

    @property
    def missed(self) -> tuple[SystemMean, ...]:
        """The means that surely miss their thresholds."""
        return tuple(mean for mean in self.means if not mean.passes and not mean.is_open)


def slices_of(suite: Suite, thresholds: Thresholds) -> tuple[Slice, ...]:
    """The slices of a suite with their thresholds, all of them checked.

    Raises:
        SuiteError: for a threshold of a slice that is unknown or too small, and for one on a number
            that no other threshold has measured.
    """
    for name, settings in suite.slice_thresholds.items():
        place = settings[0].place
        if name not in suite.slices:
            near = nearest(name, suite.slices)
            raise SuiteError(place, f"[thresholds.slice] names {name!r}, which is no slice; {near}")
        if (n_papers := len(suite.slices[name])) < MIN_SLICE:
            few = f"slice {name!r} has {n_papers} of the {MIN_SLICE} papers that a threshold needs"
            raise SuiteError(place, f"{few}; add papers, or list its papers under must_pass")
        for each in settings:
            if (metric := metric_of(each.name)) not in thresholds.metrics:
                raise SuiteError(
                    each.place,
                    f"no threshold of pairs or means needs {metric!r}, so {each.name!r} of slice"
                    f" {name!r} is not measured; set {metric} under [thresholds.mean], too",
                )
    custom = custom_numbers(thresholds.metrics)
    limits = {
        name: read_thresholds({MEAN: suite.slice_thresholds.get(name, ())}, custom=custom).mean
        for name in suite.slices
    }
    return tuple(
        Slice(name=name, papers=papers, thresholds=limits[name])
        for name, papers in suite.slices.items()
    )


def slice_verdicts(papers: Sequence[Numbers], slices: Sequence[Slice]) -> Iterator[SliceVerdict]:
    """The means of one system over each slice."""
    of_all = {name: mean_value(papers, name) for name in METRICS} if slices else {}
    for each in slices:
        members = frozenset(each.papers)
        own = [numbers for numbers in papers if numbers.paper in members]
        is_small = len(each.papers) < MIN_SLICE
        limits = Thresholds(pair=(), mean=() if is_small else each.thresholds)
        verdict = system_verdict(own, limits, Waivers())
        few = f"the system has {len(own)} of its papers, and a threshold needs {MIN_SLICE}"
        too_few = [few] if verdict.means and len(own) < MIN_SLICE else []
        yield SliceVerdict(
            name=each.name,
            n_papers=len(own),
            gaps=tuple(
                (name, of_slice, mean - of_slice)
                for name, mean in of_all.items()
                if mean is not None and (of_slice := mean_value(own, name)) is not None
            ),
            means=verdict.means,
            undecided=tuple(
                f"slice {each.name}: {phrase}" for phrase in (*verdict.undecided, *too_few)
            ),
        )


def worst_slice(slices: Sequence[SliceVerdict]) -> tuple[SliceVerdict, str, float, float] | None:
    """The slice whose mean is farthest below that of all papers, and the metric with both means.

    None where no slice that is large enough is below.
    """
    large = [each for each in slices if not each.is_small]
    gaps = [(gap, each, name, mean) for each in large for name, mean, gap in each.gaps if gap > 0]
    if not gaps:
        return None
    gap, each, name, mean = max(gaps, key=itemgetter(0))
    return each, name, mean, mean + gap
