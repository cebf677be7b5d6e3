"""Thresholds: what was written in a suite or on the command line, held to each number's range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.metrics import CATALOGUE, METRICS, MetricName
from summeval_pytest.verdict.waivers import check_waivers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from summeval_pytest.suite import Setting, Suite

OPTION: Final = "--summ-min"
_MEAN: Final = "mean."
ENTAILED: Final = "eva.recall_entailed"


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least value that one number may have; equal passes."""

    name: str
    least: float

    @property
    def metric(self) -> MetricName:
        """The metric that the number comes from."""
        return CATALOGUE[self.name].metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """All thresholds of a run: for every pair, and for the means over papers per system."""

    pair: tuple[Threshold, ...]
    mean: tuple[Threshold, ...]

    @property
    def metrics(self) -> tuple[MetricName, ...]:
        """The metrics that any threshold needs; nothing else is measured."""
        needed = {threshold.metric for threshold in (*self.pair, *self.mean)}
        return tuple(metric for metric in METRICS if metric in needed)


def read_thresholds(
    pair: Iterable[Setting],
    mean: Iterable[Setting],
    *,
    options: Sequence[str] = (),
    option: str = OPTION,
) -> Thresholds:
    """The thresholds of a suite, with those of the command line in their place.

    Args:
        pair: What the suite asks of every pair.
        mean: What it asks of the means over papers.
        options: ``METRIC=VALUE`` or ``mean.METRIC=VALUE`` each.
        option: What they were given with, for messages.

    Raises:
        SuiteError: for an unknown name, or a value out of the number's range, in the suite.
        OptionError: for the same on the command line.
    """
    held = {
        "": {setting.name: _from_suite(setting) for setting in pair},
        _MEAN: {setting.name: _from_suite(setting) for setting in mean},
    }
    for given in options:
        prefix, threshold = _from_option(given, option)
        held[prefix][threshold.name] = threshold
    return Thresholds(pair=_ordered(held[""].values()), mean=_ordered(held[_MEAN].values()))


def _ordered(thresholds: Iterable[Threshold]) -> tuple[Threshold, ...]:
    order = list(CATALOGUE)
    return tuple(sorted(thresholds, key=lambda threshold: order.index(threshold.name)))


def _fault(name: str, value: float) -> str:
    """What is wrong with a threshold; empty where nothing is."""
    known = CATALOGUE.get(name)
    if known is None:
        return f"unknown threshold {name!r}; {nearest(name, CATALOGUE)}"
    if not known.low <= value <= known.high:
        return (
            f"threshold {name} = {value:g} can never decide: {name} ({known.meaning}) ranges from"
            f" {known.low:g} to {known.high:g}; write a value in that range, or remove it"
        )
    return ""


def _from_suite(setting: Setting) -> Threshold:
    fault = _fault(setting.name, setting.value)
    if fault:
        raise SuiteError(setting.place, fault)
    return Threshold(setting.name, setting.value)


def _from_option(given: str, option: str) -> tuple[str, Threshold]:
    name, equals, text = given.partition("=")
    prefix = _MEAN if name.startswith(_MEAN) else ""
    name = name.removeprefix(prefix).strip()
    try:
        value = float(text)
    except ValueError:
        equals = ""
        value = 0.0
    if not equals:
        raise OptionError(f"{option}={given!r} is no METRIC=VALUE; write {option} facet=0.6")
    fault = _fault(name, value)
    if fault:
        raise OptionError(f"{option}={given}: {fault}")
    return prefix, Threshold(name, value)


def thresholds_of(suite: Suite, *, options: Sequence[str] = ()) -> Thresholds:
    """The thresholds of a suite, all of them checked; ``options`` as for `read_thresholds`.

    Raises:
        SuiteError, OptionError: for the first that can never decide.
    """
    check_judge_floor(suite.judge_thresholds)
    thresholds = read_thresholds(suite.thresholds, suite.mean_thresholds, options=options)
    check_measured(thresholds, suite.eva_recall, suite.shown)
    check_waivers(suite.waivers, thresholds)
    return thresholds


def check_measured(thresholds: Thresholds, recall: str, suite: str) -> None:
    """Refuses a threshold on a number that the suite says not to measure.

    Raises:
        OptionError: for ``eva.recall_entailed`` where ``eva_recall = "matched"``.
    """
    named = {threshold.name for threshold in (*thresholds.pair, *thresholds.mean)}
    if recall == "matched" and ENTAILED in named:
        raise OptionError(
            f'{suite} has a threshold for {ENTAILED} and says eva_recall = "matched", which'
            ' leaves it unmeasured; write eva_recall = "both", or remove the threshold'
        )


def check_judge_floor(settings: Iterable[Setting]) -> None:
    """Holds the judge's agreement floors to the range of an agreement, -1 to 1.

    Raises:
        SuiteError: for a value out of it.
    """
    for setting in settings:
        if not -1.0 <= setting.value <= 1.0:
            raise SuiteError(
                setting.place,
                f"agreement floor {setting.name} = {setting.value:g} is out of range;"
                " write a value between -1 and 1",
            )
