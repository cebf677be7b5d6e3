"""Thresholds of one judge in the numbers of another: those that the same share of pairs reaches.

A threshold stands between two neighbouring values of the old judge. Under the new one it stands
between the two neighbours that leave as many pairs above, at the same part of the way; beyond all
values, the way goes to the end of the number's range. A rating becomes the rating that comes
nearest. (Equipercentile linking without smoothing: Kolen and Brennan 2014, section 2.4.) A
threshold of means is translated over the means of the systems in the same way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from summeval_pytest.metrics import CATALOGUE, SUPPORT, lacks_support
from summeval_pytest.stats import bootstrap_interval
from summeval_pytest.verdict.chance import SEED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from summeval_pytest.stats import Rows
    from summeval_pytest.verdict.swapping import TwiceJudged
    from summeval_pytest.verdict.thresholds import Threshold, Thresholds

    Values = NDArray[np.float64]

Scope = Literal["pair", "mean"]
RESAMPLES: Final = 1000
_EXACT: Final = 12
"""So many digits of a mean are no matter of the order in which it was added up."""
_DIGITS: Final = 17
"""Digits that tell any two doubles apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """One threshold under two judges.

    Attributes:
        scope: Whether it holds for every pair, or for the means over papers of each system.
        name: The number that it is on.
        old: Its value under the old judge, as the suite has it.
        new: Its value under the new one; None where no pair has the number under both.
        low: The lower bound of the new value's 95 % interval over papers; None where undefined.
        high: The upper bound.
        n_items: The pairs that have the number under both judges; of a mean, the systems.
        n_old: Those that pass the old value under the old judge.
        n_kept: Those that pass the old value under the new judge.
        n_new: Those that pass the new value under the new judge.
        n_other_kept: Those whose verdict changes where the old value is kept.
        n_other_new: Those whose verdict changes with the new value.
    """

    scope: Scope
    name: str
    old: float
    new: float | None
    low: float | None = None
    high: float | None = None
    n_items: int = 0
    n_old: int = 0
    n_kept: int = 0
    n_new: int = 0
    n_other_kept: int = 0
    n_other_new: int = 0


def translate(pairs: Sequence[TwiceJudged], thresholds: Thresholds) -> tuple[Translated, ...]:
    """Every threshold of a suite, those of pairs first."""
    return (
        *(_translated(pairs, threshold, "pair") for threshold in thresholds.pair),
        *(_translated(pairs, threshold, "mean") for threshold in thresholds.mean),
    )


def _translated(pairs: Sequence[TwiceJudged], threshold: Threshold, scope: Scope) -> Translated:
    name = threshold.name
    turned = CATALOGUE[name].oriented
    least = turned(threshold.least)
    rows = [(pair, both) for pair in pairs if (both := pair.both(name)) is not None]
    is_partial = any(lacks_support(side) for pair in pairs for side in (pair.old, pair.new))
    if not rows or (name == SUPPORT and is_partial):
        return Translated(scope=scope, name=name, old=threshold.least, new=None)
    old, new = (
        np.array([turned(both[side]) for _, both in rows], dtype=np.float64) for side in (0, 1)
    )
    places = {system: place for place, system in enumerate(sorted({p.system for p, _ in rows}))}
    systems = np.array([places[pair.system] for pair, _ in rows], dtype=np.intp)

    def sides(drawn: Rows) -> tuple[Values, Values]:
        """What is held to the threshold under either judge: pairs, or means of systems."""
        if scope == "pair":
            return old[drawn], new[drawn]
        sizes = np.bincount(systems[drawn])
        held = sizes > 0
        means = (np.bincount(systems[drawn], values[drawn])[held] for values in (old, new))
        before, now = (np.round(sums / sizes[held], _EXACT) for sums in means)
        return before, now

    def value(drawn: Rows, _: Rows) -> float:
        return linked(*sides(drawn), least, name=name, scope=scope)[0]

    before, now = sides(np.arange(len(rows)))
    exact, low_edge, high_edge = linked(before, now, least, name=name, scope=scope)
    found = _shortest(exact, low_edge, high_edge, n_digits=_n_digits(least))
    interval = bootstrap_interval(
        [pair.group for pair, _ in rows], value, n_resamples=RESAMPLES, seed=SEED
    )
    bounds = [None if end is None else turned(end) for end in (interval.low, interval.high)]
    low, high = reversed(bounds) if CATALOGUE[name].lower_is_better else bounds
    passed = before >= least
    return Translated(
        scope=scope,
        name=name,
        old=threshold.least,
        new=turned(found),
        low=low,
        high=high,
        n_items=len(before),
        n_old=int(passed.sum()),
        n_kept=int((now >= least).sum()),
        n_new=int((now >= found).sum()),
        n_other_kept=int((passed != (now >= least)).sum()),
        n_other_new=int((passed != (now >= found)).sum()),
    )


def linked(
    old: Values, new: Values, least: float, *, name: str, scope: Scope
) -> tuple[float, float, float]:
    """The threshold on new values that passes as many as ``least`` passes of the old ones.

    All of them are turned so that higher is better.

    Returns:
        It, and the edges between which every value passes the same ones: above the first, and at
        most the second. Where ties leave no value that passes as many, the nearest count is taken,
        of two the smaller one, and the edge that is nearest; it may be the first.
    """
    known = CATALOGUE[name]
    n_passing = int((old >= least).sum())
    if scope == "pair" and known.is_whole:
        every = known.whole_values([known.oriented(float(value)) for value in (*old, *new)])
        ratings = np.sort([known.oriented(value) for value in every])
        counts = (new[np.newaxis, :] >= ratings[:, np.newaxis]).sum(axis=1)
        off = np.abs(counts - n_passing)
        rating = min(ratings[off == off.min()], key=lambda each: (abs(each - least), -each))
        return float(rating), float(rating) - 1.0, float(rating)
    lowest, highest = known.oriented(known.worst), known.oriented(known.best)
    edges = _edges(old, lowest, highest)
    place = min(int(np.searchsorted(edges[1:], least)), len(edges) - 2)
    width = edges[place + 1] - edges[place]
    part = (least - edges[place]) / width if width > 0 else 0.0
    edges = _edges(new, lowest, highest)
    counts = (new[np.newaxis, :] >= edges[1:, np.newaxis]).sum(axis=1)
    off = np.abs(counts - n_passing)
    place = int(np.flatnonzero(off == off.min())[-1])
    if counts[place] != n_passing:  # as near as ties let it: to the end on the side of more, fewer
        part = 1.0 if counts[place] > n_passing else 0.0
    low, high = float(edges[place]), float(edges[place + 1])
    value = float(low + part * (high - low))
    return value, low if place else math.nextafter(low, -math.inf), high


def _edges(values: Values, low: float, high: float) -> Values:
    """The end of the range, every value once, and, where nothing is there yet, the other end."""
    inner = np.unique(values)
    tail = [high] if high > inner[-1] else []
    return np.concatenate([[low], inner, tail])


def _n_digits(least: float) -> int:
    """How many decimals a threshold is written with, two at least."""
    return max(2, len(f"{least:.12g}".partition(".")[2]))


def _shortest(value: float, low: float, high: float, *, n_digits: int) -> float:
    """The number with the fewest decimals near a value that is above ``low`` and up to ``high``."""
    return next(_roundings(value, low, high, n_digits), high)


def _roundings(value: float, low: float, high: float, n_digits: int) -> Iterator[float]:
    for digits in range(n_digits, _DIGITS):
        scaled = value * 10**digits
        for rounded in (round(value, digits), math.floor(scaled) / 10**digits,
                        (math.floor(scaled) + 1) / 10**digits):  # fmt: skip
            if low < rounded <= high:
                yield rounded
