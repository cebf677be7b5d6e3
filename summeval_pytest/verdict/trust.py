"""What golden labels say of a judge, as values: figures of agreement, held to a suite's floors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from summeval_pytest.metrics.recorded import SPARSE
from summeval_pytest.verdict.floors import Floor  # noqa: TC001 - run records read it

Outcome = Literal["passed", "failed", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One figure of agreement, with its 95 % interval over papers.

    Attributes:
        name: Its name, as ``[thresholds.judge]`` has it.
        value: None where it is undefined, as the precision of a judge that finds nothing.
        low: The lower bound; None where fewer than half of the resamples define it.
        high: The upper bound.
        n_items: How many items it stands on.
        n_papers: On how many papers.
        floors: What it is held to.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n_items: int
    n_papers: int
    floors: tuple[Floor, ...] = ()

    def held(self, floor: Floor) -> float | None:
        """What a floor is held against: the figure, or its lower bound."""
        return self.low if floor.bound == "lower" else self.value

    @property
    def missed(self) -> tuple[Floor, ...]:
        """The floors that it does not reach; an undefined figure reaches none."""
        return tuple(f for f in self.floors if not f.is_met_by(self.held(f)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What the golden labels say of a judge.

    Attributes:
        judge: The judge's signature.
        labels: 12 hex digits over the labels: two judges measured on others do not compare.
        floors_of: The judge whose own table of floors it is held to; empty for that of all.
        agreements: Every figure that the labels have something for.
        n_pairs: The labelled pairs.
        n_papers: Their papers; those with the same reference are one.
        n_unanswered: Labelled items that the judge left without an answer.
        n_left_out: Labelled facets that the judge does not find in the reference.
        fault: Why it was not measured, in words; empty where it was.
        undecided: The floors that it holds only because of what it left unanswered, in words; empty
            where there is none.
    """

    judge: str
    labels: str
    floors_of: str = ""
    agreements: tuple[Agreement, ...] = ()
    n_pairs: int = 0
    n_papers: int = 0
    n_unanswered: int = 0
    n_left_out: int = 0
    fault: str = ""
    undecided: str = field(default="", metadata=SPARSE)

    @property
    def missed(self) -> tuple[tuple[Agreement, Floor], ...]:
        """The floors that the judge misses, each with its figure."""
        return tuple((found, floor) for found in self.agreements for floor in found.missed)

    @property
    def n_floors(self) -> int:
        """How many floors it is held to."""
        return sum(len(agreement.floors) for agreement in self.agreements)

    @property
    def is_untrusted(self) -> bool:
        """Whether it was measured and misses a floor."""
        return bool(self.missed)

    @property
    def outcome(self) -> Outcome:
        """Failed where a floor is missed, error where nothing was measured or it is undecided."""
        if self.is_untrusted:
            return "failed"
        return "error" if self.fault or self.undecided else "passed"

    def agreement(self, name: str) -> Agreement | None:
        """One figure; None where the labels have nothing for it."""
        return next((found for found in self.agreements if found.name == name), None)
