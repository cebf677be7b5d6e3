"""Thresholds: what is asked of pairs, means, corrected means and judges, and waivers of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.metrics.own import add_own_numbers, installed_metrics, own_metric
from summeval_pytest.metrics.score import (
    CATALOGUE,
    COVERAGE,
    LOWEST,
    METRICS,
    SPARSE,
    SUPPORT,
    MetricName,
    Named,
    measured_metrics,
)
from summeval_pytest.questions import FACETS, OFFLINE
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver  # noqa: TC001 - run records read it

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from summeval_pytest.errors import UsageError
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Setting

    Mistake = Callable[[str], UsageError]

Bound = Literal["point", "lower"]
LOWER: Final = ".lower"
"""Behind a name: the lower bound of its interval is held, not the figure itself."""
MEAN: Final = "mean."
CORRECTED: Final = "corrected."
"""Before a number's name on the command line: the mean with the judge's error taken out."""
CORRECTABLE: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "faithfulness")
"""The numbers whose means golden labels can correct."""
ENTAILED: Final = "eva.recall_entailed"
NOT_SAID: Final[Mapping[str, str]] = MappingProxyType(
    {
        COVERAGE: "say of every facet how much of it is covered",
        SUPPORT: "say of every sentence how far it is supported",
    }
)
"""What a judge did not do that does not give an optional number."""
REMEDIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        COVERAGE: "use an LLM judge or --summ-judge=offline, hold facet in its place, or remove the"
        " threshold",
        SUPPORT: "use --summ-judge=offline or --summ-votes=3, hold faithfulness in its place, or"
        " remove the threshold",
    }
)
"""What to do there."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least value that one number may have, or the most where lower is better; equal passes.

    ``bound`` says whether the figure or the lower bound of its interval is held; it is None for
    pairs and plain means, which have no interval.
    """

    name: str
    least: float
    bound: Bound | None = field(default=None, metadata=SPARSE)

    @property
    def title(self) -> str:
        """Its name as a suite writes it."""
        return self.name + (LOWER if self.bound == "lower" else "")

    @property
    def metric(self) -> MetricName:
        """The metric that the number comes from."""
        return CATALOGUE[self.name].metric

    @property
    def is_upper(self) -> bool:
        """Whether it is the most that the number may be."""
        return self.name in CATALOGUE and CATALOGUE[self.name].lower_is_better

    @property
    def limit(self) -> str:
        """Its value, for messages."""
        return f"{self.least:g}{' at most' if self.is_upper else ''}"

    @property
    def sign(self) -> str:
        """How a value has to stand to it, for the page."""
        return "\u2264" if self.is_upper else "\u2265"

    def held(self, value: float | None, low: float | None) -> float | None:
        """What it is held against: a figure, or the lower bound of its interval."""
        return low if self.bound == "lower" else value

    def is_met_by(self, value: float | None) -> bool:
        """Whether a value is enough; none never is."""
        if value is None:
            return False
        return value <= self.least if self.is_upper else value >= self.least


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """All thresholds of a suite on its systems: for pairs, means and corrected means."""

    pair: tuple[Threshold, ...]
    mean: tuple[Threshold, ...]
    corrected: tuple[Threshold, ...] = ()

    @property
    def by_scope(self) -> dict[str, tuple[Threshold, ...]]:
        """The three, by what stands before their names on the command line."""
        return {"": self.pair, MEAN: self.mean, CORRECTED: self.corrected}

    @property
    def metrics(self) -> tuple[MetricName, ...]:
        """The metrics that any threshold needs; nothing else is measured."""
        return measured_metrics({t.metric for held in self.by_scope.values() for t in held})

    @property
    def names(self) -> tuple[str, ...]:
        """What is held, as the command line names it."""
        return tuple(scope + t.title for scope, held in self.by_scope.items() for t in held)

    def holds(self, name: str) -> bool:
        """Whether pairs or means are held to a threshold on this number."""
        return any(each.name == name for each in (*self.pair, *self.mean))

    def only(self, metrics: Collection[MetricName]) -> Thresholds:
        """Those that numbers of these metrics, and of metrics of one's own, can be held to."""
        return _in_order(
            [t for t in held if t.metric in metrics or t.metric not in METRICS]
            for held in self.by_scope.values()
        )


def _in_order(scopes: Iterable[Iterable[Threshold]]) -> Thresholds:
    """Thresholds on pairs, means and corrected means, each in the order of the catalogue."""
    order = list(CATALOGUE)
    pair, mean, corrected = (
        tuple(sorted(held, key=lambda t: (order.index(t.name), t.title))) for held in scopes
    )
    return Thresholds(pair=pair, mean=mean, corrected=corrected)


def thresholds_of(suite: Suite, *, options: Sequence[str] = ()) -> Thresholds:
    """The thresholds of a suite, all of them checked; ``options`` as for `replace_thresholds`.

    Raises:
        SuiteError, OptionError: for the first in the suite, or in an option, that can never decide.
    """
    _load_own_metrics(suite, options)
    thresholds = read_thresholds(
        suite.thresholds,
        suite.mean_thresholds,
        corrected=suite.corrected_thresholds,
        options=options,
    )
    _check_correctable(suite, thresholds.corrected)
    if suite.variants.eva.recall == "matched" and thresholds.holds(ENTAILED):
        raise OptionError(
            f'{suite.shown} has a threshold for {ENTAILED} and says eva_recall = "matched", which'
            ' leaves it unmeasured; write eva_recall = "both", or remove the threshold'
        )
    _check_own(suite, thresholds)
    check_waivers(suite.waivers, thresholds)
    return thresholds


def _load_own_metrics(suite: Suite, options: Iterable[str]) -> None:
    """Load the metrics of one's own that a suite or an option speaks of, with the suite's options.

    Raises:
        SuiteError: at the table of a metric that is not installed, or takes no such options.
    """
    for table in suite.variants.own:
        try:
            own_metric(table.metric, table.values)
        except OptionError as error:
            raise SuiteError(table.place, str(error)) from error
    given = (option.partition("=")[0].strip().removeprefix(MEAN) for option in options)
    add_own_numbers([*given, *(each.name for each in (*suite.thresholds, *suite.mean_thresholds))])


def _check_own(suite: Suite, thresholds: Thresholds) -> None:
    """Refuse a number that the options of its metric leave out, and options that nobody needs."""
    for threshold in (*thresholds.pair, *thresholds.mean):
        if threshold.metric not in METRICS:
            metric = own_metric(threshold.metric, suite.variants.options_of(threshold.metric))
            if remedy := metric.lacking.get(threshold.name):
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
    pair: Iterable[Setting],
    mean: Iterable[Setting],
    *,
    corrected: Iterable[Setting] = (),
    options: Sequence[str] = (),
) -> Thresholds:
    """The thresholds that a suite writes, with those of the command line in their place."""
    scopes = {"": pair, MEAN: mean, CORRECTED: corrected}
    written = (
        [_threshold(scope, each.name, each.value, partial(SuiteError, each.place)) for each in held]
        for scope, held in scopes.items()
    )
    return replace_thresholds(_in_order(written), options)


def replace_thresholds(
    thresholds: Thresholds, options: Sequence[str], option: str = "--summ-min"
) -> Thresholds:
    """Thresholds with those of the command line in their place, in the order of the catalogue.

    ``options`` are ``METRIC=VALUE``, ``mean.METRIC=VALUE`` or ``corrected.METRIC=VALUE`` each.

    Raises:
        OptionError: for an unknown name, or a value out of the number's range, in an option.
    """
    scopes = {
        scope: {each.title: each for each in held} for scope, held in thresholds.by_scope.items()
    }
    for given in options:
        name, _, text = given.partition("=")
        scope = next((each for each in (MEAN, CORRECTED) if name.startswith(each)), "")
        name = name.removeprefix(scope).strip()
        try:
            value = float(text)
        except ValueError:
            raise OptionError(
                f"{option}={given!r} is no METRIC=VALUE; write {option} facet=0.6"
            ) from None
        found = _threshold(scope, name, value, _option_mistake(f"{option}={given}: "))
        scopes[scope][name] = found
    return _in_order(held.values() for held in scopes.values())


def _option_mistake(told: str) -> Mistake:
    return lambda fault: OptionError(told + fault)


def _threshold(scope: str, given: str, value: float, mistake: Mistake) -> Threshold:
    """A threshold, unless it can never decide."""
    bound: Bound | None = None
    name, known, told = given, tuple(CATALOGUE), given
    if scope == CORRECTED:
        bound = "lower" if given.endswith(LOWER) else "point"
        name, known, told = given.removesuffix(LOWER), CORRECTABLE, CORRECTED + given
    if name not in known:
        no_labels = ", which no label corrects" if name in CATALOGUE else ""
        known = known if scope == CORRECTED else (*known, *installed_metrics())
        raise mistake(
            f"unknown threshold {told!r}{no_labels}; {nearest(name, dict.fromkeys(known))}"
        )
    _check_range(f"threshold {told}", value, CATALOGUE[name], mistake)
    return Threshold(name, value, bound)


def _check_range(what: str, value: float, named: Named, mistake: Mistake) -> None:
    """Refuse a value that everything meets, or nothing can."""
    if not named.low <= value <= named.high:
        raise mistake(
            f"{what} = {value:g} can never decide: {named.name} ({named.meaning}) ranges"
            f" {named.range}; write a value in that range, or remove it"
        )


def _check_correctable(suite: Suite, corrected: Iterable[Threshold]) -> None:
    """Refuse a corrected mean that no label corrects, or labels of FM on another scale."""
    for threshold in corrected:
        is_overall = threshold.name == "facet"
        part = "overall" if is_overall else "facets" if "." in threshold.name else "sentences"
        if not any(has_part(label, part) for label in suite.labels.values()):
            raise OptionError(
                f"{suite.shown} has a threshold for {CORRECTED}{threshold.title} and no label with"
                f' {part!r} to correct it by; label some in the file that labels = "..." names, or'
                " remove the threshold"
            )
        for label in suite.labels.values() if is_overall else ():
            if label.overall is not None and not LOWEST <= label.overall <= 1:
                raise SuiteError(
                    label.place,
                    f"'overall' is {label.overall:g} and {CORRECTED}{threshold.title} needs it on"
                    f" the scale of FM, {LOWEST:g} to 1; rescale the labels, or remove the"
                    " threshold",
                )


def check_supported(thresholds: Thresholds, judge: str, n_votes: int | None, suite: str) -> None:
    """Refuse a threshold on the mean support, a share of votes, under a model that is asked once.

    ``n_votes`` is None for a judge that is no model, whose answers tell whether it gives any.
    """
    if n_votes == 1 and thresholds.holds(SUPPORT):
        raise OptionError(
            f"{suite} has a threshold for {SUPPORT}, and judge {judge!r} with one vote says of a"
            f" sentence only yes or no; {REMEDIES[SUPPORT]}"
        )


SPEARMAN: Final = "facet_spearman"
"""The one figure that is of scores, not of counts."""
FOLLOWING: Final = frozenset({"evidence_f1"})
"""Figures that follow from others: shown only where a floor is set on them."""
RECALL: Final = "unfaithful_recall"
OF_ERROR: Final = f"{RECALL}."
"""Before a kind of error, as the labels name it: the recall on the sentences that have it."""


def _figure(name: str, meaning: str, low: float = 0.0) -> Named:
    """A figure of agreement up to 1, higher is better; of the metric whose answers it is about."""
    metrics: dict[str, MetricName] = {"facet": "facet", "fact": "eva"}
    metric = metrics.get(name.partition("_")[0], "faithfulness")
    return Named(name=name, metric=metric, low=low, high=1.0, meaning=meaning)


_FIGURES: Final = (
    _figure("facet_kappa", "mean of the four facets' quadratic kappas", -1.0),
    *(_figure(f"facet_kappa.{f}", f"quadratic kappa of the {f}'s ratings", -1.0) for f in FACETS),
    _figure("facet_exact", "facets rated as labelled"),
    *(_figure(f"facet_exact.{facet}", f"{facet}s rated as labelled") for facet in FACETS),
    _figure(SPEARMAN, "Spearman's rho of FM and the labelled overall score", -1.0),
    _figure("unfaithful_precision", "sentences called unsupported that are labelled so"),
    _figure(RECALL, "sentences labelled unfaithful that are called unsupported"),
    _figure("fact_f1", "F1 on the facts that hold"),
    _figure("fact_kappa", "kappa of the facts' verdicts", -1.0),
    _figure("evidence_precision", "named source sentences that are labelled as evidence"),
    _figure("evidence_recall", "labelled evidence sentences that are named"),
    _figure("evidence_f1", "F1 of evidence precision and recall"),
)
AGREEMENTS: Final[Mapping[str, Named]] = MappingProxyType({f.name: f for f in _FIGURES})
"""By the names that ``[thresholds.judge]`` uses, in the order in which they are shown."""


def named_agreement(name: str) -> Named:
    """What one figure is; a KeyError where there is none of that name."""
    if name.startswith(OF_ERROR):
        error = name.removeprefix(OF_ERROR)
        return _figure(name, f"sentences labelled {error!r} that are called unsupported")
    return AGREEMENTS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """What one judge is held to, in the order of the figures, those on kinds of errors last.

    ``judge`` is the judge whose own table they are; empty where they are those of every judge.
    """

    floors: tuple[Threshold, ...] = ()
    judge: str = ""

    def only(self, metrics: Collection[MetricName]) -> Floors:
        """Those on answers to questions of these metrics."""
        held = tuple(f for f in self.floors if named_agreement(f.name).metric in metrics)
        return Floors(floors=held, judge=self.judge)


def floors_of(suite: Suite, judge: str) -> Floors:
    """The floors that a suite sets for a judge: those of its own table, else those of all.

    Every floor of the suite is checked, whoever judges.

    Raises:
        SuiteError: for an unknown name, a value out of the figure's range, a floor that no label
            has something for, and a table of a judge that there is not.
    """
    known = {OFFLINE, judge, *suite.judges, *suite.recorded_judges}
    tables: dict[str, list[Threshold]] = {"": []}
    for setting in suite.judge_thresholds:
        mistake = partial(SuiteError, setting.place)
        whose, given = _split(setting.name, mistake)
        what = f"agreement floor {setting.name!r}"
        if whose and whose not in known and ":" not in whose:
            raise mistake(
                f"{what} is for the unknown judge {whose!r}; {nearest(whose, known)}; or define it"
                f" as [judges.{whose}]"
            )
        figure = named_agreement(given.removesuffix(LOWER))
        if lacking := _lacking(suite, figure.name):
            raise mistake(f"{what} can never be held: {lacking}")
        _check_range(f"agreement floor {setting.name}", setting.value, figure, mistake)
        bound: Bound = "lower" if given.endswith(LOWER) else "point"
        tables.setdefault(whose, []).append(Threshold(figure.name, setting.value, bound))
    own = judge if judge in tables else ""
    order = {name: place for place, name in enumerate(AGREEMENTS)}
    held = sorted(tables[own], key=lambda f: (order.get(f.name, len(order)), f.name, f.bound or ""))
    return Floors(floors=tuple(held), judge=own)


def _split(name: str, mistake: Mistake) -> tuple[str, str]:
    """Whose floor a setting is, and its name; what stands before a known name is a judge's."""
    words = name.split(".")
    for place in range(len(words)):
        given = ".".join(words[place:])
        figure = given.removesuffix(LOWER)
        if figure in AGREEMENTS or (figure.startswith(OF_ERROR) and figure != RECALL + LOWER):
            return ".".join(words[:place]), given
    raise mistake(f"unknown agreement floor {name!r}; {nearest(name, AGREEMENTS)}")


def _lacking(suite: Suite, figure: str) -> str:
    """Why no label has anything for a figure, and the remedy; empty where one has."""
    parts = {"facet": "facets", "unfaithful": "unfaithful sentences", "fact": "facts"}
    needed = parts.get(figure.partition("_")[0], "evidence")
    if figure == SPEARMAN:
        needed = "overall"
    if not any(has_part(label, needed) for label in suite.labels.values()):
        missing = "the suite has no labels" if not suite.labels else f"no label has {needed!r}"
        return (
            f'{missing}; label {needed} in the file that labels = "..." names, or remove the floor'
        )
    error = figure.removeprefix(OF_ERROR)
    errors = {s.error for label in suite.labels.values() for s in label.sentences or () if s.error}
    if not figure.startswith(OF_ERROR) or error in errors:
        return ""
    return f"no labelled sentence has the error {error!r}; {nearest(error, errors)}"


def has_part(label: Label, part: str) -> bool:
    """Whether a label has something in one of its parts.

    ``overall`` is there, too, where all four facets are rated; ``evidence`` where any sentence has.
    """
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
    """A waiver and what a run made of it."""

    waiver: Waiver
    state: WaiverState

    @property
    def fault(self) -> str:
        """Why it fails its test: it has to be mended or deleted; empty where it has not."""
        waiver = self.waiver
        match self.state:
            case "expired":
                return f"{waiver.told} expired on {waiver.expires}; mend, renew or delete it"
            case "not needed":
                return f"{waiver.told} is no longer needed; delete it"
            case "exceeded":
                than = "no less" if waiver.most is None else "no more"
                return f"{waiver.told} allows {than} than {waiver.bound or 0.0:g}"
            case "in use" | "not judged":
                return ""


def faults_of(uses: Iterable[WaiverUse]) -> tuple[str, ...]:
    """What is wrong with waivers that have to be mended or deleted."""
    return tuple(use.fault for use in uses if use.fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """The waivers of a suite on one day, ``today``, as ``2027-01-31``."""

    waivers: tuple[Waiver, ...] = ()
    today: str = ""

    def use(
        self,
        paper: str,
        system: str,
        *,
        missed: Mapping[str, float | None],
        measured: Collection[str],
    ) -> tuple[WaiverUse, ...]:
        """What became of the waivers of one pair, or of the means with `ALL_PAPERS` as the paper.

        ``missed`` are the numbers under their thresholds, ``measured`` the names of those of which
        it is known whether they fall short.
        """
        return tuple(
            WaiverUse(waiver=waiver, state=self._state(waiver, missed, measured))
            for waiver in self.waivers
            if (waiver.paper, waiver.system) == (paper, system)
        )

    def _state(
        self, waiver: Waiver, missed: Mapping[str, float | None], measured: Collection[str]
    ) -> WaiverState:
        if waiver.finding not in measured:
            return "not judged"
        if self.today > waiver.expires:
            return "expired"
        if waiver.finding not in missed:
            return "not needed"
        bound = None if waiver.bound is None else Threshold(waiver.finding, waiver.bound)
        if bound is not None and not bound.is_met_by(missed[waiver.finding]):
            return "exceeded"
        return "in use"


NO_WAIVERS: Final = Waivers()


def all_uses(waivers: Iterable[Waiver], *decided: Iterable[WaiverUse]) -> tuple[WaiverUse, ...]:
    """Every waiver with what became of it in what was decided; "not judged" elsewhere."""
    found = {use.waiver.name: use.state for uses in decided for use in uses}
    return tuple(
        WaiverUse(waiver=waiver, state=found.get(waiver.name, "not judged")) for waiver in waivers
    )


def check_waivers(waivers: Iterable[Waiver], thresholds: Thresholds) -> None:
    """Refuse a waiver of what no threshold holds, which could never be needed.

    Raises:
        SuiteError: for that, and for a bound on the wrong side or out of the number's range.
    """
    for waiver in waivers:
        is_mean = waiver.paper == ALL_PAPERS
        name, named = waiver.finding, CATALOGUE.get(waiver.finding)
        held = [each.name for each in (thresholds.mean if is_mean else thresholds.pair)]
        what, fault = f"waiver {waiver.name!r}", ""
        if named is None or name not in held:
            fault = (
                f"is of {name!r}, which [thresholds{'.mean' if is_mean else ''}] does not hold;"
                f" {nearest(name, CATALOGUE if named is None else held)}"
            )
        elif (waiver.least if named.lower_is_better else waiver.most) is not None:
            key, wrong = ("most", "least") if named.lower_is_better else ("least", "most")
            fault = f"bounds {name} by {wrong!r}, and it gets worse the other way; write {key!r}"
        elif waiver.bound is not None and not named.low <= waiver.bound <= named.high:
            fault = f"allows {name} = {waiver.bound:g}; write a value {named.range}"
        if fault:
            raise SuiteError(waiver.place, f"{what} {fault}")


LEVEL: Final = 0.05
"""The level of significance where no rule names one."""
TESTED: Final = (METRICS[0], *(f"facet.{facet}" for facet in FACETS), *METRICS[1:])
"""The numbers that are tested together where no rule names one: the metrics and the facets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Which drop against a baseline fails; where it has both parts, a drop has to break both.

    Attributes:
        drop: The mean may drop by so much; None where size does not matter.
        level: A drop is significant where its adjusted p value is at most this; None where
            significance does not matter.
        is_named: Whether somebody named the number, so that a run without it cannot pass.
    """

    name: str
    drop: float | None = None
    level: float | None = None
    is_named: bool = False


DEFAULT_RULES: Final = tuple(Rule(name=name, level=LEVEL) for name in TESTED)
"""Any significant drop of a metric or a facet."""


def levels(rules: Iterable[Rule]) -> dict[str, float]:
    """By number, the strictest level at which it is tested; these are corrected together."""
    found: dict[str, float] = {}
    for rule in rules:
        if rule.level is not None:
            found[rule.name] = min(rule.level, found.get(rule.name, 1.0))
    return found or dict.fromkeys(TESTED, LEVEL)


def read_rules(texts: Sequence[str], *, option: str = "--summ-compare-fail") -> tuple[Rule, ...]:
    """The rules; any significant drop where there is none.

    ``texts`` are ``METRIC:0.02``, ``METRIC:p0.05`` or ``METRIC:0.02:p0.05`` each; ``p0.05`` alone
    stands for every metric and facet.

    Raises:
        OptionError: for an unknown number, and for a drop or level that could never decide.
    """
    add_own_numbers(text.partition(":")[0].strip() for text in texts)
    rules = [rule for t in texts for rule in _read_rule(t, _option_mistake(f"{option}={t!r}"))]
    return tuple(rules) or DEFAULT_RULES


def _read_rule(text: str, mistake: Mistake) -> list[Rule]:
    """The rules that one text stands for."""
    name, *parts = (part.strip() for part in text.split(":"))
    if not parts and name.startswith("p") and name not in CATALOGUE:
        level = _level([name], mistake)
        return [Rule(name=tested, level=level) for tested in TESTED]
    if name not in CATALOGUE:
        raise mistake(f": unknown metric {name!r}; {nearest(name, CATALOGUE)}")
    drops = [part for part in parts if not part.startswith("p")]
    tests = [part for part in parts if part.startswith("p")]
    if not parts or len(drops) > 1 or len(tests) > 1:
        raise mistake(
            f" is no rule; write {name}:0.02 for a drop, {name}:p0.05 for a"
            f" significant one, or {name}:0.02:p0.05 for both"
        )
    widest = CATALOGUE[name].high - CATALOGUE[name].low
    if drops and not 0.0 <= _number(drops[0]) < widest:
        raise mistake(
            f": {drops[0]!r} is no drop that {name} could exceed; write a number"
            f" from 0 to under {widest:g}"
        )
    drop = _number(drops[0]) if drops else None
    return [Rule(name=name, drop=drop, level=_level(tests, mistake), is_named=True)]


def _level(tests: Sequence[str], mistake: Mistake) -> float | None:
    if not tests:
        return None
    value = _number(tests[0].removeprefix("p"))
    if not 0.0 < value < 1.0:
        raise mistake(
            f": {tests[0]!r} is no level of significance; write p0.05, a number between 0 and 1"
        )
    return value


def _number(text: str) -> float:
    """The number that a text is; NaN, which is in no range, where it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
