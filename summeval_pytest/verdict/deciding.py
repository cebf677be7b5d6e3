"""The verdict on one pair: which thresholds it misses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from summeval_pytest.errors import JudgeError
from summeval_pytest.metrics import SUPPORT, Unscored, lacks_support
from summeval_pytest.text import one_line
from summeval_pytest.verdict.thresholds import SUPPORT_REMEDY, Threshold
from summeval_pytest.verdict.waivers import Waivers, WaiverUse, covered_by, faults_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.evaluation import Numbers
    from summeval_pytest.verdict.floors import Floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """One number that misses its threshold; ``value`` None where a summary has nothing to count.

    ``least`` is the most that it may be where the threshold is an upper bound.
    """

    name: str
    value: float | None
    least: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """What one pair misses.

    Attributes:
        shortfalls: The numbers under their thresholds, waived ones left out.
        lacking: The metrics that the system left without a score: an empty or refused summary.
        waived: The numbers under their thresholds that a waiver covers.
        waivers: What became of the pair's waivers.
    """

    shortfalls: tuple[Shortfall, ...]
    lacking: tuple[Unscored, ...] = ()
    waived: tuple[Shortfall, ...] = ()
    waivers: tuple[WaiverUse, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether everything is scored, each threshold met or waived, and each waiver in order."""
        return not self.shortfalls and not self.lacking and not self.waiver_faults

    @property
    def missed(self) -> frozenset[str]:
        """The names of the numbers that fail the pair."""
        return frozenset(shortfall.name for shortfall in self.shortfalls)

    @property
    def waiver_faults(self) -> tuple[str, ...]:
        """What is wrong with waivers that have to be mended or deleted."""
        return faults_of(self.waivers)


def raise_judge_faults(numbers: Numbers) -> None:
    """Refuses to go on where the judge left a metric without a score.

    Raises:
        JudgeError: naming the metrics and why; an unscored pair is never decided.
    """
    faults = [lack for lack in numbers.unscored if lack.fault == "judge"]
    if faults:
        reasons = "; ".join(f"{f.metric}: {f.status}, {one_line(f.reason)}" for f in faults)
        raise JudgeError(
            f"paper {numbers.paper!r}, system {numbers.system!r} is unscored: {reasons}"
        )


def raise_unsupported(numbers: Numbers, names: Iterable[str]) -> None:
    """Refuses to hold a mean support that the judge did not give.

    Raises:
        JudgeError: if it is among the names, and the pair has a faithfulness without it.
    """
    if SUPPORT in names and lacks_support(numbers.values):
        raise JudgeError(
            f"paper {numbers.paper!r}, system {numbers.system!r} has no {SUPPORT}: the judge did"
            f" not say of every sentence how far it is supported; {SUPPORT_REMEDY}"
        )


def undecided(what: str, bound: Threshold | Floor, value: float | None, worst: float | None) -> str:
    """Why a number that meets its bound decides nothing, in words; empty where it decides.

    A pass must not stand on pieces without an answer, which are left out of every share.

    Args:
        what: What is undecided; the name of the number follows.
        bound: What is held.
        value: The number.
        worst: What it would be if every unanswered piece were wrong; None where it has no value.
    """
    if not bound.is_met_by(value) or bound.is_met_by(worst):
        return ""
    now, then = ("unknown" if each is None else f"{each:.3f}" for each in (value, worst))
    return (
        f"{what} {bound.title} {now} meets {bound.limit}, and would be {then} if what the judge"
        " left unanswered were wrong"
    )


def check_decided(
    what: str, bound: Threshold | Floor, value: float | None, worst: float | None
) -> None:
    """Refuses to pass what is `undecided`.

    Raises:
        JudgeError: saying why.
    """
    if told := undecided(what, bound, value, worst):
        raise JudgeError(told)


def check_waived(
    what: str, uses: Iterable[WaiverUse], held: Mapping[str, tuple[float | None, float | None]]
) -> None:
    """Refuses a waiver that covers a number only because of what the judge left unanswered.

    Args:
        what: As for `check_decided`.
        uses: What became of the waivers.
        held: By name, numbers and what they would be at the worst.

    Raises:
        JudgeError: as `check_decided`, for the waiver's own bound.
    """
    for use in uses:
        name, bound = use.waiver.finding, use.waiver.bound
        if use.state == "in use" and bound is not None and name in held:
            check_decided(what, Threshold(name, bound), *held[name])


def decide(
    numbers: Numbers, thresholds: Sequence[Threshold], waivers: Waivers | None = None
) -> PairVerdict:
    """Holds one pair to its thresholds.

    A number that does not apply (a facet that the reference lacks) is not held; one that cannot be
    counted because the summary states nothing (None) is under every threshold.

    Raises:
        JudgeError: if the judge left a metric without a score, gave no support where a threshold
            is on it, or left so much unanswered that a threshold is met only because of it.
        KeyError: for a threshold whose metric was not measured, which must not pass in silence.
    """
    raise_judge_faults(numbers)
    raise_unsupported(numbers, [threshold.name for threshold in thresholds])
    what = f"paper {numbers.paper!r}, system {numbers.system!r} is undecided:"
    shortfalls = []
    for threshold in thresholds:
        if threshold.name not in numbers.values:
            if threshold.metric not in numbers.values and not numbers.lacking(threshold.metric):
                raise KeyError(threshold.metric)
            continue
        value = numbers.values[threshold.name]
        check_decided(what, threshold, value, numbers.worst.get(threshold.name, value))
        if not threshold.is_met_by(value):
            shortfalls.append(Shortfall(name=threshold.name, value=value, least=threshold.least))
    scored = [t.name for t in thresholds if not numbers.lacking(t.metric)]
    uses = (waivers or Waivers()).use(
        numbers.paper,
        numbers.system,
        missed={shortfall.name: shortfall.value for shortfall in shortfalls},
        measured=scored,
    )
    held = {name: (numbers.values[name], worst) for name, worst in numbers.worst.items()}
    check_waived(what, uses, held)
    covered = covered_by(uses)
    return PairVerdict(
        shortfalls=tuple(s for s in shortfalls if s.name not in covered),
        lacking=numbers.unscored,
        waived=tuple(s for s in shortfalls if s.name in covered),
        waivers=uses,
    )
