"""How a system's mean would vary over other papers: what FM, figure 4d, draws as a violin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.verdict.study.columns import Column, leading_columns
from summeval_pytest.verdict.study.estimates import draws, rounded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from summeval_pytest.verdict.study.pairs import StudiedPair

STEPS: Final = 40
"""The quantiles go up by 1 / 40."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The bootstrap distribution of one system's mean of one number.

    Attributes:
        column: The number.
        system: The system.
        n: The papers that it stands on.
        n_of: How many there are.
        quantiles: From the smallest to the largest of 1,000 resamples, 41 values from 0 to 1 in
            steps of 1/40; empty with fewer than two groups of papers.
        iqr: The range of the middle half; None without quantiles.
    """

    column: Column
    system: str
    n: int
    n_of: int
    quantiles: tuple[float, ...]
    iqr: float | None


def spreads(
    by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str], n_papers: int
) -> tuple[Spread, ...]:
    """The distribution of every system's mean of the leading numbers."""
    return tuple(
        _spread(column, system, pairs, n_papers)
        for column in leading_columns(by_system, judges)
        for system, pairs in by_system.items()
    )


def _spread(column: Column, system: str, pairs: Sequence[StudiedPair], n_papers: int) -> Spread:
    known = [(pair.group, value) for pair in pairs if (value := column.of(pair)) is not None]
    found = draws(known, [1.0] * len(known))
    quantiles: tuple[float, ...] = ()
    iqr = None
    if len(found):
        steps = np.quantile(found, np.linspace(0, 1, STEPS + 1))
        quantiles = tuple(rounded(float(value)) for value in steps)
        iqr = rounded(quantiles[3 * STEPS // 4] - quantiles[STEPS // 4])
    return Spread(
        column=column, system=system, n=len(known), n_of=n_papers, quantiles=quantiles, iqr=iqr
    )
