"""Agreement of two annotators on the items that both have labelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.stats.agreement import cohen_kappa, exact_agreement
from summeval_pytest.suite.marking import markings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.marking import Item, ItemKind, Marking


KINDS: Final[tuple[ItemKind, ...]] = (*FACETS, "sentence", "reference fact", "candidate fact")
"""The kinds of items whose answers are categories, in the order shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindAgreement:
    """Agreement on the items of one kind that both have labelled.

    Attributes:
        kind: A facet, ``sentence``, or a side's facts.
        n_items: On how many items it stands.
        exact: The share on which both say the same, 0 to 1; None without items.
        kappa: Cohen's kappa, -1 to 1; None where it is undefined.
        quadratic: Quadratic kappa of a facet's ratings; None for yes and no, and where undefined.
        n_absent: Facets that one rates and the other calls absent; they are in no figure.
        n_only: Items that only the first, and only the second has labelled.
    """

    kind: ItemKind
    n_items: int
    exact: float | None
    kappa: float | None
    quadratic: float | None = None
    n_absent: int = 0
    n_only: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceAgreement:
    """Agreement on evidence, over sentences for which both name some.

    ``f1`` = 2 * both / (named by the first + named by the second), summed over the sentences, 0 to
    1; None without any.
    """

    n_sentences: int
    f1: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallAgreement:
    """Overall scores of pairs that both have scored, and their mean absolute difference."""

    n_pairs: int
    difference: float | None
    n_only: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorAgreement:
    """How two annotators agree.

    Attributes:
        n_pairs: Pairs that the first, the second, and both have labelled.
        kinds: One for each kind of which either has an item, in the order of `KINDS`.
        evidence: Agreement on the evidence of sentences.
        overall: Agreement on overall scores.
    """

    n_pairs: tuple[int, int, int]
    kinds: tuple[KindAgreement, ...]
    evidence: EvidenceAgreement
    overall: OverallAgreement


def annotator_agreement(
    first: Mapping[tuple[str, str], Label], second: Mapping[tuple[str, str], Label]
) -> AnnotatorAgreement:
    """How two annotators agree, whose labels are given by paper and system; either may be partial.

    Swapping the two changes no figure but the counts of what only one has labelled.
    """
    a, b = _markings(first.values()), _markings(second.values())
    kinds = (_of_kind(kind, a, b) for kind in KINDS)
    return AnnotatorAgreement(
        n_pairs=(len(first), len(second), len(first.keys() & second.keys())),
        kinds=tuple(
            found for found in kinds if found.n_items or found.n_absent or any(found.n_only)
        ),
        evidence=_evidence(a, b),
        overall=_overall(a, b),
    )


def _markings(labels: Iterable[Label]) -> dict[Item, Marking]:
    return {marking.item: marking for label in labels for marking in markings_of(label)}


def _of_kind(kind: ItemKind, a: Mapping[Item, Marking], b: Mapping[Item, Marking]) -> KindAgreement:
    both, n_only = _shared(kind, a, b)
    values = [(a[item].value, b[item].value) for item in both]
    rated = [(int(x), int(y)) for x, y in values if x is not None and y is not None]
    left, right = [x for x, _ in rated], [y for _, y in rated]
    categories = _categories(kind)
    return KindAgreement(
        kind=kind,
        n_items=len(rated),
        exact=exact_agreement(left, right),
        kappa=cohen_kappa(left, right, categories=categories, weights="none"),
        quadratic=cohen_kappa(left, right, categories=categories, weights="quadratic")
        if kind in SCALES
        else None,
        n_absent=sum((x is None) != (y is None) for x, y in values),
        n_only=n_only,
    )


def _categories(kind: ItemKind) -> Sequence[int]:
    for facet, most in SCALES.items():
        if facet == kind:
            return range(1, most + 1)
    return (0, 1)


def _shared(
    kind: ItemKind, a: Mapping[Item, Marking], b: Mapping[Item, Marking]
) -> tuple[list[Item], tuple[int, int]]:
    """The items of a kind that both have, and how many only one has."""
    left = [item for item in a if item.kind == kind]
    right = [item for item in b if item.kind == kind]
    both = [item for item in left if item in b]
    return both, (len(left) - len(both), len(right) - len(both))


def _evidence(a: Mapping[Item, Marking], b: Mapping[Item, Marking]) -> EvidenceAgreement:
    n_sentences = n_both = n_named = 0
    for item in _shared("sentence", a, b)[0]:
        left = {label.index for label in a[item].evidence}
        right = {label.index for label in b[item].evidence}
        if left and right:
            n_sentences += 1
            n_both += len(left & right)
            n_named += len(left) + len(right)
    return EvidenceAgreement(
        n_sentences=n_sentences, f1=2 * n_both / n_named if n_sentences else None
    )


def _overall(a: Mapping[Item, Marking], b: Mapping[Item, Marking]) -> OverallAgreement:
    both, n_only = _shared("overall", a, b)
    differences = [abs((a[item].value or 0) - (b[item].value or 0)) for item in both]
    return OverallAgreement(
        n_pairs=len(both),
        difference=sum(differences) / len(both) if both else None,
        n_only=n_only,
    )
