"""Agreement of two annotators on the items that both have labelled (`agree --compare`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.stats.agreement import kappas_of
from summeval_pytest.study.tables import number as plain
from summeval_pytest.suite.marking import markings_of
from summeval_pytest.text.printing import one_line
from summeval_pytest.text.table import Table, table_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.stats.agreement import Weights
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.marking import Item, ItemKind, Marking

    Markings = Mapping[Item, Marking]
    Labelled = Mapping[tuple[str, str], Label]
    """Labels by paper and system."""

Figures: TypeAlias = "dict[str, Any]"
"""What the JSON file holds, by key."""
KINDS: Final[tuple[ItemKind, ...]] = (*FACETS, "sentence", "reference fact", "candidate fact")
"""The kinds of items whose answers are categories, in the order shown."""


def cohen_kappa(
    a: Sequence[int], b: Sequence[int], *, categories: Sequence[int], weights: Weights
) -> float | None:
    """Cohen's kappa of two raters; see `kappas_of`. None where it is undefined."""
    place = {category: index for index, category in enumerate(categories)}
    table = np.zeros((len(place), len(place)), dtype=np.int64)
    for left, right in zip(a, b, strict=True):
        table[place[left], place[right]] += 1
    kappa = float(kappas_of(table, categories=categories, weights=weights))
    return None if np.isnan(kappa) else kappa


def annotator_agreement(first: Labelled, second: Labelled) -> Figures:
    """How two annotators agree, either of whom may have labelled a part only.

    Swapping the two changes no figure but the counts of what only one has labelled. ``pairs``
    counts those that the first, the second and both have labelled. ``kinds`` are those of which
    either has an item (not of facets alone that both call absent). ``evidence`` is over sentences
    for which both name some: f1 = 2 * both / (named by the first + named by the second), summed, 0
    to 1. ``overall`` is of pairs that both have scored. None stands for what is undefined.
    """
    a, b = (
        {marking.item: marking for label in of.values() for marking in markings_of(label)}
        for of in (first, second)
    )
    both = first.keys() & second.keys()
    pairs = {"first": len(first), "second": len(second), "both": len(both)}
    return {"pairs": pairs, **item_figures(a, b)}


def item_figures(a: Markings, b: Markings) -> Figures:
    """The ``kinds``, the ``evidence`` and the ``overall`` scores of `annotator_agreement`."""
    kinds = {kind: _of_kind(kind, a, b) for kind in KINDS}
    shown = ("items", "absent_to_one", "only_first", "only_second")
    both, only = _shared("overall", a, b)
    differences = [abs((a[item].value or 0) - (b[item].value or 0)) for item in both]
    difference = sum(differences) / len(both) if both else None
    return {
        "kinds": {kind: of for kind, of in kinds.items() if any(of[key] for key in shown)},
        "evidence": _evidence(a, b),
        "overall": {"pairs": len(both), "mean_absolute_difference": difference, **only},
    }


def _of_kind(kind: ItemKind, a: Markings, b: Markings) -> Figures:
    """Agreement on the ``items`` of one kind that both have labelled.

    ``exact`` is the share on which both say the same, 0 to 1; the kappas are Cohen's, -1 to 1, and
    only ratings of a facet have a quadratic one. Facets ``absent_to_one``, which the other rates,
    are in no figure.
    """
    both, only = _shared(kind, a, b)
    values = [(a[item].value, b[item].value) for item in both]
    rated = [(int(x), int(y)) for x, y in values if x is not None and y is not None]
    left, right = [x for x, _ in rated], [y for _, y in rated]
    top = next((most for facet, most in SCALES.items() if facet == kind), None)
    categories = (0, 1) if top is None else tuple(range(1, top + 1))
    quadratic = cohen_kappa(left, right, categories=categories, weights="quadratic")
    return {
        "items": len(rated),
        "exact": sum(x == y for x, y in rated) / len(rated) if rated else None,
        "kappa": cohen_kappa(left, right, categories=categories, weights="none"),
        "quadratic_kappa": None if top is None else quadratic,
        "absent_to_one": sum((x is None) != (y is None) for x, y in values),
        **only,
    }


def _shared(kind: ItemKind, a: Markings, b: Markings) -> tuple[list[Item], dict[str, int]]:
    """The items of a kind that both have, and how many only one has."""
    left, right = ([item for item in of if item.kind == kind] for of in (a, b))
    both = [item for item in left if item in b]
    return both, {"only_first": len(left) - len(both), "only_second": len(right) - len(both)}


def _evidence(a: Markings, b: Markings) -> Figures:
    n_sentences = n_both = n_named = 0
    for item in _shared("sentence", a, b)[0]:
        left, right = ({label.index for label in of[item].evidence} for of in (a, b))
        if left and right:
            n_sentences += 1
            n_both += len(left & right)
            n_named += len(left) + len(right)
    return {"sentences": n_sentences, "f1": 2 * n_both / n_named if n_sentences else None}


def annotator_lines(agreement: Figures, first: str, second: str) -> Iterator[str]:
    """How two label files agree, a row a kind; figures that are undefined are ``-``."""
    pairs, evidence, overall = agreement["pairs"], agreement["evidence"], agreement["overall"]
    yield f"{one_line(first)}: {pairs['first']} pairs labelled"
    yield f"{one_line(second)}: {pairs['second']} pairs labelled, {pairs['both']} of them by both"
    yield ""
    rows: list[tuple[str, ...]] = []
    for kind, each in agreement["kinds"].items():
        figures = (plain(each[key]) for key in ("exact", "kappa", "quadratic_kappa"))
        only = str(each["only_first"]), str(each["only_second"])
        rows.append((kind, str(each["items"]), *figures, *only))
        if kind == "sentence" and evidence["sentences"]:
            f1 = plain(evidence["f1"])
            rows.append(("  evidence F1", str(evidence["sentences"]), f1, "", "", "", ""))
    only = str(overall["only_first"]), str(overall["only_second"])
    if overall["pairs"] or only != ("0", "0"):
        rows.append(("overall", str(overall["pairs"]), "", "", "", *only))
    head = ("", "items", "exact", "kappa", "quadratic", "only 1st", "only 2nd")
    yield from table_lines(Table(head=head, rows=rows))
    if overall["mean_absolute_difference"] is not None:
        yield f"overall scores differ by {overall['mean_absolute_difference']:.3f} on average"
    if n_absent := sum(each["absent_to_one"] for each in agreement["kinds"].values()):
        yield f"facets that one rates and the other calls absent, in no figure: {n_absent}"


def annotators_in_short(agreement: Figures) -> str:
    """The agreement in one line, for a message: exact agreement and the kappa that fits."""
    parts = []
    for kind, each in agreement["kinds"].items():
        kappa = each["kappa"] if each["quadratic_kappa"] is None else each["quadratic_kappa"]
        if each["items"]:
            figures = f"{kind} {plain(each['exact'])} exact, kappa {plain(kappa)}"
            parts.append(f"{figures} (n {each['items']})")
    return "; ".join(parts) or "no item that both have labelled"
