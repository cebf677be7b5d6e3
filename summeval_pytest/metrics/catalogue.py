"""Every number that a threshold can name, with the range it can take."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics.facet import LOWEST
from summeval_pytest.metrics.score import METRICS, MetricName
from summeval_pytest.metrics.sentence_score import SUPPORT
from summeval_pytest.questions import FACETS, SCALES

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """One number: the metric it comes from and its range; higher is better for all of them."""

    name: str
    metric: MetricName
    low: float
    high: float
    meaning: str

    @property
    def worst(self) -> float:
        """The worst that it can be."""
        return self.low

    @property
    def best(self) -> float:
        """The best that it can be."""
        return self.high

    def meets(self, value: float | None, bound: float) -> bool:
        """Whether a value is as good as a bound, or better; no value never is."""
        return value is not None and value >= bound


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
