"""Thresholds: what is asked of pairs, means, corrected means and judges, and waivers of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.judges.judge import OFFLINE
from summeval_pytest.metrics.score import (
    CATALOGUE,
    LOWEST,
    METRICS,
    SPARSE,
    SUPPORT,
    MetricName,
)
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver  # noqa: TC001 - run records read it

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.suite import Suite
    from summeval_pytest.suite.values import Setting

Bound = Literal["point", "lower"]
LOWER: Final = ".lower"
"""Behind a name: the lower bound of its interval is held, not the figure itself."""
MEAN: Final = "mean."
CORRECTED: Final = "corrected."
"""Before a number's name on the command line: the mean with the judge's error taken out."""
CORRECTABLE: Final = ("facet", *(f"facet.{facet}" for facet in FACETS), "faithfulness")
"""The numbers whose means golden labels can correct."""
ENTAILED: Final = "eva.recall_entailed"
SUPPORT_REMEDY: Final = (
    "use --summ-judge=offline or --summ-votes=3, hold faithfulness in its place, or remove the"
    " threshold"
)
"""What to do where a judge gives no support."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The least value that one number may have; equal passes.

    Attributes:
        name: A number of a pair, a mean or a corrected mean, or a figure of agreement.
        least: The least that it may be; the most where lower is better.
        bound: Whether the figure or the lower bound of its interval is held; None for pairs and
            plain means, which have no interval.
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
        """How a value has to stand to it."""
        return "\u2264" if self.is_upper else "\u2265"

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
    def metrics(self) -> tuple[MetricName, ...]:
        """The metrics that any threshold needs; nothing else is measured."""
        needed = {each.metric for each in (*self.pair, *self.mean, *self.corrected)}
        return tuple(metric for metric in METRICS if metric in needed)

    def holds(self, name: str) -> bool:
        """Whether pairs or means are held to a threshold on this number."""
        return any(each.name == name for each in (*self.pair, *self.mean))

    def only(self, metrics: Collection[MetricName]) -> Thresholds:
        """Those that numbers of these metrics can be held to."""
        return Thresholds(
            pair=tuple(each for each in self.pair if each.metric in metrics),
            mean=tuple(each for each in self.mean if each.metric in metrics),
            corrected=tuple(each for each in self.corrected if each.metric in metrics),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """What is held, as the command line names it."""
        return (
            *(each.name for each in self.pair),
            *(MEAN + each.name for each in self.mean),
            *(CORRECTED + each.title for each in self.corrected),
        )


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
    _check_correctable(suite, thresholds.corrected)
    if suite.variants.eva.recall == "matched" and thresholds.holds(ENTAILED):
        raise OptionError(
            f'{suite.shown} has a threshold for {ENTAILED} and says eva_recall = "matched", which'
            ' leaves it unmeasured; write eva_recall = "both", or remove the threshold'
        )
    check_waivers(suite.waivers, thresholds)
    return thresholds


def read_thresholds(
    pair: Iterable[Setting],
    mean: Iterable[Setting],
    *,
    corrected: Iterable[Setting] = (),
    options: Sequence[str] = (),
) -> Thresholds:
    """The thresholds of a suite, with those of the command line in their place.

    Args:
        pair: What the suite asks of every pair.
        mean: What it asks of the means over papers.
        corrected: What it asks of the means once the judge's error is taken out; a name with
            ``.lower`` behind it holds the lower bound of the interval.
        options: ``METRIC=VALUE``, ``mean.METRIC=VALUE`` or ``corrected.METRIC=VALUE`` each.

    Raises:
        SuiteError: for an unknown name, or a value out of the number's range, in the suite.
        OptionError: for the same on the command line.
    """
    held: dict[str, list[Threshold]] = {"": [], MEAN: [], CORRECTED: []}
    for scope, settings in (("", pair), (MEAN, mean), (CORRECTED, corrected)):
        for setting in settings:
            try:
                held[scope].append(_threshold(scope, setting.name, setting.value))
            except ValueError as error:
                raise SuiteError(setting.place, str(error)) from None
    written = Thresholds(
        pair=tuple(held[""]), mean=tuple(held[MEAN]), corrected=tuple(held[CORRECTED])
    )
    return replace_thresholds(written, options)


def replace_thresholds(
    thresholds: Thresholds, options: Sequence[str], option: str = "--summ-min"
) -> Thresholds:
    """Thresholds with those of the command line in their place, in the order of the catalogue.

    Raises:
        OptionError: for an unknown name, or a value out of the number's range, in an option.
    """
    held = {
        "": {each.title: each for each in thresholds.pair},
        MEAN: {each.title: each for each in thresholds.mean},
        CORRECTED: {each.title: each for each in thresholds.corrected},
    }
    for given in options:
        scope, name, value = _read_option(given, option)
        try:
            held[scope][name] = _threshold(scope, name, value)
        except ValueError as error:
            raise OptionError(f"{option}={given}: {error}") from None
    order = list(CATALOGUE)
    pair, mean, corrected = (
        tuple(sorted(found.values(), key=lambda t: (order.index(t.name), t.title)))
        for found in held.values()
    )
    return Thresholds(pair=pair, mean=mean, corrected=corrected)


def _threshold(scope: str, given: str, value: float) -> Threshold:
    """A threshold, or a ValueError that says why it can never decide."""
    bound: Bound | None = None
    name, known, told = given, tuple(CATALOGUE), given
    if scope == CORRECTED:
        bound = "lower" if given.endswith(LOWER) else "point"
        name, known, told = given.removesuffix(LOWER), CORRECTABLE, CORRECTED + given
    if name not in known:
        no_labels = ", which no label corrects" if name in CATALOGUE else ""
        raise ValueError(f"unknown threshold {told!r}{no_labels}; {nearest(name, known)}")
    named = CATALOGUE[name]
    if not named.low <= value <= named.high:
        raise ValueError(
            f"threshold {told} = {value:g} can never decide: {name} ({named.meaning}) ranges"
            f" {named.range}; write a value in that range, or remove it"
        )
    return Threshold(name, value, bound)


def _read_option(given: str, option: str) -> tuple[str, str, float]:
    """Scope, name and value of ``METRIC=VALUE``."""
    name, _, text = given.partition("=")
    scope = next((each for each in (MEAN, CORRECTED) if name.startswith(each)), "")
    try:
        return scope, name.removeprefix(scope).strip(), float(text)
    except ValueError:
        raise OptionError(
            f"{option}={given!r} is no METRIC=VALUE; write {option} facet=0.6"
        ) from None


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
    """Refuse a threshold on the mean support under a model that is asked once.

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


@dataclass(frozen=True, slots=True)
class NamedAgreement:
    """One figure of agreement: what it is and its range; higher is better for all of them."""

    name: str
    meaning: str
    low: float = 0.0
    high: float = 1.0


SPEARMAN: Final = "facet_spearman"
"""The one figure that is of scores, not of counts."""
FOLLOWING: Final = frozenset({"evidence_f1"})
"""Figures that follow from others: shown only where a floor is set on them."""
RECALL: Final = "unfaithful_recall"
OF_ERROR: Final = f"{RECALL}."
"""Before a kind of error, as the labels name it: the recall on the sentences that have it."""
_FIGURES: Final = (
    NamedAgreement("facet_kappa", "mean of the four facets' quadratic kappas", -1.0),
    *(
        NamedAgreement(f"facet_kappa.{facet}", f"quadratic kappa of the {facet}'s ratings", -1.0)
        for facet in FACETS
    ),
    NamedAgreement("facet_exact", "facets rated as labelled"),
    *(NamedAgreement(f"facet_exact.{facet}", f"{facet}s rated as labelled") for facet in FACETS),
    NamedAgreement(SPEARMAN, "Spearman's rho of FM and the labelled overall score", -1.0),
    NamedAgreement("unfaithful_precision", "sentences called unsupported that are labelled so"),
    NamedAgreement(RECALL, "sentences labelled unfaithful that are called unsupported"),
    NamedAgreement("fact_f1", "F1 on the facts that hold"),
    NamedAgreement("fact_kappa", "kappa of the facts' verdicts", -1.0),
    NamedAgreement("evidence_precision", "named source sentences that are labelled as evidence"),
    NamedAgreement("evidence_recall", "labelled evidence sentences that are named"),
    NamedAgreement("evidence_f1", "F1 of evidence precision and recall"),
)
AGREEMENTS: Final[Mapping[str, NamedAgreement]] = MappingProxyType({f.name: f for f in _FIGURES})
"""By the names that ``[thresholds.judge]`` uses, in the order in which they are shown."""


def named_agreement(name: str) -> NamedAgreement:
    """What one figure is.

    Raises:
        KeyError: where there is none of that name.
    """
    if name.startswith(OF_ERROR):
        error = name.removeprefix(OF_ERROR)
        return NamedAgreement(name, f"sentences labelled {error!r} that are called unsupported")
    return AGREEMENTS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """What one judge is held to.

    Attributes:
        floors: In the order of the figures, those on kinds of errors last.
        judge: The judge whose own table they are; empty where they are those of every judge.
    """

    floors: tuple[Threshold, ...] = ()
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
    known = {OFFLINE, judge, *suite.judges, *suite.recorded_judges}
    tables: dict[str, list[Threshold]] = {"": []}
    for setting in suite.judge_thresholds:
        whose, given = _split(setting)
        if whose and whose not in known and ":" not in whose:
            raise SuiteError(
                setting.place,
                f"agreement floor {setting.name!r} is for the unknown judge {whose!r};"
                f" {nearest(whose, known)}; or define it as [judges.{whose}]",
            )
        figure = named_agreement(given.removesuffix(LOWER))
        _check_labelled(suite, setting, figure.name)
        if not figure.low <= setting.value <= figure.high:
            raise SuiteError(
                setting.place,
                f"agreement floor {setting.name} = {setting.value:g} can never decide:"
                f" {figure.name} ({figure.meaning}) ranges from {figure.low:g} to {figure.high:g};"
                " write a value in that range, or remove it",
            )
        bound: Bound = "lower" if given.endswith(LOWER) else "point"
        tables.setdefault(whose, []).append(Threshold(figure.name, setting.value, bound))
    own = judge if judge in tables else ""
    order = {name: place for place, name in enumerate(AGREEMENTS)}
    last = len(order)
    held = sorted(tables[own], key=lambda f: (order.get(f.name, last), f.name, f.bound or ""))
    return Floors(floors=tuple(held), judge=own)


def _split(setting: Setting) -> tuple[str, str]:
    """Whose floor a setting is, and its name; what stands before a known name is a judge's."""
    words = setting.name.split(".")
    for place in range(len(words)):
        given = ".".join(words[place:])
        figure = given.removesuffix(LOWER)
        if figure in AGREEMENTS or (figure.startswith(OF_ERROR) and figure != RECALL + LOWER):
            return ".".join(words[:place]), given
    raise SuiteError(
        setting.place,
        f"unknown agreement floor {setting.name!r}; {nearest(setting.name, AGREEMENTS)}",
    )


def _check_labelled(suite: Suite, setting: Setting, figure: str) -> None:
    """Refuse a floor that no label has something for."""
    parts = {"facet": "facets", "unfaithful": "unfaithful sentences", "fact": "facts"}
    needed = parts.get(figure.partition("_")[0], "evidence")
    if figure == SPEARMAN:
        needed = "overall"
    if not any(has_part(label, needed) for label in suite.labels.values()):
        missing = "the suite has no labels" if not suite.labels else f"no label has {needed!r}"
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name!r} can never be held: {missing};"
            f' label {needed} in the file that labels = "..." names, or remove the floor',
        )
    error = figure.removeprefix(OF_ERROR)
    errors = {s.error for label in suite.labels.values() for s in label.sentences or () if s.error}
    if figure.startswith(OF_ERROR) and error not in errors:
        raise SuiteError(
            setting.place,
            f"agreement floor {setting.name!r} can never be held: no labelled sentence has the"
            f" error {error!r}; {nearest(error, errors)}",
        )


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


State = Literal["in use", "expired", "not needed", "exceeded", "not judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverUse:
    """A waiver and what a run made of it."""

    waiver: Waiver
    state: State

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """The waivers of a suite on one day.

    Attributes:
        waivers: As the suite has them.
        today: The day on which the verdict is taken, as ``2027-01-31``.
    """

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
        """What became of the waivers of one pair.

        Args:
            paper: The paper, or `ALL_PAPERS`.
            system: The system.
            missed: The numbers under their thresholds, by name.
            measured: The names of the numbers of which it is known whether they fall short.
        """
        return tuple(
            WaiverUse(waiver=waiver, state=self._state(waiver, missed, measured))
            for waiver in self.waivers
            if (waiver.paper, waiver.system) == (paper, system)
        )

    def _state(
        self, waiver: Waiver, missed: Mapping[str, float | None], measured: Collection[str]
    ) -> State:
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
        table = "[thresholds.mean]" if is_mean else "[thresholds]"
        name = waiver.finding
        held = [each.name for each in (thresholds.mean if is_mean else thresholds.pair)]
        if name not in held:
            raise SuiteError(
                waiver.place,
                f"waiver {waiver.name!r} is of {name!r}, which {table} does not hold;"
                f" {nearest(name, held if name in CATALOGUE else CATALOGUE)}",
            )
        named = CATALOGUE[name]
        key, wrong = ("most", "least") if named.lower_is_better else ("least", "most")
        if getattr(waiver, wrong) is not None:
            raise SuiteError(
                waiver.place,
                f"waiver {waiver.name!r} bounds {name} by {wrong!r}, and it gets worse the"
                f" other way; write {key!r}",
            )
        if waiver.bound is not None and not named.low <= waiver.bound <= named.high:
            raise SuiteError(
                waiver.place,
                f"waiver {waiver.name!r} allows {name} = {waiver.bound:g}; write a value"
                f" {named.range}",
            )


LEVEL: Final = 0.05
"""The level of significance where no rule names one."""
TESTED: Final = (METRICS[0], *(f"facet.{facet}" for facet in FACETS), *METRICS[1:])
"""The numbers that are tested together where no rule names one: the metrics and the facets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Which drop against a baseline fails; where it has both parts, a drop has to break both.

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


def levels(rules: Iterable[Rule]) -> dict[str, float]:
    """By number, the strictest level at which it is tested; these are corrected together."""
    found: dict[str, float] = {}
    for rule in rules:
        if rule.level is not None:
            found[rule.name] = min(rule.level, found.get(rule.name, 1.0))
    return found or dict.fromkeys(TESTED, LEVEL)


def read_rules(texts: Sequence[str], *, option: str = "--summ-compare-fail") -> tuple[Rule, ...]:
    """The rules; any significant drop where there is none.

    Args:
        texts: ``METRIC:0.02``, ``METRIC:p0.05`` or ``METRIC:0.02:p0.05`` each; ``p0.05`` alone
            stands for every metric and facet.
        option: What they were given with, for messages.

    Raises:
        OptionError: for an unknown number, and for a drop or level that could never decide.
    """
    rules: list[Rule] = []
    for text in texts:
        try:
            rules += _read_rule(text)
        except ValueError as error:
            raise OptionError(f"{option}={text!r}{error}") from None
    return tuple(rules) or DEFAULT_RULES


def _read_rule(text: str) -> list[Rule]:
    """The rules that one text stands for, or a ValueError that goes on from its option."""
    name, *parts = (part.strip() for part in text.split(":"))
    if not parts and name.startswith("p") and name not in CATALOGUE:
        level = _level([name])
        return [Rule(name=tested, level=level) for tested in TESTED]
    if name not in CATALOGUE:
        raise ValueError(f": unknown metric {name!r}; {nearest(name, CATALOGUE)}")
    drops = [part for part in parts if not part.startswith("p")]
    tests = [part for part in parts if part.startswith("p")]
    if not parts or len(drops) > 1 or len(tests) > 1:
        raise ValueError(
            f" is no rule; write {name}:0.02 for a drop, {name}:p0.05 for a"
            f" significant one, or {name}:0.02:p0.05 for both"
        )
    return [Rule(name=name, drop=_drop(name, drops), level=_level(tests), is_named=True)]


def _drop(name: str, drops: Sequence[str]) -> float | None:
    if not drops:
        return None
    widest = CATALOGUE[name].high - CATALOGUE[name].low
    value = _number(drops[0])
    if value is None or not 0.0 <= value < widest:
        raise ValueError(
            f": {drops[0]!r} is no drop that {name} could exceed; write a number"
            f" from 0 to under {widest:g}"
        )
    return value


def _level(tests: Sequence[str]) -> float | None:
    if not tests:
        return None
    value = _number(tests[0].removeprefix("p"))
    if value is None or not 0.0 < value < 1.0:
        raise ValueError(
            f": {tests[0]!r} is no level of significance; write p0.05, a number between 0 and 1"
        )
    return value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
