"""Two judges over the same pairs: how far they agree.

Every interval resamples papers; those with the same reference are one. A number counts where both
judges have given it, and how many pairs that leaves out is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.metrics import METRICS
from summeval_pytest.questions import FACETS, SCALES
from summeval_pytest.verdict.chance import SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from summeval_pytest.stats import Coefficient, Interval, Rows
    from summeval_pytest.verdict.counting import Counts, Figures

RESAMPLES: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class TwiceJudged:
    """One pair under two judges.

    Attributes:
        paper: The paper's id.
        system: The system's name.
        group: What is resampled: papers with the same reference have the same.
        old: Every number under the old judge.
        new: Every number under the new one.
        sentences: Whether each sentence is supported, old and new; those that both have answered.
    """

    paper: str
    system: str
    group: str
    old: Mapping[str, float]
    new: Mapping[str, float]
    sentences: tuple[tuple[bool, bool], ...] = ()

    def both(self, name: str) -> tuple[float, float] | None:
        """One number under both judges; None where one of them has not given it."""
        if name in self.old and name in self.new:
            return self.old[name], self.new[name]
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """A value with its 95 % interval over papers; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAgreement:
    """How two judges agree on ratings of a facet, or on sentences.

    Attributes:
        name: The facet, or ``sentence``.
        n_items: How many both have judged.
        exact: The share that they judge alike, 0 to 1.
        kappa: Cohen's, -1 to 1: quadratic for ratings.
        shift: The mean of new minus old, in points, or in shares of supported sentences.
    """

    name: str
    n_items: int
    exact: Bounded
    kappa: Bounded
    shift: Bounded


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAgreement:
    """How the scores of two judges go together.

    Attributes:
        name: The metric.
        n_pairs: The pairs that both have scored.
        n_only_old: Those that only the old judge has scored.
        n_only_new: Those that only the new one has.
        old: The mean under the old judge; None without a pair.
        new: The mean under the new one.
        shift: New minus old.
        pearson: -1 to 1.
        spearman: -1 to 1.
    """

    name: str
    n_pairs: int
    n_only_old: int
    n_only_new: int
    old: float | None
    new: float | None
    shift: Bounded
    pearson: Bounded
    spearman: Bounded


def item_agreements(pairs: Sequence[TwiceJudged]) -> tuple[ItemAgreement, ...]:
    """The ratings of each facet that both judges have rated, then the sentences."""
    ratings = (
        _items(facet, SCALES[facet], list(_ratings(pairs, f"facet.{facet}"))) for facet in FACETS
    )
    verdicts = [
        (pair.group, int(old) + 1, int(new) + 1) for pair in pairs for old, new in pair.sentences
    ]
    found = (*ratings, _items("sentence", 2, verdicts))
    return tuple(each for each in found if each.n_items)


def _ratings(pairs: Sequence[TwiceJudged], name: str) -> Iterator[tuple[str, int, int]]:
    for pair in pairs:
        both = pair.both(name)
        if both is not None:
            yield pair.group, round(both[0]), round(both[1])


def _items(name: str, scale: int, rows: Sequence[tuple[str, int, int]]) -> ItemAgreement:
    """The agreement of ratings from 1 to ``scale``; with two, quadratic kappa is the plain one."""
    import numpy as np

    from summeval_pytest.stats import bootstrap_sums, kappas_of

    groups = {group: row for row, group in enumerate(sorted({group for group, _, _ in rows}))}
    counts = np.zeros((len(groups), scale, scale), dtype=np.int64)
    for group, old, new in rows:
        counts[groups[group], old - 1, new - 1] += 1
    steps = np.arange(scale)[np.newaxis, :] - np.arange(scale)[:, np.newaxis]

    def bounded(figure: Callable[[Counts], Figures]) -> Bounded:
        def of_sums(sums: Counts) -> Figures:
            with np.errstate(invalid="ignore"):
                return figure(sums.reshape(-1, scale, scale))

        flat = counts.reshape(len(groups), scale * scale)
        value = float(of_sums(flat.sum(axis=0, keepdims=True))[0])
        interval = bootstrap_sums(flat, of_sums, n_resamples=RESAMPLES, seed=SEED)
        return _bounded(None if np.isnan(value) else value, interval)

    return ItemAgreement(
        name=name,
        n_items=len(rows),
        exact=bounded(lambda t: np.trace(t, axis1=1, axis2=2) / t.sum(axis=(1, 2))),
        kappa=bounded(lambda t: kappas_of(t, categories=range(1, scale + 1), weights="quadratic")),
        shift=bounded(lambda t: (t * steps).sum(axis=(1, 2)) / t.sum(axis=(1, 2))),
    )


def score_agreements(pairs: Sequence[TwiceJudged]) -> tuple[ScoreAgreement, ...]:
    """Each metric that either judge has scored."""
    return tuple(
        _scores(pairs, name) for name in METRICS if any(name in {*p.old, *p.new} for p in pairs)
    )


def _scores(pairs: Sequence[TwiceJudged], name: str) -> ScoreAgreement:
    import numpy as np

    from summeval_pytest.stats import bootstrap_interval, pearson, spearman

    rows = [(pair.group, both) for pair in pairs if (both := pair.both(name)) is not None]
    groups = [group for group, _ in rows]
    old, new = (np.array([both[side] for _, both in rows], dtype=np.float64) for side in (0, 1))

    def bounded(figure: Coefficient) -> Bounded:
        def drawn(taken: Rows, _: Rows) -> float | None:
            return figure(old[taken], new[taken])

        interval = bootstrap_interval(groups, drawn, n_resamples=RESAMPLES, seed=SEED)
        return _bounded(figure(old, new), interval)

    return ScoreAgreement(
        name=name,
        n_pairs=len(rows),
        n_only_old=sum(name in pair.old and name not in pair.new for pair in pairs),
        n_only_new=sum(name in pair.new and name not in pair.old for pair in pairs),
        old=float(old.mean()) if rows else None,
        new=float(new.mean()) if rows else None,
        shift=bounded(lambda x, y: float(np.mean(np.subtract(y, x))) if len(x) else None),
        pearson=bounded(pearson),
        spearman=bounded(spearman),
    )


def _bounded(value: float | None, interval: Interval) -> Bounded:
    return Bounded(value=value, low=interval.low, high=interval.high)
