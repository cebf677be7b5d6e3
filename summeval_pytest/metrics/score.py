"""Scores of the three metrics with their evidence, and the table of all numbers.

Unscored is never 0 and never a pass: a mean says how many of how many it covers, and a verdict
looks at whose fault a missing score is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003 - run records read it
from dataclasses import dataclass, field, replace
from math import fsum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.questions import SCALES, Facet, Fact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


SPARSE: Final = MappingProxyType({"recorded": "where set"})
"""Marks a field that a run record holds only where it differs from its default."""
UNRECORDED: Final = MappingProxyType({"recorded": "never"})
"""Marks a field that no run record holds; give it ``compare=False``, too."""

MetricName = str
"""A metric by the name that suites use: one of `METRICS`, or one of one's own (`metrics.own`)."""
METRICS: Final[tuple[MetricName, ...]] = ("facet", "eva", "faithfulness")
"""The three metrics that a judge answers for."""
SUPPORT: Final = "faithfulness.support"
"""The mean support of the sentences; only a judge with strengths of belief gives it."""
COVERAGE: Final = "facet.coverage"
"""How much of the reference's key information a summary gives; only some judges say it."""
OPTIONAL: Final[Mapping[str, MetricName]] = MappingProxyType(
    {COVERAGE: "facet", SUPPORT: "faithfulness"}
)
"""Numbers that only some judges give, and the metrics they belong to."""
CONFLICTS: Final = "faithfulness.conflicts"
"""The number of sentences with a wrong figure, however long the summary is."""

DIGITS: Final = 12
"""Rounds off the last bits of a score, so that it meets a threshold that it equals."""


def rounded_mean(values: Collection[float]) -> float:
    """The mean of scores, rounded: the mean of two .45 must not be under .45."""
    return round(fsum(values) / len(values), DIGITS)


def mean_support(values: Iterable[float | None]) -> float | None:
    """The mean of a judge's strengths of belief; None unless each item has one.

    A mean over some of the items would be that of those which a rule answered.
    """
    known = tuple(values)
    if not known or None in known:
        return None
    return rounded_mean([value for value in known if value is not None])


def lacks(values: Mapping[str, float | None], name: str) -> bool:
    """Whether a pair's numbers have a metric and lack an optional number of it.

    One such pair among several shows that the judge does not give it: where it exists all the same,
    a rule answered everything.
    """
    return OPTIONAL[name] in values and name not in values


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSentence:
    """One sentence of a summary and whether the source supports it; None where unanswered.

    ``index`` is its place among the summary's sentences. ``evidence`` holds the places of the
    deciding source sentences, over the sections in order. Both count from 0, and the title of a
    finding from 1. ``support`` is the judge's strength of belief, 0 to 1. ``by_rule``: it stands in
    the source word for word, so nobody was asked. ``factual``: an unsupported sentence is true all
    the same by general knowledge; None where nobody asked. ``undecided``: the judge met a conflict
    that it cannot decide. ``number_conflict``: it is not supported, and states a number that the
    source contradicts, or that neither the source nor a reference states.
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
        conflicts: Unsupported sentences that contradict or exceed the source in a number, lower is
            better; None in records older than this count.
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
        """The mean support of the answered sentences, 0 to 1, higher is better.

        It keeps what the rate rounds away: how near each sentence came to the other verdict. A
        sentence copied from the source counts 1. None unless each answered sentence has a support;
        an LLM with one vote gives none. Source: SummaC-ZS (Laban et al., TACL 2022).
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


Status = Literal[
    "skipped_no_reference",
    "skipped_no_source",
    "degenerate_candidate",
    "refused_candidate",
    "unanswered",
]
Fault = Literal["judge", "system"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unscored:
    """No number, and why."""

    metric: MetricName
    status: Status
    reason: str

    @property
    def fault(self) -> Fault:
        """Whose fault it is: an empty or refused summary is the system's, the rest the judge's."""
        return "system" if self.status.endswith("_candidate") else "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedFacet:
    """One facet that the reference states, rated from 1 to its scale.

    ``reference`` and ``candidate`` are the words of both texts; without words in the candidate the
    rating is 1 ``by_rule``. ``confidence`` is the judge's probability, 0 to 1, that a person gives
    the same rating. ``coverage`` is how much of the reference's key information the candidate
    gives, 0 to 100; None from a judge that does not say. ``undecided``: the judge met a conflict
    that it cannot decide.
    """

    facet: Facet
    rating: int
    reason: str
    reference: str
    candidate: str
    by_rule: bool = False
    confidence: float | None = field(default=None, metadata=SPARSE)
    coverage: int | None = field(default=None, metadata=SPARSE)
    undecided: bool = field(default=False, metadata=SPARSE)

    @property
    def share(self) -> float:
        """The rating as a share of its scale, as FM adds it up."""
        return self.rating / SCALES[self.facet]


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetScore:
    """The Facet-aware Metric of one summary (FM, section 3.2).

    Attributes:
        value: FM, 0.25 to 1, higher is better; 0.283 is the floor with all four facets present.
        ratings: The facets that the reference states, in reading order; none where ``identical``.
        removed: Facets that the reference does not state.
        ungrounded: Segments that the judge returned and their own text does not contain.
        coverage: Share of the summary's letters and digits that its segments hold, 0 to 1.
        key_coverage: The coverage of the facets, weighted as FM, 0 to 1; None from a judge that
            does not say it.
        identical: Whether the summary is its reference, so that nothing was asked.
        by_reference: The scores against each of several references, where these are averaged
            (`flow.averaged`); all else but ``value`` is then of the lowest of them.
    """

    value: float
    ratings: tuple[RatedFacet, ...] = ()
    removed: tuple[Facet, ...] = ()
    ungrounded: tuple[str, ...] = ()
    coverage: float = 1.0
    key_coverage: float | None = field(default=None, metadata=SPARSE)
    identical: bool = False
    by_reference: tuple[FacetScore, ...] = field(default=(), metadata=SPARSE)
    metric: Literal["facet"] = "facet"

    def rated(self, facet: Facet) -> RatedFacet | None:
        """One facet; None where the reference does not state it, or nothing was asked."""
        return next((each for each in self.ratings if each.facet == facet), None)

    @property
    def background(self) -> RatedFacet | None:
        """The rated background; None where it is not rated."""
        return self.rated("background")

    @property
    def method(self) -> RatedFacet | None:
        """The rated method; None where it is not rated."""
        return self.rated("method")

    @property
    def result(self) -> RatedFacet | None:
        """The rated result; None where it is not rated."""
        return self.rated("result")

    @property
    def conclusion(self) -> RatedFacet | None:
        """The rated conclusion; None where it is not rated."""
        return self.rated("conclusion")

    @property
    def rescaled(self) -> float | None:
        """Mean over the rated facets of (rating - 1) / (scale - 1), 0 to 1; None without any.

        Of averaged references, the mean of theirs.
        """
        if self.by_reference:
            each = [score.rescaled for score in self.by_reference]
            found = [value for value in each if value is not None]
            return fsum(found) / len(found) if found else None
        if self.identical:
            return 1.0
        if not self.ratings:
            return None
        shares = [(rated.rating - 1) / (SCALES[rated.facet] - 1) for rated in self.ratings]
        return sum(shares) / len(shares)

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name; a facet that the reference lacks is absent.

        A summary that is its reference has the full rating of every facet. Of averaged references,
        each number is the mean over those that have it.
        """
        if self.by_reference:
            return mean_values(self.by_reference)
        named: dict[str, float | None] = {"facet": self.value}
        if self.identical:
            named.update({f"facet.{facet}": float(scale) for facet, scale in SCALES.items()})
            named[COVERAGE] = 1.0
        named.update({f"facet.{rated.facet}": float(rated.rating) for rated in self.ratings})
        if self.key_coverage is not None:
            named[COVERAGE] = self.key_coverage
        return MappingProxyType(named)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFact:
    """One fact and whether it holds; None where the judge gave no usable answer.

    ``evidence`` are the texts on the other side that carry it. ``undecided``: the judge met a
    conflict that it cannot decide.
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

    Of the ``n_listed`` (or reviewed) facts, ``n_facts`` differ. They make ``n_chains`` chains; a
    fact that no other refines is one of its own. ``n_kept_relations`` of the relations across
    sentences are near no fact: with ``n_facts`` they make N_c or N_r, with ``n_chains`` the
    paper's count of chains (EVA-Score, Table 4).
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
    """EVA-Score of one summary (EVA-Score, section 3).

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
        identical: Whether the summary is its reference, so that nothing was asked.
        counts: None where nothing was asked.
        by_reference: The scores against each of several references, where these are averaged
            (`flow.averaged`); facts, matches and counts are then of the lowest of them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What in a summary makes one number of a metric of one's own what it is.

    Attributes:
        number: The number; the problem is told where any number of its metric misses a threshold.
        title: Which piece, for a heading: "sentence 3".
        verdict: What is wrong with it, in words.
        reason: Why, where there is more to say.
        summary: The summary's words.
        severity: 0 to 1; the worst come first.
    """

    number: str
    title: str
    verdict: str
    reason: str = ""
    summary: str = ""
    severity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnScore:
    """What a metric of one's own came to (`metrics.own`).

    Attributes:
        numbers: By name; None where the summary has nothing to count. A number that is not there
            does not apply.
        left_out: The numbers that the metric's options leave out.
    """

    metric: MetricName
    numbers: Mapping[str, float | None]
    problems: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def value(self) -> float | None:
        """The number that is called as the metric is."""
        return self.numbers[self.metric]

    def values(self) -> Mapping[str, float | None]:
        """Every number a threshold can name."""
        return self.numbers


Score = FacetScore | EvaScore | FaithfulnessScore | OwnScore


def mean_values(scores: Sequence[FacetScore] | Sequence[EvaScore]) -> Mapping[str, float | None]:
    """Each number's mean over the scores that have it; None where none of them does."""
    named: dict[str, list[float]] = {}
    for score in scores:
        for name, value in score.values().items():
            named.setdefault(name, []).extend(() if value is None else (value,))
    return MappingProxyType(
        {name: rounded_mean(found) if found else None for name, found in named.items()}
    )


LOWEST: Final = 0.25
"""FM's floor over all subsets of facets: 1/4 where only method or result is left."""
ENDLESS: Final = 1e6
"""Stands for the end of a count's range: no summary has so many sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One number: the metric it comes from and its range.

    A threshold on it is a lower bound; where lower is better it is an upper bound. Only the methods
    here know what follows from that.
    """

    name: str
    metric: MetricName
    meaning: str
    low: float = 0.0
    high: float = 1.0
    lower_is_better: bool = False

    @property
    def worst(self) -> float | None:
        """The worst that it can be; None for a count, whose range has no end."""
        return None if abs(self._worse_end) == ENDLESS else self._worse_end

    @property
    def _worse_end(self) -> float:
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
        """The number, negated where lower is better, so that higher is always better."""
        return 0.0 - value if self.lower_is_better else value

    def meets(self, value: float | None, bound: float) -> bool:
        """Whether a value is as good as a bound, or better; no value never is."""
        return value is not None and self.oriented(value) >= self.oriented(bound)

    def gap(self, value: float | None, bound: float) -> float:
        """How far a value is from a bound, as a share of the range; 0 or less where it meets it.

        A count has no end: one more than allowed is halfway to the worst.
        """
        value = self._worse_end if value is None else value
        gap = self.oriented(bound) - self.oriented(value)
        return gap / (1 + abs(gap) if self.high == ENDLESS else self.high - self.low)


_NUMBERS: Final[tuple[tuple[MetricName, str, str, float, float], ...]] = (
    ("facet", "facet", "Facet-aware Metric", LOWEST, 1.0),
    *(("facet", f"facet.{f}", f"rating of the {f}", 1.0, float(n)) for f, n in SCALES.items()),
    ("facet", COVERAGE, "covered key information of the reference", 0.0, 1.0),
    ("eva", "eva", "EVA-Score, F1 over facts", 0.0, 1.0),
    ("eva", "eva.precision", "supported facts", 0.0, 1.0),
    ("eva", "eva.recall", "matched facts", 0.0, 1.0),
    ("eva", "eva.recall_entailed", "reference facts that follow from the summary", 0.0, 1.0),
    ("faithfulness", "faithfulness", "supported sentences", 0.0, 1.0),
    (
        "faithfulness",
        CONFLICTS,
        "sentences that contradict or exceed the source in a number",
        0.0,
        ENDLESS,
    ),
    ("faithfulness", SUPPORT, "mean support of the sentences", 0.0, 1.0),
)
_CATALOGUE: Final[dict[str, Named]] = {
    name: Named(
        name=name,
        metric=metric,
        meaning=meaning,
        low=low,
        high=high,
        lower_is_better=name == CONFLICTS,
    )
    for metric, name, meaning, low, high in _NUMBERS
}
CATALOGUE: Final[Mapping[str, Named]] = MappingProxyType(_CATALOGUE)
"""By the names that suites and `--summ-min` use, grouped by metric; one's own last, by name."""
_OWN_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}(\.[a-z0-9_]{1,32}){0,2}", re.ASCII)


def add_numbers(numbers: Iterable[Named]) -> None:
    """Add the numbers of a metric of one's own to the catalogue; what is there already stays.

    Raises:
        ValueError: for a name that is none, or that stands for a number of another range.
    """
    for named in numbers:
        name, metric = named.name, named.metric
        is_name = _OWN_NAME.fullmatch(name) and "." not in metric
        if not is_name or not (name == metric or name.startswith(f"{metric}.")):
            raise ValueError(
                f"number {name!r} of metric {metric!r} is called neither {metric!r} nor"
                f" '{metric}.PART', in small letters, digits and underscores"
            )
        if not named.meaning.isprintable():
            raise ValueError(f"number {name!r} has a meaning of several lines; write one")
        if not -ENDLESS <= named.low < named.high <= ENDLESS:
            raise ValueError(f"number {name!r} ranges {named.range}; the end is above the start")
        known = _CATALOGUE.get(name)
        if metric in METRICS or (known and replace(known, meaning=named.meaning) != named):
            raise ValueError(f"number {name!r} stands for another number here")
        if known is None:
            own = [each for each in _CATALOGUE.values() if each.metric not in METRICS]
            for each in sorted([*own, named], key=lambda each: each.name):
                _CATALOGUE.pop(each.name, None)
                _CATALOGUE[each.name] = each


def own_numbers(metrics: Iterable[MetricName]) -> tuple[Named, ...]:
    """The numbers of those of these metrics that are somebody's own, in order of the catalogue."""
    own = set(metrics) - set(METRICS)
    return tuple(named for named in CATALOGUE.values() if named.metric in own)


def measured_metrics(names: Collection[str]) -> tuple[MetricName, ...]:
    """The metrics whose own number is among these names, in order of the catalogue."""
    return tuple(
        name for name, named in CATALOGUE.items() if name == named.metric and name in names
    )
