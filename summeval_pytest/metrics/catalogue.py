"""All numbers by name: those of the three metrics, then those of custom metrics."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import eva, facet, faithfulness
from summeval_pytest.metrics.facet import COVERAGE
from summeval_pytest.metrics.faithfulness import SUPPORT
from summeval_pytest.metrics.number import ENDLESS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from summeval_pytest.metrics.number import MetricName, Named


METRICS: Final[tuple[MetricName, ...]] = ("facet", "eva", "faithfulness")
"""The three metrics that a judge answers for."""
OPTIONAL: Final[Mapping[str, MetricName]] = MappingProxyType(
    {COVERAGE: "facet", SUPPORT: "faithfulness"}
)
"""Numbers that only some judges give, and the metrics they belong to."""
_CATALOGUE: Final[dict[str, Named]] = {
    named.name: named for metric in (facet, eva, faithfulness) for named in metric.NUMBERS
}
CATALOGUE: Final[Mapping[str, Named]] = MappingProxyType(_CATALOGUE)
"""By the names that suites and `--summ-min` use, grouped by metric; custom ones last, by name."""
_OWN_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}(\.[a-z0-9_]{1,32}){0,2}", re.ASCII)


def lacks(values: Mapping[str, float | None], name: str) -> bool:
    """Whether a pair's numbers have a metric and lack an optional number of it.

    One such pair shows that the judge does not give the number: where other pairs have it, a rule
    answered everything.
    """
    return OPTIONAL[name] in values and name not in values


def add_numbers(numbers: Iterable[Named]) -> None:
    """Add the numbers of a custom metric to the catalogue; known ones stay.

    Raises:
        ValueError: for a bad name or range, and for a name that stands for another number.
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
    """The numbers of the custom metrics among these, in order of the catalogue."""
    own = set(metrics) - set(METRICS)
    return tuple(named for named in CATALOGUE.values() if named.metric in own)


def measured_metrics(names: Collection[str]) -> tuple[MetricName, ...]:
    """The metrics among these names of numbers, in order of the catalogue."""
    return tuple(
        name for name, named in CATALOGUE.items() if name == named.metric and name in names
    )
