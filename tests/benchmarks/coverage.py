"""How often intervals hold the truth: simulated scores of suites of 5 to 100 papers.

    python -m tests.benchmarks.coverage

Prints, for each shape of scores and size, the share of 2,000 suites whose 95 % interval holds the
true mean, and its mean width, beside the percentile bootstrap. Ends with 1 where an interval that
is to hold .94 of 10, 30 or 100 papers holds less (less two standard errors of the simulation).
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.random import PCG64, Generator

from summeval_pytest.stats.intervals import change_interval, mean_interval, share_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from summeval_pytest.stats.bootstrap import Interval

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


def held(intervals: list[tuple[float, float]], truth: float) -> tuple[float, float]:
    """The share of intervals that hold the truth, and their mean width."""
    low, high = np.array(intervals).T
    rounding = 1e-9
    inside = (low <= truth + rounding) & (truth <= high + rounding)
    return float(inside.mean()), float((high - low).mean())


def bounds(found: Interval) -> tuple[float, float]:
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
            share, width = held([bounds(interval(suite)) for suite in suites], truth)
            other, other_width = held([bootstrapped(s) for s in suites[: SUITES // 4]], truth)
            is_good = is_good and share >= BAR
            print(f"{name:<20}{size:>7}{share:>8.3f}{width:>8.3f}{other:>12.3f}{other_width:>8.3f}")
    return is_good


def print_shares() -> bool:
    """The table of shares of items that come five a paper; whether all reach the bar."""
    is_good = True
    print(f"\n{'share':<20}{'papers':>7}{'holds':>8}{'width':>8}")
    for share in (0.5, 0.8, 0.95):
        for alike in (0.0, 0.15):
            for size in SIZES:
                items = 1 + random.poisson(4.0, (SUITES, size))
                chance: Floats = np.full((SUITES, size), share)
                if alike:
                    both = (1 - alike) / alike
                    chance = random.beta(share * both, (1 - share) * both, (SUITES, size))
                hits = random.binomial(items, chance)
                found = [
                    bounds(share_interval(a.astype(float), b.astype(float)))
                    for a, b in zip(hits, items, strict=True)
                ]
                holds, width = held(found, share)
                is_good = is_good and holds >= BAR
                name = f"{share:g}, alike {alike:g}"
                print(f"{name:<20}{size:>7}{holds:>8.3f}{width:>8.3f}")
    return is_good


if __name__ == "__main__":
    sys.exit(0 if all([print_means(), print_shares()]) else 1)
