"""What a release has to meet, and the rules that say which drops against a baseline fail.

A policy is required and a record is measured. Neither knows the other: only `verdict.decide`
brings them together. A rule that can never decide is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics.catalogue import CATALOGUE, METRICS
from summeval_pytest.metrics.own import add_own_numbers
from summeval_pytest.questions import FACETS
from summeval_pytest.verdict.floors import Floors  # noqa: TC001 - run records read it
from summeval_pytest.verdict.thresholds import Thresholds  # noqa: TC001 - run records read it
from summeval_pytest.verdict.waivers import Waivers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from summeval_pytest.verdict.thresholds import Mistake

LEVEL: Final = 0.05
"""The level of significance where no rule names one."""
TESTED: Final = (METRICS[0], *(f"facet.{facet}" for facet in FACETS), *METRICS[1:])
"""The numbers that are tested together where no rule names one: the metrics and the facets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A drop against a baseline that fails; with both parts, a drop must break both.

    Attributes:
        drop: The mean may drop by this much; None if size does not matter.
        level: A drop is significant if its adjusted p value is at most this; None if significance
            does not matter.
        is_named: Whether somebody named the number, so that a run without it cannot pass.
    """

    name: str
    drop: float | None = None
    level: float | None = None
    is_named: bool = False


DEFAULT_RULES: Final = tuple(Rule(name=name, level=LEVEL) for name in TESTED)
"""Any significant drop of a metric or a facet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What one suite requires of a release.

    Attributes:
        floors: A table for each judge with its own floors, and one for all other judges.
        waivers: The waivers, and the day on which they are checked.
        rules: The drops against a baseline that fail.
    """

    thresholds: Thresholds
    floors: tuple[Floors, ...] = ()
    waivers: Waivers = field(default_factory=Waivers)
    rules: tuple[Rule, ...] = DEFAULT_RULES


def levels(rules: Iterable[Rule]) -> dict[str, float]:
    """By number, the strictest level at which it is tested; these are corrected together."""
    strictest: dict[str, float] = {}
    for rule in rules:
        if rule.level is not None:
            strictest[rule.name] = min(rule.level, strictest.get(rule.name, 1.0))
    return strictest or dict.fromkeys(TESTED, LEVEL)


def read_rules(texts: Sequence[str], *, option: str = "--summ-compare-fail") -> tuple[Rule, ...]:
    """The rules; any significant drop where there is none.

    ``texts`` are ``METRIC:0.02``, ``METRIC:p0.05`` or ``METRIC:0.02:p0.05`` each; ``p0.05`` alone
    stands for every metric and facet.

    Raises:
        OptionError: for an unknown number, and for a drop or level that could never decide.
    """
    add_own_numbers(text.partition(":")[0].strip() for text in texts)
    rules = [rule for text in texts for rule in _read_rule(text, option)]
    return tuple(rules) or DEFAULT_RULES


def _read_rule(text: str, option: str) -> list[Rule]:
    def mistake(fault: str) -> OptionError:
        return OptionError(f"{option}={text!r}{fault}")

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
    """The number; NaN, which is in no range, for any other text."""
    try:
        return float(text)
    except ValueError:
        return math.nan
