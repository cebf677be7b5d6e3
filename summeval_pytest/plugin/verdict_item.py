"""What every test of a suite shares: its text is its verdict, and it hands on a part of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from summeval_pytest.plugin.session import gate_of, gated_suites

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from summeval_pytest.evaluation import Task
    from summeval_pytest.plugin.gated_suite import GatedSuite
    from summeval_pytest.verdict import Judged, Measured, Totalled, Tried


class VerdictItem(pytest.Item):
    """A test whose text is its verdict: no traceback of ours helps a reader."""

    @property
    def gated(self) -> GatedSuite:
        """The suite this item belongs to, with what this run asks of it."""
        return gated_suites(self.config)[self.path.resolve()]

    summeval_part: str | None = None
    """What the run record keeps of it, as JSON text; None before that is known, or unwanted."""

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The pairs that the runner has to evaluate for it."""
        raise NotImplementedError

    def keep(self, part: Callable[[], Judged | Measured | Totalled | Tried]) -> None:
        """Keeps its part of the run record, where one is wanted."""
        if gate_of(self.config).keeps_record:
            from summeval_pytest.reports import as_json
            from summeval_pytest.verdict import Part

            self.summeval_part = as_json(Part(part()))

    def reportinfo(self) -> tuple[PathLike[str], int | None, str]:
        """The suite file, its first line, and the name."""
        return self.path, 0, self.name
