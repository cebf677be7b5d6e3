"""How well numbers agree with people: correlations with intervals over papers, and kappa per facet.

Every interval resamples papers, not pairs: the pairs of one paper share its difficulty. For the
coefficients over all pairs, papers with the same reference are resampled as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.questions import SCALES
from summeval_pytest.stats import (
    bootstrap_interval,
    bootstrap_mean,
    coefficients_within,
    cohen_kappa,
    exact_agreement,
    kendall,
    mean_within,
    pearson,
    spearman,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.questions import Facet

    Coefficient = Callable[[NDArray[np.float64], NDArray[np.float64]], float | None]

SEED: Final = 20241
RESAMPLES: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """One pair with its human overall score and every number that may agree with it.

    Attributes:
        paper: The paper's id.
        group: What is resampled: papers with the same reference are one.
        human: The human overall score.
        columns: A number a metric or baseline; a metric without a score for this pair is absent.
        ratings: By facet, the human rating and the judge's, where both gave one.
    """

    paper: str
    group: str
    human: float
    columns: Mapping[str, float]
    ratings: Mapping[Facet, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval over papers; None where it is undefined."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAgreement:
    """How one metric or baseline goes with the human overall score, -1 to 1 each.

    Attributes:
        n_pairs: The pairs that have both numbers.
        pearson: Over all pairs.
        spearman: Over all pairs.
        kendall: The mean of tau-b within each paper, over the papers where it is defined.
    """

    n_pairs: int
    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class FacetAgreement:
    """How a judge's ratings of one facet go with the human ones, on pairs that both rated."""

    n_pairs: int
    exact: float | None
    kappa: float | None


def column_agreement(pairs: Sequence[LabelledPair], column: str) -> ColumnAgreement:
    """The agreement of one column with the human overall score."""
    rows = [pair for pair in pairs if column in pair.columns]
    groups = [pair.group for pair in rows]
    human = np.array([pair.human for pair in rows])
    values = np.array([pair.columns[column] for pair in rows])
    papers = [pair.paper for pair in rows]
    within = coefficients_within(papers, values, human, kendall)
    interval = bootstrap_mean(within, n_resamples=RESAMPLES, seed=SEED)
    tau = mean_within(papers, values, human, kendall)
    return ColumnAgreement(
        n_pairs=len(rows),
        pearson=_pooled(groups, values, human, pearson),
        spearman=_pooled(groups, values, human, spearman),
        kendall=Estimate(tau.value, interval.low, interval.high),
    )


def _pooled(
    groups: list[str],
    values: NDArray[np.float64],
    human: NDArray[np.float64],
    coefficient: Coefficient,
) -> Estimate:
    interval = bootstrap_interval(
        groups,
        lambda rows, _: coefficient(values[rows], human[rows]),
        n_resamples=RESAMPLES,
        seed=SEED,
    )
    return Estimate(coefficient(values, human), interval.low, interval.high)


def facet_agreement(pairs: Sequence[LabelledPair], facet: Facet) -> FacetAgreement:
    """The agreement of one facet's ratings: share of equal ones, and quadratic kappa."""
    both = [pair.ratings[facet] for pair in pairs if facet in pair.ratings]
    human, judge = [one for one, _ in both], [other for _, other in both]
    scale = range(1, SCALES[facet] + 1)
    return FacetAgreement(
        n_pairs=len(both),
        exact=exact_agreement(human, judge),
        kappa=cohen_kappa(human, judge, categories=scale, weights="quadratic"),
    )
