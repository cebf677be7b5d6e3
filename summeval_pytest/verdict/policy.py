"""What a release has to meet, the rules for its changes, and the floors of its judge.

A policy is required and a record is measured. Neither knows the other: only `verdict.decide`
brings them together. A rule or a floor that can never decide is refused. A floor is the agreement
with golden labels that a judge needs for its verdicts to count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Final

from summeval_pytest.errors import SuiteError, nearest
from summeval_pytest.metrics.catalogue import METRICS, catalogue_of, custom_numbers
from summeval_pytest.metrics.number import SPARSE, MetricName, NumberSpec
from summeval_pytest.questions import FACETS, OFFLINE
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import MIN_SHARE, CompareTable
from summeval_pytest.verdict.means import Slice
from summeval_pytest.verdict.thresholds import (
    LOWER,
    Bound,
    Mistake,
    Threshold,
    Thresholds,
    Waivers,
    check_range,
    has_part,
)

LEVEL: Final = 0.05
"""The level of significance where no rule names one."""
TESTED: Final = (METRICS[0], *(f"facet.{facet}" for facet in FACETS), *METRICS[1:])
"""The numbers that are tested together where no rule names one: the metrics and the facets."""
MARGIN: Final = 0.05
"""How much worse each metric may be where neither the suite nor an option says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What fails against a baseline: a drop, or a number that may be worse by a margin or more.

    A rule with a margin passes only if the papers rule out that the number is worse by the margin
    or more. It fails on a significant drop. Anything else is inconclusive. With a drop and a level,
    a drop must break both.

    Attributes:
        drop: The mean may drop by this much; None if size does not matter.
        margin: The number must be no worse than by this much; None for a rule on drops.
        level: A drop is significant if its adjusted p value is at most this; None if significance
            does not matter.
        is_named: Whether the user's rule names the number. Then a run without it cannot pass.
    """

    name: str
    drop: float | None = None
    level: float | None = None
    is_named: bool = False
    margin: float | None = field(default=None, metadata=SPARSE)


def rules_of(
    margins: Mapping[str, float], drops: Mapping[str, float] = MappingProxyType({})
) -> tuple[Rule, ...]:
    """The rules of a suite's margins and drops, and those on significant drops of what has none."""
    named = (Rule(name=n, margin=m, level=LEVEL, is_named=True) for n, m in margins.items())
    sized = (Rule(name=name, drop=size, is_named=True) for name, size in drops.items())
    others = (Rule(name=n, level=LEVEL) for n in TESTED if n not in {*margins, *drops})
    return (*named, *sized, *others)


DEFAULT_RULES: Final = tuple(
    replace(rule, is_named=False) for rule in rules_of(dict.fromkeys(METRICS, MARGIN))
)
"""Each metric is no worse than by `MARGIN`, and no facet drops significantly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What one suite requires of a release.

    Attributes:
        floors: A table for each judge with its own floors, and one for all other judges.
        waivers: The waivers, and the day on which they are checked.
        rules: What fails against a baseline.
        share: The share of all papers that a comparison and its baseline must both have.
        slices: Groups of papers with means of their own.
        must_pass: Papers that also have to meet the thresholds of means, one by one.
    """

    thresholds: Thresholds
    floors: tuple[Floors, ...] = ()
    waivers: Waivers = field(default_factory=Waivers)
    rules: tuple[Rule, ...] = DEFAULT_RULES
    share: float = field(default=MIN_SHARE, metadata=SPARSE)
    slices: tuple[Slice, ...] = field(default=(), metadata=SPARSE)
    must_pass: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def decides_systems(self) -> bool:
        """Whether a system has anything to reach over its papers."""
        thresholds = self.thresholds
        sliced = any(each.thresholds for each in self.slices)
        return bool(thresholds.mean or sliced)

    def thresholds_of(self, paper: str) -> tuple[Threshold, ...]:
        """What a pair has to reach: of a paper that must pass, the thresholds of means, too."""
        thresholds = self.thresholds
        if paper not in self.must_pass:
            return thresholds.pair
        strictest = {each.name: each for each in thresholds.pair}
        for mean in thresholds.mean:
            pair = strictest.get(mean.name)
            if pair is None or pair.is_met_by(mean.least):
                strictest[mean.name] = mean
        return tuple(strictest.values())


def suite_rules(table: CompareTable) -> tuple[Rule, ...]:
    """The rules that a suite's margins and drops stand for; `DEFAULT_RULES` without any.

    Raises:
        SuiteError: for an unknown number, and for a margin or a drop that could never decide.
    """
    catalogue = catalogue_of(custom_numbers(each.name for each in (*table.no_worse, *table.drop)))
    for key, settings in ("no_worse", table.no_worse), ("drop", table.drop):
        for each in settings:
            if each.name not in catalogue:
                near = nearest(each.name, catalogue)
                raise SuiteError(each.place, f"{key!r} names {each.name!r}; {near}")
            fault = margin_fault(catalogue[each.name], each.value)
            if fault and not (key == "drop" and each.value == 0.0):
                raise SuiteError(each.place, f"{key!r}: {fault}")
    margins = {each.name: each.value for each in table.no_worse}
    drops = {each.name: each.value for each in table.drop}
    return rules_of(margins, drops) if margins or drops else DEFAULT_RULES


def margin_fault(number: NumberSpec, margin: float) -> str:
    """Why a margin of this number could never decide; empty if it can."""
    widest = number.high - number.low
    if 0.0 < margin < widest:
        return ""
    return f"{margin:g} is no margin of {number.name}; write a number above 0 and under {widest:g}"


def levels(rules: Iterable[Rule]) -> dict[str, float]:
    """By number, the strictest level at which it is tested; these are corrected together."""
    strictest: dict[str, float] = {}
    for rule in rules:
        if rule.level is not None:
            strictest[rule.name] = min(rule.level, strictest.get(rule.name, 1.0))
    return strictest or dict.fromkeys(TESTED, LEVEL)


SPEARMAN: Final = "facet_spearman"
"""The one figure of scores; all others are figures of counts."""
FOLLOWING: Final = frozenset({"evidence_f1"})
"""Figures that follow from others: shown only where a floor is set on them."""
RECALL: Final = "unfaithful_recall"
OF_ERROR: Final = f"{RECALL}."
"""Before a kind of error, as the labels name it: the recall on the sentences that have it."""


def _figure(name: str, meaning: str, low: float = 0.0) -> NumberSpec:
    metrics: dict[str, MetricName] = {"facet": "facet", "fact": "eva"}
    metric = metrics.get(name.partition("_")[0], "faithfulness")
    return NumberSpec(name=name, metric=metric, low=low, high=1.0, meaning=meaning)


_FIGURES: Final = (
    _figure("facet_kappa", "mean of the four facets' quadratic kappas", -1.0),
    *(_figure(f"facet_kappa.{f}", f"quadratic kappa of the {f}'s ratings", -1.0) for f in FACETS),
    _figure("facet_exact", "share of facets rated as labelled"),
    *(_figure(f"facet_exact.{facet}", f"share of {facet}s rated as labelled") for facet in FACETS),
    _figure(SPEARMAN, "Spearman's rho of FM and the labelled overall score", -1.0),
    _figure("unfaithful_precision", "share labelled unfaithful, of sentences called unsupported"),
    _figure(RECALL, "share called unsupported, of sentences labelled unfaithful"),
    _figure("fact_f1", "F1 on the facts that hold"),
    _figure("fact_kappa", "kappa of the facts' verdicts", -1.0),
    _figure("evidence_precision", "share labelled as evidence, of source sentences named"),
    _figure("evidence_recall", "share named, of source sentences labelled as evidence"),
    _figure("evidence_f1", "F1 of evidence precision and recall"),
)
AGREEMENTS: Final[Mapping[str, NumberSpec]] = MappingProxyType({f.name: f for f in _FIGURES})
"""By the names that ``[thresholds.judge]`` uses, in the order in which they are shown."""


def named_agreement(name: str) -> NumberSpec:
    """What one figure is; a KeyError where there is none of that name."""
    if name.startswith(OF_ERROR):
        error = name.removeprefix(OF_ERROR)
        return _figure(name, f"share called unsupported, of sentences labelled {error!r}")
    return AGREEMENTS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """The floors of one judge, in the order of the figures; floors on kinds of errors come last.

    Attributes:
        judge: The judge that the floors are for; empty for every judge.
    """

    floors: tuple[Threshold, ...] = ()
    judge: str = ""

    def only(self, metrics: Collection[MetricName]) -> Floors:
        """The floors on answers to questions of these metrics."""
        floors = tuple(f for f in self.floors if named_agreement(f.name).metric in metrics)
        return Floors(floors=floors, judge=self.judge)


def floors_of(tables: Iterable[Floors], judge: str) -> Floors:
    """The floors of one judge among tables: its own, else those of every judge.

    Where there are only tables of other judges, it has none, and bears the name of the first one.
    """
    by_judge = {table.judge: table for table in tables}
    return by_judge.get(judge) or by_judge.get("") or Floors(judge=next(iter(by_judge), ""))


def read_floors(suite: Suite, judge: str) -> tuple[Floors, ...]:
    """Every table of floors that a suite sets, each floor checked; ``judge`` judges the run.

    Raises:
        SuiteError: for an unknown name, a value out of the figure's range, a floor that no label
            has something for, and a table of a judge that there is not.
    """
    known = {OFFLINE, judge, *suite.judges}
    tables: dict[str, list[Threshold]] = {"": []}
    for setting in suite.thresholds.get("judge.", ()):
        mistake = partial(SuiteError, setting.place)
        whose, given = _split(setting.name, mistake)
        what = f"agreement floor {setting.name!r}"
        if whose and whose not in known and ":" not in whose:
            raise mistake(
                f"{what} is for the unknown judge {whose!r}; {nearest(whose, known)}; or define it"
                f" as [judges.{whose}]"
            )
        figure = named_agreement(given.removesuffix(LOWER))
        if missing := _missing_labels(suite, figure.name):
            raise mistake(f"{what} can never be checked: {missing}")
        check_range(f"agreement floor {setting.name}", setting.value, figure, mistake)
        bound: Bound = "lower" if given.endswith(LOWER) else "point"
        tables.setdefault(whose, []).append(Threshold(figure.name, setting.value, bound))
    order = {name: place for place, name in enumerate(AGREEMENTS)}
    for floors in tables.values():
        floors.sort(key=lambda f: (order.get(f.name, len(order)), f.name, f.bound or ""))
    return tuple(Floors(floors=tuple(own), judge=whose) for whose, own in tables.items() if own)


def _split(name: str, mistake: Mistake) -> tuple[str, str]:
    """The judge of a floor and the floor's own name, as in ``offline.facet_kappa.lower``."""
    words = name.split(".")
    for place in range(len(words)):
        given = ".".join(words[place:])
        figure = given.removesuffix(LOWER)
        if figure in AGREEMENTS or (figure.startswith(OF_ERROR) and figure != RECALL + LOWER):
            return ".".join(words[:place]), given
    raise mistake(f"unknown agreement floor {name!r}; {nearest(name, AGREEMENTS)}")


def _missing_labels(suite: Suite, figure: str) -> str:
    """Why no label can measure a figure, and the remedy; empty where one can."""
    parts = {"facet": "facets", "unfaithful": "unfaithful sentences", "fact": "facts"}
    of_figure = parts.get(figure.partition("_")[0], "evidence")
    needed = "overall" if figure == SPEARMAN else of_figure
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
