"""The numbers of the three metrics by name, and of custom metrics after them.

The catalogue never changes. A value that names a number holds the custom ones as ``custom``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import eva, facet, faithfulness
from summeval_pytest.metrics.facet import COVERAGE
from summeval_pytest.metrics.faithfulness import SUPPORT
from summeval_pytest.metrics.number import ENDLESS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from summeval_pytest.metrics.number import CustomNumbers, MetricName, Named


METRICS: Final[tuple[MetricName, ...]] = ("facet", "eva", "faithfulness")
"""The three metrics that a judge answers for."""
OPTIONAL: Final[Mapping[str, MetricName]] = MappingProxyType(
    {COVERAGE: "facet", SUPPORT: "faithfulness"}
)
"""Numbers that only some judges give, and the metrics they belong to."""
CATALOGUE: Final[Mapping[str, Named]] = MappingProxyType(
    {named.name: named for metric in (facet, eva, faithfulness) for named in metric.NUMBERS}
)
"""The numbers of the three metrics, by the names that suites and `--summ-min` use."""
# suites ignore keys that start with x_, so a threshold of such a name would be ignored
_CUSTOM_NAME: Final = re.compile(
    r"(?!x_)[a-z][a-z0-9_]{0,31}(\.(?!x_)[a-z0-9_]{1,32}){0,2}", re.ASCII
)


def lacks(values: Mapping[str, float | None], name: str) -> bool:
    """Whether a pair's numbers have a metric and lack an optional number of it.

    One such pair shows that the judge does not give the number: where other pairs have it, a rule
    answered everything.
    """
    return OPTIONAL[name] in values and name not in values


@lru_cache(maxsize=16)
def catalogue_of(custom: CustomNumbers) -> Mapping[str, Named]:
    """The numbers of the three metrics, and then custom ones."""
    return MappingProxyType({**CATALOGUE, **{named.name: named for named in custom}})


def checked_numbers(numbers: Iterable[Named]) -> CustomNumbers:
    """The numbers of custom metrics, sorted by name.

    Raises:
        ValueError: for a bad name or range, and for a name that stands for another number.
    """
    known: dict[str, Named] = {}
    for named in numbers:
        name, metric = named.name, named.metric
        is_name = _CUSTOM_NAME.fullmatch(name) and "." not in metric
        if not is_name or not (name == metric or name.startswith(f"{metric}.")):
            raise ValueError(
                f"number {name!r} of metric {metric!r} is called neither {metric!r} nor"
                f" '{metric}.PART', in small letters, digits and underscores, and without x_ at the"
                " start of a part"
            )
        if not named.meaning.isprintable():
            raise ValueError(f"number {name!r} has a meaning of several lines; write one")
        if not -ENDLESS <= named.low < named.high <= ENDLESS:
            raise ValueError(f"number {name!r} ranges {named.range}; the end is above the start")
        if metric in METRICS or known.setdefault(name, named) != named:
            raise ValueError(f"number {name!r} stands for another number here")
    return tuple(sorted(known.values(), key=lambda named: named.name))


def metric_of(name: str) -> MetricName:
    """The metric that a number belongs to."""
    return name.partition(".")[0]


def place_of(name: str) -> tuple[int, str]:
    """Where a number stands among others: custom ones come last, by name."""
    return (list(CATALOGUE).index(name), "") if name in CATALOGUE else (len(CATALOGUE), name)


def measured_metrics(names: Collection[str]) -> tuple[MetricName, ...]:
    """The metrics among these names of numbers, in order of the catalogue."""
    return tuple(sorted((name for name in {*names} if "." not in name), key=place_of))
