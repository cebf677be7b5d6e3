"""A run on the terminal, from its record: the same table as at the end of the run itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.reports.calls import calls_lines
from summeval_pytest.reports.corrected import corrected_line
from summeval_pytest.reports.ending import ending_lines
from summeval_pytest.reports.summary import SystemTally, summary_lines
from summeval_pytest.reports.trust import trust_lines, trust_of, untrusted_lines
from summeval_pytest.text import one_line
from summeval_pytest.verdict import wrong_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from summeval_pytest.verdict import RunRecord, SuiteRecord


def run_lines(record: RunRecord, *, n_worst: int = 0) -> Iterator[str]:
    """The lines; ``n_worst`` of the worst findings are listed."""
    for suite in record.suites:
        yield one_line(f"{suite.shown}, suite {suite.fingerprint}, judge {record.judge}")
        yield from suite_lines(suite)
    for suite in record.suites:
        of = f" ({one_line(suite.shown)})" if len(record.suites) > 1 else ""
        yield from trust_lines(trust_of(suite), of)
        if suite.trust is not None and suite.is_untrusted:
            yield from untrusted_lines(suite.trust, suite.golden)
    yield from ending_lines(record, n_worst=n_worst)
    if record.header.usage:
        yield from calls_lines(record.header.usage, {})


def suite_lines(suite: SuiteRecord) -> Iterator[str]:
    """The table of one suite's systems."""
    tallies = {system.name: SystemTally() for system in suite.systems}
    for pair in suite.pairs:
        values = pair.numbers().values
        wrong = wrong_pieces(pair.scores)
        tallies[pair.system].add(pair.outcome, values, note=pair.note, wrong=wrong)
    corrected = {system.name: corrected_line(system.corrected) for system in suite.systems}
    yield from summary_lines(tallies, suite.comparisons, corrected)
