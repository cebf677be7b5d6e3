"""Slices: groups of papers whose means must not hide behind the mean of all papers.

A slice of fewer than `MIN_SLICE` papers is named and never decides; it can have no threshold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from summeval_pytest.errors import SuiteError, nearest
from summeval_pytest.metrics.catalogue import METRICS, metric_of
from summeval_pytest.metrics.number import SPARSE
from summeval_pytest.metrics.own import custom_numbers
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.suite.suite import Suite
from summeval_pytest.verdict.means import SystemMean, mean_value, system_verdict
from summeval_pytest.verdict.thresholds import MEAN, Threshold, Thresholds, Waivers, read_thresholds

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
