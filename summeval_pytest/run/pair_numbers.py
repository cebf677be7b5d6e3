"""The numbers of one pair, and how far they move with what the judge left unanswered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

from summeval_pytest.metrics.catalogue import Score, catalogue_of, metric_of
from summeval_pytest.metrics.number import (
    UNRECORDED,
    CustomNumbers,
    Fault,
    MetricName,
    Named,
    Unscored,
)

Absence = Literal["not_applicable", "not_given"]
MIN_COVERAGE: Final = 0.95
"""A mean over a smaller share of the papers it should cover is a failing verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers of one pair, by the names that thresholds use; small enough to keep for all.

    Attributes:
        values: Every number of the scored metrics.
        unscored: The metrics without a score.
        sizes: How much the summary says: its words, and by number how many of its pieces are right.
            ``sentences`` is the denominator of faithfulness, ``unanswered`` the sentences that are
            not in it. No threshold uses them.
        worst: The numbers that unanswered pieces would change, if each piece were wrong.
        best: The same if each piece were right.
        absent: The numbers of scored metrics without a value: they do not apply to this pair, or
            this judge or these options do not give them.
    """

    paper: str
    system: str
    values: Mapping[str, float | None]
    unscored: tuple[Unscored, ...]
    sizes: Mapping[str, int]
    worst: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    best: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    absent: Mapping[str, Absence] = field(default_factory=lambda: MappingProxyType({}))
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    @property
    def catalogue(self) -> Mapping[str, Named]:
        """All numbers that the pair may have, by name."""
        return catalogue_of(self.custom)

    def why_unscored(self, metric: MetricName) -> Unscored | None:
        """Why a metric has no score; None where it has one, or was not measured."""
        return next((each for each in self.unscored if each.metric == metric), None)

    def is_missing(self, name: str) -> bool:
        """Whether a number applies to this pair, and nobody gave it or said why not."""
        is_there = name in self.values or self.absent.get(name) == "not_applicable"
        return not is_there and self.why_unscored(metric_of(name)) is None

    def assuming(self, *, right: bool = False, by: Fault | None = None) -> Numbers:
        """These numbers with everything missing taken as wrong, or as right.

        Unanswered pieces become wrong or right. A number without a value gets the worst or best of
        its range; a count has no worst value and stays without one. ``by`` limits this to what the
        judge left out, or to what the system gave nothing to count for.
        """
        values, sizes = dict(self.values), dict(self.sizes)
        n_open = sizes.pop("unanswered", 0) if by != "system" else 0
        if by != "system":
            values |= self.best if right else self.worst
        if n_open:
            sizes["sentences"] += n_open
            sizes["faithfulness"] += n_open if right else 0
        missing = {name for name, value in values.items() if value is None and by != "judge"}
        silent = {each.metric for each in self.unscored if by in {None, each.fault}}
        known = self.catalogue
        missing |= {name for name, named in known.items() if named.metric in silent}
        values |= {n: known[n].best if right else known[n].worst for n in missing}
        if values == self.values and sizes == self.sizes:
            return self  # most pairs miss nothing, and a comparison keeps all of a system
        return replace(self, values=MappingProxyType(values), sizes=MappingProxyType(sizes))


def numbers_of(
    paper: str,
    system: str,
    summary: str,
    scores: Sequence[Score | Unscored],
    custom: CustomNumbers = (),
) -> Numbers:
    """The numbers of a pair without their evidence."""
    values: dict[str, float | None] = {}
    sizes = {"words": len(summary.split())}
    worst: dict[str, float] = {}
    best: dict[str, float] = {}
    absent: dict[str, Absence] = {}
    for score in scores:
        if not isinstance(score, Unscored):
            values |= score.values()
            sizes |= score.sizes()
            worst |= score.bounds(right=False)
            best |= score.bounds(right=True)
            for name, named in catalogue_of(custom).items():
                if named.metric == score.metric and name not in score.values():
                    is_left_out = name in score.not_given
                    absent[name] = "not_given" if is_left_out else "not_applicable"
    return Numbers(
        paper=paper,
        system=system,
        values=MappingProxyType(values),
        unscored=tuple(score for score in scores if isinstance(score, Unscored)),
        sizes=MappingProxyType(sizes),
        worst=MappingProxyType(worst),
        best=MappingProxyType(best),
        absent=MappingProxyType(absent),
        custom=custom,
    )


def is_covered(named: Named, n_scored: int, n_papers: int) -> bool:
    """Whether a mean covers enough of its papers.

    The mean of a count has to cover all: no value can replace a missing one.
    """
    least = 1.0 if named.worst is None else MIN_COVERAGE
    return n_scored >= least * n_papers


def coverage(papers: Sequence[Numbers], name: str) -> tuple[int, int]:
    """On how many papers a number is scored, and on how many it applies."""
    n_scored = sum(p.values.get(name) is not None for p in papers)
    n_stated = sum(name in p.values for p in papers)
    n_unscored = sum(p.why_unscored(metric_of(name)) is not None for p in papers)
    return n_scored, n_stated + n_unscored
