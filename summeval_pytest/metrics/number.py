"""What every score is made of: numbers with names and ranges, and findings, piece by piece.

Unscored is never 0 and never a pass: a mean says how many of how many it covers, and a verdict
looks at whose fault a missing score is. Findings know no threshold: the same ones serve every
decision that is taken again later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from types import MappingProxyType
from typing import Final, Literal

from summeval_pytest.text.words import content_words, rank_sentences

SPARSE: Final = MappingProxyType({"recorded": "where set"})
"""Marks a field that a run record holds only where it differs from its default."""
UNRECORDED: Final = MappingProxyType({"recorded": "never"})
"""Marks a field that no run record holds; give it ``compare=False``, too."""

MetricName = str
"""A metric by the name that suites use: one of `catalogue.METRICS`, or a custom metric."""
DIGITS: Final = 12
"""Rounds off the last bits of a score, so that it meets a threshold that it equals."""
ENDLESS: Final = 1e6
"""The upper end of the range of a count: no summary has so many sentences."""


def rounded_mean(values: Collection[float]) -> float:
    """The mean of scores, rounded: the mean of two .45 must not be under .45."""
    return round(fsum(values) / len(values), DIGITS)


def mean_values(scores: Iterable[Mapping[str, float | None]]) -> Mapping[str, float | None]:
    """Each number's mean over the scores that have it; None where none of them does."""
    named: dict[str, list[float]] = {}
    for values in scores:
        for name, value in values.items():
            named.setdefault(name, []).extend(() if value is None else (value,))
    return MappingProxyType(
        {name: rounded_mean(each) if each else None for name, each in named.items()}
    )


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
    """A metric without a score, and the reason; it is false, so that it passes no assertion."""

    metric: MetricName
    status: Status
    reason: str

    def __bool__(self) -> bool:
        return False

    @property
    def lacks_text(self) -> bool:
        """Whether the paper has no reference or source to measure by."""
        return self.status.startswith("skipped")

    @property
    def fault(self) -> Fault:
        """Whose fault it is: an empty or refused summary is the system's, the rest the judge's."""
        return "system" if self.status.endswith("_candidate") else "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberSpec:
    """A number that a threshold can be set on: its name, metric, meaning and range.

    A threshold on it is a minimum. If lower is better, it is a maximum.

    Attributes:
        explained_by: The number whose findings explain it, if it has none of its own.
        is_detail: Whether reports list it only if it has a threshold.
        not_said: What a judge did not do if it does not give it; empty if each judge gives it.
        remedy: What to do then; a clause.
    """

    name: str
    metric: MetricName
    meaning: str
    low: float = 0.0
    high: float = 1.0
    lower_is_better: bool = False
    explained_by: str = field(default="", metadata=SPARSE)
    is_detail: bool = field(default=False, metadata=SPARSE)
    not_said: str = field(default="", metadata=SPARSE)
    remedy: str = field(default="", metadata=SPARSE)

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
    def width(self) -> float:
        """The width of its range; 1 for a count, whose range has no end."""
        return 1.0 if self.worst is None else self.high - self.low

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


CustomNumbers = tuple[NumberSpec, ...]
"""The numbers of custom metrics, sorted by name."""


FindingKind = Literal["facet", "fact", "sentence", "own", "unscored"]
_KINDS: Final[tuple[FindingKind, ...]] = ("unscored", "sentence", "facet", "fact", "own")
"""The worst first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One wrong facet, fact or sentence, a problem of a custom metric, or one without a score.

    Attributes:
        number: The number that it makes worse, by the name of its threshold.
        title: The piece, for a heading: "facet result", "sentence 3".
        verdict: The judge's verdict, in words.
        reference: The reference's words; None where they play no part, empty where it has none.
        summary: The summary's words; empty where it has none.
        evidence: Source sentences, each with its index, from 0; the closest first.
        severity: 0 to 1; 1 is the worst, and comes first among findings of its kind.
        conflict: Whether the summary seems to contradict its reference or its source.
        disputes: The figures and words that are wrong, each with what stands in its place.
        sentence: The sentence that a fact is cut out of; empty if the fact stands for itself.
    """

    kind: FindingKind
    number: str
    title: str
    verdict: str
    reason: str
    reference: str | None
    summary: str
    evidence: tuple[tuple[int, str], ...]
    severity: float
    conflict: bool = field(default=False, metadata=SPARSE)
    disputes: tuple[tuple[str, str], ...] = field(default=(), metadata=SPARSE)
    sentence: str = field(default="", metadata=SPARSE)


def rank(finding: Finding) -> tuple[bool, int, float]:
    """Where a finding stands among others, the worst first; every report lists them so.

    Conflicts, then unsupported sentences, then facets, then facts; of each the severest first.
    """
    return not finding.conflict, _KINDS.index(finding.kind), -finding.severity


def closest_sentence(text: str, source: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """The source sentence that shares most with a text, with its index; nothing if none does."""
    closest = rank_sentences(sorted({*content_words(text)}), tuple(source))[:1]
    return tuple((place, source[place]) for place in closest)
