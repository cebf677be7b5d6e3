"""Agreement of two annotators on the items that both have labelled (`agree --compare`).

The second annotator is measured beside the first as a judge is beside labels.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias

from summeval_pytest.questions import FACETS
from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
from summeval_pytest.study.agreement.item_agreement import (
    AUC,
    ITEM_KINDS,
    VERDICT_FIGURES,
    VERDICTS,
    item_agreements,
)
from summeval_pytest.study.agreement.suite_agreement import item_table
from summeval_pytest.study.layout import table_lines
from summeval_pytest.study.tables import number
from summeval_pytest.suite.marking import markings_of
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.trust import FACT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from summeval_pytest.study.tables import Row
    from summeval_pytest.suite.labels import Label
    from summeval_pytest.suite.marking import Item, Marking

_OF_A_JUDGE: Final = VERDICT_FIGURES.keys() - {"exact", "kappa"} | {AUC}
"""Figures that take the first annotator for the truth."""
Markings: TypeAlias = "Mapping[Item, Marking]"


def annotator_agreement(
    first: Mapping[tuple[str, str], Label], second: Mapping[tuple[str, str], Label]
) -> Row:
    """How two annotators agree, by paper and system; either may have labelled a part only.

    ``pairs`` counts those that the first, the second and both have labelled. ``items`` are by kind
    (see `item_agreements`), with how many only one of them has. ``evidence`` is over sentences for
    which both name some: f1 = 2 * both / (named by the first + named by the second), summed, 0 to
    1. ``overall`` is of pairs that both have scored. Facets ``absent_to_one``, which the other
    rates, are in no figure. None stands for what is undefined.
    """
    a, b = (
        {marking.item: marking for label in of.values() for marking in markings_of(label)}
        for of in (first, second)
    )
    pairs = {"first": len(first), "second": len(second), "both": len(first.keys() & second.keys())}
    return {"pairs": pairs, **item_figures(a, b)}


def item_figures(a: Markings, b: Markings) -> Row:
    """All of `annotator_agreement` but the pairs."""
    both = [(item, a[item], b[item]) for item in a if item in b]
    answers: defaultdict[tuple[str, str], list[GoldenAnswer]] = defaultdict(list)
    for item, one, other in both:
        if one.value is not None and other.value is not None:
            answer = GoldenAnswer(
                kind=item.kind, index=item.index, label=one.value, answer=other.value
            )
            answers[item.paper, item.system].append(answer)
    figures = item_agreements(
        [
            GoldenPair(paper=paper, system=system, group=paper, answers=tuple(of))
            for (paper, system), of in answers.items()
        ]
    )
    for kind in ITEM_KINDS:
        for name in figures[kind].keys() & _OF_A_JUDGE:
            del figures[kind][name]
        for name, of, others in (("only 1st", a, b), ("only 2nd", b, a)):
            figures[kind][name] = sum(_kind(i) == kind for i in of if i not in others)
    differences = [
        abs((one.value or 0) - (other.value or 0))
        for item, one, other in both
        if item.kind == "overall"
    ]
    return {
        "items": figures,
        "evidence": _evidence(both),
        "overall": {
            "pairs": len(differences),
            "mean_absolute_difference": sum(differences) / len(differences)
            if differences
            else None,
        },
        "absent_to_one": sum((x.value is None) != (y.value is None) for _, x, y in both),
    }


def _kind(item: Item) -> str:
    return FACT if item.kind.endswith(FACT) else item.kind


def _evidence(both: list[tuple[Item, Marking, Marking]]) -> Row:
    n_sentences = n_both = n_named = 0
    for _, one, other in both:
        left, right = ({label.index for label in of.evidence} for of in (one, other))
        if left and right:
            n_sentences += 1
            n_both += len(left & right)
            n_named += len(left) + len(right)
    return {"sentences": n_sentences, "f1": 2 * n_both / n_named if n_sentences else None}


def annotator_lines(agreement: Row, first: str, second: str) -> Iterator[str]:
    """How two label files agree, a column a kind; figures that are undefined are ``-``."""
    pairs, evidence, overall = agreement["pairs"], agreement["evidence"], agreement["overall"]
    yield f"{one_line(first)}: {pairs['first']} pairs labelled"
    yield f"{one_line(second)}: {pairs['second']} pairs labelled, {pairs['both']} of them by both"
    for kinds in (FACETS, VERDICTS):
        of = [agreement["items"][kind] for kind in kinds]
        if any(each["items"] or each["only 1st"] or each["only 2nd"] for each in of):
            yield from ["", *table_lines(item_table(agreement["items"], kinds))]
    yield ""
    if evidence["sentences"]:
        yield f"evidence of {evidence['sentences']:,} sentences: F1 {number(evidence['f1'])}"
    if overall["pairs"]:
        difference = number(overall["mean_absolute_difference"])
        yield f"overall scores of {overall['pairs']:,} pairs differ by {difference} on average"
    if n_absent := agreement["absent_to_one"]:
        yield f"facets that one rates and the other calls absent, in no figure: {n_absent}"


def annotators_in_short(agreement: Row) -> str:
    """The agreement in one line, for a message: exact agreement and the kappa that fits."""
    parts = []
    for kind, each in agreement["items"].items():
        kappa = each["quadratic kappa" if kind in FACETS else "kappa"].value
        if each["items"]:
            figures = f"{kind} {number(each['exact'].value)} exact, kappa {number(kappa)}"
            parts.append(f"{figures} (n {each['items']})")
    return "; ".join(parts) or "no item that both have labelled"
