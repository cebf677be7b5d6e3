"""`summeval noise`: how often the gate would have decided otherwise on the same summaries."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from summeval_pytest.cli.parameters import (
    ASKING,
    GATED,
    Asking,
    Gated,
    gated_of,
    session_of,
    whole_number,
)
from summeval_pytest.endpoints.spending import Totals
from summeval_pytest.errors import OptionError
from summeval_pytest.record.measuring import pair_result_of
from summeval_pytest.record.record_file import read_record
from summeval_pytest.reports.wording import render
from summeval_pytest.run.summaries import Summariser
from summeval_pytest.suite.values import Pair
from summeval_pytest.text.printing import one_line
from summeval_pytest.verdict.comparison import Baseline, find_baseline
from summeval_pytest.verdict.decide import decide_pair, decide_system
from summeval_pytest.verdict.run import PairResult, SystemResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from summeval_pytest.record.gated_suite import GatedSuite
    from summeval_pytest.run.session import Session
    from summeval_pytest.suite.suite import Suite


def noise(
    suite: Path,
    /,
    *,
    gated: Gated = GATED,
    asking: Asking = ASKING,
    times: Annotated[
        int, Parameter(help="how often to ask everything again", converter=whole_number)
    ] = 3,
    against: Annotated[
        Path | None, Parameter(help="a saved run: compare each run with it, too")
    ] = None,
) -> list[str]:
    """Judges the same summaries again, and counts the decisions that change.

    The first run uses stored replies, and stores new ones. The other runs ask everything anew, and
    keep nothing. A budget is one for all runs. Means that labels correct are left out.
    """
    first = session_of(gated.endpoints, asking)
    subject = gated_of(suite, gated, first)
    if not first.is_asked(gated.judge, [subject.suite]):
        raise OptionError(
            f"--judge={gated.judge} gives the same answers every time; name a judge that asks a"
            " model"
        )
    baselines = _baselines(against, subject) if against is not None else {}
    summaries = _Summaries(Summariser(first.sender))
    runs = [_run(first, subject, gated.judge, summaries, baselines)]
    n_replies, cost, paid = 0, 0.0, _totals(first).cost
    for _ in range(times):
        with TemporaryDirectory() as folder:
            endpoints = replace(gated.endpoints, store=folder)
            left = None if asking.budget is None else max(0.0, asking.budget - paid - cost)
            again = session_of(endpoints, replace(asking, record="all", budget=left))
            fresh = gated_of(suite, gated, again)
            runs.append(_run(again, fresh, gated.judge, summaries, baselines))
            totals = _totals(again)
        n_replies, cost = n_replies + totals.n_asked, cost + totals.cost
    asked = f"{times} runs asked anew: {n_replies:,} replies, {cost:.2f} dollars"
    return [one_line(f"{subject.suite.shown}: judge {gated.judge}, {asked}"), *_lines(runs)]


def _totals(session: Session) -> Totals:
    """What a run asked and paid; nothing where every reply was there."""
    return session.replies.exchange.ledger.totals if session.replies.is_asking else Totals()


class _Summaries:
    """Finds each pair once, so that every run judges the same summaries."""

    def __init__(self, summariser: Summariser) -> None:
        self._summariser = summariser
        self._known: dict[tuple[str, str], Pair] = {}

    async def pair(self, suite: Suite, paper: str, system: str) -> Pair:
        """One paper with a system's summary."""
        key = paper, system
        if key not in self._known:
            self._known[key] = await self._summariser.pair(suite, paper, system)
        return self._known[key]


def _baselines(file: Path, gated: GatedSuite) -> dict[str, Baseline]:
    """By system, what a saved run has of it."""
    record, name = read_record(file, "--against"), gated.suite.name
    return {
        system: find_baseline(
            record, str(file), suite=name, system=system, wanted=None, option="--against"
        )
        for system in gated.systems
    }


def _run(
    session: Session,
    gated: GatedSuite,
    judge_name: str,
    summaries: _Summaries,
    baselines: Mapping[str, Baseline],
) -> tuple[Sequence[PairResult], Sequence[SystemResult]]:
    """The pairs and the systems of one run, decided."""
    judge = session.judge(judge_name, [gated.suite])
    policy = gated.policy
    policy = replace(policy, thresholds=replace(policy.thresholds, corrected=()))
    tasks = [
        gated.task(paper, system) for system in gated.systems for paper in gated.papers(system)
    ]
    try:
        evaluations = list(session.evaluate(judge, tasks, summaries.pair))
    finally:
        session.replies.forget_run()
    pairs = [decide_pair(pair_result_of(each)[0], policy) for each in evaluations]
    systems = []
    for skeleton in gated.record().systems:
        own = [pair.numbers() for pair in pairs if pair.system == skeleton.name]
        baseline = baselines.get(skeleton.name)
        against = None if baseline is None else gated.against(baseline, skeleton.name, judge)
        systems.append(decide_system(skeleton, own, policy, against=against))
    return pairs, systems


def _lines(
    runs: Sequence[tuple[Sequence[PairResult], Sequence[SystemResult]]],
) -> Iterator[str]:
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
        for means in zip(*(each.means for each in of), strict=True):
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
