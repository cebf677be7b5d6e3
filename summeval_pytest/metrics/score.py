"""What a measurement ends in: a score with its evidence, or no score and the reason.

Unscored is never 0 and never a pass: means say how many of how many they cover, and a verdict
treats what could not be scored by whose fault it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics.recorded import SPARSE, UNRECORDED
from summeval_pytest.metrics.sentence_score import FaithfulnessScore
from summeval_pytest.questions import SCALES, Facet, Fact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MetricName = Literal["facet", "eva", "faithfulness"]
METRICS: Final[tuple[MetricName, ...]] = ("facet", "eva", "faithfulness")
"""The three metrics, by the names that suites use."""

Status = Literal["skipped_no_reference", "degenerate_candidate", "refused_candidate", "unanswered"]
Fault = Literal["judge", "system"]

_DIGITS: Final = 12
"""As FM is rounded: the mean of two .45 is not under .45."""
_SYSTEM_STATUSES: Final = frozenset({"degenerate_candidate", "refused_candidate"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unscored:
    """No number, and why (metrics.md, section 1.0)."""

    metric: MetricName
    status: Status
    reason: str

    @property
    def fault(self) -> Fault:
        """Whose fault it is: an empty or refused summary is the system's, the rest the judge's."""
        return "system" if self.status in _SYSTEM_STATUSES else "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedFacet:
    """One facet that the reference has, rated.

    Attributes:
        facet: Which facet.
        rating: From 1 to the facet's scale.
        reason: The judge's reason, or the rule that decided without it.
        reference: The reference's words.
        candidate: The summary's words; empty where it does not state the facet.
        by_rule: Whether the rating followed without a question (empty facet: 1).
        calibrated: What people would have rated, where golden labels say so; counts in its place.
        confidence: The judge's probability, 0 to 1, that a person gives the same rating.
        undecided: Whether it rests on a conflict that the judge cannot decide.
    """

    facet: Facet
    rating: int
    reason: str
    reference: str
    candidate: str
    by_rule: bool = False
    calibrated: float | None = None
    confidence: float | None = field(default=None, metadata=SPARSE)
    undecided: bool = field(default=False, metadata=SPARSE)

    @property
    def value(self) -> float:
        """The rating that counts, 1 to the facet's scale."""
        return self.rating if self.calibrated is None else self.calibrated

    @property
    def share(self) -> float:
        """The rating as a share of its scale, as FM adds it up."""
        return self.value / SCALES[self.facet]


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetScore:
    """The Facet-aware Metric of one summary (FM, section 3.2).

    Attributes:
        value: FM, 0.25 to 1, higher is better; 0.283 is the floor with all four facets present.
        ratings: The facets present in the reference, in reading order; none where the summary is
            its reference.
        removed: Facets that the reference does not state.
        ungrounded: Segments that the judge returned and their text, the reference's or the
            summary's, does not contain.
        coverage: Share of the summary's letters and digits that its segments hold, 0 to 1.
        identical: Whether the summary is its reference, so that nothing was asked.
        by_reference: The scores against each of several references, where these are averaged
            (`references.averaged`); all else but ``value`` is then of the lowest of them.
    """

    value: float
    ratings: tuple[RatedFacet, ...] = ()
    removed: tuple[Facet, ...] = ()
    ungrounded: tuple[str, ...] = ()
    coverage: float = 1.0
    identical: bool = False
    by_reference: tuple[FacetScore, ...] = field(default=(), metadata=SPARSE)
    metric: Literal["facet"] = "facet"

    @property
    def rescaled(self) -> float | None:
        """Mean over the rated facets of (rating - 1) / (scale - 1), 0 to 1; None without any.

        Over several references the mean of theirs.
        """
        if self.by_reference:
            each = [score.rescaled for score in self.by_reference]
            found = [value for value in each if value is not None]
            return fsum(found) / len(found) if found else None
        if self.identical:
            return 1.0
        if not self.ratings:
            return None
        shares = [(rated.value - 1) / (SCALES[rated.facet] - 1) for rated in self.ratings]
        return sum(shares) / len(shares)

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; a facet that the reference lacks is absent.

        A summary that is its reference has the full rating of every facet, though none was asked.
        Over several references each number is the mean over those that have it.
        """
        if self.by_reference:
            return mean_values(self.by_reference)
        named: dict[str, float | None] = {"facet": self.value}
        if self.identical:
            named.update({f"facet.{facet}": float(scale) for facet, scale in SCALES.items()})
        named.update({f"facet.{rated.facet}": float(rated.value) for rated in self.ratings})
        return MappingProxyType(named)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFact:
    """One fact and what became of it; ``holds`` is None where the judge gave no usable answer.

    ``evidence`` are the texts on the other side that carry it; ``undecided`` says that the verdict
    rests on a conflict that the judge cannot decide.
    """

    fact: Fact
    holds: bool | None
    reason: str
    evidence: tuple[str, ...] = ()
    support: float | None = None
    undecided: bool = field(default=False, metadata=SPARSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCounts:
    """How much one text states, before and after each stage of EVA-Score.

    Attributes:
        n_sentences: Its sentences.
        n_listed: The facts that were listed, or reviewed.
        n_facts: Those of them that differ.
        n_chains: The chains that these make; a fact that no other refines is one of its own.
        n_relations: The relations across sentences that were found; 0 where nobody was asked.
        n_kept_relations: Those of them that no fact comes near to; with ``n_facts`` they make N_c
            or N_r, with ``n_chains`` the paper's count of chains (Table 4).
    """

    n_sentences: int
    n_listed: int
    n_facts: int
    n_chains: int
    n_relations: int = 0
    n_kept_relations: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaCounts:
    """The counts of both texts of one EVA-Score."""

    reference: StageCounts
    candidate: StageCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaScore:
    """EVA-Score of one summary (EVA-Score, section 3, with metrics.md EV1 to EV5).

    Attributes:
        value: F1 of precision and matched recall, 0 to 1, higher is better.
        precision: Share of the summary's facts that follow from the reference; None without facts.
        recall: Share of the reference's facts that an entailed fact of the summary matched.
        recall_entailed: Share of the reference's facts that follow from the summary; None where
            that was not asked.
        candidate: The summary's facts, checked against the reference; unusable ones, which are
            unanswered and match nothing, stand last.
        reference: The reference's facts, checked against the summary, likewise.
        matched: Indices, in ``reference``, of the matched facts.
        counts: How many facts there were before and after each stage; None where nothing was
            asked. No run record has them.
        by_reference: The scores against each of several references, where these are averaged
            (`references.averaged`); facts, matches and counts are then of the lowest of them.
    """

    value: float
    precision: float | None
    recall: float
    recall_entailed: float | None
    candidate: tuple[CheckedFact, ...] = ()
    reference: tuple[CheckedFact, ...] = ()
    matched: frozenset[int] = frozenset()
    identical: bool = False
    counts: EvaCounts | None = field(default=None, compare=False, metadata=UNRECORDED)
    by_reference: tuple[EvaScore, ...] = field(default=(), metadata=SPARSE)
    metric: Literal["eva"] = "eva"

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; precision is None where the summary has no fact."""
        named: dict[str, float | None] = {
            "eva": self.value,
            "eva.precision": self.precision,
            "eva.recall": self.recall,
        }
        if self.recall_entailed is not None:
            named["eva.recall_entailed"] = self.recall_entailed
        return MappingProxyType(named)


Score = FacetScore | EvaScore | FaithfulnessScore


def mean_values(scores: Sequence[FacetScore] | Sequence[EvaScore]) -> Mapping[str, float | None]:
    """Each number's mean over the scores that have it; None where none of them does."""
    named: dict[str, list[float]] = {}
    for score in scores:
        for name, value in score.values().items():
            named.setdefault(name, []).extend(() if value is None else (value,))
    return MappingProxyType(
        {
            name: round(fsum(found) / len(found), _DIGITS) if found else None
            for name, found in named.items()
        }
    )
