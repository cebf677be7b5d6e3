"""What a waiting test shows on a terminal: how much was answered, and what it cost so far.

The line stands right of what pytest has written and is cut at the terminal's edge; it is wiped
before pytest writes on. Where the output is no terminal nothing is ever shown.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    import pytest

    from summeval_pytest.evaluation import Ledger

TERMINAL: Final = "/dev/tty"
_SHOW: Final = "\x1b7\x1b[?7l{}\x1b[K\x1b[?7h\x1b8"
"""Keeps the place, lets nothing wrap, writes, wipes the rest, and goes back."""
_WIPE: Final = "\x1b[K"
_MINUTE: Final = 60


class Progress:
    """The line of one process.

    Args:
        terminal: Where it is written.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._began = time.monotonic()
        self._is_shown = False

    def show(self, ledger: Ledger, *, n_judged: int, n_pairs: int) -> None:
        """Writes the line anew.

        Args:
            ledger: What was asked and answered.
            n_judged: How many pairs are done.
            n_pairs: How many there are.
        """
        seconds = time.monotonic() - self._began
        self._write(_SHOW.format("  " + progress_text(ledger, n_judged, n_pairs, seconds)))
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


def progress_text(ledger: Ledger, n_judged: int, n_pairs: int, seconds: float) -> str:
    """How a run stands: pairs, answers, what they cost, and the time left at the pace so far."""
    totals = ledger.totals
    remembered = totals.n_cached + totals.n_recorded
    parts = [
        f"{n_judged}/{n_pairs} pairs",
        f"{totals.n_replies:,} answers ({remembered:,} remembered)",
        f"{ledger.n_in_flight} in flight",
    ]
    if totals.cost:
        parts.append(f"{totals.cost:.2f} dollars")
    if 0 < n_judged < n_pairs:
        left = round(seconds / n_judged * (n_pairs - n_judged))
        parts.append(f"{left // _MINUTE} min {left % _MINUTE} s left")
    return ", ".join(parts)


def open_progress(config: pytest.Config) -> Progress | None:
    """The line of this process; None where nobody sees one: no terminal, or an xdist worker."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None or not getattr(reporter, "isatty", False):
        return None
    try:
        return Progress(open(TERMINAL, "w", encoding="utf-8"))  # noqa: PTH123 - a device
    except OSError:
        return None
