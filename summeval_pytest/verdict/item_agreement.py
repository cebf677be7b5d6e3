"""How a judge agrees with people item by item: facets' ratings, sentences and facts.

Every figure is of counts that add up over papers, and its interval resamples papers; those with the
same reference are one. Only items that both have answered count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.questions import FACETS
from summeval_pytest.stats import (
    alphas_of,
    bootstrap_sums,
    iccs_of,
    kappas_of,
    roc_auc,
    roc_auc_bounds,
    shares,
)
from summeval_pytest.verdict.agreement import Estimate, resamples
from summeval_pytest.verdict.counting import FACT, SENTENCE, counts_of, kind_of, tables_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from summeval_pytest.evaluation import GoldenPair
    from summeval_pytest.verdict.counting import Counts, Figures

    Figure = Callable[[Counts], Figures]

ITEM_KINDS: Final = (*FACETS, SENTENCE, FACT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAgreement:
    """The agreement on the items of one kind.

    Attributes:
        kind: A facet, ``sentence`` or ``fact``.
        n_items: The items that both have answered.
        figures: By name, those of `RATING_FIGURES`, or of `VERDICT_FIGURES` and then `AUC`.
    """

    kind: str
    n_items: int
    figures: Mapping[str, Estimate]


def _exact(tables: Counts) -> Figures:
    return shares(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def _categories(tables: Counts) -> range:
    return range(1, tables.shape[-1] + 1)


def _kappa(tables: Counts) -> Figures:
    return kappas_of(tables, categories=_categories(tables), weights="none")


def _quadratic(tables: Counts) -> Figures:
    return kappas_of(tables, categories=_categories(tables), weights="quadratic")


def _alpha(tables: Counts) -> Figures:
    return alphas_of(tables, categories=_categories(tables), level="ordinal")


def _icc(tables: Counts) -> Figures:
    return iccs_of(tables, categories=_categories(tables))


RATING_FIGURES: Final[Mapping[str, Figure]] = MappingProxyType(
    {
        "exact": _exact,
        "kappa": _kappa,
        "quadratic kappa": _quadratic,
        "alpha (ordinal)": _alpha,
        "ICC(2,1)": _icc,
    }
)
"""Of ratings: percent agreement, Cohen's kappa plain and quadratic, Krippendorff's alpha, ICC."""
VERDICT_FIGURES: Final[Mapping[str, Figure]] = MappingProxyType(
    {
        "exact": _exact,
        "kappa": _kappa,
        "recall of wrong": lambda t: shares(t[..., 0, 0], t[..., 0, :].sum(axis=-1)),
        "called wrong": lambda t: shares(t[..., :, 0].sum(axis=-1), t.sum(axis=(-2, -1))),
        "labelled wrong": lambda t: shares(t[..., 0, :].sum(axis=-1), t.sum(axis=(-2, -1))),
    }
)
"""Of sentences and facts; *wrong* is a sentence that is not faithful, a fact that does not hold."""


AUC: Final = "AUC of support"
"""How well the judge's strength of belief tells right from wrong, whatever its threshold: 0 to 1,
higher is better, 0.5 is chance. Undefined unless each answered item has one: what a rule answered
is no sample of the rest."""


def item_agreements(pairs: Sequence[GoldenPair]) -> dict[str, ItemAgreement]:
    """By kind, all of `ITEM_KINDS`; figures of a kind that no label has are undefined."""
    counts = counts_of(pairs)
    found = {kind: _of_kind(kind, counts) for kind in ITEM_KINDS}
    for kind in (SENTENCE, FACT):
        figures = {**found[kind].figures, AUC: _auc(kind, pairs)}
        found[kind] = replace(found[kind], figures=figures)
    return found


def _auc(kind: str, pairs: Sequence[GoldenPair]) -> Estimate:
    """The area under the ROC curve of the support of one kind of items."""
    items = [
        (pair.group, bool(each.label), each.support)
        for pair in pairs
        for each in pair.answers
        if each.answer is not None and kind_of(each) == kind
    ]
    numbers = [support for _, _, support in items if support is not None]
    right = [label for _, label, _ in items]
    value = roc_auc(right, numbers) if len(numbers) == len(items) else None
    if value is None:
        return Estimate(None, None, None)
    drawn = resamples()
    groups = [group for group, _, _ in items]
    return Estimate(
        value, *roc_auc_bounds(groups, right, numbers, n_resamples=drawn.n, seed=drawn.seed)
    )


def _of_kind(kind: str, counts: Counts) -> ItemAgreement:
    tables = tables_of(counts, kind)
    held = tables[tables.sum(axis=(-2, -1)) > 0]
    figures = RATING_FIGURES if kind in FACETS else VERDICT_FIGURES
    return ItemAgreement(
        kind=kind,
        n_items=int(held.sum()),
        figures={name: _estimate(held, figure) for name, figure in figures.items()},
    )


def _estimate(tables: Counts, figure: Figure) -> Estimate:
    """The figure of all tables together, with its interval over the papers that they are."""
    n_tables, *shape = tables.shape
    drawn = resamples()
    interval = bootstrap_sums(
        tables.reshape(n_tables, int(np.prod(shape))),
        lambda sums: figure(sums.reshape(-1, *shape)),
        n_resamples=drawn.n,
        seed=drawn.seed,
    )
    value = float(figure(tables.sum(axis=0)[np.newaxis])[0])
    return Estimate(None if np.isnan(value) else value, interval.low, interval.high)
