"""The numbers of one pair, and how many unanswered items each of them counts as wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

from summeval_pytest.metrics.catalogue import Score, catalogue_of, metric_of
from summeval_pytest.metrics.number import (
    UNRECORDED,
    CustomNumbers,
    Fault,
    MetricName,
    NumberSpec,
    Unscored,
)

Absence = Literal["not_applicable", "not_given"]
MIN_COVERAGE: Final = 0.95
"""A mean over a smaller share of the papers it should cover is a failing verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers of one pair, by the names that thresholds use; small enough to keep for all.

    Attributes:
        values: Every number of the scored metrics. An item without an answer counts as wrong.
        unscored: The metrics without a score.
        unanswered: The numbers with such items, and how many; empty for nearly every pair.
        absent: The numbers of scored metrics without a value: they do not apply to this pair, or
            this judge or these options do not give them.
        fault: Why the whole pair broke down; empty where it did not.
    """

    paper: str
    system: str
    values: Mapping[str, float | None]
    unscored: tuple[Unscored, ...]
    unanswered: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    absent: Mapping[str, Absence] = field(default_factory=lambda: MappingProxyType({}))
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)
    fault: str = ""

    @property
    def catalogue(self) -> Mapping[str, NumberSpec]:
        """All numbers that the pair may have, by name."""
        return catalogue_of(self.custom)

    def why_unscored(self, metric: MetricName) -> Unscored | None:
        """Why a metric has no score; None where it has one, or was not measured."""
        return next((each for each in self.unscored if each.metric == metric), None)

    def is_missing(self, name: str) -> bool:
        """Whether a number applies to this pair, and nobody gave it or said why not."""
        is_there = name in self.values or self.absent.get(name) == "not_applicable"
        return not is_there and self.why_unscored(metric_of(name)) is None

    def is_silent(self, metric: MetricName) -> bool:
        """Whether the judge left a metric without a score."""
        return any(each.metric == metric and each.fault == "judge" for each in self.unscored)

    def at_worst(self, faults: Collection[Fault] = ("system", "judge")) -> Numbers:
        """These numbers with the worst of its range for each number that has no value.

        Of the metrics without a score, only those by these faults get values. A count has no worst
        value and stays without one.
        """
        lost = {each.metric for each in self.unscored if each.fault in faults}
        values = dict(self.values)
        for name, named in self.catalogue.items():
            if named.metric in lost or values.get(name, 0.0) is None:
                values[name] = named.worst
        if values == self.values:
            return self  # most pairs miss nothing, and a comparison keeps all of a system
        return replace(self, values=MappingProxyType(values))


def numbers_of(
    paper: str,
    system: str,
    scores: Sequence[Score | Unscored],
    custom: CustomNumbers = (),
) -> Numbers:
    """The numbers of a pair without their evidence."""
    values: dict[str, float | None] = {}
    unanswered: dict[str, int] = {}
    absent: dict[str, Absence] = {}
    for score in scores:
        if not isinstance(score, Unscored):
            values |= score.values()
            unanswered |= score.unanswered()
            for name, named in catalogue_of(custom).items():
                if named.metric == score.metric and name not in score.values():
                    absent[name] = "not_given" if score.applies(name) else "not_applicable"
    return Numbers(
        paper=paper,
        system=system,
        values=MappingProxyType(values),
        unscored=tuple(score for score in scores if isinstance(score, Unscored)),
        unanswered=MappingProxyType(unanswered),
        absent=MappingProxyType(absent),
        custom=custom,
    )


def is_covered(named: NumberSpec, n_scored: int, n_papers: int) -> bool:
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
