"""Every number that a threshold can name, with the range it can take."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.facet import LOWEST
from summeval_pytest.metrics.score import METRICS, MetricName
from summeval_pytest.metrics.sentence_score import CONFLICTS, SUPPORT
from summeval_pytest.questions import FACETS, SCALES

if TYPE_CHECKING:
    from collections.abc import Mapping


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
