"""What a release has to meet, and the rules for its changes against a baseline.

A policy is required and a record is measured. Neither knows the other: only `verdict.decide`
brings them together. A rule that can never decide is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, SuiteError, nearest
from summeval_pytest.metrics.catalogue import METRICS, catalogue_of
from summeval_pytest.metrics.number import SPARSE
from summeval_pytest.metrics.own import custom_numbers
from summeval_pytest.questions import FACETS
from summeval_pytest.suite.values import MIN_SHARE
from summeval_pytest.verdict.floors import Floors  # noqa: TC001 - run records read it
from summeval_pytest.verdict.slices import Slice  # noqa: TC001 - run records read it
from summeval_pytest.verdict.thresholds import (  # noqa: TC001 - run records read it
    Threshold,
    Thresholds,
)
from summeval_pytest.verdict.waivers import Waivers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.metrics.number import Named
    from summeval_pytest.suite.values import CompareTable
    from summeval_pytest.verdict.thresholds import Mistake

LEVEL: Final = 0.05
"""The level of significance where no rule names one."""
TESTED: Final = (METRICS[0], *(f"facet.{facet}" for facet in FACETS), *METRICS[1:])
"""The numbers that are tested together where no rule names one: the metrics and the facets."""
MARGIN: Final = 0.05
"""How much worse each metric may be where neither the suite nor an option says."""
_NO_WORSE: Final = "no-worse-"


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


def no_worse_rules(margins: Mapping[str, float]) -> tuple[Rule, ...]:
    """The rules of a suite's margins, and those on significant drops of what has none."""
    rules = [
        Rule(name=name, margin=margin, level=LEVEL, is_named=True)
        for name, margin in margins.items()
    ]
    return (*rules, *(Rule(name=name, level=LEVEL) for name in TESTED if name not in margins))


DEFAULT_RULES: Final = tuple(
    replace(rule, is_named=False) for rule in no_worse_rules(dict.fromkeys(METRICS, MARGIN))
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
        return bool(thresholds.mean or thresholds.corrected or sliced)

    def of_pair(self, paper: str) -> tuple[Threshold, ...]:
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
    """The rules that a suite's margins stand for; `DEFAULT_RULES` without any.

    Raises:
        SuiteError: for an unknown number, and for a margin that could never decide.
    """
    catalogue = catalogue_of(custom_numbers(each.name for each in table.no_worse))
    for name, margin, place in ((each.name, each.value, each.place) for each in table.no_worse):
        if name not in catalogue:
            raise SuiteError(place, f"'no_worse' names {name!r}; {nearest(name, catalogue)}")
        if fault := margin_fault(catalogue[name], margin):
            raise SuiteError(place, f"'no_worse': {fault}")
    if not table.no_worse:
        return DEFAULT_RULES
    return no_worse_rules({each.name: each.value for each in table.no_worse})


def levels(rules: Iterable[Rule]) -> dict[str, float]:
    """By number, the strictest level at which it is tested; these are corrected together."""
    strictest: dict[str, float] = {}
    for rule in rules:
        if rule.level is not None:
            strictest[rule.name] = min(rule.level, strictest.get(rule.name, 1.0))
    return strictest or dict.fromkeys(TESTED, LEVEL)


def read_rules(texts: Sequence[str], *, option: str = "--summ-compare-fail") -> tuple[Rule, ...]:
    """The rules that these texts name.

    ``texts`` are ``METRIC:no-worse-0.05``, ``METRIC:0.02``, ``METRIC:p0.05``, or a rule and a level
    as in ``METRIC:0.02:p0.05``; ``p0.05`` alone is that level for every metric and facet.

    Raises:
        OptionError: for an unknown number, and for a drop, margin or level that could never decide.
    """
    catalogue = catalogue_of(custom_numbers(text.partition(":")[0].strip() for text in texts))
    return tuple(rule for text in texts for rule in _read_rule(text, option, catalogue))


def _read_rule(text: str, option: str, catalogue: Mapping[str, Named]) -> list[Rule]:
    def mistake(fault: str) -> OptionError:
        return OptionError(f"{option}={text!r}{fault}")

    name, *parts = (part.strip() for part in text.split(":"))
    if not parts and name.startswith("p") and name not in catalogue:
        level = _level([name], mistake)
        return [Rule(name=tested, level=level) for tested in TESTED]
    if name not in catalogue:
        raise mistake(f": unknown metric {name!r}; {nearest(name, catalogue)}")
    drops = [part for part in parts if not part.startswith("p")]
    tests = [part for part in parts if part.startswith("p")]
    if not parts or len(drops) > 1 or len(tests) > 1:
        raise mistake(
            f" is no rule; write {name}:no-worse-0.05 for a margin, {name}:0.02 for a drop,"
            f" {name}:p0.05 for a significant one, or {name}:0.02:p0.05 for both"
        )
    if drops and drops[0].startswith(_NO_WORSE):
        margin = _number(drops[0].removeprefix(_NO_WORSE))
        if fault := margin_fault(catalogue[name], margin):
            raise mistake(f": {fault}")
        level = _level(tests, mistake) or LEVEL
        return [Rule(name=name, margin=margin, level=level, is_named=True)]
    widest = catalogue[name].high - catalogue[name].low
    if drops and not 0.0 <= _number(drops[0]) < widest:
        raise mistake(
            f": {drops[0]!r} is no drop that {name} could exceed; write a number"
            f" from 0 to under {widest:g}"
        )
    drop = _number(drops[0]) if drops else None
    return [Rule(name=name, drop=drop, level=_level(tests, mistake), is_named=True)]


def margin_fault(number: Named, margin: float) -> str:
    """Why a margin of this number could never decide; empty if it can."""
    widest = number.high - number.low
    if 0.0 < margin < widest:
        return ""
    return f"{margin:g} is no margin of {number.name}; write a number above 0 and under {widest:g}"


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
    """The number; NaN, which is in no range, for any other text."""
    try:
        return float(text)
    except ValueError:
        return math.nan
