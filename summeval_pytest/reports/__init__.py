"""Saying: verdicts as text that people and terminals can read, safe whatever it quotes."""

from __future__ import annotations

from summeval_pytest.reports.again import run_lines, suite_lines
from summeval_pytest.reports.calls import calls_lines, usage_line
from summeval_pytest.reports.comparison import change_lines, comparison_lines, detectable_text
from summeval_pytest.reports.ending import ending_lines, waiver_line
from summeval_pytest.reports.failure import (
    broken_rules,
    describe_means,
    describe_pair,
    missed_numbers,
    short_of,
)
from summeval_pytest.reports.files import append, write_whole
from summeval_pytest.reports.header import cassette_lines, header_line
from summeval_pytest.reports.numbers import shown
from summeval_pytest.reports.plan import plan_lines
from summeval_pytest.reports.rendering import RENDERERS
from summeval_pytest.reports.run_record import as_json, from_json, read_record, record_text
from summeval_pytest.reports.summary import SystemTally, summary_lines
from summeval_pytest.reports.trust import TRUST_LINE, UNMEASURED

__all__ = [
    "RENDERERS",
    "TRUST_LINE",
    "UNMEASURED",
    "SystemTally",
    "append",
    "as_json",
    "broken_rules",
    "calls_lines",
    "cassette_lines",
    "change_lines",
    "comparison_lines",
    "describe_means",
    "describe_pair",
    "detectable_text",
    "ending_lines",
    "from_json",
    "header_line",
    "missed_numbers",
    "plan_lines",
    "read_record",
    "record_text",
    "run_lines",
    "short_of",
    "shown",
    "suite_lines",
    "summary_lines",
    "usage_line",
    "waiver_line",
    "write_whole",
]
