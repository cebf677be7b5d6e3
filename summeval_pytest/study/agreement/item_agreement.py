"""Agreement item by item: of a judge with labels, of two annotators (`agree --compare`).

Every figure is of counts that add up over papers, and its interval resamples papers; those with the
same reference are one. Only items that both have answered count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import numpy as np

from summeval_pytest.questions import FACETS, Facet
from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
from summeval_pytest.stats.agreement import shares
from summeval_pytest.stats.intervals import share_of_hits
from summeval_pytest.study.agreement.coefficients import (
    draws_of,
    estimate_of_resamples,
    roc_auc_estimate,
)
from summeval_pytest.study.agreement.columns import RoleAnswer
from summeval_pytest.study.tables import Estimate, Row, Table, number, table_lines, table_of
from summeval_pytest.suite.labels import Item, Label, Marking, markings_of
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.trust import (
    FACT,
    SENTENCE,
    Counts,
    Figures,
    counts_of,
    kind_of,
    label_kappas,
    tables_of,
)

Figure = Callable[[Counts], Figures]


def alphas_of(tables: Counts) -> Figures:
    """Krippendorff's ordinal alpha of a stack, at most 1, higher is better: 0 is chance.

    alpha = 1 - D_o / D_e, over all categories c and k:

        D_o = sum o[c,k] * d(c,k)
        D_e = sum n[c] * n[k] * d(c,k) / (n - 1)

    o counts pairs of ratings within units, both ways; n[c] sums a row of o, n all of it. The
    distance d(c,k) is the square of how many ratings lie from c to k, those of c and of k counted
    half. Undefined where all ratings are equal, or there are none.

    Source: Krippendorff 2004, Content Analysis, 2nd edition, section 11.3.
    """
    coincidences = (tables + np.swapaxes(tables, -1, -2)).astype(np.float64)
    margins = coincidences.sum(axis=-1)
    middles = np.cumsum(margins, axis=-1) - margins / 2
    distances = (middles[..., :, None] - middles[..., None, :]) ** 2
    observed = (coincidences * distances).sum(axis=(-1, -2)) * (margins.sum(axis=-1) - 1)
    expected = (margins[..., :, None] * margins[..., None, :] * distances).sum(axis=(-1, -2))
    return shares(expected - observed, expected)


_NOTHING: Final = 1e-12
"""A sum of squares below this share of all of it is what rounding has left of none."""


def iccs_of(tables: Counts, *, categories: Sequence[float]) -> Figures:
    """ICC(2,1) of a stack, at most 1, higher is better: absolute agreement.

    The raters are taken for two of many, and the figure is about one of them. With the mean
    squares of n targets, of raters and of the error,

        ICC(2,1) = (MS_t - MS_e) / (MS_t + MS_e + 2 * (MS_r - MS_e) / n)

    Undefined for fewer than two targets, and where neither targets nor raters differ.

    Source: Shrout and Fleiss 1979, case 2, a single rater.
    """
    values = np.array(categories, dtype=np.float64)
    n_targets = tables.sum(axis=(-1, -2)).astype(np.float64)
    row = (tables.sum(axis=-1) * values).sum(axis=-1)
    column = (tables.sum(axis=-2) * values).sum(axis=-1)
    squares = (tables * (values[:, None] ** 2 + values[None, :] ** 2)).sum(axis=(-1, -2))
    sums = (tables * (values[:, None] + values[None, :]) ** 2).sum(axis=(-1, -2))
    with np.errstate(invalid="ignore", divide="ignore"):
        correction = (row + column) ** 2 / (2 * n_targets)
        raters = (row**2 + column**2) / n_targets - correction
        total, targets = squares - correction, sums / 2 - correction
        error = np.maximum(total - targets - raters, 0) / (n_targets - 1)
        of_targets = targets / (n_targets - 1)
        below = of_targets + error + 2 * (raters - error) / n_targets
        is_defined = below * (n_targets - 1) > _NOTHING * total
    return shares(of_targets - error, np.where(is_defined, below, 0.0))


def _of_all(tables: Counts, some: Counts) -> Figures:
    return shares(some, tables.sum(axis=(-2, -1)))


def _exact(tables: Counts) -> Figures:
    return _of_all(tables, np.trace(tables, axis1=-2, axis2=-1))


def _recall(tables: Counts, row: int) -> Figures:
    """The share of what is labelled so that is called so."""
    return shares(tables[..., row, row], tables[..., row, :].sum(axis=-1))


def _passed(tables: Counts) -> Figures:
    """The share of the best labels: what a judge gets right that passes everything."""
    return _of_all(tables, tables[..., -1, :].sum(axis=-1))


RATING_FIGURES: Final[Mapping[str, Figure]] = {
    "exact": _exact,
    "exact, always pass": _passed,
    "kappa": lambda t: label_kappas(t, "none"),
    "quadratic kappa": lambda t: label_kappas(t, "quadratic"),
    "alpha (ordinal)": alphas_of,
    "ICC(2,1)": lambda t: iccs_of(t, categories=range(1, t.shape[-1] + 1)),
}
"""Of ratings: percent agreement, Cohen's kappa plain and quadratic, Krippendorff's alpha, ICC."""
VERDICT_FIGURES: Final[Mapping[str, Figure]] = {
    "exact": _exact,
    "exact, always pass": _passed,
    "kappa": lambda t: label_kappas(t, "none"),
    "balanced accuracy": lambda t: (_recall(t, 0) + _recall(t, 1)) / 2,
    "recall of wrong": lambda t: _recall(t, 0),
    "called wrong": lambda t: _of_all(t, t[..., :, 0].sum(axis=-1)),
    "labelled wrong": lambda t: _of_all(t, t[..., 0, :].sum(axis=-1)),
}
"""Of sentences and facts; *wrong* is a sentence that is not faithful, a fact that does not hold."""
AUC: Final = "AUC of support"
"""How well the judge's strength of belief tells right from wrong, whatever its threshold: 0 to 1,
higher is better, 0.5 is chance. Undefined unless each answered item has one: what a rule answered
is no sample of the rest."""
STOPPED: Final = {"bad summaries stopped": True, "good summaries stopped": False}
"""Of summaries with a sentence that people call unfaithful, and of those without one, the share in
which the judge calls a sentence unsupported."""
VERDICTS: Final = (SENTENCE, FACT)
ITEM_KINDS: Final = (*FACETS, *VERDICTS)


def _both_vary(tables: Counts, weights: Literal["none", "quadratic"]) -> Figures:
    """Kappa of two annotators; undefined if either says one and the same of every item."""
    kappas = label_kappas(tables, weights)
    return np.where(np.count_nonzero(tables.sum(axis=-2), axis=-1) > 1, kappas, np.nan)


_OF_ANNOTATORS: Final[Mapping[str, Figure]] = {
    "kappa": lambda t: _both_vary(t, "none"),
    "quadratic kappa": lambda t: _both_vary(t, "quadratic"),
}


def item_agreements(
    pairs: Sequence[GoldenPair], instead: Mapping[str, Figure] = MappingProxyType({})
) -> dict[str, Row]:
    """By kind, the number of ``items`` and each figure; undefined where no label has the kind.

    ``instead`` are figures to take in the place of the usual ones of the same names.
    """
    counts = counts_of(pairs)
    agreements: dict[str, Row] = {}
    for kind in ITEM_KINDS:
        tables = tables_of(counts, kind)
        counted = tables[tables.sum(axis=(-2, -1)) > 0]
        of_kind = RATING_FIGURES if kind in FACETS else VERDICT_FIGURES
        agreements[kind] = {"items": int(counted.sum())}
        agreements[kind] |= {
            name: estimate_of(counted, instead.get(name, figure))
            for name, figure in of_kind.items()
        }
        if kind in VERDICTS:
            agreements[kind][AUC] = _auc(kind, pairs)
            for name, are_bad in STOPPED.items():
                is_asked = kind == SENTENCE
                agreements[kind][name] = _stopped(pairs, are_bad) if is_asked else Estimate()
    return agreements


def _stopped(pairs: Sequence[GoldenPair], are_bad: bool) -> Estimate:
    """The share of bad, or of good, summaries in which the judge calls a sentence unsupported."""
    items = []
    for pair in pairs:
        answers = list(pair.answered(SENTENCE))
        if answers and are_bad == any(not label for label, _ in answers):
            items.append((pair.group, any(not answer for _, answer in answers)))
    interval = share_of_hits(items)
    value = sum(is_stopped for _, is_stopped in items) / len(items) if items else None
    return Estimate(value, interval.low, interval.high)


def _auc(kind: str, pairs: Sequence[GoldenPair]) -> Estimate:
    """The area under the ROC curve of the support of one kind of items."""
    items = [
        (pair.group, bool(each.label), each.support)
        for pair in pairs
        for each in pair.answers
        if each.answer is not None and kind_of(each) == kind
    ]
    numbers = [support for _, _, support in items if support is not None]
    if not numbers or len(numbers) < len(items):
        return Estimate()
    groups, right, _ = zip(*items, strict=True)
    return roc_auc_estimate(groups, right, numbers)


def estimate_of(tables: Counts, figure: Figure, seed: int | None = None) -> Estimate:
    """The figure of all tables together, with its interval over the papers that they are."""
    if not len(tables):
        return Estimate()
    draws = draws_of(len(tables), seed=seed)
    sums = [tables.sum(axis=0), *(tables[drawn].sum(axis=0) for drawn in draws)]
    value, *resampled = figure(np.array(sums))
    return estimate_of_resamples(value, np.array(resampled))


def role_agreement(answers: Sequence[tuple[str, RoleAnswer]]) -> Row:
    """How well sentences get their facet; each answer with its group.

    Of the ``items``, labelled sentences that state a facet, ``n_nowhere`` stand in no segment of
    the judge's. ``classes`` have precision, recall and F1 by name, in reading order. ``macro F1``
    is the mean of their F1 where it is defined, ``accuracy`` the share of sentences in their class.
    """
    classes = classes_of(answer for _, answer in answers)
    counts = _role_counts(answers, classes)
    total = counts.sum(axis=0)
    return {
        "items": int(total.sum()),
        "n_nowhere": sum(answer.answer is None for _, answer in answers),
        "macro F1": estimate_of(counts, _macro_f1),
        "accuracy": estimate_of(counts, _exact),
        "classes": {
            " or ".join(facets): {
                "items": int(total[place].sum()),
                "precision": estimate_of(counts, _share_of(place, labelled=0)),
                "recall": estimate_of(counts, _share_of(place, answered=0)),
                "F1": estimate_of(counts, _share_of(place)),
            }
            for place, facets in enumerate(classes)
        },
    }


def classes_of(answers: Iterable[RoleAnswer]) -> tuple[tuple[Facet, ...], ...]:
    """The labelled facets, those that are right together for any sentence as one class."""
    classes: list[set[Facet]] = []
    for answer in answers:
        joined = set(answer.right).union(*(c for c in classes if c & set(answer.right)))
        classes = [c for c in classes if not c & joined] + [joined]
    in_order = [tuple(facet for facet in FACETS if facet in c) for c in classes]
    return tuple(sorted(in_order, key=lambda facets: FACETS.index(facets[0])))


def _role_counts(
    answers: Sequence[tuple[str, RoleAnswer]], classes: Sequence[tuple[Facet, ...]]
) -> Counts:
    """By group: label by answer, where the last answer is none of the classes."""
    groups = sorted({group for group, _ in answers})
    place = {facet: number for number, facets in enumerate(classes) for facet in facets}
    counts = np.zeros((len(groups), len(classes), len(classes) + 1), dtype=np.int64)
    for group, each in answers:
        answer = len(classes) if each.answer is None else place.get(each.answer, len(classes))
        counts[groups.index(group), place[each.right[0]], answer] += 1
    return counts


def _share_of(place: int, *, labelled: int = 1, answered: int = 1) -> Figure:
    """Right sentences of a class / the mean of those labelled and those answered so: F1.

    Of either alone it is recall or precision.
    """

    def share(tables: Counts) -> Figures:
        whole = labelled * tables[..., place, :].sum(axis=-1)
        whole = whole + answered * tables[..., place].sum(axis=-1)
        return shares((labelled + answered) * tables[..., place, place], whole)

    return share


def _macro_f1(tables: Counts) -> Figures:
    by_class = np.stack([_share_of(place)(tables) for place in range(tables.shape[-2])])
    return shares(np.nansum(by_class, axis=0), (~np.isnan(by_class)).sum(axis=0))


def item_table(items: Mapping[str, Row], kinds: Sequence[str]) -> Table:
    """Every figure of some kinds of items with its interval, a row a figure, a column a kind."""
    rows: list[Row] = [
        {"figure": name, **{kind: items[kind][name] for kind in kinds}} for name in items[kinds[0]]
    ]
    notes = ["always pass: a judge that gives everything the best answer"]
    if "recall of wrong" in items[kinds[0]]:
        notes += [
            "wrong: a sentence that is not faithful, a fact that does not hold",
            "stopped: the judge calls a sentence unsupported; bad: so do people",
        ]
    return table_of("", rows, {"": "figure", **{kind: kind for kind in kinds}}, *notes)


def role_table(roles: Row) -> Table:
    """How well sentences get their facet, a row a class of facets, then over all of them."""
    rows: list[Row] = [{"role": name, **each} for name, each in roles["classes"].items()]
    for name in ("macro F1", "accuracy"):
        whole = {"role": name, "items": roles["items"], "precision": "", "recall": ""}
        rows.append(whole | {"F1": roles[name]})
    return table_of(
        "",
        rows,
        {
            "sentence roles": "role",
            "items": "items",
            **{n: n for n in ("precision", "recall", "F1")},
        },
        f"stated by the segment that holds the sentence; {roles['n_nowhere']:,} stand in none and"
        " are wrong",
    )


def recorded_table(recorded: Mapping[str, Mapping[str, Row]]) -> Table:
    """Ratings that others recorded beside the human ones: the exact share and quadratic kappa."""

    def cell(figures: Row) -> str:
        return " ".join(
            f"{number(figures[name].value):>6}" for name in ("exact", "quadratic kappa")
        )

    return table_of(
        "",
        [
            {"by": by, **{facet: cell(items[facet]) for facet in FACETS}}
            for by, items in recorded.items()
        ],
        {"recorded ratings": "by", **{facet: facet for facet in FACETS}},
        "exact share, then quadratic kappa",
    )


_OF_A_JUDGE: Final = VERDICT_FIGURES.keys() - {"exact", "kappa"} | {AUC, *STOPPED}
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
        ],
        _OF_ANNOTATORS,
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
