"""Progress of a waiting run on the terminal or in the log.

On a terminal this is a line right of what pytest has written, cut at the edge and wiped before
pytest writes on. Elsewhere, as in CI and in xdist workers, it is a line of the log now and then.
"""

from __future__ import annotations

import math
import os
import sys
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final, Protocol, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pytest

    from summeval_pytest.endpoints.spending import Ledger


TERMINAL: Final = "/dev/tty"
LOG_SECONDS = 30.0
"""How long no line of a log is written after one."""
_SHOW: Final = "\x1b7\x1b[?7l{}\x1b[K\x1b[?7h\x1b8"
"""Keeps the place, lets nothing wrap, writes, wipes the rest, and goes back."""
_WIPE: Final = "\x1b[K"
_MINUTE: Final = 60
_PACE_SECONDS: Final = 180.0
_PROMISE_SECONDS: Final = 15.0
_WARM_SECONDS: Final = 10.0


class Display(Protocol):
    """Where it is shown how a run stands."""

    def show(self, text: str) -> None:
        """Shows this in place of what was shown before."""
        ...

    def wipe(self) -> None:
        """Takes away what is shown, if anything is."""
        ...

    def close(self) -> None:
        """Lets go of the place."""
        ...


class TerminalLine:
    """A line on a terminal, which is written anew each time."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._is_shown = False

    def show(self, text: str) -> None:
        """Writes the line anew."""
        self._write(_SHOW.format(f"  {text}"))
        self._is_shown = True

    def wipe(self) -> None:
        """Takes the line away, if it is there."""
        if self._is_shown:
            self._write(_WIPE)
            self._is_shown = False

    def close(self) -> None:
        """Lets go of the terminal."""
        self.wipe()
        self._terminal.close()

    def _write(self, text: str) -> None:
        self._terminal.write(text)
        self._terminal.flush()


class LogLines:
    """Lines of a log, no two within ``LOG_SECONDS``; the first comes after as long.

    Args:
        write: Writes one line.
        clock: Seconds that never go back.
    """

    def __init__(
        self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._write = write
        self._clock = clock
        self._last = clock()

    def show(self, text: str) -> None:
        """Writes a line, which names the test that waits, unless the last one is too new."""
        if self._clock() - self._last >= LOG_SECONDS:
            self._last = self._clock()
            test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
            self._write(f"summeval: {test or 'a test'} waits: {text}")

    def wipe(self) -> None:
        """Leaves the log as it is."""

    def close(self) -> None:
        """Leaves the log as it is."""


class TimeLeft:
    """An estimate of the time left that is steady from look to look.

    The pace is about that of the last three minutes, taken whenever pairs end, as they end in
    bursts; pairs that were remembered say nothing of it. The end that is promised moves little by
    little, unless no pair ends for longer than ever before. Nothing is promised within ten seconds
    of the first pair, as others were begun with it.
    """

    def __init__(self) -> None:
        self._seconds = self._since_last = self._longest = 0.0
        self._recent_seconds = self._n_recent = 0.0
        self._n_asked = self._n_done = 0
        self._first: float | None = None
        self._end: float | None = None

    def look(self, seconds: float, n_asked: int, n_done: int, n_all: int) -> float | None:
        """Seconds left; None while nobody can tell.

        Args:
            seconds: How long the run has been going on.
            n_asked: How many replies were asked for and came.
            n_done: How many of its pairs are done.
            n_all: How many it has.
        """
        passed = seconds - self._seconds
        self._since_last += passed
        if n_done > self._n_done and n_asked > self._n_asked:
            self._take_pace(n_done - self._n_done)
            self._first = seconds if self._first is None else self._first
        self._seconds, self._n_asked, self._n_done = seconds, n_asked, n_done
        if self._first is None or seconds < self._first + _WARM_SECONDS or n_done >= n_all:
            return None
        left = (n_all - n_done) * self._recent_seconds / self._n_recent
        end = seconds + left - min(self._since_last, self._longest)
        if self._end is None or self._since_last > self._longest:
            self._end = end
        self._end += (end - self._end) * (1 - math.exp(-passed / _PROMISE_SECONDS))
        return max(0.0, self._end - seconds)

    def _take_pace(self, n_new: int) -> None:
        kept = math.exp(-self._since_last / _PACE_SECONDS)
        self._recent_seconds = self._recent_seconds * kept + self._since_last
        self._n_recent = self._n_recent * kept + n_new
        self._longest = max(self._longest, self._since_last)
        self._since_last = 0.0


class Progress:
    """How one process stands, shown on a display.

    Args:
        display: Where it is shown.
    """

    def __init__(self, display: Display) -> None:
        self._display = display
        self._began = time.monotonic()
        self._time_left = TimeLeft()

    def show(self, ledger: Ledger, *, n_judged: int, n_pairs: int, troubles: Sequence[str]) -> None:
        """Shows how things stand now.

        Args:
            ledger: What was asked and answered.
            n_judged: How many pairs are done.
            n_pairs: How many there are; 0 where other processes have some of them.
            troubles: What keeps models from replying.
        """
        seconds = time.monotonic() - self._began
        left = self._time_left.look(seconds, ledger.totals.n_asked, n_judged, n_pairs)
        self._display.show(progress_text(ledger, n_judged, n_pairs, left, troubles))

    def wipe(self) -> None:
        """Takes away what is shown."""
        self._display.wipe()

    def close(self) -> None:
        """Lets go of the display."""
        self._display.close()


def progress_text(
    ledger: Ledger, n_judged: int, n_pairs: int, left: float | None, troubles: Sequence[str] = ()
) -> str:
    """How a run stands: pairs, answers, what they cost, seconds left, and what is in the way."""
    totals = ledger.totals
    remembered = totals.n_cached + totals.n_recorded
    parts = [
        f"{n_judged}/{n_pairs} pairs" if n_pairs else f"{n_judged} pairs",
        f"{totals.n_replies:,} answers ({remembered:,} remembered)",
        f"{ledger.n_in_flight} in flight",
    ]
    if totals.cost:
        parts.append(f"{totals.cost:.2f} dollars")
    if left is not None:
        parts.append(f"{round(left) // _MINUTE} min {round(left) % _MINUTE} s left")
    return ", ".join(parts) + "".join(f"; {trouble}" for trouble in troubles)


def open_progress(config: pytest.Config) -> Progress:
    """What this process shows while a test waits: on the terminal, else in the log."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if getattr(reporter, "isatty", False):
        try:
            return Progress(TerminalLine(open(TERMINAL, "w", encoding="utf-8")))  # noqa: PTH123 - a device
        except OSError:
            pass
    return Progress(LogLines(lambda line: _write_line(config, line)))


def _write_line(config: pytest.Config, line: str) -> None:
    """Writes past pytest's capture; of a worker only stderr is seen, which is its controller's."""
    capture = config.pluginmanager.getplugin("capturemanager")
    reporter = config.pluginmanager.getplugin("terminalreporter")
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        if reporter is not None and not hasattr(config, "workerinput"):
            reporter.ensure_newline()
            reporter.write_line(line)
            reporter.flush()
        else:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
