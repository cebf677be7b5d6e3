"""The verdict on one pair: which thresholds it misses, and which stay undecided.

The table of outcomes is in `verdict.decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from summeval_pytest.metrics.catalogue import (
    CATALOGUE,
    METRICS,
    OPTIONAL,
    PIECES,
    catalogue_of,
    metric_of,
)
from summeval_pytest.metrics.facet import COVERAGE
from summeval_pytest.metrics.faithfulness import SUPPORT
from summeval_pytest.metrics.number import (
    SPARSE,
    UNRECORDED,
    CustomNumbers,
    Finding,
    FindingKind,
    NumberSpec,
    Unscored,
)
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.thresholds import Threshold, Waivers, WaiverUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """One number that misses its threshold; ``value`` None if the summary has nothing to count."""

    name: str
    value: float | None
    least: float
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    @property
    def named(self) -> NumberSpec:
        """What the number is: its metric, meaning and range."""
        return catalogue_of(self.custom)[self.name]

    @property
    def gap(self) -> float:
        """How far the number is from its threshold, as a share of its range."""
        return self.named.gap(self.value, self.least)


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
    missed: dict[str, Shortfall] = {}
    unsure = {t.name: why_missing(t.name) for t in thresholds if numbers.is_missing(t.name)}
    for threshold in thresholds:
        name = threshold.name
        value = numbers.values.get(name)
        if name not in numbers.values or threshold.is_met_by(value):
            continue  # it does not apply, or has no score, or is missing, or is met
        if n_unanswered := numbers.unanswered.get(name):
            unsure[name] = why_open(threshold, value, n_unanswered)
        else:
            short = Shortfall(
                name=name, value=value, least=threshold.least, custom=threshold.custom
            )
            missed[name] = short
    settled = [
        t.name
        for t in thresholds
        if numbers.why_unscored(t.metric) is None and t.name not in unsure
    ]
    missed_by = {name: short.value for name, short in missed.items()}
    uses = waivers.use(numbers.paper, numbers.system, missed=missed_by, measured=settled)
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
    if name in OPTIONAL:
        named = CATALOGUE[name]
        return f"{name} is missing: the judge did not {named.not_said}; {named.remedy}"
    return f"{name} is missing: it was not measured; judge again with that threshold"


def why_open(threshold: Threshold, value: float | None, n_unanswered: int) -> str:
    """That a number misses its threshold with unanswered items counted as wrong."""
    shown = "unknown" if value is None else f"{value:.3f}"
    limit = f"> {threshold.least:g} allowed" if threshold.is_upper else f"< {threshold.least:g}"
    items = unanswered_items(threshold.name, n_unanswered)
    return f"{threshold.title} {shown} {limit}, with {items} counted as wrong"


def unanswered_items(name: str, n: int) -> str:
    """How many unanswered items a number has, in words; empty for none."""
    return f"{n:,} unanswered {PIECES[metric_of(name)]}{'s' * (n != 1)}" if n else ""


def covered_by(uses: Iterable[WaiverUse]) -> frozenset[str]:
    """The names of the numbers that a waiver allows to fall short."""
    return frozenset(use.waiver.finding for use in uses if use.state == "in use")


_MAIN: Final = frozenset({"facet.result", "facet.conclusion"})


def is_alarming(finding: Finding) -> bool:
    """Whether a reader has to see a finding of a pair that passes.

    Conflicts, unsupported sentences, numbers that the source does not have, and a result or a
    conclusion with the lowest rating: that a summary begins without background misleads nobody.
    """
    if finding.kind == "sentence":
        return finding.number != SUPPORT or bool(finding.disputes) or finding.conflict
    return finding.conflict or (finding.number in _MAIN and finding.severity >= 1)


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
