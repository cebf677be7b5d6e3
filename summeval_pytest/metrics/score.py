"""Scores of the three metrics with their evidence, and the table of all numbers.

Unscored is never 0 and never a pass: means say how many of how many they cover, and a verdict
treats what could not be scored by whose fault it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.questions import FACETS, SCALES, Facet, Fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


SPARSE: Final = MappingProxyType({"recorded": "where set"})
"""Marks a field that a run record has only where it is not the default: most runs need it not."""
UNRECORDED: Final = MappingProxyType({"recorded": "never"})
"""Marks a field that no run record has, and that makes no two scores differ."""


SUPPORT: Final = "faithfulness.support"
"""The number beside the rate that only a judge with strengths of belief gives."""
CONFLICTS: Final = "faithfulness.conflicts"
"""The number beside the rate that one wrong figure raises, however long the summary is."""


def mean_support(values: Iterable[float | None]) -> float | None:
    """The mean of a judge's strengths of belief; None where any item has none, or there is no item.

    A mean over some of the items would be that of those which a rule answered.
    """
    found = tuple(values)
    known = [value for value in found if value is not None]
    if not known or len(known) < len(found):
        return None
    return round(fsum(known) / len(known), _DIGITS)


def lacks_support(values: Mapping[str, float | None]) -> bool:
    """Whether a pair's numbers have a rate of supported sentences without the mean of support.

    Over several pairs, one that lacks it shows that the judge gives none: on the others a rule
    answered every sentence, and their mean is none of the judge's.
    """
    return "faithfulness" in values and SUPPORT not in values


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
        undecided: Whether the verdict rests on a conflict that the judge cannot decide.
        number_conflict: Whether it states a number that the source contradicts or does not state,
            whatever the verdict is.
    """

    index: int
    text: str
    supported: bool | None
    reason: str
    evidence: tuple[int, ...] = ()
    support: float | None = None
    by_rule: bool = False
    factual: bool | None = field(default=None, metadata=SPARSE)
    undecided: bool = field(default=False, metadata=SPARSE)
    number_conflict: bool = field(default=False, metadata=SPARSE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessScore:
    """Sentence faithfulness of one summary (FareBio, sections 3 and 4).

    Attributes:
        value: Supported sentences / answered sentences, 0 to 1, higher is better.
        sentences: Every judged sentence in order; fragments under five characters are left out.
        n_ungrounded: Evidence that the judge named or quoted and the source does not hold.
        n_unsupported_yes: Sentences called supported without any evidence.
        n_copied: Of the ungrounded quotations, those that stand in the summary instead.
        conflicts: How many sentences contradict or exceed the source in a number, 0 and up, lower
            is better; None in records of before that was counted.
    """

    value: float
    sentences: tuple[JudgedSentence, ...]
    n_ungrounded: int = 0
    n_unsupported_yes: int = 0
    n_copied: int = field(default=0, metadata=SPARSE)
    conflicts: int | None = field(default=None, metadata=SPARSE)
    metric: Literal["faithfulness"] = "faithfulness"

    @property
    def is_faithful(self) -> bool:
        """Whether every sentence is supported (FareBio's summary level)."""
        return all(sentence.supported for sentence in self.sentences)

    @property
    def support(self) -> float | None:
        """The sum of the answered sentences' support / their count, 0 to 1, higher is better.

        It keeps what the rate rounds away: how near each sentence came to the other verdict. A
        sentence copied from the source counts 1. None unless each of them has a support; a model
        with one vote gives none. Source: SummaC-ZS (Laban et al., TACL 2022), which takes the mean
        of its sentences' scores for a summary's; with experts it goes better than the rate does.
        """
        return mean_support(s.support for s in self.sentences if s.supported is not None)

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; the mean support only where the judge gives it."""
        named: dict[str, float | None] = {"faithfulness": self.value}
        if self.conflicts is not None:
            named[CONFLICTS] = float(self.conflicts)
        support = self.support
        if support is not None:
            named[SUPPORT] = support
        return MappingProxyType(named)


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


LOWEST: Final = 0.25
"""FM's floor over all subsets of facets: 1/4 where only method or result is left."""


ENDLESS: Final = 1e6
"""In place of the end of a count's range: no summary has so many sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One number: the metric it comes from and its range.

    A threshold on it is a lower bound. Where lower is better it is an upper bound; nothing but the
    methods here knows what follows from that.
    """

    name: str
    metric: MetricName
    low: float
    high: float
    meaning: str
    lower_is_better: bool = False

    @property
    def worst(self) -> float:
        """The worst that it can be."""
        return self.high if self.lower_is_better else self.low

    @property
    def best(self) -> float:
        """The best that it can be."""
        return self.low if self.lower_is_better else self.high

    @property
    def is_whole(self) -> bool:
        """Whether it is a rating or a count, and no share."""
        return self.high > 1.0

    @property
    def range(self) -> str:
        """Its range, for messages."""
        return f"from {self.low:g} " + ("up" if self.high == ENDLESS else f"to {self.high:g}")

    def oriented(self, value: float) -> float:
        """The number, or what is higher the better it is."""
        return 0.0 - value if self.lower_is_better else value

    def meets(self, value: float | None, bound: float) -> bool:
        """Whether a value is as good as a bound, or better; no value never is."""
        return value is not None and self.oriented(value) >= self.oriented(bound)

    def gap(self, value: float | None, bound: float) -> float:
        """How far a value is from a bound, 1 at most; 0 or less where it meets it.

        That is a share of the range. One more than a count may be is halfway to the worst.
        """
        value = self.worst if value is None else value
        gap = self.oriented(bound) - self.oriented(value)
        if self.high == ENDLESS:
            return gap / (1 + abs(gap))
        return gap / (self.high - self.low)


def _named() -> dict[str, Named]:
    numbers = [
        Named(name="facet", metric="facet", low=LOWEST, high=1.0, meaning="Facet-aware Metric"),
        *(
            Named(
                name=f"facet.{facet}",
                metric="facet",
                low=1.0,
                high=float(SCALES[facet]),
                meaning=f"rating of the {facet}",
            )
            for facet in FACETS
        ),
        Named(name="eva", metric="eva", low=0.0, high=1.0, meaning="EVA-Score, F1 over facts"),
        Named(name="eva.precision", metric="eva", low=0.0, high=1.0, meaning="supported facts"),
        Named(name="eva.recall", metric="eva", low=0.0, high=1.0, meaning="matched facts"),
        Named(
            name="eva.recall_entailed",
            metric="eva",
            low=0.0,
            high=1.0,
            meaning="reference facts that follow from the summary",
        ),
        Named(
            name="faithfulness",
            metric="faithfulness",
            low=0.0,
            high=1.0,
            meaning="supported sentences",
        ),
        Named(
            name=CONFLICTS,
            metric="faithfulness",
            low=0.0,
            high=ENDLESS,
            meaning="sentences that contradict or exceed the source in a number",
            lower_is_better=True,
        ),
        Named(
            name=SUPPORT,
            metric="faithfulness",
            low=0.0,
            high=1.0,
            meaning="mean support of the sentences",
        ),
    ]
    return {number.name: number for number in numbers}


CATALOGUE: Final[Mapping[str, Named]] = MappingProxyType(_named())
"""By the names that suites and `--summ-min` use, grouped by metric."""

assert {named.metric for named in CATALOGUE.values()} == set(METRICS)
