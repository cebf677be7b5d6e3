"""Waivers held to a run: which are in use, and which have to go because nothing needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from summeval_pytest.errors import SuiteError, nearest
from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.suite import ALL_PAPERS, Waiver

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from summeval_pytest.metrics import Named
    from summeval_pytest.verdict.thresholds import Thresholds

State = Literal["in use", "expired", "not needed", "exceeded", "not judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverUse:
    """A waiver and what a run made of it."""

    waiver: Waiver
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Waivers:
    """The waivers of a suite on one day.

    Attributes:
        waivers: As the suite has them.
        today: The day on which the verdict is taken, as ``2027-01-31``.
    """

    waivers: tuple[Waiver, ...] = ()
    today: str = ""

    def of(self, paper: str, system: str) -> tuple[Waiver, ...]:
        """The waivers of one pair, or of a system's means."""
        return tuple(w for w in self.waivers if (w.paper, w.system) == (paper, system))

    def use(
        self,
        paper: str,
        system: str,
        *,
        missed: Mapping[str, float | None],
        measured: Iterable[str],
    ) -> tuple[WaiverUse, ...]:
        """What became of the waivers of one pair.

        Args:
            paper: The paper, or `ALL_PAPERS`.
            system: The system.
            missed: The numbers under their thresholds, by name.
            measured: The names of the numbers of which it is known whether they fall short.
        """
        known = set(measured)
        return tuple(
            WaiverUse(waiver=waiver, state=self._state(waiver, missed, known))
            for waiver in self.of(paper, system)
        )

    def _state(self, waiver: Waiver, missed: Mapping[str, float | None], known: set[str]) -> State:
        if waiver.finding not in known:
            return "not judged"
        if self.today > waiver.expires:
            return "expired"
        if waiver.finding not in missed:
            return "not needed"
        value = missed[waiver.finding]
        if waiver.bound is not None and not CATALOGUE[waiver.finding].meets(value, waiver.bound):
            return "exceeded"
        return "in use"


def fault_of(use: WaiverUse) -> str:
    """What a waiver that fails its test has to say; empty where it is none of those."""
    waiver = use.waiver
    match use.state:
        case "expired":
            return f"{waiver.told} expired on {waiver.expires}; mend, renew or delete it"
        case "not needed":
            return f"{waiver.told} is no longer needed; delete it"
        case "exceeded":
            than = "no less" if waiver.most is None else "no more"
            return f"{waiver.told} allows {than} than {waiver.bound or 0.0:g}"
        case "in use" | "not judged":
            return ""


def faults_of(uses: Iterable[WaiverUse]) -> tuple[str, ...]:
    """What is wrong with the waivers that have to be mended or deleted."""
    return tuple(fault for use in uses if (fault := fault_of(use)))


def covered_by(uses: Iterable[WaiverUse]) -> frozenset[str]:
    """The names of the numbers that may fall short."""
    return frozenset(use.waiver.finding for use in uses if use.state == "in use")


def all_uses(waivers: Iterable[Waiver], *decided: Iterable[WaiverUse]) -> tuple[WaiverUse, ...]:
    """Every waiver with what became of it in what was decided; "not judged" elsewhere."""
    found = {use.waiver.name: use.state for uses in decided for use in uses}
    return tuple(
        WaiverUse(waiver=waiver, state=found.get(waiver.name, "not judged")) for waiver in waivers
    )


def check_waivers(waivers: Iterable[Waiver], thresholds: Thresholds) -> None:
    """Refuses a waiver of what no threshold holds, which could never be needed.

    Raises:
        SuiteError: for that, and for a bound out of the number's range.
    """
    held = {
        True: [threshold.name for threshold in thresholds.mean],
        False: [threshold.name for threshold in thresholds.pair],
    }
    for waiver in waivers:
        is_mean = waiver.paper == ALL_PAPERS
        table = "[thresholds.mean]" if is_mean else "[thresholds]"
        known = held[is_mean]
        if waiver.finding not in known:
            hint = nearest(waiver.finding, known if waiver.finding in CATALOGUE else CATALOGUE)
            raise SuiteError(
                waiver.place,
                f"waiver {waiver.name!r} is of {waiver.finding!r}, which {table} does not hold;"
                f" {hint}",
            )
        _check_bound(waiver, CATALOGUE[waiver.finding])


def _check_bound(waiver: Waiver, named: Named) -> None:
    """Refuses a bound on the wrong side, and one out of the number's range."""
    key, wrong = ("most", "least") if named.lower_is_better else ("least", "most")
    if getattr(waiver, wrong) is not None:
        raise SuiteError(
            waiver.place,
            f"waiver {waiver.name!r} bounds {waiver.finding} by {wrong!r}, and it gets worse the"
            f" other way; write {key!r}",
        )
    if waiver.bound is not None and not named.low <= waiver.bound <= named.high:
        raise SuiteError(
            waiver.place,
            f"waiver {waiver.name!r} allows {waiver.finding} = {waiver.bound:g}; write a value"
            f" {named.range}",
        )
