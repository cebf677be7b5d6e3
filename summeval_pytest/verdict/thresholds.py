"""Thresholds: what was written in a suite or on the command line, held to each number's range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.metrics import CATALOGUE, METRICS, SUPPORT, MetricName
from summeval_pytest.metrics.facet import LOWEST
from summeval_pytest.verdict.correcting import CORRECTABLE
from summeval_pytest.verdict.floors import LOWER, Floor, has_part
from summeval_pytest.verdict.waivers import check_waivers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from summeval_pytest.suite import Setting, Suite

OPTION: Final = "--summ-min"
_MEAN: Final = "mean."
CORRECTED: Final = "corrected."
"""Before a number's name on the command line: the mean with the judge's error taken out."""
ENTAILED: Final = "eva.recall_entailed"
SUPPORT_REMEDY: Final = (
    "use --summ-judge=offline or --summ-votes=3, hold faithfulness in its place, or remove the"
    " threshold"
)
"""What to do where a judge gives no support."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least value that one number may have; equal passes.

    It is the most that it may have where lower is better.
    """

    name: str
    least: float

    @property
    def title(self) -> str:
        """Its name as a suite writes it."""
        return self.name

    @property
    def metric(self) -> MetricName:
        """The metric that the number comes from."""
        return CATALOGUE[self.name].metric

    @property
    def limit(self) -> str:
        """Its value, for messages."""
        return f"{self.least:g}{' at most' if CATALOGUE[self.name].lower_is_better else ''}"

    @property
    def sign(self) -> str:
        """How a value has to stand to it."""
        return "\u2264" if CATALOGUE[self.name].lower_is_better else "\u2265"

    def is_met_by(self, value: float | None) -> bool:
        """Whether a value is enough; none never is."""
        return CATALOGUE[self.name].meets(value, self.least)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """All thresholds of a run: for pairs, and per system for means and corrected means."""

    pair: tuple[Threshold, ...]
    mean: tuple[Threshold, ...]
    corrected: tuple[Floor, ...] = ()

    @property
    def metrics(self) -> tuple[MetricName, ...]:
        """The metrics that any threshold needs; nothing else is measured."""
        needed = {threshold.metric for threshold in (*self.pair, *self.mean)}
        needed |= {CATALOGUE[floor.name].metric for floor in self.corrected}
        return tuple(metric for metric in METRICS if metric in needed)

    def holds(self, name: str) -> bool:
        """Whether pairs or means are held to a threshold on this number."""
        return any(each.name == name for each in (*self.pair, *self.mean))

    def only(self, metrics: Collection[MetricName]) -> Thresholds:
        """Those that numbers of these metrics can be held to."""
        return Thresholds(
            pair=tuple(each for each in self.pair if each.metric in metrics),
            mean=tuple(each for each in self.mean if each.metric in metrics),
            corrected=tuple(e for e in self.corrected if CATALOGUE[e.name].metric in metrics),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What is held, as the command line names it."""
        return (
            *(each.name for each in self.pair),
            *(_MEAN + each.name for each in self.mean),
            *(CORRECTED + each.title for each in self.corrected),
        )


def read_thresholds(
    pair: Iterable[Setting],
    mean: Iterable[Setting],
    *,
    corrected: Iterable[Setting] = (),
    options: Sequence[str] = (),
    option: str = OPTION,
) -> Thresholds:
    """The thresholds of a suite, with those of the command line in their place.

    Args:
        pair: What the suite asks of every pair.
        mean: What it asks of the means over papers.
        corrected: What it asks of the means once the judge's error is taken out; a name with
            ``.lower`` behind it holds the lower bound of the interval.
        options: ``METRIC=VALUE``, ``mean.METRIC=VALUE`` or ``corrected.METRIC=VALUE`` each.
        option: What they were given with, for messages.

    Raises:
        SuiteError: for an unknown name, or a value out of the number's range, in the suite.
        OptionError: for the same on the command line.
    """
    held = {
        "": {setting.name: _from_suite(setting) for setting in pair},
        _MEAN: {setting.name: _from_suite(setting) for setting in mean},
        CORRECTED: {setting.name: _from_suite(setting, CORRECTED) for setting in corrected},
    }
    for given in options:
        prefix, threshold = _from_option(given, option)
        held[prefix][threshold.name] = threshold
    return Thresholds(
        pair=_ordered(held[""].values()),
        mean=_ordered(held[_MEAN].values()),
        corrected=tuple(map(_as_floor, _ordered(held[CORRECTED].values()))),
    )


def _as_floor(threshold: Threshold) -> Floor:
    name = threshold.name.removesuffix(LOWER)
    return Floor(
        name=name, least=threshold.least, bound="point" if name == threshold.name else "lower"
    )


def _ordered(thresholds: Iterable[Threshold]) -> tuple[Threshold, ...]:
    order = list(CATALOGUE)
    return tuple(
        sorted(thresholds, key=lambda t: (order.index(t.name.removesuffix(LOWER)), t.name))
    )


def _fault(name: str, value: float, prefix: str = "") -> str:
    """What is wrong with a threshold; empty where nothing is."""
    is_corrected = prefix == CORRECTED
    given, name = (prefix + name, name.removesuffix(LOWER)) if is_corrected else (name, name)
    known_names = CORRECTABLE if is_corrected else tuple(CATALOGUE)
    known = CATALOGUE[name] if name in known_names else None
    if known is None:
        no_labels = ", which no label corrects" if name in CATALOGUE else ""
        return f"unknown threshold {given!r}{no_labels}; {nearest(name, known_names)}"
    if not known.low <= value <= known.high:
        return (
            f"threshold {given} = {value:g} can never decide: {name} ({known.meaning}) ranges"
            f" {known.range}; write a value in that range, or remove it"
        )
    return ""


def _from_suite(setting: Setting, prefix: str = "") -> Threshold:
    fault = _fault(setting.name, setting.value, prefix)
    if fault:
        raise SuiteError(setting.place, fault)
    return Threshold(setting.name, setting.value)


def _from_option(given: str, option: str) -> tuple[str, Threshold]:
    name, equals, text = given.partition("=")
    prefix = next((each for each in (_MEAN, CORRECTED) if name.startswith(each)), "")
    name = name.removeprefix(prefix).strip()
    try:
        value = float(text)
    except ValueError:
        equals = ""
        value = 0.0
    if not equals:
        raise OptionError(f"{option}={given!r} is no METRIC=VALUE; write {option} facet=0.6")
    fault = _fault(name, value, prefix)
    if fault:
        raise OptionError(f"{option}={given}: {fault}")
    return prefix, Threshold(name, value)


def thresholds_of(suite: Suite, *, options: Sequence[str] = ()) -> Thresholds:
    """The thresholds of a suite, all of them checked; ``options`` as for `read_thresholds`.

    Raises:
        SuiteError, OptionError: for the first that can never decide.
    """
    thresholds = read_thresholds(
        suite.thresholds,
        suite.mean_thresholds,
        corrected=suite.corrected_thresholds,
        options=options,
    )
    _check_correctable(suite, thresholds)
    check_measured(thresholds, suite.variants.eva.recall, suite.shown)
    check_waivers(suite.waivers, thresholds)
    return thresholds


def _check_correctable(suite: Suite, thresholds: Thresholds) -> None:
    for floor in thresholds.corrected:
        is_overall = floor.name == "facet"
        part = "overall" if is_overall else "facets" if "." in floor.name else "sentences"
        if not any(has_part(label, part) for label in suite.labels.values()):
            raise OptionError(
                f"{suite.shown} has a threshold for {CORRECTED}{floor.title} and no label with"
                f' {part!r} to correct it by; label some in the file that labels = "..." names, or'
                " remove the threshold"
            )
        for label in suite.labels.values() if is_overall else ():
            if label.overall is not None and not LOWEST <= label.overall <= 1:
                raise SuiteError(
                    label.place,
                    f"'overall' is {label.overall:g} and {CORRECTED}{floor.title} needs it on the"
                    f" scale of FM, {LOWEST:g} to 1; rescale the labels, or remove the threshold",
                )


def check_measured(thresholds: Thresholds, recall: str, suite: str) -> None:
    """Refuses a threshold on a number that the suite says not to measure.

    Raises:
        OptionError: for ``eva.recall_entailed`` where ``eva_recall = "matched"``.
    """
    if recall == "matched" and thresholds.holds(ENTAILED):
        raise OptionError(
            f'{suite} has a threshold for {ENTAILED} and says eva_recall = "matched", which'
            ' leaves it unmeasured; write eva_recall = "both", or remove the threshold'
        )


def check_supported(thresholds: Thresholds, judge: str, n_votes: int | None, suite: str) -> None:
    """Refuses a threshold on the mean support under a model that is asked once.

    Args:
        thresholds: What is held.
        judge: The judge as the user named it.
        n_votes: The votes on each sentence, of which support is a share; None for a judge that is
            no model, whose answers tell whether it gives any.
        suite: The suite as messages name it.

    Raises:
        OptionError: for ``faithfulness.support`` with one vote.
    """
    if n_votes == 1 and thresholds.holds(SUPPORT):
        raise OptionError(
            f"{suite} has a threshold for {SUPPORT}, and judge {judge!r} with one vote says of a"
            f" sentence only yes or no; {SUPPORT_REMEDY}"
        )
