"""Thresholds chosen by labels: what each value stops and costs, and which sets to take.

People's labels make a summary bad or good. A set of thresholds *stops* a summary that misses any of
them; a good one that is stopped is *lost*. A set is chosen on some papers, so its own figures
flatter it: the honest ones come from leaving one paper out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from summeval_pytest.metrics.facet import facet_aware_metric
from summeval_pytest.metrics.number import NumberSpec
from summeval_pytest.questions import FACETS
from summeval_pytest.run.golden import GoldenPair
from summeval_pytest.run.pair_numbers import Numbers
from summeval_pytest.stats.intervals import share_of_hits
from summeval_pytest.verdict.run import SuiteRecord
from summeval_pytest.verdict.thresholds import Threshold
from summeval_pytest.verdict.trust import kind_of

Quality = Literal["good", "bad", "between", "unlabelled"]
GOOD_FROM: Final = 0.8
"""The overall score of a good summary."""
BAD_BELOW: Final = 0.5
"""One with less is bad."""
MOST_VALUES: Final = 40
"""So many values of one number are tried."""
MOST_NUMBERS: Final = 4
"""A set holds no more numbers, so that a reader can say why a summary fails."""
NINE_OF_TEN: Final = 0.9
_EXACT: Final = 1e-9
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A gated pair and what people's labels make of it; ``group`` is its paper, to be left out."""

    group: str
    quality: Quality
    numbers: Numbers


@dataclass(frozen=True, slots=True)
class Count:
    """How many of some summaries, with the 95 % interval of the share over papers."""

    n: int
    of: int
    low: float | None = None
    high: float | None = None

    @property
    def share(self) -> float:
        """The share, 0 to 1; 0 of nothing."""
        return self.n / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRow:
    """One value of one number: the pairs that it fails, the bad that it stops, the good it loses.

    ``failed`` names the pairs, as SYSTEM::PAPER.
    """

    threshold: Threshold
    failed: tuple[str, ...]
    n_pairs: int
    stopped: Count
    lost: Count


@dataclass(frozen=True, slots=True)
class Prices:
    """What a good summary that is lost costs, and a bad one that passes."""

    good: float
    bad: float


DEFAULT_PRICES: Final = Prices(1.0, 5.0)
_PRICES: Final = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 1000.0)
"""Of a bad summary that passes, for a set that stops nine of ten."""
Rule = Literal["none-lost", "nine-of-ten", "cost"]
RULES: Final[tuple[Rule, ...]] = get_args(Rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A set of thresholds, what it does on the labels, and what it does on papers left out."""

    rule: Rule
    thresholds: tuple[Threshold, ...]
    stopped: Count
    lost: Count
    stopped_unseen: Count
    lost_unseen: Count


def quality_of(labels: GoldenPair, good_from: float = GOOD_FROM) -> Quality:
    """What people's labels say of a summary as a whole.

    Bad: a sentence is unfaithful, the result is rated 1, or the overall score is under .5. Good: no
    labelled facet is 1, and the overall score, where there is one, is at least ``good_from``.
    """
    by_kind: defaultdict[str, list[float]] = defaultdict(list)
    for each in labels.answers:
        by_kind[each.kind].append(each.label)
    ratings = {facet: by_kind[facet][0] for facet in FACETS if by_kind[facet]}
    overall = next(iter(by_kind["overall"]), None)
    if overall is None and len(ratings) == len(FACETS):
        overall = facet_aware_metric(ratings)
    if 0.0 in by_kind["sentence"] or ratings.get("result") == 1:
        return "bad"
    if overall is not None and overall < BAD_BELOW:
        return "bad"
    if 1 in ratings.values() or (overall is not None and overall < good_from - _EXACT):
        return "between"
    return "good" if by_kind["sentence"] or overall is not None else "between"


def values_to_try(named: NumberSpec, observed: Iterable[float]) -> list[float]:
    """The values of a threshold that tell the observed numbers apart, the most lenient first.

    Of ratings and counts they are whole. Of shares each lies midway between two observed numbers,
    at two decimals where that tells them apart, too.
    """
    known = sorted({*observed}, reverse=named.lower_is_better)
    if named.is_whole:
        steps = known if named.lower_is_better else known[1:]
        return [step for step in steps if float(step).is_integer()]
    middles = []
    for one, other in pairwise(known):
        middle = (one + other) / 2
        rounded = round(middle, 2)
        is_between = min(one, other) < rounded <= max(one, other) and rounded != one
        middles.append(rounded if is_between else middle)
    places = np.unique(np.linspace(0, len(middles) - 1, MOST_VALUES).astype(int))
    return [middles[place] for place in places] if middles else []


@dataclass(frozen=True, slots=True)
class Sheet:
    """Pairs with their numbers in columns.

    A number that the summary cannot have, since it states nothing or was refused, is as bad as can
    be; one that does not apply, or that the judge did not answer in full, is NaN, which no
    threshold stops.
    """

    pairs: tuple[Labelled, ...]
    columns: Mapping[str, NDArray[np.float64]]

    @classmethod
    def of(cls, pairs: Iterable[Labelled]) -> Sheet:
        """The sheet of some pairs; numbers that none of them has are left out."""
        pairs = tuple(pairs)
        columns: dict[str, NDArray[np.float64]] = {}
        for name, named in pairs[0].numbers.catalogue.items() if pairs else ():
            worst = math.inf if named.lower_is_better else -math.inf
            column = np.full(len(pairs), np.nan)
            for place, pair in enumerate(pairs):
                value = pair.numbers.values.get(name, math.nan)
                lack = pair.numbers.why_unscored(named.metric)
                is_silent = lack is not None and lack.fault == "judge"
                if is_silent or pair.numbers.unanswered.get(name):
                    value = math.nan
                elif value is None or lack is not None:
                    value = worst
                column[place] = value
            if np.isfinite(column).any():
                columns[name] = column
        return cls(pairs, columns)

    def threshold(self, name: str, value: float) -> Threshold:
        """A threshold on one of its numbers."""
        return Threshold(name, value, custom=self.pairs[0].numbers.custom)

    def which(self, quality: Quality) -> Bools:
        """Whether each pair is of one quality."""
        return np.array([pair.quality == quality for pair in self.pairs], dtype=np.bool_)

    def at(self, wanted: Bools) -> Sheet:
        """The sheet of some of its pairs; without any it has no columns."""
        kept = tuple(pair for pair, is_in in zip(self.pairs, wanted, strict=True) if is_in)
        columns = self.columns if kept else {}
        return Sheet(kept, {name: column[wanted] for name, column in columns.items()})

    def stopped_by(self, thresholds: Iterable[Threshold]) -> Bools:
        """Whether each pair misses any of some thresholds."""
        hits = np.zeros(len(self.pairs), dtype=np.bool_)
        for each in thresholds:
            if each.name in self.columns:
                column = self.columns[each.name]
                hits |= column > each.least if each.is_upper else column < each.least
        return hits

    def count(self, hits: Bools, quality: Quality) -> Count:
        """How many pairs of one quality are hit, with an interval over papers."""
        items = [
            (pair.group, bool(is_hit))
            for pair, is_hit in zip(self.pairs, hits, strict=True)
            if pair.quality == quality
        ]
        n_hits = sum(is_hit for _, is_hit in items)
        return Count(n_hits, len(items), **asdict(share_of_hits(items)))


def sheet_of(
    suite: SuiteRecord, good_from: float = GOOD_FROM, *, only_labelled: bool = False
) -> Sheet:
    """The suite's judged pairs, or only the labelled ones, with what labels make of them."""
    labels = {(each.system, each.paper): each for each in suite.golden}
    pairs = []
    for pair in suite.pairs_in(labels) if only_labelled else suite.pairs:
        label = labels.get((pair.system, pair.paper))
        quality = "unlabelled" if label is None else quality_of(label, good_from)
        group = pair.paper if label is None else label.group
        pairs.append(Labelled(group=group, quality=quality, numbers=pair.numbers()))
    return Sheet.of(pairs)


def rows_of(sheet: Sheet, thresholds: Iterable[Threshold]) -> Iterator[ValueRow]:
    """What each threshold does to all pairs, and to those that people call good and bad."""
    for threshold in thresholds:
        hits = sheet.stopped_by([threshold])
        failed = [sheet.pairs[place].numbers for place in np.flatnonzero(hits)]
        yield ValueRow(
            threshold=threshold,
            failed=tuple(f"{each.system}::{each.paper}" for each in failed),
            n_pairs=len(sheet.pairs),
            stopped=sheet.count(hits, "bad"),
            lost=sheet.count(hits, "good"),
        )


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Thresholds to choose among, and whether each (row) stops each pair (column)."""

    thresholds: tuple[Threshold, ...]
    hits: Bools


def _candidates(sheet: Sheet) -> _Candidates:
    candidates = []
    for name, column in sheet.columns.items():
        named = sheet.threshold(name, 0.0).named
        observed = column[np.isfinite(column)].tolist()
        candidates += [sheet.threshold(name, value) for value in values_to_try(named, observed)]
    hits = np.array([sheet.stopped_by([each]) for each in candidates], dtype=np.bool_)
    return _Candidates(tuple(candidates), hits.reshape(len(candidates), len(sheet.pairs)))


def _cheapest(table: _Candidates, bad: Bools, good: Bools, prices: Prices) -> tuple[Threshold, ...]:
    """The cheapest of the sets that grow, step by step, from the best value of each number.

    Each step adds the value of another number that saves most; empty if no set saves anything.
    """
    names = np.array([each.name for each in table.thresholds])

    def saved(hits: Bools) -> NDArray[np.float64]:
        return np.asarray(
            prices.bad * (hits & bad).sum(axis=-1) - prices.good * (hits & good).sum(axis=-1)
        )

    def grown(name: str) -> tuple[float, list[int]]:
        stopped, chosen = np.zeros(len(bad), dtype=np.bool_), list[int]()
        is_open = names == name
        while len(chosen) < MOST_NUMBERS:
            worth = np.where(is_open, saved(table.hits & ~stopped), 0.0)
            if worth.max(initial=0.0) <= 0:
                break
            chosen.append(int(worth.argmax()))
            stopped |= table.hits[chosen[-1]]
            is_open = ~np.isin(names, names[chosen])
        return float(saved(stopped)), chosen

    found, most = list[int](), 0.0
    for name in dict.fromkeys(names.tolist()):
        value, chosen = grown(name)
        if value > most + _EXACT:
            found, most = chosen, value
    return tuple(table.thresholds[place] for place in found)


def _sets(sheet: Sheet, prices: Prices) -> dict[Rule, tuple[Threshold, ...]]:
    """The best set by each rule, among those that are cheapest at several prices, and none."""
    table, bad, good = _candidates(sheet), sheet.which("bad"), sheet.which("good")
    tried = [Prices(len(bad) + 1.0, 1.0), prices, *(Prices(1.0, price) for price in _PRICES)]
    pool = [*(_cheapest(table, bad, good, each) for each in tried), ()]
    effects: dict[tuple[Threshold, ...], tuple[int, int]] = {}
    for own in pool:
        hits = sheet.stopped_by(own)
        effects[own] = int((hits & bad).sum()), int((hits & good).sum())

    def none_lost(own: tuple[Threshold, ...]) -> tuple[bool, int]:
        n_stopped, n_lost = effects[own]
        return n_lost > 0, -n_stopped

    def nine_of_ten(own: tuple[Threshold, ...]) -> tuple[bool, int, int]:
        n_stopped, n_lost = effects[own]
        is_short = n_stopped < NINE_OF_TEN * bad.sum()
        return is_short, -n_stopped if is_short else n_lost, n_lost

    def cost(own: tuple[Threshold, ...]) -> float:
        n_stopped, n_lost = effects[own]
        return prices.good * n_lost - prices.bad * n_stopped

    return {
        "none-lost": min(effects, key=none_lost),
        "nine-of-ten": min(effects, key=nine_of_ten),
        "cost": min(effects, key=cost),
    }


def choose(sheet: Sheet, prices: Prices = DEFAULT_PRICES) -> tuple[Choice, ...]:
    """Three sets: without a good summary lost, with nine of ten bad ones stopped, and the cheapest.

    The sets are found step by step, so a better one may exist. Each is chosen again without each
    paper, and judged on that paper.
    """
    sheet = sheet.at(sheet.which("good") | sheet.which("bad"))  # the others choose nothing
    groups = np.array([pair.group for pair in sheet.pairs])
    unseen = {rule: np.zeros(len(groups), dtype=np.bool_) for rule in RULES}
    for group in sorted({*groups.tolist()}):
        is_out = groups == group
        for rule, thresholds in _sets(sheet.at(~is_out), prices).items():
            unseen[rule][is_out] = sheet.at(is_out).stopped_by(thresholds)
    choices = []
    for rule, thresholds in _sets(sheet, prices).items():
        hits = sheet.stopped_by(thresholds)
        choices.append(
            Choice(
                rule=rule,
                thresholds=thresholds,
                stopped=sheet.count(hits, "bad"),
                lost=sheet.count(hits, "good"),
                stopped_unseen=sheet.count(unseen[rule], "bad"),
                lost_unseen=sheet.count(unseen[rule], "good"),
            )
        )
    return tuple(choices)


def curves_of(suite: SuiteRecord) -> tuple[tuple[ValueRow, ...], ...]:
    """For each threshold its row and those of all other values, the most lenient first.

    None without both good and bad summaries among the judged pairs.
    """
    sheet, curves = sheet_of(suite, only_labelled=True), []
    if not sheet.which("bad").any() or not sheet.which("good").any():
        return ()
    for each in suite.policy.thresholds.pair:
        column = sheet.columns.get(each.name, np.array([]))
        values = values_to_try(each.named, column[np.isfinite(column)].tolist())
        others = (replace(each, least=value) for value in values)
        curves.append(tuple(rows_of(sheet, (each, *others))))
    return tuple(curves)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportCut:
    """Where to cut a judge's support, by the labels of one kind of question.

    Attributes:
        value: An item with at least this support is called right, 0 to 1.
        now: Balanced accuracy of the judge's own answers, 0 to 1, higher is better.
        then: That of the cut on all labels.
        unseen: That of cuts that are chosen without a paper and used on that paper.
    """

    kind: str
    value: float
    now: float
    then: float
    unseen: float
    n_right: int
    n_wrong: int


def cuts_of(pairs: Iterable[GoldenPair]) -> Iterator[SupportCut]:
    """The cut of most balanced accuracy for sentences, and for facts.

    A kind needs a support for every answered item, and labels of both sorts.
    """
    by_kind: defaultdict[str, list[tuple[str, bool, bool, float | None]]] = defaultdict(list)
    for pair in pairs:
        for each in pair.answers:
            if (kind := kind_of(each)) in {"sentence", "fact"} and each.answer is not None:
                item = (pair.group, bool(each.label), bool(each.answer), each.support)
                by_kind[kind].append(item)
    for kind, items in by_kind.items():
        if any(support is None for *_, support in items):
            continue
        groups, labels, answers, supports = (
            np.array(column) for column in zip(*items, strict=True)
        )
        if labels.all() or not labels.any():
            continue
        supports = supports.astype(np.float64)
        value, unseen = _best_cut(labels, supports), np.zeros(len(labels), dtype=np.bool_)
        for group in sorted({*groups.tolist()}):
            out = groups == group
            unseen[out] = supports[out] >= _best_cut(labels[~out], supports[~out])
        yield SupportCut(
            kind=kind,
            value=value,
            now=_balanced(labels, answers),
            then=_balanced(labels, supports >= value),
            unseen=_balanced(labels, unseen),
            n_right=int(labels.sum()),
            n_wrong=int((~labels).sum()),
        )


def _balanced(labels: Bools, answers: Bools) -> float:
    """The mean of the shares of right and of wrong items that are called so."""
    shares = [float((answers == label)[labels == label].mean()) for label in (True, False)]
    return sum(shares) / 2


def _best_cut(labels: Bools, supports: NDArray[np.float64]) -> float:
    """The cut midway between two supports that tells most apart; the lowest of several."""
    if labels.all() or not labels.any():
        return 0.5
    known = np.unique(supports)
    cuts = np.append(known[:1], (known[1:] + known[:-1]) / 2)
    right, wrong = np.sort(supports[labels]), np.sort(supports[~labels])
    kept = 1 - np.searchsorted(right, cuts) / len(right)
    refused = np.searchsorted(wrong, cuts) / len(wrong)
    return round(float(cuts[np.argmax(kept + refused)]), 4)
