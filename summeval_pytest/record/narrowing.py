"""The part of recorded runs that ``--summ-from`` decides: the suites and pairs of today."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from summeval_pytest.errors import OptionError
from summeval_pytest.record.gated_suite import GatedSuite
from summeval_pytest.record.shards import FROM, find_suite
from summeval_pytest.verdict.run import Pairs, RunRecord, SuiteRecord


def narrowed(record: RunRecord, gated: Sequence[GatedSuite]) -> RunRecord:
    """The part of a record that belongs to these suites and systems, in their order.

    Raises:
        OptionError: for a suite that the record does not have.
    """
    return replace(record, suites=tuple(_narrowed(record, each) for each in gated))


def _narrowed(record: RunRecord, gated: GatedSuite) -> SuiteRecord:
    skeleton = gated.record()
    recorded = find_suite(record, skeleton)
    if recorded is None:
        names = ", ".join(sorted({repr(suite.name) for suite in record.suites}))
        raise OptionError(
            f"{FROM}: these runs are of suite {names}, and not of {skeleton.name!r}; name runs of"
            f" {skeleton.shown}"
        )
    then = {system.name: system for system in recorded.systems}
    systems = tuple(
        replace(now, summaries=then.get(now.name, now).summaries) for now in skeleton.systems
    )
    pairs = {(row.system, row.paper): row for row in recorded.rows}
    papers = {paper.id: paper for paper in recorded.papers}
    answers = {(each.system, each.paper): each for each in recorded.golden}
    labelled = [(task.system, task.paper) for task in gated.labelled]
    fault = recorded.golden_fault
    if missing := [each for each in labelled if each not in answers]:
        fault = fault or (
            f"{len(missing):,} of {len(labelled):,} labelled pairs are in no record, first"
            f" {' on '.join(missing[0])}; run {skeleton.shown}::judge in each of the recorded runs"
        )
    return replace(
        recorded,
        name=skeleton.name,
        shown=skeleton.shown,
        unmeasured=skeleton.unmeasured,
        systems=systems,
        papers=tuple(papers[name] for name in gated.suite.paper_ids if name in papers),
        golden=() if fault else tuple(answers[of] for of in labelled),
        golden_fault=fault,
        pairs=Pairs([pairs[of] for of in skeleton.expected if of in pairs]),
    )
