"""The numbers of one pair, and how far they move with what the judge left unanswered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics.eva import f1
from summeval_pytest.metrics.score import (
    CATALOGUE,
    CONFLICTS,
    COVERAGE,
    SUPPORT,
    EvaScore,
    FaithfulnessScore,
    OwnScore,
    Unscored,
    rounded_mean,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.metrics.score import Fault, MetricName, Score


Absence = Literal["not_applicable", "not_given"]
_GIVEN_BY_SOME: Final = frozenset({COVERAGE, CONFLICTS, SUPPORT, "eva.recall_entailed"})
"""Numbers that apply to every summary, and that only some judges, options or versions give."""
MIN_COVERAGE: Final = 0.95
"""A mean over a smaller share of the papers it should cover is a failing verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers of one pair, by the names that thresholds use; small enough to keep for all.

    Attributes:
        values: Every number of the scored metrics.
        unscored: The metrics without a score.
        sizes: How much the summary says, which no threshold holds: its words, and, by number, how
            many of its pieces are right (the numerators of EVA precision and of faithfulness);
            ``sentences`` is the denominator of faithfulness, ``unanswered`` the sentences that are
            not in it.
        worst: The numbers with pieces that the judge left unanswered, if each of these were wrong.
        best: The same if each of these were right.
        absent: The numbers of scored metrics that have no value, and whether they do not apply to
            this pair or were not given: by this judge, or with these options.
    """

    paper: str
    system: str
    values: Mapping[str, float | None]
    unscored: tuple[Unscored, ...]
    sizes: Mapping[str, int]
    worst: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    best: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    absent: Mapping[str, Absence] = field(default_factory=lambda: MappingProxyType({}))

    def why_unscored(self, metric: MetricName) -> Unscored | None:
        """Why a metric has no score; None where it has one, or was not measured."""
        return next((each for each in self.unscored if each.metric == metric), None)

    def is_missing(self, name: str) -> bool:
        """Whether a number applies to this pair, and nobody gave it or said why not."""
        is_there = name in self.values or self.absent.get(name) == "not_applicable"
        return not is_there and self.why_unscored(CATALOGUE[name].metric) is None

    def assuming(self, *, right: bool = False, by: Fault | None = None) -> Numbers:
        """The same with what is missing taken as wrong, or as right.

        That is the pieces that the judge left unanswered, and the worst or best of its range for
        every number without a value. A count has no worst value and stays without one. ``by`` says
        whose silence is meant: the judge's, or that of a system which gave nothing to count; None
        for both.
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
        missing |= {name for name, named in CATALOGUE.items() if named.metric in silent}
        values |= {n: CATALOGUE[n].best if right else CATALOGUE[n].worst for n in missing}
        if values == self.values and sizes == self.sizes:
            return self  # most pairs miss nothing, and a comparison holds all of a system
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
        worst=MappingProxyType(bounds(scores, right=False)),
        best=MappingProxyType(bounds(scores, right=True)),
        absent=MappingProxyType(_absent(scores)),
    )


def bounds(scores: Sequence[Score | Unscored], *, right: bool) -> dict[str, float]:
    """By name, the numbers with unanswered pieces, each of these taken as right or as wrong."""
    found: dict[str, float] = {}
    for score in scores:
        match score:
            case EvaScore(by_reference=(_, *_) as each):
                found |= _mean_bounds(each, right=right)
            case FaithfulnessScore():
                found |= _faithfulness(score, right=right)
            case EvaScore():
                found |= _eva(score, right=right)
            case _:
                pass
    return found


def _mean_bounds(scores: Sequence[EvaScore], *, right: bool) -> dict[str, float]:
    """Means over several references; a reference without unanswered pieces keeps its numbers."""
    found = [bounds([score], right=right) for score in scores]
    means: dict[str, float] = {}
    for name in dict.fromkeys(name for each in found for name in each):
        values = [
            value
            for score, each in zip(scores, found, strict=True)
            if (value := each.get(name, score.values().get(name))) is not None
        ]
        means[name] = rounded_mean(values)
    return means


def _eva(score: EvaScore, *, right: bool) -> Mapping[str, float]:
    """Precision, both recalls and F1.

    A wrong fact matches nothing. A right one of the summary matches a fact of the reference that no
    other does.
    """
    candidate = [fact.holds for fact in score.candidate]
    reference = [fact.holds for fact in score.reference]
    n_open, n_open_reference = candidate.count(None), reference.count(None)
    if not n_open and not n_open_reference:
        return {}
    found = _share_bound("eva.precision", candidate, right=right)
    if score.recall_entailed is not None:
        found |= _share_bound("eva.recall_entailed", reference, right=right)
    recall = score.recall
    if reference:
        n_more = n_open + n_open_reference if right else 0
        n_matched = min(len(reference), len(score.matched) + n_more)
        reached = n_matched / len(reference)
        recall = max(recall, reached) if right else min(recall, reached)
    if recall != score.recall:
        found["eva.recall"] = recall
    precision = found.get("eva.precision", score.precision or 0.0)
    if "eva.precision" in found or "eva.recall" in found:
        found["eva"] = f1(precision, recall)
    return found


def _faithfulness(score: FaithfulnessScore, *, right: bool) -> dict[str, float]:
    """Supported sentences; support with 0 or 1, and a conflict if wrong, for each open sentence.

    A sentence that the judge would support is no conflict.
    """
    held = [sentence.supported for sentence in score.sentences]
    found = _share_bound("faithfulness", held, right=right)
    n_open = held.count(None)
    if score.support is not None and n_open:
        total = score.support * (len(held) - n_open) + (n_open if right else 0)
        found[SUPPORT] = total / len(held)
    n_in_conflict = sum(s.supported is None and s.number_conflict for s in score.sentences)
    n_more = -n_in_conflict if right else n_open - n_in_conflict
    if score.conflicts is not None and n_more:
        found[CONFLICTS] = float(score.conflicts + n_more)
    return found


def _share_bound(name: str, pieces: Sequence[bool | None], *, right: bool) -> dict[str, float]:
    if None not in pieces:
        return {}
    return {name: sum(right if piece is None else piece for piece in pieces) / len(pieces)}


def _absent(scores: Sequence[Score | Unscored]) -> dict[str, Absence]:
    """Every number of the scored metrics without a value, and why."""
    found: dict[str, Absence] = {}
    for score in scores:
        if isinstance(score, Unscored):
            continue
        optional = score.left_out if isinstance(score, OwnScore) else _GIVEN_BY_SOME
        for name, named in CATALOGUE.items():
            if named.metric == score.metric and name not in score.values():
                found[name] = "not_given" if name in optional else "not_applicable"
    return found


def is_covered(name: str, n_scored: int, n_papers: int) -> bool:
    """Whether a mean covers enough of the papers that it should.

    The mean of a count has to cover all of them: no value can stand for a missing one.
    """
    least = 1.0 if CATALOGUE[name].worst is None else MIN_COVERAGE
    return n_scored >= least * n_papers


def coverage(papers: Sequence[Numbers], name: str) -> tuple[int, int]:
    """On how many papers a number is scored, and on how many it should be: where it applies."""
    n_scored = sum(p.values.get(name) is not None for p in papers)
    n_stated = sum(name in p.values for p in papers)
    n_unscored = sum(p.why_unscored(CATALOGUE[name].metric) is not None for p in papers)
    return n_scored, n_stated + n_unscored
