"""How sure the gate is: `summeval noise` of its judge, `summeval power` of its papers."""

from __future__ import annotations

import statistics
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    ASKING,
    GATED,
    JUDGING,
    names_in,
    opened,
    session_of,
    whole_number,
    with_options,
)
from summeval_pytest.endpoints.limits import Totals
from summeval_pytest.errors import OptionError, nearest
from summeval_pytest.metrics.catalogue import (
    METRICS,
    catalogue_of,
    custom_numbers,
    measured_metrics,
    metric_of,
)
from summeval_pytest.metrics.number import NumberSpec
from summeval_pytest.options import Options
from summeval_pytest.record.gated_suite import GatedSuite, gated_suite, pair_result_of
from summeval_pytest.record.record_file import read_record
from summeval_pytest.reports.wording import render
from summeval_pytest.run.runner import tasks_of
from summeval_pytest.run.session import Session
from summeval_pytest.stats.paired import pass_chance, passing_margin
from summeval_pytest.suite.suite import Suite
from summeval_pytest.suite.values import Pair
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.comparison import Baseline, find_baseline
from summeval_pytest.verdict.decide import decide_pair, decide_system
from summeval_pytest.verdict.policy import LEVEL, margin_fault
from summeval_pytest.verdict.run import PairResult, SystemResult

Run = tuple[Sequence[PairResult], Sequence[SystemResult]]
"""The pairs and the systems of one run, decided."""
_MOST_PAPERS: Final = 10_000_000
CHANCE: Final = 0.8
"""Margins and numbers of papers are given for this chance."""
_DEVIATION: Final = (
    "deviation: standard deviation of the paired differences of two systems (the largest)",
    "there is one system, so this is the deviation of its own scores",
)


@with_options(*GATED, *ASKING)
def noise(
    suite: Path,
    /,
    *,
    times: Annotated[
        int, Parameter(help="how often to ask everything again", converter=whole_number)
    ] = 3,
    against: Annotated[
        Path | None, Parameter(help="a saved run: compare each run with it, too")
    ] = None,
    options: Options,
) -> list[str]:
    """Judges the same summaries again, and counts the decisions that change.

    The first run uses stored replies, and stores new ones. The other runs ask everything anew, and
    keep nothing. A budget is one for all runs. Means that labels correct are left out.
    """
    first = session_of(options)
    subject, judge_name = gated_suite(suite, first), first.terms.judge_name
    if not first.is_asked(judge_name, [subject.suite]):
        what = f"--judge={judge_name} gives the same answers every time"
        raise OptionError(f"{what}; name a judge that asks a model")
    baselines: dict[str, Baseline] = {}
    if against is not None:
        old, own = read_record(against, "--against"), subject.suite
        find = partial(find_baseline, old, str(against), own, wanted=None, option="--against")
        baselines = {name: find(name) for name in subject.systems}
    known: dict[tuple[str, str], Pair] = {}

    async def find_pair(suite: Suite, paper: str, system: str) -> Pair:
        if (paper, system) not in known:  # every run judges the same summaries
            known[paper, system] = await first.pair(suite, paper, system)
        return known[paper, system]

    def decided(session: Session, subject: GatedSuite) -> Run:
        judge, policy = session.judge(judge_name, [subject.suite]), subject.policy
        tasks = [subject.task(each, of) for of in subject.systems for each in subject.papers(of)]
        try:
            evaluations = list(session.evaluate(judge, tasks, find_pair))
        finally:
            session.replies.forget_run()
        pairs = [decide_pair(pair_result_of(each)[0], policy) for each in evaluations]
        systems = []
        for skeleton in subject.record().systems:
            own = [pair.numbers() for pair in pairs if pair.system == skeleton.name]
            baseline = baselines.get(skeleton.name)
            past = subject.against(baseline, skeleton.name, judge) if baseline else None
            systems.append(decide_system(skeleton, own, policy, against=past))
        return pairs, systems

    runs = [decided(first, subject)]
    n_replies, cost, paid = 0, 0.0, _totals(first).cost
    for _ in range(times):
        with TemporaryDirectory() as folder:
            left = None if options.budget is None else max(0.0, options.budget - paid - cost)
            again = session_of(replace(options, store=folder, record="all", budget=left))
            fresh = gated_suite(suite, again)
            runs.append(decided(again, fresh))
            totals = _totals(again)
        n_replies, cost = n_replies + totals.n_asked, cost + totals.cost
    asked = f"{times} runs asked anew: {n_replies:,} replies, {cost:.2f} dollars"
    return [one_line(f"{subject.suite.shown}: judge {judge_name}, {asked}"), *_lines(runs)]


def _totals(session: Session) -> Totals:
    """What a run asked and paid; nothing where every reply was there."""
    return session.replies.exchange.ledger.totals if session.replies.is_asking else Totals()


def _lines(runs: Sequence[Run]) -> Iterator[str]:
    pairs = list(zip(*(pairs for pairs, _ in runs), strict=True))
    changed = [of for of in pairs if len({pair.outcome for pair in of}) > 1]
    apart = sum(_disagreement(pair.outcome for pair in of) for of in pairs) / len(pairs)
    yield f"pairs: {len(changed):,} of {len(pairs):,} are not decided alike in all {len(runs)} runs"
    yield f"  two runs disagree on {apart:.1%} of the pairs"
    for of in changed:
        where = f"{of[0].system} on {of[0].paper}: {_counted(pair.outcome for pair in of)}"
        yield f"  {one_line(where, 200)}"
    for of in zip(*(systems for _, systems in runs), strict=True):
        yield one_line(f"system {of[0].name}: {_counted(each.outcome for each in of)}")
        for means in zip(*(each.verdict.means for each in of), strict=True):
            first, values = means[0], [m.value for m in means if m.value is not None]
            if values:
                spread = f"{render(first.named, min(values))} to {render(first.named, max(values))}"
                yield f"  mean {first.name}: {spread}, threshold {render(first.named, first.least)}"
        if comparisons := [each.comparison for each in of if each.comparison is not None]:
            states = ("passes" if each.passes else "does not pass" for each in comparisons)
            yield f"  {one_line(f'against {comparisons[0].baseline}: {_counted(states)}')}"


def _disagreement(outcomes: Iterable[str]) -> float:
    """The chance that two of the runs decide otherwise."""
    counts = Counter(outcomes)
    n_runs = counts.total()
    return 1 - sum(n * (n - 1) for n in counts.values()) / (n_runs * (n_runs - 1))


def _counted(states: Iterable[str]) -> str:
    return ", ".join(f"{state} {n}" for state, n in Counter(states).most_common())


@with_options(*JUDGING)
def power_of(
    suite: Path,
    /,
    *,
    margin: Annotated[float, Parameter(help="how much worse a release may be")],
    metric: Annotated[tuple[str, ...], Parameter(help="these numbers only (repeat)")] = (),
    options: Options,
) -> list[str]:
    """How often a release as good as the last one passes a margin, and with how many papers."""
    names = names_in(metric, "--metric") or [*METRICS, "eva.precision", "eva.recall"]
    catalogue = catalogue_of(custom_numbers(names))
    for name in names:
        if name not in catalogue:
            raise OptionError(f"--metric={name}: unknown metric; {nearest(name, catalogue)}")
        if fault := margin_fault(catalogue[name], margin):
            raise OptionError(f"--margin: {fault}")
    loaded, session = opened(suite, options)
    judge = session.terms.judge_name
    by_system: defaultdict[str, dict[str, Mapping[str, float | None]]] = defaultdict(dict)
    try:
        wanted = measured_metrics({*METRICS, *map(metric_of, names)})
        tasks = tasks_of(loaded, list(loaded.systems), wanted)
        for each in session.evaluate(session.judge(judge, [loaded]), tasks):
            numbers = each.numbers()
            by_system[numbers.system][numbers.paper] = numbers.values
    finally:
        session.replies.forget_run()
    lines = [f"{loaded.shown}: {len(loaded.paper_ids)} papers, judge {judge}"]
    lines += [f"how often a release that is as good as the last one passes no-worse-{margin:g}"]
    lines += [_line("", "deviation", "chance now", "margin now", "papers needed")]
    for name in names:
        papers = by_system.values()
        scores = [{paper: values.get(name) for paper, values in of.items()} for of in papers]
        lines.append(_row(catalogue[name], _changes(scores), margin))
    lines += _DEVIATION if len(by_system) == 1 else _DEVIATION[:1]
    return [
        *lines,
        "chance now: the release passes with these papers",
        f"margin now: the margin that it passes with a chance of {CHANCE:g}",
        f"papers needed: so that it passes no-worse-{margin:g} with a chance of {CHANCE:g}",
    ]


def _changes(systems: list[dict[str, float | None]]) -> list[float]:
    """The differences of the two systems that differ most; a single system against its mean."""
    known = [{k: v for k, v in scores.items() if v is not None} for scores in systems]
    if len(known) == 1 and known[0]:
        known.append(dict.fromkeys(known[0], statistics.mean(known[0].values())))
    pairs = [[b[k] - a[k] for k in a.keys() & b.keys()] for a, b in combinations(known, 2)]
    return max((each for each in pairs if len(each) > 1), key=statistics.stdev, default=[])


def _row(named: NumberSpec, changes: list[float], margin: float) -> str:
    if not (deviation := statistics.stdev(changes) if changes else 0.0):
        return _line(named.name, "-", "-", "-", "-")
    n_papers, fixed = len(changes), {"level": LEVEL, "width": named.width}

    def chance(n: int) -> float:
        return pass_chance(margin, deviation, n, **fixed)

    passing = passing_margin(deviation, n_papers, chance=CHANCE, **fixed)
    n_needed = 2 + bisect_left(range(2, _MOST_PAPERS + 1), CHANCE, key=chance)
    needed = f"{n_needed:,}" if n_needed <= _MOST_PAPERS else f"over {_MOST_PAPERS:,}"
    now = f"{chance(n_papers):.2f}"
    return _line(named.name, f"{deviation:.3f}", now, f"{passing:.3f}", needed)


def _line(name: str, *cells: str) -> str:
    return f"{name:<20}" + "".join(map(str.rjust, cells, (10, 12, 12, 15)))
