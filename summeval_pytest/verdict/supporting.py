"""How well supporting sentences are found: by the judge, and by retrieval as the baseline.

Source: FareBio, Tables 3, 4 and 10; metrics.md FB1, FB2 and FB4. Every interval resamples papers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean, median
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from summeval_pytest.evaluation import count_evidence
from summeval_pytest.metrics.lexical import novel_bigrams
from summeval_pytest.metrics.retrieval import top_sentences
from summeval_pytest.stats import (
    any_hit,
    bootstrap_sums,
    evidence_f1,
    evidence_precision,
    evidence_recall,
    named_per_instance,
)
from summeval_pytest.verdict.agreement import Estimate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.evaluation import EvidenceCase, EvidenceCount
    from summeval_pytest.metrics.retrieval import Retriever

    Counts = NDArray[np.int64]
    Figures = NDArray[np.float64]

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
    counts = _counts(answered)

    def estimate(figure: Callable[[Counts], Figures]) -> Estimate:
        value = float(figure(counts.sum(axis=0)[np.newaxis])[0])
        if np.isnan(value):
            return Estimate(None, None, None)
        interval = bootstrap_sums(counts, figure, n_resamples=RESAMPLES, seed=SEED)
        return Estimate(value, interval.low, interval.high)

    return SupportingFigures(
        by=by,
        part=part,
        n_instances=len(answered),
        n_papers=len(counts),
        n_unanswered=len(named) - len(answered),
        precision=estimate(evidence_precision),
        recall=estimate(evidence_recall),
        f1=estimate(evidence_f1),
        any_hit=estimate(any_hit),
        named_per_sentence=estimate(named_per_instance),
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


def _counts(answered: Sequence[tuple[str, EvidenceCount]]) -> Counts:
    """A row a group of papers, in the order of their names, as the figures take them."""
    rows = {group: row for row, group in enumerate(sorted({group for group, _ in answered}))}
    counts = np.zeros((len(rows), 5), dtype=np.int64)
    for group, found in answered:
        hit = int(found.both > 0)
        counts[rows[group]] += (found.named, found.labelled, found.both, hit, 1)
    return counts
