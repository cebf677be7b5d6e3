"""The numbers of one pair without their evidence, small enough to keep for a whole run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from summeval_pytest.evaluation.worst import supposed
from summeval_pytest.metrics import CATALOGUE, EvaScore, FaithfulnessScore, Unscored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.metrics import Fault, MetricName, Score


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
            ``sentences`` is the denominator of faithfulness, ``unanswered`` the sentences that are
            not in it.
        worst: Of the numbers with pieces that the judge left unanswered, what they would be if each
            of these were wrong.
        best: The same if each of these were right.
    """

    paper: str
    system: str
    values: Mapping[str, float | None]
    unscored: tuple[Unscored, ...]
    sizes: Mapping[str, int]
    worst: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    best: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def lacking(self, metric: MetricName) -> Unscored | None:
        """Why a metric has no score; None where it has one."""
        return next((lack for lack in self.unscored if lack.metric == metric), None)

    def supposed(self, *, right: bool = False, by: Fault | None = None) -> Numbers:
        """The same with what is missing taken as wrong, or as right.

        That is the pieces that the judge left unanswered, and the best or worst of its range for
        every number without a value.

        Args:
            right: Whether it is taken as right.
            by: Whose silence is meant: the judge's, or that of a system which gave nothing to
                count; None for both.
        """
        values, sizes = dict(self.values), dict(self.sizes)
        n_open = sizes.pop("unanswered", 0) if by != "system" else 0
        if by != "system":
            values |= self.best if right else self.worst
        if n_open:
            sizes["sentences"] += n_open
            sizes["faithfulness"] += n_open if right else 0
        missing = {name for name, value in values.items() if value is None and by != "judge"}
        lacking = {lack.metric for lack in self.unscored if by in {None, lack.fault}}
        missing |= {name for name, named in CATALOGUE.items() if named.metric in lacking}
        values |= {n: CATALOGUE[n].best if right else CATALOGUE[n].worst for n in missing}
        return replace(self, values=MappingProxyType(values), sizes=MappingProxyType(sizes))


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
                if n_open := len(score.sentences) - sizes["sentences"]:
                    sizes["unanswered"] = n_open
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
        worst=MappingProxyType(supposed(scores, right=False)),
        best=MappingProxyType(supposed(scores, right=True)),
    )
