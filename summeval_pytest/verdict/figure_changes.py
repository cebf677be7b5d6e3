"""Agreement with the golden labels under two judges: each figure, paired item by item.

Both figures stand on the items that both judges answered, and the interval of their difference
resamples papers and takes both answers of each: what is hard for both says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from summeval_pytest.verdict.floors import AGREEMENTS, FOLLOWING, SPEARMAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from summeval_pytest.evaluation import GoldenPair
    from summeval_pytest.stats import Interval, Rows
    from summeval_pytest.verdict.counting import Counts, Figures

SEED: Final = 20246
RESAMPLES: Final = 1000
"""The one figure that no counts add up to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChange:
    """One figure of agreement under an old and a new judge; higher is better for all of them.

    Attributes:
        name: Its name, as ``[thresholds.judge]`` has it.
        old: Under the old judge; None where it is undefined.
        new: Under the new one.
        change: New minus old; None where either is undefined.
        low: The lower bound of the change's 95 % interval over papers; None where it is undefined
            in most resamples.
        high: The upper bound.
        n_items: On how many items both stand.
        n_papers: On how many papers.
    """

    name: str
    old: float | None
    new: float | None
    change: float | None
    low: float | None
    high: float | None
    n_items: int
    n_papers: int


def changed_figures(
    old: Sequence[GoldenPair], new: Sequence[GoldenPair]
) -> tuple[FigureChange, ...]:
    """Every figure that the labels have something for, in the order in which they are shown.

    Args:
        old: The golden pairs under the old judge.
        new: The same pairs with the same items, under the new one.

    Raises:
        ValueError: if one of the two has a pair that the other lacks.
    """
    if [(p.paper, p.system, p.group) for p in old] != [(p.paper, p.system, p.group) for p in new]:
        raise ValueError("the old and the new pairs are not the same; pair them before")
    import numpy as np

    from summeval_pytest.verdict.counting import FIGURES, counts_of

    counts = np.hstack([counts_of(old), counts_of(new)])
    found = (
        _overall(name, old, new) if name == SPEARMAN else _counted(name, counts)
        for name in AGREEMENTS
        if name == SPEARMAN or (name in FIGURES and name not in FOLLOWING)
    )
    return tuple(each for each in found if each.n_items)


def _counted(name: str, counts: Counts) -> FigureChange:
    """A figure of counts, the old ones in the left half of each row and the new ones beside."""
    import numpy as np

    from summeval_pytest.stats import bootstrap_sums
    from summeval_pytest.verdict.counting import FIGURES, N_COUNTS, n_of

    figure = FIGURES[name]

    def both(sums: Counts) -> tuple[Figures, Figures]:
        return figure(sums[:, :N_COUNTS]), figure(sums[:, N_COUNTS:])

    def change(sums: Counts) -> Figures:
        before, now = both(sums)
        return now - before

    held = counts[np.array([n_of(row[:N_COUNTS], name) > 0 for row in counts], dtype=bool)]
    total = counts.sum(axis=0)
    before, now = (float(values[0]) for values in both(total[np.newaxis]))
    return _change(
        name,
        None if np.isnan(before) else before,
        None if np.isnan(now) else now,
        bootstrap_sums(held, change, n_resamples=RESAMPLES, seed=SEED),
        n_items=n_of(total[:N_COUNTS], name),
        n_papers=len(held),
    )


def _overall(name: str, old: Sequence[GoldenPair], new: Sequence[GoldenPair]) -> FigureChange:
    """Spearman's rho of FM and the labelled overall scores."""
    import numpy as np

    from summeval_pytest.stats import bootstrap_interval, spearman

    rows = list(zip(_scores(old), _scores(new), strict=True))
    groups = [group for (group, _, _), _ in rows]
    label = np.array([label for (_, label, _), _ in rows], dtype=np.float64)
    before = np.array([score for (_, _, score), _ in rows], dtype=np.float64)
    now = np.array([score for _, (_, _, score) in rows], dtype=np.float64)

    def change(drawn: Rows, _: Rows) -> float | None:
        rhos = [spearman(label[drawn], scores[drawn]) for scores in (before, now)]
        return None if rhos[0] is None or rhos[1] is None else rhos[1] - rhos[0]

    return _change(
        name,
        spearman(label, before),
        spearman(label, now),
        bootstrap_interval(groups, change, n_resamples=RESAMPLES, seed=SEED),
        n_items=len(rows),
        n_papers=len(set(groups)),
    )


def _scores(pairs: Sequence[GoldenPair]) -> Iterator[tuple[str, float, float]]:
    for pair in pairs:
        for label, answer in pair.answered("overall"):
            yield pair.group, label, answer


def _change(  # noqa: PLR0913 - the parts of one value
    name: str,
    old: float | None,
    new: float | None,
    interval: Interval,
    *,
    n_items: int,
    n_papers: int,
) -> FigureChange:
    return FigureChange(
        name=name,
        old=old,
        new=new,
        change=None if old is None or new is None else new - old,
        low=interval.low,
        high=interval.high,
        n_items=n_items,
        n_papers=n_papers,
    )
