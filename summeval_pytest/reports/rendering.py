"""The reports that are files, by name; what makes one is loaded when one is made."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from summeval_pytest.reports.run_record import record_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from summeval_pytest.verdict import RunRecord


def _junit(record: RunRecord) -> str:
    from summeval_pytest.reports.junit import junit_text

    return junit_text(record)


def _page(record: RunRecord) -> str:
    from summeval_pytest.reports.page import page_text

    return page_text(record)


RENDERERS: Final[Mapping[str, Callable[[RunRecord], str]]] = MappingProxyType(
    {"run record": record_text, "JUnit report": _junit, "page": _page}
)
"""From a run to the text of each kind of file."""
