"""Agreement of a judge with labels item by item: facets, roles, sentences, facts, evidence.

Every figure is of counts that add up over papers, and its interval resamples papers; those with the
same reference are one. Only items that both have answered count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import mean, median
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from summeval_pytest.analysis.agreement import Estimate, resamples
from summeval_pytest.metrics.baselines import novel_bigrams, top_sentences
from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.run.golden import count_evidence
from summeval_pytest.stats.agreement import (
    alphas_of,
    any_hit,
    evidence_f1,
    evidence_precision,
    evidence_recall,
    iccs_of,
    kappas_of,
    named_per_instance,
)
from summeval_pytest.stats.bootstrap import bootstrap_sums, shares
from summeval_pytest.stats.correlation import roc_auc, roc_auc_bounds
from summeval_pytest.stats.matrices import Resamples
from summeval_pytest.verdict.trust import FACT, SENTENCE, counts_of, kind_of, tables_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.analysis.agreement import LabelledPair
    from summeval_pytest.run.golden import EvidenceCase, EvidenceCount, GoldenPair, RoleAnswer
    from summeval_pytest.verdict.trust import Counts, Figures

    Figure = Callable[[Counts], Figures]
    Retriever = Callable[[str, tuple[str, ...], int], tuple[int, ...]]


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
    return alphas_of(tables)


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


def _estimate(tables: Counts, figure: Figure, drawn: Resamples | None = None) -> Estimate:
    """The figure of all tables together, with its interval over the papers that they are."""
    if not len(tables):
        return Estimate(None, None, None)
    n_tables, *shape = tables.shape
    drawn = drawn or resamples()
    interval = bootstrap_sums(
        tables.reshape(n_tables, -1),
        lambda sums: figure(sums.reshape(-1, *shape)),
        n_resamples=drawn.n,
        seed=drawn.seed,
    )
    value = float(figure(tables.sum(axis=0)[np.newaxis])[0])
    return Estimate(None if np.isnan(value) else value, interval.low, interval.high)


Class = tuple[Facet, ...]
"""Facets that count as one, in reading order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAgreement:
    """How well the sentences of one class are found.

    Attributes:
        facets: The facets that it is made of.
        n_items: The sentences that are labelled so.
        precision: Of the sentences that the judge has there, the share labelled so.
        recall: Of the sentences labelled so, the share that the judge has there.
        f1: 2 x both / (the judge's + the labelled).
    """

    facets: Class
    n_items: int
    precision: Estimate
    recall: Estimate
    f1: Estimate

    @property
    def name(self) -> str:
        """The facets in words."""
        return " or ".join(self.facets)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleAgreement:
    """How well sentences get their facet.

    Attributes:
        n_items: The labelled sentences that state a facet.
        n_nowhere: Those of them that stand in no segment of the judge's.
        classes: In reading order, those that a sentence is labelled with.
        macro_f1: The mean of their F1, each counting the same (where it is defined).
        accuracy: The share of the sentences that have their class.
    """

    n_items: int
    n_nowhere: int
    classes: tuple[ClassAgreement, ...]
    macro_f1: Estimate
    accuracy: Estimate


def role_agreement(pairs: Sequence[LabelledPair]) -> RoleAgreement:
    """The agreement on the roles of all pairs; figures are undefined where none is labelled."""
    answers = [(pair.group, answer) for pair in pairs for answer in pair.roles]
    classes = classes_of(answer for _, answer in answers)
    counts = _counts(answers, classes)
    total = counts.sum(axis=0)
    return RoleAgreement(
        n_items=int(total.sum()),
        n_nowhere=sum(answer.answer is None for _, answer in answers),
        classes=tuple(
            ClassAgreement(
                facets=facets,
                n_items=int(total[place].sum()),
                precision=_estimate(counts, _precision_of(place)),
                recall=_estimate(counts, _recall_of(place)),
                f1=_estimate(counts, _f1_of(place)),
            )
            for place, facets in enumerate(classes)
        ),
        macro_f1=_estimate(counts, _macro_f1),
        accuracy=_estimate(counts, _exact),
    )


def classes_of(answers: Iterable[RoleAnswer]) -> tuple[Class, ...]:
    """The labelled facets, those that are right together for any sentence as one class."""
    classes: list[set[Facet]] = []
    for answer in answers:
        joined = set(answer.right).union(*(c for c in classes if c & set(answer.right)))
        classes = [c for c in classes if not c & joined] + [joined]
    in_order = [tuple(facet for facet in FACETS if facet in c) for c in classes]
    return tuple(sorted(in_order, key=lambda facets: FACETS.index(facets[0])))


def _counts(answers: Sequence[tuple[str, RoleAnswer]], classes: Sequence[Class]) -> Counts:
    """By group: label by answer, where the last answer is none of the classes."""
    groups = sorted({group for group, _ in answers})
    place = {facet: number for number, facets in enumerate(classes) for facet in facets}
    counts = np.zeros((len(groups), len(classes), len(classes) + 1), dtype=np.int64)
    for group, each in answers:
        answer = len(classes) if each.answer is None else place.get(each.answer, len(classes))
        counts[groups.index(group), place[each.right[0]], answer] += 1
    return counts


def _precision_of(place: int) -> Callable[[Counts], Figures]:
    return lambda tables: shares(tables[..., place, place], tables[..., place].sum(axis=-1))


def _recall_of(place: int) -> Callable[[Counts], Figures]:
    return lambda tables: shares(tables[..., place, place], tables[..., place, :].sum(axis=-1))


def _f1_of(place: int) -> Callable[[Counts], Figures]:
    def f1(tables: Counts) -> Figures:
        labelled, answered = tables[..., place, :].sum(axis=-1), tables[..., place].sum(axis=-1)
        return shares(2 * tables[..., place, place], labelled + answered)

    return f1


def _macro_f1(tables: Counts) -> Figures:
    found = np.stack([_f1_of(place)(tables) for place in range(tables.shape[-2])])
    return shares(np.nansum(found, axis=0), (~np.isnan(found)).sum(axis=0))


SEED: Final = 20246
RESAMPLES: Final = 1000
TOP: Final = 3
"""The baseline names one sentence, two, and so many (FareBio, Table 3)."""

Part = Literal["all", "high", "low"]
"""All sentences; or those whose share of novel bigrams is above the median, or not above it."""

Found = Callable[["EvidenceCase"], tuple[int, ...] | None]
"""Who names source sentences for a case; None where it has no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Macro:
    """Means over instances, each of which counts the same; 0 for one without a named sentence."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportingFigures:
    """How well one of them finds the evidence of some sentences.

    Attributes:
        by: Who: ``judge``, ``BM25 top-1`` and so on.
        part: Which sentences.
        n_instances: Sentences with labelled evidence that it had an answer for.
        n_papers: Of how many papers.
        n_unanswered: Such sentences that it had none for.
        precision: Share of the named source sentences that are labelled (micro).
        recall: Share of the labelled ones that are named (micro).
        f1: Of the two (micro).
        any_hit: Share of the instances with at least one labelled sentence named.
        named_per_sentence: Source sentences named for each instance.
        macro: The same three as means over instances; None without any.
    """

    by: str
    part: Part
    n_instances: int
    n_papers: int
    n_unanswered: int
    precision: Estimate
    recall: Estimate
    f1: Estimate
    any_hit: Estimate
    named_per_sentence: Estimate
    macro: Macro | None


def supporting_figures(
    cases: Sequence[EvidenceCase], retrieve: Retriever = top_sentences, title: str = "BM25"
) -> tuple[SupportingFigures, ...]:
    """The judge and the baseline, on all sentences and on the more and the less abstractive ones.

    A part without a sentence is left out: where all are as abstractive as the median, none is more.

    Args:
        cases: The sentences with labelled evidence, and what the judge named.
        retrieve: The baseline; its first sentence must not depend on how many are asked for.
        title: What it is called.
    """
    ranked = {id(case): retrieve(case.sentence, case.source, TOP) for case in cases}

    def first(k: int) -> Found:
        return lambda case: ranked[id(case)][:k]

    finders: dict[str, Found] = {"judge": lambda case: case.named}
    finders |= {f"{title} top-{k}": first(k) for k in range(1, TOP + 1)}
    return tuple(
        figures_of(by, part, [(case, find(case)) for case in of_part])
        for part, of_part in _parts(cases)
        for by, find in finders.items()
    )


def _parts(cases: Sequence[EvidenceCase]) -> Iterator[tuple[Part, list[EvidenceCase]]]:
    novel = [novel_bigrams(case.sentence, case.source) for case in cases]
    middle = median(novel) if novel else 0.0
    parts: tuple[tuple[Part, list[EvidenceCase]], ...] = (
        ("all", list(cases)),
        ("high", [case for case, share in zip(cases, novel, strict=True) if share > middle]),
        ("low", [case for case, share in zip(cases, novel, strict=True) if share <= middle]),
    )
    yield from ((part, found) for part, found in parts if found)


def figures_of(
    by: str, part: Part, named: Sequence[tuple[EvidenceCase, tuple[int, ...] | None]]
) -> SupportingFigures:
    """The figures of one finder on some sentences."""
    answered = [
        (case.group, count_evidence(case.labelled, found))
        for case, found in named
        if found is not None
    ]
    counts = _evidence_counts(answered)
    drawn = Resamples(RESAMPLES, SEED)
    return SupportingFigures(
        by=by,
        part=part,
        n_instances=len(answered),
        n_papers=len(counts),
        n_unanswered=len(named) - len(answered),
        precision=_estimate(counts, evidence_precision, drawn),
        recall=_estimate(counts, evidence_recall, drawn),
        f1=_estimate(counts, evidence_f1, drawn),
        any_hit=_estimate(counts, any_hit, drawn),
        named_per_sentence=_estimate(counts, named_per_instance, drawn),
        macro=macro_of([count for _, count in answered]),
    )


def macro_of(counts: Sequence[EvidenceCount]) -> Macro | None:
    """Means over instances; None without any."""
    if not counts:
        return None
    return Macro(
        precision=mean(count.precision for count in counts),
        recall=mean(count.recall for count in counts),
        f1=mean(count.f1 for count in counts),
    )


def _evidence_counts(answered: Sequence[tuple[str, EvidenceCount]]) -> Counts:
    """A row a group of papers, in the order of their names, as the figures take them."""
    rows = {group: row for row, group in enumerate(sorted({group for group, _ in answered}))}
    counts = np.zeros((len(rows), 5), dtype=np.int64)
    for group, found in answered:
        hit = int(found.both > 0)
        counts[rows[group]] += (found.named, found.labelled, found.both, hit, 1)
    return counts
