"""`summeval power`: how small a drop a suite's papers can show, and how many would show it."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from itertools import combinations
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import desk_of, names_in, running, suite_of
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.evaluation import tasks_of
from summeval_pytest.metrics import CATALOGUE, METRICS
from summeval_pytest.stats import detectable_drop, power_of_drop
from summeval_pytest.verdict.chance import LEVEL
from summeval_pytest.verdict.regression import POWER, granularity

if TYPE_CHECKING:
    import argparse

_MOST_PAPERS: Final = 10_000_000


def power_of(chosen: argparse.Namespace) -> list[str]:
    """The table, at the level and the power of a comparison."""
    names = names_in(chosen.metric, "--metric") or [*METRICS, "eva.precision", "eva.recall"]
    for name in names:
        if name not in CATALOGUE:
            raise OptionError(f"--metric={name}: unknown metric; {nearest(name, CATALOGUE)}")
        width = CATALOGUE[name].high - CATALOGUE[name].low
        if not 0.0 < chosen.drop < width:
            wrong = f"--drop={chosen.drop:g} is no drop of {name}"
            raise OptionError(f"{wrong}; write a number between 0 and {width:g}")
    if chosen.tests < 1:
        raise OptionError(f"--tests={chosen.tests} is no number of tests; write 1 or more")
    suite, desk = suite_of(chosen), desk_of(chosen)
    desk.add_cassette(suite)
    try:
        with running(desk.judge(chosen.judge, [suite]), desk) as runner:
            judged = [runner.numbers(tasks_of(suite, [each], METRICS)) for each in suite.systems]
    finally:
        desk.forget_run()
    level, first = LEVEL / chosen.tests, f"{len(suite.paper_ids)} papers, judge {chosen.judge}"
    lines = [f"{suite.shown}: {first}; a drop of {chosen.drop:g}, power {POWER:g},"]
    lines += [f"level {LEVEL:g}, Holm's strictest of {chosen.tests} tests: {level:.4f}"]
    lines += [f"{'':<20}{'deviation':>10}{'power now':>11}{'seen now':>10}{'papers needed':>15}"]
    for name in names:
        scores = [{n.paper: n.values.get(name) for n in numbers} for numbers in judged]
        lines.append(_row(name, _changes(scores), chosen.drop, level))
    lines.append(
        "deviation: of the paired differences over papers, the largest between two systems"
    )
    if len(judged) == 1:
        lines.append("there is one system: the deviation of its own scores stands in")
    return [*lines, "seen now: the smallest drop that the papers of today show with that power"]


def _changes(systems: list[dict[str, float | None]]) -> list[float]:
    """Differences of the two systems that vary most; one system is compared with its mean."""
    known = [{k: v for k, v in scores.items() if v is not None} for scores in systems]
    if len(known) == 1 and known[0]:
        known.append(dict.fromkeys(known[0], statistics.mean(known[0].values())))
    pairs = [[b[k] - a[k] for k in a.keys() & b.keys()] for a, b in combinations(known, 2)]
    return max((each for each in pairs if len(each) > 1), key=statistics.stdev, default=[])


def _row(name: str, changes: list[float], drop: float, level: float) -> str:
    if not (deviation := statistics.stdev(changes) if changes else 0.0):
        return f"{name:<20}{'-':>10}{'-':>11}{'-':>10}{'-':>15}"
    coarse, n_papers = granularity(name, changes), len(changes)

    def power(n: int) -> float:
        return power_of_drop(drop, deviation, n, level=level, **coarse)

    drop_seen = detectable_drop(deviation, n_papers, level=level, power=POWER, **coarse)
    seen = "none" if drop_seen is None else f"{drop_seen:.3f}"
    n_needed = bisect_left(range(_MOST_PAPERS + 1), POWER, key=power)
    needed = f"{n_needed:,}" if n_needed <= _MOST_PAPERS else f"over {_MOST_PAPERS:,}"
    return f"{name:<20}{deviation:>10.3f}{power(n_papers):>11.2f}{seen:>10}{needed:>15}"
