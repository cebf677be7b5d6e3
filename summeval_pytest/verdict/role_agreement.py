"""How a judge's segments agree with people who said which facet each sentence states.

A sentence is the judge's where its segment stands (`metrics.grounding.facets_of`); one that stands
in no segment is wrong. Facets that a label calls right together are one *class* all over the suite:
a set that labels conclusions as results is held to three classes. Every figure is of counts that
add up over papers, and its interval resamples papers; those with the same reference are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.stats import bootstrap_sums, shares
from summeval_pytest.verdict.agreement import Estimate, resamples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.evaluation import RoleAnswer
    from summeval_pytest.verdict.labelled import LabelledPair

    Counts = NDArray[np.int64]
    Figures = NDArray[np.float64]

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
        accuracy=_estimate(counts, _accuracy),
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


def _accuracy(tables: Counts) -> Figures:
    return shares(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def _estimate(tables: Counts, figure: Callable[[Counts], Figures]) -> Estimate:
    if not len(tables):
        return Estimate(None, None, None)
    n_tables, *shape = tables.shape
    drawn = resamples()
    interval = bootstrap_sums(
        tables.reshape(n_tables, -1),
        lambda sums: figure(sums.reshape(-1, *shape)),
        n_resamples=drawn.n,
        seed=drawn.seed,
    )
    value = float(figure(tables.sum(axis=0)[np.newaxis])[0])
    return Estimate(None if np.isnan(value) else value, interval.low, interval.high)
