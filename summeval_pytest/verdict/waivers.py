"""Waivers: numbers that may fall short for a while. A stale or exceeded waiver fails its test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from summeval_pytest.errors import SuiteError, nearest
from summeval_pytest.metrics.catalogue import CATALOGUE
from summeval_pytest.metrics.number import UNRECORDED, CustomNumbers
from summeval_pytest.suite.lines import ALL_PAPERS
from summeval_pytest.suite.values import Waiver  # noqa: TC001 - run records read it
from summeval_pytest.verdict.thresholds import Threshold, Thresholds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


WaiverState = Literal["in use", "expired", "not needed", "exceeded", "not judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverUse:
    """A waiver and its state in a run."""

    waiver: Waiver
    state: WaiverState

    @property
    def fault(self) -> str:
        """Why it fails its test; empty where it does not."""
        waiver, than = self.waiver, "less" if self.waiver.most is None else "more"
        faults: dict[WaiverState, str] = {
            "expired": f"{waiver} expired on {waiver.expires}; mend, renew or delete it",
            "not needed": f"{waiver} is no longer needed; delete it",
            "exceeded": f"{waiver} allows no {than} than {waiver.bound or 0.0:g}",
        }
        return faults.get(self.state, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """The waivers of a suite, checked on the day of the run.

    The record does not have this day, so that a replay on a later day is the same to the byte.
    """

    waivers: tuple[Waiver, ...] = ()
    today: str = field(default="", compare=False, metadata=UNRECORDED)
    custom: CustomNumbers = field(default=(), compare=False, repr=False, metadata=UNRECORDED)

    def bound_of(self, waiver: Waiver) -> Threshold | None:
        """What a waived number has to reach all the same; None for anything at all."""
        if waiver.bound is None:
            return None
        return Threshold(waiver.finding, waiver.bound, custom=self.custom)

    def use(
        self,
        paper: str,
        system: str,
        *,
        missed: Mapping[str, float | None],
        measured: Collection[str],
    ) -> tuple[WaiverUse, ...]:
        """What became of the waivers of one pair, or of the means with `ALL_PAPERS` as the paper.

        ``missed`` are the numbers under their thresholds. ``measured`` are the names of all numbers
        that surely meet or miss their thresholds.
        """
        uses = []
        for waiver in self.waivers:
            if (waiver.paper, waiver.system) != (paper, system):
                continue
            state: WaiverState = "in use"
            if waiver.finding not in measured:
                state = "not judged"
            elif self.today > waiver.expires:
                state = "expired"
            elif waiver.finding not in missed:
                state = "not needed"
            elif (bound := self.bound_of(waiver)) is not None:
                state = "in use" if bound.is_met_by(missed[waiver.finding]) else "exceeded"
            uses.append(WaiverUse(waiver=waiver, state=state))
        return tuple(uses)


def day_of(uses: Iterable[WaiverUse]) -> str:
    """A day on which exactly those waivers are expired that were expired in a run."""
    expired = [use.waiver.expires for use in uses if use.state == "expired"]
    return f"{max(expired)}~" if expired else ""


def all_uses(waivers: Iterable[Waiver], *decided: Iterable[WaiverUse]) -> tuple[WaiverUse, ...]:
    """Every waiver with its state; "not judged" where nothing was decided about it."""
    states = {use.waiver.name: use.state for uses in decided for use in uses}
    return tuple(
        WaiverUse(waiver=waiver, state=states.get(waiver.name, "not judged")) for waiver in waivers
    )


def check_waivers(waivers: Iterable[Waiver], thresholds: Thresholds) -> None:
    """Raise a SuiteError for a waiver without a threshold, or with a wrong bound."""
    for waiver in waivers:
        is_mean = waiver.paper == ALL_PAPERS
        scope = thresholds.mean if is_mean else thresholds.pair
        name, known = waiver.finding, {each.name: each.named for each in scope}
        what, fault = f"waiver {waiver.name!r}", ""
        if (named := known.get(name)) is None:
            fault = (
                f"is of {name!r}, which has no threshold in [thresholds{'.mean' * is_mean}];"
                f" {nearest(name, known if name in CATALOGUE else [*CATALOGUE, *known])}"
            )
        elif (waiver.least if named.lower_is_better else waiver.most) is not None:
            key, wrong = ("most", "least") if named.lower_is_better else ("least", "most")
            fault = f"bounds {name} by {wrong!r}, and it gets worse the other way; write {key!r}"
        elif waiver.bound is not None and not named.low <= waiver.bound <= named.high:
            fault = f"allows {name} = {waiver.bound:g}; write a value {named.range}"
        if fault:
            raise SuiteError(waiver.place, f"{what} {fault}")
