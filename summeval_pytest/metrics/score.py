"""What a measurement ends in: a score with its evidence, or no score and the reason.

Unscored is never 0 and never a pass: means say how many of how many they cover, and a verdict
treats what could not be scored by whose fault it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.questions import SCALES, Facet, Fact

if TYPE_CHECKING:
    from collections.abc import Mapping

MetricName = Literal["facet", "eva", "faithfulness"]
METRICS: Final[tuple[MetricName, ...]] = ("facet", "eva", "faithfulness")
"""The three metrics, by the names that suites use."""

Status = Literal["skipped_no_reference", "degenerate_candidate", "refused_candidate", "unanswered"]
Fault = Literal["judge", "system"]

SPARSE: Final = MappingProxyType({"sparse": True})
"""Marks a field that a run record leaves out where it has its default, as most records do."""

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
    """

    facet: Facet
    rating: int
    reason: str
    reference: str
    candidate: str
    by_rule: bool = False
    calibrated: float | None = None

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
    """

    value: float
    ratings: tuple[RatedFacet, ...] = ()
    removed: tuple[Facet, ...] = ()
    ungrounded: tuple[str, ...] = ()
    coverage: float = 1.0
    identical: bool = False
    metric: Literal["facet"] = "facet"

    @property
    def rescaled(self) -> float | None:
        """Mean over the rated facets of (rating - 1) / (scale - 1), 0 to 1; None without any."""
        if self.identical:
            return 1.0
        if not self.ratings:
            return None
        shares = [(rated.value - 1) / (SCALES[rated.facet] - 1) for rated in self.ratings]
        return sum(shares) / len(shares)

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; a facet that the reference lacks is absent.

        A summary that is its reference has the full rating of every facet, though none was asked.
        """
        named: dict[str, float | None] = {"facet": self.value}
        if self.identical:
            named.update({f"facet.{facet}": float(scale) for facet, scale in SCALES.items()})
        named.update({f"facet.{rated.facet}": float(rated.value) for rated in self.ratings})
        return MappingProxyType(named)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFact:
    """One fact and what became of it; ``holds`` is None where the judge gave no answer.

    ``evidence`` are the texts on the other side that carry it.
    """

    fact: Fact
    holds: bool | None
    reason: str
    evidence: tuple[str, ...] = ()
    support: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaScore:
    """EVA-Score of one summary (EVA-Score, section 3, with metrics.md EV1 to EV5).

    Attributes:
        value: F1 of precision and matched recall, 0 to 1, higher is better.
        precision: Share of the summary's facts that follow from the reference; None without facts.
        recall: Share of the reference's facts that an entailed fact of the summary matched.
        recall_entailed: Share of the reference's facts that follow from the summary; None where
            that was not asked.
        candidate: The summary's facts, checked against the reference.
        reference: The reference's facts, checked against the summary.
        matched: Indices, in ``reference``, of the matched facts.
    """

    value: float
    precision: float | None
    recall: float
    recall_entailed: float | None
    candidate: tuple[CheckedFact, ...] = ()
    reference: tuple[CheckedFact, ...] = ()
    matched: frozenset[int] = frozenset()
    identical: bool = False
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSentence:
    """One sentence of a summary and whether the source supports it.

    Attributes:
        index: 0-based place among the summary's sentences.
        text: The sentence.
        supported: None where the judge gave no answer.
        reason: The judge's reason, or the rule that decided without it.
        evidence: Indices (0-based, over the sections in order) of the deciding source sentences.
        support: The judge's strength of belief, 0 to 1, where it has one.
        by_rule: Whether the verdict followed without a question (verbatim in the source).
        factual: Whether an unsupported sentence is true all the same by general knowledge, as the
            judge believes; None where it was not asked.
    """

    index: int
    text: str
    supported: bool | None
    reason: str
    evidence: tuple[int, ...] = ()
    support: float | None = None
    by_rule: bool = False
    factual: bool | None = field(default=None, metadata=SPARSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessScore:
    """Sentence faithfulness of one summary (FareBio, sections 3 and 4).

    Attributes:
        value: Supported sentences / answered sentences, 0 to 1, higher is better.
        sentences: Every judged sentence in order; fragments under five characters are left out.
        n_ungrounded: Evidence that the judge named or quoted and the source does not hold.
        n_unsupported_yes: Sentences called supported without any evidence.
        n_copied: Of the ungrounded quotations, those that stand in the summary instead.
    """

    value: float
    sentences: tuple[JudgedSentence, ...]
    n_ungrounded: int = 0
    n_unsupported_yes: int = 0
    n_copied: int = field(default=0, metadata=SPARSE)
    metric: Literal["faithfulness"] = "faithfulness"

    @property
    def is_faithful(self) -> bool:
        """Whether every sentence is supported (FareBio's summary level)."""
        return all(sentence.supported for sentence in self.sentences)

    @property
    def hallucination_ratio(self) -> float:
        """Unsupported sentences / answered sentences, 0 to 1, lower is better: 1 - the rate."""
        return 1.0 - self.value

    @property
    def factual_ratio(self) -> float | None:
        """Of the hallucination ratio, the part that is true by general knowledge all the same.

        None where the judge did not say so of every unsupported sentence.
        """
        return self._part(factual=True)

    @property
    def nonfactual_ratio(self) -> float | None:
        """Of the hallucination ratio, the other part; None where the factual one is."""
        return self._part(factual=False)

    def _part(self, *, factual: bool) -> float | None:
        said = [s.factual for s in self.sentences if s.supported is False]
        if None in said:
            return None
        return said.count(factual) / sum(s.supported is not None for s in self.sentences)

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name."""
        return MappingProxyType({"faithfulness": self.value})


Score = FacetScore | EvaScore | FaithfulnessScore
