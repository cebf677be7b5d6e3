"""Saying: verdicts as text that people and terminals can read, safe whatever it quotes."""

from __future__ import annotations

from summeval_pytest.reports.calls import calls_lines, usage_line
from summeval_pytest.reports.failure import describe_means, describe_pair
from summeval_pytest.reports.header import cassette_lines, header_line
from summeval_pytest.reports.numbers import shown
from summeval_pytest.reports.plan import plan_lines
from summeval_pytest.reports.summary import SystemTally, summary_lines

__all__ = [
    "SystemTally",
    "calls_lines",
    "cassette_lines",
    "describe_means",
    "describe_pair",
    "header_line",
    "plan_lines",
    "shown",
    "summary_lines",
    "usage_line",
]
