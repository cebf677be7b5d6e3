"""Progress of something slow: how far it is, its rate and the time that is left."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")
LOG_SECONDS: Final = 30.0
"""The time between two lines where there is no terminal."""


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
        minutes, seconds = divmod(round(left), 60)
        text = (
            f"{n_done:,}/{self._n_all:,} {self._what}, {self.rate}, {minutes} min {seconds} s left"
        )
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
