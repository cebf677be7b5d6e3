"""How often intervals hold the truth: simulated scores of suites of 5 to 100 papers.

    python -m tools.benchmarks.coverage

Prints, for each shape of scores and size, the share of 2,000 suites whose 95 % interval holds the
true mean, and its mean width, beside the percentile bootstrap; then the same of 500 corrected
means. Ends with 1 where an interval that is to hold .94 of 10, 30 or 100 papers holds less (less
two standard errors of the simulation), or where more than .05 of suites with a true drop of the
margin pass a no-worse rule (likewise).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from summeval_pytest.stats.intervals import (
    Interval,
    change_interval,
    mean_interval,
)
from summeval_pytest.stats.paired import refuted_drop
from summeval_pytest.study.correction import Corrected, corrected_mean

Floats = NDArray[np.float64]


SUITES: Final = 2_000
SIZES: Final = (5, 10, 30, 100)
SEED: Final = 20261
BAR: Final = 0.94 - 2 * math.sqrt(0.94 * 0.06 / SUITES)
_TRUTH: Final = 400_000
_RESAMPLES: Final = 500
random: Final = Generator(PCG64(SEED))


def facets(shape: tuple[int, int], drop: float = 0.0) -> Floats:
    """Means of four ratings of 0 to 3 thirds, by papers that are easy or hard for all four."""
    papers = random.normal(0.6 - drop, 0.9, (*shape, 1))
    return rated(papers)


def rated(papers: Floats) -> Floats:
    """FM of papers, with chance in each rating."""
    ratings = np.floor(papers + random.normal(0.0, 1.0, (*papers.shape[:-1], 4)) + 1.5)
    return np.asarray(np.clip(ratings, 0, 3).mean(axis=-1) / 3)


def sentences(shape: tuple[int, int]) -> Floats:
    """Shares of seven sentences that are supported."""
    return np.asarray(random.binomial(7, random.beta(8.0, 1.2, shape)) / 7)


def mostly_one(shape: tuple[int, int], share: float = 0.07) -> Floats:
    """1 on 93 papers of 100."""
    return np.where(random.random(shape) < share, random.integers(0, 7, shape) / 7, 1.0)


def all_or_nothing(shape: tuple[int, int]) -> Floats:
    """1 on 97 papers of 100, else 0."""
    return np.asarray(random.random(shape) >= 0.03, dtype=np.float64)


def facet_changes(shape: tuple[int, int]) -> Floats:
    """Changes of FM where the new system is a little worse on the same papers."""
    papers = random.normal(0.6, 0.9, (*shape, 1))
    return rated(papers - 0.15) - rated(papers)


def mostly_one_changes(shape: tuple[int, int]) -> Floats:
    """Changes of scores that are mostly 1, which fall on more papers than they rise on."""
    return mostly_one(shape, 0.22) - mostly_one(shape)


def bootstrapped(scores: Floats) -> tuple[float, float]:
    """What a percentile bootstrap of papers gives."""
    drawn = random.integers(len(scores), size=(_RESAMPLES, len(scores)))
    low, high = np.quantile(scores[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def covered(intervals: list[tuple[float, float]], truth: float) -> tuple[float, float]:
    """The share of intervals that hold the truth, and their mean width."""
    low, high = np.array(intervals).T
    rounding = 1e-9
    inside = (low <= truth + rounding) & (truth <= high + rounding)
    return float(inside.mean()), float((high - low).mean())


def bounds(found: Interval | Corrected) -> tuple[float, float]:
    """Both bounds of an interval that has them."""
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def print_means() -> bool:
    """The table of means and of paired changes; whether all reach the bar."""
    shapes: dict[str, tuple[Callable[[tuple[int, int]], Floats], Callable[[Floats], Interval]]] = {
        "facet scores": (facets, lambda x: mean_interval(x.tolist(), high=1.0)),
        "seven sentences": (sentences, lambda x: mean_interval(x.tolist(), high=1.0)),
        "mostly 1": (mostly_one, lambda x: mean_interval(x.tolist(), high=1.0)),
        "1, rarely 0": (all_or_nothing, lambda x: mean_interval(x.tolist(), high=1.0)),
        "facet changes": (facet_changes, lambda x: change_interval(x.tolist())),
        "changes, mostly 1": (mostly_one_changes, lambda x: change_interval(x.tolist())),
    }
    is_good = True
    print(f"{'shape':<20}{'papers':>7}{'holds':>8}{'width':>8}   bootstrap holds, width")
    for name, (draw, interval) in shapes.items():
        truth = float(draw((_TRUTH, 1)).mean())
        for size in SIZES:
            suites = draw((SUITES, size))
            share, width = covered([bounds(interval(suite)) for suite in suites], truth)
            other, other_width = covered([bootstrapped(s) for s in suites[: SUITES // 4]], truth)
            is_good = is_good and share >= BAR
            print(f"{name:<20}{size:>7}{share:>8.3f}{width:>8.3f}{other:>12.3f}{other_width:>8.3f}")
    return is_good


def print_corrected() -> bool:
    """Corrected means of FM and of scores that are mostly 1; whether all reach the bar.

    The judge is right, errs by anything on one paper of twenty, or errs a little on all.
    """
    judges: dict[str, Callable[[Floats], Floats]] = {
        "right": lambda x: x,
        "seldom wrong": lambda x: np.where(
            random.random(x.shape) < 0.05, random.random(x.shape), x
        ),
        "a little wrong": lambda x: np.clip(x + random.normal(-0.03, 0.1, len(x)), 0, 1),
    }
    is_good = True
    print(f"\n{'corrected, judge':<28}{'papers':>7}{'labels':>7}{'holds':>8}{'width':>8}")
    for shape, draw in (("facet scores", facets), ("mostly 1", mostly_one)):
        truth = float(draw((_TRUTH, 1)).mean())
        for name, judge in judges.items():
            for size, n_golden in ((5, 5), (10, 5), (10, 10), (30, 10), (30, 30), (100, 30)):
                found = []
                for people in draw((SUITES // 4, size)):
                    said = list(zip(map(str, range(size)), judge(people).tolist(), strict=True))
                    golden = [(p, s, people[int(p)]) for p, s in said[:n_golden]]
                    found.append(bounds(corrected_mean(said, golden)))
                share, width = covered(found, truth)
                is_good = is_good and share >= 0.94 - 2 * math.sqrt(0.94 * 0.06 * 4 / SUITES)
                print(f"{shape:<14}{name:<14}{size:>7}{n_golden:>7}{share:>8.3f}{width:>8.3f}")
    return is_good


def worse_facets(shape: tuple[int, int], harm: float) -> Floats:
    """Changes of FM where each paper became worse by this much, before its ratings are rounded."""
    papers = random.normal(0.6, 0.9, (*shape, 1))
    return rated(papers - harm) - rated(papers)


def worse_sentences(shape: tuple[int, int], harm: float) -> Floats:
    """Changes of seven sentences, of which this share more is unsupported."""
    chance = random.beta(8.0, 1.2, shape)
    return np.asarray((random.binomial(7, chance * (1 - harm)) - random.binomial(7, chance)) / 7)


def worse_ones(shape: tuple[int, int], harm: float) -> Floats:
    """Changes of scores that are mostly 1, and on this share of papers more not."""
    return mostly_one(shape, 0.07 + harm) - mostly_one(shape)


def worse_copies(shape: tuple[int, int], harm: float) -> Floats:
    """Changes of a release that repeats the old one but spoils this share of papers."""
    return np.where(random.random(shape) < harm, -random.integers(1, 8, shape) / 7, 0.0)


def print_no_worse() -> bool:
    """How often a no-worse rule passes; whether it is .05 or less where the drop is the margin.

    Nothing that looks at few papers can see what spoils one paper in fifty, so copies have no bar.
    """
    limit = 0.05 + 2 * math.sqrt(0.05 * 0.95 / SUITES)
    shapes = {
        "facet scores": (worse_facets, 0.75, (0.06, 0.12, 0.2)),
        "seven sentences": (worse_sentences, 1.0, (0.03, 0.06, 0.12)),
        "mostly 1": (worse_ones, 1.0, (0.06, 0.12, 0.2)),
        "copies, few spoilt": (worse_copies, 1.0, (0.06, 0.12, 0.2)),
    }
    is_good = True
    print(f"\n{'no worse by':<20}{'margin':>7}{'papers':>7}{'passes':>8}{'power':>8}")
    for name, (draw, width, harms) in shapes.items():
        for harm in harms:
            margin = -float(draw((_TRUTH, 1), harm).mean())
            for size in SIZES[1:]:
                at_margin, at_none = (
                    sum(
                        refuted_drop(gains.tolist(), level=0.05, width=width) <= margin
                        for gains in draw((SUITES, size), each)
                    )
                    / SUITES
                    for each in (harm, 0.0)
                )
                is_good = is_good and (at_margin <= limit or draw is worse_copies)
                print(f"{name:<20}{margin:>7.3f}{size:>7}{at_margin:>8.3f}{at_none:>8.2f}")
    return is_good


if __name__ == "__main__":
    tables = [print_means(), print_corrected(), print_no_worse()]
    sys.exit(0 if all(tables) else 1)
