"""Metamorphic relations held to what was measured, paper by paper and over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from summeval_pytest.metrics import CATALOGUE
from summeval_pytest.text import one_line
from summeval_pytest.verdict.correcting import MIN_COVERAGE
from summeval_pytest.verdict.relations import Direction, held

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.evaluation import Numbers
    from summeval_pytest.text.editing import Edit
    from summeval_pytest.verdict.relations import Relation

_ROUNDING: Final = 1e-9
State = Literal["passes", "fails", "unanswered", "nothing to check"]


@dataclass(frozen=True, slots=True)
class Broken:
    """One number that did not move as it must."""

    number: str
    direction: Direction
    before: float
    after: float
    amount: float = 0.0

    def __str__(self) -> str:
        wanted = (
            f"{self.direction} {self.amount:g}" if self.direction == "at least" else self.direction
        )
        return f"{self.number} {self.before:.3f} -> {self.after:.3f}, expected {wanted}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One relation on one paper.

    Attributes:
        relation: Its name.
        paper: The paper.
        held: Whether all that was measured moved as expected; None where nothing of it was
            measured, or the judge left a part of it without a number and nothing is broken.
        broken: What did not move as expected.
        edit: What was done to the summary, in a few words.
        unanswered: What the judge left without a number, and why.
    """

    relation: str
    paper: str
    held: bool | None
    broken: tuple[Broken, ...]
    edit: str
    unanswered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationVerdict:
    """One relation over papers.

    Attributes:
        relation: Its name.
        checks: Its outcome on each paper that offers the edit.
        least: Least share of the decided papers on which it has to hold, 0 to 1.
    """

    relation: str
    checks: tuple[Check, ...]
    least: float

    @property
    def n_held(self) -> int:
        """Papers on which it holds."""
        return sum(check.held is True for check in self.checks)

    @property
    def n_broken(self) -> int:
        """Papers on which it is broken."""
        return sum(check.held is False for check in self.checks)

    @property
    def n_unanswered(self) -> int:
        """Papers that the judge left undecided."""
        return sum(check.held is None and bool(check.unanswered) for check in self.checks)

    @property
    def share(self) -> float | None:
        """Share of the decided papers on which it holds; None without any."""
        n_decided = self.n_held + self.n_broken
        return self.n_held / n_decided if n_decided else None

    @property
    def state(self) -> State:
        """The verdict; "unanswered" where more than 5 % of the papers are the judge's to answer.

        So it is where the relation would not hold often enough if it were broken on these.
        """
        n_decided = self.n_held + self.n_broken
        n_papers = n_decided + self.n_unanswered
        if not n_papers:
            return "nothing to check"
        if n_decided < MIN_COVERAGE * n_papers:
            return "unanswered"
        if self.n_held < self.least * n_decided - _ROUNDING:
            return "fails"
        return "passes" if self.n_held >= self.least * n_papers - _ROUNDING else "unanswered"


def check(relation: Relation, *, before: Numbers, after: Numbers, edit: Edit) -> Check:
    """Holds what was measured on one paper to a relation.

    A number of a metric that nobody measured is not demanded. One that the judge owes is neither
    held nor broken, and keeps the relation from holding; what else is broken stays broken.
    """
    outcomes = [
        (expectation, held(expectation, before.values, after.values))
        for expectation in relation.expectations
    ]
    broken = tuple(
        Broken(
            e.number,
            e.direction,
            before.values[e.number] or 0.0,
            after.values[e.number] or 0.0,
            e.amount,
        )
        for e, outcome in outcomes
        if outcome is False
    )
    owed = tuple(dict.fromkeys(_owed(relation, before, after)))
    is_held = None if owed or all(outcome is None for _, outcome in outcomes) else True
    return Check(
        relation=relation.name,
        paper=before.paper,
        held=False if broken else is_held,
        broken=broken,
        edit=edit.told,
        unanswered=owed,
    )


def _owed(relation: Relation, before: Numbers, after: Numbers) -> Iterator[str]:
    """The relation's numbers that the judge should have given, each with the reason if any."""
    for numbers in (before, after):
        for expectation in relation.expectations:
            name = expectation.number
            lack = numbers.lacking(CATALOGUE[name].metric)
            if lack is not None and lack.fault == "judge":
                yield f"{lack.metric}: {lack.status}, {one_line(lack.reason)}"
            elif lack is None and name in numbers.values and numbers.values[name] is None:
                yield f"{name}: no number"


def decide_relation(
    relation: Relation, checks: Sequence[Check], *, floors: Mapping[str, float] | None = None
) -> RelationVerdict:
    """The verdict on one relation over papers.

    Args:
        relation: The relation.
        checks: Its outcome on each paper that offers the edit.
        floors: By name of a relation, the least share of papers in place of its own.
    """
    least = (floors or {}).get(relation.name, relation.floor)
    return RelationVerdict(relation=relation.name, checks=tuple(checks), least=least)
