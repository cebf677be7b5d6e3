"""Which metrics there are: the three and installed custom ones, their numbers and their scores.

The catalogue never changes. A value that names a number holds the custom ones as ``custom``.

Every score has its numbers (`values`), how many unanswered items each of them counts as wrong
(`unanswered`), and what is wrong piece by piece (`findings`). Whoever handles scores in general
uses these and knows no metric.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Final

from summeval_pytest.errors import OptionError, UsageError, foreign_code, nearest
from summeval_pytest.metrics import eva, facet, faithfulness
from summeval_pytest.metrics.number import (
    ENDLESS,
    CustomNumbers,
    Finding,
    MetricName,
    NumberSpec,
    Unscored,
    rank,
)
from summeval_pytest.metrics.own import Metric, Options, OwnScore
from summeval_pytest.text.printing import one_line, raised

METRICS: Final[tuple[MetricName, ...]] = ("facet", "eva", "faithfulness")
"""The three metrics that a judge answers for."""
CATALOGUE: Final[Mapping[str, NumberSpec]] = MappingProxyType(
    {named.name: named for metric in (facet, eva, faithfulness) for named in metric.NUMBERS}
)
"""The numbers of the three metrics, by the names that suites and `--summ-min` use."""
OPTIONAL: Final[Mapping[str, MetricName]] = MappingProxyType(
    {name: named.metric for name, named in CATALOGUE.items() if named.not_said}
)
"""Numbers that only some judges give, and the metrics they belong to."""
Score = facet.FacetScore | eva.EvaScore | faithfulness.FaithfulnessScore | OwnScore
PIECES: Final = {"facet": "facet", "eva": "fact", "faithfulness": "sentence"}
"""What a summary is judged by, one by one, by metric."""
GROUP: Final = "summeval.metrics"
"""The group of entry points of custom metrics."""
RESERVED: Final = frozenset((*METRICS, "mean", "judge", "slice"))
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
def catalogue_of(custom: CustomNumbers) -> Mapping[str, NumberSpec]:
    """The numbers of the three metrics, and then custom ones."""
    return MappingProxyType({**CATALOGUE, **{named.name: named for named in custom}})


def checked_numbers(numbers: Iterable[NumberSpec]) -> CustomNumbers:
    """The numbers of custom metrics, sorted by name.

    Raises:
        ValueError: for a bad name or range, and for a name that stands for another number.
    """
    known: dict[str, NumberSpec] = {}
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


@cache
def installed_metrics() -> Mapping[str, EntryPoint]:
    """The custom metrics of installed packages, by name.

    Raises:
        UsageError: where two packages give one of the same name, or one has a reserved name.
    """
    installed: dict[str, EntryPoint] = {}
    for each in entry_points(group=GROUP):
        name, giver = each.name, _giver(each)
        if name in RESERVED:
            raise UsageError(f"{giver} gives a metric {name!r}, which is a name of ours")
        first = installed.setdefault(name, each)
        if first.value != each.value:
            both = f"{_giver(first)} and {giver} both give a metric {name!r}"
            raise UsageError(f"{both}; uninstall one of them")
    return MappingProxyType(dict(sorted(installed.items())))


def _giver(entry: EntryPoint) -> str:
    return f"package {entry.dist.name!r}" if entry.dist is not None else f"{entry.value!r}"


def _unusable(name: MetricName, error: BaseException) -> UsageError:
    giver = _giver(installed_metrics()[name])
    return UsageError(f"metric {name!r} of {giver} cannot be used: {raised(error)}")


@cache
def _metric_class(name: MetricName) -> tuple[type[Metric], CustomNumbers]:
    """The class of an installed metric, and its numbers."""
    installed = installed_metrics()
    if name not in installed:
        raise OptionError(
            f"no installed package gives a metric {name!r}; {nearest(name, installed)}, or install"
            " the package that has it"
        )
    entry = installed[name]
    with foreign_code(partial(_unusable, name)):
        kind = entry.load()
        if not issubclass(kind, Metric):
            raise TypeError(f"{entry.value} is no subclass of summeval_pytest.Metric")
        numbers = tuple(kind.numbers)
        if not numbers or numbers[0].name != name or any(each.metric != name for each in numbers):
            raise TypeError(f"its numbers are not of {name!r}, the first of them called so")
        return kind, checked_numbers(numbers)


@lru_cache(maxsize=64)
def custom_metric(name: MetricName, options: Options = ()) -> Metric:
    """An installed metric with these options.

    Raises:
        OptionError: where none is installed, and for options that it does not take.
        UsageError: where its code or its numbers are no metric.
    """
    kind, _ = _metric_class(name)

    def unfit(error: BaseException) -> UsageError:
        if not isinstance(error, (TypeError, ValueError)):
            return _unusable(name, error)
        return OptionError(f"metric {name!r} takes no such options: {one_line(str(error))}")

    with foreign_code(unfit):
        return kind(**dict(options))


def custom_numbers(names: Iterable[str]) -> CustomNumbers:
    """The numbers of the installed custom metrics that have numbers among these names."""
    heads = {metric_of(name) for name in names if name not in CATALOGUE} - RESERVED
    metrics = heads & installed_metrics().keys() if heads else ()
    return checked_numbers(named for name in metrics for named in _metric_class(name)[1])


def known_metrics(names: Collection[object]) -> tuple[MetricName, ...]:
    """The three metrics and the installed custom ones; those among ``names`` are loaded.

    Packages are searched only where ``names`` has more than the three.
    """
    if set(METRICS).issuperset(names):
        return METRICS
    installed = installed_metrics()
    for name in names:
        if isinstance(name, str) and name in installed:
            custom_metric(name)
    return (*METRICS, *installed)


def findings_of(scores: Iterable[Score | Unscored], source: Sequence[str]) -> tuple[Finding, ...]:
    """Everything wrong with a summary, the worst first; without evidence for an empty source."""
    scored = (score for score in scores if not isinstance(score, Unscored))
    return tuple(sorted((f for score in scored for f in score.findings(source)), key=rank))


def wrong_pieces(scores: Iterable[Score | Unscored]) -> dict[str, int]:
    """How many facets lost a point, facts do not hold and sentences are unsupported.

    A fact that only the source has counts only if it seems to contradict the reference.
    ``undecided`` counts those of them that rest on a conflict that the judge cannot decide. The
    kinds of errors that sentences have are counted by their names.
    """
    counts = dict.fromkeys((*PIECES.values(), "undecided"), 0)
    scores = tuple(scores)
    supported = {n for n, s in faithfulness.judged_sentences(scores).items() if s.supported}
    for score in scores:
        if not isinstance(score, Unscored | OwnScore):
            pieces = score.wrong_pieces()
            counts[PIECES[score.metric]] += len(pieces)
            counts["undecided"] += sum(piece.undecided for piece in pieces)
            if isinstance(score, eva.EvaScore):
                wrong = (f for f in score.candidate if f.holds is False and not f.undecided)
                counts["fact"] -= sum(f.fact.sentence in supported for f in wrong)
            for piece in pieces:
                if isinstance(piece, faithfulness.JudgedSentence) and piece.error:
                    counts[piece.error] = counts.get(piece.error, 0) + 1
    return counts
