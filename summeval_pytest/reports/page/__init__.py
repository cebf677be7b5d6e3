"""The HTML report: one file that shows a reviewer the wrong sentence, and needs no network."""

from __future__ import annotations

from summeval_pytest.reports.page.document import page_text

__all__ = ["page_text"]
