"""The progress of a run, of a command or of a call: how far it is, and the time that is left.

A run's line on the terminal stands right of what pytest has written, is cut at the edge and wiped
before pytest writes on. Where there is no terminal, as in CI and in xdist workers, the log gets a
line now and then.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TextIO, TypeVar

from summeval_pytest.endpoints.limits import Ledger

T = TypeVar("T")
LOG_SECONDS = 30.0
"""How long no line of a log is written after one."""
_SHOW: Final = "\x1b7\x1b[?7l  {}\x1b[K\x1b[?7h\x1b8"
"""Keeps the place, lets nothing wrap, writes, wipes the rest, and goes back."""
_WIPE: Final = "\x1b[K"
_WARM_SECONDS: Final = 10.0
"""How long after the first pair no end is promised: others were begun with it."""


class TimeLeft:
    """Estimates the time left by the pace of the pairs that asked for replies.

    The pace is taken to the last pair that ended, since pairs end in bursts.
    """

    def __init__(self) -> None:
        self._n_done = self._n_remembered = 0
        """Pairs that are done, and that were when the first reply came."""
        self._first_done = self._last_done = 0.0

    def look(self, seconds: float, n_asked: int, n_done: int, n_all: int) -> float | None:
        """The seconds left after so many of the run; None while they cannot be known.

        ``n_asked`` replies were asked for and came; ``n_done`` of ``n_all`` pairs are done.
        """
        if not n_asked:
            self._n_done = self._n_remembered = n_done
            return None
        if n_done > self._n_done:
            self._first_done = self._first_done or seconds
            self._last_done, self._n_done = seconds, n_done
        if not self._first_done or seconds < self._first_done + _WARM_SECONDS or n_done >= n_all:
            return None
        pace = self._last_done / (n_done - self._n_remembered)
        return max(0.0, (n_all - n_done) * pace - (seconds - self._last_done))


class Progress:
    """Shows the progress of one process while a test waits.

    Args:
        terminal: Where a line is written anew each time; None for a log.
        write: Writes a line of the log.
        clock: Seconds that never go back.
    """

    def __init__(
        self,
        terminal: TextIO | None,
        write: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._terminal = terminal
        self._write = write
        self._clock = clock
        self._began = self._logged_at = clock()
        self._time_left = TimeLeft()
        self._is_shown = False

    def show(self, ledger: Ledger, *, n_judged: int, n_pairs: int, troubles: Sequence[str]) -> None:
        """Shows the progress; a log gets a line only if the last one is old enough.

        ``n_pairs`` is 0 where other processes have some of the pairs; ``troubles`` keep models
        from replying.
        """
        now = self._clock()
        left = self._time_left.look(now - self._began, ledger.totals.n_asked, n_judged, n_pairs)
        text = progress_text(ledger, n_judged, n_pairs, left, troubles)
        if self._terminal is not None:
            self._draw(_SHOW.format(text))
            self._is_shown = True
        elif now - self._logged_at >= LOG_SECONDS:
            self._logged_at = now
            test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
            self._write(f"summeval: {test or 'a test'} waits: {text}")

    def wipe(self) -> None:
        """Takes the terminal's line away, if it is there."""
        if self._is_shown:
            self._draw(_WIPE)
            self._is_shown = False

    def close(self) -> None:
        """Wipes the line and closes the terminal."""
        self.wipe()
        if self._terminal is not None:
            self._terminal.close()

    def _draw(self, text: str) -> None:
        assert self._terminal is not None
        self._terminal.write(text)
        self._terminal.flush()


def progress_text(
    ledger: Ledger, n_judged: int, n_pairs: int, left: float | None, troubles: Sequence[str] = ()
) -> str:
    """The progress in words: pairs, answers, dollars, time left, and what is in the way."""
    totals = ledger.totals
    parts = [
        f"{n_judged}/{n_pairs} pairs" if n_pairs else f"{n_judged} pairs",
        f"{totals.n_replies:,} answers ({totals.n_cached + totals.n_recorded:,} remembered)",
        f"{ledger.n_in_flight} in flight",
    ]
    if totals.cost:
        parts.append(f"{totals.cost:.2f} dollars")
    if left is not None:
        parts.append(_left(left))
    return ", ".join(parts) + "".join(f"; {trouble}" for trouble in troubles)


def _left(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s left"


class ShownPace:
    """Shows on stderr how far a command is: one line on a terminal, else a line now and then.

    Args:
        n_all: How many there are.
        what: What is counted, as "pairs".
    """

    def __init__(self, n_all: int, what: str) -> None:
        self._n_all = n_all
        self._what = what
        self._n_done = 0
        self._is_terminal = sys.stderr.isatty()
        self._seconds = 0.2 if self._is_terminal else LOG_SECONDS
        self._began = self._shown = time.monotonic()

    @property
    def rate(self) -> str:
        """How many a second, in words."""
        return f"{self._n_done / max(time.monotonic() - self._began, 1e-9):,.1f} a second"

    def show(self, n_done: int) -> None:
        """Write the progress, unless the last line is too new."""
        self._n_done, now = n_done, time.monotonic()
        if not n_done or now - self._shown < self._seconds:
            return
        self._shown = now
        left = (now - self._began) / n_done * (self._n_all - n_done)
        text = f"{n_done:,}/{self._n_all:,} {self._what}, {self.rate}, {_left(left)}"
        sys.stderr.write(f"\r{text}\x1b[K" if self._is_terminal else f"summeval: {text}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Remove the line."""
        if self._is_terminal:
            sys.stderr.write("\r\x1b[K")


def paced(items: Iterable[T], n_all: int, what: str) -> Iterator[T]:
    """The items; their progress is shown meanwhile."""
    pace = ShownPace(n_all, what)
    try:
        for n_done, item in enumerate(items, start=1):
            pace.show(n_done)
            yield item
    finally:
        pace.end()
