"""Counts of agreement that add up over papers, so that resampling papers counts nothing again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.stats import (
    evidence_f1,
    evidence_precision,
    evidence_recall,
    kappas_of,
    shares,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.evaluation import GoldenAnswer, GoldenPair

    Counts = NDArray[np.int64]
    Figures = NDArray[np.float64]

FACT: Final = "fact"
"""Facts of either side, counted together."""
SENTENCE: Final = "sentence"
_EVIDENCE: Final = "evidence"
_SIZES: Final[Mapping[str, tuple[int, ...]]] = {
    **{facet: (SCALES[facet], SCALES[facet]) for facet in FACETS},
    SENTENCE: (2, 2),
    FACT: (2, 2),
    _EVIDENCE: (3,),
}
"""By what was labelled, the shape of its counts: label by answer, or named, labelled and both."""


def _slices() -> dict[str, slice]:
    found, start = {}, 0
    for name, shape in _SIZES.items():
        found[name] = slice(start, start + int(np.prod(shape)))
        start = found[name].stop
    return found


_SLICES: Final = _slices()
N_COUNTS: Final = max(part.stop for part in _SLICES.values())


def counts_of(pairs: Sequence[GoldenPair]) -> Counts:
    """The counts of each group of papers in a row, groups in order of their names."""
    groups = sorted({pair.group for pair in pairs})
    rows = {group: row for row, group in enumerate(groups)}
    counts = np.zeros((len(groups), N_COUNTS), dtype=np.int64)
    for pair in pairs:
        for answer in pair.answers:
            _add(counts[rows[pair.group]], answer)
    return counts


def _add(row: Counts, answer: GoldenAnswer) -> None:
    """Counts one answer, if it is one and is not a number over all facets."""
    if answer.answer is None:
        return
    if answer.evidence is not None:
        found = answer.evidence
        row[_SLICES[_EVIDENCE]] += (found.named, found.labelled, found.both)
    if answer.kind == "overall":
        return
    name = FACT if answer.kind.endswith(FACT) else str(answer.kind)
    least = 0 if name in (SENTENCE, FACT) else 1
    label, given = int(answer.label) - least, int(answer.answer) - least
    row[_SLICES[name].start + label * _SIZES[name][1] + given] += 1


KINDS: Final = ("facet", SENTENCE, FACT)
"""What is labelled item by item: a judge must answer nearly all of each."""


def kind_of(answer: GoldenAnswer) -> str:
    """Which of these an answer is; empty for a number over all facets."""
    if answer.kind in FACETS:
        return "facet"
    return next((kind for kind in KINDS if answer.kind.endswith(kind)), "")


def error_counts(pairs: Sequence[GoldenPair]) -> Mapping[str, Counts]:
    """By kind of error, for each paper that has it, its sentences with it: found, and labelled."""
    counts: dict[str, dict[str, Counts]] = {}
    for pair in pairs:
        for answer in pair.answers:
            if answer.error and answer.answer is not None:
                of = counts.setdefault(answer.error, {})
                row = of.setdefault(pair.group, np.zeros(2, dtype=np.int64))
                row += (int(answer.agrees), 1)
    return {
        error: np.array([groups[group] for group in sorted(groups)])
        for error, groups in sorted(counts.items())
    }


def share_found(sums: Counts) -> Figures:
    """The share found, of each row of summed counts of one kind of error."""
    return shares(sums[:, 0], sums[:, 1])


def table_of(counts: Counts, name: str) -> tuple[tuple[int, ...], ...]:
    """The confusion matrix of one kind, a row a label and a column an answer."""
    table = counts[_SLICES[name]].reshape(_SIZES[name]).tolist()
    return tuple(tuple(row) for row in table)


def tables_of(sums: Counts, name: str) -> Counts:
    """The confusion matrices of one kind, of each row of summed counts: label by answer."""
    return sums[:, _SLICES[name]].reshape(-1, *_SIZES[name])


def _kappa(facet: str) -> Callable[[Counts], Figures]:
    categories = range(1, _SIZES[facet][0] + 1)
    return lambda sums: kappas_of(
        tables_of(sums, facet), categories=categories, weights="quadratic"
    )


def _mean_kappa(sums: Counts) -> Figures:
    """The mean over the facets that have one."""
    kappas = np.stack([_kappa(facet)(sums) for facet in FACETS])
    n_defined = (~np.isnan(kappas)).sum(axis=0)
    return shares(np.nansum(kappas, axis=0), n_defined)


def _exact(*facets: str) -> Callable[[Counts], Figures]:
    def share(sums: Counts) -> Figures:
        tables = [tables_of(sums, facet) for facet in facets]
        equal = sum(np.trace(table, axis1=1, axis2=2) for table in tables)
        return shares(np.asarray(equal), np.asarray(sum(t.sum(axis=(1, 2)) for t in tables)))

    return share


def _unfaithful_precision(sums: Counts) -> Figures:
    tables = tables_of(sums, SENTENCE)
    return shares(tables[:, 0, 0], tables[:, 0, 0] + tables[:, 1, 0])


def _unfaithful_recall(sums: Counts) -> Figures:
    tables = tables_of(sums, SENTENCE)
    return shares(tables[:, 0, 0], tables[:, 0, 0] + tables[:, 0, 1])


def _fact_f1(sums: Counts) -> Figures:
    tables = tables_of(sums, FACT)
    held = 2 * tables[:, 1, 1]
    return shares(held, held + tables[:, 0, 1] + tables[:, 1, 0])


def _fact_kappa(sums: Counts) -> Figures:
    return kappas_of(tables_of(sums, FACT), categories=(0, 1), weights="none")


def _of_evidence(figure: Callable[[Counts], Figures]) -> Callable[[Counts], Figures]:
    return lambda sums: figure(sums[:, _SLICES[_EVIDENCE]])


FIGURES: Final[Mapping[str, Callable[[Counts], Figures]]] = {
    "facet_kappa": _mean_kappa,
    **{f"facet_kappa.{facet}": _kappa(facet) for facet in FACETS},
    "facet_exact": _exact(*FACETS),
    **{f"facet_exact.{facet}": _exact(facet) for facet in FACETS},
    "unfaithful_precision": _unfaithful_precision,
    "unfaithful_recall": _unfaithful_recall,
    "fact_f1": _fact_f1,
    "fact_kappa": _fact_kappa,
    "evidence_precision": _of_evidence(evidence_precision),
    "evidence_recall": _of_evidence(evidence_recall),
    "evidence_f1": _of_evidence(evidence_f1),
}
"""By name, a figure of agreement of each row of summed counts; NaN where it is undefined."""
_LABELS: Final = ((_EVIDENCE, (_EVIDENCE,)), (FACT, (FACT,)), ("unfaithful", (SENTENCE,)))


def _kinds(name: str) -> tuple[str, ...]:
    """The kinds of labels that a figure counts."""
    facet = name.partition(".")[2]
    if facet:
        return (facet,)
    return next((kinds for start, kinds in _LABELS if name.startswith(start)), FACETS)


def n_of(counts: Counts, name: str) -> int:
    """How many items a figure stands on: labelled ones, or source sentences as evidence."""
    if name.startswith(_EVIDENCE):
        return int(counts[_SLICES[_EVIDENCE]][1])
    return sum(int(counts[_SLICES[kind]].sum()) for kind in _kinds(name))
