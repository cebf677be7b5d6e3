"""Whatever papers, systems, judges and labels say, a report commands nobody and floods nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from summeval_pytest.options import TABLE
from summeval_pytest.reports.cases import cases_of
from summeval_pytest.reports.ci import step_summary
from summeval_pytest.reports.files import report_pieces
from summeval_pytest.reports.judge_section import trust_lines, trust_phrase, untrusted_lines
from summeval_pytest.reports.terminal import run_lines
from summeval_pytest.verdict.run import RunVerdict
from tests.reports import records


def judge(run: RunVerdict) -> Iterator[str]:
    """What is told of a judge, alone."""
    (suite, *_) = run.suites
    assert suite.trust is not None
    fault = replace(records.UNMEASURED, fault=suite.name)
    for trusted in (suite.trust, fault, records.trust(records.HOLDS, floors_of=suite.name)):
        yield from trust_lines(trust_phrase(trusted, has_labels=True), f" ({suite.name[:80]})")
    yield from untrusted_lines(suite.trust, suite.golden)


def report_text(option: str, run: RunVerdict) -> str:
    """A report as its file has it."""
    return "".join(report_pieces(option, run, Path()))


REPORTS: dict[str, Callable[[RunVerdict], str]] = {
    "terminal": lambda run: "\n".join(run_lines(run, n_worst=3)),
    "cases": lambda run: "\n".join(case.text for _, case in cases_of(run)),
    "judge": lambda run: "\n".join(judge(run)),
    "step summary": step_summary,
    **{
        name: partial(report_text, name)
        for name, option in TABLE.items()
        if option.is_report and name not in {"run_record", "html", "gitlab"}
    },
}
"""The page, GitLab's report and the record have tests of their own: they keep texts as data."""
LONG = ("x" * 10**6, "\u202e" * 10**6, "y " * 500_000)


@pytest.mark.parametrize(
    ("name", "text"), [*product(REPORTS, records.STRANGERS), *(("judge", text) for text in LONG)]
)
def test_no_text_of_a_run_is_obeyed_or_floods_a_log(name: str, text: str) -> None:
    """Somebody prints it, and a runner obeys lines that begin with ``::``."""
    run = records.in_other_words(records.everything(), lambda _: text)
    lines = records.harmless(REPORTS[name](run).split("\n"))
    assert len(lines) > 10
    if name == "judge":
        assert max(map(len, lines)) < 480
        assert sum(map(len, lines)) < 12_000
