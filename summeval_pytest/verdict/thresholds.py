"""Thresholds: what pairs and means have to reach; and waivers.

A waived number may fall short for a while. A stale or exceeded waiver fails its test.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from typing import Final, Literal

from summeval_pytest.errors import OptionError, SuiteError, UsageError, nearest
from summeval_pytest.metrics.catalogue import (
    CATALOGUE,
    METRICS,
    catalogue_of,
    custom_metric,
    custom_numbers,
    installed_metrics,
    measured_metrics,
    metric_of,
    place_of,
)
from summeval_pytest.metrics.faithfulness import SUPPORT
from summeval_pytest.metrics.number import SPARSE, UNRECORDED, CustomNumbers, MetricName, NumberSpec
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.labels import Label
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Setting, Waiver

Mistake = Callable[[str], UsageError]

Bound = Literal["point", "lower"]
LOWER: Final = ".lower"
"""After a name: the threshold is on the lower bound of the interval, not on the figure."""
MEAN: Final = "mean."
ENTAILED: Final = "eva.recall_entailed"


@dataclass(frozen=True, slots=True)
class Threshold:
    """A bound on one number: a lower bound, or an upper bound if lower is better. Equal passes.

    Attributes:
        least: The bound. Despite its name, it may be an upper bound.
        bound: Whether the bound is on the figure or on the lower end of its interval; None for
            pairs and plain means, which have no interval.
    """

    name: str
    least: float
    bound: Bound | None = field(default=None, metadata=SPARSE)
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    @property
    def title(self) -> str:
        """Its name as a suite writes it."""
        return self.name + (LOWER if self.bound == "lower" else "")

    @property
    def metric(self) -> MetricName:
        """The metric that the number comes from."""
        return metric_of(self.name)

    @property
    def named(self) -> NumberSpec:
        """The number; a KeyError for a figure of agreement."""
        return catalogue_of(self.custom)[self.name]

    @property
    def is_upper(self) -> bool:
        """Whether it is the most that the number may be; a bound with an interval never is."""
        return self.bound is None and self.named.lower_is_better

    def compared(self, value: float | None, low: float | None) -> float | None:
        """The value that the threshold judges: a figure, or the lower bound of its interval."""
        return low if self.bound == "lower" else value

    def is_met_by(self, value: float | None) -> bool:
        """Whether a value is enough; None never is."""
        if value is None:
            return False
        return value <= self.least if self.is_upper else value >= self.least


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """All thresholds of a suite on its systems: for pairs and for means."""

    pair: tuple[Threshold, ...]
    mean: tuple[Threshold, ...]

    @property
    def by_scope(self) -> dict[str, tuple[Threshold, ...]]:
        """Both, by the prefix of their names on the command line."""
        return {"": self.pair, MEAN: self.mean}

    @property
    def metrics(self) -> tuple[MetricName, ...]:
        """The metrics that any threshold needs; nothing else is measured."""
        return measured_metrics({t.metric for scope in self.by_scope.values() for t in scope})

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, as the command line names them."""
        return tuple(scope + t.title for scope, own in self.by_scope.items() for t in own)

    def has(self, name: str) -> bool:
        """Whether pairs or means have a threshold on this number."""
        return any(each.name == name for each in (*self.pair, *self.mean))

    def only(self, metrics: Collection[MetricName]) -> Thresholds:
        """Those on numbers of these metrics, and of custom metrics."""
        return _in_order(
            [t for t in own if t.metric in metrics or t.metric not in METRICS]
            for own in self.by_scope.values()
        )


def _in_order(scopes: Iterable[Iterable[Threshold]]) -> Thresholds:
    """Thresholds on pairs and means, each in the order of the catalogue."""
    pair, mean = (tuple(sorted(own, key=lambda t: (place_of(t.name), t.title))) for own in scopes)
    return Thresholds(pair=pair, mean=mean)


def thresholds_of(suite: Suite, *, options: Sequence[str] = ()) -> Thresholds:
    """The thresholds of a suite, all of them checked; ``options`` as for `replace_thresholds`.

    Raises:
        SuiteError, OptionError: for the first in the suite, or in an option, that can never decide.
    """
    for table in suite.variants.own:
        try:
            custom_metric(table.metric, table.values)
        except OptionError as error:
            raise SuiteError(table.place, str(error)) from error
    given = [option.partition("=")[0].strip().removeprefix(MEAN) for option in options]
    names = (each.name for scope in ("", MEAN) for each in suite.thresholds.get(scope, ()))
    custom = custom_numbers([*given, *names])
    thresholds = read_thresholds(suite.thresholds, options=options, custom=custom)
    if suite.variants.eva_recall == "matched" and thresholds.has(ENTAILED):
        raise OptionError(
            f'{suite.shown} has a threshold for {ENTAILED} and says eva_recall = "matched", which'
            ' leaves it unmeasured; write eva_recall = "both", or remove the threshold'
        )
    _check_custom(suite, thresholds)
    return thresholds


def _check_custom(suite: Suite, thresholds: Thresholds) -> None:
    """Refuse a number that a custom metric's options leave out, and options that nothing needs."""
    for threshold in (*thresholds.pair, *thresholds.mean):
        if threshold.metric not in METRICS:
            metric = custom_metric(threshold.metric, suite.variants.options_of(threshold.metric))
            if remedy := metric.left_out.get(threshold.name):
                raise OptionError(
                    f"{suite.shown} has a threshold for {threshold.name}, which its options leave"
                    f" out; {remedy}, or remove the threshold"
                )
    for table in suite.variants.own:
        if table.metric not in thresholds.metrics:
            raise SuiteError(
                table.place,
                f"no threshold needs the metric {table.metric!r}, so it is not measured; write"
                f" {table.metric} = ... under [thresholds], or delete the table",
            )


def read_thresholds(
    settings: Mapping[str, Iterable[Setting]],
    *,
    options: Sequence[str] = (),
    custom: CustomNumbers = (),
) -> Thresholds:
    """What a suite writes, by prefix, with the thresholds of the command line in its place."""
    written = (
        [
            _threshold(each.name, each.value, partial(SuiteError, each.place), custom)
            for each in settings.get(scope, ())
        ]
        for scope in ("", MEAN)
    )
    return replace_thresholds(_in_order(written), options, custom=custom)


def replace_thresholds(
    thresholds: Thresholds,
    options: Sequence[str],
    option: str = "--summ-min",
    *,
    custom: CustomNumbers,
) -> Thresholds:
    """Thresholds with those of the command line in their place, in the order of the catalogue.

    ``options`` are ``METRIC=VALUE`` or ``mean.METRIC=VALUE`` each.

    Raises:
        OptionError: for an unknown name, or a value out of the number's range, in an option.
    """
    scopes = {
        scope: {each.title: each for each in own} for scope, own in thresholds.by_scope.items()
    }
    for given in options:
        name, _, text = given.partition("=")
        scope = MEAN if name.startswith(MEAN) else ""
        name = name.removeprefix(scope).strip()
        try:
            value = float(text)
        except ValueError:
            raise OptionError(
                f"{option}={given!r} is no METRIC=VALUE; write {option} facet=0.6"
            ) from None

        def mistake(fault: str, start: str = f"{option}={given}: ") -> OptionError:
            return OptionError(start + fault)

        scopes[scope][name] = _threshold(name, value, mistake, custom)
    return _in_order(own.values() for own in scopes.values())


def _threshold(name: str, value: float, mistake: Mistake, custom: CustomNumbers) -> Threshold:
    """A threshold, unless it can never decide."""
    catalogue = catalogue_of(custom)
    if name not in catalogue:
        known = dict.fromkeys((*catalogue, *installed_metrics()))
        if table := get_close_matches(name.partition(".")[0], ("mean", "judge", "slice"), 1):
            raise mistake(f"unknown threshold {name!r}; did you mean [thresholds.{table[0]}]?")
        raise mistake(f"unknown threshold {name!r}; {nearest(name, known)}")
    check_range(f"threshold {name}", value, catalogue[name], mistake)
    return Threshold(name, value, None, custom)


def check_range(what: str, value: float, named: NumberSpec, mistake: Mistake) -> None:
    """Refuse a value that everything meets, or nothing can."""
    if not named.low <= value <= named.high:
        raise mistake(
            f"{what} = {value:g} can never decide: {named.name} ({named.meaning}) ranges"
            f" {named.range}; write a value in that range, or remove it"
        )


def check_supported(thresholds: Thresholds, judge: str, n_votes: int | None, suite: str) -> None:
    """Refuse a threshold on the mean support, a share of votes, under a model with one vote.

    ``n_votes`` is None for a judge that is no model.
    """
    if n_votes == 1 and thresholds.has(SUPPORT):
        raise OptionError(
            f"{suite} has a threshold for {SUPPORT}, and judge {judge!r} with one vote says of a"
            f" sentence only yes or no; {CATALOGUE[SUPPORT].remedy}"
        )


def has_part(label: Label, part: str) -> bool:
    """Whether a label has one of its parts; four rated facets give an ``overall``, too."""
    match part:
        case "overall":
            return label.overall is not None or set(label.facets or ()) == set(FACETS)
        case "evidence":
            return any(s.evidence and s.faithful for s in label.sentences or ())
        case "unfaithful sentences":
            return any(not sentence.faithful for sentence in label.sentences or ())
        case "facets":
            return any(rating is not None for rating in (label.facets or {}).values())
        case _:
            return getattr(label, part) is not None


WaiverState = Literal["in use", "expired", "not needed", "exceeded", "not judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverUse:
    """A waiver and its state in a run."""

    waiver: Waiver
    state: WaiverState

    @property
    def fault(self) -> str:
        """Why it fails its test; empty where it does not."""
        waiver, than = self.waiver, "less" if self.waiver.most is None else "more"
        faults: dict[WaiverState, str] = {
            "expired": f"{waiver} expired on {waiver.expires}; mend, renew or delete it",
            "not needed": f"{waiver} is no longer needed; delete it",
            "exceeded": f"{waiver} allows no {than} than {waiver.bound or 0.0:g}",
        }
        return faults.get(self.state, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """The waivers of a suite, checked on the day of the run.

    The record does not have this day, so that a replay on a later day is the same to the byte.
    """

    waivers: tuple[Waiver, ...] = ()
    today: str = field(default="", compare=False, metadata=UNRECORDED)
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    def use(
        self,
        paper: str,
        system: str,
        *,
        missed: Mapping[str, float | None],
        measured: Collection[str],
    ) -> tuple[WaiverUse, ...]:
        """What became of the waivers of one pair, or of the means with `ALL_PAPERS` as the paper.

        ``missed`` are the numbers under their thresholds. ``measured`` are the names of all numbers
        that surely meet or miss their thresholds.
        """
        uses = []
        for waiver in self.waivers:
            if (waiver.paper, waiver.system) != (paper, system):
                continue
            state: WaiverState = "in use"
            if waiver.finding not in measured:
                state = "not judged"
            elif self.today > waiver.expires:
                state = "expired"
            elif waiver.finding not in missed:
                state = "not needed"
            elif waiver.bound is not None:
                bound = Threshold(waiver.finding, waiver.bound, custom=self.custom)
                state = "in use" if bound.is_met_by(missed[waiver.finding]) else "exceeded"
            uses.append(WaiverUse(waiver=waiver, state=state))
        return tuple(uses)


def day_of(uses: Iterable[WaiverUse]) -> str:
    """A day on which exactly those waivers are expired that were expired in a run."""
    expired = [use.waiver.expires for use in uses if use.state == "expired"]
    return f"{max(expired)}~" if expired else ""


def all_uses(waivers: Iterable[Waiver], *decided: Iterable[WaiverUse]) -> tuple[WaiverUse, ...]:
    """Every waiver with its state; "not judged" where nothing was decided about it."""
    states = {use.waiver.name: use.state for uses in decided for use in uses}
    return tuple(
        WaiverUse(waiver=waiver, state=states.get(waiver.name, "not judged")) for waiver in waivers
    )


def check_waivers(waivers: Iterable[Waiver], thresholds: Thresholds) -> None:
    """Raise a SuiteError for a waiver without a threshold, or with a wrong bound."""
    for waiver in waivers:
        is_mean = waiver.paper == ALL_PAPERS
        scope = thresholds.mean if is_mean else thresholds.pair
        name, known = waiver.finding, {each.name: each.named for each in scope}
        what, fault = f"waiver {waiver.name!r}", ""
        if (named := known.get(name)) is None:
            fault = (
                f"is of {name!r}, which has no threshold in [thresholds{'.mean' * is_mean}];"
                f" {nearest(name, known if name in CATALOGUE else [*CATALOGUE, *known])}"
            )
        elif (waiver.least if named.lower_is_better else waiver.most) is not None:
            key, wrong = ("most", "least") if named.lower_is_better else ("least", "most")
            fault = f"bounds {name} by {wrong!r}, and it gets worse the other way; write {key!r}"
        elif waiver.bound is not None and not named.low <= waiver.bound <= named.high:
            fault = f"allows {name} = {waiver.bound:g}; write a value {named.range}"
        if fault:
            raise SuiteError(waiver.place, f"{what} {fault}")
