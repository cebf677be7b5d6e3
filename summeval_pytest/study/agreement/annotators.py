"""Agreement of two annotators on the items that both have labelled.

The fields of these values are the keys of the JSON file that ``agree --compare`` writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.study.agreement.agreement_tables import plain
from summeval_pytest.study.agreement.raters import cohen_kappa, exact_agreement
from summeval_pytest.suite.marking import markings_of
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.table import Table, table_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.marking import Item, ItemKind, Marking

    Markings = Mapping[Item, Marking]
    Labelled = Mapping[tuple[str, str], Label]
    """Labels by paper and system."""


KINDS: Final[tuple[ItemKind, ...]] = (*FACETS, "sentence", "reference fact", "candidate fact")
"""The kinds of items whose answers are categories, in the order shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindAgreement:
    """Agreement on the ``items`` of one kind that both have labelled; None where undefined.

    ``exact`` is the share on which both say the same, 0 to 1; the kappas are Cohen's, -1 to 1, and
    only ratings of a facet have a quadratic one. Facets ``absent_to_one``, which the other rates,
    are in no figure. ``only_first`` and ``only_second`` have labelled so many items alone.
    """

    items: int
    exact: float | None
    kappa: float | None
    quadratic_kappa: float | None
    absent_to_one: int
    only_first: int
    only_second: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceAgreement:
    """Agreement on evidence, over sentences for which both name some.

    ``f1`` = 2 * both / (named by the first + named by the second), summed over the sentences, 0 to
    1; None without any.
    """

    sentences: int
    f1: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallAgreement:
    """Overall scores of pairs that both have scored."""

    pairs: int
    mean_absolute_difference: float | None
    only_first: int
    only_second: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorAgreement:
    """How two annotators agree.

    ``pairs`` counts those that the ``first``, the ``second``, and ``both`` have labelled. ``kinds``
    are those of which either has an item, in the order of `KINDS`.
    """

    pairs: Mapping[str, int]
    kinds: Mapping[ItemKind, KindAgreement]
    evidence: EvidenceAgreement
    overall: OverallAgreement


def annotator_agreement(first: Labelled, second: Labelled) -> AnnotatorAgreement:
    """How two annotators agree, either of whom may have labelled a part only.

    Swapping the two changes no figure but the counts of what only one has labelled.
    """
    a, b = (
        {marking.item: marking for label in of.values() for marking in markings_of(label)}
        for of in (first, second)
    )
    kinds = {kind: _of_kind(kind, a, b) for kind in KINDS}
    n_both = len(first.keys() & second.keys())
    return AnnotatorAgreement(
        pairs={"first": len(first), "second": len(second), "both": n_both},
        kinds={kind: found for kind, found in kinds.items() if _says_something(found)},
        evidence=_evidence(a, b),
        overall=_overall(a, b),
    )


def _says_something(found: KindAgreement) -> bool:
    """Not of facets alone that both call absent."""
    return any((found.items, found.absent_to_one, found.only_first, found.only_second))


def _of_kind(kind: ItemKind, a: Markings, b: Markings) -> KindAgreement:
    both, (only_first, only_second) = _shared(kind, a, b)
    values = [(a[item].value, b[item].value) for item in both]
    rated = [(int(x), int(y)) for x, y in values if x is not None and y is not None]
    left, right = [x for x, _ in rated], [y for _, y in rated]
    top = next((most for facet, most in SCALES.items() if facet == kind), None)
    categories: Sequence[int] = (0, 1) if top is None else range(1, top + 1)
    quadratic = cohen_kappa(left, right, categories=categories, weights="quadratic")
    return KindAgreement(
        items=len(rated),
        exact=exact_agreement(left, right),
        kappa=cohen_kappa(left, right, categories=categories, weights="none"),
        quadratic_kappa=None if top is None else quadratic,
        absent_to_one=sum((x is None) != (y is None) for x, y in values),
        only_first=only_first,
        only_second=only_second,
    )


def _shared(kind: ItemKind, a: Markings, b: Markings) -> tuple[list[Item], tuple[int, int]]:
    """The items of a kind that both have, and how many only one has."""
    left = [item for item in a if item.kind == kind]
    right = [item for item in b if item.kind == kind]
    both = [item for item in left if item in b]
    return both, (len(left) - len(both), len(right) - len(both))


def _evidence(a: Markings, b: Markings) -> EvidenceAgreement:
    n_sentences = n_both = n_named = 0
    for item in _shared("sentence", a, b)[0]:
        left = {label.index for label in a[item].evidence}
        right = {label.index for label in b[item].evidence}
        if left and right:
            n_sentences += 1
            n_both += len(left & right)
            n_named += len(left) + len(right)
    return EvidenceAgreement(
        sentences=n_sentences, f1=2 * n_both / n_named if n_sentences else None
    )


def _overall(a: Markings, b: Markings) -> OverallAgreement:
    both, (only_first, only_second) = _shared("overall", a, b)
    differences = [abs((a[item].value or 0) - (b[item].value or 0)) for item in both]
    return OverallAgreement(
        pairs=len(both),
        mean_absolute_difference=sum(differences) / len(both) if both else None,
        only_first=only_first,
        only_second=only_second,
    )


def annotator_lines(found: AnnotatorAgreement, first: str, second: str) -> Iterator[str]:
    """How two label files agree, a row a kind; figures that are undefined are ``-``."""
    yield f"{one_line(first)}: {found.pairs['first']} pairs labelled"
    n_second, n_both = found.pairs["second"], found.pairs["both"]
    yield f"{one_line(second)}: {n_second} pairs labelled, {n_both} of them by both"
    yield ""
    rows: list[tuple[str, ...]] = []
    for kind, each in found.kinds.items():
        figures = map(plain, (each.exact, each.kappa, each.quadratic_kappa))
        rows.append((kind, str(each.items), *figures, str(each.only_first), str(each.only_second)))
        if kind == "sentence" and found.evidence.sentences:
            f1 = plain(found.evidence.f1)
            rows.append(("  evidence F1", str(found.evidence.sentences), f1, "", "", "", ""))
    overall = found.overall
    if overall.pairs or overall.only_first or overall.only_second:
        only = str(overall.only_first), str(overall.only_second)
        rows.append(("overall", str(overall.pairs), "", "", "", *only))
    head = ("", "items", "exact", "kappa", "quadratic", "only 1st", "only 2nd")
    yield from table_lines(Table(head=head, rows=rows))
    if overall.mean_absolute_difference is not None:
        yield f"overall scores differ by {overall.mean_absolute_difference:.3f} on average"
    if n_absent := sum(each.absent_to_one for each in found.kinds.values()):
        yield f"facets that one rates and the other calls absent, in no figure: {n_absent}"


def annotators_in_short(found: AnnotatorAgreement) -> str:
    """The agreement in one line, for a message: exact agreement and the kappa that fits."""
    parts = [
        f"{kind} {plain(each.exact)} exact, kappa"
        f" {plain(each.kappa if each.quadratic_kappa is None else each.quadratic_kappa)}"
        f" (n {each.items})"
        for kind, each in found.kinds.items()
        if each.items
    ]
    return "; ".join(parts) or "no item that both have labelled"
