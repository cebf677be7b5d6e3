"""Judges by systems, and whether judges prefer systems of their own family (FareBio, figure 4).

A judge may be mild, and a system good; neither is self-preference. So a score is taken to be

    x[judge, system] = judge's level + system's level + b * (1 if of one family, else 0)

and b is what is wanted. With D the table of ones and zeros, Dc the same with the means of its rows
and columns taken out, the least squares estimate for a paper is

    b = sum(Dc * x) / sum(Dc * Dc)

Taking the means out of D takes them out of x as well. Where every judge has one system of its own
and none is left over, b is the mean, over judges, of the own score minus the mean of the others,
after the judge's mean and the system's mean are taken out (the diagonal minus the rest); in other
tables that difference is too small, since a family's preference is part of the means taken out, and
b is not. No b can be had where own and foreign systems are all or nothing: with one judge, or where
every judge is of the family of every system.

A paper counts where every judge has scored every system: otherwise easy papers would weigh for one
judge and not for another. The interval resamples papers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.verdict.study.estimates import Mean, mean_of, rounded
from summeval_pytest.verdict.study.standing import over

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.verdict.study.pairs import StudiedPair

METRICS: Final = ("faithfulness", "facet")
_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """What one judge thinks of one system."""

    judge: str
    system: str
    is_own: bool
    mean: Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeHeat:
    """Judges by systems in one metric, and what own families gain.

    Attributes:
        metric: ``faithfulness``, the rate of supported sentences, or ``facet``, FM.
        cells: By judge, then by system.
        difference: Mean of the cells of one family minus mean of the others, nothing taken out,
            over the papers of ``preference``; None where there are not both.
        preference: b, with its interval; n counts the papers that every judge has scored for every
            system.
    """

    metric: str
    cells: tuple[HeatCell, ...]
    difference: float | None
    preference: Mean


def judge_heats(
    by_system: Mapping[str, Sequence[StudiedPair]],
    judges: Sequence[str],
    families: tuple[Mapping[str, str], Mapping[str, str]],
    n_papers: int,
) -> tuple[JudgeHeat, ...]:
    """The heat of each metric.

    Args:
        by_system: The pairs of each system, in the order shown.
        judges: The judges, in the order shown.
        families: The family of each judge, and that of each system.
        n_papers: How many papers there are.
    """
    of_judge, of_system = families
    own = np.array(
        [[of_judge[judge] == of_system[system] for system in by_system] for judge in judges],
        dtype=np.float64,
    ).reshape(len(judges), len(by_system))
    return tuple(_heat(metric, by_system, judges, own, n_papers) for metric in METRICS)


def _heat(
    metric: str,
    by_system: Mapping[str, Sequence[StudiedPair]],
    judges: Sequence[str],
    own: NDArray[np.float64],
    n_papers: int,
) -> JudgeHeat:
    cells = tuple(
        HeatCell(
            judge=judge,
            system=system,
            is_own=bool(own[row, column]),
            mean=over(n_papers, [(pair.group, _value(pair, judge, metric)) for pair in pairs]),
        )
        for row, judge in enumerate(judges)
        for column, (system, pairs) in enumerate(by_system.items())
    )
    tables = _complete(metric, by_system, judges)
    return JudgeHeat(
        metric=metric,
        cells=cells,
        difference=_difference(own, tables),
        preference=_preference(own, tables, n_papers),
    )


def _value(pair: StudiedPair, judge: str, metric: str) -> float | None:
    judged = pair.judged.get(judge)
    return None if judged is None else judged.values.get(metric)


_Tables = list[tuple[str, "NDArray[np.float64]"]]


def _complete(
    metric: str, by_system: Mapping[str, Sequence[StudiedPair]], judges: Sequence[str]
) -> _Tables:
    """The table of each paper without a gap, with the paper's group."""
    papers: dict[str, dict[str, StudiedPair]] = {}
    for system, pairs in by_system.items():
        for pair in pairs:
            papers.setdefault(pair.paper, {})[system] = pair
    found: _Tables = []
    for of in (papers[paper] for paper in sorted(papers)):
        if len(of) < len(by_system):
            continue
        rows = [[_value(of[system], judge, metric) for system in by_system] for judge in judges]
        if all(value is not None for row in rows for value in row):
            group = next(iter(of.values())).group
            found.append((group, np.array(rows, dtype=np.float64)))
    return found


def _difference(own: NDArray[np.float64], tables: _Tables) -> float | None:
    is_own = own > 0
    if not tables or is_own.all() or not is_own.any():
        return None
    gains = [float(table[is_own].mean() - table[~is_own].mean()) for _, table in tables]
    return rounded(math.fsum(gains) / len(gains))


def _preference(own: NDArray[np.float64], tables: _Tables, n_papers: int) -> Mean:
    centred = _centred(own) if own.size else own
    weight = float((centred * centred).sum())
    if weight < _ROUNDING:
        return Mean(value=None, n=len(tables), n_of=n_papers)
    gains = [(group, float((centred * table).sum()) / weight) for group, table in tables]
    lacking = [("", None)] * (n_papers - len(gains))
    return mean_of([*gains, *lacking])


def _centred(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The table without the means of its rows and columns."""
    centred: NDArray[np.float64] = (
        table - table.mean(axis=1, keepdims=True) - table.mean(axis=0, keepdims=True) + table.mean()
    )
    return centred
