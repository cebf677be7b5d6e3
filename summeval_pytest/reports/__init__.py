"""Saying: verdicts as text that people and terminals can read, safe whatever it quotes."""

from __future__ import annotations

from summeval_pytest.reports.failure import describe_means, describe_pair
from summeval_pytest.reports.header import header_line
from summeval_pytest.reports.numbers import shown
from summeval_pytest.reports.summary import SystemTally, summary_lines

__all__ = [
    "SystemTally",
    "describe_means",
    "describe_pair",
    "header_line",
    "shown",
    "summary_lines",
]
