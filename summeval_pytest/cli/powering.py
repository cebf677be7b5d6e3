"""`summeval power`: how large a drop a suite's papers can show, and how many papers would do."""

from __future__ import annotations

import statistics
from itertools import combinations
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import desk_of, running, suite_of
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.evaluation import tasks_of
from summeval_pytest.metrics import CATALOGUE, METRICS
from summeval_pytest.stats import detectable_drop, papers_needed, power_of_drop
from summeval_pytest.stats.power import MAX_PAPERS
from summeval_pytest.verdict.regression import granularity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from summeval_pytest.evaluation import Desk, Numbers
    from summeval_pytest.suite import Suite

_USUAL: Final = (*METRICS, "eva.precision", "eva.recall")


def power_of(chosen: argparse.Namespace) -> list[str]:
    """The table.

    Raises:
        UsageError: for a mistake in the suite, and for a drop, level or power that cannot be.
        JudgeError: if the judge breaks down.
    """
    names = _names(chosen)
    suite = suite_of(chosen)
    desk = desk_of(chosen)
    desk.add_cassette(suite)
    systems = tuple(suite.systems)
    papers = {
        system: {numbers.paper: numbers for numbers in found}
        for system, found in _judged(suite, systems, chosen.judge, desk).items()
    }
    return list(_table(suite, papers, names, chosen))


def _names(chosen: argparse.Namespace) -> list[str]:
    """The numbers that are asked about; everything else that was chosen is checked, too."""
    names = [name for text in chosen.metric for name in text.split(",")] or list(_USUAL)
    for name in names:
        if name not in CATALOGUE:
            raise OptionError(f"--metric={name}: unknown metric; {nearest(name, CATALOGUE)}")
        widest = CATALOGUE[name].high - CATALOGUE[name].low
        if not 0.0 < chosen.drop < widest:
            raise OptionError(
                f"--drop={chosen.drop:g} is no drop of {name}; write a number between 0 and"
                f" {widest:g}"
            )
    for option, value in (("--level", chosen.level), ("--power", chosen.power)):
        if not 0.0 < value < 1.0:
            raise OptionError(f"{option}={value:g} is no share; write a number between 0 and 1")
    if chosen.tests < 1:
        raise OptionError(f"--tests={chosen.tests} is no number of tests; write 1 or more")
    return names


def _judged(
    suite: Suite, systems: Sequence[str], judge_name: str, desk: Desk
) -> dict[str, list[Numbers]]:
    judge = desk.judge(judge_name, [suite])
    try:
        with running(judge, desk) as runner:
            return {
                system: runner.numbers(tasks_of(suite, [system], METRICS)) for system in systems
            }
    finally:
        desk.forget_run()


def _changes(papers: Mapping[str, Mapping[str, Numbers]], name: str) -> list[float]:
    """The paired differences of the two systems between which they vary most.

    With one system only, that of its own scores: the differences to a system whose scores go along
    with them by half (correlation .5) have the same one.
    """
    found = []
    for one, other in combinations(papers.values(), 2):
        changes = [
            b - a
            for paper in one.keys() & other.keys()
            if (a := one[paper].values.get(name)) is not None
            and (b := other[paper].values.get(name)) is not None
        ]
        if len(changes) > 1:
            found.append(changes)
    if len(papers) == 1:
        (own,) = papers.values()
        values = [v for numbers in own.values() if (v := numbers.values.get(name)) is not None]
        if len(values) > 1:
            middle = statistics.mean(values)
            found.append([value - middle for value in values])
    return max(found, key=statistics.stdev, default=[])


def _table(
    suite: Suite,
    papers: Mapping[str, Mapping[str, Numbers]],
    names: Sequence[str],
    chosen: argparse.Namespace,
) -> Iterator[str]:
    level = chosen.level / chosen.tests
    yield (
        f"{suite.shown}: {len(suite.paper_ids)} papers, judge {chosen.judge}; a drop of"
        f" {chosen.drop:g}, power {chosen.power:g},"
    )
    yield f"level {chosen.level:g}, Holm's strictest of {chosen.tests} tests: {level:.4f}"
    yield f"{'':<20}{'deviation':>10}{'power now':>11}{'seen now':>10}{'papers needed':>15}"
    for name in names:
        changes = _changes(papers, name)
        deviation = statistics.stdev(changes) if changes else 0.0
        if deviation == 0.0:
            yield f"{name:<20}{'-':>10}{'-':>11}{'-':>10}{'-':>15}"
            continue
        coarse, n_papers = granularity(name, changes), len(changes)
        power = power_of_drop(chosen.drop, deviation, n_papers, level=level, **coarse)
        seen = detectable_drop(deviation, n_papers, level=level, power=chosen.power, **coarse)
        try:
            papers_wanted = papers_needed(
                chosen.drop, deviation, level=level, power=chosen.power, **coarse
            )
        except ValueError:  # beyond what anybody could judge
            needed = f"over {MAX_PAPERS:,}"
        else:
            needed = f"{papers_wanted:,}"
        yield (
            f"{name:<20}{deviation:>10.3f}{power:>11.2f}"
            f"{'none' if seen is None else f'{seen:.3f}':>10}{needed:>15}"
        )
    yield "deviation: of the paired differences over papers, the largest between two systems"
    if len(papers) == 1:
        yield "there is one system: the deviation of its own scores stands in"
    yield "seen now: the smallest drop that the papers of today show with that power"
