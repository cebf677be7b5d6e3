"""What a test about summaries has printed, made harmless for a terminal and a GitHub runner.

pytest repeats the captured output of a failing test. A terminal obeys its escape sequences, and a
runner any line of it that is a workflow command. A summary or a reply that a test prints must not
speak to either, nor give away the key that a server has echoed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from summeval_pytest.text import safe

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def disarm(report: pytest.TestReport, redacted: Callable[[str], str]) -> None:
    """Shows what is invisible or commanding in a report, and hides keys.

    An error without any of that stays as it is, so that pytest can go on colouring it.
    """

    def shown(text: str) -> str:
        return safe(redacted(text))

    report.sections = [(name, shown(text.expandtabs())) for name, text in report.sections]
    if report.longrepr is not None:
        text = str(report.longrepr).expandtabs()
        harmless = shown(text)
        if harmless != text:
            report.longrepr = harmless
