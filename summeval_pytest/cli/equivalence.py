"""`summeval equivalence`: may a judge be asked about many items in one request?"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from summeval_pytest.cli.terms import (
    add_asking,
    add_judge,
    add_suite,
    add_systems,
    check_writable,
    desk_of,
    names_in,
    suite_of,
    whole_number,
    write_figures,
)
from summeval_pytest.errors import OptionError
from summeval_pytest.evaluation import (
    Summariser,
    Survey,
    Task,
    ask_in_ways,
    models_seen,
    ways_of,
)
from summeval_pytest.judges import OFFLINE
from summeval_pytest.metrics import METRICS
from summeval_pytest.text import one_line

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from summeval_pytest.evaluation import Desk
    from summeval_pytest.suite import Suite
    from summeval_pytest.verdict.equivalence import Equivalence

SEED: Final = 20246


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivalenceReport:
    """Everything that is told of a judge asked in several ways."""

    suite: str
    fingerprint: str
    alone: str
    again: str
    together: str
    is_equivalent: bool
    found: Equivalence


def add_equivalence(parser: argparse.ArgumentParser) -> None:
    """The arguments of `summeval equivalence`."""
    parser.description = (
        "Asks a judge about the same items one at a time, once more, many in a request, and in the"
        " reverse order, and decides whether it may be asked about many. Exit code 1 where not."
    )
    add_suite(parser)
    parser.add_argument("--judge", required=True, metavar="NAME", help="whose requests are tried")
    parser.add_argument(
        "--pairs",
        type=whole_number,
        metavar="N",
        help="so many pairs, of all systems and lengths in proportion (default: all)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")
    parser.add_argument(
        "--export",
        action="store_true",
        help="write the replies that this used into the suite's cassette, for --record none",
    )
    add_systems(parser, "all of the suite")
    add_judge(parser, with_name=False)
    add_asking(parser)


def equivalence_of(chosen: argparse.Namespace) -> tuple[list[str], bool]:
    """The lines, also written as JSON where a file is named, and whether all is met.

    Raises:
        UsageError: for a mistake in the suite, and for a judge that cannot be asked or compared.
        NoReplyError: if a system's endpoint gave no summary.
        JudgeError: if the judge breaks its contract.
    """
    if chosen.json is not None:
        check_writable(chosen.json, "--json")
    desk = desk_of(chosen)
    suite, tasks = _tasks(chosen, desk)
    _check_asking(chosen.judge, suite)
    try:
        report = _compared(chosen.judge, suite, tasks, desk)
        exported = list(_exported(chosen.judge, suite, tasks, desk)) if chosen.export else []
    finally:
        desk.forget_run()
    if chosen.json is not None:
        write_figures(chosen.json, "--json", report)
    return [*_told(report, chosen.judge, desk), *exported], report.is_equivalent


def _check_asking(judge: str, suite: Suite) -> None:
    """Refuses a judge that has no requests.

    Raises:
        OptionError: for the embedded judge, and for recorded ones.
    """
    if judge == OFFLINE or judge in suite.recorded_judges:
        does = "computes each answer by itself" if judge == OFFLINE else "repeats what is recorded"
        raise OptionError(
            f"judge {judge!r} {does}, so there is no request to compare; name a model or a judge of"
            " your own with --judge"
        )


def _tasks(chosen: argparse.Namespace, desk: Desk) -> tuple[Suite, list[Task]]:
    """The suite, and the pairs that are tried: a sample by system and length."""
    from summeval_pytest.stats import systematic_sample

    suite = suite_of(chosen)
    suite, systems = desk.systems(
        suite, names_in(chosen.model, "--model") or suite.systems, "--model"
    )
    desk.add_cassette(suite)
    pairs = [(system, paper) for system in systems for paper in suite.paper_ids_of(system)]
    pairs.sort(key=lambda pair: (pair[0], _n_words(suite, *pair), pair[1]))
    n_wanted = chosen.pairs or max(1, len(pairs))
    taken = systematic_sample(len(pairs), n_wanted, seed=SEED)
    return suite, [
        Task(suite=suite, paper=paper, system=system, metrics=METRICS)
        for system, paper in (pairs[place] for place in taken)
    ]


def _n_words(suite: Suite, system: str, paper: str) -> int:
    """The length of a summary; of the reference, where the summary has yet to be asked for."""
    if suite.systems[system].endpoint is None:
        return len(suite.pair(paper, system).summary.split())
    return len(suite.paper(paper).references[0].split())


def _compared(name: str, suite: Suite, tasks: Sequence[Task], desk: Desk) -> EquivalenceReport:
    from summeval_pytest.verdict.equivalence import decide_equivalence

    ways = ways_of(desk.judge(name, [suite]))

    async def asked() -> Equivalence:
        try:
            return decide_equivalence(*await ask_in_ways(tasks, ways, Summariser(desk.sender).pair))
        finally:
            await desk.finish(0.0)

    found = asyncio.run(asked())
    return EquivalenceReport(
        suite=suite.shown,
        fingerprint=suite.fingerprint,
        alone=ways.single.signature,
        again=ways.again.signature,
        together=ways.batched.signature,
        is_equivalent=found.is_equivalent,
        found=found,
    )


def _exported(name: str, suite: Suite, tasks: Sequence[Task], desk: Desk) -> list[str]:
    """Adds the replies that were used to the cassette: all is gone through again, unasked."""
    from summeval_pytest.store import write_cassette

    memory = desk.memory()
    survey = Survey(memory)
    ways = ways_of(desk.judge(name, [suite], survey))
    summariser = Summariser(lambda of, spec: desk.roles.sender(of, spec, survey))
    try:
        asyncio.run(ask_in_ways(tasks, ways, summariser.pair))
    finally:
        memory.close()
    if not survey.found:
        fault = "has given none" if desk.is_asked(name, [suite]) else "needs no replies"
        return [f"nothing to export: judge {one_line(name)} {fault}"]
    cassette = desk.cassettes.get(suite.cassette.path)
    rows = {**(cassette.rows if cassette else {}), **survey.found}
    sha256 = write_cassette(suite.cassette.path, rows.values())
    return [f"{suite.cassette.shown}: {len(rows):,} replies, sha256 {sha256}"]


def _told(report: EquivalenceReport, judge: str, desk: Desk) -> list[str]:
    from summeval_pytest.reports import model_lines
    from summeval_pytest.reports.equivalence import equivalence_lines

    found = report.found
    head = f"{report.suite}: {found.n_pairs:,} pairs of {found.n_papers:,} papers, judge {judge}"
    ways = (("alone", report.alone), ("again", report.again), ("together", report.together))
    models = models_seen(desk.exchange.ledger.models) if desk.is_asking else ()
    return [
        one_line(head, 200),
        *(one_line(f"{name}: {signature}", 300) for name, signature in ways),
        "",
        *equivalence_lines(found),
        *model_lines(models),
    ]
