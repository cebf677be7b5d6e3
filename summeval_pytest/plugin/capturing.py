"""What a test about summaries has printed, made harmless for a GitHub runner.

pytest repeats the captured output of a failing test, and a runner obeys any line of it that is a
workflow command. A summary or a reply that a test prints must not speak to the runner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.text import without_commands

if TYPE_CHECKING:
    import pytest


def disarm(report: pytest.TestReport) -> None:
    """Takes every workflow command out of a report; one without any stays as it is."""
    report.sections = [(name, without_commands(text)) for name, text in report.sections]
    if report.longrepr is not None:
        text = str(report.longrepr)
        harmless = without_commands(text)
        if harmless != text:
            report.longrepr = harmless
