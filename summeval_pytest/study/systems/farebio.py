"""Hallucination, self-preference, effects and associations (FareBio, figures 2 to 5, tables 7, 8).

Readability is a grade level: a positive coefficient says that harder summaries have more of it.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.stats.bootstrap import bootstrap_interval
from summeval_pytest.stats.correlation import spearman
from summeval_pytest.stats.paired import detectable_drop, holm, power_of_drop
from summeval_pytest.study.systems.studied import (
    FAITHFULNESS,
    LABELS,
    NOTHING,
    RESAMPLES,
    SEED,
    By,
    Column,
    Giver,
    Mean,
    mean_of,
    rate_of,
    rounded,
)
from summeval_pytest.study.systems.text_profiles import NOVELTIES, READABILITY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.study.systems.studied import Studied, StudiedText

    Values = list[float | None]
    Tables = list[tuple[str, NDArray[np.float64]]]


_FEWEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class HallucinationRate:
    """How much of one system's writing is unsupported, 0 to 1, lower is better.

    ``sentences`` is unsupported sentences / ``n_sentences``, those with a verdict, over all papers;
    ``n_unanswered`` are those that the judge was asked about and gave none on. ``summaries`` is
    summaries with an unsupported sentence / summaries of which that is known.
    """

    giver: Giver
    by: str
    system: str
    n_sentences: int
    n_unanswered: int
    sentences: Mean
    summaries: Mean


def hallucination_rates(studied: Studied) -> tuple[HallucinationRate, ...]:
    """The rates of every system by each judge, and by the labels where they have any sentence."""
    givers: list[By] = [("judge", judge) for judge in studied.judges]
    if any(pair.given.get(LABELS, NOTHING).n_answered for pair in studied.pairs):
        givers.append(LABELS)
    return tuple(
        _rate(by, system, pairs, studied.n_papers)
        for by in givers
        for system, pairs in studied.by_system.items()
    )


def _rate(by: By, system: str, pairs: Sequence[StudiedText], n_papers: int) -> HallucinationRate:
    found = [(pair.group, pair.given.get(by, NOTHING)) for pair in pairs]
    wrong = [(group, not of.is_faithful) for group, of in found if of.is_faithful is not None]
    n_answered = sum(of.n_answered for _, of in found)
    n_asked = n_answered if by == LABELS else sum(of.n_sentences for _, of in found)
    return HallucinationRate(
        giver=by[0],
        by=by[1],
        system=system,
        n_sentences=n_answered,
        n_unanswered=n_asked - n_answered,
        sentences=rate_of(
            [(group, of.n_answered - of.n_supported, of.n_answered) for group, of in found],
            n_papers,
        ),
        summaries=mean_of(wrong, n_papers),
    )


HEATED: Final = (FAITHFULNESS, "facet")
"""The rate of supported sentences, and FM."""
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
    """Judges by systems in one of the metrics of `HEATED`, and what own families gain.

    ``preference`` is b of `_preference`, over the papers that every judge has scored for every
    system. ``difference`` is the mean of the cells of one family minus the mean of the others over
    these papers, nothing taken out; None where there are not both.
    """

    metric: str
    cells: tuple[HeatCell, ...]
    difference: float | None
    preference: Mean


def judge_heats(studied: Studied) -> tuple[JudgeHeat, ...]:
    """The heat of each metric, cells by judge, then by system."""
    of_judge, of_system = studied.families
    systems = studied.by_system
    own = np.array(
        [[of_judge[judge] == of_system[of] for of in systems] for judge in studied.judges],
        dtype=np.float64,
    ).reshape(len(studied.judges), len(systems))
    heats = []
    for metric in HEATED:
        columns = [Column(giver="judge", by=judge, name=metric) for judge in studied.judges]
        tables = _complete(columns, studied)
        cells = tuple(
            HeatCell(
                judge=column.by,
                system=system,
                is_own=of_judge[column.by] == of_system[system],
                mean=studied.mean(column, pairs),
            )
            for column in columns
            for system, pairs in systems.items()
        )
        heats.append(
            JudgeHeat(
                metric=metric,
                cells=cells,
                difference=_difference(own, tables),
                preference=_preference(own, tables, studied.n_papers),
            )
        )
    return tuple(heats)


def _complete(columns: Sequence[Column], studied: Studied) -> Tables:
    """The table of each paper without a gap, judges by systems, with the paper's group."""
    papers: dict[str, dict[str | None, StudiedText]] = {}
    for pair in studied.pairs:
        papers.setdefault(pair.paper, {})[pair.system] = pair
    found: Tables = []
    for _, of in sorted(papers.items()):
        if len(of) < len(studied.by_system):
            continue
        rows = [[column.of(of[system]) for system in studied.by_system] for column in columns]
        if all(value is not None for row in rows for value in row):
            group = next(iter(of.values())).group
            found.append((group, np.array(rows, dtype=np.float64)))
    return found


def _difference(own: NDArray[np.float64], tables: Tables) -> float | None:
    is_own = own > 0
    if not tables or is_own.all() or not is_own.any():
        return None
    gains = [float(table[is_own].mean() - table[~is_own].mean()) for _, table in tables]
    return rounded(math.fsum(gains) / len(gains))


def _preference(own: NDArray[np.float64], tables: Tables, n_papers: int) -> Mean:
    """B of score = judge's level + system's level + b * (judge and system are of one family).

    The levels are taken out by centring ``own`` by rows and columns; where nothing is left of it,
    nothing can be told apart.
    """
    centred = own
    if own.size:
        rows, columns = own.mean(axis=1, keepdims=True), own.mean(axis=0, keepdims=True)
        centred = own - rows - columns + own.mean()
    weight = float((centred * centred).sum())
    if weight < _ROUNDING:
        return Mean(value=None, n=len(tables), n_of=n_papers)
    gains = [(group, float((centred * table).sum()) / weight) for group, table in tables]
    return mean_of(gains, n_papers)


POWER: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """How far two systems are apart in one number, first minus second.

    ``difference`` is the mean over papers that both have. ``power`` is the chance that the
    one-sided paired test of level .05 finds a true difference of this size on so many papers, and
    ``detectable`` the smallest difference that it finds with a chance of .8; None where the
    differences do not vary, power also where their mean is 0.
    """

    column: Column
    first: str
    second: str
    difference: Mean
    cohen_d: float | None
    power: float | None
    detectable: float | None


def effects(studied: Studied) -> tuple[Effect, ...]:
    """How far every two systems are apart in the leading numbers, on the papers that both have."""
    return tuple(
        _effect(column, first, second, studied)
        for column in studied.leading_columns()
        for first, second in combinations(studied.by_system, 2)
    )


def _effect(column: Column, first: str, second: str, studied: Studied) -> Effect:
    one, other = (
        {p.paper: (p.group, value) for p in pairs if (value := column.of(p)) is not None}
        for pairs in (studied.by_system[first], studied.by_system[second])
    )
    rows = [(*one[paper], other[paper][1]) for paper in sorted(one.keys() & other.keys())]
    power, detectable = _power([a - b for _, a, b in rows])
    return Effect(
        column=column,
        first=first,
        second=second,
        difference=mean_of([(group, a - b) for group, a, b in rows], studied.n_papers),
        cohen_d=cohen_d([a for _, a, _ in rows], [b for _, _, b in rows]),
        power=power,
        detectable=detectable,
    )


def cohen_d(first: Sequence[float], second: Sequence[float]) -> float | None:
    """(mean(first) - mean(second)) / sqrt((var(first) + var(second)) / 2), for equal numbers.

    None with fewer than two values a side, and where neither side varies.
    """
    if len(first) < 2:  # noqa: PLR2004 - one value has no deviation
        return None
    pooled = (statistics.variance(first) + statistics.variance(second)) / 2
    if pooled <= 0:
        return None
    return rounded((statistics.mean(first) - statistics.mean(second)) / math.sqrt(pooled))


def _power(differences: Sequence[float]) -> tuple[float | None, float | None]:
    n = len(differences)
    deviation = rounded(statistics.stdev(differences)) if n > 1 else 0.0
    if not deviation:
        return None, None
    size = rounded(abs(statistics.mean(differences)))
    seen = detectable_drop(deviation, n, power=POWER)
    return (
        rounded(power_of_drop(size, deviation, n)) if size else None,
        None if seen is None else rounded(seen),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """Spearman of two numbers of summaries, with its interval over papers, as `Mean` has it.

    ``p_value`` is two-sided, by the t distribution with n - 2 degrees of freedom, as published: it
    takes the pairs as independent, which those of one paper are not. The interval does not.
    ``p_adjusted`` is Holm's, over all associations that are told together.
    """

    first: str
    second: str
    n_pairs: int
    spearman: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None


def associations(studied: Studied) -> tuple[Association, ...]:
    """Novelty by readability, novelty by hallucination, and readability by hallucination.

    Hallucination is the share of a summary's sentences that are unsupported, by each judge, and by
    the labels where people looked at sentences.
    """
    groups = [pair.group for pair in studied.pairs]
    columns = [column for column in _columns(studied) if any(v is not None for v in column[2])]
    found = [
        _association(one, other, groups, x, y)
        for (family, one, x), (family_of_other, other, y) in combinations(columns, 2)
        if family != family_of_other
    ]
    adjusted = iter(holm([each.p_value for each in found if each.p_value is not None]))
    return tuple(
        each if each.p_value is None else replace(each, p_adjusted=rounded(next(adjusted)))
        for each in found
    )


def _columns(studied: Studied) -> Iterator[tuple[str, str, Values]]:
    """The family, name and numbers of every column, a number a pair."""
    for family, names in (("novelty", NOVELTIES), ("readability", READABILITY)):
        for name in names:
            yield family, name, [pair.numbers.get(name) for pair in studied.pairs]
    for giver, by in (*(("judge", judge) for judge in studied.judges), LABELS):
        column = Column(giver=giver, by=by, name=FAITHFULNESS)
        shares = [column.of(pair) for pair in studied.pairs]
        wrong = [None if share is None else 1 - share for share in shares]
        yield "hallucination", f"hallucination, {by or 'labels'}", wrong


def _association(
    one: str, other: str, groups: list[str], first: Values, second: Values
) -> Association:
    rows = [
        (group, a, b)
        for group, a, b in zip(groups, first, second, strict=True)
        if a is not None and b is not None
    ]
    x, y = (np.array([row[side] for row in rows], dtype=np.float64) for side in (1, 2))
    rho = spearman(x, y)
    found = Association(first=one, second=other, n_pairs=len(rows), spearman=None)
    if rho is None:
        return found
    found = replace(found, spearman=rounded(rho), p_value=p_value_of(rho, len(rows)))
    if len({group for group, _, _ in rows}) < 2:  # noqa: PLR2004 - one group varies with nothing
        return found
    drawn = bootstrap_interval(
        [group for group, _, _ in rows],
        lambda places: spearman(x[places], y[places]),
        n_resamples=RESAMPLES,
        seed=SEED,
    )
    if drawn.low is None or drawn.high is None:
        return found
    return replace(found, low=rounded(drawn.low), high=rounded(drawn.high))


def p_value_of(rho: float, n_rows: int) -> float | None:
    """The two-sided p value of a Spearman coefficient; None with fewer than 3 rows.

    t = rho sqrt((n - 2) / (1 - rho^2)), by the t distribution of n - 2 degrees of freedom.
    """
    from scipy.special import stdtr

    if n_rows < _FEWEST:
        return None
    if abs(rho) >= 1:
        return 0.0
    freedom = n_rows - 2
    t = abs(rho) * np.sqrt(freedom / ((1 - rho) * (1 + rho)))
    return rounded(float(2 * stdtr(freedom, -t)))
