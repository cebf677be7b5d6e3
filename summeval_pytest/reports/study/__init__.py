"""A study as tables for a terminal and as figures for a paper."""

from __future__ import annotations

from summeval_pytest.reports.study.tables import study_lines

__all__ = ["study_lines"]
