"""The numbers of one pair without their evidence, small enough to keep for a whole run."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.evaluation.worst import worst_of
from summeval_pytest.metrics import EvaScore, FaithfulnessScore, Unscored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.metrics import MetricName, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers of one pair, by the names that thresholds use; small enough to keep for all.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        values: Every number of the scored metrics.
        unscored: The metrics without a score.
        sizes: How much the summary says, which no threshold holds: its words, and, by number, how
            many of its pieces are right (the numerators of EVA precision and of faithfulness);
            ``sentences`` is the denominator of faithfulness.
        worst: Of the numbers with pieces that the judge left unanswered, what they would be if each
            of these were wrong.
    """

    paper: str
    system: str
    values: Mapping[str, float | None]
    unscored: tuple[Unscored, ...]
    sizes: Mapping[str, int]
    worst: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def lacking(self, metric: MetricName) -> Unscored | None:
        """Why a metric has no score; None where it has one."""
        return next((lack for lack in self.unscored if lack.metric == metric), None)


def numbers_of(
    paper: str, system: str, summary: str, scores: Sequence[Score | Unscored]
) -> Numbers:
    """The numbers of a pair without their evidence."""
    values: dict[str, float | None] = {}
    sizes = {"words": len(summary.split())}
    for score in scores:
        match score:
            case EvaScore():
                sizes["eva.precision"] = sum(fact.holds is True for fact in score.candidate)
            case FaithfulnessScore():
                sizes["faithfulness"] = sum(s.supported is True for s in score.sentences)
                sizes["sentences"] = sum(s.supported is not None for s in score.sentences)
            case _:
                pass
        if not isinstance(score, Unscored):
            values.update(score.values())
    return Numbers(
        paper=paper,
        system=system,
        values=MappingProxyType(values),
        unscored=tuple(score for score in scores if isinstance(score, Unscored)),
        sizes=MappingProxyType(sizes),
        worst=MappingProxyType(worst_of(scores)),
    )
