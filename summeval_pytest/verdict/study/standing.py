"""Systems by numbers, with ranks (FM, tables 2 and 4; EVA-Score, table 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.verdict.study.columns import Column, columns_of
from summeval_pytest.verdict.study.estimates import Mean, mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import StudiedPair

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One system by one number.

    Attributes:
        system: The system.
        mean: Over its papers.
        rank: From 1, equal means share the better one; None without a mean, and where more is not
            better.
    """

    system: str
    mean: Mean
    rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """All systems by one number, in the suite's order."""

    column: Column
    places: tuple[Place, ...]

    @property
    def is_uneven(self) -> bool:
        """Whether the means stand on different numbers of papers."""
        return len({place.mean.n for place in self.places}) > 1


def standings(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[Standing, ...]:
    """Every number by system.

    Args:
        by_system: The pairs of each system, in the order shown.
        judges: The judges, in the order shown.
        n_papers: How many papers there are; a mean says how many of these it covers.
    """
    every = [pair for pairs in by_system.values() for pair in pairs]
    return tuple(
        _standing(column, by_system, n_papers) for column in columns_of(every, tuple(judges))
    )


def _standing(
    column: Column, by_system: Mapping[str, Sequence[StudiedPair]], n_papers: int
) -> Standing:
    means = {
        system: over(n_papers, [(pair.group, column.of(pair)) for pair in pairs])
        for system, pairs in by_system.items()
    }
    values = {system: mean.value for system, mean in means.items()}
    ranks = ranked(values) if column.is_ranked else {}
    return Standing(
        column=column,
        places=tuple(
            Place(system=system, mean=mean, rank=ranks.get(system))
            for system, mean in means.items()
        ),
    )


def over(n_papers: int, parts: Sequence[tuple[str, float | None]]) -> Mean:
    """The mean of the parts; papers that are not among them are without a value, too."""
    lacking = [("", None)] * (n_papers - len(parts))
    return mean_of([*parts, *lacking])


def ranked(values: Mapping[str, float | None]) -> dict[str, int]:
    """The rank of each value from the highest, 1; equal ones share the better rank.

    So 3, 5, 5, 1 have the ranks 3, 1, 1, 4. What is None has none.
    """
    known = {name: value for name, value in values.items() if value is not None}
    return {
        name: 1 + sum(other > value + _ROUNDING for other in known.values())
        for name, value in known.items()
    }
