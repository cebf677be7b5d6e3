"""Trust: how far a judge agrees with golden labels, which floors it misses, and where it errs.

All figures of agreement but one are functions of counts that add up over papers. So an interval
over papers leaves rows of counts out, and never judges or counts again. A judge without an error
in few labels has a wide interval all the same.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.metrics.facet import LOWEST
from summeval_pytest.metrics.number import SPARSE
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.run.golden import GoldenAnswer, GoldenPair
from summeval_pytest.stats.agreement import kappas_of, shares, spearman
from summeval_pytest.stats.intervals import (
    Interval,
    jackknife_interval,
    missed_errors,
    more_groups,
    share_interval,
    share_of_hits,
)
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.policy import AGREEMENTS, FOLLOWING, OF_ERROR, SPEARMAN, Floors
from summeval_pytest.verdict.thresholds import Threshold

Counts = NDArray[np.int64]
Figures = NDArray[np.float64]
Parts = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreLabels:
    """How many more labels would decide a floor in the interval of its figure, or without one.

    Attributes:
        least: The floor.
        n_papers: How many more papers; None if the figure equals its floor, since then no number
            of labels is enough.
        n_pairs: The same in pairs, with as many pairs per paper as now; None also for a figure
            without an interval.
    """

    least: float
    n_papers: int | None = None
    n_pairs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """One figure of agreement, with its 95 % interval over papers.

    Attributes:
        value: None if undefined, such as the precision of a judge that finds nothing.
        low: The lower bound; None if undefined. A kappa or a correlation also needs two papers.
        high: The upper bound; None likewise.
        more: How many labels would decide the floors that are too close to call.
        unvaried: Why the labels cannot give the figure, if they are all equal; else empty.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n_items: int
    n_papers: int
    floors: tuple[Threshold, ...] = ()
    more: tuple[MoreLabels, ...] = field(default=(), metadata=SPARSE)
    unvaried: str = field(default="", metadata=SPARSE)

    @property
    def missed(self) -> tuple[Threshold, ...]:
        """The floors that it does not reach; an undefined figure reaches none.

        Labels that are all equal test no judge, so they miss no floor.
        """
        if self.unvaried:
            return ()
        return tuple(f for f in self.floors if not f.is_met_by(f.compared(self.value, self.low)))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """A judge's agreement with the golden labels.

    Attributes:
        labels: 12 hex digits over the labels. Compare judges only on the same labels.
        floors_of: The judge whose own floors were used; empty for the floors of all judges. Another
            judge where the suite has floors, and none for this one.
        agreements: Every figure that the labels can give.
        n_papers: The labelled papers. Papers with the same reference count once.
        n_unanswered: Labelled items without an answer from the judge.
        n_left_out: Labelled facets that the judge does not find in the reference.
        fault: Why it was not measured; empty if it was.
        undecided: The floors that the judge meets only because of missing answers, in words.
    """

    judge: str
    labels: str
    floors_of: str = ""
    agreements: tuple[Agreement, ...] = ()
    n_pairs: int = 0
    n_papers: int = 0
    n_unanswered: int = 0
    n_left_out: int = 0
    fault: str = ""
    undecided: str = field(default="", metadata=SPARSE)

    @property
    def missed(self) -> tuple[tuple[Agreement, Threshold], ...]:
        """The floors that the judge misses, each with its figure."""
        return tuple((figure, floor) for figure in self.agreements for floor in figure.missed)

    @property
    def n_floors(self) -> int:
        """How many floors it has to meet; the labels can test these."""
        return sum(len(each.floors) for each in self.agreements if not each.unvaried)

    @property
    def untested(self) -> tuple[Agreement, ...]:
        """The figures with floors that the labels cannot test, since they are all equal."""
        return tuple(each for each in self.agreements if each.floors and each.unvaried)

    @property
    def is_untrusted(self) -> bool:
        """Whether it was measured and misses a floor."""
        return bool(self.missed)

    @property
    def outcome(self) -> Literal["passed", "failed", "error"]:
        """Failed where a floor is missed, error where nothing was measured or it is undecided."""
        if self.is_untrusted:
            return "failed"
        return "error" if self.fault or self.undecided else "passed"


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
_ENDS: Final = tuple(accumulate(math.prod(shape) for shape in _SIZES.values()))
N_COUNTS: Final = _ENDS[-1]
_SLICES: Final = dict(zip(_SIZES, map(slice, (0, *_ENDS), _ENDS), strict=True))


def counts_of(pairs: Sequence[GoldenPair]) -> Counts:
    """The counts of each group of papers in a row, groups in order of their names."""
    groups = sorted({pair.group for pair in pairs})
    rows = {group: row for row, group in enumerate(groups)}
    counts = np.zeros((len(groups), N_COUNTS), dtype=np.int64)
    for pair in pairs:
        for answer in pair.answers:
            row = counts[rows[pair.group]]
            if answer.answer is not None and (evidence := answer.evidence) is not None:
                row[_SLICES[_EVIDENCE]] += (evidence.named, evidence.labelled, evidence.both)
            if answer.answer is not None and answer.kind != "overall":
                name = FACT if answer.kind.endswith(FACT) else str(answer.kind)
                least = 0 if name in (SENTENCE, FACT) else 1
                label, given = int(answer.label) - least, int(answer.answer) - least
                row[_SLICES[name].start + label * _SIZES[name][1] + given] += 1
    return counts


KINDS: Final = ("facet", SENTENCE, FACT)
"""The kinds of labelled items. A judge must answer nearly all of each."""


def kind_of(answer: GoldenAnswer) -> str:
    """Which of these an answer is; empty for a number over all facets."""
    if answer.kind in FACETS:
        return "facet"
    return next((kind for kind in KINDS if answer.kind.endswith(kind)), "")


def tables_of(sums: Counts, name: str) -> Counts:
    """The confusion matrices of one kind, of each row of summed counts: label by answer."""
    return sums[:, _SLICES[name]].reshape(-1, *_SIZES[name])


def label_kappas(tables: Counts, weights: Literal["none", "quadratic"]) -> Figures:
    """The kappas of a stack of tables, label by answer.

    It is undefined for labels that are all equal: whatever a judge says, kappa would be 0.
    """
    categories = range(tables.shape[-1])  # only their distances count
    kappas = kappas_of(tables, categories=categories, weights=weights)
    return np.where(np.count_nonzero(tables.sum(axis=-1), axis=-1) > 1, kappas, np.nan)


def _kappa(sums: Counts, *, kind: str, weights: Literal["none", "quadratic"]) -> Figures:
    return label_kappas(tables_of(sums, kind), weights)


def _mean_kappa(sums: Counts) -> Figures:
    """The mean over the facets that have one."""
    kappas = np.stack([_kappa(sums, kind=facet, weights="quadratic") for facet in FACETS])
    return shares(np.nansum(kappas, axis=0), (~np.isnan(kappas)).sum(axis=0))


def _exact(sums: Counts, *, facets: Sequence[str]) -> Parts:
    tables = [tables_of(sums, facet) for facet in facets]
    equal = np.asarray(sum(np.trace(table, axis1=1, axis2=2) for table in tables))
    return equal, np.asarray(sum(table.sum(axis=(1, 2)) for table in tables))


def _hits(
    sums: Counts, *, kind: str, hit: tuple[int, int], errors: Sequence[tuple[int, int]]
) -> Parts:
    """A cell of a confusion matrix, and the cell with the mean of the cells of errors."""
    tables = tables_of(sums, kind)
    hits, wrong = tables[:, *hit], sum(tables[:, *error] for error in errors)
    return hits, hits + wrong / len(errors)


def _evidence(sums: Counts, *, named: float, labelled: float) -> Parts:
    """The evidence that is named and labelled, and so much of what is named and of the labels."""
    of_named, of_labelled, both = sums[:, _SLICES[_EVIDENCE]].T
    return both, named * of_named + labelled * of_labelled


SHARES: Final[Mapping[str, Callable[[Counts], Parts]]] = {
    "facet_exact": partial(_exact, facets=FACETS),
    **{f"facet_exact.{facet}": partial(_exact, facets=(facet,)) for facet in FACETS},
    "unfaithful_precision": partial(_hits, kind=SENTENCE, hit=(0, 0), errors=[(1, 0)]),
    "unfaithful_recall": partial(_hits, kind=SENTENCE, hit=(0, 0), errors=[(0, 1)]),
    "fact_f1": partial(_hits, kind=FACT, hit=(1, 1), errors=[(0, 1), (1, 0)]),
    "evidence_precision": partial(_evidence, named=1.0, labelled=0.0),
    "evidence_recall": partial(_evidence, named=0.0, labelled=1.0),
    "evidence_f1": partial(_evidence, named=0.5, labelled=0.5),
}
"""By name, a share as what counts for it and what it is a share of, of each row of counts."""


def _share(sums: Counts, *, parts: Callable[[Counts], Parts]) -> Figures:
    return shares(*parts(sums))


FIGURES: Final[Mapping[str, Callable[[Counts], Figures]]] = {
    "facet_kappa": _mean_kappa,
    **{
        f"facet_kappa.{facet}": partial(_kappa, kind=facet, weights="quadratic") for facet in FACETS
    },
    "fact_kappa": partial(_kappa, kind=FACT, weights="none"),
    **{name: partial(_share, parts=parts) for name, parts in SHARES.items()},
}
"""By name, a figure of agreement of each row of summed counts; NaN where it is undefined."""


def n_of(counts: Counts, name: str) -> int:
    """How many items a figure counts: labelled items, or source sentences as evidence."""
    if name.startswith(_EVIDENCE):
        return int(counts[_SLICES[_EVIDENCE]][1])
    facet = name.partition(".")[2]
    kinds = {FACT: (FACT,), "unfaithful": (SENTENCE,)}.get(
        name.partition("_")[0], (facet,) if facet else FACETS
    )
    return sum(int(counts[_SLICES[kind]].sum()) for kind in kinds)


MAX_UNANSWERED: Final = 0.05
"""A judge that leaves a larger share of the labelled items unanswered has not been measured."""
MAX_LEFT_OUT: Final = 0.5
"""Nor has one that does not find a larger share of the labelled facets in the references."""


def measure_trust(
    pairs: Sequence[GoldenPair], table: Floors, *, judge: str, labels: str
) -> JudgeAgreement:
    """The agreement of a judge with the golden labels, each figure with its floors.

    A figure without labels is left out. If a floor is set on it, it is undefined and misses the
    floor. Nothing is measured, and ``fault`` says why, where the judge left more than 5 % of the
    labelled items, or of one kind of them, unanswered, or does not find most labelled facets.
    """
    trust = JudgeAgreement(judge=judge, labels=labels, floors_of=table.judge)
    answers = [answer for pair in pairs for answer in pair.answers]
    open_ = [answer for answer in answers if answer.answer is None]
    for what in ("", *KINDS):
        silent = [each for each in open_ if what in ("", kind_of(each))]
        n_asked = sum(what in ("", kind_of(each)) for each in answers)
        if len(silent) > MAX_UNANSWERED * n_asked:
            fault = (
                f"agreement with the labels was not measured: {len(silent):,} of {n_asked:,}"
                f" labelled {what or 'item'}s are unanswered, first: {one_line(silent[0].reason)}"
            )
            return replace(trust, fault=fault)
    n_rated = sum(kind_of(each) == "facet" for each in answers)
    n_left_out = sum(pair.n_left_out for pair in pairs)
    if n_left_out > MAX_LEFT_OUT * (n_rated + n_left_out):
        fault = (
            f"agreement with the labels was not measured: the judge finds {n_rated:,} of"
            f" {n_rated + n_left_out:,} labelled facets in the references; give the papers"
            " 'reference_facets'"
        )
        return replace(trust, fault=fault)
    agreements = _agreements(pairs, table.floors)
    return replace(
        trust,
        agreements=agreements,
        n_pairs=len(pairs),
        n_papers=len({pair.group for pair in pairs}),
        n_unanswered=len(open_),
        n_left_out=n_left_out,
        undecided=_undecided(agreements, pairs, table.floors) if open_ else "",
    )


def _agreements(pairs: Sequence[GoldenPair], floors: Sequence[Threshold]) -> tuple[Agreement, ...]:
    counts, figures = counts_of(pairs), []
    for name in AGREEMENTS:
        own = tuple(floor for floor in floors if floor.name == name)
        (value, *without), at_worst, n_items = _figure(name, pairs, counts)
        if not own and (not n_items or name in FOLLOWING):
            continue
        if name in SHARES:
            interval = share_interval(*SHARES[name](_bearing_on(name, counts)))
        else:
            interval = jackknife_interval(value, without, at_worst=at_worst)
        figures.append(
            Agreement(
                name=name,
                value=value,
                **asdict(interval),
                n_items=n_items,
                n_papers=len(without),
                floors=own,
                unvaried=_unvaried(name, pairs) if value is None and n_items else "",
            )
        )
    figures += _errors(pairs, floors)
    return tuple(replace(each, more=tuple(_more_labels(each, pairs))) for each in figures)


def _unvaried(name: str, pairs: Sequence[GoldenPair]) -> str:
    """That the labels of a figure are all equal, in words; empty where they are not."""
    head, _, facet = name.partition(".")
    kinds: dict[str, tuple[str, ...]] = {
        "facet_kappa": (facet,) if facet else FACETS,
        SPEARMAN: ("overall",),
        "fact_kappa": ("reference fact", "candidate fact"),
        "unfaithful_recall": (SENTENCE,),
    }
    labels = [a.label for p in pairs for a in p.answers if a.kind in kinds.get(head, ())]
    if not labels or (facet and head != "facet_kappa"):
        return ""
    if len({*labels}) > 1:
        is_of_each = name == "facet_kappa"
        return "all labels of each facet are equal; label bad summaries, too" if is_of_each else ""
    words = {SENTENCE: "faithful", "reference fact": "true"}.get(kinds[head][0], f"{labels[0]:g}")
    n, is_are = len(labels), "is" if len(labels) == 1 else "are"
    label = "label" if n == 1 else "labels"
    return f"all {n:,} {label} {is_are} {words}; label bad summaries, too"


def _more_labels(figure: Agreement, pairs: Sequence[GoldenPair]) -> Iterator[MoreLabels]:
    """How many labels would decide each floor that lies in the interval of a figure."""
    interval = Interval(figure.low, figure.high)
    for floor in figure.floors if figure.value is not None else ():
        if figure.low is None:
            yield MoreLabels(least=floor.least, n_papers=1)
            continue
        n_papers = more_groups(figure.value or 0.0, interval, floor.least, figure.n_papers)
        if n_papers is None:
            yield MoreLabels(least=floor.least)
        elif n_papers:
            n_pairs = sum(_bears_on(pair, figure.name) for pair in pairs)
            n_wanted = -(-n_papers * n_pairs // figure.n_papers)
            yield MoreLabels(least=floor.least, n_papers=n_papers, n_pairs=n_wanted)


def _bears_on(pair: GoldenPair, name: str) -> bool:
    """Whether a pair has an item that a figure counts."""
    if name == SPEARMAN:
        return any(pair.answered("overall"))
    if name.startswith(OF_ERROR):
        return any(OF_ERROR + a.error == name and a.answer is not None for a in pair.answers)
    return n_of(counts_of([pair])[0], name) > 0


def _undecided(
    agreements: Sequence[Agreement], pairs: Sequence[GoldenPair], floors: Sequence[Threshold]
) -> str:
    """The first floor that is met only because labels were left unanswered; empty without one."""
    overall = [label for pair in pairs for label, _ in pair.answered("overall")]
    middle = statistics.median(overall) if overall else 0.0
    wrong = [
        replace(pair, answers=tuple(_wrong(each, middle) for each in pair.answers))
        for pair in pairs
    ]
    worst = {figure.name: figure for figure in _agreements(wrong, floors)}
    for figure in agreements:
        then = worst[figure.name]
        for floor in figure.floors:
            value = floor.compared(figure.value, figure.low)
            at_worst = floor.compared(then.value, then.low)
            if value is not None and floor.is_met_by(value) and not floor.is_met_by(at_worst):
                least = "unknown" if at_worst is None else f"{at_worst:.3f}"
                return (
                    f"the judge is undecided: {floor.title} {value:.3f} meets {floor.least:g}, and"
                    f" would be {least} if what the judge left unanswered were wrong"
                )
    return ""


def _wrong(answer: GoldenAnswer, middle: float) -> GoldenAnswer:
    """A label's answer; the farthest from the label where there is none."""
    if answer.answer is not None:
        return answer
    low, high = 0.0, 1.0
    if answer.kind in FACETS:
        low, high = 1.0, float(SCALES[answer.kind])
    is_high = answer.label - low > high - answer.label
    if answer.kind == "overall":
        low, is_high = LOWEST, answer.label > middle
    evidence = answer.evidence and replace(answer.evidence, named=answer.evidence.labelled)
    return replace(answer, answer=low if is_high else high, evidence=evidence)


def _figure(
    name: str, pairs: Sequence[GoldenPair], counts: Counts
) -> tuple[list[float | None], float | None, int]:
    """A figure of all papers, then without each that bears on it; at worst; and its items.

    ``at_worst`` is with the gravest errors that the labels may have missed.
    """
    if name == SPEARMAN:
        return _overall(pairs)
    rows = _bearing_on(name, counts)
    total = rows.sum(axis=0)
    missed = np.zeros(N_COUNTS)  # the gravest errors that a judge without any may have
    for kind in (*FACETS, SENTENCE, FACT):
        highest_taken_for_lowest = _SLICES[kind].stop - _SIZES[kind][1]
        missed[highest_taken_for_lowest] = missed_errors(int(total[_SLICES[kind]].sum()))
    figures = FIGURES[name](np.array([total, *(total - rows), total + missed]))
    *values, at_worst = (None if np.isnan(value) else float(value) for value in figures)
    return values, at_worst, n_of(total, name)


def _bearing_on(name: str, counts: Counts) -> Counts:
    """The rows with an item that a figure counts."""
    return np.array([row for row in counts if n_of(row, name)]).reshape(-1, N_COUNTS)


def _errors(pairs: Sequence[GoldenPair], floors: Sequence[Threshold]) -> Iterator[Agreement]:
    """The recall on the unfaithful sentences of each kind of error that labels name.

    A kind is undefined, and misses its floor, where more than 5 % of its sentences have no answer.
    A judge that skips the hard sentences has not found the errors in them.
    """
    answers: dict[str, list[tuple[str, GoldenAnswer]]] = {
        floor.name.removeprefix(OF_ERROR): [] for floor in floors if floor.name.startswith(OF_ERROR)
    }
    for pair in pairs:
        for answer in pair.answers:
            if answer.error:
                answers.setdefault(answer.error, []).append((pair.group, answer))
    for error, labelled in sorted(answers.items()):
        given = [(group, each.agrees) for group, each in labelled if each.answer is not None]
        if len(labelled) - len(given) > MAX_UNANSWERED * len(labelled):
            given = []
        name = OF_ERROR + error
        own = tuple(floor for floor in floors if floor.name == name)
        if given or own:
            yield Agreement(
                name=name,
                value=sum(is_right for _, is_right in given) / len(given) if given else None,
                **asdict(share_of_hits(given)),
                n_items=len(given),
                n_papers=len({group for group, _ in given}),
                floors=own,
            )


def _overall(pairs: Sequence[GoldenPair]) -> tuple[list[float | None], float | None, int]:
    """Spearman's rho of FM and the labelled overall scores."""
    rows = [(pair.group, *row) for pair in pairs for row in pair.answered("overall")]
    groups, label, given = (np.array([row[at] for row in rows]) for at in range(3))
    value = spearman(label, given)
    without = [spearman(label[groups != g], given[groups != g]) for g in sorted(set(groups))]
    # The gravest error: the best summary of all has the lowest score of all.
    at_worst = value and spearman([*label, label.max() + 1], [*given, given.min() - 1])
    return [value, *without], at_worst, len(rows)


WORST: Final = 5
MOST: Final = 2
"""A report lists so many disagreements, and so many of one kind while there are others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How many items of one kind have which label (rows) and which answer (columns)."""

    of: str
    categories: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """One answer that is not the label's, and whose it is."""

    paper: str
    system: str
    answer: GoldenAnswer


def confusions(pairs: Sequence[GoldenPair]) -> tuple[Confusion, ...]:
    """The confusion matrices of what was labelled and answered: facets, sentences, facts."""
    total = counts_of(pairs).sum(axis=0, keepdims=True)
    kinds: dict[str, tuple[str, ...]] = {
        **{facet: tuple(map(str, range(1, SCALES[facet] + 1))) for facet in FACETS},
        SENTENCE: ("unfaithful", "faithful"),
        FACT: ("does not hold", "holds"),
    }
    return tuple(
        Confusion(of=of, categories=categories, table=tuple(map(tuple, table.tolist())))
        for of, categories in kinds.items()
        if (table := tables_of(total, of)[0]).any()
    )


def worst_disagreements(pairs: Sequence[GoldenPair], n: int = WORST) -> tuple[Disagreement, ...]:
    """The ``n`` worst disagreements, on different papers and of several kinds where there are."""
    wrong = sorted(
        (
            Disagreement(paper=pair.paper, system=pair.system, answer=each)
            for pair in pairs
            for each in pair.answers
            if each.answer is not None and not each.agrees and each.kind != "overall"
        ),
        key=_badness,
    )
    chosen: list[Disagreement] = []
    for of_new_paper, of_rare_kind in ((True, True), (True, False), (False, True), (False, False)):
        for each in wrong:
            is_listed = of_new_paper and any(other.paper == each.paper for other in chosen)
            n_alike = sum(other.answer.kind == each.answer.kind for other in chosen)
            is_common = each in chosen or (of_rare_kind and n_alike >= MOST)
            if len(chosen) < n and not is_listed and not is_common:
                chosen.append(each)
    return tuple(sorted(chosen, key=_badness))


def _badness(each: Disagreement) -> tuple[float, bool, str, str, str, int]:
    """The farthest from the label first, what passes for right before what is wrongly refused."""
    answer = each.answer
    assert answer.answer is not None
    top = SCALES[answer.kind] - 1 if answer.kind in FACETS else 1
    distance = abs(answer.answer - answer.label) / top
    is_lenient = answer.answer > answer.label
    return -distance, not is_lenient, answer.kind, each.paper, each.system, answer.index
