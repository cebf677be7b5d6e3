"""How well numbers agree with people and with each other: correlations with intervals over papers.

Every interval resamples papers, not pairs: the pairs of one paper share its difficulty. For the
coefficients over all pairs and over systems, papers with the same reference are resampled as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from summeval_pytest.stats import (
    COEFFICIENTS,
    Resamples,
    correlation_p_value,
    fit_weights,
    matrix_of_means,
    matrix_over_rows,
    matrix_within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.questions import Facet
    from summeval_pytest.stats import CoefficientName, FittedWeights, Matrix
    from summeval_pytest.suite import Label
    from summeval_pytest.verdict.labelled import LabelledPair

AgreementLevel = Literal["pooled", "paper", "system"]
LEVELS: Final[tuple[AgreementLevel, ...]] = get_args(AgreementLevel)
"""Over all pairs; the mean over papers of what holds within each; of the systems' means."""
HUMAN: Final = "human"
"""The column of the labels themselves, first in every matrix."""
SEED: Final = 20241
RESAMPLES: Final = 1000


def resamples() -> Resamples:
    """How intervals of agreement are drawn."""
    return Resamples(RESAMPLES, SEED)


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
class LevelAgreement:
    """How one column goes with the human overall score at one level.

    Attributes:
        n: Pairs, papers where any coefficient is defined, or systems.
        estimates: By coefficient.
        p_values: By coefficient, two-sided, from all orders of so few points (of 9,999 where they
            are many); of systems only, None where the coefficient is undefined.
    """

    n: int
    estimates: Mapping[CoefficientName, Estimate]
    p_values: Mapping[CoefficientName, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlations:
    """Every two columns by one coefficient at one level."""

    names: tuple[str, ...]
    matrix: Matrix

    def estimate(self, a: str, b: str) -> Estimate:
        """The coefficient of two columns."""
        at = self.names.index(a), self.names.index(b)
        every = (self.matrix.values[at], self.matrix.lows[at], self.matrix.highs[at])
        return Estimate(*(None if np.isnan(value) else float(value) for value in every))

    def n(self, a: str, b: str) -> int:
        """On how many pairs, papers or systems it stands."""
        return int(self.matrix.n[self.names.index(a), self.names.index(b)])


def correlations(
    pairs: Sequence[LabelledPair],
    columns: Sequence[str],
    level: AgreementLevel,
    name: CoefficientName,
) -> Correlations:
    """Every two of the columns and the human overall score, which comes first."""
    names = (HUMAN, *columns)
    rows = [[_number(pair, column) for column in names] for pair in pairs]
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
    groups = [pair.group for pair in pairs]
    match level:
        case "pooled":
            matrix = matrix_over_rows(table, groups, name, resamples())
        case "paper":
            matrix = matrix_within(table, [pair.paper for pair in pairs], name, resamples())
        case _:
            systems = [pair.system for pair in pairs]
            matrix = matrix_of_means(table, groups, systems, name, resamples())
    return Correlations(names=names, matrix=matrix)


def _number(pair: LabelledPair, column: str) -> float:
    value = pair.human if column == HUMAN else pair.columns.get(column)
    return float("nan") if value is None else value


def _with(pairs: Sequence[LabelledPair], column: str) -> list[LabelledPair]:
    return [pair for pair in pairs if column in pair.columns and pair.human is not None]


def column_agreement(pairs: Sequence[LabelledPair], column: str) -> ColumnAgreement:
    """The agreement of one column with the human overall score."""
    rows = _with(pairs, column)

    def estimate(level: AgreementLevel, name: CoefficientName) -> Estimate:
        return correlations(rows, [column], level, name).estimate(HUMAN, column)

    return ColumnAgreement(
        n_pairs=len(rows),
        pearson=estimate("pooled", "pearson"),
        spearman=estimate("pooled", "spearman"),
        kendall=estimate("paper", "kendall"),
    )


def level_agreement(
    pairs: Sequence[LabelledPair], column: str, level: AgreementLevel
) -> LevelAgreement:
    """All three coefficients of one column with the human overall score, at one level."""
    rows = _with(pairs, column)
    found = {name: correlations(rows, [column], level, name) for name in COEFFICIENTS}
    p_values: dict[CoefficientName, float | None] = {}
    if level == "system":
        means = system_means(rows, [column]).values()
        x, y = [of[column] for of in means], [of[HUMAN] for of in means]
        p_values = {name: correlation_p_value(x, y, name) for name in COEFFICIENTS}
    return LevelAgreement(
        n=max(each.n(HUMAN, column) for each in found.values()),
        estimates={name: each.estimate(HUMAN, column) for name, each in found.items()},
        p_values=p_values,
    )


def system_means(
    pairs: Sequence[LabelledPair], columns: Sequence[str]
) -> dict[str, dict[str, float]]:
    """By system, the mean over papers of the human overall score and of each column it has.

    A mean covers the pairs that have the number. Rounded to twelve digits, so that means that are
    equal but for the order of a sum are tied.
    """
    found: dict[str, dict[str, float]] = {}
    for system in sorted({pair.system for pair in pairs}):
        its = [pair for pair in pairs if pair.system == system]
        numbers = {c: np.array([_number(pair, c) for pair in its]) for c in (HUMAN, *columns)}
        found[system] = {
            column: _mean(values[~np.isnan(values)])
            for column, values in numbers.items()
            if not np.isnan(values).all()
        }
    return found


def _mean(values: NDArray[np.float64]) -> float:
    return round(float(np.sort(values).mean()), 12)


def fitted_weights(labels: Iterable[Label], scales: Mapping[Facet, int]) -> FittedWeights | str:
    """Facet weights from the labels that state both an overall score and facets; else why not.

    The weights are in the order of the scales.
    """
    rows = [
        ([_share(label, facet, scale) for facet, scale in scales.items()], label.overall)
        for label in labels
        if label.overall is not None and any((label.facets or {}).values())
    ]
    if len(rows) < len(scales):
        return (
            f"too few labels with facets and an overall score: {len(rows)}; {len(scales)} weights"
            f" need at least {len(scales)}"
        )
    return fit_weights([shares for shares, _ in rows], [overall for _, overall in rows])


def _share(label: Label, facet: Facet, scale: int) -> float | None:
    rating = (label.facets or {}).get(facet)
    return None if rating is None else rating / scale
