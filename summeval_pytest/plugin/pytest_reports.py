"""The reports that pytest makes of a suite's tests: what they show, and what is held of them.

pytest holds every report to the end of a run, in each process, and so every text of it.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import weakref
import zlib
from functools import cached_property, partial
from typing import IO, TYPE_CHECKING, Any, Final

import pytest

from summeval_pytest.plugin.config import gated_suites, is_worker
from summeval_pytest.text.printing import safe

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_STORED: Final = ("keywords", "location", "longrepr", "sections", "user_properties")
"""What of a report is held in a file."""


def disarm(report: pytest.TestReport, redacted: Callable[[str], str]) -> None:
    """Shows what is invisible or commanding in a report, and hides keys.

    An error without any of that stays as it is, so that pytest can go on colouring it.
    """

    def shown(text: str) -> str:
        return safe(redacted(text.expandtabs()))

    report.sections = [(name, shown(text)) for name, text in report.sections]
    if report.longrepr is not None:
        text = str(report.longrepr)
        if shown(text) != text.expandtabs():
            report.longrepr = shown(text)


class StoredReport(pytest.TestReport):
    """A report whose texts are read from a file, each time that somebody asks for one."""

    def __getattr__(self, name: str) -> Any:
        """One of the texts."""
        if name not in _STORED:
            raise AttributeError(name)
        return self.stored()[name]


class HeldReports:
    """A plugin of its own: lets go of reports of suites' tests, or has a file hold their texts.

    A worker shows nothing, so it holds none. The controller lets go of setups and teardowns that
    passed and have nothing to show: pytest goes through all of them for each failure.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @cached_property
    def _file(self) -> IO[bytes]:
        """Open as long as there are reports."""
        file = tempfile.TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, file.close)
        return file

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        """Stores a report once all other plugins have seen it."""
        yield
        path = self._config.rootpath / report.nodeid.split("::")[0]
        is_ours = path.resolve() in gated_suites(self._config)
        if is_ours and not self._is_let_go(report) and type(report) is pytest.TestReport:
            self._store(report)

    def _is_let_go(self, report: pytest.TestReport) -> bool:
        reporter = self._config.pluginmanager.getplugin("terminalreporter")
        is_needed = report.sections or self._config.option.durations is not None
        for category, reports in reporter.stats.items() if reporter is not None else ():
            if reports and reports[-1] is report:
                is_silent = is_worker(self._config) or not (category or is_needed)
                if is_silent:
                    reports.pop()
                return is_silent
        return False

    def _store(self, report: pytest.TestReport) -> None:
        """Stores its texts; a report with what cannot be stored stays as it is."""
        held = dict(vars(report))
        texts = {name: held.pop(name) for name in _STORED if name in held}
        try:
            packed = zlib.compress(pickle.dumps(texts), 1)
        except (pickle.PicklingError, TypeError, AttributeError):
            return
        start = self._file.seek(0, os.SEEK_END)
        self._file.write(packed)
        report.__class__ = StoredReport
        report.__dict__ = held | {"stored": partial(self._read, start, len(packed))}

    def _read(self, start: int, length: int) -> dict[str, Any]:
        self._file.seek(start)
        packed = zlib.decompress(self._file.read(length))
        texts: dict[str, Any] = pickle.loads(packed)  # noqa: S301 - a file of our own
        return texts
