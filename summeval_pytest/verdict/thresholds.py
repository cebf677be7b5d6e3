"""Thresholds: what was written in a suite or on the command line, held to each number's range."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.judges.judge import OFFLINE
from summeval_pytest.metrics.score import CATALOGUE, LOWEST, METRICS, SUPPORT, MetricName
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver  # noqa: TC001 - run records read it

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from summeval_pytest.metrics.score import Named
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Setting


Bound = Literal["point", "lower"]
LOWER: Final = ".lower"
"""Behind a name: the lower bound of its interval is held, not the figure itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAgreement:
    """One figure of agreement: its range, higher is better for all of them, and what it is."""

    name: str
    low: float
    high: float
    meaning: str


SPEARMAN: Final = "facet_spearman"
"""The one figure that is of scores, not of counts."""


def _named() -> dict[str, NamedAgreement]:
    def named(name: str, meaning: str, low: float = 0.0) -> NamedAgreement:
        return NamedAgreement(name=name, low=low, high=1.0, meaning=meaning)

    figures = [
        named("facet_kappa", "mean of the four facets' quadratic kappas", -1.0),
        *(
            named(f"facet_kappa.{facet}", f"quadratic kappa of the {facet}'s ratings", -1.0)
            for facet in FACETS
        ),
        named("facet_exact", "facets rated as labelled"),
        *(named(f"facet_exact.{facet}", f"{facet}s rated as labelled") for facet in FACETS),
        named(SPEARMAN, "Spearman's rho of FM and the labelled overall score", -1.0),
        named("unfaithful_precision", "sentences called unsupported that are labelled so"),
        named("unfaithful_recall", "sentences labelled unfaithful that are called unsupported"),
        named("fact_f1", "F1 on the facts that hold"),
        named("fact_kappa", "kappa of the facts' verdicts", -1.0),
        named("evidence_precision", "named source sentences that are labelled as evidence"),
        named("evidence_recall", "labelled evidence sentences that are named"),
        named("evidence_f1", "F1 of evidence precision and recall"),
    ]
    return {figure.name: figure for figure in figures}


AGREEMENTS: Final[Mapping[str, NamedAgreement]] = MappingProxyType(_named())
"""By the names that ``[thresholds.judge]`` uses, in the order in which they are shown."""

FOLLOWING: Final = frozenset({"evidence_f1"})
"""Figures that follow from others: shown only where a floor is set on them."""
RECALL: Final = "unfaithful_recall"
OF_ERROR: Final = f"{RECALL}."
"""Before a kind of error, as the labels name it: the recall on the sentences that have it."""


def is_agreement(name: str) -> bool:
    """Whether there may be a figure of this name."""
    return name in AGREEMENTS or (name.startswith(OF_ERROR) and name != RECALL + LOWER)


def named_agreement(name: str) -> NamedAgreement:
    """What one figure is.

    Raises:
        KeyError: where there is none of that name.
    """
    if name.startswith(OF_ERROR):
        meaning = f"sentences labelled {name.removeprefix(OF_ERROR)!r} that are called unsupported"
        return NamedAgreement(name=name, low=0.0, high=1.0, meaning=meaning)
    return AGREEMENTS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The least value that one figure of agreement, or its lower bound, may have; equal holds."""

    name: str
    least: float
    bound: Bound = "point"

    @property
    def title(self) -> str:
        """Its name as a suite writes it."""
        return self.name + (LOWER if self.bound == "lower" else "")

    @property
    def limit(self) -> str:
        """Its value, for messages."""
        return f"{self.least:g}"

    def is_met_by(self, held: float | None) -> bool:
        """Whether what is held against it is enough; an undefined figure never is."""
        return held is not None and held >= self.least


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """What one judge is held to.

    Attributes:
        floors: In the order of the figures, those on kinds of errors last.
        judge: The judge whose own table they are; empty where they are those of every judge.
    """

    floors: tuple[Floor, ...] = ()
    judge: str = ""

    def of_facets(self) -> Floors:
        """Those on ratings of facets and on FM."""
        held = tuple(floor for floor in self.floors if floor.name.startswith("facet"))
        return Floors(floors=held, judge=self.judge)


def floors_of(suite: Suite, judge: str) -> Floors:
    """The floors that a suite sets for a judge: those of its own table, else those of all.

    Every floor of the suite is checked, whoever judges.

    Raises:
        SuiteError: for an unknown name, a value out of the figure's range, a floor that no label
            has something for, and a table of a judge that there is not.
    """
    tables: dict[str, list[Floor]] = {"": []}
    for setting in suite.judge_thresholds:
        whose, name = _split(setting)
        _check_judge(suite, setting, whose, judge)
        _check_labelled(suite, setting, name)
        tables.setdefault(whose, []).append(_floor(setting, name))
    own = judge if judge in tables else ""
    order = {name: place for place, name in enumerate(AGREEMENTS)}
    last = len(order)
    held = sorted(tables[own], key=lambda f: (order.get(f.name, last), f.name, f.bound))
    return Floors(floors=tuple(held), judge=own)


def _check_judge(suite: Suite, setting: Setting, whose: str, judge: str) -> None:
    """Refuses floors for a judge that nobody can name: they would hold nobody."""
    known = {OFFLINE, judge, *suite.judges, *suite.recorded_judges}
    if whose and whose not in known and ":" not in whose:
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name!r} is for the unknown judge {whose!r};"
            f" {nearest(whose, known)}; or define it as [judges.{whose}]",
        )


def _split(setting: Setting) -> tuple[str, str]:
    """Whose floor a setting is, and its name; what stands before a known name is a judge's.

    Raises:
        SuiteError: where it has no known name.
    """
    words = setting.name.split(".")
    for place in range(len(words)):
        name = ".".join(words[place:])
        if is_agreement(name.removesuffix(LOWER)):
            return ".".join(words[:place]), name
    raise SuiteError(
        setting.place,
        f"unknown agreement floor {setting.name!r}; {nearest(setting.name, AGREEMENTS)}",
    )


def _check_labelled(suite: Suite, setting: Setting, name: str) -> None:
    needed = _needed(name)
    if not any(has_part(label, needed) for label in suite.labels.values()):
        missing = "the suite has no labels" if not suite.labels else f"no label has {needed!r}"
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name!r} can never be held: {missing};"
            f' label {needed} in the file that labels = "..." names, or remove the floor',
        )
    figure = name.removesuffix(LOWER)
    error = figure.removeprefix(OF_ERROR)
    errors = {s.error for label in suite.labels.values() for s in label.sentences or () if s.error}
    if figure.startswith(OF_ERROR) and error not in errors:
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name!r} can never be held: no labelled sentence has the"
            f" error {error!r}; {nearest(error, errors)}",
        )


def _needed(name: str) -> str:
    """The part of a label that a figure needs."""
    if name.startswith("facet_spearman"):
        return "overall"
    parts = {"facet": "facets", "unfaithful": "unfaithful sentences", "fact": "facts"}
    return parts.get(name.partition("_")[0], "evidence")


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


def _floor(setting: Setting, name: str) -> Floor:
    known = named_agreement(name.removesuffix(LOWER))
    if not known.low <= setting.value <= known.high:
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name} = {setting.value:g} can never decide: {known.name}"
            f" ({known.meaning}) ranges from {known.low:g} to {known.high:g};"
            " write a value in that range, or remove it",
        )
    bound: Bound = "lower" if name.endswith(LOWER) else "point"
    return Floor(name=known.name, least=setting.value, bound=bound)


State = Literal["in use", "expired", "not needed", "exceeded", "not judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverUse:
    """A waiver and what a run made of it."""

    waiver: Waiver
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """The waivers of a suite on one day.

    Attributes:
        waivers: As the suite has them.
        today: The day on which the verdict is taken, as ``2027-01-31``.
    """

    waivers: tuple[Waiver, ...] = ()
    today: str = ""

    def of(self, paper: str, system: str) -> tuple[Waiver, ...]:
        """The waivers of one pair, or of a system's means."""
        return tuple(w for w in self.waivers if (w.paper, w.system) == (paper, system))

    def use(
        self,
        paper: str,
        system: str,
        *,
        missed: Mapping[str, float | None],
        measured: Iterable[str],
    ) -> tuple[WaiverUse, ...]:
        """What became of the waivers of one pair.

        Args:
            paper: The paper, or `ALL_PAPERS`.
            system: The system.
            missed: The numbers under their thresholds, by name.
            measured: The names of the numbers of which it is known whether they fall short.
        """
        known = set(measured)
        return tuple(
            WaiverUse(waiver=waiver, state=self._state(waiver, missed, known))
            for waiver in self.of(paper, system)
        )

    def _state(self, waiver: Waiver, missed: Mapping[str, float | None], known: set[str]) -> State:
        if waiver.finding not in known:
            return "not judged"
        if self.today > waiver.expires:
            return "expired"
        if waiver.finding not in missed:
            return "not needed"
        value = missed[waiver.finding]
        if waiver.bound is not None and not CATALOGUE[waiver.finding].meets(value, waiver.bound):
            return "exceeded"
        return "in use"


def fault_of(use: WaiverUse) -> str:
    """What a waiver that fails its test has to say; empty where it is none of those."""
    waiver = use.waiver
    match use.state:
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
    """What is wrong with the waivers that have to be mended or deleted."""
    return tuple(fault for use in uses if (fault := fault_of(use)))


def covered_by(uses: Iterable[WaiverUse]) -> frozenset[str]:
    """The names of the numbers that may fall short."""
    return frozenset(use.waiver.finding for use in uses if use.state == "in use")


def all_uses(waivers: Iterable[Waiver], *decided: Iterable[WaiverUse]) -> tuple[WaiverUse, ...]:
    """Every waiver with what became of it in what was decided; "not judged" elsewhere."""
    found = {use.waiver.name: use.state for uses in decided for use in uses}
    return tuple(
        WaiverUse(waiver=waiver, state=found.get(waiver.name, "not judged")) for waiver in waivers
    )


def check_waivers(waivers: Iterable[Waiver], thresholds: Thresholds) -> None:
    """Refuses a waiver of what no threshold holds, which could never be needed.

    Raises:
        SuiteError: for that, and for a bound out of the number's range.
    """
    held = {
        True: [threshold.name for threshold in thresholds.mean],
        False: [threshold.name for threshold in thresholds.pair],
    }
    for waiver in waivers:
        is_mean = waiver.paper == ALL_PAPERS
        table = "[thresholds.mean]" if is_mean else "[thresholds]"
        known = held[is_mean]
        if waiver.finding not in known:
            hint = nearest(waiver.finding, known if waiver.finding in CATALOGUE else CATALOGUE)
            raise SuiteError(
                waiver.place,
                f"waiver {waiver.name!r} is of {waiver.finding!r}, which {table} does not hold;"
                f" {hint}",
            )
        _check_bound(waiver, CATALOGUE[waiver.finding])


def _check_bound(waiver: Waiver, named: Named) -> None:
    """Refuses a bound on the wrong side, and one out of the number's range."""
    key, wrong = ("most", "least") if named.lower_is_better else ("least", "most")
    if getattr(waiver, wrong) is not None:
        raise SuiteError(
            waiver.place,
            f"waiver {waiver.name!r} bounds {waiver.finding} by {wrong!r}, and it gets worse the"
            f" other way; write {key!r}",
        )
    if waiver.bound is not None and not named.low <= waiver.bound <= named.high:
        raise SuiteError(
            waiver.place,
            f"waiver {waiver.name!r} allows {waiver.finding} = {waiver.bound:g}; write a value"
            f" {named.range}",
        )


CORRECTABLE: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "faithfulness")
"""The numbers whose means golden labels can correct."""


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


RULES_OPTION: Final = "--summ-compare-fail"
LEVEL: Final = 0.05
"""The level of significance where no rule names one."""
TESTED: Final = (METRICS[0], *(f"facet.{facet}" for facet in FACETS), *METRICS[1:])
"""The numbers that are tested together where no rule names one: the metrics and the facets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule; where it has both parts, a drop has to break both.

    Attributes:
        name: The number, by the name of its threshold.
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


def read_rules(texts: Sequence[str], *, option: str = RULES_OPTION) -> tuple[Rule, ...]:
    """The rules; any significant drop where there is none.

    Args:
        texts: ``METRIC:0.02``, ``METRIC:p0.05`` or ``METRIC:0.02:p0.05`` each; ``p0.05`` alone
            stands for every metric and facet.
        option: What they were given with, for messages.

    Raises:
        OptionError: for an unknown number, and for a drop or level that could never decide.
    """
    return tuple(rule for text in texts for rule in _read(text, option)) or DEFAULT_RULES


def levels(rules: Iterable[Rule]) -> dict[str, float]:
    """By number, the strictest level at which it is tested; these are corrected together."""
    found: dict[str, float] = {}
    for rule in rules:
        if rule.level is not None:
            found[rule.name] = min(rule.level, found.get(rule.name, 1.0))
    return found or dict.fromkeys(TESTED, LEVEL)


def _read(text: str, option: str) -> list[Rule]:
    name, *parts = (part.strip() for part in text.split(":"))
    if not parts and name.startswith("p") and name not in CATALOGUE:
        level = _level(name, text, option)
        return [Rule(name=tested, level=level) for tested in TESTED]
    if name not in CATALOGUE:
        raise OptionError(f"{option}={text!r}: unknown metric {name!r}; {nearest(name, CATALOGUE)}")
    drops = [part for part in parts if not part.startswith("p")]
    tests = [part for part in parts if part.startswith("p")]
    if not parts or len(drops) > 1 or len(tests) > 1:
        raise OptionError(
            f"{option}={text!r} is no rule; write {name}:0.02 for a drop, {name}:p0.05 for a"
            f" significant one, or {name}:0.02:p0.05 for both"
        )
    return [
        Rule(
            name=name,
            drop=_drop(name, drops[0], text, option) if drops else None,
            level=_level(tests[0], text, option) if tests else None,
            is_named=True,
        )
    ]


def _number(part: str) -> float | None:
    try:
        return float(part)
    except ValueError:
        return None


def _drop(name: str, part: str, text: str, option: str) -> float:
    named = CATALOGUE[name]
    value = _number(part)
    widest = named.high - named.low
    if value is None or not 0.0 <= value < widest:
        raise OptionError(
            f"{option}={text!r}: {part!r} is no drop that {name} could exceed; write a number"
            f" from 0 to under {widest:g}"
        )
    return value


def _level(part: str, text: str, option: str) -> float:
    value = _number(part.removeprefix("p"))
    if value is None or not 0.0 < value < 1.0:
        raise OptionError(
            f"{option}={text!r}: {part!r} is no level of significance; write p0.05, a number"
            " between 0 and 1"
        )
    return value
