"""The rules of a comparison: which drops against a baseline fail, as `--summ-compare-fail` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics import CATALOGUE, METRICS
from summeval_pytest.questions import FACETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OPTION: Final = "--summ-compare-fail"
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


def read_rules(texts: Sequence[str], *, option: str = OPTION) -> tuple[Rule, ...]:
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
