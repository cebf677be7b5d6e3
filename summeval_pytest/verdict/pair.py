"""The verdict on one pair: which thresholds it misses, and which stay undecided.

If the judge left questions unanswered, a number lies between a worst and a best value. It fails if
even the best misses its threshold, and passes if even the worst meets it. Otherwise it is
undecided. A pair fails if anything surely fails. It is undecided only if nothing fails.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from summeval_pytest.metrics.catalogue import METRICS, catalogue_of, metric_of
from summeval_pytest.metrics.facet import COVERAGE
from summeval_pytest.metrics.number import (
    SPARSE,
    UNRECORDED,
    CustomNumbers,
    Finding,
    FindingKind,
    Named,
    Unscored,
)
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import NOT_SAID, REMEDIES, Threshold, Waivers, WaiverUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """One number that misses its threshold; ``value`` None if the summary has nothing to count."""

    name: str
    value: float | None
    least: float
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    @property
    def named(self) -> Named:
        """The number."""
        return catalogue_of(self.custom)[self.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """What one pair misses.

    Attributes:
        shortfalls: The numbers that surely miss their thresholds, without waived ones.
        unscored: The metrics without a score by the system's fault: an empty or refused summary.
        waived: The numbers that miss their thresholds and have a waiver.
        waivers: How each waiver of this pair was used; one that is expired, or that nothing needs
            any more, fails the pair.
        undecided: Decisions that are open because the judge gave no answer, a phrase each.
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
        return tuple(use.fault for use in self.waivers if use.fault)


def pair_verdict(
    numbers: Numbers, thresholds: Sequence[Threshold], waivers: Waivers, fault: str = ""
) -> PairVerdict:
    """Compare one pair with its thresholds.

    A number that does not apply (a facet that the reference does not state) has nothing to meet. A
    number that is None, because the summary states nothing, misses every threshold. ``fault`` says
    why the judge left the whole pair unscored; then nothing is compared, and no waiver is judged.
    """
    if fault:
        return PairVerdict(undecided=(fault,))
    ranges = {
        name: Range(value, numbers.worst.get(name, value), numbers.best.get(name, value))
        for name, value in numbers.values.items()
    }
    missed: dict[str, Shortfall] = {}
    unsure = {t.name: why_missing(t.name) for t in thresholds if numbers.is_missing(t.name)}
    for threshold in thresholds:
        name = threshold.name
        if name not in ranges:  # it does not apply, or has no score, or is missing
            continue
        if not threshold.is_met_by(ranges[name].best):
            value, least = ranges[name].value, threshold.least
            missed[name] = Shortfall(name=name, value=value, least=least, custom=threshold.custom)
        elif phrase := why_undecided(threshold, ranges[name]):
            unsure[name] = phrase
    settled = [
        t.name
        for t in thresholds
        if numbers.why_unscored(t.metric) is None and t.name not in unsure
    ]
    # A miss is certain only at the best value that the unanswered items allow.
    missed_by = {name: ranges[name].best for name in missed}
    uses = waivers.use(numbers.paper, numbers.system, missed=missed_by, measured=settled)
    unsure |= open_bounds(waivers, uses, ranges)
    covered = covered_by(uses)
    return PairVerdict(
        shortfalls=tuple(short for name, short in missed.items() if name not in covered),
        # Any other lack of a score is the judge's fault, also where a paper has no source.
        unscored=tuple(each for each in numbers.unscored if each.fault == "system"),
        waived=tuple(short for name, short in missed.items() if name in covered),
        waivers=uses,
        undecided=(*judge_faults(numbers), *unsure.values()),
    )


def judge_faults(numbers: Numbers) -> Iterator[str]:
    """Each metric that the judge left without a score, and why."""
    for each in numbers.unscored:
        if each.fault == "judge":
            yield f"{each.metric} is unscored: {each.status}, {one_line(each.reason)}"


def why_missing(name: str) -> str:
    """Why a number is missing, and what to do."""
    if name in NOT_SAID:
        return f"{name} is missing: the judge did not {NOT_SAID[name]}; {REMEDIES[name]}"
    return f"{name} is missing: it was not measured; judge again with that threshold"


class Range(NamedTuple):
    """A number, and what it would be if every unanswered question were answered wrong, or right."""

    value: float | None
    worst: float | None
    best: float | None


def why_undecided(bound: Threshold, number: Range) -> str:
    """Why a number does not decide whether it meets its bound, in words; empty where it does."""
    if bound.is_met_by(number.worst) or not bound.is_met_by(number.best):
        return ""
    meets = bound.is_met_by(number.value)
    now, then = (
        "unknown" if each is None else f"{each:.3f}"
        for each in (number.value, number.worst if meets else number.best)
    )
    limit = f"{bound.least:g}{' (upper bound)' if bound.is_upper else ''}"
    verb, if_it_were = ("meets", "wrong") if meets else ("misses", "right")
    return (
        f"{bound.title} {now} {verb} {limit}, and would be {then} if what the judge left"
        f" unanswered were {if_it_were}"
    )


def open_bounds(
    waivers: Waivers, uses: Iterable[WaiverUse], ranges: Mapping[str, Range]
) -> dict[str, str]:
    """A phrase for each waiver whose own bound is undecided."""
    phrases = {}
    for waiver in (use.waiver for use in uses if use.state == "in use"):
        name, bound = waiver.finding, waivers.bound_of(waiver)
        if bound is not None and (phrase := why_undecided(bound, ranges[name])):
            phrases[f"waiver of {name}"] = phrase
    return phrases


def covered_by(uses: Iterable[WaiverUse]) -> frozenset[str]:
    """The names of the numbers that may fall short."""
    return frozenset(use.waiver.finding for use in uses if use.state == "in use")


def explaining(findings: Iterable[Finding], missed: Collection[str]) -> tuple[Finding, ...]:
    """The findings that explain why these numbers miss their thresholds.

    If FM or the coverage of facets misses, every facet that lost a point counts, else only facets
    under their own threshold. Facts count if EVA-Score or one of its parts misses, sentences if any
    of the three metrics does, and problems of a custom metric if one of its numbers does.
    """
    heads = {*map(metric_of, missed)}
    explains: dict[FindingKind, Callable[[Finding], bool]] = {
        "facet": lambda finding: not {"facet", COVERAGE, finding.number}.isdisjoint(missed),
        "fact": lambda _: "eva" in heads,
        "sentence": lambda _: not heads.isdisjoint(METRICS),
        "own": lambda finding: metric_of(finding.number) in heads,
    }
    return tuple(finding for finding in findings if explains[finding.kind](finding))
