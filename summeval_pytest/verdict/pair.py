"""The verdict on one pair: which thresholds it misses, and which the judge leaves undecided.

A number that the judge left partly unanswered lies between a worst and a best value. It fails where
even the best misses its threshold, it passes where even the worst meets it, and else it is
undecided. A pair fails where anything surely fails, and is undecided only where nothing does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from summeval_pytest.metrics.score import SPARSE, Unscored
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import NOT_SAID, REMEDIES, Threshold
from summeval_pytest.verdict.waivers import Waivers, WaiverUse, faults_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.run.pair_numbers import Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """One number that misses its threshold; ``value`` None where a summary has nothing to count."""

    name: str
    value: float | None
    least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """What one pair misses.

    Attributes:
        shortfalls: The numbers that surely miss their thresholds, waived ones left out.
        unscored: The metrics that the system left without a score: an empty or refused summary.
        waived: The numbers that miss their thresholds and that a waiver covers.
        undecided: What the judge's answers do not decide, a phrase each.
    """

    shortfalls: tuple[Shortfall, ...] = ()
    unscored: tuple[Unscored, ...] = ()
    waived: tuple[Shortfall, ...] = ()
    waivers: tuple[WaiverUse, ...] = ()
    undecided: tuple[str, ...] = field(default=(), metadata=SPARSE)

    @property
    def outcome(self) -> Literal["passed", "failed", "error"]:
        """Failed where anything surely fails, else an error where anything is undecided."""
        if self.shortfalls or self.unscored or self.waiver_faults:
            return "failed"
        return "error" if self.undecided else "passed"

    @property
    def missed(self) -> frozenset[str]:
        """The names of the numbers that fail the pair."""
        return frozenset(shortfall.name for shortfall in self.shortfalls)

    @property
    def waiver_faults(self) -> tuple[str, ...]:
        """What is wrong with waivers that have to be mended or deleted."""
        return faults_of(self.waivers)


def pair_verdict(
    numbers: Numbers, thresholds: Sequence[Threshold], waivers: Waivers, fault: str = ""
) -> PairVerdict:
    """Compare one pair with its thresholds.

    A number that does not apply (a facet that the reference does not state) has nothing to meet.
    One that cannot be counted because the summary states nothing (None) misses every threshold.

    Args:
        numbers: The pair's numbers.
        thresholds: What they have to reach.
        waivers: What may fall short.
        fault: Why the judge left the whole pair unscored; empty where it did not.
    """
    missed: dict[str, Shortfall] = {}
    unsure = {} if fault else dict(_missing(numbers, thresholds))
    for threshold in thresholds:
        name = threshold.name
        if name not in numbers.values:
            continue
        value = numbers.values[name]
        worst, best = numbers.worst.get(name, value), numbers.best.get(name, value)
        if not threshold.is_met_by(best):
            missed[name] = Shortfall(name=name, value=value, least=threshold.least)
        elif phrase := undecided(threshold, value, worst, best):
            unsure[name] = phrase
    uses = waivers.use(
        numbers.paper,
        numbers.system,
        missed={name: shortfall.value for name, shortfall in missed.items()},
        measured=[
            t.name
            for t in thresholds
            if not numbers.why_unscored(t.metric) and t.name not in unsure and not fault
        ],
    )
    unsure |= open_bounds(
        uses, {n: (numbers.values[n], worst) for n, worst in numbers.worst.items()}
    )
    covered = covered_by(uses)
    phrases = [fault] if fault else [*judge_faults(numbers), *unsure.values()]
    return PairVerdict(
        shortfalls=tuple(short for name, short in missed.items() if name not in covered),
        unscored=tuple(each for each in numbers.unscored if each.fault == "system"),
        waived=tuple(short for name, short in missed.items() if name in covered),
        waivers=uses,
        undecided=tuple(phrases),
    )


def judge_faults(numbers: Numbers) -> Iterator[str]:
    """Each metric that the judge left without a score, and why."""
    for each in numbers.unscored:
        if each.fault == "judge":
            yield f"{each.metric} is unscored: {each.status}, {one_line(each.reason)}"


def _missing(numbers: Numbers, thresholds: Iterable[Threshold]) -> Iterator[tuple[str, str]]:
    """Each threshold's number that the judge or the recipe did not give, with a phrase."""
    for threshold in thresholds:
        name = threshold.name
        is_there = name in numbers.values or numbers.absent.get(name) == "not_applicable"
        if not is_there and numbers.why_unscored(threshold.metric) is None:
            yield name, why_missing(name)


def why_missing(name: str) -> str:
    """Why a number is not there, as far as its name tells, and what to do."""
    if name in NOT_SAID:
        return f"{name} is missing: the judge did not {NOT_SAID[name]}; {REMEDIES[name]}"
    return f"{name} is missing: it was not measured; judge again with that threshold"


def undecided(
    bound: Threshold, value: float | None, worst: float | None, best: float | None
) -> str:
    """Why a number does not decide whether it meets its bound, in words; empty where it does.

    ``worst`` and ``best`` are what it would be if every unanswered piece were wrong, or right; None
    if it had no value.
    """
    if bound.is_met_by(worst) or not bound.is_met_by(best):
        return ""
    meets = bound.is_met_by(value)
    now, then = (
        "unknown" if each is None else f"{each:.3f}" for each in (value, worst if meets else best)
    )
    verb, if_it_were = ("meets", "wrong") if meets else ("misses", "right")
    return (
        f"{bound.title} {now} {verb} {bound.limit}, and would be {then} if what the judge left"
        f" unanswered were {if_it_were}"
    )


def open_bounds(
    uses: Iterable[WaiverUse], values: Mapping[str, tuple[float | None, float | None]]
) -> dict[str, str]:
    """The waivers' own bounds that are met only because of what the judge left unanswered.

    ``values`` are value and worst value of a number, by its name.
    """
    found = {}
    for use in uses:
        name, bound = use.waiver.finding, use.waiver.bound
        if use.state == "in use" and bound is not None and name in values:
            value, worst = values[name]
            if phrase := undecided(Threshold(name, bound), value, worst, value):
                found[f"waiver of {name}"] = phrase
    return found


def covered_by(uses: Iterable[WaiverUse]) -> frozenset[str]:
    """The names of the numbers that may fall short."""
    return frozenset(use.waiver.finding for use in uses if use.state == "in use")
